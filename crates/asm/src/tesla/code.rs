//! The instructions of a kernel: their encodings, the places of labels, the registers and barriers that they use.

use super::super::cursor::Parsed;
use super::super::diagnostic::{Diagnostic, Span};
use super::super::labels::Labels;
use super::layout::{Place, Shape, lay_out};
use super::misfit::misfit;
use super::operands::{Line, Symbols};
use super::statement::{Reading, Statement, statement};
use crate::isa::tesla::{TeslaInstruction, decode_program};
use crate::shader::simt::{
    Address, Destination, Instruction, MemoryOperand, Operand, Operation, ProgramKind, Register, Width,
};

/// The lengths of instructions in bytes.
const SHORT: u32 = 4;
const LONG: u32 = 8;

/// A line of a program.
#[derive(Debug)]
pub(super) enum Item<'text> {
    /// An instruction.
    Instruction(Box<Choice<'text>>),
    /// Words as they are.
    Words(Vec<u32>),
}

/// An instruction with its encodings.
#[derive(Debug)]
pub(super) struct Choice<'text> {
    short: Option<TeslaInstruction>,
    long: Option<TeslaInstruction>,
    target: Option<(&'text str, Span)>,
    flipped: u64,
    span: Span,
}

impl<'text> Choice<'text> {
    /// Reads an instruction and finds its encodings.
    ///
    /// # Errors
    /// When the instruction set has no such text, or no encoding holds it.
    pub(super) fn read(line: &mut Line<'text>, kind: ProgramKind, symbols: &Symbols<'_>) -> Parsed<Self> {
        let statement = statement(line, kind, symbols)?;
        let found = statement.readings.iter().find_map(|reading| Self::encoded(&statement, reading, kind));
        found.ok_or_else(|| match statement.readings.first() {
            Some(reading) => misfit(&statement.name, reading, statement.bytes, kind),
            None => line.unexpected("an instruction"),
        })
    }

    fn encoded(statement: &Statement<'text>, reading: &Reading<'text>, kind: ProgramKind) -> Option<Self> {
        let of_length = |bytes| {
            let is_possible = statement.bytes.is_none_or(|asked| asked == bytes);
            // Bits of a second word need one.
            let is_possible = is_possible && (bytes == LONG || statement.flipped >> 32 == 0);
            is_possible.then(|| TeslaInstruction::of_length(&reading.instruction, bytes, kind)).flatten()
        };
        let (short, long) = (of_length(SHORT), of_length(LONG));
        (short.is_some() || long.is_some()).then(|| Self {
            short,
            long,
            target: reading.target.clone(),
            flipped: statement.flipped,
            span: statement.name.1.clone(),
        })
    }

    /// The forms that it has.
    pub(super) const fn shape(&self) -> Shape {
        Shape::Instruction { short: self.short.is_some(), long: self.long.is_some() }
    }

    /// Whether it names a label.
    pub(super) const fn names_label(&self) -> bool {
        self.target.is_some()
    }

    /// The word, or both words, of a form of this many words; continues at a target if it names a label.
    pub(super) fn encode(&self, words: usize, target: Option<u32>, kind: ProgramKind) -> Option<u64> {
        let mut instruction = if words == 1 { self.short.clone() } else { self.long.clone() }?;
        for source in &mut instruction.instruction.sources {
            if let (Operand::CodeAddress(address), Some(target)) = (&mut source.operand, target) {
                *address = target;
            }
        }
        instruction.encode(kind).ok().map(|word| word ^ self.flipped)
    }
}

/// The program of a kernel.
#[derive(Debug)]
pub(super) struct Code<'text> {
    items: Vec<Item<'text>>,
    labels: Labels,
    /// The lines that a label is before; the last one may be the end.
    labeled: Vec<usize>,
}

/// What the instructions of a program need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) registers: u8,
    pub(super) barriers: u8,
}

