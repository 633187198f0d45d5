# COS of radians. The last lines are cos(x), within 2^-21 absolutely.
# test assemble, roundtrip, reference, kernels

!!FP1.0
COSR o[COLR], f[TEX0].w;
END

# run: f[TEX0]=0,0,0,0 -> o[COLR]=1,1,1,1
# run: f[TEX0]=0,0,0,0x80000000 -> o[COLR]=1,1,1,1
# run: f[TEX0]=0,0,0,1 -> o[COLR]=0.5403023,0.5403023,0.5403023,0.5403023
# run: f[TEX0]=0,0,0,-1 -> o[COLR]=0.5403023,0.5403023,0.5403023,0.5403023
# run: f[TEX0]=0,0,0,0.5 -> o[COLR]=0x3f60a93e,0x3f60a93e,0x3f60a93e,0x3f60a93e
# run: f[TEX0]=0,0,0,-0.5 -> o[COLR]=0x3f60a93e,0x3f60a93e,0x3f60a93e,0x3f60a93e
# run: f[TEX0]=0,0,0,3.1415927 -> o[COLR]=-1,-1,-1,-1
# run: f[TEX0]=0,0,0,0xc0490fdb -> o[COLR]=-1,-1,-1,-1
# run: f[TEX0]=0,0,0,1.5707964 -> o[COLR]=0xb4000000,0xb4000000,0xb4000000,0xb4000000
# run: f[TEX0]=0,0,0,6 -> o[COLR]=0.9601703,0.9601703,0.9601703,0.9601703
# run: f[TEX0]=0,0,0,-6 -> o[COLR]=0.9601703,0.9601703,0.9601703,0.9601703
# run: f[TEX0]=0,0,0,0.1 -> o[COLR]=0x3f7eb896,0x3f7eb896,0x3f7eb896,0x3f7eb896
# run: f[TEX0]=0,0,0,-0.01 -> o[COLR]=0.9999501,0.9999501,0.9999501,0.9999501
# run: f[TEX0]=0,0,0,100 -> o[COLR]=0x3f5cc0e7,0x3f5cc0e7,0x3f5cc0e7,0x3f5cc0e7
# run: f[TEX0]=0,0,0,-100 -> o[COLR]=0x3f5cc0e7,0x3f5cc0e7,0x3f5cc0e7,0x3f5cc0e7
# run: f[TEX0]=0,0,0,12345 -> o[COLR]=0x3de413af,0x3de413af,0x3de413af,0x3de413af
# run: f[TEX0]=0,0,0,0x2b8cbccc -> o[COLR]=1,1,1,1
# run: f[TEX0]=0,0,0,0x7f800000 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0xff800000 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0x7fc00001 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0.7 -> o[COLR]=0.7648422,0.7648422,0.7648422,0.7648422 ~16ulp
# run: f[TEX0]=0,0,0,1.3 -> o[COLR]=0x3e88f59d,0x3e88f59d,0x3e88f59d,0x3e88f59d ~16ulp
# run: f[TEX0]=0,0,0,2.9 -> o[COLR]=0xbf7890b7,0xbf7890b7,0xbf7890b7,0xbf7890b7 ~16ulp
