# !!FP1.0: defined and declared numbers, parameters, precisions, conditions, depth.
# test assemble, roundtrip, reference, kernels

!!FP1.0
DEFINE half = 0.5;
DECLARE offset = {1, -2, 3, -4};
MULX_SAT H1.xyz, f[COL0], half;
ADDRC R1, f[TEX1], offset;
MOVR R2, p[3];
MOVR R2 (LT), -|R1|;
MADR o[COLR], R2, H1, R1;
MOVR o[DEPR].z, R1;
END

# run: f[COL0]=1,0.5,3,0 f[TEX1]=1,1,1,1 p[3]=4,5,6,7 -> o[COLR]=4,-1.25,10,-3 o[DEPR]=0,0,4,0
# run: f[COL0]=1,0.5,3,0 f[TEX1]=1,1,1,1 p[3]=4,5,6,7 offset=0,0,0,0 -> o[COLR]=3,2.25,7,1 o[DEPR]=0,0,1,0
