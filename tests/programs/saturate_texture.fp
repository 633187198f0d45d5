# _SAT and scales of a lookup without a texture.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    TEX_bx2_x2_SAT R0, f[TEX0], TEX1;
    TEX_d2 R2, f[TEX0], TEX1;
END

# run: f[TEX0]=1,2,3,4 -> R0=0,0,0,1 R2=0,0,0,0.5
