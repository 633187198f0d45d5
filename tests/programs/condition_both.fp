# Both registers hold their own codes; at the start all are equal.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x05000040;
    MOVR R0 (EQ), {1, 2, 3, 4};
    ADDR R0 (EQ1), R0, {10, 10, 10, 10};
    MOVRC RC, f[TEX0];
    MOVRC1 RC, -f[TEX0];
    MOVR R2 (LT), {5, 6, 7, 8};
    MOVR R3 (LT1), {5, 6, 7, 8};
    MOVR R4 (GT.wzyx), {5, 6, 7, 8};
END

# run: f[TEX0]=-1,0,1,-2 -> R0=11,12,13,14 R2=5,0,0,8 R3=0,0,7,0 R4=0,6,0,0
