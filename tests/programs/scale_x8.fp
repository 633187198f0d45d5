# Scale _x8 of a result, before saturation and rounding.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR_x8 R0, f[TEX0];
    ADDX_x8 R2, f[TEX0], f[TEX0];
    ADDR_x8_SAT R3, f[TEX0], f[TEX0];
END

# run: f[TEX0]=1,-0.5,0.1,0.0625 -> R0=8,-4,0.8,0.5 R2=1.9990234,-2,1.5996094,1 R3=1,0,1,1
# run: f[TEX0]=100,-3,0.001,0.375 -> R0=800,-24,0.008,3 R2=1.9990234,-2,0.015625,1.9990234 R3=1,0,0.016,1
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0x7f167699 -> R0=0x7f800000,0xff800000,0x7fffffff,0x7f800000 R2=1.9990234,-2,0,1.9990234 R3=1,0,0,1
