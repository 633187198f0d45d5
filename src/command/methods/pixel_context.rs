//! Methods of the classes that determine how 2D pixels are combined: factors, bitwise operation, pattern, color
//! key, clip.

/// The blend factor, class 0x0012.
pub mod beta {
    use crate::command::methods::enums::NOTIFY as NOTIFY_STYLE;
    use crate::command::methods::kinds::{Enum, Handle, Signed};
    use crate::command::methods::{ClassTable, methods, puller};

    /// The class.
    pub static CLASS: ClassTable = ClassTable::new(0x0012, "BETA", &[puller::TABLE, TABLE]);

    methods! {
        NOP 0x100 {}
        NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
        DMA_NOTIFY 0x180 { object 31:0 Handle }
        BETA_1D31 0x300 { factor_1_31 31:0 Signed }
    }
}

/// The four factors of premultiplied operations, class 0x0072.
pub mod beta4 {
    use crate::command::methods::enums::NOTIFY as NOTIFY_STYLE;
    use crate::command::methods::kinds::{Enum, Handle, Unsigned};
    use crate::command::methods::{ClassTable, methods, puller};

    /// The class.
    pub static CLASS: ClassTable = ClassTable::new(0x0072, "BETA4", &[puller::TABLE, TABLE]);

    methods! {
        NOP 0x100 {}
        NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
        DMA_NOTIFY 0x180 { object 31:0 Handle }
        BETA_FACTOR 0x300 { blue 7:0 Unsigned, green 15:8 Unsigned, red 23:16 Unsigned, alpha 31:24 Unsigned }
    }
}

/// The truth table of bitwise operations, class 0x0043.
pub mod rop {
    use crate::command::methods::enums::NOTIFY as NOTIFY_STYLE;
    use crate::command::methods::kinds::{Bits, Enum, Handle};
    use crate::command::methods::{ClassTable, methods, puller};

    /// The class.
    pub static CLASS: ClassTable = ClassTable::new(0x0043, "ROP", &[puller::TABLE, TABLE]);

    methods! {
        NOP 0x100 {}
        NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
        DMA_NOTIFY 0x180 { object 31:0 Handle }
        ROP 0x300 { table 7:0 Bits }
    }
}

/// The pattern, class 0x0044.
pub mod pattern {
    use crate::command::methods::enums::{
        BITMAP_FORMAT as BITS, CONTEXT_FORMAT, NOTIFY as NOTIFY_STYLE, PATTERN_SELECT, PATTERN_SHAPE,
    };
    use crate::command::methods::kinds::{Bits, Enum, Handle};
    use crate::command::methods::{ClassTable, methods, puller};

    /// The class.
    pub static CLASS: ClassTable = ClassTable::new(0x0044, "PATTERN", &[puller::TABLE, TABLE]);

    methods! {
        NOP 0x100 {}
        NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
        DMA_NOTIFY 0x180 { object 31:0 Handle }
        COLOR_FORMAT 0x300 = 3 { format 31:0 Enum(CONTEXT_FORMAT) }
        BITMAP_FORMAT 0x304 = 2 { format 31:0 Enum(BITS) }
        BITMAP_SHAPE 0x308 { shape 31:0 Enum(PATTERN_SHAPE) }
        SELECT 0x30c = 1 { kind 31:0 Enum(PATTERN_SELECT) }
        BITMAP_COLOR 0x310 [2; 4] { color 31:0 Bits }
        BITMAP 0x318 [2; 4] { bits 31:0 Bits }
        COLOR_Y8 0x400 [16; 4] { colors 31:0 Bits }
        COLOR_R5G6B5 0x500 [32; 4] { colors 31:0 Bits }
        COLOR_X1R5G5B5 0x600 [32; 4] { colors 31:0 Bits }
        COLOR_X8R8G8B8 0x700 [64; 4] { color 31:0 Bits }
    }
}

/// The color key, class 0x0057.
pub mod color_key {
    use crate::command::methods::enums::{CONTEXT_FORMAT, NOTIFY as NOTIFY_STYLE};
    use crate::command::methods::kinds::{Bits, Enum, Handle};
    use crate::command::methods::{ClassTable, methods, puller};

    /// The class.
    pub static CLASS: ClassTable = ClassTable::new(0x0057, "CHROMA", &[puller::TABLE, TABLE]);

    methods! {
        NOP 0x100 {}
        NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
        DMA_NOTIFY 0x180 { object 31:0 Handle }
        COLOR_FORMAT 0x300 = 3 { format 31:0 Enum(CONTEXT_FORMAT) }
        COLOR 0x304 { color 31:0 Bits }
    }
}

/// The clip rectangle, class 0x0019.
pub mod clip {
    use crate::command::methods::enums::NOTIFY as NOTIFY_STYLE;
    use crate::command::methods::kinds::{Enum, Handle, Signed, Unsigned};
    use crate::command::methods::{ClassTable, methods, puller};

    /// The class.
    pub static CLASS: ClassTable = ClassTable::new(0x0019, "CLIP", &[puller::TABLE, TABLE]);

    methods! {
        NOP 0x100 {}
        NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
        DMA_NOTIFY 0x180 { object 31:0 Handle }
        POINT 0x300 { x 15:0 Signed, y 31:16 Signed }
        SIZE 0x304 { width 15:0 Unsigned, height 31:16 Unsigned }
    }
}
