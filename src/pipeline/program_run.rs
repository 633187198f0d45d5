//! Turns inputs given by a user into the inputs of one program, and its results into named registers.

use super::{
    EmittedTriangles, FragmentResult, QuadInputs, ShadedVertex, TextureState, VEC4_INPUTS, VertexContext, VertexTexture,
};
use crate::arith::ONE;
use crate::arith::vertex::VertexRuleSet;
use crate::asm::inputs::ElementInputs;
use crate::asm::program_file::ProgramFile;
use crate::asm::{Assembly, Microcode};
use crate::memory::GuestMemory;
use crate::shader::fragment::{FragmentInput, FragmentProgram, output_registers};
use crate::shader::fragment_blocks::operations;
use crate::shader::vertex::{LAST_CONSTANT, VertexProgram};

/// The name of a fragment's depth.
const DEPTH_NAME: &str = "o[DEPR]";

/// Settings of a program run besides its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunSettings {
    /// The rule set of a vertex program.
    pub rules: VertexRuleSet,
    /// The booleans of a vertex program.
    pub booleans: u32,
    /// Whether a fragment program's results are full registers.
    pub has_full_outputs: bool,
    /// Whether a fragment program's depth is a result.
    pub exports_depth: bool,
    /// Lowest and highest constant that a vertex program's addresses can access.
    pub indexed_constants: (u16, u16),
}

impl RunSettings {
    /// The settings that an assembled program implies; for microcode the modern rules, half results, and no depth.
    #[must_use]
    pub fn of(assembly: Option<&Assembly>) -> Self {
        let mut settings = Self {
            rules: VertexRuleSet::Nv40Modern,
            booleans: 0,
            has_full_outputs: false,
            exports_depth: false,
            indexed_constants: (0, LAST_CONSTANT),
        };
        match assembly {
            Some(Assembly::Vertex(vertex)) => {
                settings.rules = vertex.rules;
                settings.indexed_constants = vertex.indexed_constants.unwrap_or(settings.indexed_constants);
            }
            Some(Assembly::Fragment(fragment)) => {
                settings.has_full_outputs = fragment.has_full_outputs();
                settings.exports_depth = fragment.writes_depth;
            }
            None => {}
        }
        settings
    }
}

impl RunSettings {
    /// The settings that a program file implies.
    #[must_use]
    pub fn of_file(file: &ProgramFile) -> Self {
        let settings = Self::of(file.assembly.as_ref());
        match (&file.microcode, &file.assembly) {
            (Microcode::Vertex(microcode), None) => Self { rules: microcode.isa.rules(), ..settings },
            (Microcode::Pica(_), _) => Self { rules: VertexRuleSet::Pica200, ..settings },
            _ => settings,
        }
    }
}

/// The textures that a program samples, in memory of their own. A unit without a texture reads (0, 0, 0, 1).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgramTextures {
    /// The memory that holds the texels.
    pub memory: GuestMemory,
    /// The units of a fragment program.
    pub fragment: [Option<TextureState>; 16],
    /// The units of a vertex program.
    pub vertex: [Option<VertexTexture>; 4],
}

impl ProgramTextures {
    /// Whether a unit of the program has a texture; a program is for one processor.
    #[must_use]
    pub fn has(&self, unit: u8) -> bool {
        let unit = usize::from(unit);
        self.fragment.get(unit).is_some_and(Option::is_some) || self.vertex.get(unit).is_some_and(Option::is_some)
    }
}

/// The results for one vertex or fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementResult {
    /// Result registers by name, as float bits.
    pub registers: Vec<(String, [u32; 4])>,
    /// Whether KIL discarded the fragment.
    pub is_discarded: bool,
}

impl ElementResult {
    /// The results under the names used by a program file.
    #[must_use]
    pub fn named_by(&self, file: &ProgramFile) -> Self {
        match (&file.microcode, &file.assembly) {
            (Microcode::Pica(_), _) => {
                let plain = |name: &str| name.replace(['[', ']'], "");
                let registers = self.registers.iter().map(|(name, value)| (plain(name), *value)).collect();
                Self { registers, is_discarded: self.is_discarded }
            }
            (_, Some(assembly)) => self.named_as(assembly),
            (_, None) => self.clone(),
        }
    }

    /// The results under the names used by an assembled program.
    #[must_use]
    pub fn named_as(&self, assembly: &Assembly) -> Self {
        let find = |register: &str| self.registers.iter().find(|(name, _)| name == register).map(|(_, value)| *value);
        let registers = match assembly {
            Assembly::Vertex(vertex) => {
                let named = vertex.outputs.iter().filter_map(|output| {
                    let register = output.register;
                    let value = find(&format!("o[{register}]")).or_else(|| find(&format!("c[{register}]")))?;
                    let value = match output.component {
                        None => value,
                        Some(component) => [value[usize::from(component) & 3], 0, 0, ONE],
                    };
                    Some((output.name.clone(), value))
                });
                named.collect()
            }
            Assembly::Fragment(fragment) => {
                let outputs = fragment.outputs().into_iter();
                let named = outputs.filter_map(|(name, register, component)| {
                    let value = if component.is_some() { find(DEPTH_NAME) } else { find(&register.to_string()) };
                    Some((name, value?))
                });
                named.collect()
            }
        };
        Self { registers, is_discarded: self.is_discarded }
    }
}

