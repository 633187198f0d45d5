# MAD: the product is rounded before the sum.
# test assemble, roundtrip, reference, kernels

!!FP1.0
MOVR R1, f[TEX1];
MOVR R2, f[TEX2];
MADR o[COLR], f[TEX0], R1, R2;
END

# run: f[TEX0]=1.5,-3,1.0000001,1.9999999 f[TEX1]=2.5,0x3eaaaaab,1.0000001,0xbfffffff f[TEX2]=0.25,1,-1,4 -> o[COLR]=4,0,0x34800000,0x35000000
# run: f[TEX0]=0x71800000,0x0d800000,0,0x00400000 f[TEX1]=0x71800000,0x30800000,0x7f800000,2 f[TEX2]=1,0,1,0 -> o[COLR]=0x7f800000,0,0x7fffffff,0
# run: f[TEX0]=0x80000000,0x7f800000,0x7fc00001,0x7f7fffff f[TEX1]=5,-2,1,1.5 f[TEX2]=0x80000000,0x7f800000,1,0xff800000 -> o[COLR]=0x80000000,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=1,16777215,0,0x7f800000 f[TEX1]=-1,0.5,0x80000000,0xff800000 f[TEX2]=1,3,5,1 -> o[COLR]=0,8388610,5,0xff800000
# run: f[TEX0]=1,1,-7.75,0x00800000 f[TEX1]=0x33800000,0xb3000000,7.75,0.5 f[TEX2]=-1,-1,60,0 -> o[COLR]=0xbf7fffff,-1,-0.0625,0
