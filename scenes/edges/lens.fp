!!ARBfp1.0
OPTION NV_fragment_program2;
# The left half shows one picture, the right half the other. In each half a round lens enlarges a small circle, the
# mirror image of that in the other half.
PARAM shape = program.local[0];
PARAM rows = program.local[1];
# Middles of the lens and of what it enlarges, from the middle of the upper edge in heights of the picture.
PARAM lens = { 0.47, 0.79, 0, 0 };
PARAM source = { 0.298, 0.292, 0, 0 };
# The lens's radius, what it enlarges; half the width of its frame and of the frame around what it enlarges.
PARAM size = { 0.165, 0.18, 0.006, 0.003 };
PARAM frame = { 1.0, 0.99, 0.96, 1 };
PARAM half = { 0.5, 2, -1, 1 };
ATTRIB at = fragment.texcoord[0];
TEMP place, side, way, far, line, rough, smooth, color;

# −1 in the left half, 1 in the right half; places count from the line between them.
ADD place, at, -half.x;
SGE side.x, place.x, 0;
MAD side.x, side.x, half.y, half.z;
MUL place.x, |place.x|, shape.x;
MOV place.y, at.y;

# Distances from both middles, in heights.
ADD way, place, -lens;
DP2 far.x, way, way;
ADD rough, place, -source;
DP2 far.y, rough, rough;
RSQ far.z, far.x;
RCP far.x, far.z;
RSQ far.z, far.y;
RCP far.y, far.z;

# In the lens: what lies around the source, nearer together.
MAD way, way, size.y, source;
ADDC RC.x, far.x, -size.x;
MOV place.xy (LT.x), way;

# Back to texture coordinates.
RCP far.z, shape.x;
MUL place.x, place.x, far.z;
MAD place.x, place.x, side.x, half.x;
TEX rough, place, texture[0], 2D;
TEX smooth, place, texture[1], 2D;
CMP color, side.x, rough, smooth;

# Both frames and the line in the middle, each with soft edges of one pixel.
ADD line.x, far.x, -size.x;
MUL line.z, size.x, size.y;
ADD line.y, far.y, -line.z;
ADD line.z, at.x, -half.x;
MUL line.z, line.z, shape.x;
ADD line.x, size.z, -|line.x|;
ADD line.yz, size.w, -|line|;
MAD_SAT line.xyz, line, rows.x, half.x;
MAX line.x, line.x, line.y;
MAX line.x, line.x, line.z;
LRP result.color, line.x, frame, color;
END
