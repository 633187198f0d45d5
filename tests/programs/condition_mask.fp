# A component that the mask or the test leaves out keeps its value and its code.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x05000040;
    MOVRC RC, f[TEX0];
    MOVRC R0.xy (LT.x), f[TEX1];
    MOVR R2 (GT), f[TEX2];
    MOVRC R3.xyz (GT.z), f[TEX2];
    MOVR R4 (LT), f[TEX1];
END

# run: f[TEX0]=-1,-1,1,0 f[TEX1]=3,-4,5,6 f[TEX2]=-7,8,9,10 -> R0=3,-4,0,0 R2=-7,0,9,0 R3=-7,8,9,0 R4=3,0,0,0
