# IF within IF and ELSE, each by any tested component.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVRC RC, f[TEX0];
    MOVR R0, {0, 0, 0, 0};
    IF GT.xyxx;
    MOVR R0.x, {1, 1, 1, 1};
    IF LT.z;
    MOVR R0.y, {1, 1, 1, 1};
    ELSE;
    MOVR R0.y, {2, 2, 2, 2};
    ENDIF;
    ELSE;
    IF EQ.w;
    MOVR R0.z, {3, 3, 3, 3};
    ENDIF;
    ENDIF;
    ADDR R0.w, R0, {1, 1, 1, 1};
END

# run: f[TEX0]=1,-1,-1,0 -> R0=1,1,0,1
# run: f[TEX0]=-1,1,1,0 -> R0=1,2,0,1
# run: f[TEX0]=-1,-1,-1,0 -> R0=0,0,3,1
# run: f[TEX0]=0,0,0,5 -> R0=0,0,0,1
