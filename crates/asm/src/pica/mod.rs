//! Assembles texts in picasso's language for the PICA200 into shader binaries, and lists binaries as such texts.
//!
//! A statement is a line; `;` begins a comment. Differences from picasso: one text makes one binary with one executable,
//! `._` is an empty mask, and a component of `.constf` that is written in hexadecimal is the bits of a 24-bit float.
//!
//! ```text
//! line ─ token ─ cursor ─► directive: registers, constants, outputs, scopes
//!                     └──► instruction ─► program: targets, padding ─ encode ─► words, descriptors
//! ```
//!
//! Source: the manual of picasso, and the rules of its encoder for padding and register allocation.

mod code;
mod constants;
mod directives;
mod inputs;
mod instructions;
mod listing;
mod program;
mod registers;
#[cfg(test)]
mod tests;

use super::cursor::{Cursor, Parsed};
use super::diagnostic::{Diagnostic, Diagnostics, ErrorList, Span};
use super::labels::accept_label;
use super::shbin::{Executable, Shbin};
use super::token::Token;
use crate::isa::pica_vertex::STORE_WORDS;
use code::Code;
use constants::ConstantArray;
use registers::Registers;

pub use listing::{PicaListingError, listing};
pub use program::{NoExecutable, PicaProgram};

/// How texts are assembled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PicaOptions {
    /// Whether a NOP separates the ends of scopes that the hardware cannot handle together.
    pub pads_scopes: bool,
}

impl Default for PicaOptions {
    fn default() -> Self {
        Self { pads_scopes: true }
    }
}

/// A text while it is assembled.
struct Assembler<'text> {
    /// The instructions with their scopes and targets.
    code: Code<'text>,
    /// Names and free registers.
    registers: Registers<'text>,
    /// What the binary says about the shader.
    executable: Executable,
    /// Whether it is a geometry shader that shares registers with the vertex shader, as older versions of picasso made.
    shares_registers: bool,
    /// The components of each output register that have a meaning.
    used_outputs: [u8; 16],
    /// The constants of the array that is being declared.
    array: Option<ConstantArray<'text>>,
    /// The name of the procedure that execution begins with, if a directive gives it.
    entry: Option<(&'text str, Span)>,
}

/// Assembles a text; `name` is what errors call it.
///
/// # Errors
/// When a statement does not fit the language, or the program has no words.
pub fn assemble(name: &str, text: &str, options: PicaOptions) -> Result<Shbin, Diagnostics> {
    Diagnostics::check_length(name, text)?;
    let mut assembler = Assembler {
        code: Code::new(options.pads_scopes),
        registers: Registers::default(),
        executable: Executable::default(),
        shares_registers: false,
        used_outputs: [0; 16],
        array: None,
        entry: None,
    };
    let mut errors = ErrorList::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let length = line.find(';').unwrap_or(line.len());
        if let Err(error) = assembler.statement(text, start..start + length) {
            errors.push(error);
        }
        start += line.len();
        if assembler.code.is_full() {
            // Padding may exceed the store, too.
            errors.push(Diagnostic::over_limit(start..start, "words", STORE_WORDS + 1, STORE_WORDS, "program store"));
        }
        if errors.is_full() || assembler.code.is_full() {
            break;
        }
    }
    if errors.is_empty() {
        return assembler.finish(text.len()).map_err(|errors| Diagnostics::new(name, text, errors));
    }
    Err(Diagnostics::new(name, text, errors.into_errors()))
}

impl<'text> Assembler<'text> {
    /// Reads the labels and the statement of a line.
    fn statement(&mut self, text: &'text str, line: Span) -> Parsed<()> {
        let mut cursor = Cursor::new(&text[..line.end], line.start)?;
        while let Some((label, span)) = accept_label(&mut cursor) {
            self.code.label(label, span)?;
        }
        if cursor.peek().is_none() {
            return Ok(());
        }
        if cursor.accept(Token::Dot) {
            self.directive(&mut cursor)?;
        } else {
            self.instruction(&mut cursor)?;
        }
        if cursor.peek().is_some() { Err(cursor.unexpected("the end of the line")) } else { Ok(()) }
    }

    /// Resolves names and encodes. `end` is the length of the text.
    fn finish(mut self, end: usize) -> Result<Shbin, Vec<Diagnostic>> {
        if let Some(array) = self.array {
            return Err(vec![array.unclosed()]);
        }
        let entry = self.entry.unwrap_or(("main", end..end));
        let (shader, words) = self.code.finish(entry)?;
        (self.executable.entry, self.executable.end) = (words.start, words.end);
        // picasso sorts by register, too.
        self.executable.uniforms.sort_by_key(|uniform| uniform.file.range().0 + u16::from(uniform.first));
        Ok(Shbin::new(&shader, self.executable))
    }
}
