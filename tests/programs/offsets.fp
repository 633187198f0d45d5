# Flow by word offsets instead of blocks.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVRC RC, f[TEX0];
    IF GT.x, other, 16;
    MOVR R0, f[TEX1];
other:
    MOVR R0, f[TEX2];
    MOVR R2, f[TEX0];
END

# run: f[TEX0]=1,0,0,0 f[TEX1]=1,2,3,4 f[TEX2]=5,6,7,8 -> R0=1,2,3,4
# run: f[TEX0]=-1,0,0,0 f[TEX1]=1,2,3,4 f[TEX2]=5,6,7,8 -> R0=5,6,7,8
