# TEX, the level from the quad: a unit without a texture gives (0, 0, 0, 1).
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR R2, f[TEX1];
    MOVR R0, f[TEX1];
    TEX R0.xzw, f[TEX0], TEX3;
END

# run: f[TEX0]=0.5,0.25,0.125,2 f[TEX1]=5,6,7,8 -> R0=0,6,0,1
# run: f[TEX0]=0x7f800000,0x7fc00001,0,0 f[TEX1]=5,6,7,8 -> R0=0,6,0,1
