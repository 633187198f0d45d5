# DIV: each component times the reciprocal of the scalar.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
OPTION NV_fragment_program2;
DIVR result.color, fragment.texcoord[0], fragment.texcoord[1].z;
END

# run: f[TEX0]=1,2,3,4 f[TEX1]=0,0,2,0 -> result.color=0.5,1,1.5,2
# run: f[TEX0]=1,-2,0.3,0 f[TEX1]=0,0,3,0 -> result.color=0x3eaaaaab,0xbf2aaaab,0x3dccccce,0
# run: f[TEX0]=1,-2,0,5 f[TEX1]=0,0,0,0 -> result.color=0x7f800000,0xff800000,0x7fffffff,0x7f800000
# run: f[TEX0]=0x0da24260,0x7149f2ca,-7,1 f[TEX1]=0,0,0x501502f9,0 -> result.color=0,0x60ad78ec,0xb0406a1f,0x2edbe6ff
# run: f[TEX0]=1,2,3,4 f[TEX1]=0,0,0.7,0 -> result.color=0x3fb6db6e,0x4036db6e,0x40892492,0x40b6db6e
