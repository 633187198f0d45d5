//! Generates the kernel that runs one program over the vertices of several draws, each with its own constants and arrays.
//!
//! Binding 1 holds vectors instead of parameters, and constants have no binding: a vector of zeros, one vector per
//! workgroup, then the parts, one per draw. All vertices of a workgroup belong to one part. The contents of a part are
//! not the same for all invocations, so lavapipe loads them lane by lane; for a small draw that costs less than a
//! separate dispatch. Such draws have too few vertices for a fast path beside the exact one to be worth its memory.

use super::{
    AttributeLayout, VertexFetch, VertexKernelKey, declare_vertices, emit_vertex, fetch_vertices, run_and_workgroup,
};
use crate::recompiler::text::Text;
use crate::shader::analysis::vertex_resources::VertexResources;

/// Vertices per invocation, and invocations per workgroup: few lanes load a part, and each processes many vertices.
pub const PART_RUN: [u32; 2] = [32, 8];

/// One vector of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartVector {
    /// The base index, and the maximum number of instructions that a vertex executes.
    Limits,
    /// The value of an attribute that is the same for all vertices.
    Value(u8),
    /// The array of an attribute: its first byte, element count, stride and divider.
    Array(u8),
    /// A constant of the program.
    Constant(u16),
}

/// The vectors of a part in order; `None` for programs whose parameters would be loaded for every vertex.
#[must_use]
pub fn part_vectors(key: &VertexKernelKey) -> Option<Vec<PartVector>> {
    if run_and_workgroup(&key.program, key.has_runs) == super::SINGLE {
        return None;
    }
    let resources = VertexResources::of(&key.program);
    let mut vectors = vec![PartVector::Limits];
    if let VertexFetch::Arrays(layouts) = &key.fetch {
        let read = (0u8..).zip(layouts.iter()).filter(|(attribute, _)| resources.attributes >> attribute & 1 != 0);
        vectors.extend(read.map(|(attribute, layout)| match layout {
            AttributeLayout::Constant => PartVector::Value(attribute),
            AttributeLayout::Array { .. } => PartVector::Array(attribute),
        }));
    }
    vectors.extend(resources.constants.iter().copied().map(PartVector::Constant));
    Some(vectors)
}

/// Writes the kernel for parts with these vectors.
#[must_use]
pub fn parts_source(key: &VertexKernelKey, vectors: &[PartVector]) -> String {
    let resources = VertexResources::of(&key.program);
    let mut text = Text::default();
    text.import("memory::vector", "StoredVector");
    text.import("memory::vector", "vector_of");
    text.line("@group(0) @binding(1) var<storage, read> parts: array<StoredVector>;");
    fetch_vertices::declare(&mut text, key, &resources);
    declare_vertices(&mut text);
    let [_, workgroup] = PART_RUN;
    text.line("");
    text.line(format!("@compute @workgroup_size({workgroup})"));
    text.open("fn main(@builtin(local_invocation_index) column: u32, @builtin(workgroup_id) group: vec3u) {");
    text.import("arith::optimization_barrier", "set_opaque_zero");
    text.line("set_opaque_zero(vector_of(parts[0]).x);");
    text.line("let span = vector_of(parts[1u + group.x]);");
    text.line("let part = span.x;");
    text.line("let end = span.z;");
    text.line("let first = span.y + column;");
    text.line("if first >= end { return; }");
    emit_loads(&mut text, key, vectors);
    text.open(format!("for (var vertex = first; vertex < end; vertex += {workgroup}u) {{"));
    emit_vertex(&mut text, key, &resources);
    text.close();
    text.close();
    text.finish("Runs one vertex program over fetched vertices of several draws; generated.")
}

/// Emits the values that the kernel of a single draw reads from its parameters and constants.
fn emit_loads(text: &mut Text, key: &VertexKernelKey, vectors: &[PartVector]) {
    for (place, vector) in vectors.iter().enumerate() {
        let loaded = format!("vector_of(parts[part + {place}u])");
        match vector {
            PartVector::Limits => {
                text.line(format!("let limits = {loaded};"));
                text.line("let base_index = limits.x;");
                text.line("let instruction_limit = limits.y;");
            }
            PartVector::Value(attribute) => {
                fetch_vertices::emit_attribute(text, key, usize::from(*attribute), &loaded);
            }
            PartVector::Array(attribute) => {
                text.import("vertex::parameters", "VertexArray");
                text.line(format!("let loaded{attribute} = {loaded};"));
                let members = ["x", "y", "z", "w"].map(|component| format!("loaded{attribute}.{component}")).join(", ");
                text.line(format!("let array{attribute} = VertexArray({members}, vec4u(0u));"));
            }
            PartVector::Constant(constant) => text.line(format!("let c{constant} = {loaded};")),
        }
    }
}
