!!ARBfp1.0
# Before the lamps: hardly anything.
MOV result.color, { 0.006, 0.007, 0.010, 1 };
END
