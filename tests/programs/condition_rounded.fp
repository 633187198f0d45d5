# The code is that of the value as it is written: rounding to half or fixed point makes it zero.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR R2, f[TEX0];
    MULRC H2, R2, {1, 1, 1, 1};
    MOVR R0 (EQ), {1, 2, 3, 4};
    MOVXC RC, R2;
    MOVR R3 (EQ), {1, 2, 3, 4};
END

# run: f[TEX0]=0x3089705f,0xb089705f,0.000001,0.0003 -> R0=1,2,0,0 R3=1,2,3,4
# run: f[TEX0]=0.001,-0.001,0.001,1 -> R0=0,0,0,0 R3=0,0,0,0
