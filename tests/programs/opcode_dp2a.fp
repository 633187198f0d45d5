# DP2A: DP2 plus x of the third source.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
OPTION NV_fragment_program2;
DP2AR result.color, fragment.texcoord[0], fragment.texcoord[1], fragment.texcoord[2].y;
END

# run: f[TEX0]=1,2,3,4 f[TEX1]=5,6,7,8 f[TEX2]=0,0.75,0,0 -> result.color=17.75,17.75,17.75,17.75
# run: f[TEX0]=1,-1,33554432,-33554432 f[TEX1]=1,1,1,1 f[TEX2]=0,0.75,0,0 -> result.color=0.75,0.75,0.75,0.75
# run: f[TEX0]=16777216,1,1,1 f[TEX1]=1,1,1,1 f[TEX2]=0,0.75,0,0 -> result.color=16777216,16777216,16777216,16777216
# run: f[TEX0]=0.1,0.2,0.3,0.4 f[TEX1]=0.7,-0.6,0.5,-0.4 f[TEX2]=0,0.75,0,0 -> result.color=0.7,0.7,0.7,0.7
# run: f[TEX0]=0x7f800000,1,1,0x7f800000 f[TEX1]=1,1,1,-1 f[TEX2]=0,0.75,0,0 -> result.color=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=1,0,2,0x7fc00001 f[TEX1]=1,0x7f800000,1,1 f[TEX2]=0,0.75,0,0 -> result.color=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0x7149f2ca,0x7149f2ca,1,0 f[TEX1]=0x501502f9,0xd01502f9,1,0x7f800000 f[TEX2]=0,0.75,0,0 -> result.color=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0x4e800000,0xce800000,0.125,1 f[TEX1]=1,1,1,-0.125 f[TEX2]=0,0.75,0,0 -> result.color=0.75,0.75,0.75,0.75
