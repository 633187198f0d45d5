//! Operations of fragment programs into steps: what one pass through the shader units can do, and what each step needs.
//!
//! Most operations are one step. Those that no single unit computes are several, which hand an internal register on; an
//! operation is done with its last step.

use super::register_lanes::{INTERNAL, RegisterLanes};
use crate::isa::nv40_fragment::FragmentOpcode as Op;
use crate::shader::condition::{Relation, WriteMask};
use crate::shader::fragment::{
    FragmentInput, FragmentOperation, FragmentRegister, FragmentSourceKind, Precision, Scale,
};

/// The part of the shader units that a step needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// A multiplication or a copy: the multipliers of either unit.
    Multiply,
    /// Addition and what is made of it: the multiply-adders of unit 2.
    Add,
    /// RCP and RSQ: the special function unit of unit 1.
    Reciprocal,
    /// EX2, LG2, SIN, COS: the special function unit of unit 2.
    Special,
    /// A texture fetch: its coordinates take the multipliers of unit 1.
    Texture,
    /// Normalisation at fp16, beside both units.
    Normalize,
    /// KIL: the branch unit between both units.
    Kill,
    /// An instruction that computes nothing but takes its place.
    Nothing,
}

/// The interpolant that a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolant {
    Fixed(FragmentInput),
    Indexed(i16),
}

/// Components of a condition register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConditionLanes {
    pub(super) register: u8,
    pub(super) components: u8,
}

impl ConditionLanes {
    pub(super) const fn meets(self, other: Self) -> bool {
        self.register == other.register && self.components & other.components != 0
    }
}

/// What a step needs and does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// Position of the operation in its run.
    pub(super) operation: usize,
    /// Which of the operation's steps it is, from 0, and how many there are.
    pub(super) part: u8,
    pub(super) parts: u8,
    pub(super) work: Work,
    /// What it computes, when that is a part of the operation only.
    pub(super) name: &'static str,
    /// Multiplier channels: what it computes in and what it writes, by component.
    pub(super) channels: u8,
    pub(super) target: Option<FragmentRegister>,
    pub(super) writes: RegisterLanes,
    pub(super) sources: Vec<(FragmentRegister, RegisterLanes)>,
    pub(super) interpolant: Option<Interpolant>,
    pub(super) tests: Option<ConditionLanes>,
    pub(super) updates: Option<ConditionLanes>,
    /// Its result goes through the scaling stage behind unit 2.
    pub(super) is_scaled: bool,
    /// What unit 1 does with the coordinates of a fetch.
    pub(super) coordinates: Coordinates,
}

/// What unit 1 does with the coordinates of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coordinates {
    /// Lets them through.
    AsTheyAre,
    /// Multiplies them.
    Multiplied,
    /// Multiplies them with a reciprocal that it makes.
    Divided,
}

/// Which components of a source a step reads, before its swizzle.
#[derive(Debug, Clone, Copy)]
enum Need {
    /// Those that the operation writes.
    Written,
    /// The first n.
    First(u8),
}

/// One step of an opcode: the part that needs `work`, reads these sources and components of the internal register, and
/// writes components of it, or the result where `internal_write` is 0.
struct Part {
    work: Work,
    name: &'static str,
    /// Channels it computes in, whatever it writes.
    channels: u8,
    reads: &'static [(usize, Need)],
    internal_read: u8,
    internal_write: u8,
    coordinates: Coordinates,
}

const fn part(work: Work, name: &'static str, channels: u8, reads: &'static [(usize, Need)]) -> Part {
    Part { work, name, channels, reads, internal_read: 0, internal_write: 0, coordinates: Coordinates::AsTheyAre }
}

impl Part {
    /// Reads components of the internal register.
    const fn from(self, internal_read: u8) -> Self {
        Self { internal_read, ..self }
    }

    /// Writes components of the internal register instead of the result.
    const fn to(self, internal_write: u8) -> Self {
        Self { internal_write, ..self }
    }

    const fn with(self, coordinates: Coordinates) -> Self {
        Self { coordinates, ..self }
    }
}

const ONE: &[(usize, Need)] = &[(0, Need::Written)];
const TWO: &[(usize, Need)] = &[(0, Need::Written), (1, Need::Written)];
const THREE: &[(usize, Need)] = &[(0, Need::Written), (1, Need::Written), (2, Need::Written)];
const SCALAR: &[(usize, Need)] = &[(0, Need::First(1))];
const VECTOR: &[(usize, Need)] = &[(0, Need::First(3))];
const ALL: &[(usize, Need)] = &[(0, Need::First(4))];
const BUMP: &[(usize, Need)] = &[(0, Need::First(2)), (1, Need::First(1)), (2, Need::First(4))];
const BUMP_AGAIN: &[(usize, Need)] = &[(1, Need::First(2)), (2, Need::First(4))];

/// Whether an opcode is a scheduling fence, which is no step at all.
pub(super) const fn is_fence(opcode: Op) -> bool {
    matches!(opcode, Op::FencT | Op::FencB)
}

