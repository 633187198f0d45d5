//! Runs a vertex or fragment program of a module over given inputs: one thread for each line of them.
//!
//! ```
//! use curie::asm::tesla::{parse_inputs, read_module};
//! use curie::launch::{ElementsRequest, run_elements};
//! use curie::pipeline::launch::LaunchOptions;
//! use curie::ComputeEngine;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = "!!Tesla1.0
//! .kernel scale
//! .kind vertex
//!     mul f32 o[0x0] a[0x0] c0[0x0]
//!     exit
//! ";
//! let module = read_module("scale.tesla", text.as_bytes()).ok_or("a module begins with its header")??;
//! let kind = module.kernels[0].kind;
//! let elements = vec![parse_inputs("a[0x0]=1.5 c0[0x0]=2", kind)?, parse_inputs("a[0x0]=4", kind)?];
//! let request = ElementsRequest { elements, ..ElementsRequest::default() };
//! let run = run_elements(&module, &request, &ComputeEngine::REFERENCE, &LaunchOptions::default())?;
//! assert_eq!(run.results[0], Some(vec![("o[0x0]".to_owned(), 3_f32.to_bits())]));
//! assert_eq!(run.results[1], Some(vec![("o[0x0]".to_owned(), 8_f32.to_bits())]));
//! # Ok(())
//! # }
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::prepare::{bind_textures, find_kernel, place_constants};
use super::{KernelError, LaunchKernelError, TextureArgument};
use crate::asm::tesla::TeslaInputs;
use crate::engine::ComputeEngine;
use crate::isa::tesla::module::{TeslaConstants, TeslaModule};
use crate::pipeline::SimtStage;
use crate::pipeline::launch::{
    FragmentQuad, Fragments, Interpolants, Launch, LaunchLimits, LaunchMemory, LaunchOptions, LaunchReport,
    LaunchThreads, QUAD_THREADS, Vertices,
};
use crate::shader::simt::{Address, Destination, Instruction, MemoryOperand, Operand, ProgramKind, SimtProgram, Space};

/// The result registers of fragments where nothing else is asked for: one color.
const COLOR_REGISTERS: u32 = 4;

/// Which program runs, and on what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ElementsRequest {
    /// The name of the program; not needed if there is only one.
    pub entry: Option<String>,
    /// What each vertex or fragment reads. Four fragments after each other are a quad: upper left, upper right, lower left,
    /// lower right. Helpers with the inputs of the last one complete the last quad. A constant is the same for all.
    pub elements: Vec<TeslaInputs>,
    /// How many registers from 0 are the results of a fragment; `None` for four, or as many as there are.
    pub results: Option<u32>,
    /// The textures that the program reads.
    pub textures: Vec<TextureArgument>,
}

/// The results of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementsRun {
    /// For each vertex or fragment, the outputs that the program can write, by name, as bits. `None` for fragments that are
    /// discarded, and for helpers.
    pub results: Vec<Option<Vec<(String, u32)>>>,
    /// What happened.
    pub report: LaunchReport,
}

/// Runs a program over elements.
///
/// # Errors
/// When the module has no such program, when it is neither a vertex nor a fragment program, when elements give different
/// values to a constant, or when it does not end.
pub fn run_elements(
    module: &TeslaModule,
    request: &ElementsRequest,
    engine: &ComputeEngine,
    options: &LaunchOptions,
) -> Result<ElementsRun, LaunchKernelError> {
    let mut memory = LaunchMemory::default();
    let launch = prepare_elements(module, request, &mut memory)?;
    let limits = LaunchLimits::of(module.generation);
    let mut report = engine.run(&launch, &limits, &mut memory, options, &mut |_| ())?;
    let names: Vec<(usize, String)> = match &launch.threads {
        LaunchThreads::Fragments(fragments) => {
            (0..fragments.results as usize).map(|number| (number, format!("$r{number}"))).collect()
        }
        _ => {
            let Uses { written, .. } = Uses::of(&launch.stage.program);
            written.into_iter().map(|word| (word as usize, format!("o[{:#x}]", 4 * word))).collect()
        }
    };
    // Helpers that complete the last quad are none of the elements.
    let outputs = std::mem::take(&mut report.outputs).into_iter().take(request.elements.len());
    let named = |words: Vec<u32>| {
        names.iter().filter_map(|(word, name)| Some((name.clone(), *words.get(*word)?))).collect::<Vec<_>>()
    };
    Ok(ElementsRun { results: outputs.map(|words| words.map(named)).collect(), report })
}

