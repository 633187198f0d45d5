# BRK leaves the innermost loop where any tested component holds.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR R0, {0, 0, 0, 0};
    REP {3, 0, 0};
    ADDR R0.x, R0, {1, 1, 1, 1};
    REP {10, 0, 0};
    ADDR R0.y, R0, {1, 1, 1, 1};
    ADDRC RC.y, R0, -f[TEX0];
    BRK (GE.y);
    ENDREP;
    ADDR R0.z, R0, {1, 1, 1, 1};
    ENDREP;
    NOP;
END

# run: f[TEX0]=0,5,0,0 -> R0=3,7,3,0
# run: f[TEX0]=0,100,0,0 -> R0=3,30,3,0
# run: f[TEX0]=0,25,0,0 -> R0=3,25,3,0
# run: f[TEX0]=0,0,0,0 -> R0=3,3,3,0
