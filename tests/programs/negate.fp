# The sign of each source; -0 and NaN keep the other bits.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x06000040;
    MOVR R1, f[TEX1];
    MOVR R5, f[TEX2];
    MADR R0, -f[TEX0], R1, R5;
    MADR R2, f[TEX0], -R1, R5;
    MADR R3, f[TEX0], R1, -R5;
    MOVR R4, -f[TEX0];
END

# run: f[TEX0]=1,2,-3,0.5 f[TEX1]=2,-3,4,5 f[TEX2]=4,7,-8,-9 -> R0=2,13,4,-11.5 R2=2,13,4,-11.5 R3=-2,-13,-4,11.5 R4=-1,-2,3,-0.5
# run: f[TEX0]=0x7fc00001,0xff800000,0,1 -> R4=0xffc00001,0x7f800000,0x80000000,-1
