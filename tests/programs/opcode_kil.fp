# KIL discards the fragment if any tested component holds.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x030000c0;
    MOVRC RC, f[TEX0];
    MOVR R0, f[TEX1];
    KIL LT.xyxy;
    KIL EQ.w;
END

# run: f[TEX0]=1,1,1,1 f[TEX1]=1,2,3,4 -> R0=1,2,3,4
# run: f[TEX0]=-1,1,1,1 f[TEX1]=1,2,3,4 -> discarded
# run: f[TEX0]=1,-1,1,1 f[TEX1]=1,2,3,4 -> discarded
# run: f[TEX0]=1,1,-1,-1 f[TEX1]=1,2,3,4 -> R0=1,2,3,4
# run: f[TEX0]=1,1,1,0 f[TEX1]=1,2,3,4 -> discarded
# run: f[TEX0]=0,0,0,1 f[TEX1]=1,2,3,4 -> R0=1,2,3,4
# run: f[TEX0]=0x7fc00001,0x7f800000,1,1 f[TEX1]=1,2,3,4 -> R0=1,2,3,4
