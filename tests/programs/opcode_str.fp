# STR sets 1.
# test assemble, roundtrip, reference, kernels

!!FP1.0
STRR o[COLR].yz, f[TEX0], f[TEX0];
END

# run: f[TEX0]=5,6,7,8 -> o[COLR]=0,1,1,0
