# Condition register 1: every relation.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x05000040;
    MOVRC1 RC, f[TEX0];
    MOVR R0 (LT1), {1, 2, 3, 4};
    MOVR R0 (FL1), {10, 20, 30, 40};
    MOVR R2 (LE1), {1, 2, 3, 4};
    MOVR R2 (EQ1), {10, 20, 30, 40};
    MOVR R3 (NE1), {1, 2, 3, 4};
    MOVR R3 (GT1), {10, 20, 30, 40};
    MOVR R4 (TR1), {1, 2, 3, 4};
    MOVR R4 (GE1), {10, 20, 30, 40};
END

# run: f[TEX0]=-1,0,1,0x7fc00001 -> R0=1,0,0,0 R2=1,20,0,0 R3=1,0,30,4 R4=1,20,30,4
# run: f[TEX0]=0xff800000,0x80000000,0x7f800000,0x00400000 -> R0=1,0,0,0 R2=1,20,0,40 R3=1,0,30,0 R4=1,20,30,40
# run: f[TEX0]=0x0da24260,0x8da24260,2,-2 -> R0=0,2,0,4 R2=0,2,0,4 R3=10,2,30,4 R4=10,2,30,4
