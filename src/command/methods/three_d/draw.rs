//! Methods of the 3D class that draw.

use crate::command::methods::enums::{INDEX_TYPE, PRIMITIVE, VERTEX_DMA};
use crate::command::methods::kinds::{Address, Bits, Enum, Flag, Unsigned};
use crate::command::methods::methods;

methods! {
    VERTEX_BEGIN_END 0x1808 { primitive 31:0 Enum(PRIMITIVE) }
    VB_ELEMENT_U16 0x180c { first 15:0 Unsigned, second 31:16 Unsigned }
    VB_ELEMENT_U32 0x1810 { index 31:0 Unsigned }
    VB_VERTEX_BATCH 0x1814 { first 23:0 Unsigned, count_minus_1 31:24 Unsigned }
    VERTEX_DATA 0x1818 { word 31:0 Bits }
    IDXBUF_OFFSET 0x181c { offset 31:0 Address }
    IDXBUF_FORMAT 0x1820 { dma 0:0 Enum(VERTEX_DMA), index 7:4 Enum(INDEX_TYPE) }
    VB_INDEX_BATCH 0x1824 { first 23:0 Unsigned, count_minus_1 31:24 Unsigned }
    PRIMITIVE_RESTART_ENABLE 0x1dac { enable 0:0 Flag }
    PRIMITIVE_RESTART_INDEX 0x1db0 = 0xffff_ffff { index 31:0 Bits }
}