/// The launch of a request, with texels in memory.
fn prepare_elements(
    module: &TeslaModule,
    request: &ElementsRequest,
    memory: &mut LaunchMemory,
) -> Result<Launch, KernelError> {
    let kernel = find_kernel(module, request.entry.as_deref())?;
    let program = Arc::new(SimtProgram::decode_kind(&kernel.code, kernel.kind));
    let uses = Uses::of(&program);
    let elements = &request.elements;
    let given = elements.iter().filter_map(|element| element.inputs.last_key_value());
    let given = given.map(|(offset, _)| offset / 4 + 1).max().unwrap_or(0);
    let input_words = given.max(uses.input_words);
    let words = |element: &TeslaInputs| {
        (0..input_words).map(|word| element.inputs.get(&(4 * word)).copied().unwrap_or_default()).collect::<Vec<_>>()
    };
    let mut inputs: Vec<u32> = elements.iter().flat_map(words).collect();
    let count = u32::try_from(elements.len()).unwrap_or(u32::MAX);
    let threads = match kernel.kind {
        ProgramKind::Vertex => LaunchThreads::Vertices(Vertices {
            count,
            attribute_words: input_words,
            attributes: inputs,
            output_words: uses.written.last().map_or(0, |word| word + 1),
        }),
        ProgramKind::Fragment => {
            let missing = (count.next_multiple_of(QUAD_THREADS) - count) as usize;
            let last = elements.last().map(words).unwrap_or_default();
            inputs.extend(std::iter::repeat_n(last, missing).flatten());
            let covered = |quad: &[TeslaInputs]| {
                quad.iter().zip(0..).fold(0, |mask, (element, bit)| mask | u8::from(!element.is_helper) << bit)
            };
            let quads = elements.chunks(QUAD_THREADS as usize);
            LaunchThreads::Fragments(Fragments {
                quads: quads.map(|quad| FragmentQuad { covered: covered(quad), ..FragmentQuad::new(0) }).collect(),
                interpolant_words: input_words,
                interpolants: Interpolants::Values(inputs),
                results: request.results.unwrap_or_else(|| COLOR_REGISTERS.min(kernel.registers.into())),
            })
        }
        kind @ (ProgramKind::Geometry | ProgramKind::Compute) => {
            return Err(KernelError::NoElements { name: kernel.name.clone(), is_kernel: kind == ProgramKind::Compute });
        }
    };
    let limits = LaunchLimits::of(module.generation);
    let mut constants = BTreeMap::new();
    for piece in module.constants.iter().chain(&kernel.constants) {
        place_constants(&mut constants, piece, limits.constant_bytes)?;
    }
    for ((space, offset), word) in given_constants(elements)? {
        let words = vec![word];
        let piece = TeslaConstants { name: String::new(), space, offset, bytes: 4, words };
        place_constants(&mut constants, &piece, limits.constant_bytes)?;
    }
    let textures = bind_textures(module, kernel, &program, &request.textures, memory)?;
    let stage = SimtStage {
        program,
        generation: module.generation,
        registers: kernel.registers.into(),
        local_bytes: kernel.local_bytes,
        constants: Arc::new(constants),
    };
    Ok(stage.launch(threads, textures))
}

/// The constants that elements give.
fn given_constants(elements: &[TeslaInputs]) -> Result<BTreeMap<(u8, u32), u32>, KernelError> {
    let mut constants = BTreeMap::new();
    for (number, element) in elements.iter().enumerate() {
        for (&(space, offset), &word) in &element.constants {
            let before = *constants.entry((space, offset)).or_insert(word);
            if before != word {
                return Err(KernelError::OtherConstant { space, offset, element: number + 1, word, before });
            }
        }
    }
    Ok(constants)
}