impl<'text> Code<'text> {
    pub(super) fn new() -> Self {
        Self { items: Vec::new(), labels: Labels::default(), labeled: Vec::new() }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(super) fn push(&mut self, item: Item<'text>) {
        self.items.push(item);
    }

    /// Names the place of the next instruction.
    pub(super) fn label(&mut self, name: &str, span: Span) -> Parsed<()> {
        self.labels.insert(name, span, self.items.len())?;
        self.labeled.push(self.items.len());
        Ok(())
    }

    /// The words of the program.
    ///
    /// # Errors
    /// When an instruction of two words cannot be aligned, or a label is missing.
    pub(super) fn finish(&self, kind: ProgramKind) -> Result<Vec<u32>, Vec<Diagnostic>> {
        let mut places: Vec<Place> =
            self.items.iter().map(|item| Place { shape: item.shape(), has_label: false }).collect();
        for &index in &self.labeled {
            if let Some(place) = places.get_mut(index) {
                place.has_label = true;
            }
        }
        let addresses = lay_out(&places).map_err(|index| vec![self.unaligned(index)])?;
        let (mut words, mut errors) = (Vec::new(), Vec::new());
        for (index, item) in self.items.iter().enumerate() {
            let length = addresses[index + 1] - addresses[index];
            match item {
                Item::Words(raw) => words.extend(raw),
                Item::Instruction(choice) => match self.encode(choice, length, &addresses, kind) {
                    Ok(encoded) => words.extend(encoded.into_iter().take(length)),
                    Err(error) => errors.push(error),
                },
            }
        }
        if errors.is_empty() { Ok(words) } else { Err(errors) }
    }

    /// The words of an instruction; the second one counts in forms of two words only.
    fn encode(&self, choice: &Choice<'_>, length: usize, addresses: &[usize], kind: ProgramKind) -> Parsed<[u32; 2]> {
        let target = match &choice.target {
            None => None,
            Some((name, span)) => {
                let place = self.labels.get(name).ok_or_else(|| self.labels.unknown(name, span.clone()))?;
                Some(u32::try_from(4 * addresses[place]).map_err(|_| Diagnostic::new(span.clone(), "too far"))?)
            }
        };
        let far = || Diagnostic::new(choice.span.clone(), "the target is too far").label("no encoding holds it");
        let word = choice.encode(length, target, kind).ok_or_else(far)?;
        #[expect(clippy::cast_possible_truncation, reason = "the word is split")]
        Ok([word as u32, (word >> 32) as u32])
    }

    fn unaligned(&self, index: usize) -> Diagnostic {
        let span = if let Some(Item::Instruction(choice)) = self.items.get(index) { choice.span.clone() } else { 0..0 };
        Diagnostic::new(span, "an instruction of two words is not aligned to eight bytes")
            .label("an odd number of words is before it")
            .note("the instruction before it has a form of one word only and needs another one of one word beside it")
    }
}

impl Item<'_> {
    const fn shape(&self) -> Shape {
        match self {
            Self::Instruction(choice) => choice.shape(),
            Self::Words(words) => Shape::Words(words.len()),
        }
    }
}

/// What the instructions among words need.
pub(super) fn usage(words: &[u32], kind: ProgramKind) -> Usage {
    let mut usage = Usage { registers: 0, barriers: 0 };
    for found in decode_program(words, kind).flatten() {
        usage.registers = usage.registers.max(registers(&found.instruction));
        if let (Operation::Barrier { .. }, Some(Operand::Immediate(number))) =
            (found.instruction.operation, found.instruction.sources.first().map(|source| source.operand))
        {
            usage.barriers = usage.barriers.max(u8::try_from(number + 1).unwrap_or(u8::MAX));
        }
    }
    usage
}

/// The number of registers up to the last one that an instruction names, at most 128.
fn registers(instruction: &Instruction) -> u8 {
    let of_register = |register: Register| match register {
        Register::Half { number, .. } | Register::Word(number) => number + 1,
        Register::Double(number) | Register::Quad(number) => {
            number + if register.width() == Width::Double { 2 } else { 4 }
        }
    };
    let of_memory = |memory: MemoryOperand| if let Address::Register(number) = memory.address { number + 1 } else { 0 };
    let destination = match instruction.destination {
        Destination::Register(register) => of_register(register),
        Destination::Memory(memory) => of_memory(memory),
        #[expect(clippy::cast_possible_truncation, reason = "a mask has four bits")]
        Destination::Texture { first, mask } => first + mask.count_ones() as u8,
        Destination::None | Destination::Output { .. } | Destination::Address(_) | Destination::Condition(_) => 0,
    };
    let sources = instruction.sources.iter().map(|source| match source.operand {
        Operand::Register(register) => of_register(register),
        Operand::Memory(memory) => of_memory(memory),
        Operand::Coordinates { first, count } => first + count,
        Operand::Immediate(_)
        | Operand::Address(_)
        | Operand::Condition(_)
        | Operand::CodeAddress(_)
        | Operand::Texture { .. }
        | Operand::TexelOffset(_) => 0,
    });
    sources.fold(destination, u8::max).min(128)
}
