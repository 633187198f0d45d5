!!ARBfp1.0
PARAM per_pixel = program.local[0];
PARAM numbers = { 0.55, 1.7, 0, 1 };
TEMP caustic, second, color, water, place, sand;
TEX caustic, fragment.texcoord[0], texture[0], 2D;
TEX second, fragment.texcoord[1], texture[0], 2D;
TEX sand, fragment.texcoord[2], texture[2], 2D;
MUL place, fragment.position, per_pixel;
TEX water, place, texture[1], 2D;
MUL caustic.x, caustic.x, second.x;
MAD caustic.x, caustic.x, numbers.y, numbers.x;
MAD color, fragment.color.secondary, caustic.x, fragment.color;
MUL color, color, sand;
LRP result.color.xyz, fragment.color.w, color, water;
MOV result.color.w, numbers.w;
END
