# CAL: calls within calls, under conditions; a subroutine of a subroutine returns into it.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVRC RC, f[TEX0];
    MOVR R0, {0, 0, 0, 0};
    CAL one (GT.x);
    ADDR R0.z, R0, {0, 0, 1, 0};
    RET;
one:
    ADDR R0.x, R0, {1, 0, 0, 0};
    CAL two (GT.y);
    ADDR R0.x, R0, {1, 0, 0, 0};
    RET;
two:
    ADDR R0.y, R0, {0, 1, 0, 0};
    RET;
END

# run: f[TEX0]=1,1,0,0 -> R0=2,1,1,0
# run: f[TEX0]=1,0,0,0 -> R0=2,0,1,0
# run: f[TEX0]=0,1,0,0 -> R0=0,0,1,0
