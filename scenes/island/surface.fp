!!ARBfp1.0
# A texture, and the sky behind the haze.
PARAM per_pixel = program.local[0];
TEMP texel, sky, place;
TEX texel, fragment.texcoord[0], texture[0], 2D;
MUL place, fragment.position, per_pixel;
TEX sky, place, texture[1], 2D;
MUL texel, texel, fragment.color;
LRP result.color.xyz, fragment.color.w, texel, sky;
MOV result.color.w, 1;
END
