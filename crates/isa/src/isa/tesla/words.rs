//! The words of each operation in the syntax of envydis, and the names of what its operands are made of.
//!
//! Source of the syntax: envytools `docs/envydis/index.rst` and the output of envydis.

use super::variants::{FLAG_CONDITIONS, relations_code};
use super::{TeslaForm, TeslaInstruction};
use crate::shader::simt::{
    Access, AtomicOperation, BarrierThreads, Condition, Convert, Destination, ElementType, FloatType, IntegerSum,
    IntegerType, InterpolationMode, LogicOperation, MemoryOperand, NumberFormat, Operand, Operation, Product, QuadLane,
    QuadStep, Relations, Rounding, Source, Space, SpecialFunction, SpecialRegister, TextureSample, TextureSource,
    VoteMode, Width,
};

/// The words of an operation around its operands.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// The name and what follows it.
    pub(super) name: Vec<&'static str>,
    /// What is between the destination and the sources.
    pub(super) between: Vec<&'static str>,
    /// What is before each source.
    pub(super) before: [&'static str; 3],
    /// Whether the first two sources are those of a product inside the sum.
    pub(super) has_product: bool,
    /// Whether the modifiers of the source follow the name.
    pub(super) moves_modifiers: bool,
    /// What is at the end.
    pub(super) after: &'static str,
}

/// Words of this name and further ones; empty ones are left out.
fn words(name: &[&'static str]) -> Words {
    Words { name: name.iter().copied().filter(|word| !word.is_empty()).collect(), ..Words::default() }
}

/// A word if a condition holds.
const fn when(holds: bool, word: &'static str) -> &'static str {
    if holds { word } else { "" }
}

impl Words {
    fn between(self, words: &[&'static str]) -> Self {
        Self { between: words.iter().copied().filter(|word| !word.is_empty()).collect(), ..self }
    }
}

const RELATIONS: [&str; 16] =
    ["never", "l", "e", "le", "g", "lg", "ge", "lge", "u", "lu", "eu", "leu", "gu", "lgu", "geu", "always"];
const FLAGS: [&str; 8] = ["o", "c", "a", "s", "ns", "na", "nc", "no"];
const LANES: [&str; 16] =
    ["lnone", "l0", "l1", "l01", "l2", "l02", "l12", "l012", "l3", "l03", "l13", "l013", "l23", "l023", "l123", ""];

/// The name of a condition.
pub(super) fn condition(condition: Condition) -> &'static str {
    match condition {
        Condition::Compare(of) => relations(of),
        other => FLAGS[FLAG_CONDITIONS.iter().position(|(_, flag)| *flag == other).unwrap_or(0)],
    }
}

/// The conditions that a predicate can test, with their names.
pub fn conditions() -> impl Iterator<Item = (&'static str, Condition)> {
    let compared = (1..15).map(|code| Condition::Compare(super::variants::relations(code)));
    let flags = FLAG_CONDITIONS.into_iter().map(|(_, flag)| flag);
    compared.chain(flags).map(|of| (condition(of), of))
}

/// The access of a name.
#[must_use]
pub fn access_named(name: &str) -> Option<Access> {
    const ACCESSES: [Access; 7] =
        [Access::U8, Access::S8, Access::U16, Access::S16, Access::B32, Access::B64, Access::B128];
    ACCESSES.into_iter().find(|of| access(*of) == name)
}

/// The name of an address space, which its number follows if there are several.
#[must_use]
pub const fn space(space: Space) -> (&'static str, Option<u8>) {
    match space {
        Space::Constant(number) => ("c", Some(number)),
        Space::Shared => ("s", None),
        Space::Local => ("l", None),
        Space::Global(number) => ("g", Some(number)),
        Space::Attribute => ("a", None),
        Space::Primitive => ("p", None),
        Space::Interpolant => ("v", None),
        Space::Output => ("o", None),
    }
}

/// The address space of a name, with its number.
#[must_use]
pub fn space_named(name: &str) -> Option<Space> {
    const ALONE: [Space; 6] =
        [Space::Shared, Space::Local, Space::Attribute, Space::Primitive, Space::Interpolant, Space::Output];
    let numbered = (0..16).flat_map(|number| [Space::Constant(number), Space::Global(number)]);
    ALONE.into_iter().chain(numbered).find(|of| match space(*of) {
        (prefix, Some(number)) => name.strip_prefix(prefix).is_some_and(|rest| rest == number.to_string()),
        (whole, None) => whole == name,
    })
}

fn relations(relations: Relations) -> &'static str {
    RELATIONS[relations_code(relations) as usize]
}

const fn bits(width: Width) -> &'static str {
    match width {
        Width::Half => "b16",
        Width::Word => "b32",
        Width::Double => "b64",
        Width::Quad => "b128",
    }
}

