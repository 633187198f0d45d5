//! Lists the programs of a Tesla stream where a method names their start.

use crate::asm::tesla::code_listing;
use crate::chip::Chip;
use crate::command::methods::ClassTable;
use crate::command::methods::tesla::compute;
use crate::command::methods::tesla::three_d::{self, below_1400 as address, from_1400 as start};
use crate::command::packet::MethodWrite;
use crate::isa::tesla::decode_at;
use crate::memory::GuestMemory;
use crate::shader::simt::{Operand, ProgramKind, SimtProgram};

/// The most bytes of code behind the address of a kind of program.
const MAX_CODE: u32 = 1 << 20;

/// The methods that name the code of a kind of program.
struct Row {
    class: &'static ClassTable,
    kind: ProgramKind,
    name: &'static str,
    /// The code's address, among those that programs have; compute programs have that of fragment programs.
    code: usize,
    high: u16,
    low: u16,
    /// The start of the program in it.
    start: u16,
}

impl Row {
    const fn three_d(kind: ProgramKind, name: &'static str, code: usize, [high, low, start]: [u16; 3]) -> Self {
        Self { class: &three_d::CLASS, kind, name, code, high, low, start }
    }
}

const VERTEX: [u16; 3] = [address::VP_ADDRESS_HIGH, address::VP_ADDRESS_LOW, start::VP_START_ID];
const GEOMETRY: [u16; 3] = [address::GP_ADDRESS_HIGH, address::GP_ADDRESS_LOW, start::GP_START_ID];
const FRAGMENT: [u16; 3] = [address::FP_ADDRESS_HIGH, address::FP_ADDRESS_LOW, start::FP_START_ID];

const ROWS: [Row; 4] = [
    Row::three_d(ProgramKind::Vertex, "vertex", 0, VERTEX),
    Row::three_d(ProgramKind::Geometry, "geometry", 1, GEOMETRY),
    Row::three_d(ProgramKind::Fragment, "fragment", 2, FRAGMENT),
    Row {
        class: &compute::CLASS,
        kind: ProgramKind::Compute,
        name: "compute",
        code: 2,
        high: compute::CP_ADDRESS_HIGH,
        low: compute::CP_ADDRESS_LOW,
        start: compute::CP_START_ID,
    },
];

/// The addresses where the code of programs begins: vertex, geometry, fragment.
#[derive(Debug, Default)]
pub(super) struct TeslaPrograms([u64; 3]);

/// A program that a method names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedProgram {
    kind: ProgramKind,
    name: &'static str,
    /// Where code of the kind begins.
    code: u64,
    /// Where the program begins in it.
    start: u32,
}

impl TeslaPrograms {
    /// Follows a method; returns the program whose start it names.
    pub(super) fn method(&mut self, class: u32, write: MethodWrite) -> Option<NamedProgram> {
        let value = u64::from(write.value);
        for &Row { kind, name, code, high, low, start, .. } in ROWS.iter().filter(|row| row.class.has(class)) {
            let code = &mut self.0[code];
            if write.method == high {
                *code = value << 32 | *code & 0xffff_ffff;
            } else if write.method == low {
                *code = *code & !0xffff_ffff | value;
            } else if write.method == start {
                return Some(NamedProgram { kind, name, code: *code, start: write.value });
            }
        }
        None
    }
}

impl NamedProgram {
    pub(super) fn title(&self) -> String {
        format!("{} program at {:#x}:", self.name, self.code.wrapping_add(self.start.into()))
    }

    /// The lines of the instructions that the program can reach, as a program that begins at address 0.
    pub(super) fn lines(&self, chip: &Chip, memory: &GuestMemory) -> Vec<String> {
        let window = chip.virtual_window(self.code).truncated(MAX_CODE);
        let words: Vec<u32> = memory.slice(window).as_chunks().0.iter().copied().map(u32::from_le_bytes).collect();
        match reachable(&words, self.start, self.kind) {
            Some(code) => code_listing(&code, self.kind),
            None => vec!["! there is no code".to_owned()],
        }
    }
}

