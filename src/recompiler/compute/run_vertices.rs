//! Translates a SIMT vertex program and the layout of its arrays into the kernel `run_vertex_programs`: one invocation per
//! vertex.

use super::simt_programs::SimtPrograms;
use super::thread_program::{SimtProgramKey, ThreadProgram};
use super::unit_texts::UnitTexts;
use crate::arith::vertex::VertexRuleSet;
use crate::pipeline::launch::{LaunchTextures, LaunchThreads, Vertices};
use crate::pipeline::{AttributeWord, Elements, OutputWord, SimtVertexStage};
use crate::recompiler::text::{COMPONENTS, Text};
use crate::recompiler::vertex::{FetchText, MAX_SLOTS, PROCESSOR_RUN, SINGLE, VertexFetch, declare_vertices, emit_run};

/// What determines the kernel of a SIMT vertex program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SimtVertexKey {
    program: SimtProgramKey,
    attributes: Vec<AttributeWord>,
    read: u16,
    /// The source of attributes.
    pub fetch: VertexFetch,
    words: Vec<OutputWord>,
    /// Bit i: output slot i is stored.
    pub outputs: u16,
    /// Whether an invocation processes several vertices in sequence.
    has_runs: bool,
}

impl SimtVertexKey {
    /// The key of a stage with these elements; `None` if kernels do not run its program. `has_runs`: an invocation may process
    /// several vertices in sequence.
    #[must_use]
    pub fn new(
        programs: &mut SimtPrograms,
        stage: &SimtVertexStage,
        elements: &Elements,
        fetch: VertexFetch,
        outputs: u16,
        has_runs: bool,
    ) -> Option<Self> {
        let words = u32::try_from(stage.attributes.len()).ok()?;
        // The index of a vertex that is sent whole is no part of it.
        let has_index = stage.attributes.contains(&AttributeWord::Index);
        if stage.outputs.len() > 4 * MAX_SLOTS as usize || has_index && matches!(elements, Elements::Immediate(_)) {
            return None;
        }
        let vertices = Vertices {
            count: 1,
            attribute_words: words,
            attributes: vec![0; stage.attributes.len()],
            output_words: OutputWord::words_needed(&stage.outputs),
        };
        let program = SimtProgramKey::new(
            &stage.stage,
            LaunchThreads::Vertices(vertices),
            LaunchTextures::of_stage(&stage.textures),
        )?;
        let facts = programs.facts(&program)?;
        let reads_textures = !stage.textures.is_empty();
        if !program.unit_texts().fits(facts.passes) {
            return None;
        }
        Some(Self {
            program,
            attributes: stage.attributes.clone(),
            read: stage.attributes_read(),
            fetch,
            words: stage.outputs.clone(),
            outputs,
            has_runs: has_runs && facts.has_vertex_runs && !reads_textures,
        })
    }

    /// Vertices per invocation, and invocations per workgroup.
    #[must_use]
    pub const fn run_and_workgroup(&self) -> [u32; 2] {
        if self.has_runs { PROCESSOR_RUN } else { SINGLE }
    }

    /// Bit i: attribute i of the draw is read.
    #[must_use]
    pub const fn attributes_read(&self) -> u16 {
        self.read
    }

    /// Writes the kernel.
    #[must_use]
    pub fn source(&self) -> String {
        let mut text = Text::default();
        let Some(exact) = ThreadProgram::new(&self.program) else { return String::new() };
        let fast = ThreadProgram::fast(&self.program, Vec::new()).filter(|_| self.has_runs);
        let units = self.program.unit_texts();
        let fetch = FetchText {
            fetch: &self.fetch,
            rules: VertexRuleSet::Nv40Modern,
            read: self.read,
            has_textures: !units.is_empty(),
            reads_index: self.attributes.contains(&AttributeWord::Index),
        };
        let [_, workgroup] = self.run_and_workgroup();
        text.import("vertex::parameters", "VertexParameters");
        text.line("@group(0) @binding(1) var<storage, read> vertex_parameters: VertexParameters;");
        fetch.declare(&mut text);
        text.line("@group(0) @binding(2) var<storage, read> vertex_constants: array<vec4u>;");
        declare_vertices(&mut text);
        units.declare(&mut text);
        exact.declare(&mut text, "vertex_constants", 0);
        if let Some(fast) = &fast {
            fast.declare_functions(&mut text);
        }
        text.line(format!("@compute @workgroup_size({workgroup})"));
        text.open("fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {");
        text.import_all(&[
            ("arith::optimization_barrier", "set_opaque_zero"),
            ("arith::optimization_barrier", "opaque_zero"),
        ]);
        text.line("set_opaque_zero(vertex_parameters.zero);");
        units.emit_loads(&mut text);
        text.line("let vertex_count = vertex_parameters.vertex_count;");
        fetch.emit_uniform_loads(&mut text);
        // Both paths read the same constants, and the fast one checks them.
        fast.as_ref().unwrap_or(&exact).emit_constant_loads(&mut text, "vertex_constants", 0);
        text.line(format!("let invocation = id.y * (groups.x * {workgroup}u) + id.x;"));
        match &fast {
            Some(fast) => {
                let vertex = |text: &mut Text, program| self.emit_vertex(text, &fetch, (program, &units));
                emit_run(&mut text, self.run_and_workgroup(), &|text| vertex(text, fast), &|text| vertex(text, &exact));
            }
            None => {
                text.line("let vertex = vertex_parameters.first_vertex + invocation;");
                text.line("if vertex >= vertex_count { return; }");
                self.emit_vertex(&mut text, &fetch, (&exact, &units));
            }
        }
        text.close();
        text.finish("Runs one SIMT vertex program over fetched vertices; generated.")
    }

    /// Runs the program for `vertex`, and names `is_exact` whether the fast path does not do.
    fn emit_vertex(&self, text: &mut Text, fetch: &FetchText<'_>, (program, units): (&ThreadProgram, &UnitTexts)) {
        fetch.emit(text);
        for word in program.inputs() {
            let value = match self.attributes.get(word as usize) {
                Some(AttributeWord::Component { attribute, component }) => {
                    format!("v{}.{}", attribute & 15, COMPONENTS[usize::from(component & 3)])
                }
                Some(AttributeWord::Index) => "vertex_indices[vertex] + vertex_parameters.base_index".to_owned(),
                Some(AttributeWord::Word(word)) => format!("{word:#x}u"),
                None => "0u".to_owned(),
            };
            text.line(format!("in{word} = {value};"));
        }
        if self.has_runs {
            program.outputs().for_each(|word| text.line(format!("out{word} = 0u;")));
        }
        if program.is_fast() {
            text.import_all(&[
                ("software::thread_fast", "begin_primitive_floats"),
                ("software::thread_fast", "begin_floats"),
                ("software::thread_fast", "floats_are_exact"),
            ]);
            text.line("begin_primitive_floats();");
            text.line("begin_floats();");
        }
        program.emit_alone(text, units);
        if program.is_fast() {
            text.line("let is_exact = !floats_are_exact();");
        }
        program.emit_output_stores(text, (&self.words, self.outputs), "vertices", "vertex");
    }
}
