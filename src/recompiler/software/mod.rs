//! Text that serves only software adapters.

pub(crate) mod pixel_pairs;
