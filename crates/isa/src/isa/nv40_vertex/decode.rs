//! Decodes microcode of the vertex processor into a [`VertexMicroprogram`]: the instructions that execution can
//! reach.
#![expect(clippy::cast_possible_truncation, reason = "fields are at most eight bits wide where they are narrowed")]

use super::{
    Branch, FlowKind, OutputWrite, ScalarOpcode, VectorOpcode, VertexField, VertexInstruction, VertexMicroprogram,
    VertexSource, VertexSourceKind, VertexWord,
};
use crate::isa::{Operand, x_high};
use crate::shader::condition::{ConditionTest, Relation};
use crate::shader::vertex::{AddressComponent, ConditionUpdate, INSTRUCTION_SLOTS, Unit};

/// Why words are not a vertex program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VertexDecodeError {
    /// Execution starts outside the words.
    #[error("start slot {start} is outside the {slots} slots of the program")]
    StartOutside {
        /// The start slot.
        start: u16,
        /// The number of slots.
        slots: usize,
    },
    /// A field holds an undefined value.
    #[error("slot {slot}: {field} {value:#x} has no meaning")]
    UnknownValue {
        /// The slot.
        slot: u16,
        /// The documented name of the field.
        field: &'static str,
        /// The value.
        value: u32,
    },
    /// A branch or call leaves the program.
    #[error("slot {slot}: TARGET {target} is outside the {slots} slots of the program")]
    TargetOutside {
        /// The slot.
        slot: u16,
        /// The target.
        target: u16,
        /// The number of slots.
        slots: usize,
    },
    /// Execution runs past the last slot.
    #[error("slot {slot}: END is not set and the program has no slot behind it")]
    MissingEnd {
        /// The last slot.
        slot: u16,
    },
}

impl VertexMicroprogram {
    /// Decodes the instructions that execution from slot `start` can reach.
    ///
    /// # Errors
    /// When a reachable instruction holds undefined values, or execution can leave the slots; only the first
    /// [`INSTRUCTION_SLOTS`] count.
    pub fn decode(slots: &[[u32; 4]], start: u16) -> Result<Self, VertexDecodeError> {
        let slots = &slots[..slots.len().min(INSTRUCTION_SLOTS)];
        if usize::from(start) >= slots.len() {
            return Err(VertexDecodeError::StartOutside { start, slots: slots.len() });
        }
        let mut reached: Vec<Option<VertexInstruction>> = vec![None; slots.len()];
        let mut pending = vec![start];
        while let Some(slot) = pending.pop() {
            if reached[usize::from(slot)].is_some() {
                continue;
            }
            let instruction = decode_instruction(slot, VertexWord::new(slots[usize::from(slot)]))?;
            if instruction.has_target() {
                let target = instruction.branch.target;
                if usize::from(target) >= slots.len() {
                    return Err(VertexDecodeError::TargetOutside { slot, target, slots: slots.len() });
                }
                pending.push(target);
            }
            if instruction.falls_through() {
                if usize::from(slot) + 1 >= slots.len() {
                    return Err(VertexDecodeError::MissingEnd { slot });
                }
                pending.push(slot + 1);
            }
            reached[usize::from(slot)] = Some(instruction);
        }
        let program = Self { start, instructions: reached.into_iter().flatten().collect() };
        Ok(if program.branches_to_addresses() { Self { start, instructions: all_slots(slots) } } else { program })
    }
}

/// The instructions of every slot up to the last one that is not empty. Slots without a valid instruction end the
/// program.
fn all_slots(slots: &[[u32; 4]]) -> Vec<VertexInstruction> {
    let count = slots.iter().rposition(|words| *words != [0; 4]).map_or(0, |last| last + 1);
    let instructions = slots[..count].iter().zip(0u16..).map(|(words, slot)| {
        let instruction = decode_instruction(slot, VertexWord::new(*words)).ok();
        let instruction =
            instruction.filter(|decoded| !decoded.has_target() || usize::from(decoded.branch.target) < count);
        let ending = VertexWord::new([0; 4]).with(VertexField::END, 1);
        instruction.or_else(|| decode_instruction(slot, ending).ok())
    });
    let mut instructions: Vec<_> = instructions.flatten().collect();
    if let Some(last) = instructions.last_mut() {
        last.is_last |= last.falls_through();
    }
    instructions
}

