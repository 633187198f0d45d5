# KIL of a vector: discarded where any component is below 0.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
KIL fragment.texcoord[0];
MOV result.color, fragment.color;
END

# run: f[TEX0]=0,0,0,0 f[COL0]=1,0.5,0.25,0 -> result.color=1,0.5,0.25,0
# run: f[TEX0]=1,1,1,-1 f[COL0]=1,0.5,0.25,0 -> discarded
# run: f[TEX0]=1,0x80000000,1,1 f[COL0]=1,0.5,0.25,0 -> result.color=1,0.5,0.25,0
# run: f[TEX0]=1,0x8da24260,1,1 f[COL0]=1,0.5,0.25,0 -> discarded
