//! The sources of an assembled program's constants: numbers, program parameters, state of the fixed pipeline.

use std::fmt::{self, Display, Formatter};

use super::cursor::Cursor;
use super::operand::vector_literal;
use super::state::{StateBinding, state_binding};
use super::token::Token;

/// Where a constant's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstantSource {
    /// Numbers in the text, as bits.
    Literal([u32; 4]),
    /// `program.local[n]`.
    Local(u32),
    /// `program.env[n]`.
    Environment(u32),
    /// State of the fixed pipeline, which the driver must update.
    State(StateBinding),
    /// `c[n]` or `p[n]` of the NV languages.
    Register(u32),
    /// A parameter that the text declares by name (DECLARE), in the order of declaration, with its first value.
    Named(u32, [u32; 4]),
}

/// A slot of the constant store and the source of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstantSlot {
    /// Index in the constant store.
    pub slot: u32,
    /// Where its value comes from.
    pub source: ConstantSource,
}

impl Display for ConstantSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal([x, y, z, w]) => write!(f, "{{{x:#010x}, {y:#010x}, {z:#010x}, {w:#010x}}}"),
            Self::Local(index) => write!(f, "program.local[{index}]"),
            Self::Environment(index) => write!(f, "program.env[{index}]"),
            Self::State(binding) => write!(f, "{binding}"),
            Self::Register(index) => write!(f, "c[{index}]"),
            Self::Named(index, _) => write!(f, "named[{index}]"),
        }
    }
}

/// The number of program parameters that a name can index.
const MAX_PARAMETERS: u32 = 1 << 16;

/// Reads a source as [`Display`] writes it; `p[n]` is a register too. Not for parameters that a text declares.
#[must_use]
pub fn read_source(text: &str) -> Option<ConstantSource> {
    let mut cursor = Cursor::new(text, 0).ok()?;
    let first = cursor.peek_text();
    let source = match first {
        "{" => ConstantSource::Literal(vector_literal(&mut cursor).ok()?),
        "state" => {
            cursor.advance();
            let bindings = state_binding(&mut cursor).ok()?;
            let &[binding] = bindings.as_slice() else { return None };
            ConstantSource::State(binding)
        }
        "program" => {
            cursor.advance();
            cursor.accept(Token::Dot);
            let (kind, _) = cursor.name("env or local").ok()?;
            let index = cursor.bracketed("a parameter", MAX_PARAMETERS).ok()?;
            match kind {
                "env" => ConstantSource::Environment(index),
                "local" => ConstantSource::Local(index),
                _ => return None,
            }
        }
        "c" | "p" => {
            cursor.advance();
            ConstantSource::Register(cursor.bracketed("a parameter", MAX_PARAMETERS).ok()?)
        }
        _ => return None,
    };
    cursor.peek().is_none().then_some(source)
}