impl VertexInstruction {
    /// Whether the condition takes every branch: absent, or the relation that is always true.
    #[must_use]
    pub fn is_unconditional(&self) -> bool {
        self.condition.is_none_or(|test| test.relation == Relation::Always)
    }

    /// Whether the next slot can be executed after this one, directly or after a call.
    fn falls_through(&self) -> bool {
        let jumps = matches!(self.flow(), Some(FlowKind::Branch | FlowKind::BranchToAddress | FlowKind::Return));
        let leaves = jumps && self.is_unconditional();
        !self.is_last && !leaves
    }
}

/// Decodes one instruction separately.
pub fn decode_instruction(slot: u16, word: VertexWord) -> Result<VertexInstruction, VertexDecodeError> {
    let unknown =
        |field: VertexField| VertexDecodeError::UnknownValue { slot, field: field.name, value: word.get(field) };
    let vector =
        VectorOpcode::from_code(word.get(VertexField::OP_VEC) as u8).ok_or_else(|| unknown(VertexField::OP_VEC))?;
    let scalar =
        ScalarOpcode::from_code(word.get(VertexField::OP_SCA) as u8).ok_or_else(|| unknown(VertexField::OP_SCA))?;

    let reads = |operand: Operand| vector.row().operands.contains(&operand) || scalar.row().operands.contains(&operand);
    let source = |operand: Operand, field: VertexField, absolute: VertexField| {
        let bits = word.get(field);
        let kind = match VertexField::SOURCE_TYPE.of(bits) {
            1 => VertexSourceKind::Temporary(VertexField::SOURCE_TEMPORARY.of(bits) as u8),
            2 => VertexSourceKind::Input,
            3 => VertexSourceKind::Constant,
            _ if reads(operand) => return Err(unknown(field)),
            _ => VertexSourceKind::Input,
        };
        Ok(VertexSource {
            kind,
            swizzle: x_high::swizzle_of(VertexField::SOURCE_SWIZZLE.of(bits)),
            absolute: word.is_set(absolute),
            negate: VertexField::SOURCE_NEGATE.of(bits) != 0,
        })
    };
    let sources = [
        source(Operand::S0, VertexField::SRC0, VertexField::ABS0)?,
        source(Operand::S1, VertexField::SRC1, VertexField::ABS1)?,
        source(Operand::S2, VertexField::SRC2, VertexField::ABS2)?,
    ];

    let condition_register = word.get(VertexField::COND_SEL) as u8;
    let temporary = |field: VertexField| Some(word.get(field) as u8).filter(|&index| index != 0x3f);
    let unit = |field: VertexField| if word.is_set(field) { Unit::Vector } else { Unit::Scalar };
    let output = word.get(VertexField::OUT_ADDR) as u8;
    Ok(VertexInstruction {
        slot,
        vector,
        scalar,
        sources,
        input_index: word.get(VertexField::INPUT_ADDR) as u8,
        is_input_indexed: word.is_set(VertexField::INPUT_INDEXED),
        constant_index: word.get(VertexField::CONST_ADDR) as u16,
        is_constant_indexed: word.is_set(VertexField::CONST_INDEXED),
        address: AddressComponent {
            register: word.get(VertexField::ADDR_SEL) as u8,
            component: word.get(VertexField::ADDR_SWZ) as u8,
        },
        condition: word.is_set(VertexField::COND_TEST).then(|| ConditionTest {
            register: condition_register,
            relation: Relation::from_bits(word.get(VertexField::COND)),
            swizzle: x_high::swizzle_of(word.get(VertexField::COND_SWZ)),
        }),
        condition_update: word
            .is_set(VertexField::COND_UPDATE)
            .then(|| ConditionUpdate { register: condition_register, unit: Some(unit(VertexField::COND_FROM_VEC)) }),
        saturate: word.is_set(VertexField::SATURATE),
        vector_mask: x_high::mask_of(word.get(VertexField::WM_VEC)),
        scalar_mask: x_high::mask_of(word.get(VertexField::WM_SCA)),
        vector_destination: temporary(VertexField::DST_VEC),
        scalar_destination: temporary(VertexField::DST_SCA),
        output: (output != 0x1f).then(|| OutputWrite {
            index: output,
            is_indexed: word.is_set(VertexField::OUT_INDEXED),
            unit: unit(VertexField::OUT_FROM_VEC),
        }),
        branch: Branch {
            target: word.branch_target(),
            boolean: word.get(VertexField::BRANCH_BOOLEAN) as u8,
            polarity: word.is_set(VertexField::BRANCH_POLARITY),
        },
        texture_unit: word.get(VertexField::TEXTURE_UNIT) as u8,
        is_last: word.is_set(VertexField::END),
    })
}

