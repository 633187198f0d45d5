# Scale _d2 of a result, before saturation and rounding.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR_d2 R0, f[TEX0];
    ADDX_d2 R2, f[TEX0], f[TEX0];
    ADDR_d2_SAT R3, f[TEX0], f[TEX0];
END

# run: f[TEX0]=1,-0.5,0.1,0.0625 -> R0=0.5,-0.25,0.05,0.03125 R2=1,-0.5,0x3dcc0000,0.0625 R3=1,0,0.1,0.0625
# run: f[TEX0]=100,-3,0.001,0.375 -> R0=50,-1.5,0.0005,0.1875 R2=1.9990234,-2,0x3a800000,0.375 R3=1,0,0.001,0.375
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0x7f167699 -> R0=0x7f800000,0xff800000,0x7fffffff,0x7e967699 R2=1.9990234,-2,0,1.9990234 R3=1,0,0,1
