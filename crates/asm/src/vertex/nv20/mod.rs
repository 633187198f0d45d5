//! Compiles the statements of a vertex program into microcode of the NV20 vertex processor (GeForce 3).
//!
//! `lower` chooses operations of the chip, `live_ranges` gives each value a number of its own, `schedule` packs an
//! operation of each unit into an instruction, `allocate` assigns registers, and `emit` encodes. `native_operations` has
//! the operations of the language that can express any microcode.

mod allocate;
mod emit;
mod live_ranges;
mod lower;
mod native_operations;
pub mod operation;
mod schedule;

use super::compile::{bound, named_outputs};
use super::expand::expand;
use super::native::NativeProgram;
use super::profile::Profile;
use super::statement::Text;
use crate::assembly::{NamedOutput, VertexAssembly};
use crate::diagnostic::Diagnostic;
use crate::isa::NvVertexIsa;
use crate::isa::nv20_vertex::Nv20OutputRegister;
use crate::isa::nv20_vertex::decode::decode_instruction;
use crate::isa::vertex_word::VertexWord;
use crate::language::Language;
use allocate::allocate;
use live_ranges::split;
use lower::{Lowered, lower, named_constants, named_in_hardware};
use operation::{Operation, Slot};
use schedule::{Priority, schedule};

pub use emit::emit;
pub use schedule::in_order;

/// Compiles a text in `!!VP1.0`, `!!VP1.1` or `!!VSP1.0`; `source` is the text itself, for names.
///
/// # Errors
/// When the program does not fit the chip.
pub(super) fn compile(
    text: &Text,
    profile: &Profile,
    language: Language,
    source: &str,
) -> Result<VertexAssembly, Vec<Diagnostic>> {
    let expansion = expand(text, profile)?;
    let bound = bound(&expansion.operations);
    let mut outputs = named_in_hardware(named_outputs(text, source)?);
    let Lowered { operations, constants, indexed } = lower(&expansion.operations, text, profile)?;
    if language == Language::Vsp1_0 {
        outputs = named_constants(&operations);
    }
    let (operations, slots) = pack(operations);
    Ok(VertexAssembly {
        language,
        isa: NvVertexIsa::Nv20,
        instructions: emit(&operations, &slots),
        start: 0,
        rules: profile.rules,
        constants,
        indexed_constants: indexed,
        attributes: bound.attributes,
        results: bound.results,
        textures: Vec::new(),
        is_position_invariant: text.is_position_invariant,
        outputs,
    })
}

/// Describes a native program by its words.
pub(super) fn native_assembly(program: NativeProgram) -> VertexAssembly {
    let instructions = program.slots.iter().filter_map(|slot| decode_instruction(0, VertexWord::new(*slot)).ok());
    let written: Vec<_> = instructions.filter_map(|instruction| Some(instruction.output?.register)).collect();
    let outputs = Nv20OutputRegister::OUTPUT_NAMES.into_iter();
    let outputs = outputs
        .filter(|(register, _)| written.contains(&Nv20OutputRegister::Output(*register)))
        .map(|(register, name)| NamedOutput { name: name.to_owned(), register, component: None })
        .collect();
    VertexAssembly { outputs, ..VertexAssembly::native(NvVertexIsa::Nv20, program.slots, program.start) }
}

/// Packs operations into the fewest instructions that a schedule with enough registers has; the plain order always has.
#[must_use]
pub fn pack(operations: Vec<Operation>) -> (Vec<Operation>, Vec<Slot>) {
    let ranges = split(&operations);
    let packed = [Priority::CriticalPath, Priority::SourceOrder].into_iter().filter_map(|priority| {
        let slots = schedule(&ranges, priority);
        Some((allocate(&ranges, &slots)?, slots))
    });
    // The first of the shortest.
    let shortest = packed.reduce(|best, next| if next.1.len() < best.1.len() { next } else { best });
    shortest.unwrap_or_else(|| {
        let slots = in_order(&operations);
        (operations, slots)
    })
}

#[cfg(test)]
mod tests;
