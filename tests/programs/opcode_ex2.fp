# EX2, replicated. The last lines are 2^x, within 2^-22.
# test assemble, roundtrip, reference, kernels

!!FP1.0
EX2R o[COLR], f[TEX0].w;
END

# run: f[TEX0]=0,0,0,0 -> o[COLR]=1,1,1,1
# run: f[TEX0]=0,0,0,0x80000000 -> o[COLR]=1,1,1,1
# run: f[TEX0]=0,0,0,1 -> o[COLR]=2.0000002,2.0000002,2.0000002,2.0000002
# run: f[TEX0]=0,0,0,-1 -> o[COLR]=0x3effffff,0x3effffff,0x3effffff,0x3effffff
# run: f[TEX0]=0,0,0,0.5 -> o[COLR]=1.4142138,1.4142138,1.4142138,1.4142138
# run: f[TEX0]=0,0,0,-0.5 -> o[COLR]=0.7071068,0.7071068,0.7071068,0.7071068
# run: f[TEX0]=0,0,0,3.3 -> o[COLR]=9.849155,9.849155,9.849155,9.849155
# run: f[TEX0]=0,0,0,-3.3 -> o[COLR]=0x3dcfefc5,0x3dcfefc5,0x3dcfefc5,0x3dcfefc5
# run: f[TEX0]=0,0,0,10.75 -> o[COLR]=1722.156,1722.156,1722.156,1722.156
# run: f[TEX0]=0,0,0,-126.5 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,127.9 -> o[COLR]=0x7f6edb50,0x7f6edb50,0x7f6edb50,0x7f6edb50
# run: f[TEX0]=0,0,0,128 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,-127.5 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,0x322bcc77 -> o[COLR]=1.0000001,1.0000001,1.0000001,1.0000001
# run: f[TEX0]=0,0,0,0xb22bcc77 -> o[COLR]=0x3f7fffff,0x3f7fffff,0x3f7fffff,0x3f7fffff
# run: f[TEX0]=0,0,0,0.999 -> o[COLR]=1.9986142,1.9986142,1.9986142,1.9986142
# run: f[TEX0]=0,0,0,300 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,-300 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,0x7f800000 -> o[COLR]=0x7f800000,0x7f800000,0x7f800000,0x7f800000
# run: f[TEX0]=0,0,0,0xff800000 -> o[COLR]=0,0,0,0
# run: f[TEX0]=0,0,0,0.7 -> o[COLR]=1.6245048,1.6245048,1.6245048,1.6245048 ~4ulp
# run: f[TEX0]=0,0,0,1.3 -> o[COLR]=2.4622889,2.4622889,2.4622889,2.4622889 ~4ulp
# run: f[TEX0]=0,0,0,2.9 -> o[COLR]=7.4642644,7.4642644,7.4642644,7.4642644 ~4ulp
