//! Kernels that draw whole tiles, from the rasterizer to the output merger. [`key`] lists the state that is baked into
//! them.
//!
//! On software adapters an invocation draws a tile, within an iteration budget: [`iteration_budget`], [`continuations`],
//! `hidden_primitives`, `quad_traversal` and `zcull` serve only these, and `super::software`. On others a workgroup draws a tile, and
//! an invocation a quad of it: `quad_lanes`.

pub mod continuations;
pub(crate) mod counts;
pub mod draw_tiles;
pub(crate) mod hidden_primitives;
pub mod iteration_budget;
pub mod key;
pub(crate) mod quad_lanes;
pub(crate) mod quad_traversal;
mod tile_text;
pub(crate) mod zcull;
