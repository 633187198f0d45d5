# MAX: the first where they are equal; NaN with NaN.
# test assemble, roundtrip, reference, kernels

!!FP1.0
MOVR R1, f[TEX1];
MAXR o[COLR], f[TEX0], R1;
END

# run: f[TEX0]=1.5,-3,1.0000001,1.9999999 f[TEX1]=2.5,0x3eaaaaab,1.0000001,0xbfffffff -> o[COLR]=2.5,0x3eaaaaab,1.0000001,1.9999999
# run: f[TEX0]=0x71800000,0x0d800000,0,0x80000000 f[TEX1]=0x71800000,0x30800000,0x7f800000,5 -> o[COLR]=0x71800000,0x30800000,0x7f800000,5
# run: f[TEX0]=0x7f800000,0x7fc00001,0x7f7fffff,1 f[TEX1]=-2,1,1.5,-1 -> o[COLR]=0x7f800000,0x7fffffff,0x7f7fffff,1
# run: f[TEX0]=16777215,0,0x7f800000,1 f[TEX1]=0.5,0x80000000,0xff800000,0x33800000 -> o[COLR]=16777215,0,0x7f800000,1
# run: f[TEX0]=1,-7.75,0x00800000,2 f[TEX1]=0xb3000000,7.75,0.5,2 -> o[COLR]=1,7.75,0.5,2
# run: f[TEX0]=-1,0x7fc00001,0xff800000,0x7f800000 f[TEX1]=-2,0x7fc00001,0x7f7fffff,0x7f800000 -> o[COLR]=-1,0x7fffffff,0x7f7fffff,0x7f800000
# run: f[TEX0]=1,1.5,1.5,1.5 f[TEX1]=0x7fc00001,2.5,2.5,2.5 -> o[COLR]=0x7fffffff,2.5,2.5,2.5
