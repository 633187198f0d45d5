//! Assembles texts in the vertex languages into microcode of the vertex processor.
//!
//! `grammar` parses statements with the registers of `nv` or `arb`. `expand` lowers them to operations of the chip, which
//! `constant_store`, `legalize` and `allocate` fit to its limits, and `emit` encodes. `native` and `listing` are the
//! language that can express any microcode.

mod allocate;
mod arb;
mod compile;
mod constant_store;
mod emit;
mod expand;
mod grammar;
mod legalize;
pub mod listing;
pub mod native;
mod native_operations;
mod nv;
pub mod nv20;
mod opcodes;
mod profile;
mod register_name;
mod state_program;
mod statement;

use super::assembly::{NamedOutput, VertexAssembly};
use super::cursor::Cursor;
use super::diagnostic::Diagnostic;
use super::language::Language;
use super::options::{Options, ProgramOption};
use crate::isa::NvVertexIsa;
use crate::isa::nv20_vertex::Nv20Instruction;
use crate::isa::nv40_vertex::{VertexField, VertexInstruction, VertexWord};
use arb::ArbRegisters;
use grammar::{Grammar, Registers};
use nv::NvRegisters;
use profile::Profile;

/// Assembles a text whose header names `language`, which `isa` runs.
///
/// # Errors
/// All that is wrong with the text.
pub fn assemble(language: Language, text: &str, isa: NvVertexIsa) -> Result<VertexAssembly, Vec<Diagnostic>> {
    if language == Language::NativeVertex {
        return native::assemble::<VertexInstruction>(text).map(native_assembly);
    }
    if language == Language::NativeNv20Vertex {
        return native::assemble::<Nv20Instruction>(text).map(nv20::native_assembly);
    }
    let one = |error: Diagnostic| vec![error];
    let mut cursor = Cursor::new(text, language.header().len()).map_err(one)?;
    let options = Options::read(&mut cursor, profile::options_of(language)).map_err(one)?;
    let profile = Profile::new(language, options);
    let registers = if language == Language::ArbVp1_0 {
        Registers::Arb(Box::new(ArbRegisters::new(profile)))
    } else {
        Registers::Nv(NvRegisters { profile, is_state_program: language == Language::Vsp1_0 })
    };
    let is_invariant = options.has(ProgramOption::PositionInvariant);
    let program = Grammar::new(profile, registers, is_invariant).read(&mut cursor)?;
    match isa {
        NvVertexIsa::Nv40 => compile::compile(program, &profile, language, text),
        NvVertexIsa::Nv20 => nv20::compile(&program, &profile, language, text),
    }
}

/// Describes a native program by its words.
fn native_assembly(program: native::NativeProgram) -> VertexAssembly {
    let words = || program.slots.iter().map(|slot| VertexWord::new(*slot));
    let registers: Vec<u8> = (0..16)
        .filter(|&register| {
            words().any(|word| {
                word.get(VertexField::OUT_ADDR) == u32::from(register) || word.is_set(VertexField::OUT_INDEXED)
            })
        })
        .collect();
    let outputs = registers
        .into_iter()
        .map(|register| NamedOutput { name: format!("o[{register}]"), register, component: None })
        .collect();
    VertexAssembly { outputs, ..VertexAssembly::native(NvVertexIsa::Nv40, program.slots, program.start) }
}
