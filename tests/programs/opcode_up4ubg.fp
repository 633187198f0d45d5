# UP4UBG: bytes on the sRGB curve in linear light, through ADD, MUL and POW: within 32 units.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    UP4UBG R0, f[TEX0];
END

# run: f[TEX0]=0,0,0,0 -> R0=0,0,0,0 ~32ulp
# run: f[TEX0]=0xffffffff,0,0,0 -> R0=1,1,1,1 ~32ulp
# run: f[TEX0]=0x80ff7f01,0,0,0 -> R0=0x399f22b4,0x3e595305,1,0.2158605 ~32ulp
# run: f[TEX0]=0x12345678,0,0,0 -> R0=0x3e405417,0x3dbe95b3,0x3d0ca7e6,0x3bc6354a ~32ulp
# run: f[TEX0]=1,0,0,0 -> R0=0,0,0.2158605,0x3d4b991d ~32ulp
# run: f[TEX0]=0x7fc01234,0,0,0 -> R0=0x3d0ca7e6,0x3bc6354a,0.5271151,0x3e595305 ~32ulp