const fn integer(integer: IntegerType) -> &'static str {
    match (integer.width, integer.is_signed) {
        (Width::Half, false) => "u16",
        (Width::Half, true) => "s16",
        (_, false) => "u32",
        (_, true) => "s32",
    }
}

const fn float(format: FloatType) -> &'static str {
    match format {
        FloatType::F32 => "f32",
        FloatType::F64 => "f64",
    }
}

const fn rounding(mode: Rounding) -> &'static str {
    match mode {
        Rounding::NearestEven => "rn",
        Rounding::Down => "rm",
        Rounding::Up => "rp",
        Rounding::TowardZero => "rz",
    }
}

const fn rounding_to_integer(mode: Rounding) -> &'static str {
    match mode {
        Rounding::NearestEven => "rni",
        Rounding::Down => "rmi",
        Rounding::Up => "rpi",
        Rounding::TowardZero => "rzi",
    }
}

const fn sum(sum: IntegerSum) -> &'static str {
    match sum {
        IntegerSum::Add => "add",
        IntegerSum::Subtract => "sub",
        IntegerSum::SubtractReversed => "subr",
        IntegerSum::AddWithCarry => "addc",
    }
}

const fn step(step: QuadStep) -> &'static str {
    match step {
        QuadStep::Add => "add",
        QuadStep::SubtractReversed => "subr",
        QuadStep::Subtract => "sub",
        QuadStep::Second => "mov2",
    }
}

const fn number(format: NumberFormat) -> &'static str {
    match format {
        NumberFormat::Unsigned(8) => "u8",
        NumberFormat::Unsigned(16) => "u16",
        NumberFormat::Unsigned(32) => "u32",
        NumberFormat::Unsigned(_) => "u64",
        NumberFormat::Signed(8) => "s8",
        NumberFormat::Signed(16) => "s16",
        NumberFormat::Signed(32) => "s32",
        NumberFormat::Signed(_) => "s64",
        NumberFormat::Float(16) => "f16",
        NumberFormat::Float(32) => "f32",
        NumberFormat::Float(_) => "f64",
    }
}

/// The name of an access.
pub(super) const fn access(access: Access) -> &'static str {
    match access {
        Access::U8 => "u8",
        Access::S8 => "s8",
        Access::U16 => "u16",
        Access::S16 => "s16",
        Access::B32 => "b32",
        Access::B64 => "b64",
        Access::B128 => "b128",
    }
}

const fn element(element: ElementType) -> &'static str {
    match element {
        ElementType::B32 => "b32",
        ElementType::U32 => "u32",
        ElementType::S32 => "s32",
        ElementType::B64 => "b64",
        ElementType::U64 => "u64",
    }
}

const fn update(operation: AtomicOperation) -> &'static str {
    match operation {
        AtomicOperation::Add => "add",
        AtomicOperation::Exchange => "exch",
        AtomicOperation::CompareAndSwap => "cas",
        AtomicOperation::Increment => "inc",
        AtomicOperation::Decrement => "dec",
        AtomicOperation::Max => "max",
        AtomicOperation::Min => "min",
        AtomicOperation::And => "and",
        AtomicOperation::Or => "or",
        AtomicOperation::Xor => "xor",
    }
}

