//! Methods of the 3D class for viewport, primitive setup and rasterization.

use crate::command::methods::enums::{
    CULL_FACE as CULLED_FACES, FRONT_FACE as WINDING, POLYGON_MODE as MODES, SHADE_MODEL as MODELS,
};
use crate::command::methods::kinds::{Bits, Enum, Flag, Float, Unsigned};
use crate::command::methods::methods;

methods! {
    CYLINDRICAL_WRAP 0x0238 [2; 4] { coordinates 31:0 Bits }
    SHADE_MODEL 0x0368 = 0x1d01 { model 31:0 Enum(MODELS) }
    DEPTH_RANGE_NEAR 0x0394 { depth 31:0 Float }
    DEPTH_RANGE_FAR 0x0398 = 0x3f80_0000 { depth 31:0 Float }
    LINE_WIDTH 0x03b8 = 8 { eighths 31:0 Unsigned }
    LINE_SMOOTH_ENABLE 0x03bc { enable 0:0 Flag }
    SCISSOR_HORIZ 0x08c0 = 0x1000_0000 { x 15:0 Unsigned, width 31:16 Unsigned }
    SCISSOR_VERT 0x08c4 = 0x1000_0000 { y 15:0 Unsigned, height 31:16 Unsigned }
    VIEWPORT_HORIZ 0x0a00 = 0x1000_0000 { x 15:0 Unsigned, width 31:16 Unsigned }
    VIEWPORT_VERT 0x0a04 = 0x1000_0000 { y 15:0 Unsigned, height 31:16 Unsigned }
    POINT_CENTER_MODE 0x0a0c { value 31:0 Bits }
    VIEWPORT_TRANSLATE_X 0x0a20 = 0x4500_0000 { x 31:0 Float }
    VIEWPORT_TRANSLATE_Y 0x0a24 = 0x4500_0000 { y 31:0 Float }
    VIEWPORT_TRANSLATE_Z 0x0a28 = 0x3f00_0000 { z 31:0 Float }
    VIEWPORT_TRANSLATE_W 0x0a2c { w 31:0 Float }
    VIEWPORT_SCALE_X 0x0a30 = 0x4500_0000 { x 31:0 Float }
    VIEWPORT_SCALE_Y 0x0a34 = 0x4500_0000 { y 31:0 Float }
    VIEWPORT_SCALE_Z 0x0a38 = 0x3f00_0000 { z 31:0 Float }
    VIEWPORT_SCALE_W 0x0a3c { w 31:0 Float }
    POLYGON_OFFSET_POINT_ENABLE 0x0a60 { enable 0:0 Flag }
    POLYGON_OFFSET_LINE_ENABLE 0x0a64 { enable 0:0 Flag }
    POLYGON_OFFSET_FILL_ENABLE 0x0a68 { enable 0:0 Flag }
    POLYGON_OFFSET_FACTOR 0x0a78 { factor 31:0 Float }
    POLYGON_OFFSET_UNITS 0x0a7c { steps 31:0 Float }
    TEX_COORD_CONTROL 0x0b40 [10; 4] { flat_2d 0:0 Flag, centroid 4:4 Flag, bit8 8:8 Bits }
    SPECULAR_ENABLE 0x1428 = 1 { enable 0:0 Flag }
    VERTEX_TWO_SIDE_ENABLE 0x142c { enable 0:0 Flag }
    UNNAMED_1430 0x1430 { value 31:0 Bits }
    FLATSHADE_FIRST 0x1454 { enable 0:0 Flag }
    EDGEFLAG 0x145c = 1 { enable 0:0 Flag }
    VP_CLIP_PLANES_ENABLE 0x1478 {
        plane0 1:0 Unsigned, plane1 5:4 Unsigned, plane2 9:8 Unsigned,
        plane3 13:12 Unsigned, plane4 17:16 Unsigned, plane5 21:20 Unsigned
    }
    POLYGON_STIPPLE_ENABLE 0x147c { enable 0:0 Flag }
    POLYGON_STIPPLE_PATTERN 0x1480 [32; 4] { row 31:0 Bits }
    POLYGON_MODE_FRONT 0x1828 = 0x1b02 { mode 31:0 Enum(MODES) }
    POLYGON_MODE_BACK 0x182c = 0x1b02 { mode 31:0 Enum(MODES) }
    CULL_FACE 0x1830 = 0x405 { face 31:0 Enum(CULLED_FACES) }
    FRONT_FACE 0x1834 = 0x901 { winding 31:0 Enum(WINDING) }
    POLYGON_SMOOTH_ENABLE 0x1838 { enable 0:0 Flag }
    CULL_FACE_ENABLE 0x183c { enable 0:0 Flag }
    DEPTH_CONTROL 0x1d78 = 1 { clip 0:0 Flag, clamp 4:4 Flag, ignore_w 8:8 Flag }
    MULTISAMPLE_CONTROL 0x1d7c = 0xffff_0000 {
        enable 0:0 Flag, alpha_to_coverage 4:4 Flag, alpha_to_one 8:8 Flag, sample_mask 31:16 Bits
    }
    LINE_STIPPLE_ENABLE 0x1db4 { enable 0:0 Flag }
    LINE_STIPPLE_PATTERN 0x1db8 { factor 7:0 Unsigned, pattern 31:16 Bits }
    UNNAMED_1DBC 0x1dbc { value 31:0 Bits }
    UNNAMED_1DC0 0x1dc0 [4; 4] { value 31:0 Bits }
    POINT_SIZE 0x1ee0 = 0x3f80_0000 { size 31:0 Float }
    POINT_PARAMS_ENABLE 0x1ee4 { enable 0:0 Flag }
    POINT_SPRITE 0x1ee8 { enable 0:0 Flag, r_mode 2:1 Unsigned, replaced 17:8 Bits }
    UNNAMED_1EEC 0x1eec { value 31:0 Bits }
    UNNAMED_1EF0 0x1ef0 { value 31:0 Bits }
    UNNAMED_1EF4 0x1ef4 { value 31:0 Bits }
}
