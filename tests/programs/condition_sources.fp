# FP1.0: RC and HC as destinations, updates of both sizes.
# test assemble, roundtrip, reference, kernels

!!FP1.0
MOVRC RC, f[TEX0];
MOVR R1, f[TEX1];
MOVR R1 (GT), -f[TEX1];
MULHC HC.xy, f[TEX0], f[TEX0];
MOVR o[COLR], R1;
ADDR o[COLR] (EQ), R1, R1;
END

# run: f[TEX0]=-1,0.00001,0,3 f[TEX1]=5,6,7,8 -> o[COLR]=5,-12,14,-8
