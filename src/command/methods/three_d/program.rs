//! Methods of the 3D class for vertex and fragment programs, their constants and the routing between them.

use crate::command::methods::enums::{ARITHMETIC, ENGINE_MODE, FOG_MODE as FOG_MODES, TEXTURE_DMA};
use crate::command::methods::kinds::{Bits, Enum, Flag, Float, Unsigned};
use crate::command::methods::methods;

methods! {
    FOG_MODE 0x08cc = 0x800 { mode 31:0 Enum(FOG_MODES) }
    FOG_PARAMS 0x08d0 [3; 4] { parameter 31:0 Float }
    UNNAMED_08E0 0x08e0 { value 31:0 Bits }
    FP_ACTIVE_PROGRAM 0x08e4 { dma 1:0 Enum(TEXTURE_DMA), address 31:2 Bits }
    VP_UPLOAD_INST 0x0b80 [32; 4] { word 31:0 Bits }
    FP_REG_CONTROL 0x1450 = 0x0008_0003 { value 31:0 Bits }
    FP_CONTROL 0x1d60 {
        depth_output 3:1 Bits, full_outputs 6:6 Flag, kill 7:7 Flag, bit10 10:10 Flag, txp_control 15:15 Flag,
        registers 31:24 Unsigned
    }
    INDEXED_CONSTANT_READ_LIMITS 0x1d64 = 0x0200_0000 { lowest 9:0 Unsigned, highest 25:16 Unsigned }
    ENGINE 0x1e94 = 0x11 { mode 1:0 Enum(ENGINE_MODE), rules 4:4 Enum(ARITHMETIC), skip_viewport 8:8 Flag }
    VP_UPLOAD_FROM_ID 0x1e9c { slot 31:0 Unsigned }
    VP_START_FROM_ID 0x1ea0 { slot 31:0 Unsigned }
    TRANSFORM_TIMEOUT 0x1ef8 = 0x0020_ffff { instructions 15:0 Unsigned, flags 31:16 Bits }
    VP_UPLOAD_CONST_ID 0x1efc { constant 31:0 Unsigned }
    VP_UPLOAD_CONST 0x1f00 [32; 4] { component 31:0 Float }
    ATTRIB_COLOR 0x1fc4 = 0x0614_4321 {
        col0 3:0 Unsigned, col1 7:4 Unsigned, bfc0 11:8 Unsigned, bfc1 15:12 Unsigned,
        fog 21:16 Unsigned, point_size 27:22 Unsigned
    }
    ATTRIB_TEX_COORD 0x1fc8 = 0xedcb_a987 {
        tex0 3:0 Unsigned, tex1 7:4 Unsigned, tex2 11:8 Unsigned, tex3 15:12 Unsigned,
        tex4 19:16 Unsigned, tex5 23:20 Unsigned, tex6 27:24 Unsigned, tex7 31:28 Unsigned
    }
    ATTRIB_TEX_COORD_EX 0x1fcc = 0x6f { tex8 3:0 Unsigned, tex9 7:4 Unsigned }
    ATTRIB_UCLIP0 0x1fd0 = 0x0017_1615 { clip0 5:0 Unsigned, clip1 13:8 Unsigned, clip2 21:16 Unsigned }
    ATTRIB_UCLIP1 0x1fd4 = 0x001b_1a19 { clip3 5:0 Unsigned, clip4 13:8 Unsigned, clip5 21:16 Unsigned }
    VP_ATTRIB_EN 0x1ff0 = 0xffff { attributes 15:0 Bits }
    VP_RESULT_EN 0x1ff4 = 0x003f_ffff {
        col0 0:0 Flag, col1 1:1 Flag, bfc0 2:2 Flag, bfc1 3:3 Flag, fog 4:4 Flag, point_size 5:5 Flag,
        clip_distances 11:6 Bits, tex8 12:12 Flag, tex9 13:13 Flag, tex0_to_7 21:14 Bits
    }
    TRANSFORM_BRANCH_BITS 0x1ff8 { booleans 31:0 Bits }
}
