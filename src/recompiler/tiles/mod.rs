//! Kernels that draw whole tiles, from the rasterizer to the output merger. [`key`] lists the state that is baked into
//! them.
//!
//! A workgroup draws a tile, and an invocation a quad of it: `quad_lanes`. On software adapters an invocation draws a tile
//! ([`software`](super::software)).

pub(crate) mod counts;
pub mod draw_tiles;
pub(crate) mod early_test;
pub mod key;
pub(crate) mod quad_lanes;
pub(crate) mod tile_text;
