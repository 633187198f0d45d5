# SIN of radians. The last lines are sin(x), within 2^-21 absolutely.
# test assemble, roundtrip, reference, kernels

!!FP1.0
SINR o[COLR], f[TEX0].w;
END

# run: f[TEX0]=0,0,0,0 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,0x80000000 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,1 -> o[COLR]=0x3f576aa4,0x3f576aa4,0x3f576aa4,0x3f576aa4
# run: f[TEX0]=0,0,0,-1 -> o[COLR]=0xbf576aa4,0xbf576aa4,0xbf576aa4,0xbf576aa4
# run: f[TEX0]=0,0,0,0.5 -> o[COLR]=0.4794255,0.4794255,0.4794255,0.4794255
# run: f[TEX0]=0,0,0,-0.5 -> o[COLR]=0xbef57742,0xbef57742,0xbef57742,0xbef57742
# run: f[TEX0]=0,0,0,3.1415927 -> o[COLR]=0xb4000000,0xb4000000,0xb4000000,0xb4000000
# run: f[TEX0]=0,0,0,0xc0490fdb -> o[COLR]=0x34000000,0x34000000,0x34000000,0x34000000
# run: f[TEX0]=0,0,0,1.5707964 -> o[COLR]=1,1,1,1
# run: f[TEX0]=0,0,0,6 -> o[COLR]=0xbe8f0f8d,0xbe8f0f8d,0xbe8f0f8d,0xbe8f0f8d
# run: f[TEX0]=0,0,0,-6 -> o[COLR]=0x3e8f0f8d,0x3e8f0f8d,0x3e8f0f8d,0x3e8f0f8d
# run: f[TEX0]=0,0,0,0.1 -> o[COLR]=0x3dcc7572,0x3dcc7572,0x3dcc7572,0x3dcc7572
# run: f[TEX0]=0,0,0,-0.01 -> o[COLR]=0xbc23d652,0xbc23d652,0xbc23d652,0xbc23d652
# run: f[TEX0]=0,0,0,100 -> o[COLR]=0xbf01a138,0xbf01a138,0xbf01a138,0xbf01a138
# run: f[TEX0]=0,0,0,-100 -> o[COLR]=0x3f01a138,0x3f01a138,0x3f01a138,0x3f01a138
# run: f[TEX0]=0,0,0,12345 -> o[COLR]=0xbf7e6852,0xbf7e6852,0xbf7e6852,0xbf7e6852
# run: f[TEX0]=0,0,0,0x2b8cbccc -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,0x7f800000 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0xff800000 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0x7fc00001 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0.7 -> o[COLR]=0x3f24eb73,0x3f24eb73,0x3f24eb73,0x3f24eb73 ~8ulp
# run: f[TEX0]=0,0,0,1.3 -> o[COLR]=0.9635582,0.9635582,0.9635582,0.9635582 ~8ulp
# run: f[TEX0]=0,0,0,2.9 -> o[COLR]=0x3e74fdc0,0x3e74fdc0,0x3e74fdc0,0x3e74fdc0 ~8ulp
