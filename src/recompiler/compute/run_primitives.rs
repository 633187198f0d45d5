//! Translates a SIMT geometry program into the kernel `run_geometry_programs`: one invocation per primitive.

use super::simt_programs::SimtPrograms;
use super::thread_program::{SimtProgramKey, ThreadProgram};
use crate::pipeline::launch::{LaunchTextures, LaunchThreads, Primitives, VERTEX_STRIDE};
use crate::pipeline::{OutputWord, PrimitiveType, PrimitiveWord, SimtGeometryStage, VertexWord};
use crate::recompiler::emitted_vertices;
use crate::recompiler::text::Text;
use crate::recompiler::vertex::MAX_SLOTS;

/// Invocations per workgroup.
pub const GEOMETRY_WORKGROUP: u32 = 64;

/// What determines the kernel of a SIMT geometry program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SimtGeometryKey {
    program: SimtProgramKey,
    inputs: Vec<PrimitiveWord>,
    vertex_words: Vec<VertexWord>,
    /// The vertices of a primitive.
    vertices: u32,
    max_vertices: u32,
    words: Vec<OutputWord>,
    /// Bit i: output slot i is stored.
    outputs: u16,
}

impl SimtGeometryKey {
    /// The key of a stage that runs on these primitives; bit i of `outputs`: later stages read output slot i. `None` if kernels
    /// do not run its program.
    #[must_use]
    pub fn new(
        programs: &mut SimtPrograms,
        stage: &SimtGeometryStage,
        primitive: PrimitiveType,
        outputs: u16,
    ) -> Option<Self> {
        if stage.outputs.len() > 4 * MAX_SLOTS as usize {
            return None;
        }
        let (vertices, length) = (primitive.vertices(), |words: usize| u32::try_from(words).ok());
        let threads = LaunchThreads::Primitives(Primitives {
            count: 1,
            input_words: length(stage.inputs.len())?,
            inputs: vec![0; stage.inputs.len()],
            vertices,
            vertex_words: length(stage.vertex_words.len())?,
            vertex_values: vec![0; vertices as usize * stage.vertex_words.len()],
            output_words: OutputWord::words_needed(&stage.outputs),
            max_vertices: stage.max_vertices,
        });
        let program = SimtProgramKey::new(&stage.stage, threads, LaunchTextures::of_stage(&stage.textures))?;
        let facts = programs.facts(&program)?;
        if !program.unit_texts().fits(facts.passes) {
            return None;
        }
        Some(Self {
            program,
            inputs: stage.inputs.clone(),
            vertex_words: stage.vertex_words.clone(),
            vertices,
            max_vertices: stage.max_vertices,
            words: stage.outputs.clone(),
            outputs,
        })
    }

    /// Bit i: it reads output slot i of the vertex program.
    #[must_use]
    pub fn slots_read(&self) -> u16 {
        VertexWord::outputs(&self.vertex_words).fold(0, |read, output| read | 1 << (output.slot & 15))
    }

