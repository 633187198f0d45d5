//! Float arithmetic of single threads on the fast path: native operations, and checks of what they need
//! (`wgsl/software/thread_fast.wgsl`).
//!
//! Programs whose instructions run one after the other have a fast path. Of each register, the text knows whether native
//! operations take its value, and which magnitudes it has. Others are checked where sums and products read them; values that may be
//! infinite or NaN, which have other bits here, where anything else does. Results are checked if their magnitudes are not enough for
//! what native operations need.

use super::emitter::{Emitter, constant_name};
use super::fast_registers::{Known, Range};
use super::liveness::read_variables;
use super::operands::modified_float;
use super::resources::Variable;
use crate::shader::simt::{
    Access, Address, Convert, Destination, FloatType, Instruction, MemoryOperand, NumberFormat, Operand, Operation,
    Predicate, Register, Rounding, Source, Space, Width,
};

const MODULE: &str = "software::thread_fast";

/// The operation of an instruction that has a native twin.
enum Fast {
    Add {
        saturates: bool,
    },
    Multiply {
        saturates: bool,
    },
    MultiplyAdd {
        saturates: bool,
    },
    Floor,
    /// A number with the modifiers of its source.
    Copy {
        saturates: bool,
    },
    /// A number that is chosen from two.
    Choice {
        name: &'static str,
    },
}

impl Fast {
    const fn of(operation: Operation) -> Option<Self> {
        match operation {
            Operation::AddFloat { format: FloatType::F32, rounding: Rounding::NearestEven, saturates } => {
                Some(Self::Add { saturates })
            }
            Operation::MultiplyFloat { format: FloatType::F32, rounding: Rounding::NearestEven, saturates } => {
                Some(Self::Multiply { saturates })
            }
            Operation::MultiplyAddFloat { saturates } => Some(Self::MultiplyAdd { saturates }),
            Operation::MaxFloat(FloatType::F32) => Some(Self::Choice { name: "fast_maximum" }),
            Operation::MinFloat(FloatType::F32) => Some(Self::Choice { name: "fast_minimum" }),
            Operation::Convert(Convert {
                from: NumberFormat::Float(32),
                to: NumberFormat::Float(32),
                rounding,
                rounds_to_integer,
                saturates,
                ..
            }) => match (rounds_to_integer, rounding, saturates) {
                (true, Some(Rounding::Down), false) => Some(Self::Floor),
                (true, ..) => None,
                (false, _, saturates) => Some(Self::Copy { saturates }),
            },
            _ => None,
        }
    }
}

/// Whether native operations can write the destination of an instruction.
const fn is_fast_destination(instruction: &Instruction) -> bool {
    matches!(
        instruction.destination,
        Destination::Register(Register::Word(_)) | Destination::Output { width: Width::Word, .. }
    )
}

/// Whether an operation has a native twin.
pub(super) fn has_fast_twin(operation: Operation) -> bool {
    Fast::of(operation).is_some()
}

