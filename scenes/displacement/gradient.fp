!!ARBfp1.0
OPTION NV_fragment_program2;
# From the colour of the fog at the horizon to blue above; a glow around the sun.
PARAM light = program.local[0];
PARAM haze = state.fog.color;
PARAM zenith = { 0.30, 0.47, 0.70, 1 };
PARAM glow = { 0.16, 0.10, 0.03, 0 };
TEMP way, c, sky;
NRM way.xyz, fragment.texcoord[0];
MUL_SAT c.x, way.y, 2.4;
LRP sky, c.x, zenith, haze;
DP3_SAT c.y, way, light;
POW c.y, c.y, 6;
MAD result.color, c.y, glow, sky;
END
