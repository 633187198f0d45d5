# Lookups without textures in a branch, in a loop, and of every unit number.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVRC RC, f[TEX0];
    MOVR R0, f[TEX1];
    IF GT.x;
    TEX R0.xyz, f[TEX0], TEX15;
    ENDIF;
    REP {2, 0, 0};
    TXB R2, R0, TEX7;
    ADDR R0.y, R0, R2.w;
    ENDREP;
    TXL R3 (GT.x), R0, TEX0;
END

# run: f[TEX0]=1,2,3,4 f[TEX1]=5,6,7,8 -> R0=0,2,0,8 R2=0,0,0,1 R3=0,0,0,1
# run: f[TEX0]=-1,2,3,4 f[TEX1]=5,6,7,8 -> R0=5,8,7,8 R2=0,0,0,1 R3=0,0,0,0
