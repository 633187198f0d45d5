# KIL in a branch and in a loop; a discarded fragment stays so.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x030000c0;
    MOVRC RC, f[TEX0];
    MOVR R0, f[TEX1];
    IF GT.x;
    KIL LT.y;
    ELSE;
    REP {3, 0, 0};
    ADDRC RC.z, R0, -f[TEX0];
    KIL EQ.z;
    ADDR R0.z, R0, {1, 1, 1, 1};
    ENDREP;
    ENDIF;
    NOP;
END

# run: f[TEX0]=1,1,0,0 f[TEX1]=0,0,0,0 -> R0=0,0,0,0
# run: f[TEX0]=1,-1,0,0 f[TEX1]=0,0,0,0 -> discarded
# run: f[TEX0]=-1,-1,5,0 f[TEX1]=0,0,0,0 -> R0=0,0,3,0
# run: f[TEX0]=-1,-1,2,0 f[TEX1]=0,0,0,0 -> discarded
# run: f[TEX0]=0,-1,0,0 f[TEX1]=0,0,0,0 -> discarded
# run: f[TEX0]=0,0,3,0 f[TEX1]=0,0,0,0 -> R0=0,0,3,0
