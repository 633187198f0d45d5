# UP4UB: byte/255.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    UP4UB R0, f[TEX0];
END

# run: f[TEX0]=0,0,0,0 -> R0=0,0,0,0
# run: f[TEX0]=0xffffffff,0,0,0 -> R0=1,1,1,1
# run: f[TEX0]=0x80ff7f01,0,0,0 -> R0=0x3b808081,0x3efefeff,1,0.5019608
# run: f[TEX0]=0x12345678,0,0,0 -> R0=0x3ef0f0f1,0.3372549,0x3e50d0d1,0x3d909091
# run: f[TEX0]=1,0,0,0 -> R0=0,0,0.5019608,0x3e7cfcfd
# run: f[TEX0]=0x7fc01234,0,0,0 -> R0=0x3e50d0d1,0x3d909091,0.7529412,0x3efefeff
