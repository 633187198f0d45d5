!!ARBfp1.0
OPTION NV_fragment_program2;
# Light of the fountain on the floor: less with the square of the distance.
PARAM light = { 0.42, 0.20, 0.11, 0 };
PARAM numbers = { 0.7, 0.9, 0, 0 };
TEMP near;
DP3 near.x, fragment.texcoord[1], fragment.texcoord[1];
MAD near.x, near.x, numbers.x, numbers.y;
RCP near.x, near.x;
MUL result.color, light, near.x;
END
