# OPTION ARB_fog_linear: the colour, clamped, is mixed with that of the fog.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
OPTION ARB_fog_linear;
MOV result.color, fragment.color;
END

# run: f[COL0]=1,0.5,0,0.25 f[FOGC]=0,0,0,1 state.fog.params=0,0,4,0.25 state.fog.color=0,1,0.5,1 -> result.color=1,0.5,0,0.25
# run: f[COL0]=1,0.5,0,0.25 f[FOGC]=2,0,0,1 state.fog.params=0,0,4,0.25 state.fog.color=0,1,0.5,1 -> result.color=0.5,0.75,0.25,0.25
# run: f[COL0]=1,0.5,0,0.25 f[FOGC]=4,0,0,1 state.fog.params=0,0,4,0.25 state.fog.color=0,1,0.5,1 -> result.color=0,1,0.5,0.25
# run: f[COL0]=1,0.5,0,0.25 f[FOGC]=8,0,0,1 state.fog.params=0,0,4,0.25 state.fog.color=0,1,0.5,1 -> result.color=0,1,0.5,0.25