#[cfg(test)]
mod tests {
    use super::VertexDecodeError;
    use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode, VertexField, VertexMicroprogram, VertexSourceKind};
    use crate::isa::test_words::{BLIT, VERTEX_NOP, vertex_branch};

    #[test]
    fn the_blit_program_moves_two_attributes() {
        let program = VertexMicroprogram::decode(&BLIT, 0).unwrap();
        assert_eq!(program.instructions.len(), 2);
        let last = &program.instructions[1];
        assert_eq!(last.vector, VectorOpcode::Mov);
        assert_eq!(last.sources[0].kind, VertexSourceKind::Input);
        assert_eq!((last.input_index, last.output.unwrap().index), (8, 7));
        assert!(last.is_last && last.condition.is_none() && last.vector_destination.is_none());
    }

    #[test]
    fn only_reachable_slots_are_decoded() {
        let invalid = VERTEX_NOP.with(VertexField::OP_VEC, 0x1f).words();
        let slots = [
            vertex_branch(ScalarOpcode::Bra.code().into(), 2).words(),
            invalid,
            VERTEX_NOP.with(VertexField::END, 1).words(),
        ];
        let program = VertexMicroprogram::decode(&slots, 0).unwrap();
        let reached: Vec<_> = program.instructions.iter().map(|instruction| instruction.slot).collect();
        assert_eq!(reached, [0, 2]);
    }

    #[test]
    fn a_branch_to_an_address_reaches_every_slot() {
        let flow = |scalar: ScalarOpcode, target| vertex_branch(scalar.code().into(), target);
        let invalid = VERTEX_NOP.with(VertexField::OP_VEC, 0x1f).words();
        let slots = [
            flow(ScalarOpcode::BraIndirect, 0).words(),
            invalid,
            flow(ScalarOpcode::Bra, 9).words(),
            VERTEX_NOP.words(),
            [0; 4],
        ];
        let program = VertexMicroprogram::decode(&slots, 0).unwrap();
        let ends: Vec<_> = program.instructions.iter().map(|instruction| instruction.is_last).collect();
        assert_eq!(ends, [false, true, true, true], "what cannot be executed ends the program");
        assert_eq!(program.lower().blocks().len(), 4, "every slot begins a block");
    }

    #[test]
    fn leaving_the_program_is_an_error_that_names_the_slot() {
        assert_eq!(
            VertexMicroprogram::decode(&[VERTEX_NOP.words()], 0),
            Err(VertexDecodeError::MissingEnd { slot: 0 })
        );
        let slots = [vertex_branch(ScalarOpcode::Cal.code().into(), 600).words(), BLIT[1]];
        assert_eq!(
            VertexMicroprogram::decode(&slots, 0),
            Err(VertexDecodeError::TargetOutside { slot: 0, target: 600, slots: 2 })
        );
        assert_eq!(VertexMicroprogram::decode(&[], 0), Err(VertexDecodeError::StartOutside { start: 0, slots: 0 }));
    }

    #[test]
    fn numbers_without_a_meaning_are_errors_that_name_the_field() {
        let slots = [VERTEX_NOP.with(VertexField::OP_SCA, 0x1d).words()];
        let error = VertexMicroprogram::decode(&slots, 0).unwrap_err();
        assert_eq!(error.to_string(), "slot 0: OP_SCA 0x1d has no meaning");
    }
}