/// The context of a vertex program that runs on given inputs, limited only by the processor itself. The booleans are
/// those of `settings` and `booleans`.
#[must_use]
pub const fn vertex_context<'store>(
    settings: &RunSettings,
    constants: &'store [[u32; 4]],
    booleans: u32,
) -> VertexContext<'store> {
    VertexContext {
        constants,
        rules: settings.rules,
        booleans: settings.booleans | booleans,
        instruction_limit: 0xffff,
        indexed_constants: settings.indexed_constants,
    }
}

/// A quad whose four fragments have the inputs of one element, at the origin.
#[must_use]
pub fn quad_inputs(element: &ElementInputs) -> QuadInputs {
    let input = |input: FragmentInput| [element.interpolants[usize::from(input.attribute())]; 4];
    QuadInputs {
        x: 0,
        y: 0,
        coverage: 0xf,
        samples: None,
        alpha_coverage: None,
        is_front_facing: input(FragmentInput::Facing)[0][0] >> 31 == 0,
        depth: input(FragmentInput::WindowPosition).map(|position| position[2]),
        slots: element.interpolants[..VEC4_INPUTS].iter().map(|value| [*value; 4]).collect(),
    }
}

/// The output registers that a program writes.
fn written_outputs(program: &VertexProgram) -> Vec<usize> {
    let is_written = |register: &usize| {
        program
            .bundles
            .iter()
            .filter_map(|bundle| bundle.output)
            .any(|output| output.relative.is_some() || usize::from(output.index) == *register)
    };
    (0..16).filter(is_written).collect()
}

/// Names the output registers that a program writes.
#[must_use]
pub fn vertex_result(program: &VertexProgram, vertex: &ShadedVertex) -> ElementResult {
    let outputs = written_outputs(program).into_iter();
    ElementResult {
        registers: outputs.map(|register| (format!("o[{register}]"), vertex.outputs[register])).collect(),
        is_discarded: false,
    }
}

/// Names the output registers that a geometry shader writes, per emitted triangle and vertex. Component x of `triangles`
/// is the number of triangles, which exceeds that of the named ones beyond [`KEPT_TRIANGLES`](crate::shader::vertex::KEPT_TRIANGLES).
#[must_use]
pub fn geometry_result(program: &VertexProgram, emitted: &EmittedTriangles) -> ElementResult {
    let written = written_outputs(program);
    // The number of triangles is at most that of executed instructions.
    let count = f32::from(u16::try_from(emitted.count).unwrap_or(u16::MAX));
    let mut registers = vec![("triangles".to_owned(), [count.to_bits(), 0, 0, ONE])];
    for (triangle, vertices) in emitted.triangles.iter().enumerate() {
        for (vertex, ShadedVertex { outputs }) in vertices.iter().enumerate() {
            let named =
                written.iter().map(|&output| (format!("triangle{triangle}.vertex{vertex}.o{output}"), outputs[output]));
            registers.extend(named);
        }
    }
    ElementResult { registers, is_discarded: false }
}

/// Whether a program writes constants, which are its results.
#[must_use]
pub fn is_state_program(program: &VertexProgram) -> bool {
    program.bundles.iter().any(|bundle| bundle.constant_write.is_some())
}

/// Names the constants that a state program writes.
#[must_use]
pub fn state_result(program: &VertexProgram, store: &[[u32; 4]]) -> ElementResult {
    let mut written: Vec<u16> =
        program.bundles.iter().filter_map(|bundle| bundle.constant_write).map(|write| write.index).collect();
    written.sort_unstable();
    written.dedup();
    let registers =
        written.into_iter().filter_map(|index| Some((format!("c[{index}]"), *store.get(usize::from(index))?)));
    ElementResult { registers: registers.collect(), is_discarded: false }
}

/// Names color register 0, those of the other targets that a program writes, and its depth.
#[must_use]
pub fn fragment_result(program: &FragmentProgram, settings: &RunSettings, result: &FragmentResult) -> ElementResult {
    let registers = output_registers(settings.has_full_outputs);
    let written: Vec<_> = operations(program.blocks()).filter_map(|operation| operation.destination).collect();
    let mut named: Vec<(String, [u32; 4])> = registers
        .iter()
        .zip(&result.colors)
        .enumerate()
        .filter(|&(target, (register, _))| target == 0 || written.iter().any(|written| written.overlaps(*register)))
        .map(|(_, (register, colors))| (register.to_string(), colors[0]))
        .collect();
    if settings.exports_depth {
        named.push((DEPTH_NAME.to_owned(), [0, 0, result.depth[0], 0]));
    }
    ElementResult { registers: named, is_discarded: result.coverage & 1 == 0 }
}
