//! Methods of the texture from the processor, class 0x307b.

use super::enums::{COLOR_CONVERSION as CONVERSION, NOTIFY as NOTIFY_STYLE, UPLOAD_FORMAT};
use super::kinds::{Bits, Enum, Handle, Signed, Unsigned};
use super::{ClassTable, methods, puller};

/// The class.
pub static CLASS: ClassTable = ClassTable::family(0x307b, &[0x007b], "TEXUPLOAD", &[puller::TABLE, TABLE]);

methods! {
    NOP 0x100 {}
    NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
    WAIT_FOR_IDLE 0x108 {}
    DMA_NOTIFY 0x180 { object 31:0 Handle }
    SURFACE 0x184 { object 31:0 Handle }
    COLOR_CONVERSION 0x2fc = 1 { conversion 31:0 Enum(CONVERSION) }
    COLOR_FORMAT 0x300 { format 31:0 Enum(UPLOAD_FORMAT) }
    POINT 0x304 { x 15:0 Signed, y 31:16 Signed }
    SIZE 0x308 { width 15:0 Unsigned, height 31:16 Unsigned }
    CLIP_HORIZONTAL 0x30c { x 15:0 Signed, width 31:16 Unsigned }
    CLIP_VERTICAL 0x310 { y 15:0 Signed, height 31:16 Unsigned }
    COLOR 0x400 [1792; 4] { pixels 31:0 Bits }
}
