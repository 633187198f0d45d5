!!ARBfp1.0
# No colour is written while volumes are counted.
MOV result.color, { 0, 0, 0, 0 };
END
