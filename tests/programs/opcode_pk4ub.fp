# PK4UB: floor(255 v + 1/2) of v clamped to 0..1.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    PK4UB R0, f[TEX0];
END

# run: f[TEX0]=0,1,-1,0.5 -> R0=0x8000ff00,0x8000ff00,0x8000ff00,0x8000ff00
# run: f[TEX0]=0.25,-0.25,2,-2 -> R0=0x00ff0040,0x00ff0040,0x00ff0040,0x00ff0040
# run: f[TEX0]=0.1,0.2,0.3,0.4 -> R0=0x664d331a,0x664d331a,0x664d331a,0x664d331a
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0x80000000 -> R0=0x000000ff,0x000000ff,0x000000ff,0x000000ff
# run: f[TEX0]=0x3c010204,0xbc010204,0.999,0.003 -> R0=0x01ff0002,0x01ff0002,0x01ff0002,0x01ff0002
