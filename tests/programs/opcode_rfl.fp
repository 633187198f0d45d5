# RFL: 2 (a d)/(a a) a - d.
# test assemble, roundtrip, reference, kernels

!!FP1.0
MOVR R1, f[TEX1];
RFLR o[COLR].xyz, f[TEX0], R1;
END

# run: f[TEX0]=0,0,1,0 f[TEX1]=1,2,3,0 -> o[COLR]=-1,-2,3,0
# run: f[TEX0]=1,1,0,0 f[TEX1]=1,0,0,0 -> o[COLR]=0,1,0,0
# run: f[TEX0]=0.3,-0.4,2,0 f[TEX1]=5,6,-7,0 -> o[COLR]=0xc0e3501d,0xc04c7fb3,0xc0e0c0c0,0
