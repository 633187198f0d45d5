# The options of ARB_fragment_coord_conventions change how a draw counts the position, not the program.
# test assemble, roundtrip, reference, kernels

!!ARBfp1.0
OPTION ARB_fragment_coord_origin_upper_left;
OPTION ARB_fragment_coord_pixel_center_integer;
ALIAS at = fragment.position;
ALIAS color = result.color;
ADD color, at, {1, 1, 0, 0};
END

# run: f[WPOS]=3,5,0.5,1 -> result.color=4,6,0.5,1
