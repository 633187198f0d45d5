# The words of the first program that the open driver draws with: a lookup and a move.
# test assemble, roundtrip, reference, kernels
# words: 17009e00 1c9dc801 0001c800 3fe1c800 01401e81 1c9dc800 0001c800 0001c800

!!NV40fp1.0
TEX R0, f[TEX0], TEX0 WITH DISPLACEMENT=0x7fc;
MOVH H0, R0;
END

# run: f[TEX0]=1,2,3,4 -> H0=0,0,0,1
