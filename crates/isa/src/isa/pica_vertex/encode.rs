//! Encodes [`PicaInstruction`]s as words and operand descriptors, the inverse of decoding.
//!
//! Descriptors are assigned in the order of the program, and exchanged where a MAD reaches the first 32 only, as picasso
//! does. If that does not succeed, those of all MADs come first.

use super::descriptor::DescriptorBits;
use super::{
    BOOLEANS, CONSTANTS, DESCRIPTORS, DescriptorTable, INPUTS, INTEGERS, OUTPUTS, OperandFields, PicaCondition,
    PicaDestination, PicaField, PicaInstruction, PicaOpcode, PicaRegister, PicaShader, PicaSource, PicaTest, PicaWord,
    STORE_WORDS, TEMPORARIES,
};
use crate::shader::condition::WriteMask;

/// Why an instruction has no word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PicaEncodeProblem {
    /// The program has more instructions than the store has words.
    #[error("the program has more than {STORE_WORDS} words")]
    TooManyWords,
    /// A number is too large.
    #[error("{what} {value}, at most {most} is possible")]
    OutOfRange {
        /// What the number is.
        what: &'static str,
        /// The number.
        value: u16,
        /// The largest one.
        most: u16,
    },
    /// Two sources read constants.
    #[error("{mnemonic} reads {count} constants, one is possible")]
    SeveralConstants {
        /// The operation.
        mnemonic: &'static str,
        /// The number of constants.
        count: usize,
    },
    /// A constant stands where no format of the operation has a wide source.
    #[error("source {source_number} of {mnemonic} cannot be a constant")]
    NarrowSource {
        /// The operation.
        mnemonic: &'static str,
        /// The source, from 1.
        source_number: usize,
    },
    /// An index stands with a register other than a constant.
    #[error("source {source_number} of {mnemonic} has an index but is not a constant")]
    IndexedRegister {
        /// The operation.
        mnemonic: &'static str,
        /// The source, from 1.
        source_number: usize,
    },
    /// No format of the operation has its operands.
    #[error("{mnemonic} is not an operation with a destination")]
    NotArithmetic {
        /// The operation.
        mnemonic: &'static str,
    },
    /// No opcode combines this flow and test.
    #[error("no opcode has this test")]
    UnknownTest,
    /// The operand descriptors that MAD reaches are used up.
    #[error("more than 32 different operand descriptors of MAD")]
    MadDescriptors,
    /// The operand descriptors are used up.
    #[error("more than {DESCRIPTORS} different operand descriptors")]
    Descriptors,
}

/// Which instruction has no word, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("instruction {address}: {problem}")]
pub struct PicaEncodeError {
    /// Its address.
    pub address: usize,
    /// Why.
    pub problem: PicaEncodeProblem,
}

impl PicaShader {
    /// Encodes a program.
    ///
    /// # Errors
    /// When an instruction has no word, or the program needs more words or descriptors than exist.
    pub fn encode(instructions: &[PicaInstruction]) -> Result<Self, PicaEncodeError> {
        let fail = |address| move |problem| PicaEncodeError { address, problem };
        if instructions.len() > STORE_WORDS {
            return Err(fail(STORE_WORDS)(PicaEncodeProblem::TooManyWords));
        }
        let encoded = Self::encode_in_order(instructions.iter().enumerate());
        encoded.or_else(|error| {
            let is_mad = |(_, instruction): &(usize, &PicaInstruction)| instruction.opcode() == Some(PicaOpcode::Mad);
            let (mads, others): (Vec<_>, Vec<_>) = instructions.iter().enumerate().partition(is_mad);
            Self::encode_in_order(mads.into_iter().chain(others)).map_err(|_| error)
        })
    }

    /// Encodes instructions, each with its address, and assigns descriptors in their order.
    fn encode_in_order<'a>(
        instructions: impl Iterator<Item = (usize, &'a PicaInstruction)>,
    ) -> Result<Self, PicaEncodeError> {
        let mut table = DescriptorTable::default();
        let mut encoded = Vec::new();
        for (address, instruction) in instructions {
            let (word, entry) =
                instruction.encode_with(&mut table).map_err(|problem| PicaEncodeError { address, problem })?;
            encoded.push((address, word, entry));
        }
        let mut code = vec![0; encoded.len()];
        for (address, word, entry) in encoded {
            let numbered = |(field, identity)| word.with(field, table.number(identity).into());
            code[address] = entry.map_or(word, numbered).0;
        }
        Ok(Self { code, descriptors: table.words() })
    }
}

