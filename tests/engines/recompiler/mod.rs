//! Recompiled programs against the reference: the same bits for random programs, inputs and formats.
#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "random bits are cut; a test fails by panicking"
)]

mod deep_flow;
mod fragment;
mod functions;
mod geometry;
mod nv20;
mod output_map;
mod pica;
mod random;
mod rules;
mod scopes;
mod vertex;
mod vertex_sums;
mod vertex_texture;
