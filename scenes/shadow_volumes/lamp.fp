!!ARBfp1.0
OPTION NV_fragment_program2;
# Diffuse light and a highlight of one lamp, weaker with the square of the distance.
PARAM paint = program.local[0]; # w: strength of the highlight
PARAM light = program.local[1];
TEMP normal, ray, view, half, c, color;
NRM normal.xyz, fragment.texcoord[0];
NRM ray.xyz, fragment.texcoord[1];
NRM view.xyz, fragment.texcoord[2];
ADD half.xyz, ray, view;
NRM half.xyz, half;
DP3 c.x, normal, ray;
DP3 c.y, normal, half;
MOV c.w, { 50 }.x;
LIT c, c;
MUL color.xyz, paint, c.y;
MAD color.xyz, paint.w, c.z, color;
DP3 c.x, fragment.texcoord[1], fragment.texcoord[1];
RCP c.x, c.x;
MUL color.xyz, color, c.x;
MUL result.color.xyz, color, light;
MOV result.color.w, { 1 }.x;
END
