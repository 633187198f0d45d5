# Scale _d8 of a result, before saturation and rounding.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR_d8 R0, f[TEX0];
    ADDX_d8 R2, f[TEX0], f[TEX0];
    ADDR_d8_SAT R3, f[TEX0], f[TEX0];
END

# run: f[TEX0]=1,-0.5,0.1,0.0625 -> R0=0.125,-0.0625,0.0125,0.0078125 R2=0.25,-0.125,0x3cd00000,0.015625 R3=0.25,0,0.025,0.015625
# run: f[TEX0]=100,-3,0.001,0.375 -> R0=12.5,-0.375,0.000125,0.046875 R2=1.9990234,-0.75,0,0.09375 R3=1,0,0.00025,0.09375
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0x7f167699 -> R0=0x7f800000,0xff800000,0x7fffffff,0x7d967699 R2=1.9990234,-2,0,1.9990234 R3=1,0,0,1
