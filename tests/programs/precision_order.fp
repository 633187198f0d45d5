# Of a source: swizzle, clamp, magnitude, sign; of a result: scale, saturation, rounding.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x05000040;
    MOVR R0, -|fx12(f[TEX0].yxwz)|;
    ADDX_x8 R2, f[TEX0], f[TEX0];
    ADDX_x8_SAT R3, f[TEX0], f[TEX0];
    MULH_d8_SAT R4, f[TEX0], f[TEX0];
END

# run: f[TEX0]=1,0.1,-0.3,1.0004 -> R0=-0.1,-1,-1.0004,-0.3 R2=1.9990234,1.5996094,-2,1.9990234 R3=1,1,0,1 R4=0.125,0x3aa3e000,0x3c386000,0x3e002000
# run: f[TEX0]=3.14159,-2.5,70000,-70000 -> R0=-2,0xbfffe000,-2,0xbfffe000 R2=1.9990234,-2,1.9990234,-2 R3=1,0,1,0 R4=1,0.78125,1,1
# run: f[TEX0]=0.000001,0x3380d959,0x33000000,0xb089705f -> R0=0xb380d959,-0.000001,0xb089705f,0xb3000000 R2=0,0,0,0 R3=0,0,0,0 R4=0,0,0,0
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,1.99999 -> R0=-2,0xbfffe000,0xbfffe000,0x80000000 R2=1.9990234,-2,0,1.9990234 R3=1,0,0,1 R4=1,1,0,0.5
# run: f[TEX0]=2,-2,0x3a000000,0x3ac00000 -> R0=-2,0xbfffe000,0xbac00000,0xba000000 R2=1.9990234,-2,0.0078125,0.0234375 R3=1,0,0.0078125,0.0234375 R4=0.5,0.5,0,0x34800000
