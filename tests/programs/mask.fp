# Every write mask; other components keep what they had.
# test assemble, roundtrip, reference, kernels

!!NV40fp1.0
CONTROL 0x05000040;
    ADDR R0.x, R0, {1, 2, 3, 4};
    ADDR R0.w, R0, {10, 20, 30, 40};
    ADDR R0.xz, R0, {100, 200, 300, 400};
    ADDR R0.yzw, R0, {1000, 2000, 3000, 4000};
    ADDR R2.y, R2, {1, 2, 3, 4};
    ADDR R2.xw, R2, {10, 20, 30, 40};
    ADDR R2.xyz, R2, {100, 200, 300, 400};
    ADDR R2.xyzw, R2, {1000, 2000, 3000, 4000};
    ADDR R3.z, R3, {1, 2, 3, 4};
    ADDR R3.yz, R3, {10, 20, 30, 40};
    ADDR R3.xyw, R3, {100, 200, 300, 400};
    ADDR R4.xy, R4, {1, 2, 3, 4};
    ADDR R4.yw, R4, {10, 20, 30, 40};
    ADDR R4.zw, R4, {100, 200, 300, 400};
    ADDR R4.xzw, R4, {1000, 2000, 3000, 4000};
END

# run: f[TEX0]=0,0,0,0 -> R0=101,2000,3300,4040 R2=1110,2202,3300,4040 R3=100,220,33,400 R4=1001,22,3300,4440