/// The inputs and outputs that a program names.
#[derive(Debug, Default)]
struct Uses {
    /// The words of its input space up to the last one that it names.
    input_words: u32,
    /// The words of outputs that it can write.
    written: BTreeSet<u32>,
}

impl Uses {
    fn of(program: &SimtProgram) -> Self {
        let mut uses = Self::default();
        for found in program.instructions() {
            uses.note(&found.instruction);
        }
        uses
    }

    fn note(&mut self, instruction: &Instruction) {
        for source in &instruction.sources {
            let Operand::Memory(MemoryOperand { space: Space::Attribute | Space::Interpolant, address, .. }) =
                source.operand
            else {
                continue;
            };
            if let Address::Offset { base: 0, offset } = address {
                self.input_words = self.input_words.max(offset / 4 + 1);
            }
        }
        match instruction.destination {
            Destination::Output { offset, .. } => {
                self.written.insert(u32::from(offset) / 4);
            }
            Destination::Memory(MemoryOperand { space: Space::Output, address, .. }) => match address {
                Address::Offset { base: 0, offset } => {
                    self.written.insert(offset / 4);
                }
                // Any output.
                _ => self.written.extend(0..LaunchLimits::OUTPUT_WORDS),
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::tesla::{parse_inputs, read_module};

    fn run(text: &str, lines: &[&str]) -> Result<ElementsRun, LaunchKernelError> {
        let text = format!("!!Tesla1.0\n.kernel program\n{text}");
        let module = read_module("program.tesla", text.as_bytes()).unwrap().unwrap();
        let kind = module.kernels[0].kind;
        let elements = lines.iter().map(|line| parse_inputs(line, kind).unwrap()).collect();
        let request = ElementsRequest { elements, ..ElementsRequest::default() };
        run_elements(&module, &request, &ComputeEngine::REFERENCE, &LaunchOptions::default())
    }

    #[test]
    fn only_outputs_that_the_program_writes_are_named() {
        let text = ".kind vertex\n    mov b32 o[0x8] a[0x4]\n    exit mov b32 o[0x0] a[0x0]\n";
        let run = run(text, &["a[0x0]=1,2", "a[0x4]=3"]).unwrap();
        let named = |first: f32, second: f32| {
            Some(vec![("o[0x0]".to_owned(), first.to_bits()), ("o[0x8]".to_owned(), second.to_bits())])
        };
        assert_eq!(run.results, [named(1.0, 2.0), named(0.0, 3.0)]);
        assert_eq!(run.report.warp_instructions, 2);
    }

    #[test]
    fn quads_are_completed_by_helpers() {
        // The value of the lower right fragment, which is a copy of the last one that is given.
        let text = ".kind fragment\n    interp $r0 v[0x0]\n    exit quadop f32 add add add add $r0 l3 $r0 $r0\n";
        let run = run(text, &["v[0x0]=1", "v[0x0]=2 helper", "v[0x0]=4"]);
        let run = run.unwrap();
        let sums: Vec<_> = run.results.iter().map(|result| result.as_ref().map(|words| words[0].1)).collect();
        assert_eq!(sums, [Some(5_f32.to_bits()), None, Some(8_f32.to_bits())]);
    }

    #[test]
    fn requests_that_do_not_fit_are_refused() {
        let message = |text, lines: &[&str]| run(text, lines).unwrap_err().to_string();
        let text = ".kind vertex\n    exit mul f32 o[0x0] a[0x0] c0[0x0]\n";
        let other = "element 2 gives 0x40000000 to c0[0x0], which is 0x3f800000";
        assert_eq!(message(text, &["c0[0x0]=1", "c0[0x0]=2"]), other);
        assert_eq!(message(text, &[]), "the grid has x = 0; it can be 1 to 65535");
        let kernel = "program is a kernel, which `curie launch` runs";
        assert_eq!(message("    exit nop\n", &["a[0x0]=1"]), kernel);
        let geometry = "program is a geometry program, which is not executed";
        assert_eq!(message(".kind geometry\n    exit nop\n", &["a[0x0]=1"]), geometry);
    }
}
