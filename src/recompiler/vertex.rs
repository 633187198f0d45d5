//! A vertex program and the layout of its arrays into the WGSL kernel `run_vertex_programs`: one invocation per vertex.
//!
//! The kernel reads guest memory (binding 0), parameters (1), constants (2) and vertex indices (3), and writes output
//! registers (4). Programs without branches become straight-line code over the registers they use; the others become a
//! loop over basic blocks.

mod fetch;
mod flow;
mod needs;
mod operands;
mod operations;

use super::text::Text;
use crate::format::VertexFormat;
use crate::program::vertex::VertexProgram;
use needs::Needs;

/// Invocations per workgroup.
pub const WORKGROUP_SIZE: u32 = 64;

/// How an array element is found from the vertex index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Advance {
    /// Element = index.
    Every,
    /// Element = index / divider.
    Divide,
    /// Element = index modulo divider.
    Modulo,
}

/// What is baked of one attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttributeLayout {
    /// The value in the parameters.
    Constant,
    /// An array in memory.
    Array {
        /// Its component type.
        format: VertexFormat,
        /// Components, 1..4.
        size: u8,
        /// How elements are found.
        advance: Advance,
        /// Every element starts at a multiple of four bytes.
        is_word_aligned: bool,
    },
}

/// Where the attributes of a vertex come from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum VertexFetch {
    /// Arrays in guest memory and constant values.
    Arrays(Box<[AttributeLayout; 16]>),
    /// Sixteen converted attributes per vertex at binding 3.
    Immediate,
}

/// Everything that is baked into one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VertexKernelKey {
    /// The program.
    pub program: VertexProgram,
    /// Modern or legacy arithmetic.
    pub modern_rules: bool,
    /// Where attributes come from.
    pub fetch: VertexFetch,
    /// Bit i: output register i is stored.
    pub outputs: u16,
}

/// Writes the kernel.
#[must_use]
pub fn source(key: &VertexKernelKey) -> String {
    let needs = Needs::of(&key.program);
    let mut text = Text::default();
    declare(&mut text, key, &needs);
    text.line("");
    text.line(format!("@compute @workgroup_size({WORKGROUP_SIZE})"));
    text.open("fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {");
    text.import("opaque", "opaque_zero");
    text.line("opaque_zero = vertex_parameters.zero;");
    emit_uniform_loads(&mut text, key, &needs);
    text.line(format!("let vertex = vertex_parameters.first_vertex + id.y * (groups.x * {WORKGROUP_SIZE}u) + id.x;"));
    text.line("if vertex >= vertex_count { return; }");
    fetch::emit(&mut text, key, needs.attributes);
    emit_registers(&mut text, key, &needs);
    flow::emit(&mut text, key, &needs);
    emit_stores(&mut text, key, &needs);
    text.close();
    text.finish("Runs one vertex program over fetched vertices; generated.")
}

fn declare(text: &mut Text, key: &VertexKernelKey, needs: &Needs) {
    text.import("vertex_parameters", "VertexParameters");
    text.line("@group(0) @binding(1) var<storage, read> vertex_parameters: VertexParameters;");
    fetch::declare(text, key, needs);
    if !needs.constants.is_empty() || needs.has_indexed_constants {
        text.line("@group(0) @binding(2) var<storage, read> vertex_constants: array<vec4u>;");
    }
    text.line("@group(0) @binding(4) var<storage, read_write> vertices: array<vec4u>;");
    if needs.has_indexed_constants {
        text.line("");
        text.line("// Constants outside of the limits, or of the store, read zero.");
        text.open("fn indexed_constant(index: i32, limits: vec2u) -> vec4u {");
        text.line("let constant = bitcast<u32>(index);");
        text.line("let is_inside = constant >= limits.x && constant <= limits.y;");
        text.line("return select(vec4u(0u), vertex_constants[select(0u, constant, is_inside)], is_inside);");
        text.close();
    }
}

/// Emits the loads of everything that is the same for all vertices. Before the first branch lavapipe does such a load
/// once for all lanes, behind it one by one.
fn emit_uniform_loads(text: &mut Text, key: &VertexKernelKey, needs: &Needs) {
    text.line("let vertex_count = vertex_parameters.vertex_count;");
    flow::emit_uniform_loads(text, key);
    if needs.has_indexed_constants {
        let limit = |name: &str| format!("vertex_parameters.{name}_indexed_constant");
        text.line(format!("let limits = vec2u({}, {});", limit("first"), limit("last")));
    }
    fetch::emit_uniform_loads(text, key, needs.attributes);
    for unit in (0..4).filter(|unit| needs.texture_units >> unit & 1 != 0) {
        text.line(format!("let texture{unit} = vertex_parameters.textures[{unit}];"));
    }
    for constant in &needs.constants {
        text.line(format!("let c{constant} = vertex_constants[{constant}];"));
    }
}

/// Emits the registers that the program touches, with their initial values.
fn emit_registers(text: &mut Text, key: &VertexKernelKey, needs: &Needs) {
    for register in &needs.temporaries {
        text.line(format!("var r{register} = vec4u(0u);"));
    }
    for register in 0..2u8 {
        if needs.addresses >> register & 1 != 0 {
            text.line(format!("var a{register} = vec4i(0);"));
        }
        if needs.conditions >> register & 1 != 0 {
            // Equal.
            text.line(format!("var cc{register} = vec4u(2u);"));
        }
    }
    if needs.has_indexed_inputs {
        let names: Vec<_> = (0..16).map(|attribute| format!("v{attribute}")).collect();
        text.line(format!("var inputs = array<vec4u, 16>({});", names.join(", ")));
    }
    let initial = "vec4u(0u, 0u, 0u, 0x3f800000u)";
    if needs.has_indexed_outputs {
        text.line("var outputs: array<vec4u, 16>;");
        text.line(format!("for (var o = 0u; o < 16u; o += 1u) {{ outputs[o] = {initial}; }}"));
        return;
    }
    for output in outputs_of(key.outputs).filter(|output| needs.outputs >> output & 1 != 0) {
        text.line(format!("var o{output} = {initial};"));
    }
}

fn emit_stores(text: &mut Text, key: &VertexKernelKey, needs: &Needs) {
    for output in outputs_of(key.outputs) {
        let value = if needs.has_indexed_outputs {
            format!("outputs[{output}]")
        } else if needs.outputs >> output & 1 != 0 {
            format!("o{output}")
        } else {
            "vec4u(0u, 0u, 0u, 0x3f800000u)".to_owned()
        };
        text.line(format!("vertices[vertex * 16u + {output}u] = {value};"));
    }
}

fn outputs_of(mask: u16) -> impl Iterator<Item = u8> {
    (0..16u8).filter(move |output| mask >> output & 1 != 0)
}

/// Bit i: the program reads attribute i.
#[must_use]
pub fn attributes_read(program: &VertexProgram) -> u16 {
    Needs::of(program).attributes
}
