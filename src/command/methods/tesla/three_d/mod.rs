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
