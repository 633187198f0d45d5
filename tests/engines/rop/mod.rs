//! The ROP: formats, blending, depth and stencil of quads and of whole streams.

mod mixed_targets;
mod pixel_pairs;
mod pixels;
mod streams;
mod surfaces;
mod tesla_formats;
mod values;
