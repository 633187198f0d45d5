//! Methods of the Tesla generation's 3D class: 0x5097 (G80), 0x8297 (G84), 0x8397 (G200), 0x8597 (GT215), 0x8697 (MCP89).
//!
//! Later chips have methods that the first does not. Source: envytools `rnndb/graph/g80_3d.xml`.

pub mod below_1400;
pub mod from_1400;

use super::{fifo, graph};
use crate::command::methods::{ClassTable, puller};

/// The class.
pub static CLASS: ClassTable = ClassTable::family(
    0x5097,
    &[0x8297, 0x8397, 0x8597, 0x8697],
    "G80_3D",
    &[puller::TABLE, fifo::TABLE, graph::TABLE, below_1400::TABLE, from_1400::TABLE],
);

/// The methods of the stencil test of front and back faces: comparison, reference and mask, the mask of writes, and the operations
/// where the test fails, where the depth test fails, and where both pass.
pub const STENCIL_FACES: [[u16; 7]; 2] = [
    [
        below_1400::STENCIL_FRONT_FUNC_FUNC,
        below_1400::STENCIL_FRONT_FUNC_REF,
        below_1400::STENCIL_FRONT_FUNC_MASK,
        below_1400::STENCIL_FRONT_MASK,
        below_1400::STENCIL_FRONT_OP_FAIL,
        below_1400::STENCIL_FRONT_OP_ZFAIL,
        below_1400::STENCIL_FRONT_OP_ZPASS,
    ],
    [
        from_1400::STENCIL_BACK_FUNC_FUNC,
        below_1400::STENCIL_BACK_FUNC_REF,
        below_1400::STENCIL_BACK_FUNC_MASK,
        below_1400::STENCIL_BACK_MASK,
        from_1400::STENCIL_BACK_OP_FAIL,
        from_1400::STENCIL_BACK_OP_ZFAIL,
        from_1400::STENCIL_BACK_OP_ZPASS,
    ],
];
