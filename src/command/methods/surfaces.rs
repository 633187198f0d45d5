//! Methods of the 2D surfaces: linear (class 0x0062) and swizzled (class 0x309e).

use super::ClassTable;

/// The linear surface class.
pub static CLASS_2D: ClassTable =
    ClassTable::family(0x0062, &[0x0042, 0x3062], "SURFACE_2D", &[super::puller::TABLE, linear::TABLE]);

/// The swizzled surface class.
pub static CLASS_SWIZZLED: ClassTable =
    ClassTable::family(0x309e, &[0x0052, 0x009e], "SURFACE_SWZ", &[super::puller::TABLE, swizzled::TABLE]);

/// Linear surfaces.
pub mod linear {
    use crate::command::methods::enums::{NOTIFY as NOTIFY_STYLE, SURFACE_FORMAT};
    use crate::command::methods::kinds::{Address, Enum, Handle, Unsigned};
    use crate::command::methods::methods;

    methods! {
        NOP 0x100 {}
        NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
        DMA_NOTIFY 0x180 { object 31:0 Handle }
        DMA_IMAGE_SOURCE 0x184 { object 31:0 Handle }
        DMA_IMAGE_DESTIN 0x188 { object 31:0 Handle }
        FORMAT 0x300 { format 31:0 Enum(SURFACE_FORMAT) }
        PITCH 0x304 { source 15:0 Unsigned, destination 31:16 Unsigned }
        OFFSET_SOURCE 0x308 { offset 31:0 Address }
        OFFSET_DESTIN 0x30c { offset 31:0 Address }
    }
}

/// Swizzled surfaces.
pub mod swizzled {
    use crate::command::methods::enums::{NOTIFY as NOTIFY_STYLE, SURFACE_FORMAT};
    use crate::command::methods::kinds::{Address, Enum, Handle, Unsigned};
    use crate::command::methods::methods;

    methods! {
        NOP 0x100 {}
        NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
        DMA_NOTIFY 0x180 { object 31:0 Handle }
        DMA_IMAGE 0x184 { object 31:0 Handle }
        FORMAT 0x300 { format 7:0 Enum(SURFACE_FORMAT), log2_width 23:16 Unsigned, log2_height 31:24 Unsigned }
        OFFSET 0x304 { offset 31:0 Address }
    }
}
