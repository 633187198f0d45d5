# The magnitude of each source; the sign comes last.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x06000040;
    MOVR R1, f[TEX1];
    MOVR R5, f[TEX2];
    MADR R0, |f[TEX0]|, R1, R5;
    MADR R2, f[TEX0], |R1|, R5;
    MADR R3, f[TEX0], R1, |R5|;
    MOVR R4, -|f[TEX0]|;
END

# run: f[TEX0]=-1,2,-3,0.5 f[TEX1]=-2,-3,4,5 f[TEX2]=-4,7,-8,-9 -> R0=-6,1,4,-6.5 R2=-6,13,-20,-6.5 R3=6,1,-4,11.5 R4=-1,-2,-3,-0.5
