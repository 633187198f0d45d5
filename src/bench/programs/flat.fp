!!ARBfp1.0
MOV result.color, { 0.25, 0.5, 0.75, 1 };
END
