//! One fragment instruction that is not flow: its words into a [`FragmentOperation`].
#![expect(clippy::cast_possible_truncation, reason = "fields are at most eight bits wide where they are narrowed")]

use super::decode::FragmentDecodeError;
use super::{FragmentField, FragmentOpcode, FragmentWord};
use crate::isa::Operand;
use crate::shader::condition::{ConditionTest, Relation, Swizzle, WriteMask};
use crate::shader::fragment::{
    FULL_REGISTERS, FragmentInput, FragmentOperation, FragmentRegister, FragmentSource, FragmentSourceKind, Precision,
    Scale, SourcePrecision,
};

/// Attribute numbers that inputs have.
const ATTRIBUTES: u8 = 15;

impl FragmentInput {
    /// The input with this attribute number.
    #[must_use]
    pub const fn from_attribute(attribute: u8) -> Option<Self> {
        match attribute {
            0 => Some(Self::WindowPosition),
            1 => Some(Self::Color0),
            2 => Some(Self::Color1),
            3 => Some(Self::Fog),
            4..=13 => Some(Self::TexCoord(attribute - 4)),
            14 => Some(Self::Facing),
            _ => None,
        }
    }

    /// All inputs, in the order of their attribute numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ATTRIBUTES).filter_map(Self::from_attribute)
    }

    /// The attribute number.
    #[must_use]
    pub const fn attribute(self) -> u8 {
        match self {
            Self::WindowPosition => 0,
            Self::Color0 => 1,
            Self::Color1 => 2,
            Self::Fog => 3,
            Self::TexCoord(index) => 4 + index,
            Self::Facing => 14,
        }
    }
}

impl FragmentOperation {
    /// The input that is read while the loop index is `index`; `None` where there is none, which reads zero.
    #[must_use]
    pub fn input_at(&self, index: i32) -> Option<FragmentInput> {
        if !self.is_input_indexed {
            return Some(self.input);
        }
        // Unverified: displacement and index may leave the texture coordinates for the other attributes.
        let attribute = i32::from(FragmentInput::TexCoord(0).attribute()) + i32::from(self.input_displacement) + index;
        u8::try_from(attribute).ok().and_then(FragmentInput::from_attribute)
    }
}

/// The condition field of any instruction.
pub(crate) fn condition_of(word: FragmentWord) -> ConditionTest {
    ConditionTest {
        register: word.get(FragmentField::CONDITION_TESTED) as u8,
        relation: Relation::from_bits(word.get(FragmentField::CONDITION)),
        swizzle: swizzle_from_x_low(word.get(FragmentField::CONDITION_SWIZZLE)),
    }
}

/// Decodes the instruction at word `offset`, whose inline constant, if any, has the index `constant`.
pub(crate) fn decode_operation(
    offset: u32,
    word: FragmentWord,
    opcode: FragmentOpcode,
    constant: Option<usize>,
) -> Result<FragmentOperation, FragmentDecodeError> {
    let unknown =
        |field: FragmentField| FragmentDecodeError::UnknownValue { offset, field: field.name, value: word.get(field) };

    let register = |index: FragmentField, half: FragmentField| {
        let register = FragmentRegister { index: word.get(index) as u8, is_half: word.is_set(half) };
        if register.is_half || register.index < FULL_REGISTERS { Ok(register) } else { Err(unknown(index)) }
    };
    let writes = !word.is_set(FragmentField::NO_DESTINATION) && opcode != FragmentOpcode::Kil;
    let destination = if writes && word.get(FragmentField::WRITE_MASK) != 0 {
        Some(register(FragmentField::DESTINATION, FragmentField::DESTINATION_HALF)?)
    } else {
        None
    };

    let source = |index: u8, operand: Operand, absolute: FragmentField, precision: FragmentField| {
        let is_read = opcode.row().operands.contains(&operand);
        let unread = FragmentRegister { index: 0, is_half: false };
        let kind = match (word.get(FragmentField::source_type(index)), constant) {
            (0, _) if is_read => FragmentSourceKind::Register(register(
                FragmentField::source_register(index),
                FragmentField::source_half(index),
            )?),
            (1, _) => FragmentSourceKind::Input,
            (2, Some(constant)) => FragmentSourceKind::Constant(constant as u16),
            (3, _) if is_read => return Err(unknown(FragmentField::source_type(index))),
            _ => FragmentSourceKind::Register(unread),
        };
        Ok(FragmentSource {
            kind,
            swizzle: swizzle_from_x_low(word.get(FragmentField::source_swizzle(index))),
            absolute: word.is_set(absolute),
            precision: source_precision(word.get(precision)),
            negate: word.is_set(FragmentField::source_negate(index)),
        })
    };
    let sources = [
        source(0, Operand::S0, FragmentField::ABS0, FragmentField::PRECISION0)?,
        source(1, Operand::S1, FragmentField::ABS1, FragmentField::PRECISION1)?,
        source(2, Operand::S2, FragmentField::ABS2, FragmentField::PRECISION2)?,
    ];
    let is_input_indexed = word.is_set(FragmentField::INPUT_INDEXED);
    let input = match FragmentInput::from_attribute(word.get(FragmentField::INPUT) as u8) {
        Some(input) => input,
        None if is_input_indexed || !reads_input(opcode, &sources) => FragmentInput::WindowPosition,
        None => return Err(unknown(FragmentField::INPUT)),
    };

    Ok(FragmentOperation {
        opcode,
        word_offset: offset,
        destination,
        mask: WriteMask(word.get(FragmentField::WRITE_MASK) as u8),
        condition_update: word
            .is_set(FragmentField::CONDITION_UPDATE)
            .then(|| word.get(FragmentField::CONDITION_WRITTEN) as u8),
        condition: condition_of(word),
        precision: match word.get(FragmentField::PRECISION) {
            0 => Precision::Fp32,
            1 => Precision::Fp16,
            2 => Precision::Fx12,
            _ => Precision::Fx9,
        },
        scale: scale(word.get(FragmentField::SCALE)),
        saturate: word.is_set(FragmentField::SATURATE),
        expand_texel: word.is_set(FragmentField::EXPAND_TEXEL),
        texture_unit: word.get(FragmentField::TEXTURE_UNIT) as u8,
        input,
        is_input_indexed,
        input_displacement: sign_extended_11(word.get(FragmentField::DISPLACEMENT)),
        divides_by_w: word.is_set(FragmentField::DIVIDES_BY_W),
        sources,
    })
}

