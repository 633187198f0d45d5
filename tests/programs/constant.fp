# The constant behind an instruction, more than one in a program, one for two operands.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MADR R0, f[TEX0], {2, 3, 4, 5}, {2, 3, 4, 5}.wzyx;
    ADDR R2, R0, {0x00400000, 0x80000000, 0x7f800000, 1e-20};
END

# run: f[TEX0]=1,2,3,4 -> R0=7,10,15,22 R2=7,10,0x7f800000,22