impl Emitter<'_> {
    fn fast_call(&mut self, function: &'static str, arguments: &str) -> String {
        format!("{}({arguments})", self.text.import(MODULE, function))
    }

    /// What is known of a register, if the text is that of the fast path.
    fn known(&self, number: u8) -> Known {
        self.fast.as_ref().map_or(Known::Bits, |fast| fast.known(number))
    }

    /// Makes sure that a register is finite.
    fn emit_finite(&mut self, number: u8) {
        if self.known(number) == Known::Wide {
            let check = self.fast_call("check_finite", &format!("r{number}"));
            self.text.line(format!("{check};"));
            if let Some(fast) = &mut self.fast {
                fast.set(number, Known::Finite);
            }
        }
    }

    /// Whether native operations can take a source.
    fn is_fast_source(source: &Source) -> bool {
        match source.operand {
            Operand::Register(Register::Word(_)) => true,
            Operand::Immediate(value) => Range::of(value).is_some(),
            Operand::Memory(MemoryOperand { access: Access::B32, .. }) => true,
            _ => false,
        }
    }

    /// A source as an operand of native operations, which is finite if it has to be.
    fn fast_source(&mut self, at: u32, source: &Source, lanes: &str, is_finite: bool) -> String {
        let value = match source.operand {
            Operand::Register(Register::Word(number)) if self.layout.resources.has_register(number) => {
                if self.known(number) == Known::Bits {
                    let checked = self.fast_call("fast_operand", &format!("r{number}"));
                    self.text.line(format!("r{number} = {checked};"));
                    if let Some(fast) = &mut self.fast {
                        fast.set(number, Known::Wide);
                        fast.set_range(number, Range::CHECKED);
                    }
                }
                if is_finite {
                    self.emit_finite(number);
                }
                format!("r{number}")
            }
            Operand::Memory(memory) => {
                let value = self.value(at, source, lanes);
                let value = if self.note_checked_constant(&memory, &value) {
                    value
                } else {
                    let checked = self.fast_call("fast_operand", &value);
                    self.text.bind("operand", &checked)
                };
                if is_finite {
                    let check = self.fast_call("check_finite", &value);
                    self.text.line(format!("{check};"));
                }
                value
            }
            // Zero, or an immediate.
            _ => {
                let value = self.value(at, source, lanes);
                self.fast_call("hidden_bits", &value)
            }
        };
        modified_float(value, source)
    }

    /// The magnitudes of a source that is an operand.
    fn range(&self, source: &Source) -> Range {
        match (source.operand, &self.fast) {
            (Operand::Register(Register::Word(number)), Some(fast)) => fast.range(number),
            (Operand::Immediate(value), _) => Range::of(value).unwrap_or(Range::CHECKED),
            _ => Range::CHECKED,
        }
    }

    fn check_value(&mut self, value: &str) {
        let check = self.fast_call("check_value", value);
        self.text.line(format!("{check};"));
    }

    /// Checks factors until their product is never below the normal numbers, the one with the lesser magnitudes first.
    fn check_factors(&mut self, sources: &[Source]) {
        while let [a, b, ..] = sources
            && self.range(a).product(self.range(b)).is_none()
        {
            let worse = if self.range(b).is_worse_than(self.range(a)) { b } else { a };
            let Operand::Register(Register::Word(number)) = worse.operand else { return };
            self.check_value(&format!("r{number}"));
            if let Some(fast) = &mut self.fast {
                fast.set_range(number, Range::CHECKED);
            }
        }
    }

    /// The magnitudes of an operation's result; none if they have to be checked.
    fn result_range(&self, fast: &Fast, sources: &[Source]) -> Option<Range> {
        let ranges: Vec<_> = sources.iter().map(|source| self.range(source)).collect();
        let range = match (fast, ranges.as_slice()) {
            (Fast::Add { .. }, [a, b]) => a.sum(*b),
            (Fast::Multiply { .. }, [a, b]) => a.product(*b)?,
            (Fast::MultiplyAdd { .. }, [a, b, c]) => a.product(*b).filter(|product| product.is_term())?.sum(*c),
            (Fast::Floor, _) => Range::INTEGER,
            (Fast::Copy { .. }, [a]) => *a,
            (Fast::Choice { .. }, [a, b]) => a.or(*b),
            _ => return None,
        };
        range.is_term().then_some(range)
    }

    /// Whether a word is a constant that has a name; it is checked where it is loaded.
    fn note_checked_constant(&mut self, memory: &MemoryOperand, value: &str) -> bool {
        let (Space::Constant(space), Address::Offset { base: 0, offset }) = (memory.space, memory.address) else {
            return false;
        };
        let word = (space, (offset & 0xffff) / 4);
        let is_named = value == constant_name(word);
        if let (true, Some(fast)) = (is_named, &mut self.fast) {
            fast.constants.insert(word);
        }
        is_named
    }

    /// Writes an instruction with a native operation; false if it has none.
    pub(super) fn emit_fast(&mut self, instruction: &Instruction, lanes: &str) -> bool {
        let Some(fast) = Fast::of(instruction.operation) else { return false };
        let is_supported = self.fast.is_some()
            && is_fast_destination(instruction)
            && instruction.condition_write.is_none()
            && instruction.sources.iter().all(Self::is_fast_source);
        if !is_supported {
            return false;
        }
        let is_finite = matches!(fast, Fast::Choice { .. } | Fast::Copy { saturates: true });
        let sources: Vec<_> = instruction
            .sources
            .iter()
            .map(|source| self.fast_source(instruction.address, source, lanes, is_finite))
            .collect();
        let arguments = sources.join(", ");
        let zero_wins = self.key.program.zero_wins();
        if zero_wins && matches!(fast, Fast::Multiply { .. } | Fast::MultiplyAdd { .. }) {
            self.check_factors(&instruction.sources);
        }
        let range = self.result_range(&fast, &instruction.sources);
        let (name, saturates) = match fast {
            Fast::Add { saturates } => ("fast_add", saturates),
            Fast::Multiply { saturates } if zero_wins => ("fast_zero_multiply", saturates),
            Fast::Multiply { saturates } => ("fast_multiply", saturates),
            Fast::MultiplyAdd { saturates } if zero_wins => ("fast_zero_multiply_add", saturates),
            Fast::MultiplyAdd { saturates } => ("fast_multiply_add", saturates),
            Fast::Floor => ("fast_floor", false),
            Fast::Copy { saturates: true } => ("fast_saturate", false),
            Fast::Copy { saturates: false } => ("", false),
            Fast::Choice { name } => (name, false),
        };
        let mut value = if name.is_empty() { arguments } else { self.fast_call(name, &arguments) };
        if range.is_none() {
            value = self.text.bind("value", &value);
            self.check_value(&value);
        }
        if saturates {
            value = self.saturated(&value);
        }
        let known = if saturates || is_finite { Known::Finite } else { Known::Wide };
        self.emit_fast_write(instruction, &value, lanes, (known, range.unwrap_or(Range::CHECKED)));
        true
    }

    fn saturated(&mut self, value: &str) -> String {
        let value = self.text.bind("value", value);
        let check = self.fast_call("check_finite", &value);
        self.text.line(format!("{check};"));
        self.fast_call("fast_saturate", &value)
    }

    /// Interpolates with native operations; `value` is a word of `v[]`, with the modifiers of its source.
    pub(super) fn emit_fast_interpolation(
        &mut self,
        instruction: &Instruction,
        (value, is_plane): (&str, bool),
        lanes: &str,
    ) -> bool {
        let is_supported = is_fast_destination(instruction) && instruction.condition_write.is_none();
        if self.fast.is_none() || !is_plane || !is_supported {
            return false;
        }
        let (value, range) = match instruction.sources.get(1) {
            None => (value.to_owned(), Range::PLANE),
            Some(factor) if Self::is_fast_source(factor) => {
                let factor = self.fast_source(instruction.address, factor, lanes, false);
                let product = self.fast_call("fast_multiply", &format!("{value}, {factor}"));
                let product = self.text.bind("value", &product);
                self.check_value(&product);
                (product, Range::CHECKED)
            }
            Some(_) => return false,
        };
        self.emit_fast_write(instruction, &value, lanes, (Known::Wide, range));
        true
    }

    fn emit_fast_write(
        &mut self,
        instruction: &Instruction,
        value: &str,
        lanes: &str,
        (known, mut range): (Known, Range),
    ) {
        let value = self.text.bind("value", value);
        let Destination::Register(Register::Word(number)) = instruction.destination else {
            // Other stages read what outputs hold.
            if known == Known::Wide {
                let check = self.fast_call("check_finite", &value);
                self.text.line(format!("{check};"));
            }
            self.emit_write(instruction, &[value], lanes);
            return;
        };
        let before = self.known(number);
        let may_keep =
            instruction.predicate != Predicate::Always || self.fast.as_ref().is_some_and(|fast| fast.may_have_ended);
        let known = match (may_keep, before, known) {
            (false, ..) => known,
            (true, Known::Bits, known) => {
                if known == Known::Wide {
                    let check = self.fast_call("check_finite", &value);
                    self.text.line(format!("{check};"));
                }
                Known::Bits
            }
            (true, before, known) => before.min(known),
        };
        self.emit_write(instruction, &[value], lanes);
        if let Some(fast) = &mut self.fast {
            if may_keep {
                range = range.or(fast.range(number));
            }
            fast.set(number, known);
            fast.set_range(number, range);
        }
    }

    /// Before an instruction without a native operation: makes sure that what it reads, or what it keeps in part, has the bits of
    /// the exact path. Afterwards its results have them.
    pub(super) fn emit_settled(&mut self, instruction: &Instruction) {
        if self.fast.is_none() {
            return;
        }
        let may_keep = instruction.predicate != Predicate::Always
            || instruction.operation.masks_lanes()
            || matches!(instruction.destination, Destination::Register(Register::Half { .. }))
            || self.fast.as_ref().is_some_and(|fast| fast.may_have_ended);
        let mut variables = read_variables(instruction);
        let written: Vec<u8> = match instruction.destination {
            Destination::Register(Register::Half { number, .. } | Register::Word(number)) => vec![number],
            Destination::Register(Register::Double(first)) => (first..first + 2).collect(),
            Destination::Register(Register::Quad(first)) => (first..first + 4).collect(),
            Destination::Texture { first, .. } => (first..).take(instruction.destination.words()).collect(),
            _ => Vec::new(),
        };
        variables.extend(written.iter().filter(|_| may_keep).map(|number| Variable::Register(*number)));
        for variable in variables {
            if let Variable::Register(number) = variable {
                self.emit_finite(number);
            }
        }
        if let Some(fast) = &mut self.fast {
            written.iter().for_each(|number| fast.set(*number, Known::Bits));
        }
    }
}
