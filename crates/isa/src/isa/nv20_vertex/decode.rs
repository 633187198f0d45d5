//! Decodes microcode of the NV20 vertex processor into an [`Nv20Microprogram`]: the instructions from the start slot
//! to the one that ends the program.
#![expect(clippy::cast_possible_truncation, reason = "fields are at most eight bits wide where they are narrowed")]

use super::{
    INSTRUCTION_SLOTS, IluOpcode, LAST_CONSTANT, MacOpcode, Nv20Field, Nv20Instruction, Nv20Microprogram,
    Nv20OutputRegister, Nv20OutputWrite, Nv20Source, POSITION_TEMPORARY, TEMPORARIES, VertexSourceKind,
};
use crate::isa::Operand;
use crate::isa::vertex_word::{VertexField, VertexWord};
use crate::isa::x_high;
use crate::shader::vertex::Unit;

/// Why words are not a vertex program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Nv20DecodeError {
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
    /// A source names a register file or a temporary that does not exist.
    #[error("slot {slot}: {field} {value:#x} of source {source_name} has no meaning")]
    UnknownSource {
        /// The slot.
        slot: u16,
        /// A, B or C.
        source_name: &'static str,
        /// The field of the source.
        field: &'static str,
        /// The value.
        value: u32,
    },
    /// The output takes the result of ARL, which has none.
    #[error("slot {slot}: OUT_MUX selects ARL, which has no result to write")]
    AddressOutput {
        /// The slot.
        slot: u16,
    },
    /// A program that draws vertices writes a constant.
    #[error("slot {slot}: a program that draws does not write constants, but OUT_ORB selects constant {index}")]
    ConstantWrite {
        /// The slot.
        slot: u16,
        /// The constant.
        index: u8,
    },
    /// Execution runs past the last slot.
    #[error("slot {slot}: FINAL is not set and the program has no slot behind it")]
    MissingFinal {
        /// The last slot.
        slot: u16,
    },
}

impl Nv20Microprogram {
    /// Decodes the instructions from slot `start` to the first one with `FINAL`.
    ///
    /// # Errors
    /// When one of these instructions holds undefined values, or none ends the program; only the first
    /// [`INSTRUCTION_SLOTS`] count.
    pub fn decode(slots: &[[u32; 4]], start: u16) -> Result<Self, Nv20DecodeError> {
        let slots = &slots[..slots.len().min(INSTRUCTION_SLOTS)];
        if usize::from(start) >= slots.len() {
            return Err(Nv20DecodeError::StartOutside { start, slots: slots.len() });
        }
        let mut instructions = Vec::new();
        for (slot, words) in (0u16..).zip(slots).skip(usize::from(start)) {
            let instruction = decode_instruction(slot, VertexWord::new(*words))?;
            instructions.push(instruction);
            if instruction.is_last {
                return Ok(Self { start, instructions });
            }
        }
        Err(Nv20DecodeError::MissingFinal { slot: slots.len().saturating_sub(1) as u16 })
    }
}

/// Decodes one instruction separately.
///
/// # Errors
/// When a field that has an effect holds an undefined value.
pub fn decode_instruction(slot: u16, word: VertexWord) -> Result<Nv20Instruction, Nv20DecodeError> {
    let unknown =
        |field: VertexField| Err(Nv20DecodeError::UnknownValue { slot, field: field.name, value: word.get(field) });
    let Some(mac) = MacOpcode::from_code(word.get(Nv20Field::MAC) as u8) else { return unknown(Nv20Field::MAC) };
    let Some(ilu) = IluOpcode::from_code(word.get(Nv20Field::ILU) as u8) else { return unknown(Nv20Field::ILU) };
    let mut instruction = Nv20Instruction {
        slot,
        mac,
        ilu,
        input_index: word.get(Nv20Field::V) as u8,
        constant_index: word.get(Nv20Field::CONST) as u8,
        is_constant_indexed: word.is_set(Nv20Field::A0X),
        temporary: word.get(Nv20Field::OUT_R) as u8,
        mac_mask: x_high::mask_of(word.get(Nv20Field::MAC_MASK)),
        ilu_mask: x_high::mask_of(word.get(Nv20Field::ILU_MASK)),
        is_last: word.is_set(Nv20Field::FINAL),
        ..Nv20Instruction::NOP
    };
    for (operand, field) in Operand::ALL.into_iter().zip(Nv20Field::SOURCES) {
        if instruction.reads(operand) {
            instruction.sources[operand.index()] = decode_source(slot, field, word.get(field))?;
        }
    }
    // Unverified: the MAC without an operation leaves the output to the ILU, as envytools' hwtest expects.
    let is_ilu_output = word.is_set(Nv20Field::OUT_MUX) || mac == MacOpcode::Nop;
    let address = word.get(Nv20Field::OUT_ADDRESS) as u8;
    let is_output = word.is_set(Nv20Field::OUT_ORB);
    instruction.output = Some(Nv20OutputWrite {
        register: if is_output { Nv20OutputRegister::Output(address) } else { Nv20OutputRegister::Constant(address) },
        unit: if is_ilu_output { Unit::Scalar } else { Unit::Vector },
        mask: x_high::mask_of(word.get(Nv20Field::OUT_MASK)),
    });

    let instruction = instruction.canonical();
    // Unverified: writes of R12 and above are undefined. NV_vertex_program has R0..R11, and the assembler of the Xbox
    // tools knows R12 as a source only.
    let writes_temporary = instruction.mac_destination().is_some() || instruction.ilu_destination().is_some();
    if writes_temporary && instruction.temporary >= TEMPORARIES {
        return unknown(Nv20Field::OUT_R);
    }
    if !instruction.is_constant_indexed && instruction.constant_index > LAST_CONSTANT {
        return unknown(Nv20Field::CONST);
    }
    match instruction.output {
        Some(output) if output.unit == Unit::Vector && mac == MacOpcode::Arl => {
            Err(Nv20DecodeError::AddressOutput { slot })
        }
        Some(Nv20OutputWrite { register: Nv20OutputRegister::Output(index), .. })
            if Nv20OutputRegister::output_name(index).is_none() =>
        {
            unknown(Nv20Field::OUT_ADDRESS)
        }
        Some(Nv20OutputWrite { register: Nv20OutputRegister::Constant(index), .. }) if index > LAST_CONSTANT => {
            unknown(Nv20Field::OUT_ADDRESS)
        }
        _ => Ok(instruction),
    }
}

