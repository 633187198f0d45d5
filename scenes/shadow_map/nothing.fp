!!ARBfp1.0
# The target has no colours.
MOV result.color, { 0, 0, 0, 0 };
END
