//! Methods of the scaled image from memory, class 0x3089.

use super::enums::{
    COLOR_CONVERSION as CONVERSION, IMAGE_FILTER, IMAGE_FORMAT, IMAGE_OPERATION, IMAGE_ORIGIN, NOTIFY as NOTIFY_STYLE,
};
use super::kinds::{Address, Enum, Handle, Signed, Unsigned};
use super::{ClassTable, methods, puller};

/// The class.
pub static CLASS: ClassTable = ClassTable::family(0x3089, &[0x0063, 0x0077, 0x0089], "SIFM", &[puller::TABLE, TABLE]);

methods! {
    NOP 0x100 {}
    NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
    WAIT_FOR_IDLE 0x108 {}
    DMA_NOTIFY 0x180 { object 31:0 Handle }
    DMA_IMAGE 0x184 { object 31:0 Handle }
    PATTERN 0x188 { object 31:0 Handle }
    ROP 0x18c { object 31:0 Handle }
    BETA 0x190 { object 31:0 Handle }
    BETA4 0x194 { object 31:0 Handle }
    SURFACE 0x198 { object 31:0 Handle }
    COLOR_CONVERSION 0x2fc = 1 { conversion 31:0 Enum(CONVERSION) }
    COLOR_FORMAT 0x300 { format 31:0 Enum(IMAGE_FORMAT) }
    OPERATION 0x304 = 3 { operation 31:0 Enum(IMAGE_OPERATION) }
    CLIP_POINT 0x308 { x 15:0 Signed, y 31:16 Signed }
    CLIP_SIZE 0x30c { width 15:0 Unsigned, height 31:16 Unsigned }
    OUT_POINT 0x310 { x 15:0 Signed, y 31:16 Signed }
    OUT_SIZE 0x314 { width 15:0 Unsigned, height 31:16 Unsigned }
    DU_DX 0x318 { step_12_20 31:0 Signed }
    DV_DY 0x31c { step_12_20 31:0 Signed }
    SIZE 0x400 { width 15:0 Unsigned, height 31:16 Unsigned }
    FORMAT 0x404 { pitch 15:0 Unsigned, origin 23:16 Enum(IMAGE_ORIGIN), filter 31:24 Enum(IMAGE_FILTER) }
    OFFSET 0x408 { offset 31:0 Address }
    POINT 0x40c { u_12_4 15:0 Unsigned, v_12_4 31:16 Unsigned }
}
