//! Methods of the 3D class for fragment and vertex texture units.

use crate::command::methods::enums::{
    ANISOTROPY, CONVOLUTION, MAG_FILTER, MIN_FILTER, REMAP_CONTROL, REMAP_SOURCE, SHADOW_COMPARE, TEXTURE_DMA,
    TEXTURE_FORMAT, WRAP,
};
use crate::command::methods::kinds::{Address, Bits, Enum, Flag, Signed, Unsigned};
use crate::command::methods::methods;

methods! {
    ANISO_SPREAD 0x03c0 [16; 4] = 0x0001_0101 { value 31:0 Bits }
    VERTEX_TEX_OFFSET 0x0900 [4; 32] { offset 31:0 Address }
    VERTEX_TEX_FORMAT 0x0904 [4; 32] {
        dma 1:0 Enum(TEXTURE_DMA), dimensions 7:4 Unsigned, format 12:8 Enum(TEXTURE_FORMAT), linear 13:13 Flag,
        levels 19:16 Unsigned
    }
    VERTEX_TEX_WRAP 0x0908 [4; 32] { s 3:0 Enum(WRAP), t 11:8 Enum(WRAP) }
    VERTEX_TEX_ENABLE 0x090c [4; 32] { max_lod_4_8 18:7 Unsigned, min_lod_4_8 30:19 Unsigned, enable 31:31 Flag }
    VERTEX_TEX_PITCH 0x0910 [4; 32] { pitch 17:0 Unsigned }
    VERTEX_TEX_FILTER 0x0914 [4; 32] { lod_bias_4_8 12:0 Signed }
    VERTEX_TEX_SIZE 0x0918 [4; 32] { height 15:0 Unsigned, width 31:16 Unsigned }
    VERTEX_TEX_BORDER_COLOR 0x091c [4; 32] { argb 31:0 Bits }
    TEX_FILTER_OPTIMIZATION 0x0b00 [16; 4] = 0x2dc8 { trilinear 4:0 Bits, anisotropic 8:6 Bits, unnamed 19:10 Bits }
    TEX_SIZE1 0x1840 [16; 4] = 0x0010_0008 { pitch 17:0 Unsigned, depth 31:20 Unsigned }
    TEX_OFFSET 0x1a00 [16; 32] { offset 31:0 Address }
    TEX_FORMAT 0x1a04 [16; 32] = 0x0001_8429 {
        dma 1:0 Enum(TEXTURE_DMA), cubic 2:2 Flag, no_border 3:3 Flag, dimensions 7:4 Unsigned,
        format 12:8 Enum(TEXTURE_FORMAT), linear 13:13 Flag, rect 14:14 Flag, bit15 15:15 Flag, levels 19:16 Unsigned
    }
    TEX_WRAP 0x1a08 [16; 32] = 0x0003_0101 {
        s 3:0 Enum(WRAP), aniso_mip 6:4 Bits, t 11:8 Enum(WRAP), expand_normal 15:12 Bits, r 19:16 Enum(WRAP),
        gamma 23:20 Bits, signed_remap 27:24 Bits, compare 31:28 Enum(SHADOW_COMPARE)
    }
    TEX_ENABLE 0x1a0c [16; 32] = 0x0006_0000 {
        color_key 1:0 Bits, alpha_kill 2:2 Flag, anisotropy 6:4 Enum(ANISOTROPY), max_lod_4_8 18:7 Unsigned,
        min_lod_4_8 30:19 Unsigned, enable 31:31 Flag
    }
    TEX_SWIZZLE 0x1a10 [16; 32] = 0xaae4 {
        a 1:0 Enum(REMAP_SOURCE), r 3:2 Enum(REMAP_SOURCE), g 5:4 Enum(REMAP_SOURCE), b 7:6 Enum(REMAP_SOURCE),
        a_is 9:8 Enum(REMAP_CONTROL), r_is 11:10 Enum(REMAP_CONTROL), g_is 13:12 Enum(REMAP_CONTROL),
        b_is 15:14 Enum(REMAP_CONTROL), xxxy 16:16 Flag
    }
    TEX_FILTER 0x1a14 [16; 32] = 0x0205_2000 {
        lod_bias_4_8 12:0 Signed, kernel 15:13 Enum(CONVOLUTION), min 19:16 Enum(MIN_FILTER),
        mag 27:24 Enum(MAG_FILTER), signed 31:28 Bits
    }
    TEX_NPOT_SIZE 0x1a18 [16; 32] = 0x0008_0008 { height 15:0 Unsigned, width 31:16 Unsigned }
    TEX_BORDER_COLOR 0x1a1c [16; 32] { argb 31:0 Bits }
    COLOR_KEY 0x1d00 [16; 4] { argb 31:0 Bits }
    TEX_CACHE_CTL 0x1fd8 { units 31:0 Bits }
    UNNAMED_1FDC 0x1fdc { value 31:0 Bits }
    NO_PARANOID_TEXTURE_FETCHES 0x1fe8 { value 31:0 Bits }
}
