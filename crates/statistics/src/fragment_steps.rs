//! Splits operations of fragment programs into steps: what one pass through the shader units can do, and what each
//! step needs.
//!
//! The units that a function needs are a column of its row. This module adds registers, conditions and channels to
//! each step.

use std::borrow::Cow;

use super::register_lanes::{INTERNAL, RegisterLanes};
use crate::shader::condition::{Relation, WriteMask};
use crate::shader::fragment::{
    FragmentInput, FragmentOperation, FragmentOperationKind, FragmentRegister, FragmentSourceKind, LodSource,
    Precision, Projection, Scale, TextureFetch,
};
pub use crate::shader::shader_unit_steps::UnitPart;
use crate::shader::shader_unit_steps::{ALL, BUMP, BUMP_AGAIN, ONE, StepRead, UnitStep, VECTOR, step};

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
    pub(super) work: UnitPart,
    /// The part of the operation that it computes; empty for the whole operation.
    pub(super) name: &'static str,
    /// Multiplier channels: those that it computes in and those that it writes, by component.
    pub(super) channels: u8,
    pub(super) target: Option<FragmentRegister>,
    pub(super) writes: RegisterLanes,
    pub(super) sources: Vec<(FragmentRegister, RegisterLanes)>,
    pub(super) interpolant: Option<Interpolant>,
    pub(super) tests: Option<ConditionLanes>,
    pub(super) updates: Option<ConditionLanes>,
    /// Whether its result goes through the scaling stage after unit 2.
    pub(super) is_scaled: bool,
    /// What unit 1 does with the coordinates of a fetch.
    pub(super) coordinates: Coordinates,
}

/// What unit 1 does with the coordinates of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coordinates {
    /// Passes them through.
    AsTheyAre,
    /// Multiplies them.
    Multiplied,
    /// Multiplies them by a reciprocal that it computes.
    Divided,
}

/// The steps of an operation, in order.
fn unit_steps(operation: &FragmentOperation) -> Cow<'static, [UnitStep]> {
    const COPY: &[UnitStep] = &[step(UnitPart::Multiply, "", 0, ONE)];
    const DERIVATIVE: &[UnitStep] = &[step(UnitPart::Add, "", 0, ONE)];
    const KILL: &[UnitStep] = &[step(UnitPart::Kill, "", 0, &[])];
    const NOTHING: &[UnitStep] = &[step(UnitPart::Nothing, "", 0, &[])];
    match operation.kind {
        FragmentOperationKind::Compute(function) => {
            let is_unscaled_half = operation.precision == Precision::Fp16 && operation.scale == Scale::One;
            let half = function.schedule.unscaled_half.filter(|_| is_unscaled_half);
            half.unwrap_or(function.schedule.steps).into()
        }
        FragmentOperationKind::Move => COPY.into(),
        FragmentOperationKind::Derivative(_) => DERIVATIVE.into(),
        FragmentOperationKind::Sample(fetch) => fetch_steps(fetch).into(),
        FragmentOperationKind::Kill => KILL.into(),
        FragmentOperationKind::Nothing => NOTHING.into(),
        FragmentOperationKind::Fence(_) => (&[]).into(),
    }
}

/// The steps of a fetch; bump mapping and derivatives come first.
fn fetch_steps(fetch: TextureFetch) -> Vec<UnitStep> {
    use UnitPart::{Add, Texture};
    if fetch.bump {
        return vec![
            step(Add, "bump by x", 0, BUMP).to(3),
            step(Add, "bump by y", 0, BUMP_AGAIN).from(3).to(3),
            step(Texture, "fetch", 0b1111, ALL).from(3),
        ];
    }
    let reads_w = fetch.projection != Projection::None;
    match fetch.lod {
        LodSource::Gradient => vec![
            step(Texture, "derivative along x", 0b1111, &[(1, StepRead::First(3))]).to(1),
            step(Texture, "derivative along y", 0b1111, &[(2, StepRead::First(3))]).to(2),
            step(Texture, "fetch", 0b1111, if reads_w { ALL } else { VECTOR }),
        ],
        LodSource::Implicit => vec![step(Texture, "", 0b1111, if reads_w { ALL } else { VECTOR })],
        LodSource::Bias | LodSource::Explicit => vec![step(Texture, "", 0b1111, ALL)],
    }
}

/// What unit 1 does with the coordinates of an operation's step.
fn coordinates(operation: &FragmentOperation, part: UnitPart, reads_input: bool) -> Coordinates {
    let projection = match operation.kind {
        FragmentOperationKind::Sample(fetch) if part == UnitPart::Texture => fetch.projection,
        FragmentOperationKind::Sample(_)
        | FragmentOperationKind::Compute(_)
        | FragmentOperationKind::Move
        | FragmentOperationKind::Derivative(_)
        | FragmentOperationKind::Kill
        | FragmentOperationKind::Fence(_)
        | FragmentOperationKind::Nothing => Projection::None,
    };
    match projection {
        Projection::DivideByW => Coordinates::Divided,
        Projection::MultiplyByW => Coordinates::Multiplied,
        Projection::None if operation.divides_by_w && reads_input => Coordinates::Multiplied,
        Projection::None => Coordinates::AsTheyAre,
    }
}

/// The steps of the operation at a position of its run; a fence has none.
pub(super) fn steps_of(position: usize, operation: &FragmentOperation) -> Vec<Step> {
    let steps = unit_steps(operation);
    let count = u8::try_from(steps.len()).unwrap_or(u8::MAX);
    (0..count).zip(steps.iter()).map(|(index, part)| placed(position, operation, (index, count), part)).collect()
}

fn placed(position: usize, operation: &FragmentOperation, (index, count): (u8, u8), part: &UnitStep) -> Step {
    let written = if part.part == UnitPart::Kill { 0 } else { operation.mask.0 & 15 };
    let is_last = part.internal_write == 0;
    // The internal register's full mask stands for the components that the operation writes.
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
            StepRead::Written => written,
            StepRead::First(components) => (1 << components) - 1,
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
    let tested = if part.part == UnitPart::Kill { 15 } else { written };
    Step {
        operation: position,
        part: index,
        parts: count,
        work: part.part,
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
        coordinates: coordinates(operation, part.part, interpolant.is_some()),
    }
}

impl Step {
    /// The registers that it reads.
    pub(super) fn reads(&self) -> RegisterLanes {
        self.sources.iter().fold(RegisterLanes::default(), |all, (_, lanes)| all.union(*lanes))
    }

    /// Whether it is the last step of its operation.
    pub(super) const fn is_last(&self) -> bool {
        self.part + 1 == self.parts
    }
}

/// The registers that a whole operation reads and writes.
pub(super) fn lanes_of(operation: &FragmentOperation) -> (RegisterLanes, RegisterLanes) {
    let internal = RegisterLanes::of(INTERNAL, WriteMask::ALL);
    let (mut reads, mut writes) = (RegisterLanes::default(), RegisterLanes::default());
    for step in steps_of(0, operation) {
        reads = reads.union(step.reads().without(internal));
        writes = writes.union(step.writes.without(internal));
    }
    (reads, writes)
}
