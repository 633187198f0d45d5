!!ARBfp1.0
OPTION NV_fragment_program2;
# What shadows leave: the paint in weak light, weaker where a surface looks away from the eye.
PARAM paint = program.local[0];
PARAM weak = { 0.17, 0.175, 0.21, 1 };
TEMP normal, view, light;
NRM normal.xyz, fragment.texcoord[0];
NRM view.xyz, fragment.texcoord[2];
DP3_SAT light.x, normal, view;
MAD light.x, light.x, { 0.5 }.x, { 0.5 }.x;
MUL light.xyz, light.x, weak;
MUL result.color.xyz, light, paint;
MOV result.color.w, { 1 }.x;
END
