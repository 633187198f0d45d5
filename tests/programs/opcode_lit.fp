# LIT: (1, max(x, 0), max(y, 0)^w where x is positive, 1).
# test assemble, roundtrip, reference, kernels

!!FP1.0
LITR o[COLR], f[TEX0];
END

# run: f[TEX0]=1,0.5,9,3 -> o[COLR]=1,1,0x3e000001,1
# run: f[TEX0]=2,0.7,0,10 -> o[COLR]=1,2,0x3ce7675c,1
# run: f[TEX0]=-1,0.5,0,3 -> o[COLR]=1,0,0,1
# run: f[TEX0]=0,0.5,0,3 -> o[COLR]=1,0,0,1
# run: f[TEX0]=0.5,0,0,2 -> o[COLR]=1,0.5,0,1
# run: f[TEX0]=0.5,-1,0,2 -> o[COLR]=1,0.5,0,1
# run: f[TEX0]=0.5,0,0,-2 -> o[COLR]=1,0.5,0x7f800000,1
# run: f[TEX0]=0.5,0.3,0,0 -> o[COLR]=1,0.5,1,1
# run: f[TEX0]=0.5,0,0,0 -> o[COLR]=1,0.5,1,1
# run: f[TEX0]=3,1.5,0,-4.5 -> o[COLR]=1,3,0x3e252771,1
# run: f[TEX0]=0.25,0.9,0,127.5 -> o[COLR]=1,0.25,0x35c4aa1c,1
# run: f[TEX0]=0.25,0.9,0,1000 -> o[COLR]=1,0.25,0,1
# run: f[TEX0]=0.25,1.1,0,-1000 -> o[COLR]=1,0.25,0,1
# run: f[TEX0]=1,2,0,-2 -> o[COLR]=1,1,0x3e7fffff,1
# run: f[TEX0]=1,0x7f800000,0,1 -> o[COLR]=1,1,0x7f800000,1
# run: f[TEX0]=1,0x7f800000,0,-1 -> o[COLR]=1,1,0,1
# run: f[TEX0]=0x7f800000,0.5,0,1 -> o[COLR]=1,0x7f800000,0x3f000001,1
