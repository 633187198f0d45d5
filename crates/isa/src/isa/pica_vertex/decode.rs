//! Decodes words of the PICA200 program store, with their operand descriptors, into [`PicaInstruction`]s.
#![expect(clippy::cast_possible_truncation, reason = "fields are at most twelve bits wide where they are narrowed")]

use super::{
    DESCRIPTORS, OperandDescriptor, OperandFields, PicaArithmetic, PicaComparison, PicaCondition, PicaDestination,
    PicaField, PicaIndex, PicaInstruction, PicaOpcode, PicaRegister, PicaShader, PicaSource, PicaTest, PicaWord,
    STORE_WORDS,
};
use crate::shader::condition::WriteMask;

/// Why words are not a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PicaDecodeError {
    /// The program has more words than the store.
    #[error("{words} words where the program store holds {STORE_WORDS}")]
    TooManyWords {
        /// The number of words.
        words: usize,
    },
    /// The program has more descriptors than the table.
    #[error("{count} operand descriptors where the table holds {DESCRIPTORS}")]
    TooManyDescriptors {
        /// The number of descriptors.
        count: usize,
    },
    /// An address is outside of the program.
    #[error("address {address} is outside of the {words} words of the program")]
    AddressOutside {
        /// The address.
        address: usize,
        /// The number of words.
        words: usize,
    },
    /// No operation has this opcode.
    #[error("word {address}: opcode {code:#04x} has no meaning")]
    UnknownOpcode {
        /// The address of the word.
        address: u16,
        /// The opcode.
        code: u8,
    },
    /// The operand descriptor does not exist.
    #[error("word {address}: operand descriptor {descriptor} is outside of the {count} descriptors of the program")]
    DescriptorOutside {
        /// The address of the word.
        address: u16,
        /// The number of the descriptor.
        descriptor: u8,
        /// The number of descriptors.
        count: usize,
    },
    /// CMP has a comparison without a meaning.
    // Unverified: what the hardware does for comparisons 6 and 7.
    #[error("word {address}: {field} {value} has no meaning")]
    UnknownComparison {
        /// The address of the word.
        address: u16,
        /// The documented name of the field.
        field: &'static str,
        /// The value.
        value: u8,
    },
    /// A jump, call or scope leaves the program.
    #[error("word {address}: {what} {target} is outside of the {words} words of the program")]
    TargetOutside {
        /// The address of the word.
        address: u16,
        /// What the target is.
        what: &'static str,
        /// The target.
        target: u16,
        /// The number of words.
        words: usize,
    },
    /// A vertex shader has an instruction of geometry shaders.
    #[error("word {address}: only geometry shaders emit vertices")]
    GeometryOnly {
        /// The address of the word.
        address: u16,
    },
}

impl PicaShader {
    /// Decodes every word.
    ///
    /// # Errors
    /// When the program exceeds the store or the table, or a word has no meaning.
    pub fn decode(&self) -> Result<Vec<PicaInstruction>, PicaDecodeError> {
        (0..self.code.len()).map(|address| self.instruction(address)).collect()
    }

    /// Decodes the word at an address.
    ///
    /// # Errors
    /// As [`decode`](Self::decode), for this word alone.
    pub fn instruction(&self, address: usize) -> Result<PicaInstruction, PicaDecodeError> {
        Ok(self.written_instruction(address)?.canonical())
    }

    /// Decodes the word at an address with the swizzles of its descriptor, also of components that have no meaning.
    ///
    /// # Errors
    /// As [`instruction`](Self::instruction).
    pub fn written_instruction(&self, address: usize) -> Result<PicaInstruction, PicaDecodeError> {
        let (words, count) = (self.code.len(), self.descriptors.len());
        if words > STORE_WORDS {
            return Err(PicaDecodeError::TooManyWords { words });
        }
        if count > DESCRIPTORS {
            return Err(PicaDecodeError::TooManyDescriptors { count });
        }
        let word = self.code.get(address).ok_or(PicaDecodeError::AddressOutside { address, words })?;
        let decoder = Decoder { shader: self, address: address as u16, word: PicaWord(*word) };
        let instruction = decoder.instruction()?;
        decoder.check_targets(&instruction)?;
        Ok(instruction)
    }
}

/// One word with its surroundings.
struct Decoder<'shader> {
    shader: &'shader PicaShader,
    address: u16,
    word: PicaWord,
}

