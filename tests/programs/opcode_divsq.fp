# DIVSQ: over the square root of the scalar; 0 where the numerator is.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR R1, f[TEX1];
    DIVSQR R0, f[TEX0], R1.x;
END

# run: f[TEX0]=1,2,3,4 f[TEX1]=2,0,0,0 -> R0=0x3f3504f3,1.4142135,2.1213202,2.828427
# run: f[TEX0]=1,-2,0.3,0 f[TEX1]=3,0,0,0 -> R0=0.5773502,0xbf93cd39,0x3e315cab,0
# run: f[TEX0]=1,-2,0,5 f[TEX1]=0,0,0,0 -> R0=0x7f800000,0xff800000,0,0x7f800000
# run: f[TEX0]=0x0da24260,0x7149f2ca,-7,1 f[TEX1]=0x501502f9,0,0,0 -> R0=0x0554ad2c,0x69045951,0xb892ccf6,0x3727c5ab
# run: f[TEX0]=1,2,3,4 f[TEX1]=0.7,0,0,0 -> R0=1.1952286,2.3904572,3.5856857,4.7809143
# run: f[TEX0]=1,2,3,4 f[TEX1]=16,0,0,0 -> R0=0.25,0.5,0.75,1
