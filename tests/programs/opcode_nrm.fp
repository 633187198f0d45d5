# NRM: x, y, z over their length; NaN of a zero vector.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
OPTION NV_fragment_program2;
NRMR result.color.xyz, fragment.texcoord[0];
END

# run: f[TEX0]=4,0,0,9 -> result.color=1,0,0,0
# run: f[TEX0]=0,-2,0,9 -> result.color=0,-1,0,0
# run: f[TEX0]=1,2,3,9 -> result.color=0.2672612,0.5345224,0.8017836,0
# run: f[TEX0]=0.001,0.005,-0.002,1 -> result.color=0x3e3af4ba,0.9128708,0xbebaf4ba,0
# run: f[TEX0]=0,0,0,1 -> result.color=0x7fffffff,0x7fffffff,0x7fffffff,0