/// The field that names a descriptor, and the identity of its entry.
type Entry = (PicaField, usize);

impl PicaInstruction {
    /// The word of this instruction; its operand descriptor goes to the table.
    ///
    /// # Errors
    /// When no word has this meaning, or no descriptor is left.
    pub fn encode(&self, descriptors: &mut DescriptorTable) -> Result<PicaWord, PicaEncodeProblem> {
        let (word, entry) = self.encode_with(descriptors)?;
        Ok(entry.map_or(word, |(field, identity)| word.with(field, descriptors.number(identity).into())))
    }

    /// The word without the number of its descriptor.
    fn encode_with(&self, descriptors: &mut DescriptorTable) -> Result<(PicaWord, Option<Entry>), PicaEncodeProblem> {
        let opcode = self.opcode().ok_or(PicaEncodeProblem::UnknownTest)?;
        if !self.sources().is_empty() {
            return self.with_operands(opcode, descriptors).map(|(word, entry)| (word, Some(entry)));
        }
        if matches!(self, Self::Arithmetic(_)) {
            return Err(PicaEncodeProblem::NotArithmetic { mnemonic: opcode.mnemonic() });
        }
        let word = PicaWord::default().with(PicaField::OPCODE, opcode.code().into());
        let word = match *self {
            Self::If { test, otherwise: target, count } | Self::Call { test, target, count } => {
                let word = with_target(with_test(word, test)?, target)?;
                Ok(word.with(PicaField::COUNT, count.into()))
            }
            Self::Loop { register, last } => {
                let register = limited("integer register i", register, INTEGERS)?;
                with_target(word.with(PicaField::INTEGER, register), last)
            }
            Self::Break { test } => with_test(word, test),
            Self::Jump { test, target } => {
                let jumps_on_clear = matches!(test, PicaTest::Boolean { value: false, .. });
                let word = with_target(with_test(word, test)?, target)?;
                Ok(word.with(PicaField::COUNT, jumps_on_clear.into()))
            }
            Self::SetEmit { vertex, is_primitive, is_inverted } => Ok(word
                .with(PicaField::VERTEX, limited("vertex", vertex, 4)?)
                .with(PicaField::PRIMITIVE, is_primitive.into())
                .with(PicaField::INVERT, is_inverted.into())),
            _ => Ok(word),
        }?;
        Ok((word, None))
    }

    fn with_operands(
        &self,
        operation: PicaOpcode,
        descriptors: &mut DescriptorTable,
    ) -> Result<(PicaWord, Entry), PicaEncodeProblem> {
        let mnemonic = operation.mnemonic();
        let not_arithmetic = PicaEncodeProblem::NotArithmetic { mnemonic };
        if matches!(self, Self::Arithmetic(_)) && (!operation.is_arithmetic() || operation.row().operation != operation)
        {
            return Err(not_arithmetic);
        }
        let (opcode, fields) = format_of(operation, self.sources())?;
        let row = operation.row();
        let mut word = PicaWord::default().with(PicaField::OPCODE, opcode.code().into());
        let mut bits = DescriptorBits::default();
        for (position, (source, reads)) in self.sources().iter().zip(row.sources).enumerate() {
            word = word.with(fields.sources[position], source_number(source.register)?);
            if let Some(index) = source.index {
                word = word.with(fields.index, index as u32 + 1);
            }
            // picasso counts all components of these as used, and of a second source of CMP.
            let is_whole =
                matches!((operation, position), (PicaOpcode::Dst | PicaOpcode::Litp, _) | (PicaOpcode::Cmp, 1));
            let used = if is_whole { WriteMask::ALL } else { reads.of(self.mask()) };
            bits.set_source(position, source.swizzle, source.negate, used);
        }
        match self {
            Self::Arithmetic(arithmetic) => {
                bits.set_mask(arithmetic.mask);
                let field = fields.destination.ok_or(not_arithmetic)?;
                word = word.with(field, destination_number(arithmetic.destination)?);
            }
            Self::LoadAddress { mask, .. } => bits.set_mask(*mask),
            Self::Compare { comparisons: [x, y], .. } => {
                word = word.with(PicaField::COMPARE_X, *x as u32).with(PicaField::COMPARE_Y, *y as u32);
            }
            _ => {}
        }
        let limit = fields.descriptor.max() as usize + 1;
        let full = if limit < DESCRIPTORS { PicaEncodeProblem::MadDescriptors } else { PicaEncodeProblem::Descriptors };
        Ok((word, (fields.descriptor, descriptors.assign(bits, limit).ok_or(full)?)))
    }
}

