# UP reads the first component of its swizzled source; PK swizzles before it packs.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    UP4UB R0, f[TEX0].z;
    UP2H R2.yz, f[TEX0].w;
    PK2US R3.x, f[TEX1].zwzw;
    PK4UB R3.y, -f[TEX1].wzyx;
END

# run: f[TEX0]=0,0,0xff008001,-512.9375 f[TEX1]=-1,-0.5,0.5,1 -> R0=0x3b808081,0.5019608,0,1 R2=0,-4,1,0 R3=0xffff8000,0xff800000,0,0
