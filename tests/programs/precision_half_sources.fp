# Half registers as sources, with magnitude, sign and swizzle.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR H20, f[TEX0];
    MOVR R0, -|H20.wzyx|;
    ADDR R2, H20.xxyy, -H20.zwzw;
    MADR R3, H20, half(f[TEX1]), |H20.x|;
END

# run: f[TEX0]=1,-2,0.5,-0.25 f[TEX1]=0.1,0.2,3,4 -> R0=-0.25,-0.5,-2,-1 R2=0.5,1.25,-2.5,-1.75 R3=1.0999756,0x3f19a000,2.5,0
# run: f[TEX0]=0.1,-0.3,5,-7 f[TEX1]=0.1,0.2,3,4 -> R0=-7,-5,0xbe99a000,0xbdccc000 R2=0xc09ccd00,7.0999756,-5.300049,6.699951 R3=0.1099707,0x3d23c290,15.099976,0xc1df3340
# run: f[TEX0]=0x7f800000,0xff800000,1,0x3380d959 f[TEX1]=0.1,0.2,3,4 -> R0=0xb3800000,-1,0xff800000,0xff800000 R2=0x7f800000,0x7f800000,0xff800000,0xff800000 R3=0x7f800000,0x7fffffff,0x7f800000,0x7f800000
