//! Prints an instruction in the syntax of envydis.
//!
//! Source of the syntax: envytools `docs/envydis/index.rst` and the output of envydis.

use std::fmt;

use super::variants::{FLAG_CONDITIONS, relations_code};
use super::{TeslaForm, TeslaInstruction};
use crate::shader::simt::{
    Access, Address, AtomicOperation, BarrierThreads, Condition, Convert, Destination, ElementType, FloatType,
    IntegerSum, IntegerType, InterpolationMode, LogicOperation, MemoryOperand, NumberFormat, Operand, Operation,
    Predicate, Product, QuadLane, QuadStep, Register, Relations, Rounding, Source, Space, SpecialFunction,
    SpecialRegister, TextureSample, TextureSource, VoteMode, Width,
};

/// The words of an operation around its operands.
#[derive(Debug, Default)]
struct Words {
    /// The name and what follows it.
    name: Vec<&'static str>,
    /// What is between the destination and the sources.
    between: Vec<&'static str>,
    /// What is before each source.
    before: [&'static str; 3],
    /// Whether the first two sources are those of a product inside the sum.
    has_product: bool,
    /// Whether the modifiers of the source follow the name.
    moves_modifiers: bool,
    /// What is at the end.
    after: &'static str,
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
const LANES: [&str; 16] = [
    "(lnone)", "(l0)", "(l1)", "(l01)", "(l2)", "(l02)", "(l12)", "(l012)", "(l3)", "(l03)", "(l13)", "(l013)",
    "(l23)", "(l023)", "(l123)", "",
];

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

const fn access(access: Access) -> &'static str {
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

    fn words(&self) -> Words {
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
    const fn lanes(&self) -> &'static str {
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

fn register(register: Register) -> String {
    match register {
        Register::Half { number, is_high } => format!("$r{number}{}", if is_high { 'h' } else { 'l' }),
        Register::Word(number) => format!("$r{number}"),
        Register::Double(number) => format!("$r{number}d"),
        Register::Quad(number) => format!("$r{number}q"),
    }
}

fn address_register(number: u8) -> String {
    if number == 0 { "0x0".to_owned() } else { format!("$a{number}") }
}

fn memory(memory: MemoryOperand) -> String {
    let space = match memory.space {
        Space::Constant(number) => format!("c{number}"),
        Space::Shared => "s".to_owned(),
        Space::Local => "l".to_owned(),
        Space::Global(number) => format!("g{number}"),
        Space::Attribute => "a".to_owned(),
        Space::Primitive => "p".to_owned(),
        Space::Interpolant => "v".to_owned(),
        Space::Output => "o".to_owned(),
    };
    match memory.address {
        Address::Offset { base: 0, offset } => format!("{space}[{offset:#x}]"),
        Address::Offset { base, offset: 0 } => format!("{space}[$a{base}]"),
        Address::Offset { base, offset } => format!("{space}[$a{base}+{offset:#x}]"),
        Address::PostIncrement { base, step } => {
            let sign = if step < 0 { "-" } else { "" };
            format!("{space}[{}++{sign}{:#x}]", address_register(base), step.unsigned_abs())
        }
        Address::Register(register) => format!("{space}[$r{register}]"),
    }
}

/// A texel offset.
fn signed(value: i8) -> String {
    format!("{}{:#x}", if value < 0 { "-" } else { "" }, value.unsigned_abs())
}

fn operand(operand: Operand) -> String {
    match operand {
        Operand::Register(of) => register(of),
        Operand::Immediate(value) | Operand::CodeAddress(value) => format!("{value:#x}"),
        Operand::Memory(of) if of.space == Space::Shared => format!("{} {}", access(of.access), memory(of)),
        Operand::Memory(of) => memory(of),
        Operand::Address(number) => address_register(number),
        Operand::Condition(number) => format!("$c{number}"),
        Operand::Coordinates { first, count } => {
            let registers: Vec<_> = (0..u32::from(count)).map(|at| format!("$r{}", u32::from(first) + at)).collect();
            registers.join(":")
        }
        Operand::Texture { texture, sampler } => format!("$t{texture} $s{sampler}"),
        Operand::TexelOffset(offsets) => offsets.map(signed).join(" "),
    }
}

fn destination(destination: Destination, has_place: bool) -> Option<String> {
    Some(match destination {
        Destination::None => return has_place.then(|| "#".to_owned()),
        Destination::Register(of) => register(of),
        Destination::Output { offset, .. } => format!("o[{offset:#x}]"),
        Destination::Address(number) => address_register(number),
        Destination::Condition(number) => format!("$c{number}"),
        Destination::Texture { first, mask } => {
            let mut next = u32::from(first);
            let component = |at: u8| {
                if mask >> at & 1 == 0 {
                    return "#".to_owned();
                }
                next += 1;
                format!("$r{}", next - 1)
            };
            (0..4).map(component).collect::<Vec<_>>().join(":")
        }
        Destination::Memory(of) => memory(of),
    })
}

fn predicate(predicate: Predicate) -> Option<String> {
    let (name, register) = match predicate {
        Predicate::Always => return None,
        Predicate::Never => return Some("(never)".to_owned()),
        Predicate::If { register, condition: Condition::Compare(of) } => (relations(of), register),
        Predicate::If { register, condition } => {
            let position = FLAG_CONDITIONS.iter().position(|(_, flag)| *flag == condition).unwrap_or(0);
            (FLAGS[position], register)
        }
    };
    Some(format!("({name} $c{register})"))
}

/// The modifiers of a source, in the order of the text.
fn modifiers(source: &Source) -> impl Iterator<Item = String> + use<> {
    let words = [when(source.negate, "neg"), when(source.absolute, "abs"), when(source.invert, "not")];
    words.into_iter().filter(|word| !word.is_empty()).map(str::to_owned)
}

/// The program's text, an instruction per line without its address.
impl fmt::Display for TeslaInstruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (instruction, words) = (&self.instruction, self.words());
        let mut text: Vec<String> = Vec::new();
        text.extend(instruction.exits.then(|| "exit".to_owned()));
        text.extend(instruction.joins.then(|| "join".to_owned()));
        text.extend(predicate(instruction.predicate));
        text.extend(Some(self.lanes().to_owned()).filter(|lanes| !lanes.is_empty()));
        text.push(words.name[0].to_owned());
        if words.moves_modifiers {
            text.extend(instruction.sources.iter().flat_map(modifiers));
        }
        text.extend(words.name[1..].iter().map(|word| (*word).to_owned()));
        text.extend(instruction.condition_write.map(|number| format!("$c{number}")));
        text.extend(destination(instruction.destination, self.has_destination()));
        if words.has_product {
            text.extend(instruction.sources.first().into_iter().flat_map(modifiers));
            text.push("(mul".to_owned());
        }
        text.extend(words.between.iter().map(|word| (*word).to_owned()));
        for (position, source) in instruction.sources.iter().enumerate() {
            text.extend(words.before.get(position).filter(|word| !word.is_empty()).map(|word| (*word).to_owned()));
            if !words.moves_modifiers && (!words.has_product || position > 0) {
                text.extend(modifiers(source));
            }
            let is_sized = matches!(instruction.operation, Operation::Load { .. });
            text.push(match source.operand {
                Operand::Memory(of) if is_sized && matches!(of.space, Space::Constant(_)) => {
                    format!("{} {}", access(of.access), memory(of))
                }
                other => operand(other),
            });
            if words.has_product && position == 1 {
                text.push(")".to_owned());
            }
        }
        text.extend(Some(words.after.to_owned()).filter(|word| !word.is_empty()));
        formatter.write_str(&text.join(" ").replace(" )", ")"))
    }
}

impl TeslaInstruction {
    /// Whether the instruction has a place for a register or an output, where nothing is printed as such.
    const fn has_destination(&self) -> bool {
        !matches!(
            self.instruction.operation,
            Operation::Emit
                | Operation::RestartStrip
                | Operation::Nothing
                | Operation::PerformanceEvent
                | Operation::Discard
                | Operation::Branch
                | Operation::BranchIndirect { .. }
                | Operation::Call { .. }
                | Operation::Return
                | Operation::PushBreak
                | Operation::Break
                | Operation::PushReturn { .. }
                | Operation::PushJoin
                | Operation::EnterQuads
                | Operation::LeaveQuads
                | Operation::Barrier { .. }
                | Operation::Trap
                | Operation::Breakpoint
        )
    }
}
