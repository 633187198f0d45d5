# OPTION NV_fragment_program2: flow, _SSAT, a loop by a parameter, facing.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
OPTION NV_fragment_program2;
PARAM rounds = program.local[0];
TEMP t;
main:
MOV t, 0;
LOOP rounds;
  ADD t.x, t, fragment.texcoord[A0.x+1];
ENDLOOP;
ADDC_SSAT t.y, fragment.facing.x, fragment.facing.x;
IF LT.y;
  CAL back;
ELSE;
  MOV t.z, 5;
ENDIF;
MOV result.color, t;
RET;
back:
MOV t.w, 6;
RET;
END

# run: program.local[0]=3,0,1,0 f[FACE]=1,0,0,1 f[TEX1]=1,0,0,0 f[TEX2]=10,0,0,0 f[TEX3]=100,0,0,0 -> result.color=111,1,5,0
# run: program.local[0]=2,2,-1,0 f[FACE]=-1,0,0,1 f[TEX1]=1,0,0,0 f[TEX2]=10,0,0,0 f[TEX3]=100,0,0,0 -> result.color=110,-1,0,6
# run: program.local[0]=0,0,1,0 f[FACE]=1,0,0,1 f[TEX1]=1,0,0,0 f[TEX2]=10,0,0,0 f[TEX3]=100,0,0,0 -> result.color=0,1,5,0