    /// Writes the kernel.
    #[must_use]
    pub fn source(&self) -> String {
        let mut text = Text::default();
        let Some(program) = ThreadProgram::new(&self.program) else { return String::new() };
        for (module, name) in [
            ("memory::vector", "vector_of"),
            ("setup::emitted_vertices", "GeometryParameters"),
            ("setup::assembled_primitive", "primitives"),
            ("arith::optimization_barrier", "set_opaque_zero"),
            ("arith::optimization_barrier", "opaque_zero"),
        ] {
            text.import(module, name);
        }
        text.line("@group(0) @binding(1) var<storage, read> geometry_parameters: GeometryParameters;");
        text.line("@group(0) @binding(2) var<storage, read> vertex_constants: array<vec4u>;");
        text.line("@group(0) @binding(4) var<storage, read> vertices: array<StoredVector>;");
        emitted_vertices::declare(&mut text);
        self.declare_vertices(&mut text);
        self.declare_emission(&mut text, &program);
        let units = self.program.unit_texts();
        units.declare(&mut text);
        program.declare(&mut text, "vertex_constants", 0);
        text.line(format!("@compute @workgroup_size({GEOMETRY_WORKGROUP})"));
        text.open("fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {");
        text.line("set_opaque_zero(geometry_parameters.zero);");
        units.emit_loads(&mut text);
        program.emit_constant_loads(&mut text, "vertex_constants", 0);
        text.line(format!("let primitive = id.y * (groups.x * {GEOMETRY_WORKGROUP}u) + id.x;"));
        text.line("if primitive >= geometry_parameters.primitive_count { return; }");
        text.line(format!("next_vertex = primitive * {}u;", self.max_vertices));
        text.line(format!("end_vertex = next_vertex + {}u;", self.max_vertices));
        text.line("let assembled = primitives[geometry_parameters.first_primitive + primitive];");
        for (vertex, place) in self.vertex_places().iter().enumerate() {
            text.line(format!("vertex{vertex} = assembled.{place};"));
        }
        for word in program.inputs() {
            let value = match self.inputs.get(word as usize) {
                Some(PrimitiveWord::Vertex(vertex)) if u32::from(*vertex) < self.vertices => {
                    format!("{}u", Primitives::vertex_address(*vertex))
                }
                Some(PrimitiveWord::Number) => "geometry_parameters.first_number + primitive".to_owned(),
                Some(PrimitiveWord::Word(word)) => format!("{word:#x}u"),
                Some(PrimitiveWord::Vertex(_)) | None => "0u".to_owned(),
            };
            text.line(format!("in{word} = {value};"));
        }
        program.emit_alone(&mut text, &units);
        text.close();
        text.finish("Runs one SIMT geometry program over assembled primitives; generated.")
    }

    /// Where an assembled primitive holds the vertices in the order of the program, as `Primitive::program_vertices` has them.
    fn vertex_places(&self) -> &'static [&'static str] {
        match self.vertices {
            4 => &["face.x", "vertices.x", "vertices.y", "face.y"],
            6 => &["vertices.x", "face.x", "vertices.y", "face.y", "vertices.z", "face.z"],
            count => &["vertices.x", "vertices.y", "vertices.z"][..count as usize],
        }
    }

    /// The vertices of the primitive and the words of `p[]`.
    fn declare_vertices(&self, text: &mut Text) {
        for vertex in 0..self.vertices {
            text.line(format!("var<private> vertex{vertex}: u32;"));
        }
        text.line("");
        text.line("// A word of `p[]` by its address; zero where there is none.");
        text.open("fn primitive_word(address: u32) -> u32 {");
        text.line(format!("let vertex = (address >> 2u) % {VERTEX_STRIDE}u;"));
        text.line(format!("let word = address / {}u;", 4 * VERTEX_STRIDE));
        text.line(format!("if vertex >= {}u {{ return 0u; }}", self.vertices));
        text.line("var number = vertex0;");
        for vertex in 1..self.vertices {
            text.line(format!("number = select(number, vertex{vertex}, vertex == {vertex}u);"));
        }
        text.line("var slot = 0u;");
        text.line("var component = 0u;");
        text.open("switch word {");
        for (word, source) in self.vertex_words.iter().enumerate() {
            match source {
                VertexWord::Output(output) => {
                    let (slot, component) = (output.slot & 15, output.component & 3);
                    text.line(format!("case {word}u: {{ slot = {slot}u; component = {component}u; }}"));
                }
                VertexWord::Word(value) => text.line(format!("case {word}u: {{ return {value:#x}u; }}")),
            }
        }
        text.line("default: { return 0u; }");
        text.close();
        text.line("return vector_of(vertices[output_place(number, slot)])[component];");
        text.close();
    }

    /// The functions of the instructions that emit.
    fn declare_emission(&self, text: &mut Text, program: &ThreadProgram) {
        text.line("var<private> next_vertex: u32;");
        text.line("var<private> end_vertex: u32;");
        text.line("var<private> strip_vertices: u32;");
        text.line("");
        text.open("fn emit_vertex() {");
        text.open("if next_vertex < end_vertex {");
        program.emit_output_stores(text, (&self.words, self.outputs), "emitted", "next_vertex");
        text.line("strip_vertices += 1u;");
        text.line("strips[next_vertex] = strip_vertices;");
        text.line("next_vertex += 1u;");
        text.close();
        for word in program.outputs() {
            text.line(format!("out{word} = 0u;"));
        }
        text.close();
        text.line("");
        text.open("fn restart_strip() {");
        text.line("strip_vertices = 0u;");
        text.close();
    }
}
