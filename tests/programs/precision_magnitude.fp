# A PlayStation 3 clamps a source before it takes the magnitude (RPCS3, pull request 19326); the sign comes last.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x06000040;
    MOVR R1, f[TEX1];
    MOVR R0, |half(f[TEX0])|;
    MOVR R2, |fx12(f[TEX0])|;
    MOVR R3, -|fx9(f[TEX0])|;
    MADR R4, |sat(f[TEX0])|, -|fx9(R1)|, |fx12(R1)|;
END

# run: f[TEX0]=-0.5,2,-3,0.25 f[TEX1]=-3,-0.5,3,-1 -> R0=0.5,2,3,0.25 R2=0.5,1.9990234,2,0.25 R3=-0.5,0xbf7f0000,-1,-0.25 R4=2,0,1.9990234,0.75
# run: f[TEX0]=-1,1,-0.1,3 f[TEX1]=0,0,0,0 -> R0=1,1,0x3dccc000,3 R2=1,1,0.1,1.9990234 R3=-1,0xbf7f0000,-0.1,0xbf7f0000 R4=0,0,0,0
# run: f[TEX0]=0xff800000,0x7f800000,0xffc00001,0x80000001 f[TEX1]=1,1,1,1 -> R0=0x7f800000,0x7f800000,0x7fffffff,0 R2=2,1.9990234,0,0 R3=-1,0xbf7f0000,0x80000000,0x80000000 R4=1,0x3b800000,1,1