fn decode_source(slot: u16, source: VertexField, bits: u32) -> Result<Nv20Source, Nv20DecodeError> {
    let unknown = |field: VertexField| Nv20DecodeError::UnknownSource {
        slot,
        source_name: source.name,
        field: field.name,
        value: field.of(bits),
    };
    let kind = match Nv20Field::SOURCE_MUX.of(bits) {
        1 => {
            let index = Nv20Field::SOURCE_TEMPORARY.of(bits) as u8;
            if index > POSITION_TEMPORARY {
                return Err(unknown(Nv20Field::SOURCE_TEMPORARY));
            }
            VertexSourceKind::Temporary(index)
        }
        2 => VertexSourceKind::Input,
        3 => VertexSourceKind::Constant,
        _ => return Err(unknown(Nv20Field::SOURCE_MUX)),
    };
    let swizzle = x_high::swizzle_of(Nv20Field::SOURCE_SWIZZLE.of(bits));
    Ok(Nv20Source { kind, swizzle, negate: Nv20Field::SOURCE_NEGATE.of(bits) != 0 })
}

#[cfg(test)]
mod tests {
    use super::{Nv20DecodeError, decode_instruction};
    use crate::isa::nv20_vertex::{
        IluOpcode, MacOpcode, Nv20Field, Nv20Instruction, Nv20Microprogram, Nv20OutputRegister, VertexSourceKind,
    };
    use crate::isa::vertex_word::VertexWord;
    use crate::shader::condition::{Swizzle, WriteMask};
    use crate::shader::vertex::Unit;

    /// Words that `nv2a_vsh_asm`'s tests expect of `MOV oD0.xyzw, v3 + RCP R1.w, R1.w`.
    const PAIR: VertexWord = VertexWord::new([0, 0x0420_061b, 0x0836_13fc, 0x5011_f818]);
    const FINAL: [u32; 4] = [0, 0, 0, 1];

    fn decode(word: VertexWord) -> Result<Nv20Instruction, Nv20DecodeError> {
        decode_instruction(4, word)
    }

    #[test]
    fn a_pair_has_its_operands() {
        let pair = decode(PAIR).unwrap();
        assert_eq!((pair.mac, pair.ilu, pair.input_index), (MacOpcode::Mov, IluOpcode::Rcp, 3));
        assert_eq!(pair.sources[0].kind, VertexSourceKind::Input);
        assert_eq!(pair.sources[2].kind, VertexSourceKind::Temporary(1));
        assert_eq!(pair.sources[2].swizzle, Swizzle([3; 4]));
        assert_eq!((pair.mac_destination(), pair.ilu_destination()), (None, Some(1)));
        assert_eq!(pair.ilu_mask, WriteMask(8));
        let output = pair.output.unwrap();
        assert_eq!(output.register, Nv20OutputRegister::Output(3));
        assert_eq!((output.unit, output.mask), (Unit::Vector, WriteMask(15)));
    }

