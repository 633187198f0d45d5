!!ARBfp1.0
# Shafts of light: two drifting layers of caustics, read by the direction from the sun, fainter further down.
PARAM shift = program.local[0];
PARAM strength = program.local[1];
TEMP direction, first, second, fade;
RCP direction.w, fragment.texcoord[1].y;
MUL direction.x, fragment.texcoord[1].x, direction.w;
MAD direction.y, direction.x, { 0.13 }.x, shift.x;
MOV direction.z, shift.z;
TEX first, direction.yzzz, texture[0], 2D;
MAD direction.y, direction.x, { -0.19 }.x, shift.y;
MOV direction.z, shift.w;
TEX second, direction.yzzz, texture[0], 2D;
MUL first.x, first.x, second.x;
ADD_SAT fade.x, fragment.texcoord[0].y, -strength.w;
MUL fade.x, fade.x, fade.x;
MUL first.x, first.x, fade.x;
MUL result.color, first.x, strength;
END
