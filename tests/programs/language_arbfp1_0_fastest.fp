# OPTION ARB_precision_hint_fastest: temporaries and results are half floats.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
OPTION ARB_precision_hint_fastest;
TEMP t;
MUL t, fragment.texcoord[0], fragment.texcoord[1];
ADD result.color, t, 1.0;
END

# run: f[TEX0]=1,0.1,-0.3,1.0004 f[TEX1]=3,3,3,3 -> result.color=4,1.2998047,0x3dcd0000,4
# run: f[TEX0]=3.14159,-2.5,70000,-70000 f[TEX1]=3,3,3,3 -> result.color=10.421875,-6.5,0x7f800000,0xff800000
# run: f[TEX0]=0.000001,0x3380d959,0x33000000,0xb089705f f[TEX1]=3,3,3,3 -> result.color=1,1,1,1
