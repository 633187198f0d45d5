!!ARBfp1.0
# Haze at the horizon, blue above it; texture coordinates count from the upper edge.
PARAM haze = program.local[0];
PARAM zenith = { 0.35, 0.47, 0.66, 1 };
TEMP height;
MUL_SAT height.x, fragment.texcoord[0].y, { 5.5 }.x;
LRP result.color, height.x, haze, zenith;
END
