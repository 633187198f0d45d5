//! Methods of the 2D class 0x502d, which copies and uploads images.
//!
//! Source: envytools `rnndb/graph/g80_2d.xml`.

use crate::command::methods::kinds::{Bits, Enum, Flag, Handle, Unsigned};
use crate::command::methods::{ClassTable, methods, puller};

use super::enums as values;
use super::{fifo, graph};

/// The class.
pub static CLASS: ClassTable = ClassTable::new(0x502d, "G80_2D", &[puller::TABLE, fifo::TABLE, graph::TABLE, TABLE]);

methods! {
    DMA_NOTIFY 0x180 { value 31:0 Handle }
    DMA_DST 0x184 { value 31:0 Handle }
    DMA_SRC 0x188 { value 31:0 Handle }
    DMA_COND 0x18c { value 31:0 Handle }
    DST_FORMAT 0x200 { format 31:0 Enum(values::COLOR_FORMAT) }
    DST_LINEAR 0x204 { value 0:0 Flag }
    DST_BLOCK_DIMENSIONS 0x208 {}
    DST_DEPTH 0x20c { value 31:0 Unsigned }
    DST_LAYER 0x210 { value 31:0 Unsigned }
    DST_PITCH 0x214 { value 31:0 Unsigned }
    DST_WIDTH 0x218 { value 31:0 Unsigned }
    DST_HEIGHT 0x21c { value 31:0 Unsigned }
    DST_ADDRESS_HIGH 0x220 {}
    DST_ADDRESS_LOW 0x224 {}
    UNK228 0x228 {}
    SRC_FORMAT 0x230 { format 31:0 Enum(values::COLOR_FORMAT) }
    SRC_LINEAR 0x234 { value 0:0 Flag }
    SRC_BLOCK_DIMENSIONS 0x238 {}
    SRC_DEPTH 0x23c { value 31:0 Unsigned }
    SRC_LAYER 0x240 { value 31:0 Unsigned }
    SRC_PITCH 0x244 { value 31:0 Unsigned }
    SRC_WIDTH 0x248 { value 31:0 Unsigned }
    SRC_HEIGHT 0x24c { value 31:0 Unsigned }
    SRC_ADDRESS_HIGH 0x250 {}
    SRC_ADDRESS_LOW 0x254 {}
    UNK258 0x258 {}
    UNK260 0x260 {}
    COND_ADDRESS_HIGH 0x264 {}
    COND_ADDRESS_LOW 0x268 {}
    COND_MODE 0x26c { mode 31:0 Enum(values::CONDITION) }
    CLIP_X 0x280 { value 31:0 Unsigned }
    CLIP_Y 0x284 { value 31:0 Unsigned }
    CLIP_W 0x288 { value 31:0 Unsigned }
    CLIP_H 0x28c { value 31:0 Unsigned }
    CLIP_ENABLE 0x290 { value 0:0 Flag }
    COLOR_KEY_FORMAT 0x294 { format 31:0 Enum(values::KEY_FORMAT) }
    COLOR_KEY 0x298 {}
    COLOR_KEY_ENABLE 0x29c { value 0:0 Flag }
    ROP 0x2a0 {}
    BETA1 0x2a4 { beta1 30:23 Bits }
    BETA4 0x2a8 { b 7:0 Unsigned, g 15:8 Unsigned, r 23:16 Unsigned, a 31:24 Unsigned }
    OPERATION 0x2ac { operation 31:0 Enum(values::OPERATION) }
    PATTERN_OFFSET 0x2b0 { x 5:0 Bits, y 13:8 Bits }
    PATTERN_SELECT 0x2b4 { pattern 31:0 Enum(values::PATTERN) }
    PATTERN_COLOR_FORMAT 0x2e8 { format 31:0 Enum(values::PATTERN_COLOR) }
    PATTERN_BITMAP_FORMAT 0x2ec { format 31:0 Enum(values::PATTERN_BITS) }
    PATTERN_BITMAP_COLOR 0x2f0 [2; 4] { value 31:0 Unsigned }
    PATTERN_BITMAP 0x2f8 [2; 4] { value 31:0 Unsigned }
    PATTERN_X8R8G8B8 0x300 [64; 4] { b 7:0 Unsigned, g 15:8 Unsigned, r 23:16 Unsigned }
    PATTERN_R5G6B5 0x400 [32; 4] {
        b0 4:0 Unsigned, g0 10:5 Unsigned, r0 15:11 Unsigned, b1 20:16 Unsigned, g1 26:21 Unsigned, r1 31:27 Unsigned,
    }
    PATTERN_X1R5G5B5 0x480 [32; 4] {
        b0 4:0 Unsigned, g0 9:5 Unsigned, r0 14:10 Unsigned, b1 20:16 Unsigned, g1 25:21 Unsigned, r1 30:26 Unsigned,
    }
    PATTERN_Y8 0x500 [16; 4] { y0 7:0 Unsigned, y1 15:8 Unsigned, y2 23:16 Unsigned, y3 31:24 Unsigned }
    DRAW_SHAPE 0x580 { shape 31:0 Enum(values::SHAPE) }
    DRAW_COLOR_FORMAT 0x584 { format 31:0 Enum(values::COLOR_FORMAT) }
    DRAW_COLOR 0x588 {}
    UNK58C 0x58c { c0 0:0 Flag, c1 4:4 Flag, c2 8:8 Flag, c3 12:12 Flag }
    DRAW_POINT16 0x5e0 {}
    DRAW_POINT32_X 0x600 [64; 8] { value 31:0 Unsigned }
    DRAW_POINT32_Y 0x604 [64; 8] { value 31:0 Unsigned }
    SIFC_BITMAP_ENABLE 0x800 { value 0:0 Flag }
    SIFC_FORMAT 0x804 { format 31:0 Enum(values::COLOR_FORMAT) }
    SIFC_BITMAP_FORMAT 0x808 { format 31:0 Enum(values::BITMAP_FORMAT) }
    SIFC_BITMAP_LSB_FIRST 0x80c { value 0:0 Flag }
    SIFC_BITMAP_LINE_PACK_MODE 0x810 { mode 31:0 Enum(values::LINE_PACK) }
    SIFC_BITMAP_COLOR_BIT0 0x814 {}
    SIFC_BITMAP_COLOR_BIT1 0x818 {}
    SIFC_BITMAP_WRITE_BIT0_ENABLE 0x81c { value 0:0 Flag }
    SIFC_WIDTH 0x838 { value 31:0 Unsigned }
    SIFC_HEIGHT 0x83c { value 31:0 Unsigned }
    SIFC_DX_DU_FRACT 0x840 {}
    SIFC_DX_DU_INT 0x844 { value 31:0 Unsigned }
    SIFC_DY_DV_FRACT 0x848 {}
    SIFC_DY_DV_INT 0x84c { value 31:0 Unsigned }
    SIFC_DST_X_FRACT 0x850 {}
    SIFC_DST_X_INT 0x854 { value 31:0 Unsigned }
    SIFC_DST_Y_FRACT 0x858 {}
    SIFC_DST_Y_INT 0x85c { value 31:0 Unsigned }
    SIFC_DATA 0x860 {}
    UNK0870 0x870 {}
    UNK0880 0x880 {}
    SET_PIXELS_FROM_MEMORY_CORRAL_SIZE 0x884 { v 5:0 Bits }
    SET_PIXELS_FROM_MEMORY_SAFE_OVERLAP 0x888 { value 0:0 Flag }
    BLIT_CONTROL 0x88c { origin 0:0 Enum(values::COPY_ORIGIN), filter 4:4 Enum(values::COPY_FILTER) }
    BLIT_DST_X 0x8b0 { value 31:0 Unsigned }
    BLIT_DST_Y 0x8b4 { value 31:0 Unsigned }
    BLIT_DST_W 0x8b8 { value 31:0 Unsigned }
    BLIT_DST_H 0x8bc { value 31:0 Unsigned }
    BLIT_DU_DX_FRACT 0x8c0 {}
    BLIT_DU_DX_INT 0x8c4 { value 31:0 Unsigned }
    BLIT_DV_DY_FRACT 0x8c8 {}
    BLIT_DV_DY_INT 0x8cc { value 31:0 Unsigned }
    BLIT_SRC_X_FRACT 0x8d0 {}
    BLIT_SRC_X_INT 0x8d4 { value 31:0 Unsigned }
    BLIT_SRC_Y_FRACT 0x8d8 {}
    BLIT_SRC_Y_INT 0x8dc { value 31:0 Unsigned }
}
