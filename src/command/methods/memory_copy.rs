//! Methods of the memory-to-memory copy, class 0x0039.

use super::enums::NOTIFY as NOTIFY_STYLE;
use super::kinds::{Address, Enum, Handle, Signed, Unsigned};
use super::{ClassTable, methods, puller};

/// The class.
pub static CLASS: ClassTable = ClassTable::new(0x0039, "M2MF", &[puller::TABLE, TABLE]);

methods! {
    NOP 0x100 {}
    NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
    DMA_NOTIFY 0x180 { object 31:0 Handle }
    DMA_BUFFER_IN 0x184 { object 31:0 Handle }
    DMA_BUFFER_OUT 0x188 { object 31:0 Handle }
    OFFSET_IN 0x30c { offset 31:0 Address }
    OFFSET_OUT 0x310 { offset 31:0 Address }
    PITCH_IN 0x314 { pitch 31:0 Signed }
    PITCH_OUT 0x318 { pitch 31:0 Signed }
    LINE_LENGTH_IN 0x31c { elements 31:0 Unsigned }
    LINE_COUNT 0x320 { lines 31:0 Unsigned }
    FORMAT 0x324 { input_increment 2:0 Unsigned, output_increment 10:8 Unsigned }
    BUF_NOTIFY 0x328 { style 31:0 Enum(NOTIFY_STYLE) }
}
