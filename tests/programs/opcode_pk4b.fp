# PK4B: floor(127 v + 1/2) + 128 in each byte, clamped, x lowest.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    PK4B R0, f[TEX0];
END

# run: f[TEX0]=0,1,-1,0.5 -> R0=0xc001ff80,0xc001ff80,0xc001ff80,0xc001ff80
# run: f[TEX0]=0.25,-0.25,2,-2 -> R0=0x00ff60a0,0x00ff60a0,0x00ff60a0,0x00ff60a0
# run: f[TEX0]=0.1,0.2,0.3,0.4 -> R0=0xb3a6998d,0xb3a6998d,0xb3a6998d,0xb3a6998d
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0x80000000 -> R0=0x808000ff,0x808000ff,0x808000ff,0x808000ff
# run: f[TEX0]=0x3c010204,0xbc010204,0.999,0.003 -> R0=0x80ff7f81,0x80ff7f81,0x80ff7f81,0x80ff7f81
