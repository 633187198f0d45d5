!!ARBfp1.0
OPTION NV_fragment_program2;
# The texture coordinate runs from 0 to 1 across the point. A soft disc, white in its middle.
PARAM numbers = { 2, -1, 1, 0.4 };
TEMP place, soft;
MAD place.xy, fragment.texcoord[0], numbers.x, numbers.y;
DP2 soft.x, place, place;
ADD_SAT soft.x, numbers.z, -soft.x;
MUL soft.x, soft.x, soft.x;
MUL soft.y, soft.x, soft.x;
MUL soft.y, soft.y, soft.x;
MUL soft.y, soft.y, numbers.w;
MUL place, fragment.color, soft.x;
MAD result.color, fragment.color.w, soft.y, place;
END
