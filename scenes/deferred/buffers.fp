!!ARBfp1.0
OPTION NV_fragment_program2;
OPTION ARB_draw_buffers;
# Writes what lamps will have to know: four colours of sixteen-bit floats.
PARAM surface = program.local[0]; # strength and exponent of highlights
PARAM glow = program.local[1];
PARAM haze = { 0.085, 0.095, 0.145, 0.02 };
TEMP paint, normal, far;
TEX paint, fragment.texcoord[0], texture[0], 2D;
NRM normal.xyz, fragment.texcoord[1];
# Far away, paint gives way to the colour of the sky.
DP3 far.x, fragment.texcoord[2], fragment.texcoord[2];
MUL far.x, far.x, -haze.w;
EX2 far.x, far.x;
MUL result.color[0].xyz, paint, far.x;
MUL result.color[0].w, surface.x, far.x;
MOV result.color[1].xyz, normal;
MOV result.color[1].w, surface.y;
MOV result.color[2], fragment.texcoord[2];
ADD far.y, { 1 }.x, -far.x;
MAD result.color[3].xyz, haze, far.y, glow;
MOV result.color[3].w, glow.w;
END