const fn logic(operation: LogicOperation) -> &'static str {
    match operation {
        LogicOperation::And => "and",
        LogicOperation::Or => "or",
        LogicOperation::Xor => "xor",
        LogicOperation::Second => "mov2",
    }
}

const fn sign(is_signed: bool, signed: &'static str, unsigned: &'static str) -> &'static str {
    if is_signed { signed } else { unsigned }
}

/// The words of memory whose size follows the name: local, global and written memory.
const fn leading_access(memory: MemoryOperand) -> &'static str {
    match (memory.space, memory.access) {
        (Space::Constant(_) | Space::Shared, _) => "",
        (_, size) => access(size),
    }
}

fn special(function: SpecialFunction) -> Words {
    match function {
        SpecialFunction::Reciprocal => words(&["rcp", "f32"]),
        SpecialFunction::ReciprocalSquareRoot => words(&["rsqrt", "f32"]),
        SpecialFunction::Log2 => words(&["lg2", "f32"]),
        SpecialFunction::Sine => words(&["sin", "f32"]),
        SpecialFunction::Cosine => words(&["cos", "f32"]),
        SpecialFunction::Exp2 { saturates } => words(&["ex2", "f32", when(saturates, "sat")]),
    }
}

fn convert(convert: Convert) -> Words {
    let rounds_to_integer =
        convert.rounds_to_integer || matches!(convert.to, NumberFormat::Unsigned(_) | NumberFormat::Signed(_));
    let mode = match convert.rounding {
        None => "",
        Some(mode) if rounds_to_integer => rounding_to_integer(mode),
        Some(mode) => rounding(mode),
    };
    let name = words(&["cvt", when(convert.saturates, "sat"), mode, number(convert.to)]);
    Words { moves_modifiers: true, ..name.between(&[number(convert.from)]) }
}

fn texture(sample: TextureSample, form: TeslaForm) -> Words {
    let name = match sample.source {
        TextureSource::Automatic => "texauto",
        TextureSource::Bias => "texbias",
        TextureSource::Lod => "texlod",
        TextureSource::Texel => "texfetch",
        TextureSource::Size => "texsize",
        TextureSource::PrepareCube => "texprep",
        TextureSource::QueryLod => "texquerylod",
        TextureSource::Coverage => "texcsaa",
        TextureSource::Gather => "texgather",
    };
    let derivatives = when(sample.uses_derivatives && form == TeslaForm::Long, "deriv");
    words(&[name, when(sample.is_cube, "cube"), sign(sample.is_live_only, "live", "all"), derivatives])
}

fn product(product: Product) -> Words {
    match product {
        Product::Bits16 { is_first_signed, is_second_signed } => Words {
            before: [sign(is_first_signed, "s16", "u16"), sign(is_second_signed, "s16", "u16"), ""],
            ..words(&["mul"])
        },
        Product::Bits24 { is_signed, is_high } => {
            words(&["mul"]).between(&[when(is_high, "high"), sign(is_signed, "s24", "u24")])
        }
    }
}

fn multiply_add(sum_of: IntegerSum, product: Product, saturates: bool) -> Words {
    let factors = match product {
        Product::Bits16 { is_first_signed, .. } => ["", sign(is_first_signed, "s16", "u16")],
        Product::Bits24 { is_signed, is_high } => [when(is_high, "high"), sign(is_signed, "s24", "u24")],
    };
    Words { has_product: true, ..words(&[sum(sum_of), when(saturates, "sat")]).between(&factors) }
}

