//! Decodes one fragment instruction other than flow into a [`FragmentOperation`].
#![expect(clippy::cast_possible_truncation, reason = "fields are at most eight bits wide where they are narrowed")]

use super::decode_error::FragmentDecodeError;
use super::modifiers::{PRECISIONS, SCALES, SOURCE_PRECISIONS};
use super::{FragmentField, FragmentWord};
use crate::shader::condition::{ConditionTest, Relation, Swizzle, WriteMask};
use crate::shader::fragment::{
    FULL_REGISTERS, FragmentInput, FragmentOperation, FragmentOperationKind, FragmentRegister, FragmentSource,
    FragmentSourceKind, Scale, SourcePrecision,
};

/// The condition field of any instruction.
pub fn condition_of(word: FragmentWord) -> ConditionTest {
    ConditionTest {
        register: word.get(FragmentField::CONDITION_TESTED) as u8,
        relation: Relation::from_bits(word.get(FragmentField::CONDITION)),
        swizzle: swizzle_from_x_low(word.get(FragmentField::CONDITION_SWIZZLE)),
    }
}

/// Decodes the instruction at word `offset`, whose inline constant, if any, has the index `constant`.
pub fn decode_operation(
    offset: u32,
    word: FragmentWord,
    kind: FragmentOperationKind,
    constant: Option<usize>,
) -> Result<FragmentOperation, FragmentDecodeError> {
    let unknown =
        |field: FragmentField| FragmentDecodeError::UnknownValue { offset, field: field.name, value: word.get(field) };

    let register = |index: FragmentField, half: FragmentField| {
        let register = FragmentRegister { index: word.get(index) as u8, is_half: word.is_set(half) };
        if register.is_half || register.index < FULL_REGISTERS { Ok(register) } else { Err(unknown(index)) }
    };
    let writes = !word.is_set(FragmentField::NO_DESTINATION) && kind != FragmentOperationKind::Kill;
    let destination = if writes && word.get(FragmentField::WRITE_MASK) != 0 {
        Some(register(FragmentField::DESTINATION, FragmentField::DESTINATION_HALF)?)
    } else {
        None
    };

    let source = |index: u8, absolute: FragmentField, precision: FragmentField| {
        let is_read = usize::from(index) < kind.source_count();
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
        source(0, FragmentField::ABS0, FragmentField::PRECISION0)?,
        source(1, FragmentField::ABS1, FragmentField::PRECISION1)?,
        source(2, FragmentField::ABS2, FragmentField::PRECISION2)?,
    ];
    let is_input_indexed = word.is_set(FragmentField::INPUT_INDEXED);
    let input = match FragmentInput::from_attribute(word.get(FragmentField::INPUT) as u8) {
        Some(input) => input,
        None if is_input_indexed || !reads_input(kind, &sources) => FragmentInput::WindowPosition,
        None => return Err(unknown(FragmentField::INPUT)),
    };

    Ok(FragmentOperation {
        kind,
        word_offset: offset,
        destination,
        mask: WriteMask(word.get(FragmentField::WRITE_MASK) as u8),
        condition_update: word
            .is_set(FragmentField::CONDITION_UPDATE)
            .then(|| word.get(FragmentField::CONDITION_WRITTEN) as u8),
        condition: condition_of(word),
        precision: PRECISIONS[word.get(FragmentField::PRECISION) as usize & 3].0,
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

fn reads_input(kind: FragmentOperationKind, sources: &[FragmentSource; 3]) -> bool {
    sources[..kind.source_count()].iter().any(|source| source.kind == FragmentSourceKind::Input)
}

fn source_precision(bits: u32) -> SourcePrecision {
    SOURCE_PRECISIONS.get(bits as usize).map_or(SourcePrecision::Full, |(precision, _)| *precision)
}

fn scale(bits: u32) -> Scale {
    SCALES.iter().find(|(scale, _)| *scale as u32 == bits).map_or(Scale::One, |(scale, _)| *scale)
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
