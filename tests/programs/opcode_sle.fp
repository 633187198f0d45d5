# SLE: 1 where the first source is less or equal, else 0; of NaN only SNE is 1.
# test assemble, roundtrip, reference, kernels

!!FP1.0
MOVR R1, f[TEX1];
SLER o[COLR], f[TEX0], R1;
END

# run: f[TEX0]=1.5,-3,1.0000001,1.9999999 f[TEX1]=2.5,0x3eaaaaab,1.0000001,0xbfffffff -> o[COLR]=1,1,1,0
# run: f[TEX0]=0x71800000,0x0d800000,0,0x00400000 f[TEX1]=0x71800000,0x30800000,0x7f800000,2 -> o[COLR]=1,1,1,1
# run: f[TEX0]=0x80000000,0x7f800000,0x7fc00001,0x7f7fffff f[TEX1]=5,-2,1,1.5 -> o[COLR]=1,0,0,0
# run: f[TEX0]=1,16777215,0,0x7f800000 f[TEX1]=-1,0.5,0x80000000,0xff800000 -> o[COLR]=0,0,1,0
# run: f[TEX0]=1,1,-7.75,0x00800000 f[TEX1]=0x33800000,0xb3000000,7.75,0.5 -> o[COLR]=0,0,1,1
# run: f[TEX0]=2,-1,0x7fc00001,0xff800000 f[TEX1]=2,-2,0x7fc00001,0x7f7fffff -> o[COLR]=1,0,0,1
# run: f[TEX0]=0x7f800000,1,0x00400000,0x80000000 f[TEX1]=0x7f800000,0x7fc00001,0,0x00400000 -> o[COLR]=1,0,1,1
