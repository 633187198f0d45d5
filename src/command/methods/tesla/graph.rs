//! Methods of every graphics class of the generation.
//!
//! Source: envytools `rnndb/fifo/nv_object.xml`.

use crate::command::methods::enums::NOTIFY as NOTIFY_STYLE;
use crate::command::methods::kinds::Enum;
use crate::command::methods::methods;

methods! {
    NOP 0x100 {}
    NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
    SERIALIZE 0x110 {}
    PM_TRIGGER 0x140 {}
}
