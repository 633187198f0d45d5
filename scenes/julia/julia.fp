!!ARBfp1.0
OPTION NV_fragment_program2;
# z' = z² + c until z is far away. The derivative of z with respect to the start comes along: it says how far the set
# is, and in which direction.
PARAM c = program.local[0];
PARAM conjugate = { 1, -1, 1, 1 };
# The inverse of how far is far, |z|²; that of the |d|² at which the set is much nearer than a pixel; two; a half.
PARAM limit = { 0.001, 1e-12, 2, 0.5 };
PARAM light = { 0.60, 0.80, 1.8, 0.35714286 };
PARAM middle = { 0.56, 0.54, 0.55, 1 };
PARAM swing = { 0.44, 0.40, 0.36, 0 };
PARAM phase = { 1.4, 1.9, 2.4, 0 };
PARAM inside = { 0.05, 0.05, 0.11, 1 };
TEMP z, d, square, size, count, way, color, pixel;

MOV z, fragment.texcoord[0];
MOV d, { 1, 0, 0, 0 };
MOV count.x, 0;
LOOP { 220, 0, 1 };
    # A product with z is one with the matrix (x, −y; y, x): X2D does the product and the sum.
    MUL square, z.xyyx, conjugate;
    X2D z.xy, c, z, square;
    ADD square, square, square;
    X2D d.xy, 0, d, square;
    ADD count.x, count.x, 1;
    DP2 size.x, z, z;
    DP2 size.y, d, d;
    MUL way.xy, size, limit;
    MAX way.x, way.x, way.y;
    ADDC RC.x, way.x, -1;
    BRK (GT.x);
ENDLOOP;

# Rounds made, and a fraction that makes them smooth: log2 of log2 |z|.
MAX size.z, size.x, limit.z;
LG2 size.z, size.z;
MUL size.z, size.z, limit.w;
LG2 size.w, size.z;
ADD count.x, count.x, -size.w;

# Three waves of colour along their square root; all that is far away has the same.
MAX count.x, count.x, limit.z;
RSQ count.y, count.x;
MUL count.y, count.y, count.x;
MAD color.xyz, count.y, 1.15, phase;
COS way.x, color.x;
COS way.y, color.y;
COS way.z, color.z;
MAD color.xyz, way, swing, middle;

# z / d points away from the set: light from above and aside.
MUL way.x, z.x, d.x;
MAD way.x, z.y, d.y, way.x;
MUL way.y, z.y, d.x;
MAD way.y, -z.x, d.y, way.y;
DP2 way.z, way, way;
RSQ way.z, way.z;
MUL way.xy, way, way.z;
DP2A way.w, way, light, light.z;
MUL way.w, way.w, light.w;
MUL color.xyz, color, way.w;

# The distance to the set, |z| ln |z| / |d|, in pixels: what is nearer than one fades into the inside.
RSQ d.x, size.y;
RSQ z.x, size.x;
RCP z.x, z.x;
MUL d.x, d.x, z.x;
MUL d.x, d.x, size.z;
DDX pixel, fragment.texcoord[0];
DP2 pixel.x, pixel, pixel;
RSQ pixel.x, pixel.x;
MUL_SAT d.x, d.x, pixel.x;
LRP result.color.xyz, d.x, color, inside;
MOV result.color.w, 1;
END
