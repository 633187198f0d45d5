# Swizzles of registers, attributes and constants.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x05000040;
    MOVR R1, f[TEX1];
    MOVR R0, f[TEX0].wzyx;
    MADR R2, f[TEX0].yyxx, R1.zwzw, {10, 20, 30, 40}.xxxy;
    ADDR R3, f[TEX0].x, {10, 20, 30, 40}.w;
    RCPR R4, R1.y;
END

# run: f[TEX0]=1,2,3,4 f[TEX1]=5,8,7,6 -> R0=4,3,2,1 R2=24,22,17,26 R3=41,41,41,41 R4=0.125,0.125,0.125,0.125
