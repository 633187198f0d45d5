# POW and SCS of ARB_fragment_program.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
POW result.color.z, fragment.texcoord[0].x, fragment.texcoord[0].y;
SCS result.color.xy, fragment.texcoord[0].x;
MOV result.color.w, 1;
END

# run: f[TEX0]=2,3,0,0 -> result.color=0xbed51133,0x3f68c7b6,8.000001,1
# run: f[TEX0]=0.5,0.5,0,0 -> result.color=0x3f60a93e,0.4794255,0.7071069,1
# run: f[TEX0]=1,-2,0,0 -> result.color=0.5403023,0x3f576aa4,1,1
# run: f[TEX0]=3,0.25,0,0 -> result.color=0xbf7d7024,0.14112,1.316074,1
