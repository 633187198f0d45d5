!!ARBfp1.0
OPTION NV_fragment_program2;
# Diffuse light and a highlight of one lamp, weaker with the square of the distance. Nothing is clamped.
PARAM paint = program.local[0]; # w: strength of the highlight
PARAM light = program.local[1];
PARAM lamp = program.local[2];
PARAM eye = program.local[3];
TEMP normal, ray, view, half, c, color;
NRM normal.xyz, fragment.texcoord[0];
ADD ray.xyz, lamp, -fragment.texcoord[1];
DP3 ray.w, ray, ray;
RCP ray.w, ray.w;
NRM ray.xyz, ray;
ADD view.xyz, eye, -fragment.texcoord[1];
NRM view.xyz, view;
ADD half.xyz, ray, view;
NRM half.xyz, half;
DP3 c.x, normal, ray;
DP3 c.y, normal, half;
MOV c.w, { 90 }.x;
LIT c, c;
MUL color.xyz, paint, c.y;
MAD color.xyz, paint.w, c.z, color;
MUL color.xyz, color, ray.w;
MUL result.color.xyz, color, light;
MOV result.color.w, { 1 }.x;
END