fn reads_input(opcode: FragmentOpcode, sources: &[FragmentSource; 3]) -> bool {
    opcode.row().operands.iter().any(|operand| {
        let index = match operand {
            Operand::S0 => 0,
            Operand::S1 => 1,
            Operand::S2 => 2,
        };
        sources[index].kind == FragmentSourceKind::Input
    })
}

const fn source_precision(bits: u32) -> SourcePrecision {
    match bits {
        1 => SourcePrecision::Half,
        2 => SourcePrecision::Fx12,
        3 => SourcePrecision::Fx9,
        // Unverified: 4 saturates, 5 and above do nothing.
        4 => SourcePrecision::Saturate,
        _ => SourcePrecision::Full,
    }
}

const fn scale(bits: u32) -> Scale {
    match bits {
        1 => Scale::Two,
        2 => Scale::Four,
        3 => Scale::Eight,
        5 => Scale::Half,
        6 => Scale::Quarter,
        7 => Scale::Eighth,
        _ => Scale::One,
    }
}

const fn sign_extended_11(bits: u32) -> i16 {
    ((bits << 5) as u16).cast_signed() >> 5
}

const fn swizzle_from_x_low(bits: u32) -> Swizzle {
    Swizzle([(bits & 3) as u8, (bits >> 2 & 3) as u8, (bits >> 4 & 3) as u8, (bits >> 6 & 3) as u8])
}

#[cfg(test)]
mod tests {
    use super::sign_extended_11;
    use crate::shader::fragment::{FragmentInput, FragmentNode, FragmentProgram, Precision};

    #[test]
    fn displacements_are_signed() {
        assert_eq!(sign_extended_11(0x7fc), -4);
        assert_eq!(sign_extended_11(0x3ff), 1023);
        assert_eq!(sign_extended_11(0x400), -1024);
    }

    #[test]
    fn attribute_numbers_and_inputs_are_the_same_list() {
        let numbers: Vec<u8> = FragmentInput::all().map(FragmentInput::attribute).collect();
        assert_eq!(numbers, (0..15).collect::<Vec<u8>>());
    }

    #[test]
    fn the_blit_program_samples_and_moves() {
        let words =
            [0x1700_9e00, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800, 0x0140_1e81, 0x1c9d_c800, 0x0001_c800, 0x0001_c800];
        let program = FragmentProgram::decode(&words).unwrap();
        let [FragmentNode::Operation(sample), FragmentNode::Operation(copy)] = &program.body[..] else {
            panic!("two operations expected: {:?}", program.body);
        };
        assert_eq!((sample.input, sample.input_at(7)), (FragmentInput::TexCoord(0), Some(FragmentInput::TexCoord(0))));
        assert_eq!(sample.input_displacement, -4);
        assert_eq!(copy.precision, Precision::Fp16);
        assert!(copy.destination.unwrap().is_half);
        assert_eq!(program.words, 8);
    }
}
