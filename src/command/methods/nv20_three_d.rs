//! Methods of the 3D class 0x0097 (GeForce 3) that upload and select vertex programs.
//!
//! Source: envytools `rnndb/graph/nv20_3d.xml`; the field that makes constants writable is from its `docs/hw/graph/xf`.

use super::{ClassTable, puller};
use crate::command::methods::enums::{NOTIFY as NOTIFY_STYLE, VERTEX_MODE};
use crate::command::methods::kinds::{Bits, Enum, Flag, Float, Handle, Unsigned};
use crate::command::methods::methods;

/// The class. NV25 has 0x0597 with the same methods.
pub static CLASS: ClassTable = ClassTable::family(0x0097, &[0x0597], "NV20_3D", &[puller::TABLE, TABLE]);

methods! {
    NOP 0x100 {}
    NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
    DMA_NOTIFY 0x180 { object 31:0 Handle }
    VP_UPLOAD_INST 0x0b00 [32; 4] { word 31:0 Bits }
    VP_UPLOAD_CONST 0x0b80 [32; 4] { component 31:0 Float }
    ENGINE 0x1e94 { mode 1:0 Enum(VERTEX_MODE), writable_constants 2:2 Flag }
    VP_UPLOAD_FROM_ID 0x1e9c { slot 31:0 Unsigned }
    VP_START_FROM_ID 0x1ea0 { slot 31:0 Unsigned }
    VP_UPLOAD_CONST_ID 0x1ea4 { constant 31:0 Unsigned }
}
