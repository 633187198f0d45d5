//! Translates a vertex program and the layout of its arrays into the WGSL kernel `run_vertex_programs`: one invocation
//! per vertex.
//!
//! The kernel reads guest memory (binding 0), parameters (1), constants (2) and vertex indices (3), and writes output
//! registers (4). The kernel of a geometry shader also writes the vertices that each invocation emits (20, 21). Programs
//! without branches become straight-line code over the registers they use; other programs become a loop over basic
//! blocks.

mod emission;
mod fetch_vertices;
mod flow;
mod key;
mod operands;
mod operations;
mod output_place;
mod output_registers;

use super::text::{COMPONENTS, Text};
use crate::pipeline::{MappedComponent, OutputComponent, OutputMap};
use crate::shader::analysis::vertex_normal_range::{NormalRangePlan, is_in_range};
use crate::shader::analysis::vertex_resources::VertexResources;
use crate::shader::vertex::{VertexProgram, WRAPPED_CONSTANTS};
pub use emission::EMITTED_VERTICES;
pub(in crate::recompiler) use fetch_vertices::{FetchText, emit_attribute};
pub use key::{Advance, AttributeLayout, ElementAlignment, VertexFetch, VertexKernelKey, run_and_workgroup};
pub(in crate::recompiler) use key::{PROCESSOR_RUN, SINGLE};
pub use output_place::{MAX_SLOTS, output_place, output_vectors, outputs_by_vertex};
use output_registers::{INITIAL_OUTPUT, output_register, outputs_of};

/// Writes the kernel.
#[must_use]
pub fn source(key: &VertexKernelKey) -> String {
    let resources = VertexResources::of(&key.program);
    let mut text = Text::default();
    declare(&mut text, key, &resources);
    let [run, workgroup] = run_and_workgroup(&key.program, key.has_runs);
    text.line("");
    text.line(format!("@compute @workgroup_size({workgroup})"));
    text.open("fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {");
    text.import("arith::optimization_barrier", "set_opaque_zero");
    text.line("set_opaque_zero(vertex_parameters.zero);");
    emit_uniform_loads(&mut text, key, &resources);
    let invocation = format!("(id.y * (groups.x * {workgroup}u) + id.x)");
    text.line(format!("let invocation = {invocation};"));
    if run == 1 {
        text.line("let vertex = vertex_parameters.first_vertex + invocation;");
        text.line("if vertex >= vertex_count { return; }");
        emit_vertex(&mut text, key, &resources);
    } else {
        let plan = NormalRangePlan::of(&key.program).expect("only programs with a plan have runs");
        emit_run(
            &mut text,
            [run, workgroup],
            &|text| {
                fetch_text(key, &resources).emit(text);
                emit_registers(text, key, &resources);
                text.line("var is_exact = !has_normal_range_constants;");
                flow::emit_normal_range(text, key, &resources, &plan);
                emit_stores(text, key, &resources);
            },
            &|text| emit_vertex(text, key, &resources),
        );
    }
    text.close();
    text.finish("Runs one vertex program over fetched vertices; generated.")
}

/// Emits the program for one vertex.
pub(in crate::recompiler) fn emit_vertex(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources) {
    fetch_text(key, resources).emit(text);
    emit_registers(text, key, resources);
    flow::emit(text, key, resources);
    emit_stores(text, key, resources);
}

/// Emits the program for the vertices of a run, twice: the fast path for all vertices, which names `is_exact` whether one has
/// values that it does not take, then the exact path for these. Software adapters execute both sides of a branch, and each loop at
/// least once. Adjacent invocations process adjacent vertices.
pub(in crate::recompiler) fn emit_run(
    text: &mut Text,
    [run, workgroup]: [u32; 2],
    emit_fast: &dyn Fn(&mut Text),
    emit_exact: &dyn Fn(&mut Text),
) {
    debug_assert!(run <= u32::BITS, "a bit for each vertex");
    text.line(format!("let column = invocation % {workgroup}u;"));
    text.line(format!("let begin = vertex_parameters.first_vertex + (invocation - column) * {run}u;"));
    text.line(format!("let end = min(begin + {}u, vertex_count);", run * workgroup));
    text.line("let first = begin + column;");
    text.line("if first >= end { return; }");
    text.line("var exact = 0u;");
    text.open(format!("for (var vertex = first; vertex < end; vertex += {workgroup}u) {{"));
    emit_fast(text);
    text.line(format!("exact |= select(0u, 1u << ((vertex - first) / {workgroup}u), is_exact);"));
    text.close();
    text.open("while exact != 0u {");
    text.line(format!("let vertex = first + {workgroup}u * firstTrailingBit(exact);"));
    text.line("exact &= exact - 1u;");
    emit_exact(text);
    text.close();
}

