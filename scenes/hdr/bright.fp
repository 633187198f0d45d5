!!ARBfp1.0
# What lies above 1.5: the mean of four lookups, each between four pixels, is that of sixteen pixels.
PARAM step = program.local[0];
PARAM numbers = { 0.25, -1.5, 0, 1 };
TEMP place, sum, next;
MAD place, step, { -0.25, -0.25, 0, 0 }, fragment.texcoord[0];
TEX sum, place, texture[0], 2D;
MAD place, step, { 0.25, -0.25, 0, 0 }, fragment.texcoord[0];
TEX next, place, texture[0], 2D;
ADD sum, sum, next;
MAD place, step, { -0.25, 0.25, 0, 0 }, fragment.texcoord[0];
TEX next, place, texture[0], 2D;
ADD sum, sum, next;
MAD place, step, { 0.25, 0.25, 0, 0 }, fragment.texcoord[0];
TEX next, place, texture[0], 2D;
ADD sum, sum, next;
MAD sum, sum, numbers.x, numbers.y;
MAX result.color.xyz, sum, numbers.z;
MOV result.color.w, numbers.w;
END
