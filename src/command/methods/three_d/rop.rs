//! Methods of the 3D class for the ROP.

use crate::command::methods::enums::{
    BLEND_EQUATION as EQUATIONS, BLEND_FACTOR, COMPARE, LOGIC_OP as OPERATIONS, STENCIL_OP,
};
use crate::command::methods::kinds::{Bits, Enum, Flag, Float, Unsigned};
use crate::command::methods::methods;

methods! {
    DITHER_ENABLE 0x0300 = 1 { enable 0:0 Flag }
    ALPHA_FUNC_ENABLE 0x0304 { enable 0:0 Flag }
    ALPHA_FUNC_FUNC 0x0308 = 0x207 { function 31:0 Enum(COMPARE) }
    ALPHA_FUNC_REF 0x030c { reference 31:0 Bits }
    BLEND_FUNC_ENABLE 0x0310 { enable 0:0 Flag }
    BLEND_FUNC_SRC 0x0314 = 0x0001_0001 { color 15:0 Enum(BLEND_FACTOR), alpha 31:16 Enum(BLEND_FACTOR) }
    BLEND_FUNC_DST 0x0318 { color 15:0 Enum(BLEND_FACTOR), alpha 31:16 Enum(BLEND_FACTOR) }
    BLEND_COLOR 0x031c { blue 7:0 Unsigned, green 15:8 Unsigned, red 23:16 Unsigned, alpha 31:24 Unsigned }
    BLEND_EQUATION 0x0320 = 0x8006_8006 { color 15:0 Enum(EQUATIONS), alpha 31:16 Enum(EQUATIONS) }
    COLOR_MASK 0x0324 = 0x0101_0101 { blue 0:0 Flag, green 8:8 Flag, red 16:16 Flag, alpha 24:24 Flag }
    STENCIL_ENABLE 0x0328 [2; 32] { enable 0:0 Flag }
    STENCIL_MASK 0x032c [2; 32] = 0xff { mask 7:0 Bits }
    STENCIL_FUNC_FUNC 0x0330 [2; 32] = 0x207 { function 31:0 Enum(COMPARE) }
    STENCIL_FUNC_REF 0x0334 [2; 32] { reference 7:0 Unsigned }
    STENCIL_FUNC_MASK 0x0338 [2; 32] = 0xff { mask 7:0 Bits }
    STENCIL_OP_FAIL 0x033c [2; 32] = 0x1e00 { operation 31:0 Enum(STENCIL_OP) }
    STENCIL_OP_ZFAIL 0x0340 [2; 32] = 0x1e00 { operation 31:0 Enum(STENCIL_OP) }
    STENCIL_OP_ZPASS 0x0344 [2; 32] = 0x1e00 { operation 31:0 Enum(STENCIL_OP) }
    MRT_BLEND_ENABLE 0x036c { color1 1:1 Flag, color2 2:2 Flag, color3 3:3 Flag }
    MRT_COLOR_MASK 0x0370 = 0xfff0 {
        alpha1 4:4 Flag, red1 5:5 Flag, green1 6:6 Flag, blue1 7:7 Flag,
        alpha2 8:8 Flag, red2 9:9 Flag, green2 10:10 Flag, blue2 11:11 Flag,
        alpha3 12:12 Flag, red3 13:13 Flag, green3 14:14 Flag, blue3 15:15 Flag
    }
    COLOR_LOGIC_OP_ENABLE 0x0374 { enable 0:0 Flag }
    COLOR_LOGIC_OP_OP 0x0378 = 0x1503 { operation 31:0 Enum(OPERATIONS) }
    BLEND_COLOR2 0x037c { blue_half 15:0 Bits, alpha_half 31:16 Bits }
    DEPTH_BOUNDS_TEST_ENABLE 0x0380 { enable 0:0 Flag }
    DEPTH_BOUNDS_TEST_ZMIN 0x0384 { depth 31:0 Float }
    DEPTH_BOUNDS_TEST_ZMAX 0x0388 = 0x3f80_0000 { depth 31:0 Float }
    UNNAMED_038C 0x038c { value 31:0 Bits }
    DEPTH_FUNC 0x0a6c = 0x201 { function 31:0 Enum(COMPARE) }
    DEPTH_WRITE_ENABLE 0x0a70 = 1 { enable 0:0 Flag }
    DEPTH_TEST_ENABLE 0x0a74 { enable 0:0 Flag }
}
