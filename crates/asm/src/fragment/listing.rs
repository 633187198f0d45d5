//! Disassembles fragment microcode into a text in `!!NV40fp1.0` that assembles to the same words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::native::word_of;
use super::native_fields::{flow_fields, operation_fields};
use crate::isa::nv40_fragment::decode::SLOT_WORDS;
use crate::isa::nv40_fragment::decode_operation::{condition_of, decode_operation};
use crate::isa::nv40_fragment::disassemble::OperationText;
use crate::isa::nv40_fragment::encode::flow;
use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode, FragmentWord};
use crate::isa::nv40_vertex::disassemble::{Rule, Test};
use crate::language::Language;
use crate::native_words::{raw_statement, with_text};
use crate::shader::condition::{ConditionTest, Relation};

/// Writes words as a text, with the control word if it is known. Words after the last whole slot are omitted.
///
/// Every slot is written, reachable or not.
#[must_use]
pub fn listing(words: &[u32], control: Option<u32>) -> String {
    let (slots, _) = words.as_chunks::<4>();
    let steps = steps(slots);
    let starts: BTreeSet<u32> = steps.iter().map(|step| step.offset).chain([end_of(slots)]).collect();
    let end = end_of(slots);
    let is_statement = |target: &u32| *target != end && starts.contains(target);
    let targets: BTreeSet<u32> = steps.iter().filter_map(Step::call_target).filter(is_statement).collect();
    let ends: Vec<u32> =
        steps.iter().filter(|step| !step.is_raw() && step.word.is_set(Field::END)).map(|step| step.offset).collect();
    let last = steps.iter().rfind(|step| !step.is_raw()).map(|step| step.offset);
    let mut writer = Writer {
        text: format!("{}\n", Language::NativeFragment.header()),
        starts,
        targets,
        frames: Vec::new(),
        implied_end: last.filter(|&last| ends == [last]),
        last: last.filter(|_| ends.is_empty()),
    };
    if let Some(control) = control {
        let _ = writeln!(writer.text, "CONTROL {control:#010x};");
    }
    for step in &steps {
        writer.step(step);
    }
    writer.blocks(end);
    writer.text.push_str("END\n");
    writer.text
}

fn end_of(slots: &[[u32; 4]]) -> u32 {
    u32::try_from(slots.len()).map_or(u32::MAX, |slots| slots.saturating_mul(SLOT_WORDS))
}

/// The instruction or data at an offset.
struct Step {
    offset: u32,
    word: FragmentWord,
    kind: StepKind,
}

enum StepKind {
    /// No statement describes it.
    Raw,
    Flow(FragmentOpcode),
    /// A statement that ends with a semicolon, and the word that it implies.
    Operation {
        statement: String,
        implied: FragmentWord,
    },
}

impl Step {
    const fn is_raw(&self) -> bool {
        matches!(self.kind, StepKind::Raw)
    }

    const fn call_target(&self) -> Option<u32> {
        match self.kind {
            StepKind::Flow(FragmentOpcode::Cal) => Some(self.word.get(Field::FLOW_OFFSET)),
            _ => None,
        }
    }
}

/// Splits slots into instructions with their constants.
fn steps(slots: &[[u32; 4]]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut index = 0;
    while let Some(&words) = slots.get(index) {
        let offset = end_of(&slots[..index]);
        let word = FragmentWord(words);
        index += 1;
        let mut unread_constant = None;
        let kind = match FragmentOpcode::from_code(word.opcode_bits()) {
            Some(opcode) if word.is_set(Field::FLOW) => StepKind::Flow(opcode),
            Some(opcode) => {
                let constant = slots.get(index).filter(|_| word.has_constant());
                match operation(offset, word, opcode, constant) {
                    Some((kind, takes_constant)) => {
                        unread_constant = constant.filter(|_| !takes_constant);
                        index += usize::from(constant.is_some());
                        kind
                    }
                    None => StepKind::Raw,
                }
            }
            None => StepKind::Raw,
        };
        steps.push(Step { offset, word, kind });
        if let Some(&constant) = unread_constant {
            steps.push(Step { offset: offset + SLOT_WORDS, word: FragmentWord(constant), kind: StepKind::Raw });
        }
    }
    steps
}

/// Disassembles an instruction that is not flow, and returns whether its text contains the constant after it.
fn operation(
    offset: u32,
    word: FragmentWord,
    opcode: FragmentOpcode,
    constant: Option<&[u32; 4]>,
) -> Option<(StepKind, bool)> {
    let operation = decode_operation(offset, word, opcode.operation()?, constant.map(|_| 0)).ok()?;
    let statement = OperationText { operation: &operation, constants: constant.map_or(&[], std::slice::from_ref) };
    let statement = statement.to_string();
    let implied = word_of(&statement)?;
    let takes_constant = implied.has_constant();
    // A constant that no source reads becomes a slot of its own after the statement.
    (takes_constant == statement.contains('{')).then_some((StepKind::Operation { statement, implied }, takes_constant))
}