/// The steps of an opcode, in order. Sources for each row: `docs/shader-schedule.md`.
fn parts_of(operation: &FragmentOperation) -> Vec<Part> {
    use Work::{Add, Kill, Multiply, Normalize, Nothing, Reciprocal, Special, Texture};
    let one = |part: Part| vec![part];
    match operation.opcode {
        Op::Mov => one(part(Multiply, "", 0, ONE)),
        Op::Mul => one(part(Multiply, "", 0, TWO)),
        Op::Str | Op::Sfl => one(part(Multiply, "", 0, &[])),
        Op::Add | Op::Dst | Op::Min | Op::Max => one(part(Add, "", 0, TWO)),
        Op::Slt | Op::Sge | Op::Sle | Op::Sgt | Op::Sne | Op::Seq => one(part(Add, "", 0, TWO)),
        Op::Mad => one(part(Add, "", 0, THREE)),
        Op::Frc | Op::Flr | Op::Ddx | Op::Ddy => one(part(Add, "", 0, ONE)),
        Op::Dp2 => one(part(Add, "", 0b0011, &[(0, Need::First(2)), (1, Need::First(2))])),
        Op::Dp2a => one(part(Add, "", 0b0111, &[(0, Need::First(2)), (1, Need::First(2)), (2, Need::First(1))])),
        Op::Dp3 => one(part(Add, "", 0b0111, &[(0, Need::First(3)), (1, Need::First(3))])),
        Op::Dp4 => one(part(Add, "", 0b1111, &[(0, Need::First(4)), (1, Need::First(4))])),
        Op::Up4b | Op::Up2h | Op::Up4ub | Op::Up2us | Op::Up4ubg => one(part(Add, "", 0, SCALAR)),
        Op::Pk4b | Op::Pk4ub | Op::Pk4ubg => one(part(Add, "", 0b1111, ALL)),
        Op::Pk2h | Op::Pk2us => one(part(Add, "", 0b0011, &[(0, Need::First(2))])),
        Op::Rcp | Op::Rsq => one(part(Reciprocal, "", 0, SCALAR)),
        Op::Ex2 | Op::Lg2 | Op::Cos | Op::Sin => one(part(Special, "", 0, SCALAR)),
        Op::LitEx2 => one(part(Special, "", 0b1111, ALL)),
        Op::Tex => one(part(Texture, "", 0b1111, VECTOR)),
        Op::Txl | Op::Txb => one(part(Texture, "", 0b1111, ALL)),
        Op::TimesWTex => one(part(Texture, "", 0b1111, ALL).with(Coordinates::Multiplied)),
        Op::Txp => one(part(Texture, "", 0b1111, ALL).with(Coordinates::Divided)),
        Op::Txd => vec![
            part(Texture, "derivative along x", 0b1111, &[(1, Need::First(3))]).to(1),
            part(Texture, "derivative along y", 0b1111, &[(2, Need::First(3))]).to(2),
            part(Texture, "fetch", 0b1111, VECTOR),
        ],
        Op::TexBem | Op::TxpBem => {
            let fetch = part(Texture, "fetch", 0b1111, ALL).from(3);
            vec![
                part(Add, "bump by x", 0, BUMP).to(3),
                part(Add, "bump by y", 0, BUMP_AGAIN).from(3).to(3),
                if operation.opcode == Op::TxpBem { fetch.with(Coordinates::Divided) } else { fetch },
            ]
        }
        Op::X2d => {
            vec![part(Add, "by x", 0, BUMP).to(15), part(Add, "by y", 0, BUMP_AGAIN).from(15)]
        }
        Op::BemLum => vec![
            part(Add, "luminance", 0, &[(1, Need::First(3)), (2, Need::First(2))]).to(1),
            part(Multiply, "multiply", 0, ONE).from(1),
        ],
        Op::Nrm if operation.precision == Precision::Fp16 && operation.scale == Scale::One => {
            one(part(Normalize, "", 0, VECTOR))
        }
        Op::Nrm => vec![
            part(Add, "DP3", 0b0111, VECTOR).to(1),
            part(Reciprocal, "RSQ", 0, &[]).from(1).to(1),
            part(Multiply, "MUL", 0, ONE).from(1),
        ],
        Op::Div => divided("RCP"),
        Op::DivSq => divided("RSQ"),
        Op::Lrp => vec![
            part(Add, "s2 - s0 * s2", 0, &[(0, Need::Written), (2, Need::Written)]).to(15),
            part(Add, "s0 * s1 + the rest", 0, TWO).from(15),
        ],
        Op::Rfl => vec![
            part(Add, "DP3", 0b0111, &[(0, Need::First(3)), (1, Need::First(3))]).to(1),
            part(Add, "DP3", 0b0111, VECTOR).to(2),
            part(Reciprocal, "RCP", 0, &[]).from(2).to(2),
            part(Multiply, "MUL", 0, &[]).from(3).to(1),
            part(Add, "MAD", 0, TWO).from(1),
        ],
        Op::Lit => vec![
            part(Special, "LG2", 0, ALL).to(1),
            part(Multiply, "MUL", 0, ALL).from(1).to(1),
            part(Special, "EX2", 0b1111, ALL).from(1),
        ],
        Op::Pow => vec![
            part(Special, "LG2", 0, SCALAR).to(1),
            part(Multiply, "MUL", 0, &[(1, Need::First(1))]).from(1).to(1),
            part(Special, "EX2", 0, &[]).from(1),
        ],
        Op::Kil => one(part(Kill, "", 0, &[])),
        Op::Nop => one(part(Nothing, "", 0, &[])),
        Op::FencT | Op::FencB | Op::Brk | Op::Cal | Op::If | Op::Loop | Op::Rep | Op::Ret => Vec::new(),
    }
}

