# RSQ ignores the sign. The last lines are 1/sqrt(x), within 2^-21.
# test assemble, roundtrip, reference, kernels

!!FP1.0
RSQR o[COLR], f[TEX0].w;
END

# run: f[TEX0]=0,0,0,1 -> o[COLR]=1,1,1,1
# run: f[TEX0]=0,0,0,2 -> o[COLR]=0x3f3504f3,0x3f3504f3,0x3f3504f3,0x3f3504f3
# run: f[TEX0]=0,0,0,3 -> o[COLR]=0.5773502,0.5773502,0.5773502,0.5773502
# run: f[TEX0]=0,0,0,-3 -> o[COLR]=0.5773502,0.5773502,0.5773502,0.5773502
# run: f[TEX0]=0,0,0,0.1 -> o[COLR]=3.1622775,3.1622775,3.1622775,3.1622775
# run: f[TEX0]=0,0,0,0.001 -> o[COLR]=31.622774,31.622774,31.622774,31.622774
# run: f[TEX0]=0,0,0,123456.79 -> o[COLR]=0x3b3a84cb,0x3b3a84cb,0x3b3a84cb,0x3b3a84cb
# run: f[TEX0]=0,0,0,1.9999999 -> o[COLR]=0x3f3504f3,0x3f3504f3,0x3f3504f3,0x3f3504f3
# run: f[TEX0]=0,0,0,1.0000001 -> o[COLR]=0.9999999,0.9999999,0.9999999,0.9999999
# run: f[TEX0]=0,0,0,4 -> o[COLR]=0.5,0.5,0.5,0.5
# run: f[TEX0]=0,0,0,0.25 -> o[COLR]=2,2,2,2
# run: f[TEX0]=0,0,0,8 -> o[COLR]=0x3eb504f3,0x3eb504f3,0x3eb504f3,0x3eb504f3
# run: f[TEX0]=0,0,0,0x006ce3ee -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,0x7f7fffff -> o[COLR]=0x1f800000,0x1f800000,0x1f800000,0x1f800000
# run: f[TEX0]=0,0,0,0 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,0x80000000 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,0x7f800000 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,0xff800000 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,0x7fc00001 -> o[COLR]=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0,0,0,0x00400000 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,0.7 -> o[COLR]=1.1952286,1.1952286,1.1952286,1.1952286 ~4ulp
# run: f[TEX0]=0,0,0,1.3 -> o[COLR]=0.877058,0.877058,0.877058,0.877058 ~4ulp
# run: f[TEX0]=0,0,0,2.9 -> o[COLR]=0.5872202,0.5872202,0.5872202,0.5872202 ~4ulp
