//! Disassembles the instruction store into a text in `!!NV20vp1.0` that assembles to the same words.

use std::fmt::Write as _;

use super::native::word_of;
use crate::isa::nv20_vertex::Nv20Field;
use crate::isa::nv20_vertex::decode::decode_instruction;
use crate::isa::vertex_word::VertexWord;
use crate::language::Language;
use crate::native_words::{raw_statement, with_text};

/// Writes slots as a program that starts at slot `start`.
///
/// Every slot is written, reachable or not. `WITH` gives the fields that the operations do not imply.
pub(in crate::vertex) fn listing(slots: &[[u32; 4]], start: u16) -> String {
    let mut text = format!("{}\n", Language::NativeNv20Vertex.header());
    for (slot, words) in (0u16..).zip(slots) {
        if slot == start && start != 0 {
            text.push_str("main:\n");
        }
        let is_last = usize::from(slot) + 1 == slots.len();
        let _ = match statement(slot, VertexWord::new(*words), is_last) {
            Some(statement) => writeln!(text, "    {statement};"),
            None => writeln!(text, "    {}", raw_statement(*words)),
        };
    }
    text.push_str("END\n");
    text
}

/// The operations of an instruction and the fields that they do not imply; `None` if no statement describes it.
fn statement(slot: u16, word: VertexWord, is_last: bool) -> Option<String> {
    // The bits that hold nothing do not fit a value.
    if word.get(Nv20Field::UNUSED) != 0 || word.words()[0] != 0 {
        return None;
    }
    let statement = decode_instruction(slot, word).ok()?.to_string();
    let implied = word_of(&statement, is_last)?;
    let fields = Nv20Field::ALL.into_iter().filter(|&field| word.get(field) != implied.get(field));
    Some(statement + &with_text(fields.map(|field| (field.name, word.get(field)))))
}

#[cfg(test)]
mod tests {
    use super::listing;
    use crate::vertex::nv20::native::assemble;

    /// A part of a transform and the copy of a color, with the values that `abaire/nv2a_vsh_asm` gives unused fields.
    const SLOTS: [[u32; 4]; 2] =
        [[0, 0x00ec_001b, 0x0836_186c, 0x2070_8800], [0, 0x0020_061b, 0x0836_106c, 0x2070_f819]];

    #[test]
    fn a_plain_program_needs_no_fields() {
        let text = listing(&SLOTS, 0);
        assert_eq!(text, "!!NV20vp1.0\n    DP4 oPos.x, v0, c[96];\n    MOV oD0, v3;\nEND\n");
        assert_eq!(assemble(&text, 11).unwrap().instructions, SLOTS);
    }

    #[test]
    fn a_start_behind_the_last_slot_is_refused() {
        let errors = assemble("!!NV20vp1.0\nMOV oD0, v3;\nmain:\nEND", 11).unwrap_err();
        assert!(format!("{errors:?}").contains("`main` has no instruction"), "{errors:?}");
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
        let mut described = 0;
        for round in 0..400 {
            // Half of the words have no bits where the chip has no field.
            let (first, second) = if round % 2 == 0 { (0, 0x0fff_ffff) } else { (!0, !0) };
            let slots: Vec<[u32; 4]> =
                (0..16).map(|_| [random() & first, random() & second, random(), random()]).collect();
            let text = listing(&slots, 3);
            described += text.lines().filter(|line| line.contains("WITH")).count();
            let program = assemble(&text, 11).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
            assert_eq!((program.start, program.instructions), (3, slots), "{text}");
        }
        assert!(described > 100, "{described}");
    }
}
