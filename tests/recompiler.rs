//! Recompiled programs against the reference: the same bits for random programs, inputs and formats.
#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "random bits are cut; a test fails by panicking"
)]

mod common;
#[path = "recompiler/deep_flow.rs"]
mod deep_flow;
#[path = "recompiler/fragment.rs"]
mod fragment;
#[path = "recompiler/random.rs"]
mod random;
#[path = "recompiler/rules.rs"]
mod rules;
#[path = "recompiler/vertex.rs"]
mod vertex;
#[path = "recompiler/vertex_sums.rs"]
mod vertex_sums;
#[path = "recompiler/vertex_texture.rs"]
mod vertex_texture;
