//! Assembles texts for the Tesla processor into modules, and lists modules as such texts.
//!
//! Instructions have the syntax of envydis. A statement is a line; `//` begins a comment.
//!
//! ```text
//! line ─ token ─ cursor ─► directive: kernels, sizes, variables
//!                     └──► statement: a pattern of the instruction set ─► readings ─ encode ─► one or two words
//!                                                                                    └ layout: pairs, targets ─► words
//! ```
//!
//! The instruction set provides the patterns: the same list of parts that the disassembler prints. Of the operations that a
//! text can mean, the first one with an encoding is taken.

mod code;
mod directives;
mod file;
mod inputs;
mod kinds;
pub(super) mod layout;
mod listing;
mod misfit;
mod operands;
mod statement;
#[cfg(test)]
mod tests;
mod token;

use super::cursor::{Parsed, shortened};
use super::diagnostic::{Diagnostic, Diagnostics, ErrorList, Span};
use crate::isa::tesla::module::TeslaModule;
use directives::Builder;
use operands::Line;
use token::TeslaToken as Token;

pub use file::read_module;
pub use inputs::{TeslaInputs, parse_inputs};
pub use kinds::{HEADER, KINDS};
pub use listing::{code_listing, listing};

/// Assembles a text; `name` is what errors call it.
///
/// # Errors
/// When a statement does not fit the language, or no encoding holds an instruction.
pub fn assemble(name: &str, text: &str) -> Result<TeslaModule, Diagnostics> {
    Diagnostics::check_length(name, text)?;
    let rest = text.strip_prefix(HEADER).filter(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()));
    if rest.is_none() {
        let header = text.split(char::is_whitespace).next().unwrap_or_default();
        let error = Diagnostic::new(0..header.len(), format!("`{}` is not the header", shortened(header)));
        return Err(Diagnostics::new(name, text, vec![error.label(format!("expected `{HEADER}`"))]));
    }
    let mut builder = Builder::default();
    let mut errors = ErrorList::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        // The header is in the first line.
        let begin = if start == 0 { HEADER.len() } else { start };
        if let Err(error) = statement(&mut builder, text, begin..start + line.len()) {
            errors.push(error);
        }
        start += line.len();
        if errors.is_full() {
            break;
        }
    }
    let (module, more) = builder.finish();
    errors.extend(more);
    errors.or(module).map_err(|errors| Diagnostics::new(name, text, errors))
}

/// Reads the labels and the statement of a line.
fn statement<'text>(builder: &mut Builder<'text>, text: &'text str, line: Span) -> Parsed<()> {
    let mut line = Line::split(&text[..line.end], line.start)?;
    while line.peek() == Some(Token::Name) && line.peek_at(1) == Some(Token::Colon) {
        let label = (line.peek_text(), line.span());
        line.advance();
        line.advance();
        builder.label(label.0, label.1)?;
    }
    match line.peek() {
        None => return Ok(()),
        Some(Token::Directive) => builder.directive(&mut line)?,
        Some(_) => builder.instruction(&mut line)?,
    }
    if line.peek().is_some() { Err(line.unexpected("the end of the line")) } else { Ok(()) }
}
