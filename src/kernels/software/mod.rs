//! What serves only software adapters, whose invocations are lanes of a processor, and the switch between them and others.

pub(in crate::kernels) mod adapter_choices;
pub(in crate::kernels) mod ordered_stores;
pub(in crate::kernels) mod pixel_pairs;
pub mod texel_image;
pub(in crate::kernels) mod tile_progress;
pub mod wide_fills;