/// An open block and the offsets at which its parts end.
struct Frame {
    opcode: FragmentOpcode,
    /// The offset of ELSE, until it is written.
    middle: Option<u32>,
    end: u32,
}

struct Writer {
    text: String,
    /// Where statements begin.
    starts: BTreeSet<u32>,
    /// The offsets of labels.
    targets: BTreeSet<u32>,
    frames: Vec<Frame>,
    /// The instruction whose END need not be written.
    implied_end: Option<u32>,
    /// The last instruction, if its END must be cleared.
    last: Option<u32>,
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = depth * 4 + 4);
    }

    /// Closes the blocks and THEN parts that end at an offset.
    fn blocks(&mut self, offset: u32) {
        while let Some(frame) = self.frames.last_mut() {
            let text = if frame.middle == Some(offset) {
                frame.middle = None;
                "ELSE;"
            } else if frame.middle.is_none() && frame.end == offset {
                match self.frames.pop().map(|frame| frame.opcode) {
                    Some(FragmentOpcode::Loop) => "ENDLOOP;",
                    Some(FragmentOpcode::Rep) => "ENDREP;",
                    _ => "ENDIF;",
                }
            } else {
                return;
            };
            let depth = if text == "ELSE;" { self.frames.len() - 1 } else { self.frames.len() };
            self.line(depth, text);
            if text == "ELSE;" && self.frames.last().is_some_and(|frame| frame.end != offset) {
                return;
            }
        }
    }

    fn step(&mut self, step: &Step) {
        self.blocks(step.offset);
        if self.targets.contains(&step.offset) {
            let _ = writeln!(self.text, "label_{}:", step.offset);
        }
        let depth = self.frames.len();
        match &step.kind {
            StepKind::Raw => self.line(depth, &raw_statement(step.word.0)),
            StepKind::Operation { statement, implied } => {
                let rest = self.rest(step, *implied, operation_fields());
                self.line(depth, &format!("{}{rest};", statement.trim_end_matches(';')));
            }
            StepKind::Flow(opcode) => {
                let (statement, implied) = self.flow(step, *opcode);
                let rest = self.rest(step, implied, flow_fields());
                self.line(depth, &format!("{statement}{rest};"));
            }
        }
    }

    /// The fields that a statement does not imply.
    fn rest(&self, step: &Step, implied: FragmentWord, fields: impl Iterator<Item = (String, Field)>) -> String {
        let mut implied = implied.with(Field::END, u32::from(self.implied_end == Some(step.offset)));
        if self.last == Some(step.offset) {
            // The assembler sets END in the last instruction unless a statement gives it.
            implied = implied.with(Field::END, 1);
        }
        let differing = fields.filter(|(_, field)| step.word.get(*field) != implied.get(*field));
        with_text(differing.map(|(name, field)| (name, step.word.get(field))))
    }

    /// Writes a flow instruction, which opens a block if its offsets nest. Also returns the word that the text implies.
    fn flow(&mut self, step: &Step, opcode: FragmentOpcode) -> (String, FragmentWord) {
        let word = step.word;
        let condition = condition_of(word);
        let test = Test((condition.relation != Relation::Always).then_some(condition));
        let (middle, end) = (word.get(Field::FLOW_OFFSET), word.get(Field::FLOW_END));
        let spoken = if condition.relation == Relation::Always { ConditionTest::ALWAYS } else { condition };
        match opcode {
            FragmentOpcode::If => {
                let implied = flow(opcode, condition).with(Field::FLOW_OFFSET, middle).with(Field::FLOW_END, end);
                let rule = Rule(condition);
                if self.nests(step.offset, middle) && middle <= end && self.nests(step.offset, end) {
                    let middle = (middle != end).then_some(middle);
                    self.frames.push(Frame { opcode, middle, end });
                    return (format!("IF {rule}"), implied);
                }
                (format!("IF {rule}, {middle}, {end}"), implied)
            }
            FragmentOpcode::Loop | FragmentOpcode::Rep => {
                let field = |field: Field| word.get(field);
                let (count, initial, increment) =
                    (field(Field::LOOP_COUNT), field(Field::LOOP_INITIAL), field(Field::LOOP_INCREMENT));
                let implied = flow(opcode, spoken)
                    .with(Field::LOOP_COUNT, count)
                    .with(Field::LOOP_INITIAL, initial)
                    .with(Field::LOOP_INCREMENT, increment)
                    .with(Field::FLOW_END, end);
                let [increment, ..] = increment.to_le_bytes();
                let numbers = format!("{{{count}, {initial}, {}}}", increment.cast_signed());
                let mnemonic = opcode.mnemonic();
                if self.nests(step.offset, end) {
                    self.frames.push(Frame { opcode, middle: None, end });
                    return (format!("{mnemonic} {numbers}{test}"), implied);
                }
                (format!("{mnemonic} {numbers}{test}, {end}"), implied)
            }
            FragmentOpcode::Cal => {
                let label = if self.targets.contains(&middle) { format!("label_{middle}") } else { middle.to_string() };
                (format!("CAL {label}{test}"), flow(opcode, spoken).with(Field::FLOW_OFFSET, middle))
            }
            _ => (format!("{}{test}", opcode.mnemonic()), flow(opcode, spoken)),
        }
    }

    /// Whether a block that opens at `offset` can end at `target`.
    fn nests(&self, offset: u32, target: u32) -> bool {
        let limit = self.frames.last().map_or(u32::MAX, |frame| frame.middle.unwrap_or(frame.end));
        target > offset && target <= limit && self.starts.contains(&target)
    }
}