impl Decoder<'_> {
    fn instruction(&self) -> Result<PicaInstruction, PicaDecodeError> {
        let word = self.word;
        let opcode = PicaOpcode::of_word(word).ok_or_else(|| PicaDecodeError::UnknownOpcode {
            address: self.address,
            code: word.get(PicaField::OPCODE) as u8,
        })?;
        if let Some(fields) = opcode.row().format.operands() {
            return self.with_operands(opcode, fields);
        }
        let (target, count) = (word.get(PicaField::TARGET) as u16, word.get(PicaField::COUNT) as u8);
        let condition = PicaTest::Condition(self.condition());
        let boolean = PicaTest::Boolean { register: word.get(PicaField::BOOLEAN) as u8, value: true };
        Ok(match opcode {
            PicaOpcode::End => PicaInstruction::End,
            PicaOpcode::Break => PicaInstruction::Break { test: PicaTest::Always },
            PicaOpcode::Breakc => PicaInstruction::Break { test: condition },
            PicaOpcode::Call => PicaInstruction::Call { test: PicaTest::Always, target, count },
            PicaOpcode::Callc => PicaInstruction::Call { test: condition, target, count },
            PicaOpcode::Callu => PicaInstruction::Call { test: boolean, target, count },
            PicaOpcode::Ifc => PicaInstruction::If { test: condition, otherwise: target, count },
            PicaOpcode::Ifu => PicaInstruction::If { test: boolean, otherwise: target, count },
            PicaOpcode::Loop => PicaInstruction::Loop { register: word.get(PicaField::INTEGER) as u8, last: target },
            PicaOpcode::Jmpc => PicaInstruction::Jump { test: condition, target },
            PicaOpcode::Jmpu => {
                let test = PicaTest::Boolean { register: word.get(PicaField::BOOLEAN) as u8, value: count & 1 == 0 };
                PicaInstruction::Jump { test, target }
            }
            PicaOpcode::Emit => PicaInstruction::Emit,
            PicaOpcode::Setemit => PicaInstruction::SetEmit {
                vertex: word.get(PicaField::VERTEX) as u8,
                is_primitive: word.is_set(PicaField::PRIMITIVE),
                is_inverted: word.is_set(PicaField::INVERT),
            },
            // Opcodes with operands are decoded above.
            _ => PicaInstruction::Nop,
        })
    }

    fn with_operands(&self, opcode: PicaOpcode, fields: OperandFields) -> Result<PicaInstruction, PicaDecodeError> {
        let number = self.word.get(fields.descriptor) as u8;
        let count = self.shader.descriptors.len();
        let descriptor = self.shader.descriptors.get(usize::from(number)).copied().map(OperandDescriptor);
        let descriptor = descriptor.ok_or(PicaDecodeError::DescriptorOutside {
            address: self.address,
            descriptor: number,
            count,
        })?;
        let mut sources = [PicaSource::UNREAD; 3];
        for (position, (source, field)) in sources.iter_mut().zip(fields.sources).enumerate() {
            let register = source_register(self.word.get(*field) as u8);
            let index = self.word.get(fields.index).checked_sub(1);
            let index = index.and_then(|index| PicaIndex::ALL.get(index as usize)).copied();
            *source = PicaSource {
                register,
                // The hardware applies the index to constants only.
                index: index.filter(|_| matches!(register, PicaRegister::Constant(_))),
                swizzle: descriptor.swizzle(position),
                negate: descriptor.negates(position),
            };
        }
        let [first, second, _] = sources;
        let operation = opcode.row().operation;
        let instruction = match (operation, fields.destination) {
            (PicaOpcode::Cmp, _) => PicaInstruction::Compare {
                comparisons: [self.comparison(PicaField::COMPARE_X)?, self.comparison(PicaField::COMPARE_Y)?],
                sources: [first, second],
            },
            (_, None) => PicaInstruction::LoadAddress { mask: WriteMask(descriptor.mask().0 & 0b0011), source: first },
            (_, Some(field)) => PicaInstruction::Arithmetic(PicaArithmetic {
                operation,
                destination: destination_register(self.word.get(field) as u8),
                mask: descriptor.mask(),
                sources,
            }),
        };
        Ok(instruction)
    }

    fn comparison(&self, field: PicaField) -> Result<PicaComparison, PicaDecodeError> {
        let value = self.word.get(field) as u8;
        PicaComparison::ALL.get(usize::from(value)).copied().ok_or(PicaDecodeError::UnknownComparison {
            address: self.address,
            field: field.name,
            value,
        })
    }

    const fn condition(&self) -> PicaCondition {
        let (x, y) = (self.word.is_set(PicaField::REFERENCE_X), self.word.is_set(PicaField::REFERENCE_Y));
        match self.word.get(PicaField::CONDITION) {
            0 => PicaCondition::Either([x, y]),
            1 => PicaCondition::Both([x, y]),
            2 => PicaCondition::X(x),
            _ => PicaCondition::Y(y),
        }
    }

    /// Fails where execution can leave the program. A part may end behind the last word, not begin there.
    fn check_targets(&self, instruction: &PicaInstruction) -> Result<(), PicaDecodeError> {
        let words = self.shader.code.len();
        let begins = |what, target| (what, target, words.saturating_sub(1));
        let ends = |what, target: u16, count: u8| (what, target + u16::from(count), words);
        let checked = match *instruction {
            PicaInstruction::Jump { target, .. } => [begins("target", target); 2],
            PicaInstruction::Call { target, count, .. } => {
                [begins("target", target), ends("end of the procedure", target, count)]
            }
            PicaInstruction::If { otherwise, count, .. } => [ends("end", otherwise, count); 2],
            PicaInstruction::Loop { last, .. } => [begins("last word", last); 2],
            _ => return Ok(()),
        };
        match checked.into_iter().find(|&(_, target, most)| usize::from(target) > most) {
            Some((what, target, _)) => {
                Err(PicaDecodeError::TargetOutside { address: self.address, what, target, words })
            }
            None => Ok(()),
        }
    }
}

/// The register of a source field; narrow fields have the numbers of the first registers.
const fn source_register(number: u8) -> PicaRegister {
    match number {
        0x00..=0x0f => PicaRegister::Input(number),
        0x10..=0x1f => PicaRegister::Temporary(number - 0x10),
        _ => PicaRegister::Constant(number - 0x20),
    }
}

const fn destination_register(number: u8) -> PicaDestination {
    if number < 0x10 { PicaDestination::Output(number) } else { PicaDestination::Temporary(number - 0x10) }
}
