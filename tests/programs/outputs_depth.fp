# Four colours and the depth in R1.z.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x0500004e;
    MOVR R0, f[TEX0];
    MOVR R2, f[TEX1];
    MOVR R3, f[TEX2];
    MOVR R4, f[TEX3];
    MOVR R1.z, f[TEX4].x;
END

# run: f[TEX0]=0.5,0,0,0 f[TEX1]=1.5,2,3,4 f[TEX2]=2.5,4,6,8 f[TEX3]=3.5,6,9,12 f[TEX4]=4.5,8,12,16 -> R0=0.5,0,0,0 R2=1.5,2,3,4 R3=2.5,4,6,8 R4=3.5,6,9,12 o[DEPR]=0,0,4.5,0
