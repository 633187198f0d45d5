# FRC: x minus its floor, rounded.
# test assemble, roundtrip, reference, kernels

!!FP1.0
FRCR o[COLR], f[TEX0];
END

# run: f[TEX0]=2.75,-2.75,0,0x80000000 -> o[COLR]=0.75,0.25,0,0
# run: f[TEX0]=1,-1,0x3f7fffff,0x9e3ce508 -> o[COLR]=0,0,0x3f7fffff,1
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0x00400000 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0
# run: f[TEX0]=16777216,-16777215,8388607.5,0xcaffffff -> o[COLR]=0,0,0.5,0.5
# run: f[TEX0]=3.5,2.5,-0.5,0x501502f9 -> o[COLR]=0.5,0.5,0.5,0