fn quad(lane: QuadLane, steps: [QuadStep; 4]) -> Words {
    let [first, second, third, fourth] = steps.map(step);
    let lane = match lane {
        QuadLane::Number(0) => "l0",
        QuadLane::Number(1) => "l1",
        QuadLane::Number(2) => "l2",
        QuadLane::Number(_) => "l3",
        QuadLane::NeighborX => "dx",
        QuadLane::NeighborY => "dy",
    };
    words(&["quadop", "f32", first, second, third, fourth]).between(&[lane])
}

impl TeslaInstruction {
    /// The rounding mode and format of a sum or product; short forms have no mode.
    fn rounded(&self, format: FloatType, mode: Rounding, saturates: bool, name: &'static str) -> Words {
        let mode = when(self.form == TeslaForm::Long, rounding(mode));
        words(&[name, when(saturates, "sat"), mode, float(format)])
    }

    fn memory_words(&self) -> Words {
        let load = |sources: &[Source]| match sources {
            [Source { operand: Operand::Memory(memory), .. }, ..] => leading_access(*memory),
            _ => "",
        };
        match (self.instruction.operation, self.instruction.destination) {
            (Operation::Store { unlocks }, Destination::Memory(memory)) => {
                let size = match memory.access {
                    Access::U8 if memory.space == Space::Shared => "b8",
                    Access::U16 if memory.space == Space::Shared => "b16",
                    size => access(size),
                };
                words(&["st", when(unlocks, "unlock"), size])
            }
            (Operation::LoadAndLock, _) => words(&["ld", "lock"]),
            _ => words(&["ld", load(&self.instruction.sources)]),
        }
    }

