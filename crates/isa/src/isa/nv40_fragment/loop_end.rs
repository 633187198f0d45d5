//! Finds the end of a loop whose instruction does not state it.
//!
//! The open driver for the chip leaves the end offset of REP zero. How the chip interprets that is not public. The
//! programs count iterations in a register that the tests for leaving read and that the last instruction of an
//! iteration increments; that addition marks the end of the body.

use std::collections::HashSet;

use super::decode_operation::decode_operation;
use super::limits::SLOT_WORDS;
use super::{FlowOpcode, FragmentField, FragmentOpcode, FragmentWord, OpcodeMeaning};
use crate::shader::fragment::{FragmentOperation, FragmentOperationKind, FragmentRegister, FragmentSourceKind};
use crate::shader::fragment_function::functions;

/// The most instructions that are examined.
const LOOKAHEAD: usize = 4096;

/// A component of a register.
type Component = (FragmentRegister, u8);

/// Finds the end of the loop whose body starts at word `first`: after the last unconditional ADD, after the last
/// BRK, to a component that the code up to that BRK reads before writing it. `None` if there is no such
/// instruction.
// Unverified: what the chip does with an end offset of zero.
pub fn infer_loop_end(read: &mut dyn FnMut(u32) -> Option<u32>, first: u32) -> Option<u32> {
    let mut offset = first;
    let mut conditional_until = first;
    let mut inner_loop_until = first;
    // Components that are surely written; components read before that and before a BRK; the end.
    let (mut written, mut carried) = (HashSet::new(), HashSet::new());
    let (mut tested, mut end) = (None, None);
    for _ in 0..LOOKAHEAD {
        let start = offset;
        let mut words = [0; 4];
        for (word, index) in words.iter_mut().zip(start..) {
            *word = read(index)?;
        }
        let word = FragmentWord(words);
        offset += SLOT_WORDS;
        match FragmentOpcode::from_code(word.opcode_bits())?.row().meaning {
            OpcodeMeaning::Flow(FlowOpcode::If) => {
                conditional_until = conditional_until.max(word.get(FragmentField::FLOW_END));
            }
            OpcodeMeaning::Flow(FlowOpcode::Loop | FlowOpcode::Rep) => {
                let inner_end = word.get(FragmentField::FLOW_END);
                if inner_end <= start {
                    return None;
                }
                conditional_until = conditional_until.max(inner_end);
                inner_loop_until = inner_loop_until.max(inner_end);
            }
            OpcodeMeaning::Flow(FlowOpcode::Break) if start >= inner_loop_until => {
                tested = Some(carried.clone());
                end = None;
            }
            OpcodeMeaning::Flow(FlowOpcode::Break | FlowOpcode::Call | FlowOpcode::Return) => {}
            OpcodeMeaning::Operation(kind) => {
                let constant = word.has_constant().then_some(0);
                offset += if constant.is_some() { SLOT_WORDS } else { 0 };
                let operation = decode_operation(start, word, kind, constant).ok()?;
                let reads = components_read(&operation);
                carried.extend(reads.iter().filter(|component| !written.contains(*component)).copied());
                if start >= conditional_until {
                    let writes = components_written(&operation);
                    let counts = |component: &Component| {
                        reads.contains(component) && tested.as_ref().is_some_and(|tested| tested.contains(component))
                    };
                    if kind == FragmentOperationKind::Compute(&functions::ADD) && writes.iter().any(counts) {
                        end = Some(offset);
                    }
                    written.extend(writes);
                }
            }
        }
        if word.is_set(FragmentField::END) {
            return end;
        }
    }
    None
}

fn components_written(operation: &FragmentOperation) -> Vec<Component> {
    let register = operation.destination;
    let components = (0..4).filter(|&component| operation.mask.has(usize::from(component)));
    components.filter_map(|component| Some((register?, component))).collect()
}

/// The components that the sources may read, regardless of those that the operation needs.
fn components_read(operation: &FragmentOperation) -> Vec<Component> {
    let read = |source: &crate::shader::fragment::FragmentSource| match source.kind {
        FragmentSourceKind::Register(register) => source.swizzle.0.map(|component| (register, component)).to_vec(),
        FragmentSourceKind::Input | FragmentSourceKind::Constant(_) => Vec::new(),
    };
    operation.read_sources().iter().flat_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loop of a compiled escape-time fractal: leaves if R1.x reaches a bound or R2.x a limit; R1.x counts
    /// iterations.
    const BODY: [[u32; 4]; 13] = [
        [0x0b00_0208, 0x1c9c_0004, 0x0000_aa02, 0x0001_c801], // SGE R4.x, R1.x, c.y
        [0, 0x4270_0000, 0x4000_0000, 0x4080_0000],
        [0x4100_0300, 0x1c9c_0010, 0x0001_c801, 0x0001_c801], // MOVC CC.x, R4.x
        [0x4240_0000, 0x0014_0000, 0x8000_001c, 0x0000_001c], // IF (NE.x), to word 28
        [0x4000_0000, 0x1c9c_0000, 0x8000_0000, 0x0000_0000], // BRK
        [0x0200_0608, 0x1c9d_c80c, 0x0001_c80c, 0x0001_c801],
        [0x0300_0204, 0x1c9c_0008, 0x0000_0008, 0x0001_c801], // ADD R2.x, R2.x, R2.x: not read before BRK
        [0x0300_0202, 0x1c9c_0004, 0x0001_5402, 0x0001_c801], // ADD R1.x, R1.x, c.z
        [0, 0, 0x3f80_0000, 0],
        [0x0200_0202, 0x1c9c_0008, 0x0001_5402, 0x0001_c801], // MUL R1.x, R2.x, c: behind the loop
        [0, 0x4270_0000, 0x4000_0000, 0x4080_0000],
        [0x0100_1e81, 0x1c9d_5402, 0x0001_c801, 0x0001_c801], // MOV H0, c; END
        [0, 0, 0, 0x3f80_0000],
    ];

    fn infer(words: &[u32]) -> Option<u32> {
        // The body starts at word 8, so that the IF's offset is after the BRK.
        infer_loop_end(&mut |offset| words.get(offset as usize - 8).copied(), 8)
    }

    #[test]
    fn a_round_ends_behind_the_addition_to_its_counter() {
        assert_eq!(infer(BODY.as_flattened()), Some(8 + 9 * 4));
    }

    #[test]
    fn a_loop_without_a_counter_has_no_end() {
        let mut body = BODY;
        body[7][0] = 0x0200_0202; // MUL instead of ADD
        assert_eq!(infer(body.as_flattened()), None);
        assert_eq!(infer(&BODY.as_flattened()[..20]), None, "cut off");
    }
}
