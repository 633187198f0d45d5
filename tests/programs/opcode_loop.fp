# LOOP: count, first index and increment; inner loops have their own index.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x03000040;
    MOVR R0, {0, 0, 0, 0};
    LOOP {3, 1, 2};
    ADDR R0.x, R0, f[TEX[A0.x+0]];
    LOOP {2, 4, -1};
    ADDR R0.y, R0, f[TEX[A0.x+1]];
    ENDLOOP;
    ADDR R0.z, R0, f[TEX[A0.x-1]];
    ENDLOOP;
    LOOP {0, 0, 1};
    ADDR R0.w, R0, {1, 1, 1, 1};
    ENDLOOP;
    NOP;
END

# run: f[TEX0]=1,100,10000,1 f[TEX1]=2,200,20000,1 f[TEX2]=4,400,40000,1 f[TEX3]=8,800,80000,1 f[TEX4]=16,1600,160000,1 f[TEX5]=32,3200,320000,1 f[TEX6]=64,6400,640000,1 f[TEX7]=128,12800,1280000,1 -> R0=42,14400,210000,0
