//! Stages of kernels that draw whole tiles.

pub(in crate::kernels) mod draw_tiles;
