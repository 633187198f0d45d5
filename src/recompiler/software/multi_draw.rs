//! Generates the kernel that runs one program over the vertices of several draws, each with its own constants and arrays.
//!
//! Binding 1 holds vectors instead of parameters, and constants have no binding: a vector of zeros, one vector per
//! workgroup, then the parts, one per draw. All vertices of a workgroup belong to one part. The contents of a part are
//! not the same for all invocations, so lavapipe loads them lane by lane; for a small draw that costs less than a
//! separate dispatch. Such draws have too few vertices for a fast path beside the exact one to be worth its memory.

use crate::recompiler::text::Text;
use crate::recompiler::vertex::{
    AttributeLayout, SINGLE, VertexFetch, VertexKernelKey, declare_vertices, emit_attribute, emit_vertex, fetch_text,
    run_and_workgroup,
};
use crate::shader::analysis::vertex_resources::VertexResources;
use crate::shader::vertex::{VertexProgram, VertexRegister};

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
    if run_and_workgroup(&key.program, key.has_runs) == SINGLE {
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

/// Writes the kernel for parts with these vectors. It names the constants by their order: drivers place the constants of a
/// program wherever there is room, and programs that differ only in that share the kernel.
#[must_use]
pub fn parts_source(key: &VertexKernelKey, vectors: &[PartVector]) -> String {
    let key = &VertexKernelKey { program: number_constants(&key.program), ..key.clone() };
    let resources = VertexResources::of(&key.program);
    let mut text = Text::default();
    text.import("memory::vector", "StoredVector");
    text.import("memory::vector", "vector_of");
    text.line("@group(0) @binding(1) var<storage, read> parts: array<StoredVector>;");
    fetch_text(key, &resources).declare(&mut text);
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

/// The program with its constants numbered from 0 in their order. It has no indices and no flow.
fn number_constants(program: &VertexProgram) -> VertexProgram {
    let constants: Vec<u16> = VertexResources::of(program).constants.into_iter().collect();
    let mut program = program.clone();
    let operations = program.bundles.iter_mut().flat_map(|bundle| [&mut bundle.vector, &mut bundle.scalar]);
    for operand in operations.flat_map(|operation| &mut operation.sources) {
        if let VertexRegister::Constant { index, relative: None } = &mut operand.register
            && let Ok(number) = constants.binary_search(index)
        {
            *index = u16::try_from(number).expect("there are fewer constants than indices");
        }
    }
    program
}

/// Emits the values that the kernel of a single draw reads from its parameters and constants.
fn emit_loads(text: &mut Text, key: &VertexKernelKey, vectors: &[PartVector]) {
    let mut constants = 0;
    for (place, vector) in vectors.iter().enumerate() {
        let loaded = format!("vector_of(parts[part + {place}u])");
        match vector {
            PartVector::Limits => {
                text.line(format!("let limits = {loaded};"));
                text.line("let base_index = limits.x;");
                text.line("let instruction_limit = limits.y;");
            }
            PartVector::Value(attribute) => {
                emit_attribute(text, key.rules, usize::from(*attribute), &loaded);
            }
            PartVector::Array(attribute) => {
                text.import("vertex::parameters", "VertexArray");
                text.line(format!("let loaded{attribute} = {loaded};"));
                let members = ["x", "y", "z", "w"].map(|component| format!("loaded{attribute}.{component}")).join(", ");
                text.line(format!("let array{attribute} = VertexArray({members}, vec4u(0u));"));
            }
            PartVector::Constant(_) => {
                text.line(format!("let c{constants} = {loaded};"));
                constants += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::vertex::VertexRuleSet;
    use crate::arith::vertex_functions::MUL;
    use crate::recompiler::vertex::attributes_read;
    use crate::shader::test_programs::{attribute, bundle, constant, operation, program, temporary};
    use crate::shader::vertex::OperationKind;

    /// The kernel of a program that multiplies an attribute by constants, one after the other, and its part.
    fn kernel(constants: [u16; 4]) -> (String, Vec<PartVector>) {
        let product = |index| {
            let factor = if index == constants[0] { attribute(0) } else { temporary(0) };
            bundle(operation(OperationKind::Arithmetic(&MUL), &[factor, constant(index)], Some(0)))
        };
        let program = program(constants.map(product).to_vec());
        assert_eq!(attributes_read(&program), 1);
        let fetch = VertexFetch::Immediate;
        let key = VertexKernelKey {
            program,
            rules: VertexRuleSet::Nv40Modern,
            fetch,
            outputs: 1,
            output_map: None,
            has_runs: true,
        };
        let part = part_vectors(&key).expect("sixteen products");
        (parts_source(&key, &part), part)
    }

    #[test]
    fn programs_share_a_kernel_wherever_their_constants_lie() {
        let (kernel_at_0, _) = kernel([0, 1, 2, 3]);
        let (kernel_at_90, part) = kernel([90, 91, 100, 467]);
        assert_eq!(kernel_at_0, kernel_at_90);
        // Each has its own constants in its parts.
        let constants = [90, 91, 100, 467].map(PartVector::Constant);
        assert_eq!(part, [[PartVector::Limits].as_slice(), &constants].concat());
        // Another order of use is another program.
        assert_ne!(kernel_at_0, kernel([1, 0, 2, 3]).0);
    }
}