/// The opcode of the format whose wide source is the constant, if there is one, and its fields.
fn format_of(operation: PicaOpcode, sources: &[PicaSource]) -> Result<(PicaOpcode, OperandFields), PicaEncodeProblem> {
    let mnemonic = operation.mnemonic();
    let is_misplaced = |source: &PicaSource| source.index.is_some() && !source.is_constant();
    if let Some(position) = sources.iter().position(is_misplaced) {
        return Err(PicaEncodeProblem::IndexedRegister { mnemonic, source_number: position + 1 });
    }
    let count = sources.iter().filter(|source| source.is_constant()).count();
    if count > 1 {
        return Err(PicaEncodeProblem::SeveralConstants { mnemonic, count });
    }
    let constant = sources.iter().position(PicaSource::is_constant);
    [Some(operation), operation.inverted()]
        .into_iter()
        .flatten()
        .filter_map(|opcode| Some((opcode, opcode.row().format.operands()?)))
        .find(|(_, fields)| constant.is_none_or(|constant| constant == fields.wide))
        .ok_or(match constant {
            Some(position) => PicaEncodeProblem::NarrowSource { mnemonic, source_number: position + 1 },
            None => PicaEncodeProblem::NotArithmetic { mnemonic },
        })
}

/// A number below a limit.
fn limited(what: &'static str, value: u8, limit: u8) -> Result<u32, PicaEncodeProblem> {
    if value < limit {
        return Ok(value.into());
    }
    Err(PicaEncodeProblem::OutOfRange { what, value: value.into(), most: u16::from(limit) - 1 })
}

fn source_number(register: PicaRegister) -> Result<u32, PicaEncodeProblem> {
    match register {
        PicaRegister::Input(number) => limited("input register v", number, INPUTS),
        PicaRegister::Temporary(number) => Ok(0x10 + limited("temporary register r", number, TEMPORARIES)?),
        PicaRegister::Constant(number) => Ok(0x20 + limited("constant register c", number, CONSTANTS)?),
    }
}

fn destination_number(register: PicaDestination) -> Result<u32, PicaEncodeProblem> {
    match register {
        PicaDestination::Output(number) => limited("output register o", number, OUTPUTS),
        PicaDestination::Temporary(number) => Ok(0x10 + limited("temporary register r", number, TEMPORARIES)?),
    }
}

fn with_target(word: PicaWord, target: u16) -> Result<PicaWord, PicaEncodeProblem> {
    let most = PicaField::TARGET.max();
    if u32::from(target) > most {
        return Err(PicaEncodeProblem::OutOfRange { what: "target", value: target, most: 0xfff });
    }
    Ok(word.with(PicaField::TARGET, target.into()))
}

fn with_test(word: PicaWord, test: PicaTest) -> Result<PicaWord, PicaEncodeProblem> {
    let (code, x, y) = match test {
        PicaTest::Always => return Ok(word),
        PicaTest::Boolean { register, .. } => {
            return Ok(word.with(PicaField::BOOLEAN, limited("boolean register b", register, BOOLEANS)?));
        }
        PicaTest::Condition(condition) => match condition {
            PicaCondition::Either([x, y]) => (0, x, y),
            PicaCondition::Both([x, y]) => (1, x, y),
            // Like picasso, which requires the set value of a flag that does not matter.
            PicaCondition::X(x) => (2, x, true),
            PicaCondition::Y(y) => (3, true, y),
        },
    };
    Ok(word
        .with(PicaField::CONDITION, code)
        .with(PicaField::REFERENCE_X, x.into())
        .with(PicaField::REFERENCE_Y, y.into()))
}
