//! Names every bit of a fragment instruction, so that a text can set fields that its statements do not imply.

use crate::isa::nv40_fragment::FragmentField as Field;

/// The fields of word 0.
const FIRST_WORD: [Field; 12] = [
    Field::END,
    Field::DESTINATION,
    Field::DESTINATION_HALF,
    Field::CONDITION_UPDATE,
    Field::WRITE_MASK,
    Field::INPUT,
    Field::TEXTURE_UNIT,
    Field::EXPAND_TEXEL,
    Field::PRECISION,
    Field::OPCODE,
    Field::NO_DESTINATION,
    Field::SATURATE,
];

/// The upper fields of word 1, which flow instructions share.
const SECOND_WORD: [Field; 5] =
    [Field::CONDITION, Field::CONDITION_SWIZZLE, Field::ABS0, Field::CONDITION_WRITTEN, Field::CONDITION_TESTED];

/// The upper fields of words 2 and 3.
const LAST_WORDS: [Field; 10] = [
    Field::ABS1,
    Field::PRECISION0,
    Field::PRECISION1,
    Field::PRECISION2,
    Field::SCALE,
    Field::FLOW,
    Field::ABS2,
    Field::DISPLACEMENT,
    Field::INPUT_INDEXED,
    Field::DIVIDES_BY_W,
];

/// The fields of words 2 and 3 of flow instructions.
const OFFSETS: [Field; 4] = [Field::FLOW_OFFSET, Field::FLOW, Field::FLOW_END, Field::DIVIDES_BY_W];

fn source_fields(source: u8) -> impl Iterator<Item = (String, Field)> {
    let fields = [
        Field::source_type(source),
        Field::source_register(source),
        Field::source_half(source),
        Field::source_swizzle(source),
        Field::source_negate(source),
    ];
    fields.into_iter().map(move |field| (format!("{}{source}", field.name), field))
}

fn named(field: &Field) -> (String, Field) {
    (field.name.to_owned(), *field)
}

/// The fields of an instruction that is not flow; together they are all of its bits.
pub(super) fn operation_fields() -> impl Iterator<Item = (String, Field)> {
    let fields = FIRST_WORD.iter().chain(&SECOND_WORD).chain(&LAST_WORDS).map(named);
    fields.chain((0..3).flat_map(source_fields))
}

/// The fields of a flow instruction; together they are all of its bits.
pub(super) fn flow_fields() -> impl Iterator<Item = (String, Field)> {
    FIRST_WORD.iter().chain(&SECOND_WORD).chain(&OFFSETS).map(named).chain(source_fields(0))
}

/// The field with this name of an instruction that is not flow.
pub(super) fn operation_field(name: &str) -> Option<Field> {
    operation_fields().find(|(known, _)| known == name).map(|(_, field)| field)
}

/// The field with this name of a flow instruction.
pub(super) fn flow_field(name: &str) -> Option<Field> {
    flow_fields().find(|(known, _)| known == name).map(|(_, field)| field)
}

#[cfg(test)]
mod tests {
    use super::{flow_fields, operation_fields};
    use crate::isa::nv40_fragment::FragmentWord;

    #[test]
    fn every_bit_has_one_name() {
        for fields in [operation_fields().collect::<Vec<_>>(), flow_fields().collect()] {
            let mut seen = [0; 4];
            for (name, field) in &fields {
                let bits = FragmentWord::default().with(*field, !0).0;
                for (seen, bits) in seen.iter_mut().zip(bits) {
                    assert_eq!(*seen & bits, 0, "{name}");
                    *seen |= bits;
                }
                assert_eq!(fields.iter().filter(|(other, _)| other == name).count(), 1, "{name}");
            }
            assert_eq!(seen, [!0; 4]);
        }
    }
}
