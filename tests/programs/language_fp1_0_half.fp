# !!FP1.0 with a half colour, KIL and packing through a register.
# test assemble, roundtrip, reference, kernels

!!FP1.0
PK4UB R0, f[TEX0];
UP4UB R1, R0.x;
MOVHC H0, f[TEX1];
KIL LT.x;
MOVH o[COLH], R1;
END

# run: f[TEX0]=1,0,2,-1 f[TEX1]=1,0,0,0 -> o[COLH]=1,0,1,0
# run: f[TEX1]=-1,0,0,0 -> discarded
