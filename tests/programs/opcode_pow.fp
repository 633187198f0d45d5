# POW: 2^(y log2 x), but 1 where the exponent is 0.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    POWR R0, f[TEX0].x, f[TEX0].y;
END

# run: f[TEX0]=2,3,0,0 -> R0=8.000001,8.000001,8.000001,8.000001
# run: f[TEX0]=3,2,0,0 -> R0=9,9,9,9
# run: f[TEX0]=0.5,0.5,0,0 -> R0=0.7071069,0.7071069,0.7071069,0.7071069
# run: f[TEX0]=10,-2,0,0 -> R0=0x3c23d70b,0x3c23d70b,0x3c23d70b,0x3c23d70b
# run: f[TEX0]=0,2,0,0 -> R0=0,0,0,0
# run: f[TEX0]=7,0,0,0 -> R0=1,1,1,1
# run: f[TEX0]=0,0,0,0 -> R0=1,1,1,1
# run: f[TEX0]=-1,2,0,0 -> R0=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0.3,3.7,0,0 -> R0=0x3c3e71cf,0x3c3e71cf,0x3c3e71cf,0x3c3e71cf