#[cfg(test)]
mod tests {
    use super::listing;
    use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op, FragmentWord};
    use crate::isa::test_words::{CONSTANT, ended, flow, fragment, full, words};
    use crate::{Assembly, assemble};

    fn assembled(text: &str) -> Vec<u32> {
        match assemble("listing", text) {
            Ok(Assembly::Fragment(assembly)) => assembly.words,
            Ok(Assembly::Vertex(_)) => panic!("a fragment program"),
            Err(errors) => panic!("{errors}"),
        }
    }

    #[test]
    fn the_blit_program_needs_one_field() {
        let words =
            [0x1700_9e00, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800, 0x0140_1e81, 0x1c9d_c800, 0x0001_c800, 0x0001_c800];
        let text = listing(&words, Some(0x0200_0000));
        let expected = "!!NV40fp1.0\nCONTROL 0x02000000;\n    TEX R0, f[TEX0], TEX0 WITH DISPLACEMENT=0x7fc;\n    \
                        MOVH H0, R0;\nEND\n";
        assert_eq!(text, expected);
        assert_eq!(assembled(&text), words);
    }

    #[test]
    fn blocks_and_labels_are_written_where_offsets_nest() {
        let plain = |opcode, second, third| {
            let mut word = flow(opcode, second, third);
            word.0[0] &= 0x7f00_0000;
            word.0[1] &= 0xffff_0000 & !(1 << 16);
            word
        };
        let program = [
            plain(Op::If, 16, 20).with(Field::CONDITION, 1).with(Field::CONDITION_SWIZZLE, 0b01_01_01_01),
            plain(Op::Loop, 2 << 2 | 1 << 10 | 0xff << 19, 16),
            fragment(Op::Mov, 1, &[full(2)]),
            plain(Op::Brk, 0, 0).with(Field::CONDITION, 2).with(Field::CONDITION_TESTED, 1),
            fragment(Op::Mov, 3, &[full(4)]),
            plain(Op::Cal, 32, 0),
            fragment(Op::Mul, 1, &[full(0), CONSTANT]).with(Field::END, 1),
            FragmentWord([1.0f32, -2.0, 0.5, 1e-20].map(f32::to_bits)),
            fragment(Op::Mov, 5, &[full(6)]),
            plain(Op::Ret, 0, 0),
        ];
        let words = words(&program);
        let text = listing(&words, None);
        let expected = "!!NV40fp1.0
    IF LT.y;
        LOOP {2, 1, -1};
            MOVR R1, R2;
            BRK (EQ1);
        ENDLOOP;
    ELSE;
        MOVR R3, R4;
    ENDIF;
    CAL label_32;
    MULR R1, R0, {1, -2, 0.5, 1e-20} WITH END=0x1;
label_32:
    MOVR R5, R6;
    RET;
END
";
        assert_eq!(text, expected);
        assert_eq!(assembled(&text), words);
    }

    #[test]
    fn what_does_not_nest_keeps_its_offsets() {
        let mut words = words(&[flow(Op::Ret, 0, 0), flow(Op::If, 40, 4), FragmentWord([0x3000_0000, 0, 0, 0])]);
        words.extend(ended(vec![fragment(Op::Mov, 1, &[full(0)]).with(Field::WRITE_MASK, 0)]));
        let text = listing(&words, None);
        assert!(text.contains("IF TR, 40, 4") && text.contains("WORDS 0x30000000") && text.contains("WRITE_MASK=0x0"));
        assert_eq!(assembled(&text), words);
    }
}
