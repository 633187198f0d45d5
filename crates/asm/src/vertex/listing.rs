//! Disassembles the instruction store into a text in the native language that assembles to the same words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::native::{NativeInstruction, implied_word};
use crate::isa::nv20_vertex::Nv20Instruction;
use crate::isa::nv40_vertex::VertexInstruction;
use crate::isa::vertex_word::VertexWord;
use crate::isa::{NvMicrocode, NvVertexIsa};
use crate::native_words::{raw_statement, with_text};

/// Writes microcode in the native language of its instruction set.
#[must_use]
pub fn listing_of(microcode: &NvMicrocode) -> String {
    match microcode.isa {
        NvVertexIsa::Nv40 => listing(&microcode.slots, microcode.start),
        NvVertexIsa::Nv20 => listing_in::<Nv20Instruction>(&microcode.slots, microcode.start),
    }
}

/// Writes slots of NV40 as a program that starts at slot `start`.
///
/// Every slot is written, reachable or not. `WITH` gives the fields that the operations do not imply.
#[must_use]
pub fn listing(slots: &[[u32; 4]], start: u16) -> String {
    listing_in::<VertexInstruction>(slots, start)
}

/// Writes slots in the native language of their instructions.
fn listing_in<I: NativeInstruction>(slots: &[[u32; 4]], start: u16) -> String {
    let decode = |(slot, words): (u16, &[u32; 4])| I::decode(slot, VertexWord::new(*words), slots.len());
    let instructions: Vec<Option<I>> = (0u16..).zip(slots).map(decode).collect();
    let targets: BTreeSet<u16> = instructions.iter().flatten().filter_map(I::target).collect();
    let mut text = format!("{}\n", I::LANGUAGE.header());
    for ((slot, words), instruction) in (0u16..).zip(slots).zip(&instructions) {
        if slot == start && start != 0 {
            text.push_str("main:\n");
        }
        if targets.contains(&slot) {
            let _ = writeln!(text, "label_{slot}:");
        }
        let is_last = usize::from(slot) + 1 == slots.len();
        let statement = instruction.as_ref().and_then(|instruction| statement(instruction, *words, is_last));
        let _ = match statement {
            Some(statement) => writeln!(text, "    {statement};"),
            None => writeln!(text, "    {}", raw_statement(*words)),
        };
    }
    text.push_str("END\n");
    text
}

/// The operations of an instruction and the fields that they do not imply; `None` if no statement describes it.
fn statement<I: NativeInstruction>(instruction: &I, words: [u32; 4], is_last: bool) -> Option<String> {
    let statement = instruction.text();
    let (word, implied) = (VertexWord::new(words), implied_word(instruction, &statement, is_last)?);
    let fields = I::FIELDS.iter().filter(|&&field| word.get(field) != implied.get(field));
    Some(statement + &with_text(fields.map(|field| (field.name, word.get(*field)))))
}

#[cfg(test)]
mod tests {
    use super::{NativeInstruction, Nv20Instruction, VertexInstruction, listing_in};
    use crate::isa::test_words::{BLIT, Random};
    use crate::vertex::native::assemble;

    /// A part of a transform and the copy of a color, with the values that `abaire/nv2a_vsh_asm` gives unused fields.
    const TRANSFORM: [[u32; 4]; 2] =
        [[0, 0x00ec_001b, 0x0836_186c, 0x2070_8800], [0, 0x0020_061b, 0x0836_106c, 0x2070_f819]];

    /// The listing of slots, which assembles to them.
    fn listed<I: NativeInstruction>(slots: &[[u32; 4]], start: u16) -> String {
        let text = listing_in::<I>(slots, start);
        let program = assemble::<I>(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        assert_eq!((program.start, program.slots.as_slice()), (start, slots), "{text}");
        text
    }

    #[test]
    fn a_plain_program_needs_no_fields() {
        let text = listed::<VertexInstruction>(&BLIT, 0);
        assert_eq!(text, "!!NV40vp1.0\n    MOV o[0], v[0];\n    MOV o[7], v[8];\nEND\n");
        let text = listed::<Nv20Instruction>(&TRANSFORM, 0);
        assert_eq!(text, "!!NV20vp1.0\n    DP4 oPos.x, v0, c[96];\n    MOV oD0, v3;\nEND\n");
    }

    #[test]
    fn a_start_behind_the_last_slot_is_refused() {
        let errors = assemble::<Nv20Instruction>("!!NV20vp1.0\nMOV oD0, v3;\nmain:\nEND").unwrap_err();
        assert!(format!("{errors:?}").contains("`main` has no instruction"), "{errors:?}");
    }

    #[test]
    fn any_bits_come_back() {
        let mut random = Random(0x2545_f491);
        let mut slots = |first: u32, second: u32| -> Vec<[u32; 4]> {
            let mut slot = || [random.bits() & first, random.bits() & second, random.bits(), random.bits()];
            (0..16).map(|_| slot()).collect()
        };
        let mut described = 0;
        for round in 0..400 {
            listed::<VertexInstruction>(&slots(!0, !0), 3);
            // Half of the words have no bits where NV20 has no field.
            let (first, second) = if round % 2 == 0 { (0, 0x0fff_ffff) } else { (!0, !0) };
            let text = listed::<Nv20Instruction>(&slots(first, second), 3);
            described += text.lines().filter(|line| line.contains("WITH")).count();
        }
        assert!(described > 100, "{described}");
    }
}
