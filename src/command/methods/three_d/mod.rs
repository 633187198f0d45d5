//! Methods of the 3D class 0x4097, one table per hardware block.

pub mod draw;
pub mod program;
pub mod raster;
pub mod rop;
pub mod sync;
pub mod targets;
pub mod texture;
pub mod vertex;

use super::{ClassTable, puller};

/// The class. Drivers create 0x4497 on chipsets 0x44, 0x46, 0x4a, 0x4c, 0x4e, 0x63 and 0x67, and use it like 0x4097
/// (`NV4X_GRCLASS4497_CHIPSETS` and `NV6X_GRCLASS4497_CHIPSETS` in Mesa's `nv30_screen.c`).
pub static CLASS: ClassTable = ClassTable::family(
    0x4097,
    &[0x4497],
    "NV40_3D",
    &[
        puller::TABLE,
        sync::TABLE,
        targets::TABLE,
        raster::TABLE,
        rop::TABLE,
        vertex::TABLE,
        draw::TABLE,
        program::TABLE,
        texture::TABLE,
    ],
);
