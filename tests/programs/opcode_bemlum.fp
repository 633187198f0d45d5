# BEMLUM: s0 (s1.z s2.x + s2.y).
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR R1, f[TEX1];
    MOVR R2, f[TEX2];
    BEMLUM R0, f[TEX0], R1, R2;
END

# run: f[TEX0]=1,2,3,4 f[TEX1]=9,9,0.5,9 f[TEX2]=3,0.25,9,9 -> R0=1.75,3.5,5.25,7
