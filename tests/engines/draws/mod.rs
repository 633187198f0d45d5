//! Streams of whole draws on both engines: every byte of memory is equal, and pixels match hand calculations.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking and counts in small numbers"
)]

mod attribute_formats;
mod clip_distances;
mod driver;
mod geometry_programs;
mod interpolation;
mod joined;
mod large_surfaces;
mod nv20;
mod pica200;
mod pipeline_statistics;
mod primitive_numbers;
mod primitives;
mod program_state;
mod random_streams;
mod ranges;
mod selection;
mod simt;
mod simt_counters;
mod simt_fast;
mod simt_flow;
mod simt_merging;
mod simt_samples;
mod simt_targets;
mod simt_textures;
mod sprites;
mod stage;
mod stream_out;
mod uniform;
mod vertex_parts;
mod vertices;
