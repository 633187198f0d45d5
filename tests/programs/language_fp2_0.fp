# !!FP2.0: the statements of !!FP1.0 with the operations of NV_fragment_program2; a declaration takes the value of an earlier one.
# test assemble, roundtrip, reference, kernels

!!FP2.0
DECLARE factor = {2, 3, 4, 5};
DECLARE same = factor;
MULR R0, f[COL0], same;
MOVRC RC.x, f[COL0];
IF GT.x;
ADDR R0, R0, R0;
ENDIF;
MOVR o[COLR], R0;
END

# run: f[COL0]=1,2,3,4 -> o[COLR]=4,12,24,40
# run: f[COL0]=0,2,3,4 -> o[COLR]=0,6,12,20
