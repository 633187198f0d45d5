# Branches in loops in branches, with BRK under a condition register of its own.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVRC RC, f[TEX0];
    IF GE.x;
    LOOP {8, 0, 1};
    ADDRC1 RC.x, f[TEX0].y, -R0.x;
    IF LE1.x;
    BRK;
    ELSE;
    ADDR R0.x, R0, {1, 0, 0, 0};
    ENDIF;
    ADDR R0.y, R0, {0, 2, 0, 0};
    ENDLOOP;
    ENDIF;
    NOP;
END

# run: f[TEX0]=1,3,0,0 -> R0=3,6,0,0
# run: f[TEX0]=0,100,0,0 -> R0=8,16,0,0
# run: f[TEX0]=-1,3,0,0 -> R0=0,0,0,0
# run: f[TEX0]=1,0,0,0 -> R0=0,0,0,0
# run: f[TEX0]=2,2.5,0,0 -> R0=3,6,0,0
