//! The buffers in which kernels leave the vertices that programs emit.
//!
//! An invocation has room for as many vertices as it may emit. Beside each vertex is its place in its strip, from 1; zero
//! marks room that is left.

use super::text::Text;

/// The binding of the output registers of emitted vertices.
pub const EMITTED_BINDING: u32 = 20;
/// The binding of their places in strips.
pub const STRIPS_BINDING: u32 = 21;

/// Declares both.
pub(super) fn declare(text: &mut Text) {
    text.import("memory::vector", "StoredVector");
    text.import("memory::vector", "stored_of");
    text.import("vertex::output_place", "output_place");
    for (binding, name) in [(EMITTED_BINDING, "emitted: array<StoredVector>"), (STRIPS_BINDING, "strips: array<u32>")] {
        text.line(format!("@group(0) @binding({binding}) var<storage, read_write> {name};"));
    }
}
