# Suffixes R, H and X into registers of both sizes.
# test assemble, roundtrip, reference, kernels

!!FP1.0
ADDH R1, f[TEX0], f[TEX0];
ADDX R2, f[TEX0], f[TEX0];
ADDR H0, f[TEX0], f[TEX0];
SUBR R1, R1, H0;
MADR o[COLR], R1, {1024, 1024, 1024, 1024}, R2;
END

# run: f[TEX0]=1,0.1,-0.3,1.0004 -> o[COLR]=1.9990234,0x3e4d0000,0xbf198000,1.9990234
# run: f[TEX0]=3.14159,-2.5,70000,-70000 -> o[COLR]=1.9990234,-2,0x7fffffff,0x7fffffff
# run: f[TEX0]=0.000001,0x3380d959,0x33000000,0xb089705f -> o[COLR]=0,0,0,0
