!!ARBfp1.0
OPTION NV_fragment_program2;
OPTION ARB_fog_exp2;
# Meadows, rock and snow by height and steepness, in sunlight; below 0 there is water that mirrors the sky.
PARAM light = program.local[0];
PARAM haze = state.fog.color;
PARAM sun = { 1.25, 1.02, 0.72, 1 };
PARAM shade = { 0.30, 0.36, 0.46, 1 };
PARAM meadow = { 0.30, 0.36, 0.13, 1 };
PARAM rock = { 0.38, 0.33, 0.29, 1 };
PARAM snow = { 0.95, 0.95, 0.97, 1 };
PARAM sand = { 0.56, 0.48, 0.34, 1 };
PARAM zenith = { 0.30, 0.47, 0.70, 1 };
PARAM deep = { 0.05, 0.14, 0.16, 1 };
ATTRIB place = fragment.texcoord[2];
TEMP normal, view, grain, fine, color, c, mirror;

TEX grain.x, place, texture[0], 2D;
MUL fine, place, 0.125;
TEX grain.y, fine, texture[0], 2D;
ADD grain.z, grain.x, grain.y;
NRM normal.xyz, fragment.texcoord[0];

MOVC RC.x, place.z;
IF GT.x;
    # Sand becomes meadow above the shore, grain blurring the border.
    MAD c.x, grain.y, 0.8, place.z;
    MAD_SAT c.x, c.x, 2.5, -2;
    LRP color, c.x, meadow, sand;
    # Steep is rock: from normals with y below 0.85 on.
    MAD c.y, grain.z, 0.12, normal.y;
    MAD_SAT c.y, c.y, -7, 6.2;
    LRP color, c.y, rock, color;
    # Snow lies high, and where it is not steep.
    MAD c.z, grain.z, 1.5, place.z;
    MAD c.z, normal.y, 3, c.z;
    MAD_SAT c.z, c.z, 0.7, -5.6;
    LRP color, c.z, snow, color;
    # Light from the sun and from the sky, less of both in the grain.
    DP3_SAT c.w, normal, light;
    MAD color.w, grain.z, 0.45, 0.55;
    MUL color.xyz, color, color.w;
    MAD c.xyz, c.w, sun, shade;
    MUL result.color.xyz, color, c;
ELSE;
    # Ripples tilt the normal (0, 1, 0) a little.
    MAD normal.xz, grain.xyyy, 0.10, -0.05;
    MOV normal.y, 1;
    NRM normal.xyz, normal;
    NRM view.xyz, fragment.texcoord[1];
    RFL mirror.xyz, normal, view;
    MUL_SAT c.x, mirror.y, 2.4;
    LRP color, c.x, zenith, haze;
    # The flatter the view, the more is mirrored; near the shore the ground shines through.
    DP3_SAT c.y, normal, view;
    ADD c.y, 1, -c.y;
    MUL c.y, c.y, c.y;
    MAD_SAT c.z, place.z, 2.5, 1;
    LRP view, c.z, sand, deep;
    LRP color, c.y, color, view;
    # The sun in the ripples.
    DP3_SAT c.w, mirror, light;
    POW c.w, c.w, 60;
    MAD result.color.xyz, c.w, sun, color;
ENDIF;
MOV result.color.w, 1;
END
