//! Methods of the image blit, class 0x009f.

use super::enums::{IMAGE_OPERATION, NOTIFY as NOTIFY_STYLE};
use super::kinds::{Bits, Enum, Handle, Signed, Unsigned};
use super::{ClassTable, methods, puller};

/// The class.
pub static CLASS: ClassTable = ClassTable::family(0x009f, &[0x005f], "BLIT", &[puller::TABLE, TABLE]);

methods! {
    NOP 0x100 {}
    NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
    WAIT_FOR_IDLE 0x108 {}
    FLIP_SET_READ 0x120 { value 31:0 Bits }
    FLIP_SET_WRITE 0x124 { value 31:0 Bits }
    FLIP_MAX 0x128 { value 31:0 Bits }
    FLIP_INCR_WRITE 0x12c { value 31:0 Bits }
    FLIP_WAIT 0x130 { value 31:0 Bits }
    FLIP_HEAD_INCR_READ 0x134 { value 31:0 Bits }
    DMA_NOTIFY 0x180 { object 31:0 Handle }
    COLOR_KEY 0x184 { object 31:0 Handle }
    CLIP 0x188 { object 31:0 Handle }
    PATTERN 0x18c { object 31:0 Handle }
    ROP 0x190 { object 31:0 Handle }
    BETA 0x194 { object 31:0 Handle }
    BETA4 0x198 { object 31:0 Handle }
    SURFACE 0x19c { object 31:0 Handle }
    OPERATION 0x2fc = 3 { operation 31:0 Enum(IMAGE_OPERATION) }
    POINT_IN 0x300 { x 15:0 Signed, y 31:16 Signed }
    POINT_OUT 0x304 { x 15:0 Signed, y 31:16 Signed }
    SIZE 0x308 { width 15:0 Unsigned, height 31:16 Unsigned }
}
