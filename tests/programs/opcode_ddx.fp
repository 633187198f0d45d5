# DDX: the four fragments of a quad have the same inputs here, so that differences are 0, and NaN of infinities.
# test assemble, roundtrip, reference, kernels

!!FP1.0
DDXR o[COLR], f[TEX0];
END

# run: f[TEX0]=1,-2,3.5,0 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,1 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0
