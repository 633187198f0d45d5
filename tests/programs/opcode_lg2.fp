# LG2, replicated.
# test assemble, roundtrip, reference, kernels

!!FP1.0
LG2R o[COLR], f[TEX0].w;
END

# run: f[TEX0]=0,0,0,1 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,2 -> o[COLR]=1,1,1,1
# run: f[TEX0]=0,0,0,3 -> o[COLR]=1.5849625,1.5849625,1.5849625,1.5849625
# run: f[TEX0]=0,0,0,-3 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0.1 -> o[COLR]=-3.321928,-3.321928,-3.321928,-3.321928
# run: f[TEX0]=0,0,0,0.001 -> o[COLR]=-9.965783,-9.965783,-9.965783,-9.965783
# run: f[TEX0]=0,0,0,123456.79 -> o[COLR]=16.913647,16.913647,16.913647,16.913647
# run: f[TEX0]=0,0,0,1.9999999 -> o[COLR]=0.9999999,0.9999999,0.9999999,0.9999999
# run: f[TEX0]=0,0,0,1.0000001 -> o[COLR]=0x3438c000,0x3438c000,0x3438c000,0x3438c000
# run: f[TEX0]=0,0,0,4 -> o[COLR]=2,2,2,2
# run: f[TEX0]=0,0,0,0.25 -> o[COLR]=0xbfffffff,0xbfffffff,0xbfffffff,0xbfffffff
# run: f[TEX0]=0,0,0,8 -> o[COLR]=3,3,3,3
# run: f[TEX0]=0,0,0,0x006ce3ee -> o[COLR]=0xff800000,0xff800000,0xff800000,0xff800000
# run: f[TEX0]=0,0,0,0x7f7fffff -> o[COLR]=127.99999,127.99999,127.99999,127.99999
# run: f[TEX0]=0,0,0,0 -> o[COLR]=0xff800000,0xff800000,0xff800000,0xff800000
# run: f[TEX0]=0,0,0,0x80000000 -> o[COLR]=0xff800000,0xff800000,0xff800000,0xff800000
# run: f[TEX0]=0,0,0,0x7f800000 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,0xff800000 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0x7fc00001 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0x00400000 -> o[COLR]=0xff800000,0xff800000,0xff800000,0xff800000