    #[test]
    fn the_ilu_of_a_pair_writes_r1_whatever_the_field_holds() {
        // DP4 oPos.x, R6, c[96] + RSQ R1.x, R2.x, with R10 in the field.
        let pair = decode(VertexWord::new([0, 0x08ec_001b, 0x6436_1800, 0x90a8_8800])).unwrap();
        assert_eq!(pair.ilu_destination(), Some(1));
        let alone = decode(VertexWord::new([0, 0x080c_001b, 0x6436_1800, 0x90a8_8800])).unwrap();
        assert_eq!(alone.ilu_destination(), Some(10));
        assert_eq!(alone.output.unwrap().unit, Unit::Scalar, "the MAC does nothing");
    }

    #[test]
    fn a_program_ends_at_final() {
        let slots = [PAIR.words(), PAIR.words(), FINAL, [!0; 4]];
        let program = Nv20Microprogram::decode(&slots, 1).unwrap();
        let lasts: Vec<_> = program.instructions.iter().map(|each| (each.slot, each.is_last)).collect();
        assert_eq!(lasts, [(1, false), (2, true)]);
        let error = Nv20Microprogram::decode(&slots[..2], 0).unwrap_err();
        assert_eq!(error, Nv20DecodeError::MissingFinal { slot: 1 });
        let error = Nv20Microprogram::decode(&slots, 4).unwrap_err();
        assert_eq!(error, Nv20DecodeError::StartOutside { start: 4, slots: 4 });
        let mut full = vec![PAIR.words(); 200];
        assert_eq!(Nv20Microprogram::decode(&full, 0), Err(Nv20DecodeError::MissingFinal { slot: 135 }));
        assert_eq!(Nv20Microprogram::decode(&full, 136), Err(Nv20DecodeError::StartOutside { start: 136, slots: 136 }));
        full[135] = FINAL;
        assert_eq!(Nv20Microprogram::decode(&full, 0).unwrap().instructions.len(), 136);
    }

    #[test]
    fn undefined_values_are_errors_that_name_slot_and_field() {
        let text = |word: VertexWord| decode(word).unwrap_err().to_string();
        assert_eq!(text(PAIR.with(Nv20Field::MAC, 14)), "slot 4: MAC 0xe has no meaning");
        assert_eq!(text(PAIR.with(Nv20Field::A, 0)), "slot 4: mux 0x0 of source A has no meaning");
        let r13 = 1 | 13 << 2;
        assert_eq!(text(PAIR.with(Nv20Field::C, r13)), "slot 4: temporary 0xd of source C has no meaning");
        assert_eq!(text(PAIR.with(Nv20Field::OUT_ADDRESS, 13)), "slot 4: OUT_ADDRESS 0xd has no meaning");
        let context = PAIR.with(Nv20Field::OUT_ORB, 0);
        assert!(decode(context.with(Nv20Field::OUT_ADDRESS, 191)).is_ok());
        assert_eq!(text(context.with(Nv20Field::OUT_ADDRESS, 192)), "slot 4: OUT_ADDRESS 0xc0 has no meaning");
        let r12 = PAIR.with(Nv20Field::MAC_MASK, 1).with(Nv20Field::OUT_R, 12);
        assert_eq!(text(r12), "slot 4: OUT_R 0xc has no meaning");
        let constant = PAIR.with(Nv20Field::A, 3).with(Nv20Field::CONST, 192);
        assert_eq!(text(constant), "slot 4: CONST 0xc0 has no meaning");
        assert!(decode(constant.with(Nv20Field::A0X, 1)).is_ok());
        let address = PAIR.with(Nv20Field::MAC, u32::from(MacOpcode::Arl.code()));
        assert_eq!(text(address), "slot 4: OUT_MUX selects ARL, which has no result to write");
    }

    #[test]
    fn fields_without_an_effect_do_not_reach_the_instruction() {
        let pair = decode(PAIR).unwrap();
        let word = PAIR
            .with(Nv20Field::B, 0)
            .with(Nv20Field::CONST, 250)
            .with(Nv20Field::A0X, 1)
            .with(Nv20Field::OUT_R, 15)
            .with(Nv20Field::UNUSED, 0x1234);
        assert_eq!(decode(word), Ok(pair));
        let nothing = VertexWord::new([0, 0, 0, 0xffff_fffe]);
        assert_eq!(decode(nothing), Ok(Nv20Instruction { slot: 4, ..Nv20Instruction::NOP }));
    }

    #[test]
    fn r12_is_the_position() {
        // MUL oPos.xyz, R12.xyz, c[58].xyz
        let word = VertexWord::new([0, 0x0047_401a, 0xc434_186c, 0x2070_e800]);
        assert_eq!(decode(word).unwrap().sources[0].kind, VertexSourceKind::Temporary(12));
    }
}
