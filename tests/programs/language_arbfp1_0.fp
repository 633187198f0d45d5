# !!ARBfp1.0: CMP, XPD, DPH, SWZ, ABS, SUB over parameters.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
PARAM k[] = { {1, 2, 3, 4}, state.fog.color, program.local[0..1] };
ATTRIB a = fragment.texcoord[0];
TEMP t, u;
XPD t.xyz, a, fragment.texcoord[1];
DPH t.w, a, k[0];
CMP u, t, k[1], k[2];
SWZ t, t, -x, 1, w, 0;
SUB t, t, k[3];
ABS t, t;
ADD result.color, t, u;
END

# run: f[TEX0]=1,0,0,9 f[TEX1]=0,1,0,9 state.fog.color=10,20,30,40 program.local[0]=100,200,300,400 program.local[1]=0.5,0.5,10,0.5 -> result.color=100.5,200.5,305,400.5
# run: f[TEX0]=0,1,0,9 f[TEX1]=1,0,0,9 state.fog.color=10,20,30,40 program.local[0]=100,200,300,400 program.local[1]=0.5,0.5,10,0.5 -> result.color=100.5,200.5,34,400.5
