# UP2H: (x, y, x, y).
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    UP2H R0, f[TEX0];
END

# run: f[TEX0]=0,0,0,0 -> R0=0,0,0,0
# run: f[TEX0]=0xffffffff,0,0,0 -> R0=0x7fffffff,0x7fffffff,0x7fffffff,0x7fffffff
# run: f[TEX0]=0x80ff7f01,0,0,0 -> R0=0x7fffffff,0xb77f0000,0x7fffffff,0xb77f0000
# run: f[TEX0]=0x12345678,0,0,0 -> R0=103.5,0x3a468000,103.5,0x3a468000
# run: f[TEX0]=1,0,0,0 -> R0=0,1.875,0,1.875
# run: f[TEX0]=0x7fc01234,0,0,0 -> R0=0x3a468000,0x7fffffff,0x3a468000,0x7fffffff
# run: f[TEX0]=0x7c00fc00,0,0,0 -> R0=0xff800000,0x7f800000,0xff800000,0x7f800000
# run: f[TEX0]=0x00018001,0,0,0 -> R0=0xb3800000,0x33800000,0xb3800000,0x33800000
# run: f[TEX0]=0x7e013c00,0,0,0 -> R0=1,0x7fffffff,1,0x7fffffff