    /// The words of its operation.
    pub(super) fn words(&self) -> Words {
        match self.instruction.operation {
            Operation::Move { width, uses_sfu, .. } => words(&["mov", when(uses_sfu, "sfu"), bits(width)]),
            Operation::Load { .. } | Operation::LoadAndLock | Operation::Store { .. } => self.memory_words(),
            Operation::ReadCondition | Operation::ReadAddress | Operation::WriteCondition => words(&["mov"]),
            Operation::ReadSpecial(register) => Words { after: special_register(register), ..words(&["mov"]) },
            Operation::ShiftIntoAddress => words(&["shl"]),
            Operation::AddAddress => words(&["add"]),
            Operation::Vote(VoteMode::Any) => words(&["vote", "any"]),
            Operation::Vote(VoteMode::All) => words(&["vote", "all"]),
            // Saturation follows the size in long instructions.
            Operation::AddInteger { sum: of, width, saturates } if self.form == TeslaForm::Long => {
                words(&[sum(of), bits(width), when(saturates, "sat")])
            }
            Operation::AddInteger { sum: of, width, saturates } => {
                words(&[sum(of), when(saturates, "sat"), bits(width)])
            }
            Operation::SetInteger { relations: Relations { less: true, equal: true, greater: true, .. }, operands } => {
                words(&["set"]).between(&["always", integer(operands)])
            }
            Operation::SetInteger { relations: of, operands } => {
                words(&["set"]).between(&[relations(of), integer(operands)])
            }
            Operation::MaxInteger(of) => words(&["max", integer(of)]),
            Operation::MinInteger(of) => words(&["min", integer(of)]),
            Operation::ShiftLeft(width) => words(&["shl", bits(width)]),
            Operation::ShiftRight(of) => words(&["shr", integer(of)]),
            Operation::MultiplyInteger(of) => product(of),
            Operation::SumAbsoluteDifference(of) => words(&["sad"]).between(&[integer(of)]),
            Operation::MultiplyAddInteger { sum, product, saturates } => multiply_add(sum, product, saturates),
            Operation::Interpolate(mode) => words(&["interp"]).between(&[match mode {
                InterpolationMode::Center => "",
                InterpolationMode::Centroid => "cent",
                InterpolationMode::Flat => "flat",
            }]),
            Operation::Special(function) => special(function),
            Operation::PrepareSine => words(&["presin", "f32"]),
            Operation::PrepareExponential => words(&["preex2", "f32"]),
            Operation::Convert(of) => convert(of),
            Operation::AddFloat { format, rounding, saturates } => self.rounded(format, rounding, saturates, "add"),
            Operation::MultiplyFloat { format, rounding, saturates } => {
                self.rounded(format, rounding, saturates, "mul")
            }
            Operation::MultiplyAddFloat { saturates } => {
                Words { has_product: true, ..words(&["add", when(saturates, "sat"), "f32"]) }
            }
            Operation::FusedMultiplyAdd(mode) => words(&["fma", rounding(mode), "f64"]),
            Operation::SetFloat { relations: of, format } => words(&["set"]).between(&[relations(of), float(format)]),
            Operation::MaxFloat(format) => words(&["max", float(format)]),
            Operation::MinFloat(format) => words(&["min", float(format)]),
            Operation::Select => Words { before: ["", "", "f32"], ..words(&["slct", "b32"]) },
            Operation::Quad { lane, steps } => quad(lane, steps),
            Operation::Logic { operation, width } => words(&[logic(operation), bits(width)]),
            Operation::Reduce { operation, element: of } => words(&["red", update(operation), element(of)]),
            Operation::Atomic {
                operation: operation @ (AtomicOperation::Exchange | AtomicOperation::CompareAndSwap),
                element: of,
            } => words(&[update(operation), element(of)]),
            Operation::Atomic { operation, element: of } => words(&["ld", update(operation), element(of)]),
            Operation::Texture(sample) => texture(sample, self.form),
            Operation::Emit => words(&["emit"]),
            Operation::RestartStrip => words(&["restart"]),
            Operation::Nothing => words(&["nop"]),
            Operation::PerformanceEvent => words(&["pmevent"]),
            Operation::Discard => words(&["discard"]),
            Operation::Branch => words(&["bra"]),
            Operation::BranchIndirect { is_limited } => words(&["bra", when(is_limited, "lim")]),
            Operation::Call { is_limited } => words(&["call", when(is_limited, "lim")]),
            Operation::Return => words(&["ret"]),
            Operation::PushBreak => words(&["breakaddr"]),
            Operation::Break => words(&["break"]),
            Operation::PushReturn { is_limited } => words(&["preret", when(is_limited, "lim")]),
            Operation::PushJoin => words(&["joinat"]),
            Operation::EnterQuads => words(&["quadon"]),
            Operation::LeaveQuads => words(&["quadpop"]),
            Operation::Barrier { arrives, waits, threads } => Words {
                after: when(threads == BarrierThreads::All, "all"),
                ..words(&["bar", when(arrives, "inc"), when(waits, "wait")])
            },
            Operation::Trap => words(&["trap"]),
            Operation::Breakpoint => words(&["brkpt"]),
        }
    }

    /// The lanes that are written, if not all.
    pub(super) const fn lanes(&self) -> &'static str {
        match self.instruction.operation {
            Operation::Move { lanes, .. } | Operation::Load { lanes } => LANES[lanes as usize & 15],
            _ => "",
        }
    }
}

const fn special_register(register: SpecialRegister) -> &'static str {
    match register {
        SpecialRegister::PhysicalId => "$physid",
        SpecialRegister::Clock => "$clock",
        SpecialRegister::VertexStride => "$vstride",
        SpecialRegister::PerformanceCounter(0) => "$pm0",
        SpecialRegister::PerformanceCounter(1) => "$pm1",
        SpecialRegister::PerformanceCounter(2) => "$pm2",
        SpecialRegister::PerformanceCounter(_) => "$pm3",
        SpecialRegister::SampleId => "$sampleid",
        SpecialRegister::Unknown(number) => [
            "$sr0", "$sr1", "$sr2", "$sr3", "$sr4", "$sr5", "$sr6", "$sr7", "$sr8", "$sr9", "$sr10", "$sr11", "$sr12",
            "$sr13", "$sr14", "$sr15",
        ][number as usize & 15],
    }
}
