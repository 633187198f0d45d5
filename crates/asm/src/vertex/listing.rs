//! Disassembles the instruction store into a text in the native language that assembles to the same words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::native::word_of;
use super::nv20;
use crate::isa::nv40_vertex::decode::decode_instruction;
use crate::isa::nv40_vertex::disassemble::Operations;
use crate::isa::nv40_vertex::{VertexField, VertexInstruction, VertexWord};
use crate::isa::{NvMicrocode, NvVertexIsa};
use crate::language::Language;
use crate::native_words::{raw_statement, with_text};

/// Writes microcode in the native language of its instruction set.
#[must_use]
pub fn listing_of(microcode: &NvMicrocode) -> String {
    match microcode.isa {
        NvVertexIsa::Nv40 => listing(&microcode.slots, microcode.start),
        NvVertexIsa::Nv20 => nv20::listing::listing(&microcode.slots, microcode.start),
    }
}

/// Writes slots of NV40 as a program that starts at slot `start`.
///
/// Every slot is written, reachable or not. `WITH` gives the fields that the operations do not imply.
#[must_use]
pub fn listing(slots: &[[u32; 4]], start: u16) -> String {
    let instructions: Vec<Option<VertexInstruction>> = (0u16..)
        .zip(slots)
        .map(|(slot, words)| {
            let instruction = decode_instruction(slot, VertexWord::new(*words)).ok()?;
            let has_place = !instruction.has_target() || usize::from(instruction.branch.target) < slots.len();
            has_place.then_some(instruction)
        })
        .collect();
    let targets: BTreeSet<u16> = instructions
        .iter()
        .flatten()
        .filter(|instruction| instruction.has_target())
        .map(|instruction| instruction.branch.target)
        .collect();
    let mut text = format!("{}\n", Language::NativeVertex.header());
    for ((slot, words), instruction) in (0u16..).zip(slots).zip(&instructions) {
        if slot == start && start != 0 {
            text.push_str("main:\n");
        }
        if targets.contains(&slot) {
            let _ = writeln!(text, "label_{slot}:");
        }
        let statement = instruction
            .as_ref()
            .and_then(|instruction| statement(instruction, *words, usize::from(slot) + 1 == slots.len()));
        let _ = match statement {
            Some(statement) => writeln!(text, "    {statement};"),
            None => writeln!(text, "    {}", raw_statement(*words)),
        };
    }
    text.push_str("END\n");
    text
}

/// The operations of an instruction and the fields that they do not imply; `None` if no statement describes it.
fn statement(instruction: &VertexInstruction, words: [u32; 4], is_last: bool) -> Option<String> {
    let statement = Operations(instruction).to_string();
    let (word, implied) = (VertexWord::new(words), word_of(&statement, instruction.branch.target, is_last)?);
    let fields = VertexField::ALL.into_iter().filter(|&field| word.get(field) != implied.get(field));
    Some(statement + &with_text(fields.map(|field| (field.name, word.get(field)))))
}

#[cfg(test)]
mod tests {
    use super::listing;
    use crate::vertex::native::assemble;

    /// Mesa's blit program.
    const BLIT: [[u32; 4]; 2] =
        [[0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff80], [0x401f_9c6c, 0x0040_080d, 0x8106_c083, 0x6041_ff9d]];

    #[test]
    fn a_plain_program_needs_no_fields() {
        let text = listing(&BLIT, 0);
        assert_eq!(text, "!!NV40vp1.0\n    MOV o[0], v[0];\n    MOV o[7], v[8];\nEND\n");
        assert_eq!(assemble(&text, 11).unwrap().slots, BLIT);
    }

    #[test]
    fn any_bits_come_back() {
        let mut state = 0x2545_f491u32;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        for _ in 0..200 {
            let slots: Vec<[u32; 4]> = (0..16).map(|_| [random(), random(), random(), random()]).collect();
            let text = listing(&slots, 3);
            let program = assemble(&text, 11).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
            assert_eq!((program.start, program.slots), (3, slots), "{text}");
        }
    }
}
