!!ARBfp1.0
OPTION NV_fragment_program2;
# The mirror image of the direction to the eye (RFL), a lookup along it, and more of it where the surface is seen flat.
PARAM metal = { 0.95, 0.84, 0.62, 1 };
TEMP normal, view, mirror, sky, edge;
NRM normal.xyz, fragment.texcoord[0];
NRM view.xyz, fragment.texcoord[1];
RFL mirror.xyz, normal, view;
TEX sky, mirror, texture[0], CUBE;
# 1 − n·v to the fifth power (Schlick).
DP3_SAT edge.x, normal, view;
ADD edge.x, 1, -edge.x;
MUL edge.y, edge.x, edge.x;
MUL edge.y, edge.y, edge.y;
MUL edge.x, edge.x, edge.y;
LRP edge.xyz, edge.x, 1, metal;
MUL result.color.xyz, sky, edge;
MOV result.color.w, 1;
END
