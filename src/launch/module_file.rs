//! Reads a file of kernels, in the language that it begins with.

use crate::asm::Diagnostics;
use crate::asm::cubin::{FIRST_WORD, read_cubin};
use crate::asm::tesla::{HEADER, assemble};
use crate::isa::tesla::module::TeslaModule;

/// Why a file is no module.
#[derive(Debug, thiserror::Error)]
pub enum ModuleFileError {
    /// It is in none of the languages.
    #[error("{name}: the file begins neither with '{HEADER}', as assembly, nor with '{FIRST_WORD}', as cubin text")]
    Language {
        /// What errors call the file.
        name: String,
    },
    /// It has mistakes.
    #[error("{0}")]
    Text(#[from] Diagnostics),
}

/// Reads a file: assembly for the Tesla processor, or cubin text.
///
/// # Errors
/// When it is neither, or has mistakes.
pub fn read_module(name: &str, text: &str) -> Result<TeslaModule, ModuleFileError> {
    if text.starts_with(HEADER) {
        Ok(assemble(name, text)?)
    } else if text.trim_start().starts_with(FIRST_WORD) {
        Ok(read_cubin(name, text)?)
    } else {
        Err(ModuleFileError::Language { name: name.to_owned() })
    }
}
