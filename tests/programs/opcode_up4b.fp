# UP4B: (byte - 128)/127 of the word in x.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    UP4B R0, f[TEX0];
END

# run: f[TEX0]=0,0,0,0 -> R0=-1.007874,-1.007874,-1.007874,-1.007874
# run: f[TEX0]=0xffffffff,0,0,0 -> R0=1,1,1,1
# run: f[TEX0]=0x80ff7f01,0,0,0 -> R0=-1,0xbc010204,1,0
# run: f[TEX0]=0x12345678,0,0,0 -> R0=0xbd810204,0xbea952a5,0xbf193265,0xbf5dbb77
# run: f[TEX0]=1,0,0,0 -> R0=-1.007874,-1.007874,0,-0.511811
# run: f[TEX0]=0x7fc01234,0,0,0 -> R0=0xbf193265,0xbf5dbb77,0.503937,0xbc010204