fn declare(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources) {
    text.import("vertex::parameters", "VertexParameters");
    text.line("@group(0) @binding(1) var<storage, read> vertex_parameters: VertexParameters;");
    fetch_text(key, resources).declare(text);
    let reads_constants =
        !resources.constants.is_empty() || resources.has_indexed_constants || resources.has_wrapped_constants;
    if !resources.written_constants.is_empty() {
        text.line("@group(0) @binding(2) var<storage, read_write> vertex_constants: array<vec4u>;");
    } else if reads_constants {
        text.line("@group(0) @binding(2) var<storage, read> vertex_constants: array<vec4u>;");
    }
    declare_vertices(text);
    emission::declare(text, key);
    if resources.has_wrapped_constants {
        text.line("");
        text.line("// Sums wrap at 128; addresses of more than eight bits count as 0, and constants beyond the last read one.");
        text.open("fn wrapped_constant(index: i32, address: i32) -> vec4u {");
        text.line(
            "let constant = bitcast<u32>(index + select(0, address, address >= -128 && address <= 127)) & 0x7fu;",
        );
        text.line(format!("let is_inside = constant < {WRAPPED_CONSTANTS}u;"));
        text.line("return select(vec4u(0x3f800000u), vertex_constants[select(0u, constant, is_inside)], is_inside);");
        text.close();
    }
    if resources.has_indexed_constants {
        text.line("");
        text.line("// Constants outside of the limits, or of the store, read zero.");
        text.open("fn indexed_constant(index: i32, limits: vec2u) -> vec4u {");
        text.line("let constant = bitcast<u32>(index);");
        text.line("let is_inside = constant >= limits.x && constant <= limits.y;");
        text.line("return select(vec4u(0u), vertex_constants[select(0u, constant, is_inside)], is_inside);");
        text.close();
    }
}

/// The fetch of a kernel.
pub(in crate::recompiler) fn fetch_text<'key>(
    key: &'key VertexKernelKey,
    resources: &VertexResources,
) -> FetchText<'key> {
    FetchText {
        fetch: &key.fetch,
        rules: key.rules,
        read: resources.attributes,
        has_textures: resources.texture_units != 0,
        reads_index: false,
    }
}

/// Declares the buffer of output slots.
pub(in crate::recompiler) fn declare_vertices(text: &mut Text) {
    text.import("memory::vector", "StoredVector");
    text.import("memory::vector", "stored_of");
    text.line("@group(0) @binding(4) var<storage, read_write> vertices: array<StoredVector>;");
}

/// Emits the loads of everything that is the same for all vertices. Before the first branch lavapipe does such a load
/// once for all lanes, after it lane by lane.
fn emit_uniform_loads(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources) {
    text.line("let vertex_count = vertex_parameters.vertex_count;");
    flow::emit_uniform_loads(text, key);
    if resources.has_indexed_constants {
        let limit = |name: &str| format!("vertex_parameters.{name}_indexed_constant");
        text.line(format!("let limits = vec2u({}, {});", limit("first"), limit("last")));
    }
    fetch_text(key, resources).emit_uniform_loads(text);
    for unit in (0..4).filter(|unit| resources.texture_units >> unit & 1 != 0) {
        text.line(format!("let texture{unit} = vertex_parameters.textures[{unit}];"));
    }
    for constant in &resources.constants {
        let kind = if resources.written_constants.contains(constant) { "var" } else { "let" };
        text.line(format!("{kind} c{constant} = vertex_constants[{constant}];"));
    }
}

/// Emits the registers that the program uses, with their initial values.
fn emit_registers(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources) {
    emit_inputs_and_temporaries(text, resources);
    emit_outputs(text, key, resources);
    emission::emit_registers(text, key, resources);
}

