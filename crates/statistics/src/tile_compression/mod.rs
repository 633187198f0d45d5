//! Classifies tiles of depth and color surfaces by whether the memory controller's formats can compress them.
//!
//! A tile is 8×4 samples of 32 bits. Formats and sizes: envytools (hardware-tested). Tiles are classified by their
//! contents: a depth tile is compressed if an encoder finds gradients and residuals that reproduce its depths
//! exactly.

mod classify;
mod gradient;
#[cfg(test)]
mod tests;
mod tiles;

pub use classify::{classify, classify_tile, reclassify};
pub use gradient::{decode, encode};
pub use tiles::{SampleSurface, TILE_BYTES, TILE_COLUMNS, TILE_ROWS, TILE_SAMPLES, TileClass, TileFormat, TileMap};
