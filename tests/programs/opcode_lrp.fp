# LRP: s0 s1 + (1 - s0) s2.
# test assemble, roundtrip, reference, kernels

!!FP1.0
MOVR R1, f[TEX1];
MOVR R2, f[TEX2];
LRPR o[COLR], f[TEX0], R1, R2;
END

# run: f[TEX0]=0,1,0.5,0.25 f[TEX1]=1,2,3,4 f[TEX2]=5,6,7,8 -> o[COLR]=5,2,5,7
# run: f[TEX0]=0.1,0.2,0.3,0.7 f[TEX1]=1,2,3,4 f[TEX2]=-5,0.6,0.7,0.8 -> o[COLR]=-4.4,0.88,1.39,3.04
# run: f[TEX0]=2,-1,0,1 f[TEX1]=1,2,3,4 f[TEX2]=5,6,0x7f800000,0x7f800000 -> o[COLR]=-3,10,0x7f800000,0x7fffffff
