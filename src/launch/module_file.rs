//! Reads a file of kernels, in the language that it begins with.

use crate::asm::Diagnostics;
use crate::asm::cubin::FIRST_WORD;
use crate::asm::tesla::{self, HEADER};
use crate::isa::tesla::module::TeslaModule;

/// Why a file is no module.
#[derive(Debug, thiserror::Error)]
pub enum ModuleFileError {
    /// It is in none of the languages.
    #[error(
        "{name}: the file begins neither with '{HEADER}', as assembly, nor with '.version', as PTX, nor with \
         '{FIRST_WORD}', as cubin text, nor as an ELF file"
    )]
    Language {
        /// What errors call the file.
        name: String,
    },
    /// It has mistakes.
    #[error("{0}")]
    Text(#[from] Diagnostics),
}

/// Reads a file: assembly for the Tesla processor, PTX, or a cubin as text or ELF file.
///
/// # Errors
/// When it is none of these, or has mistakes.
pub fn read_module(name: &str, bytes: &[u8]) -> Result<TeslaModule, ModuleFileError> {
    let module = tesla::read_module(name, bytes);
    Ok(module.ok_or_else(|| ModuleFileError::Language { name: name.to_owned() })??)
}
