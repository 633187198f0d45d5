!!ARBfp1.0
OPTION NV_fragment_program2;
# A lamp, light from the sky, and a highlight.
PARAM light = program.local[0];
PARAM sky = { 0.30, 0.34, 0.42, 1 };
PARAM earth = { 0.16, 0.15, 0.10, 1 };
PARAM numbers = { 0.5, 40, 0.55, 1 };
TEMP normal, view, half, c, color, ambient;
NRM normal.xyz, fragment.texcoord[0];
NRM view.xyz, fragment.texcoord[1];
ADD half.xyz, view, light;
NRM half.xyz, half;
DP3 c.x, normal, light;
DP3 c.y, normal, half;
MOV c.w, numbers.y;
LIT c, c;
MAD ambient.w, normal.y, numbers.x, numbers.x;
LRP ambient.xyz, ambient.w, sky, earth;
MAD ambient.xyz, c.y, { 0.95, 0.90, 0.80 }, ambient;
MUL color.xyz, fragment.color, ambient;
MAD result.color.xyz, c.z, numbers.z, color;
MOV result.color.w, 1;
END
