//! Methods of solid rectangles and bitmaps, class 0x004a.

use super::enums::{BITMAP_FORMAT as BITS, IMAGE_OPERATION, NOTIFY as NOTIFY_STYLE, SOLID_FORMAT};
use super::kinds::{Bits, Enum, Handle, Signed, Unsigned};
use super::{ClassTable, methods, puller};

/// The class.
pub static CLASS: ClassTable = ClassTable::new(0x004a, "GDI", &[puller::TABLE, TABLE]);

methods! {
    NOP 0x100 {}
    NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
    DMA_NOTIFY 0x180 { object 31:0 Handle }
    DMA_FONTS 0x184 { object 31:0 Handle }
    PATTERN 0x188 { object 31:0 Handle }
    ROP 0x18c { object 31:0 Handle }
    BETA 0x190 { object 31:0 Handle }
    BETA4 0x194 { object 31:0 Handle }
    SURFACE 0x198 { object 31:0 Handle }
    OPERATION 0x2fc = 3 { operation 31:0 Enum(IMAGE_OPERATION) }
    COLOR_FORMAT 0x300 { format 31:0 Enum(SOLID_FORMAT) }
    MONOCHROME_FORMAT 0x304 = 2 { format 31:0 Enum(BITS) }
    COLOR1_A 0x3fc { color 31:0 Bits }
    UNCLIPPED_RECTANGLE_POINT 0x400 [32; 8] { y 15:0 Signed, x 31:16 Signed }
    UNCLIPPED_RECTANGLE_SIZE 0x404 [32; 8] { height 15:0 Unsigned, width 31:16 Unsigned }
    CLIP_B_POINT0 0x5f4 { left 15:0 Signed, top 31:16 Signed }
    CLIP_B_POINT1 0x5f8 { right 15:0 Signed, bottom 31:16 Signed }
    COLOR1_B 0x5fc { color 31:0 Bits }
    CLIPPED_RECTANGLE_POINT_0 0x600 [32; 8] { left 15:0 Signed, top 31:16 Signed }
    CLIPPED_RECTANGLE_POINT_1 0x604 [32; 8] { right 15:0 Signed, bottom 31:16 Signed }
    CLIP_C_POINT0 0x7ec { left 15:0 Signed, top 31:16 Signed }
    CLIP_C_POINT1 0x7f0 { right 15:0 Signed, bottom 31:16 Signed }
    COLOR1_C 0x7f4 { color 31:0 Bits }
    SIZE_C 0x7f8 { width 15:0 Unsigned, height 31:16 Unsigned }
    POINT_C 0x7fc { x 15:0 Signed, y 31:16 Signed }
    MONOCHROME_COLOR1_C 0x800 [128; 4] { bits 31:0 Bits }
    CLIP_E_POINT0 0xbe4 { left 15:0 Signed, top 31:16 Signed }
    CLIP_E_POINT1 0xbe8 { right 15:0 Signed, bottom 31:16 Signed }
    COLOR0_E 0xbec { color 31:0 Bits }
    COLOR1_E 0xbf0 { color 31:0 Bits }
    SIZE_IN_E 0xbf4 { width 15:0 Unsigned, height 31:16 Unsigned }
    SIZE_OUT_E 0xbf8 { width 15:0 Unsigned, height 31:16 Unsigned }
    POINT_E 0xbfc { x 15:0 Signed, y 31:16 Signed }
    MONOCHROME_COLOR01_E 0xc00 [128; 4] { bits 31:0 Bits }
    FONT_F 0xff0 { offset 27:0 Bits, pitch 31:28 Unsigned }
    CLIP_F_POINT0 0xff4 { left 15:0 Signed, top 31:16 Signed }
    CLIP_F_POINT1 0xff8 { right 15:0 Signed, bottom 31:16 Signed }
    COLOR1_F 0xffc { color 31:0 Bits }
    CHARACTER_COLOR1_F 0x1000 [256; 4] { index 7:0 Unsigned, x 19:8 Signed, y 31:20 Signed }
    FONT_G 0x17f0 { offset 27:0 Bits, pitch 31:28 Unsigned }
    CLIP_G_POINT0 0x17f4 { left 15:0 Signed, top 31:16 Signed }
    CLIP_G_POINT1 0x17f8 { right 15:0 Signed, bottom 31:16 Signed }
    COLOR1_G 0x17fc { color 31:0 Bits }
    CHARACTER_COLOR1_G_POINT 0x1800 [256; 8] { x 15:0 Signed, y 31:16 Signed }
    CHARACTER_COLOR1_G_INDEX 0x1804 [256; 8] { index 31:0 Unsigned }
}
