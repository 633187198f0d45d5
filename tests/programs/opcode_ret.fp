# RET under a condition, in a subroutine and in the program.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVRC RC, f[TEX0];
    MOVR R0, {0, 0, 0, 0};
    CAL one;
    RET (LT.z);
    ADDR R0.z, R0, {0, 0, 1, 0};
    RET;
one:
    ADDR R0.x, R0, {1, 0, 0, 0};
    RET (EQ.xyxy);
    ADDR R0.y, R0, {0, 1, 0, 0};
    RET;
END

# run: f[TEX0]=1,1,1,0 -> R0=1,1,1,0
# run: f[TEX0]=0,1,1,0 -> R0=1,0,1,0
# run: f[TEX0]=1,0,-1,0 -> R0=1,0,0,0
# run: f[TEX0]=1,1,-1,0 -> R0=1,1,0,0
