!!ARBfp1.0
OPTION NV_fragment_program2;
# The sun and the sky; what is far fades into the air.
PARAM light = program.local[0];
PARAM air = { 0.94, 0.90, 0.84, 1 };
PARAM sun = { 0.66, 0.60, 0.50, 0 };
PARAM sky = { 0.48, 0.51, 0.56, 0 };
PARAM numbers = { 0.25, 0.75, 0.0012, 0 };
TEMP normal, c, color;
NRM normal.xyz, fragment.texcoord[0];
DP3_SAT c.x, normal, light;
MAD c.y, normal.y, numbers.x, numbers.y;
MUL color.xyz, sky, c.y;
MAD color.xyz, sun, c.x, color;
MUL color.xyz, color, fragment.color;
DP3 c.z, fragment.texcoord[1], fragment.texcoord[1];
MUL c.z, c.z, -numbers.z;
EX2 c.z, c.z;
LRP result.color.xyz, c.z, color, air;
MOV result.color.w, 1;
END
