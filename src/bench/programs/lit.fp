!!ARBfp1.0
# Reads every result of lit.vp, so that its kernel computes all of them.
ADD result.color, fragment.color, fragment.texcoord[0];
END
