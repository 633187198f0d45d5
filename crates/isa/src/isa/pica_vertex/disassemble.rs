//! Formats a [`PicaInstruction`] as a statement of picasso's assembly language.
//!
//! Targets have names made from their addresses: `proc_12` for a procedure, `label_40` for a jump's target. The language
//! marks the parts of an if or a loop by `.else` and `.end`, which are lines of their own. `._` is an empty mask, which
//! the language lacks.

use std::fmt::{self, Display, Formatter};

use super::{
    PicaArithmetic, PicaCondition, PicaDestination, PicaInstruction, PicaOpcode, PicaRegister, PicaSource, PicaTest,
};
use crate::isa::nv40_vertex::disassemble::{Mask, letter, write_mask};
use crate::shader::condition::{Swizzle, WriteMask};

impl Display for PicaInstruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mnemonic = match self.opcode() {
            // What no opcode does is shown by the name of its kind.
            None => match self {
                Self::If { .. } => "if",
                Self::Call { .. } => "call",
                Self::Break { .. } => "break",
                _ => "jmp",
            }
            .to_owned(),
            Some(PicaOpcode::Loop) => "for".to_owned(),
            Some(opcode) => opcode.mnemonic().to_ascii_lowercase(),
        };
        f.write_str(&mnemonic)?;
        match self {
            Self::Nop | Self::End | Self::Emit => Ok(()),
            Self::Arithmetic(arithmetic) => write!(f, " {arithmetic}"),
            Self::LoadAddress { mask, source } => write!(f, " a0{}, {source}", AddressMask(*mask)),
            Self::Compare { comparisons: [x, y], sources: [first, second] } => {
                write!(f, " {first}, {}, {}, {second}", x.mnemonic(), y.mnemonic())
            }
            Self::If { test, .. } | Self::Break { test } => {
                f.write_str(if *test == PicaTest::Always { "" } else { " " })?;
                test.fmt(f)
            }
            Self::Call { test, target, .. } => write!(f, " {test}{}proc_{target}", separator(*test)),
            Self::Jump { test, target } => write!(f, " {test}{}label_{target}", separator(*test)),
            Self::Loop { register, .. } => write!(f, " i{register}"),
            Self::SetEmit { vertex, is_primitive, is_inverted } => {
                let flags = match (is_primitive, is_inverted) {
                    (false, false) => "",
                    (true, false) => ", prim",
                    (false, true) => ", inv",
                    (true, true) => ", prim inv",
                };
                write!(f, " {vertex}{flags}")
            }
        }
    }
}

/// What stands between a test and a target.
fn separator(test: PicaTest) -> &'static str {
    if test == PicaTest::Always { "" } else { ", " }
}

impl Display for PicaArithmetic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.destination, Mask(self.mask))?;
        self.read_sources().iter().try_for_each(|source| write!(f, ", {source}"))
    }
}

impl Display for PicaDestination {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output(number) => write!(f, "o{number}"),
            Self::Temporary(number) => write!(f, "r{number}"),
        }
    }
}

impl Display for PicaRegister {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(number) => write!(f, "v{number}"),
            Self::Temporary(number) => write!(f, "r{number}"),
            Self::Constant(number) => write!(f, "c{number}"),
        }
    }
}

impl Display for PicaSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.negate { "-" } else { "" }, self.register)?;
        if let Some(index) = self.index {
            write!(f, "[{}]", index.name())?;
        }
        Selection(self.swizzle).fmt(f)
    }
}

impl Display for PicaTest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let not = |value: bool| if value { "" } else { "!" };
        match self {
            Self::Always => Ok(()),
            Self::Boolean { register, value } => write!(f, "{}b{register}", not(*value)),
            Self::Condition(PicaCondition::X(x)) => write!(f, "{}cmp.x", not(*x)),
            Self::Condition(PicaCondition::Y(y)) => write!(f, "{}cmp.y", not(*y)),
            Self::Condition(PicaCondition::Either([x, y])) => write!(f, "{}cmp.x || {}cmp.y", not(*x), not(*y)),
            Self::Condition(PicaCondition::Both([x, y])) => write!(f, "{}cmp.x && {}cmp.y", not(*x), not(*y)),
        }
    }
}

/// `.x`, `.y` or `.xy` behind the address register.
struct AddressMask(WriteMask);

impl Display for AddressMask {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_mask(f, self.0)
    }
}

/// `.wzy`; the last letter stands for the components behind it, and nothing for components in place.
#[derive(Debug, Clone, Copy)]
pub struct Selection(pub Swizzle);

impl Display for Selection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == Swizzle::IDENTITY {
            return Ok(());
        }
        let components = self.0.0;
        let repeated = components.iter().rev().take_while(|&&component| component == components[3]).count();
        f.write_str(".")?;
        components[..=4 - repeated].iter().try_for_each(|&component| write!(f, "{}", letter(component)))
    }
}
