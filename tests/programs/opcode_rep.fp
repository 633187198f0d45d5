# REP: rounds without an index, under a condition.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVRC RC, f[TEX0];
    MOVR R0, {1, 1, 0, 0};
    REP {10, 0, 0};
    ADDR R0.x, R0, R0;
    ENDREP;
    REP {4, 0, 0} (GT.x);
    MULR R0.y, R0, {3, 3, 3, 3};
    ENDREP;
    NOP;
END

# run: f[TEX0]=1,0,0,0 -> R0=1024,81,0,0
# run: f[TEX0]=-1,0,0,0 -> R0=1024,1,0,0
