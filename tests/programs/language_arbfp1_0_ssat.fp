# _SAT and _SSAT of the ARB language with the second option.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
OPTION NV_fragment_program2;
ADD_SSAT result.color.xy, fragment.texcoord[0], fragment.texcoord[0];
ADD_SAT result.color.zw, fragment.texcoord[0], fragment.texcoord[0];
END

# run: f[TEX0]=1,-1,1,-1 -> result.color=1,-1,1,0
# run: f[TEX0]=0.25,-0.25,0.25,-0.25 -> result.color=0.5,-0.5,0.5,0
# run: f[TEX0]=0.5,-0.5,0.5,0 -> result.color=1,-1,1,0
