# LITEX2: (1, y, 2^w where y is positive, 1).
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    LITEX2R R0, f[TEX0];
END

# run: f[TEX0]=9,0.5,9,3 -> R0=1,0.5,8.000001,1
# run: f[TEX0]=9,-0.5,9,3 -> R0=1,-0.5,0,1
# run: f[TEX0]=9,0,9,3 -> R0=1,0,0,1
# run: f[TEX0]=9,2,9,-1.5 -> R0=1,2,0.3535534,1
