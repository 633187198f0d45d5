# PK2US: two numbers of 16 bits, x lowest.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    PK2US R0, f[TEX0];
END

# run: f[TEX0]=0,1,-1,0.5 -> R0=0xffff0000,0xffff0000,0xffff0000,0xffff0000
# run: f[TEX0]=0.25,-0.25,2,-2 -> R0=0x00004000,0x00004000,0x00004000,0x00004000
# run: f[TEX0]=0.1,0.2,0.3,0.4 -> R0=0x3333199a,0x3333199a,0x3333199a,0x3333199a
# run: f[TEX0]=0x7f800000,0xff800000,0x7fc00001,0x80000000 -> R0=0x0000ffff,0x0000ffff,0x0000ffff,0x0000ffff
# run: f[TEX0]=0x3c010204,0xbc010204,0.999,0.003 -> R0=0x00000204,0x00000204,0x00000204,0x00000204
