# DP3: (x + y) + z, each step rounded; replicated.
# test assemble, roundtrip, reference, kernels

!!FP1.0
MOVR R1, f[TEX1];
DP3R o[COLR], f[TEX0], R1;
END

# run: f[TEX0]=1,2,3,4 f[TEX1]=5,6,7,8 -> o[COLR]=38,38,38,38
# run: f[TEX0]=1,-1,33554432,-33554432 f[TEX1]=1,1,1,1 -> o[COLR]=33554432,33554432,33554432,33554432
# run: f[TEX0]=16777216,1,1,1 f[TEX1]=1,1,1,1 -> o[COLR]=16777216,16777216,16777216,16777216
# run: f[TEX0]=0.1,0.2,0.3,0.4 f[TEX1]=0.7,-0.6,0.5,-0.4 -> o[COLR]=0.1,0.1,0.1,0.1
# run: f[TEX0]=0x7f800000,1,1,0x7f800000 f[TEX1]=1,1,1,-1 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=1,0,2,0x7fc00001 f[TEX1]=1,0x7f800000,1,1 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0x7149f2ca,0x7149f2ca,1,0 f[TEX1]=0x501502f9,0xd01502f9,1,0x7f800000 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0x4e800000,0xce800000,0.125,1 f[TEX1]=1,1,1,-0.125 -> o[COLR]=0.125,0.125,0.125,0.125
