//! Methods of the 3D class for render targets, window clipping and clears.

use crate::command::methods::enums::{COLOR_FORMAT, MULTISAMPLE, SURFACE_TYPE, ZETA_FORMAT};
use crate::command::methods::kinds::{Address, Bits, Enum, Flag, Signed, Unsigned};
use crate::command::methods::methods;

methods! {
    RT_HORIZ 0x0200 { x 15:0 Unsigned, width 31:16 Unsigned }
    RT_VERT 0x0204 { y 15:0 Unsigned, height 31:16 Unsigned }
    RT_FORMAT 0x0208 = 0x121 {
        color 4:0 Enum(COLOR_FORMAT), zeta 7:5 Enum(ZETA_FORMAT), layout 11:8 Enum(SURFACE_TYPE),
        multisample 15:12 Enum(MULTISAMPLE), log2_width 23:16 Unsigned, log2_height 31:24 Unsigned
    }
    COLOR0_PITCH 0x020c = 0x40 { pitch 31:0 Unsigned }
    COLOR0_OFFSET 0x0210 { offset 31:0 Address }
    ZETA_OFFSET 0x0214 { offset 31:0 Address }
    COLOR1_OFFSET 0x0218 { offset 31:0 Address }
    COLOR1_PITCH 0x021c = 0x40 { pitch 31:0 Unsigned }
    RT_ENABLE 0x0220 = 1 { color0 0:0 Flag, color1 1:1 Flag, color2 2:2 Flag, color3 3:3 Flag, mrt 4:4 Flag }
    CLIP_ID_PITCH 0x0224 { pitch 31:0 Unsigned }
    CLIP_ID_OFFSET 0x0228 { offset 31:0 Address }
    ZETA_PITCH 0x022c = 0x40 { pitch 31:0 Unsigned }
    CLIP_ID_RECT_HORIZ 0x0260 [4; 8] { minimum 15:0 Unsigned, maximum 31:16 Unsigned }
    CLIP_ID_RECT_VERT 0x0264 [4; 8] { minimum 15:0 Unsigned, maximum 31:16 Unsigned }
    COLOR2_PITCH 0x0280 = 0x40 { pitch 31:0 Unsigned }
    COLOR3_PITCH 0x0284 = 0x40 { pitch 31:0 Unsigned }
    COLOR2_OFFSET 0x0288 { offset 31:0 Address }
    COLOR3_OFFSET 0x028c { offset 31:0 Address }
    VIEWPORT_TX_ORIGIN 0x02b8 { x 15:0 Signed, y 31:16 Signed }
    VIEWPORT_CLIP_MODE 0x02bc { exclusive 0:0 Flag }
    VIEWPORT_CLIP_HORIZ 0x02c0 [8; 8] = 0x0fff_0000 { minimum 11:0 Unsigned, maximum 27:16 Unsigned }
    VIEWPORT_CLIP_VERT 0x02c4 [8; 8] = 0x0fff_0000 { minimum 11:0 Unsigned, maximum 27:16 Unsigned }
    CONTROL0 0x03b0 = 0x0010_0000 { float_depth 12:12 Flag, mip_rounding_down 20:20 Flag }
    COORD_CONVENTIONS 0x1d88 = 0x1000 { height 11:0 Unsigned, inverted 12:12 Flag, center_integer 16:16 Flag }
    CLEAR_DEPTH_VALUE 0x1d8c = 0xffff_ff00 { value 31:0 Bits }
    CLEAR_COLOR_VALUE 0x1d90 { value 31:0 Bits }
    CLEAR_BUFFERS 0x1d94 {
        depth 0:0 Flag, stencil 1:1 Flag, red 4:4 Flag, green 5:5 Flag, blue 6:6 Flag, alpha 7:7 Flag
    }
    CLEAR_RECT_HORIZ 0x1d98 = 0x0fff_0000 { minimum 11:0 Unsigned, maximum 27:16 Unsigned }
    CLEAR_RECT_VERT 0x1d9c = 0x0fff_0000 { minimum 11:0 Unsigned, maximum 27:16 Unsigned }
    CLEAR_CLIP_ID 0x1da0 { value 31:0 Bits }
    CLIP_ID_TEST_ENABLE 0x1da4 { enable 0:0 Flag }
    CLIP_ID 0x1da8 { value 31:0 Bits }
    REDUCE_DST_COLOR 0x1fe0 = 1 { value 31:0 Bits }
    REDUCE_UNNAMED 0x1fe4 { value 31:0 Bits }
    SHADER_PACKER 0x1fec { srgb_write 31:0 Bits }
}
