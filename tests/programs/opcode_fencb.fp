# FENCB has no effect.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR R0, f[TEX0];
    FENCB;
    ADDR R0, R0, f[TEX0];
END

# run: f[TEX0]=1,2,3,4 -> R0=2,4,6,8
