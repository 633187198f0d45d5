# _SAT clamps to 0..1; NaN gives 0; a scale comes before it.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR_SAT R0, f[TEX0];
    ADDR_x2_SAT R2, f[TEX0], f[TEX0];
    MOVRC_SAT RC, f[TEX0];
    MOVR R3 (GT), {1, 1, 1, 1};
END

# run: f[TEX0]=2,-1,0.25,0.75 -> R0=1,0,0.25,0.75 R2=1,0,1,1 R3=1,0,1,1
# run: f[TEX0]=0.5,0x80000000,1,0x0da24260 -> R0=0.5,0,1,0x0da24260 R2=1,0,1,0x0ea24260 R3=1,0,1,1
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0.3 -> R0=1,0,0,0.3 R2=1,0,0,1 R3=1,0,0,1