fn emit_inputs_and_temporaries(text: &mut Text, resources: &VertexResources) {
    text.import("arith::optimization_barrier", "opaque_zero");
    for register in &resources.temporaries {
        // Drivers multiply by a zero that they know without looking for NaN.
        text.line(format!("var r{register} = vec4u(opaque_zero);"));
    }
    for register in 0..2u8 {
        if resources.addresses >> register & 1 != 0 {
            text.line(format!("var a{register} = vec4i(0);"));
        }
        if resources.conditions >> register & 1 != 0 {
            // The initial condition is "equal".
            text.line(format!("var cc{register} = vec4u(2u);"));
        }
    }
    if resources.has_indexed_inputs {
        let names: Vec<_> = (0..16).map(|attribute| format!("v{attribute}")).collect();
        text.line(format!("var inputs = array<vec4u, 16>({});", names.join(", ")));
    }
}

fn emit_outputs(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources) {
    let mut written = key.kept_outputs() & resources.outputs | resources.outputs_read;
    if resources.has_indexed_outputs {
        text.line("var outputs: array<vec4u, 16>;");
        text.line(format!("for (var o = 0u; o < 16u; o += 1u) {{ outputs[o] = {INITIAL_OUTPUT}; }}"));
        written = resources.outputs_read;
    }
    for output in outputs_of(written) {
        text.line(format!("var o{output} = {INITIAL_OUTPUT};"));
    }
}

fn emit_stores(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources) {
    for output in outputs_of(key.outputs) {
        let value = match &key.output_map {
            Some(OutputMap(map)) => {
                let components = map[usize::from(output)].map(|component| mapped(text, component, resources));
                format!("vec4u({})", components.join(", "))
            }
            None => output_register(output, resources),
        };
        text.import("vertex::output_place", "output_place");
        text.line(format!("vertices[output_place(vertex, {output}u)] = stored_of({value});"));
    }
    emission::emit_finish(text, key);
}

/// The value of a mapped component.
fn mapped(text: &mut Text, component: MappedComponent, resources: &VertexResources) -> String {
    let value = |output: OutputComponent| {
        format!("{}.{}", output_register(output.slot, resources), COMPONENTS[usize::from(output.component)])
    };
    match component {
        MappedComponent::One => "0x3f800000u".to_owned(),
        MappedComponent::Output(output) => value(output),
        MappedComponent::Color(output) => {
            format!("{}({})", text.import("arith::pica", "pica_color"), value(output))
        }
    }
}

/// Bit i: the program reads attribute i.
#[must_use]
pub fn attributes_read(program: &VertexProgram) -> u16 {
    VertexResources::of(program).attributes
}

/// The program properties that the host needs for each draw; computing them takes longer than a small draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramTraits {
    /// Bit i: attribute i is read.
    pub attributes: u16,
    /// Whether a branch may lead backward.
    pub can_loop: bool,
    /// Vertices per invocation, and invocations per workgroup.
    pub run_and_workgroup: [u32; 2],
    /// Constants that are factors, with the components.
    factors: Vec<(u16, u8)>,
}

impl ProgramTraits {
    /// The traits of a kernel without loops, whose program checks its constants itself.
    #[must_use]
    pub const fn checked(attributes: u16, run_and_workgroup: [u32; 2]) -> Self {
        Self { attributes, can_loop: false, run_and_workgroup, factors: Vec::new() }
    }

    /// The traits for a kernel whose key has this program and `has_runs`.
    #[must_use]
    pub fn new(program: &VertexProgram, has_runs: bool) -> Self {
        Self {
            attributes: attributes_read(program),
            can_loop: program.can_loop(),
            run_and_workgroup: run_and_workgroup(program, has_runs),
            factors: NormalRangePlan::of(program).map_or_else(Vec::new, |plan| plan.constants.into_iter().collect()),
        }
    }

    /// Whether the constants that the program multiplies are in the normal range; see
    /// `wgsl/software/vertex_normal_range.wgsl`.
    #[must_use]
    pub fn has_normal_range_constants(&self, constants: &[[u32; 4]]) -> bool {
        self.factors.iter().all(|&(index, component)| {
            let constant = constants.get(usize::from(index));
            constant.is_none_or(|constant| is_in_range(constant[usize::from(component)]))
        })
    }
}
