//! Kernels for software adapters only: one invocation draws a whole tile, within an iteration budget. [`key`] lists the
//! state that is baked into a kernel.

pub mod continuations;
pub(crate) mod counts;
pub mod draw_tiles;
pub(crate) mod hidden_primitives;
pub mod iteration_budget;
pub mod key;
pub(crate) mod pixel_pairs;
pub(crate) mod quad_traversal;
pub(crate) mod zcull;
