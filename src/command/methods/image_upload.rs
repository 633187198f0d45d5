//! Methods of the image from the processor, class 0x308a.

use super::enums::{COLOR_CONVERSION as CONVERSION, IMAGE_OPERATION, NOTIFY as NOTIFY_STYLE, UPLOAD_FORMAT};
use super::kinds::{Bits, Enum, Handle, Signed, Unsigned};
use super::{ClassTable, methods, puller};

/// The class.
pub static CLASS: ClassTable = ClassTable::family(0x308a, &[0x0061, 0x0065, 0x008a], "IFC", &[puller::TABLE, TABLE]);

methods! {
    NOP 0x100 {}
    NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
    WAIT_FOR_IDLE 0x108 {}
    DMA_NOTIFY 0x180 { object 31:0 Handle }
    COLOR_KEY 0x184 { object 31:0 Handle }
    CLIP 0x188 { object 31:0 Handle }
    PATTERN 0x18c { object 31:0 Handle }
    ROP 0x190 { object 31:0 Handle }
    BETA 0x194 { object 31:0 Handle }
    BETA4 0x198 { object 31:0 Handle }
    SURFACE 0x19c { object 31:0 Handle }
    COLOR_CONVERSION 0x2f8 = 1 { conversion 31:0 Enum(CONVERSION) }
    OPERATION 0x2fc = 3 { operation 31:0 Enum(IMAGE_OPERATION) }
    COLOR_FORMAT 0x300 { format 31:0 Enum(UPLOAD_FORMAT) }
    POINT 0x304 { x 15:0 Signed, y 31:16 Signed }
    SIZE_OUT 0x308 { width 15:0 Unsigned, height 31:16 Unsigned }
    SIZE_IN 0x30c { width 15:0 Unsigned, height 31:16 Unsigned }
    COLOR 0x400 [1792; 4] { pixels 31:0 Bits }
}
