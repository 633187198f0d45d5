# LIT, LRP, DST, EX2, LG2, FLR, FRC through the ARB language.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
TEMP t, u;
LIT t, fragment.texcoord[0];
DST u, fragment.texcoord[0], fragment.texcoord[1];
LRP t, 0.5, t, u;
EX2 u.x, fragment.texcoord[1].x;
LG2 u.y, fragment.texcoord[1].x;
FLR u.z, fragment.texcoord[1].y;
FRC u.w, fragment.texcoord[1].y;
ADD result.color, t, u;
END

# run: f[TEX0]=1,4,2,2 f[TEX1]=4,2.25,5,6 -> result.color=17.000002,7,11.000001,3.75
