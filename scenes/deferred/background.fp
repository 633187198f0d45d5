!!ARBfp1.0
OPTION ARB_draw_buffers;
# What there is where nothing is drawn: no paint, no normal, a place that no lamp reaches, and a dark sky.
PARAM none = { 0, 0, 0, 0 };
PARAM far = { 0, 1000, 0, 0 };
PARAM sky = { 0.085, 0.095, 0.145, 0 };
MOV result.color[0], none;
MOV result.color[1], none;
MOV result.color[2], far;
MOV result.color[3], sky;
END