/// The code from the first to the last instruction that a program can reach, moved to address 0; `None` if no instruction
/// is where it starts, or only zeros.
fn reachable(words: &[u32], start: u32, kind: ProgramKind) -> Option<Vec<u32>> {
    let program = SimtProgram::decode_from(words, start, kind);
    let (first, last) = (program.instructions().first()?, program.instructions().last()?);
    // Instructions of two words stay where they may begin.
    let begin = first.instruction.address & !7;
    let mut code = words[begin as usize / 4..last.next as usize / 4].to_vec();
    if code.iter().all(|word| *word == 0) {
        return None;
    }
    for found in program.instructions() {
        let Ok(mut moved) = decode_at(words, found.instruction.address, kind) else { continue };
        for source in &mut moved.instruction.sources {
            if let Operand::CodeAddress(target) = &mut source.operand {
                *target = target.wrapping_sub(begin);
            }
        }
        let at = (moved.instruction.address - begin) as usize / 4;
        moved.instruction.address -= begin;
        // Targets before the code have no encoding: the instruction keeps its own.
        let Ok(encoded) = moved.encode(kind) else { continue };
        for (word, encoded) in code[at..(found.next - begin) as usize / 4].iter_mut().zip(halves(encoded)) {
            *word = encoded;
        }
    }
    Some(code)
}

/// Both words of an instruction.
#[expect(clippy::cast_possible_truncation, reason = "the halves of a number")]
const fn halves(encoded: u64) -> [u32; 2] {
    [encoded as u32, (encoded >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mov b32 $r0 $r1` in the short form twice, then a long no-operation that exits.
    const CODE: [u32; 4] = [0x1000_8200, 0x1000_8200, 0xf000_0001, 0xe000_0781];

    /// A branch to an address, with the bits of envytools' `docs/hw/graph/tesla/cuda/control.rst`: words of the target from bit
    /// 11 of the first word on.
    const fn branch(target: u32) -> [u32; 2] {
        [0x1000_0003 | target >> 2 << 11, 0x0000_0780]
    }

    fn lines(words: &[u32], start: u32) -> Option<Vec<String>> {
        Some(code_listing(&reachable(words, start, ProgramKind::Fragment)?, ProgramKind::Fragment))
    }

    #[test]
    fn a_program_ends_where_its_last_instruction_does() {
        let words = [&CODE[..], &[0xdead_beef, 0xdead_beef]].concat();
        let program = ["    mov b32 $r0 $r1", "    mov b32 $r0 $r1", "    exit nop"].map(str::to_owned);
        assert_eq!(lines(&words, 0).unwrap(), program);
        assert_eq!(lines(&words, 8).unwrap(), program[2..]);
        let behind = [&[0xdead_beef; 4][..], &words].concat();
        assert_eq!(lines(&behind, 16).unwrap(), program);
        assert_eq!(lines(&words, 24), None);
        assert_eq!(lines(&[0; 64], 0), None);
    }

    #[test]
    fn targets_are_those_of_a_program_at_address_zero() {
        let words = [&[0; 4][..], &branch(24), &CODE[..2], &CODE[2..]].concat();
        let at_zero = [&branch(8)[..], &CODE[..2], &CODE[2..]].concat();
        assert_eq!(reachable(&words, 16, ProgramKind::Fragment), Some(at_zero));
        // A target before the entry: the code begins there.
        let back = [&CODE[..2], &CODE[2..], &branch(0)[..]].concat();
        assert_eq!(reachable(&back, 16, ProgramKind::Fragment), Some(back));
    }

    #[test]
    fn what_no_instruction_has_is_listed() {
        // Bit 16 of the second word has no meaning in a no-operation.
        assert_eq!(lines(&[0xf000_0001, 0xe000_0781 | 1 << 16], 0).unwrap(), ["    exit nop bits 0x1000000000000"]);
    }

    #[test]
    fn compute_programs_have_the_code_of_fragment_programs() {
        let mut programs = TeslaPrograms::default();
        let mut send = |class, method, value| {
            programs.method(class, MethodWrite { subchannel: 0, method, value, begins_packet: true })
        };
        assert_eq!(send(0x5097, address::FP_ADDRESS_HIGH, 1), None);
        assert_eq!(send(0x5097, address::FP_ADDRESS_LOW, 0x1000), None);
        assert_eq!(send(0x5097, compute::CP_START_ID, 0x20), None);
        let named = send(0x50c0, compute::CP_START_ID, 0x20).unwrap();
        assert_eq!(named.title(), "compute program at 0x100001020:");
    }
}
