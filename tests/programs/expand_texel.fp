# _bx2 expands a fetched texel, 2 v - 1.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    TEX_bx2 R0, f[TEX0], TEX0;
    TXP_bx2 R2.xw, f[TEX0], TEX15;
END

# run: f[TEX0]=1,2,3,4 -> R0=-1,-1,-1,1 R2=-1,0,0,1
