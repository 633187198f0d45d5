# Operations at precision H: half float, to nearest even, denormals kept.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    ADDH R0, f[TEX0], {0, 0, 0, 0};
    MULH R2, f[TEX0], {3, 3, 3, 3};
END

# run: f[TEX0]=1,0.1,-0.3,1.0004 -> R0=1,0x3dccc000,0xbe99a000,1 R2=3,0x3e99a000,0xbf666000,3.0019531
# run: f[TEX0]=3.14159,-2.5,70000,-70000 -> R0=3.140625,-2.5,0x7f800000,0xff800000 R2=9.421875,-7.5,0x7f800000,0xff800000
# run: f[TEX0]=0.000001,0x3380d959,0x33000000,0xb089705f -> R0=0x35880000,0x33800000,0,0x80000000 R2=0x36480000,0x34400000,0x34000000,0x80000000
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,1.99999 -> R0=0x7f800000,0xff800000,0x7fffffff,2 R2=0x7f800000,0xff800000,0x7fffffff,6
# run: f[TEX0]=2,-2,0x3a000000,0x3ac00000 -> R0=2,-2,0x3a000000,0x3ac00000 R2=6,-6,0x3ac00000,0x3b900000
