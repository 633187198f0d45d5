//! ELF cubins: the form in which CUDA 3.0 to 6.5 store compiled kernels of the Tesla processor.
//!
//! | Section | What it holds |
//! |---|---|
//! | `.text.KERNEL` | code; `sh_info` has the registers from bit 24 on, `sh_flags` the barriers in bits 20 to 24 |
//! | `.nv.info.KERNEL` | [attributes](attributes): parameters and textures |
//! | `.nv.shared.KERNEL`, `.nv.local.KERNEL` | their sizes are those of shared memory, with parameters, and of local memory |
//! | `.nv.constant1.KERNEL` | literals, `c1[]` |
//! | `.nv.constant0` | variables in constant memory, `c0[]`; symbols name them |
//! | `.nv.global`, `.nv.global.init` | variables in global memory, without and with initial values |
//! | `.nv.constant14`, `.rel.nv.constant14` | where kernels read the addresses of variables, `c14[]` |
//!
//! The low byte of `e_flags` is the architecture. Other sections are left out: debug information, and what has no effect.
//!
//! Source: public cubins of CUDA 3.0 to 6.5 for `sm_10` to `sm_13`, of 32 and 64 bits; gdev's reader for registers, barriers and
//! attributes; GPGPU-Sim's for relocations; NVIDIA's "CUDA Binary Utilities" for the names of sections.

mod attributes;
mod error;
mod image;
mod module;
#[cfg(test)]
mod tests;

use super::super::diagnostic::{Diagnostic, Diagnostics};
use crate::isa::tesla::module::TeslaModule;
use image::Image;

/// What an ELF file begins with.
pub const MAGIC: [u8; 4] = *b"\x7fELF";

/// Reads an ELF cubin; `name` is what errors call it.
///
/// # Errors
/// When the file is damaged, is not of CUDA or of a Tesla processor, exceeds a limit of the processor, or has relocations other
/// than addresses of variables.
pub fn read_elf_cubin(name: &str, file: &[u8]) -> Result<TeslaModule, Diagnostics> {
    let module = Image::read(file).and_then(|image| module::module(&image));
    module.map_err(|error| Diagnostics::new(name, "", vec![Diagnostic::new(0..0, error.to_string())]))
}
