# Scale _x2 of a result, before saturation and rounding.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR_x2 R0, f[TEX0];
    ADDX_x2 R2, f[TEX0], f[TEX0];
    ADDR_x2_SAT R3, f[TEX0], f[TEX0];
END

# run: f[TEX0]=1,-0.5,0.1,0.0625 -> R0=2,-1,0.2,0.125 R2=1.9990234,-2,0x3ecd0000,0.25 R3=1,0,0.4,0.25
# run: f[TEX0]=100,-3,0.001,0.375 -> R0=200,-6,0.002,0.75 R2=1.9990234,-2,0x3b800000,1.5 R3=1,0,0.004,1
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0x7f167699 -> R0=0x7f800000,0xff800000,0x7fffffff,0x7f800000 R2=1.9990234,-2,0,1.9990234 R3=1,0,0,1
