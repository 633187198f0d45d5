# Scale _x4 of a result, before saturation and rounding.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR_x4 R0, f[TEX0];
    ADDX_x4 R2, f[TEX0], f[TEX0];
    ADDR_x4_SAT R3, f[TEX0], f[TEX0];
END

# run: f[TEX0]=1,-0.5,0.1,0.0625 -> R0=4,-2,0.4,0.25 R2=1.9990234,-2,0.7998047,0.5 R3=1,0,0.8,0.5
# run: f[TEX0]=100,-3,0.001,0.375 -> R0=400,-12,0.004,1.5 R2=1.9990234,-2,0.0078125,1.9990234 R3=1,0,0.008,1
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0x7f167699 -> R0=0x7f800000,0xff800000,0x7fffffff,0x7f800000 R2=1.9990234,-2,0,1.9990234 R3=1,0,0,1
