!!ARBfp1.0
# A bell curve of nine pixels in one direction, from five lookups: each of the outer ones lies between two pixels, where
# the filter weighs them as the curve does.
PARAM step = program.local[0];
PARAM offset = { 1.384615, 3.230769, 0, 0 };
PARAM weight = { 0.227027, 0.316216, 0.070270, 0 };
TEMP place, sum, next;
TEX sum, fragment.texcoord[0], texture[0], 2D;
MUL sum, sum, weight.x;
MAD place, step, offset.x, fragment.texcoord[0];
TEX next, place, texture[0], 2D;
MAD sum, next, weight.y, sum;
MAD place, step, -offset.x, fragment.texcoord[0];
TEX next, place, texture[0], 2D;
MAD sum, next, weight.y, sum;
MAD place, step, offset.y, fragment.texcoord[0];
TEX next, place, texture[0], 2D;
MAD sum, next, weight.z, sum;
MAD place, step, -offset.y, fragment.texcoord[0];
TEX next, place, texture[0], 2D;
MAD result.color, next, weight.z, sum;
END
