//! The rasterizer: covered quads of tiles, and coverage of smooth lines and polygons.

pub mod count_rejects;
pub mod line_coverage;
pub mod polygon_coverage;
pub mod rasterize_tiles;
