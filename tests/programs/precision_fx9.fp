# Operations at precision 9: -1..255/256 in steps of 1/256.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    ADD9 R0, f[TEX0], {0, 0, 0, 0};
    MUL9 R2, f[TEX0], {3, 3, 3, 3};
END

# run: f[TEX0]=1,0.1,-0.3,1.0004 -> R0=0x3f7f0000,0.1015625,0xbe9a0000,0x3f7f0000 R2=0x3f7f0000,0x3e9a0000,0xbf660000,0x3f7f0000
# run: f[TEX0]=3.14159,-2.5,70000,-70000 -> R0=0x3f7f0000,-1,0x3f7f0000,-1 R2=0x3f7f0000,-1,0x3f7f0000,-1
# run: f[TEX0]=0.000001,0x3380d959,0x33000000,0xb089705f -> R0=0,0,0,0 R2=0,0,0,0
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,1.99999 -> R0=0x3f7f0000,-1,0,0x3f7f0000 R2=0x3f7f0000,-1,0,0x3f7f0000
# run: f[TEX0]=2,-2,0x3a000000,0x3ac00000 -> R0=0x3f7f0000,-1,0,0 R2=0x3f7f0000,-1,0,0x3b800000
