# UP2US: (x, y, x, y), each of 65535.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    UP2US R0, f[TEX0];
END

# run: f[TEX0]=0,0,0,0 -> R0=0,0,0,0
# run: f[TEX0]=0xffffffff,0,0,0 -> R0=1,1,1,1
# run: f[TEX0]=0x80ff7f01,0,0,0 -> R0=0x3efe02fe,0.5038987,0x3efe02fe,0.5038987
# run: f[TEX0]=0x12345678,0,0,0 -> R0=0.3377737,0x3d91a092,0.3377737,0x3d91a092
# run: f[TEX0]=1,0,0,0 -> R0=0,0x3e7e00fe,0,0x3e7e00fe
# run: f[TEX0]=0x7fc01234,0,0,0 -> R0=0x3d91a092,0x3eff8100,0x3d91a092,0x3eff8100
