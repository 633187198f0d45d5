//! Methods of the memory-to-memory copy, class 0x5039.
//!
//! Source: envytools `rnndb/graph/nv_m2mf.xml`.

use crate::command::methods::kinds::{Bits, Handle, Unsigned};
use crate::command::methods::{ClassTable, methods, puller};

use super::{fifo, graph};

/// The class.
pub static CLASS: ClassTable = ClassTable::new(0x5039, "G80_M2MF", &[puller::TABLE, fifo::TABLE, graph::TABLE, TABLE]);

methods! {
    DMA_NOTIFY 0x180 { value 31:0 Handle }
    DMA_BUFFER_IN 0x184 { value 31:0 Handle }
    DMA_BUFFER_OUT 0x188 { value 31:0 Handle }
    LAYOUT_IN 0x200 {}
    BLOCKLINEAR_DIMENSIONS_IN 0x204 {}
    BLOCKLINEAR_PITCH_IN 0x208 { value 31:0 Unsigned }
    BLOCKLINEAR_HEIGHT_IN 0x20c { value 31:0 Unsigned }
    BLOCKLINEAR_DEPTH_IN 0x210 { value 31:0 Unsigned }
    BLOCKLINEAR_POSITION_IN_Z 0x214 { value 31:0 Unsigned }
    BLOCKLINEAR_POSITION_IN 0x218 { x 15:0 Unsigned, y 31:16 Unsigned }
    LAYOUT_OUT 0x21c {}
    BLOCKLINEAR_DIMENSIONS_OUT 0x220 {}
    BLOCKLINEAR_PITCH_OUT 0x224 { value 31:0 Unsigned }
    BLOCKLINEAR_HEIGHT_OUT 0x228 { value 31:0 Unsigned }
    BLOCKLINEAR_DEPTH_OUT 0x22c { value 31:0 Unsigned }
    BLOCKLINEAR_POSITION_OUT_Z 0x230 { value 31:0 Unsigned }
    BLOCKLINEAR_POSITION_OUT 0x234 { x 15:0 Unsigned, y 31:16 Unsigned }
    OFFSET_IN_HIGH 0x238 {}
    OFFSET_OUT_HIGH 0x23c {}
    OFFSET_IN 0x30c {}
    OFFSET_OUT 0x310 {}
    PITCH_IN 0x314 { value 31:0 Unsigned }
    PITCH_OUT 0x318 { value 31:0 Unsigned }
    LINE_LENGTH_IN 0x31c { value 31:0 Unsigned }
    LINE_COUNT 0x320 { value 31:0 Unsigned }
    FORMAT 0x324 { input_inc 7:0 Bits, output_inc 15:8 Bits }
    BUF_NOTIFY 0x328 {}
}
