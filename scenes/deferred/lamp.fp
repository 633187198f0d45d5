!!ARBfp1.0
OPTION NV_fragment_program2;
# One lamp: reads what the first pass found in this pixel, and adds light that ends where the lamp's reach does.
PARAM lamp_place = program.local[0];
PARAM lamp_color = program.local[1];
PARAM eye = program.local[2];
PARAM reach = program.local[3];
TEMP paint, normal, place, ray, view, half, c;
TXP place, fragment.texcoord[0], texture[2], 2D;
ADD ray.xyz, lamp_place, -place;
# 1 at the lamp, 0 from its reach on; squared, so that it ends smoothly.
DP3 ray.w, ray, ray;
MUL c.x, reach.x, reach.x;
RCP c.x, c.x;
MAD_SAT ray.w, ray.w, -c.x, { 1 }.x;
MUL ray.w, ray.w, ray.w;
TXP paint, fragment.texcoord[0], texture[0], 2D;
TXP normal, fragment.texcoord[0], texture[1], 2D;
NRM ray.xyz, ray;
ADD view.xyz, eye, -place;
NRM view.xyz, view;
ADD half.xyz, ray, view;
NRM half.xyz, half;
DP3 c.x, normal, ray;
DP3 c.y, normal, half;
MOV c.w, normal.w;
LIT c, c;
MUL c.z, c.z, paint.w;
MAD paint.xyz, paint, c.y, c.z;
MUL paint.xyz, paint, ray.w;
MUL result.color.xyz, paint, lamp_color;
MOV result.color.w, { 1 }.x;
END
