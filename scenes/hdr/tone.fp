!!ARBfp1.0
# From light to picture: 1 - e^(-exposure * light), as on film, which never reaches white; then the curve of a screen.
PARAM exposure = program.local[0];
PARAM numbers = { 1.442695, 0.4545, 0.35, 1 };
TEMP light, spread;
TEX light, fragment.texcoord[0], texture[0], 2D;
TEX spread, fragment.texcoord[0], texture[1], 2D;
MAD light.xyz, spread, numbers.z, light;
MUL light.xyz, light, exposure.x;
MUL light.xyz, light, -numbers.x;
EX2 light.x, light.x;
EX2 light.y, light.y;
EX2 light.z, light.z;
ADD_SAT light.xyz, numbers.w, -light;
POW result.color.x, light.x, numbers.y;
POW result.color.y, light.y, numbers.y;
POW result.color.z, light.z, numbers.y;
MOV result.color.w, numbers.w;
END
