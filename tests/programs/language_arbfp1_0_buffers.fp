# OPTION ARB_draw_buffers and a depth.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
OPTION ARB_draw_buffers;
OPTION NV_fragment_program;
MOV result.color[0], fragment.texcoord[0];
MOVR result.color[2], -fragment.texcoord[0];
ADD result.color[3].xy, fragment.texcoord[0], fragment.texcoord[0];
MOV result.depth.z, fragment.position.z;
END

# run: f[TEX0]=1,2,3,4 f[WPOS]=8,9,0.625,1 -> result.color[0]=1,2,3,4 result.color[2]=-1,-2,-3,-4 result.color[3]=2,4,0,0 result.depth=0,0,0.625,0
