!!ARBfp1.0
PARAM haze = { 0.73, 0.79, 0.84, 1 };
PARAM thinness = { 0.0035, 0, 0, 1 };
TEMP grass, far;
TEX grass, fragment.texcoord[0], texture[0], 2D;
DP3 far.x, fragment.texcoord[1], fragment.texcoord[1];
MUL far.x, far.x, -thinness.x;
EX2 far.x, far.x;
LRP result.color, far.x, grass, haze;
END
