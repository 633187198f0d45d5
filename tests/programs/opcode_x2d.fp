# X2D: (x + a0 m0 + a1 m1, y + a0 m2 + a1 m3), twice.
# test assemble, roundtrip, reference, kernels

!!FP1.0
MOVR R1, f[TEX1];
MOVR R2, f[TEX2];
X2DR o[COLR], f[TEX0], R1, R2;
END

# run: f[TEX0]=1,2,30,40 f[TEX1]=3,5,60,70 f[TEX2]=0.5,0.25,2,-1 -> o[COLR]=3.75,3,3.75,3
