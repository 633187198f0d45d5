!!ARBfp1.0
OPTION NV_fragment_program2;
# The first light: a little from above, and what glows by itself.
PARAM weak = { 0.22, 0.24, 0.32, 0.5 };
TEMP paint, normal, glow;
TEX paint, fragment.texcoord[0], texture[0], 2D;
TEX normal, fragment.texcoord[0], texture[1], 2D;
TEX glow, fragment.texcoord[0], texture[3], 2D;
MAD normal.w, normal.y, weak.w, weak.w;
MUL normal.xyz, weak, normal.w;
# What glows (w = 1) has no paint.
ADD glow.w, { 1 }.x, -glow.w;
MUL normal.xyz, normal, glow.w;
MAD result.color.xyz, paint, normal, glow;
MOV result.color.w, { 1 }.x;
END
