//! Writes a module as cubin text.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use super::{CONSTANT_SEGMENT, RELOCATION_SEGMENT};
use crate::isa::tesla::TeslaGeneration;
use crate::isa::tesla::module::{RELOCATION_CONSTANT_SPACE, TeslaConstants, TeslaKernel, TeslaModule};

/// Writes a module as cubin text.
///
/// The text does not tell the parameters of kernels, the alignment of global variables, and the kinds of programs: a reader
/// takes them all for kernels. It names the textures of kernels as the module's, and of two with the same name the first.
#[must_use]
pub fn write_cubin(module: &TeslaModule) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_module(&mut text, module);
    text
}

fn write_module(text: &mut String, module: &TeslaModule) -> fmt::Result {
    let architecture = match module.generation {
        TeslaGeneration::Gt215 => TeslaGeneration::Sm12,
        generation => generation,
    };
    writeln!(text, "architecture {{{}}}\nabiversion {{0}}\nmodname {{cubin}}", architecture.name())?;
    for constants in &module.constants {
        writeln!(text, "consts  {{\n\tname = {}", constants.name)?;
        write_piece(text, "\t", CONSTANT_SEGMENT, constants)?;
        text.push_str("}\n");
    }
    for global in &module.globals {
        writeln!(text, "reloc  {{\n\tname = {}\n\tsegname = {RELOCATION_SEGMENT}", global.name)?;
        writeln!(text, "\tsegnum = {RELOCATION_CONSTANT_SPACE}\n\toffset = {}", global.address_offset)?;
        writeln!(text, "\tbytes = {}", global.bytes)?;
        write_words(text, "\t", "mem", &global.words)?;
        text.push_str("}\n");
    }
    let mut names = BTreeSet::new();
    let textures = module.kernels.iter().flat_map(|kernel| &kernel.textures);
    for texture in module.textures.iter().chain(textures).filter(|texture| names.insert(&texture.name)) {
        writeln!(text, "sampler  {{\n\tname = {}\n\ttexunit = {}\n}}", texture.name, texture.unit)?;
    }
    module.kernels.iter().try_for_each(|kernel| write_kernel(text, kernel))
}

fn write_kernel(text: &mut String, kernel: &TeslaKernel) -> fmt::Result {
    writeln!(text, "code  {{\n\tname = {}", kernel.name)?;
    writeln!(text, "\tlmem = {}\n\tsmem = {}", kernel.local_bytes, kernel.shared_bytes)?;
    writeln!(text, "\treg = {}\n\tbar = {}", kernel.registers, kernel.barriers)?;
    write_block(text, "\t", "bincode", &kernel.code)?;
    for constants in &kernel.constants {
        text.push_str("\tconst  {\n");
        write_piece(text, "\t\t", &constants.name, constants)?;
        text.push_str("\t}\n");
    }
    text.push_str("}\n");
    Ok(())
}

fn write_piece(text: &mut String, indent: &str, segment: &str, constants: &TeslaConstants) -> fmt::Result {
    let TeslaConstants { space, offset, bytes, words, .. } = constants;
    writeln!(text, "{indent}segname = {segment}\n{indent}segnum = {space}")?;
    writeln!(text, "{indent}offset = {offset}\n{indent}bytes = {bytes}")?;
    write_words(text, indent, "mem", words)
}

/// Writes initial words, if there are some.
fn write_words(text: &mut String, indent: &str, name: &str, words: &[u32]) -> fmt::Result {
    if words.is_empty() { Ok(()) } else { write_block(text, indent, name, words) }
}

/// Writes words, four in a line.
fn write_block(text: &mut String, indent: &str, name: &str, words: &[u32]) -> fmt::Result {
    writeln!(text, "{indent}{name}  {{")?;
    for line in words.chunks(4) {
        let line: Vec<_> = line.iter().map(|word| format!("{word:#010x}")).collect();
        writeln!(text, "{indent}\t{}", line.join(" "))?;
    }
    writeln!(text, "{indent}}}")
}