fn divided(name: &'static str) -> Vec<Part> {
    vec![part(Work::Reciprocal, name, 0, &[(1, Need::First(1))]).to(1), part(Work::Multiply, "MUL", 0, ONE).from(1)]
}

/// The steps of the operation at a position of its run; none of a fence.
pub(super) fn steps_of(position: usize, operation: &FragmentOperation) -> Vec<Step> {
    let parts = parts_of(operation);
    let count = u8::try_from(parts.len()).unwrap_or(u8::MAX);
    (0..count).zip(&parts).map(|(index, part)| step(position, operation, (index, count), part)).collect()
}

fn step(position: usize, operation: &FragmentOperation, (index, count): (u8, u8), part: &Part) -> Step {
    let written = if part.work == Work::Kill { 0 } else { operation.mask.0 & 15 };
    let is_last = part.internal_write == 0;
    // All of the internal register stands for the components that the operation writes.
    let result = if is_last || part.internal_write == 15 { written } else { part.internal_write };
    let (target, writes) = if !is_last {
        (Some(INTERNAL), RegisterLanes::of(INTERNAL, WriteMask(part.internal_write)))
    } else {
        let lanes = operation.destination.map(|register| RegisterLanes::of(register, operation.mask));
        (operation.destination, lanes.unwrap_or_default())
    };
    let mut sources = Vec::with_capacity(3);
    let mut interpolant = None;
    for &(source, need) in part.reads {
        let source = operation.sources[source];
        let needed = match need {
            Need::Written => written,
            Need::First(components) => (1 << components) - 1,
        };
        let components =
            (0..4).filter(|c| needed >> c & 1 != 0).fold(0, |set, c: usize| set | 1 << (source.swizzle.0[c] & 3));
        match source.kind {
            FragmentSourceKind::Register(register) => {
                sources.push((register, RegisterLanes::of(register, WriteMask(components))));
            }
            FragmentSourceKind::Input => {
                interpolant = Some(if operation.is_input_indexed {
                    Interpolant::Indexed(operation.input_displacement)
                } else {
                    Interpolant::Fixed(operation.input)
                });
            }
            FragmentSourceKind::Constant(_) => {}
        }
    }
    if part.internal_read != 0 {
        sources.push((INTERNAL, RegisterLanes::of(INTERNAL, WriteMask(part.internal_read))));
    }
    let tests_condition = is_last && operation.condition.relation != Relation::Always;
    let tested = if part.work == Work::Kill { 15 } else { written };
    Step {
        operation: position,
        part: index,
        parts: count,
        work: part.work,
        name: part.name,
        channels: part.channels | result,
        target,
        writes,
        sources,
        interpolant,
        tests: tests_condition.then(|| ConditionLanes {
            register: operation.condition.register,
            components: (0..4)
                .filter(|c| tested >> c & 1 != 0)
                .fold(0, |set, c: usize| set | 1 << (operation.condition.swizzle.0[c] & 3)),
        }),
        updates: operation
            .condition_update
            .filter(|_| is_last)
            .map(|register| ConditionLanes { register, components: written }),
        is_scaled: is_last && operation.scale != Scale::One,
        coordinates: match part.coordinates {
            Coordinates::AsTheyAre if operation.divides_by_w && interpolant.is_some() => Coordinates::Multiplied,
            coordinates => coordinates,
        },
    }
}

impl Step {
    /// The registers that it reads.
    pub(super) fn reads(&self) -> RegisterLanes {
        self.sources.iter().fold(RegisterLanes::default(), |all, (_, lanes)| all.union(*lanes))
    }

    /// Whether it is the step that ends its operation.
    pub(super) const fn is_last(&self) -> bool {
        self.part + 1 == self.parts
    }
}

/// The registers that an operation reads and writes, for whoever looks at operations as a whole.
pub(super) fn lanes_of(operation: &FragmentOperation) -> (RegisterLanes, RegisterLanes) {
    let internal = RegisterLanes::of(INTERNAL, WriteMask::ALL);
    let (mut reads, mut writes) = (RegisterLanes::default(), RegisterLanes::default());
    for step in steps_of(0, operation) {
        reads = reads.union(step.reads().without(internal));
        writes = writes.union(step.writes.without(internal));
    }
    (reads, writes)
}
