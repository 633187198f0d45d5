# RCP, replicated: 1/x to nearest.
# test assemble, roundtrip, reference, kernels

!!FP1.0
RCPR o[COLR], f[TEX0].w;
END

# run: f[TEX0]=0,0,0,1 -> o[COLR]=1,1,1,1
# run: f[TEX0]=0,0,0,2 -> o[COLR]=0.5,0.5,0.5,0.5
# run: f[TEX0]=0,0,0,3 -> o[COLR]=0x3eaaaaab,0x3eaaaaab,0x3eaaaaab,0x3eaaaaab
# run: f[TEX0]=0,0,0,-3 -> o[COLR]=0xbeaaaaab,0xbeaaaaab,0xbeaaaaab,0xbeaaaaab
# run: f[TEX0]=0,0,0,0.1 -> o[COLR]=10,10,10,10
# run: f[TEX0]=0,0,0,0.001 -> o[COLR]=0x4479ffff,0x4479ffff,0x4479ffff,0x4479ffff
# run: f[TEX0]=0,0,0,123456.79 -> o[COLR]=0x3707e53c,0x3707e53c,0x3707e53c,0x3707e53c
# run: f[TEX0]=0,0,0,1.9999999 -> o[COLR]=0x3f000001,0x3f000001,0x3f000001,0x3f000001
# run: f[TEX0]=0,0,0,1.0000001 -> o[COLR]=0x3f7ffffe,0x3f7ffffe,0x3f7ffffe,0x3f7ffffe
# run: f[TEX0]=0,0,0,4 -> o[COLR]=0.25,0.25,0.25,0.25
# run: f[TEX0]=0,0,0,0.25 -> o[COLR]=4,4,4,4
# run: f[TEX0]=0,0,0,8 -> o[COLR]=0.125,0.125,0.125,0.125
# run: f[TEX0]=0,0,0,0x006ce3ee -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,0x7f7fffff -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,0 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,0x80000000 -> o[COLR]=0xff800000,0xff800000,0xff800000,0xff800000
# run: f[TEX0]=0,0,0,0x7f800000 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,0xff800000 -> o[COLR]=0x80000000,0x80000000,0x80000000,0x80000000
# run: f[TEX0]=0,0,0,0x7fc00001 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0x00400000 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,0.7 -> o[COLR]=0x3fb6db6e,0x3fb6db6e,0x3fb6db6e,0x3fb6db6e
# run: f[TEX0]=0,0,0,1.3 -> o[COLR]=0x3f44ec4f,0x3f44ec4f,0x3f44ec4f,0x3f44ec4f
# run: f[TEX0]=0,0,0,2.9 -> o[COLR]=0x3eb08d3d,0x3eb08d3d,0x3eb08d3d,0x3eb08d3d
