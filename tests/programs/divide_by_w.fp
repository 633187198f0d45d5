# A coordinate times w of the position, which is 1/w.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x05000040;
    MOVR R0, f[TEX0]/w;
    ADDR R2, f[TEX0], -f[TEX0];
    MULR R3, f[TEX0]/w, f[TEX0]/w;
    MOVR R4, f[COL0]/w;
END

# run: f[TEX0]=1,2,3,4 f[WPOS]=10,20,0.5,0.25 f[COL0]=1,0.5,0,1 -> R0=0.25,0.5,0.75,1 R2=0,0,0,0 R3=0.0625,0.25,0.5625,1 R4=1,0.5,0,1
