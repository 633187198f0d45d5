# f[TEX[A0.x+n]]: the coordinate of that number, also below and beyond; other attributes are counted on.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x05000040;
    LOOP {2, 3, 5};
    ADDR R0, R0, f[TEX[A0.x+1]];
    MOVR R2, f[TEX[A0.x-4]];
    MOVR R4, f[TEX[A0.x-10]];
    ENDLOOP;
    MOVR R3, f[TEX[A0.x+2]];
END

# run: f[TEX4]=1,2,3,4 f[TEX9]=10,20,30,40 f[COL1]=0.5,0.25,0.75,1 f[TEX2]=9,8,7,6 -> R0=11,22,33,44 R2=1,2,3,4 R3=9,8,7,6 R4=0.5,0.25,0.75,1
