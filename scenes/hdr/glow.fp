!!ARBfp1.0
# The lamp itself: far brighter than white. A surface of sixteen-bit floats holds values up to 65504.
PARAM light = program.local[0];
MUL result.color.xyz, light, { 4 }.x;
MOV result.color.w, { 1 }.x;
END
