# SFL sets 0.
# test assemble, roundtrip, reference, kernels

!!FP1.0
MOVR o[COLR], f[TEX0];
SFLR o[COLR].yz, f[TEX0], f[TEX0];
END

# run: f[TEX0]=5,6,7,8 -> o[COLR]=5,0,0,8
