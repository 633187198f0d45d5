!!ARBfp1.0
# The floor fades into the haze with the square of the distance.
PARAM haze = { 0.80, 0.84, 0.88, 1 };
PARAM thinness = { 0.0011, 0, 0, 1 };
TEMP tile, far;
TEX tile, fragment.texcoord[0], texture[0], 2D;
DP3 far.x, fragment.texcoord[1], fragment.texcoord[1];
MUL far.x, far.x, -thinness.x;
EX2 far.x, far.x;
LRP result.color, far.x, tile, haze;
END
