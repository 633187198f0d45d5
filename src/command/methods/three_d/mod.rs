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

/// The class.
pub static CLASS: ClassTable = ClassTable::new(
    0x4097,
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
