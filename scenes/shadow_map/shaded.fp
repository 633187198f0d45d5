!!ARBfp1.0
OPTION NV_fragment_program2;
OPTION ARB_fragment_program_shadow;
# Sun where nothing is before it, light from the sky, and haze with the distance.
PARAM sun = program.local[0];
PARAM haze = program.local[1];
PARAM shine = program.local[2];
PARAM sunlight = { 1.22, 0.98, 0.62, 1 };
PARAM sky = { 0.34, 0.40, 0.54, 1 };
PARAM earth = { 0.22, 0.17, 0.13, 1 };
# One texel of the 512 by 512 depths, and a row of four such steps about the middle.
PARAM steps = { -0.0029296875, -0.0009765625, 0.0009765625, 0.0029296875 };
PARAM step = { 0.001953125, 0, 0, 0 };
PARAM four = { 4, 0, 0, 0 };
PARAM quarter = { 0.0625, 0.5, 60, -0.0012 };
TEMP place, lit, sum, normal, view, half, c, color, ambient;

# Sixteen lookups; each compares with four texels and mixes the answers by distance.
MOV sum, { 0, 0, 0, 0 };
MOV place, fragment.texcoord[2];
ADD place.y, place.y, steps.x;
REP four;
    ADD place.x, fragment.texcoord[2].x, steps.x;
    TEX lit, place, texture[0], SHADOW2D;
    ADD sum.x, sum.x, lit.x;
    ADD place.x, fragment.texcoord[2].x, steps.y;
    TEX lit, place, texture[0], SHADOW2D;
    ADD sum.x, sum.x, lit.x;
    ADD place.x, fragment.texcoord[2].x, steps.z;
    TEX lit, place, texture[0], SHADOW2D;
    ADD sum.x, sum.x, lit.x;
    ADD place.x, fragment.texcoord[2].x, steps.w;
    TEX lit, place, texture[0], SHADOW2D;
    ADD sum.x, sum.x, lit.x;
    ADD place.y, place.y, step.x;
ENDREP;

NRM normal.xyz, fragment.texcoord[0];
NRM view.xyz, fragment.texcoord[1];
ADD half.xyz, view, sun;
NRM half.xyz, half;
DP3 c.x, normal, sun;
DP3 c.y, normal, half;
MOV c.w, quarter.z;
LIT c, c;
MUL sum.x, sum.x, quarter.x;
MUL c.yz, c, sum.x;

TEX color, fragment.texcoord[3], texture[1], 2D;
MAD ambient.w, normal.y, quarter.y, quarter.y;
LRP ambient.xyz, ambient.w, sky, earth;
MAD ambient.xyz, c.y, sunlight, ambient;
MUL color.xyz, color, ambient;
MUL c.z, c.z, shine.x;
MAD color.xyz, c.z, sunlight, color;

DP3 view.w, fragment.texcoord[1], fragment.texcoord[1];
MUL view.w, view.w, quarter.w;
EX2 view.w, view.w;
LRP result.color.xyz, view.w, color, haze;
MOV result.color.w, { 1 }.x;
END
