//! Programs in memory. Those of draws stay decoded until `CODE_CB_FLUSH`, which empties the chip's instruction cache.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::address::Address;
use crate::chip::ChipError;
use crate::chip::class::Context;
use crate::shader::simt::{Address as Place, MemoryOperand, Operand, ProgramKind, SimtProgram, Space};

/// The bytes of code that are decoded at most.
const MAX_CODE: u32 = 1 << 20;

/// The local memory of programs that address it by registers.
const INDEXED_LOCAL: u32 = 1 << 12;

/// Programs by their kind, the address of their code, where they begin in it, and whether zero wins in products.
#[derive(Debug, Default)]
pub(super) struct ProgramCache(HashMap<(ProgramKind, u64, u32, bool), Arc<SimtProgram>>);

impl ProgramCache {
    /// Forgets all programs, as their memory has changed.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The program at an address: the instructions that it can reach.
    pub(super) fn program(
        &mut self,
        kind: ProgramKind,
        (code, start): (Address, u32),
        zero_wins: bool,
        context: &mut Context<'_>,
    ) -> Result<Arc<SimtProgram>, ChipError> {
        let key = (kind, code.value(), start, zero_wins);
        if let Some(program) = self.0.get(&key) {
            return Ok(Arc::clone(program));
        }
        let program = Arc::new(read_program(kind, (code, start), context)?.with_zero_wins(zero_wins));
        self.0.insert(key, Arc::clone(&program));
        Ok(program)
    }
}

/// Reads the instructions that a program can reach.
pub(super) fn read_program(
    kind: ProgramKind,
    (code, start): (Address, u32),
    context: &mut Context<'_>,
) -> Result<SimtProgram, ChipError> {
    let window = context.objects.virtual_window(code.value()).truncated(MAX_CODE);
    let mut bytes = vec![0; window.bytes as usize];
    context.engine.read_memory(window, &mut bytes)?;
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Ok(SimtProgram::decode_from(&words, start, kind))
}

/// The memory operands of a program.
pub(super) fn operands(program: &SimtProgram) -> impl Iterator<Item = MemoryOperand> + '_ {
    program.instructions().iter().flat_map(|found| found.instruction.memory_operands())
}

/// The end of what an operand accesses; `None` if a register addresses it.
const fn end_of(operand: &MemoryOperand) -> Option<u32> {
    match operand.address {
        Place::Offset { base: 0, offset } => Some(offset.saturating_add(operand.access.bytes())),
        Place::Offset { .. } | Place::PostIncrement { .. } | Place::Register(_) => None,
    }
}

/// How many bytes of each constant space a program can read; all of a space that it addresses by registers.
pub(super) fn constant_bytes(program: &SimtProgram) -> BTreeMap<u8, u32> {
    let mut bytes = BTreeMap::new();
    for operand in operands(program) {
        let Space::Constant(space) = operand.space else { continue };
        let known: &mut u32 = bytes.entry(space).or_default();
        *known = end_of(&operand).unwrap_or(u32::MAX).max(*known);
    }
    bytes
}

/// The bytes of local memory that a program of a draw accesses.
pub(super) fn local_bytes(program: &SimtProgram) -> u32 {
    let accesses = operands(program).filter(|operand| operand.space == Space::Local);
    accesses.map(|operand| end_of(&operand).unwrap_or(INDEXED_LOCAL)).max().unwrap_or(0)
}

/// Whether a program reads a word of a space, by the word's number. Reads by registers may read any of them.
pub(super) fn reads_word(program: &SimtProgram, space: Space, word: u32) -> bool {
    let interpolants = program.instructions().iter().flat_map(|found| &found.instruction.sources);
    let memory = interpolants.filter_map(|source| match source.operand {
        Operand::Memory(memory) if memory.space == space => Some(memory),
        _ => None,
    });
    let mut addresses = memory.map(|memory| (memory.address, memory.access.bytes()));
    addresses.any(|(address, bytes)| match address {
        Place::Offset { base: 0, offset } => {
            let first = (offset & 0xffff) / 4;
            (first..first + bytes.div_ceil(4)).contains(&word)
        }
        Place::Offset { .. } | Place::PostIncrement { .. } | Place::Register(_) => true,
    })
}
