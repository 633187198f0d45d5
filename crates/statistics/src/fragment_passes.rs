//! Packs steps of operations into passes: what goes through unit 1 and unit 2 of a quad pipe in one clock.
//!
//! A pass takes the next step in program order as long as some placement of all its steps obeys the rules of
//! `docs/shader-schedule.md`. Every pass therefore holds as many steps as it can; nothing is reordered.

use super::fragment_steps::{ConditionLanes, Coordinates, Step, UnitPart};
use super::register_lanes::RegisterLanes;
use super::shader_units::ShaderUnits;
use crate::shader::fragment::FragmentRegister;

/// The unit that executes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Unit 1: four multipliers, RCP and RSQ, texture coordinates.
    UnitOne,
    /// Unit 2: four multiply-adders, the other special functions.
    UnitTwo,
    /// The fp16 normalizer, which works beside both units.
    Normalizer,
    /// The branch unit, between both units.
    BranchUnit,
}

/// Why a unit of the previous pass could not take a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Obstacle {
    /// The unit already has two instructions, or the required part of it already has one.
    Busy,
    /// The components of both instructions are neither xyz and w nor xy and zw, or are more than four.
    Channels,
    /// It needs a result of the pass that cannot be forwarded within the pass.
    Result {
        /// The register; `None` for what parts of an operation hand to each other.
        #[serde(serialize_with = "register_text")]
        register: Option<FragmentRegister>,
    },
    /// It writes a register that is also written further down the pipe in the pass.
    Order,
    /// The condition register is written in the pass.
    Condition,
    /// One of the units only forwards data in the pass.
    HandsOver,
    /// The pass reads other interpolants.
    Interpolants,
    /// The pass would read too many registers.
    RegisterReads,
    /// A fence precedes it.
    Fence,
}

fn register_text<S: serde::Serializer>(register: &Option<FragmentRegister>, serializer: S) -> Result<S::Ok, S::Error> {
    match register {
        Some(register) => serializer.collect_str(register),
        None => serializer.serialize_none(),
    }
}

/// A step in a pass.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PlacedStep {
    /// Position of the operation in its run.
    pub operation: usize,
    /// Which of the operation's steps it is, from 0.
    pub part: u8,
    /// How many steps the operation has.
    pub parts: u8,
    /// The part of the operation that the step computes; empty for the whole operation.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub name: &'static str,
    /// The unit that executes it.
    pub place: Place,
    /// The part of the unit that it needs.
    pub work: UnitPart,
    /// The multiplier channels that it occupies: bit 0 x … bit 3 w.
    pub channels: u8,
}

/// What goes through the units at once.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Pass {
    /// Its steps, in program order.
    pub steps: Vec<PlacedStep>,
    /// Why the next step did not fit, for each unit that could execute it; empty before flow and at the end.
    pub closed_by: Vec<(Place, Obstacle)>,
}

impl Pass {
    /// Its steps on a unit.
    pub fn at(&self, place: Place) -> impl Iterator<Item = &PlacedStep> {
        self.steps.iter().filter(move |step| step.place == place)
    }
}

/// Packs the steps of a run; `fenced` holds the positions of operations that a fence precedes.
pub(super) fn pack(steps: &[Step], fenced: &[usize], units: &ShaderUnits) -> Vec<Pass> {
    let mut passes = Vec::new();
    let mut open = OpenPass { steps: &[], places: Vec::new(), reads: units.register_reads };
    let mut first = 0;
    for (index, step) in steps.iter().enumerate() {
        let candidate = &steps[first..=index];
        let is_fenced = index > first && step.part == 0 && fenced.binary_search(&step.operation).is_ok();
        if !is_fenced && open.extend(candidate) {
            continue;
        }
        passes.push(open.close(step, is_fenced));
        first = index;
        open.steps = &[];
        open.places.clear();
        let fits = open.extend(&steps[index..=index]);
        debug_assert!(fits, "an empty pass takes any step");
    }
    if !open.steps.is_empty() {
        passes.push(Pass { steps: open.placed(), closed_by: Vec::new() });
    }
    passes
}

/// A pass that is being filled.
struct OpenPass<'run> {
    steps: &'run [Step],
    places: Vec<Place>,
    reads: u32,
}

impl<'run> OpenPass<'run> {
    /// Replaces the steps by `steps`, which adds one; returns whether a placement exists.
    fn extend(&mut self, steps: &'run [Step]) -> bool {
        let Some(last) = steps.len().checked_sub(1) else { return false };
        // The previous placement mostly still holds; the others are tried only if it does not.
        let fits = |place: &&Place| self.obstacle(&steps[..last], &self.places, &steps[last], **place).is_none();
        if let Some(&place) = places_of(steps[last].work).iter().find(fits) {
            self.places.push(place);
            self.steps = steps;
            return true;
        }
        let mut places = Vec::with_capacity(steps.len());
        if self.place_all(steps, &mut places) {
            self.places = places;
            self.steps = steps;
            return true;
        }
        false
    }

    /// Places the steps after the placed ones, unit 1 first; returns whether a placement exists.
    fn place_all(&self, steps: &[Step], places: &mut Vec<Place>) -> bool {
        let placed = places.len();
        let Some(step) = steps.get(placed) else { return true };
        for &place in places_of(step.work) {
            if self.obstacle(&steps[..placed], places, step, place).is_none() {
                places.push(place);
                if self.place_all(steps, places) {
                    return true;
                }
                places.pop();
            }
        }
        false
    }

    fn close(&self, next: &Step, is_fenced: bool) -> Pass {
        let closed_by = places_of(next.work)
            .iter()
            .filter_map(|&place| {
                let obstacle = if is_fenced {
                    Some(Obstacle::Fence)
                } else {
                    self.obstacle(self.steps, &self.places, next, place)
                };
                Some((place, obstacle?))
            })
            .collect();
        Pass { steps: self.placed(), closed_by }
    }

    fn placed(&self) -> Vec<PlacedStep> {
        let placed = |(step, &place): (&Step, &Place)| PlacedStep {
            operation: step.operation,
            part: step.part,
            parts: step.parts,
            name: step.name,
            place,
            work: step.work,
            channels: step.channels,
        };
        self.steps.iter().zip(&self.places).map(placed).collect()
    }

    /// What keeps a step from a unit, given the placed steps before it.
    fn obstacle(&self, steps: &[Step], places: &[Place], step: &Step, place: Place) -> Option<Obstacle> {
        let placed: Vec<Placed<'_>> = steps.iter().zip(places).map(|(step, &place)| Placed { step, place }).collect();
        let new = Placed { step, place };
        if step.is_scaled && place == Place::UnitOne && step.work == UnitPart::Multiply {
            // Unit 2 also multiplies, right before the scaling stage.
            return Some(Obstacle::HandsOver);
        }
        placed
            .iter()
            .find_map(|earlier| order(earlier, &new))
            .or_else(|| occupancy(&placed, &new))
            .or_else(|| interpolants(&placed, &new))
            .or_else(|| (reads(&placed, &new) > self.reads && !placed.is_empty()).then_some(Obstacle::RegisterReads))
    }
}

/// The units that can do this work, in the order of preference.
const fn places_of(work: UnitPart) -> &'static [Place] {
    match work {
        UnitPart::Multiply | UnitPart::Nothing => &[Place::UnitOne, Place::UnitTwo],
        UnitPart::Add | UnitPart::Special => &[Place::UnitTwo],
        UnitPart::Reciprocal | UnitPart::Texture => &[Place::UnitOne],
        UnitPart::Normalize => &[Place::Normalizer],
        UnitPart::Kill => &[Place::BranchUnit],
    }
}

#[derive(Clone, Copy)]
struct Placed<'run> {
    step: &'run Step,
    place: Place,
}

impl Placed<'_> {
    /// How far down the pipe its result appears.
    const fn stage(&self) -> u8 {
        match (self.place, self.step.work) {
            (Place::UnitOne, UnitPart::Reciprocal) => 0,
            (Place::UnitOne, UnitPart::Texture) => 2,
            (Place::UnitOne, _) => 1,
            _ => 3,
        }
    }

    /// Whether `next` can read this step's result within the pass.
    fn reaches(&self, next: &Self) -> bool {
        if self.place != Place::UnitOne || self.step.tests.is_some() || self.step.is_scaled {
            return false;
        }
        match next.place {
            Place::UnitTwo => true,
            // RCP and RSQ feed the multipliers, which coordinates pass through; a product may be the coordinate.
            Place::UnitOne => match self.step.work {
                UnitPart::Reciprocal => matches!(next.step.work, UnitPart::Multiply | UnitPart::Texture),
                UnitPart::Multiply => next.step.work == UnitPart::Texture,
                _ => false,
            },
            Place::Normalizer | Place::BranchUnit => false,
        }
    }

    /// Whether it reads the result of an earlier step, and only by the name by which that was written.
    fn takes(&self, earlier: &Self) -> bool {
        let mut overlapping = self.step.sources.iter().filter(|(_, lanes)| lanes.meets(earlier.step.writes)).peekable();
        overlapping.peek().is_some() && overlapping.all(|(register, _)| Some(*register) == earlier.step.target)
    }
}

/// What keeps a step from following an earlier one in the same pass.
fn order(earlier: &Placed<'_>, new: &Placed<'_>) -> Option<Obstacle> {
    let (a, b) = (earlier.step, new.step);
    if b.reads().meets(a.writes) && !(earlier.reaches(new) && new.takes(earlier)) {
        let register =
            a.target.filter(|target| target.index < crate::shader::fragment::FULL_REGISTERS || target.is_half);
        return Some(Obstacle::Result { register });
    }
    if b.writes.meets(a.writes) && (new.stage() <= earlier.stage() || b.tests.is_some()) {
        return Some(Obstacle::Order);
    }
    let meets = |read: Option<_>, written: Option<ConditionLanes>| matches!((read, written), (Some(read), Some(written)) if written.meets(read));
    (meets(b.tests, a.updates) || meets(b.updates, a.updates)).then_some(Obstacle::Condition)
}

/// What keeps a step from the part of a unit that it needs.
fn occupancy(placed: &[Placed<'_>], new: &Placed<'_>) -> Option<Obstacle> {
    let at = |place: Place| placed.iter().filter(move |other| other.place == place).map(|other| other.step);
    let scaled = |step: &Step| step.is_scaled;
    match new.place {
        Place::Normalizer | Place::BranchUnit => at(new.place).next().map(|_| Obstacle::Busy),
        Place::UnitOne => {
            if at(Place::UnitOne).count() >= 2 {
                return Some(Obstacle::Busy);
            }
            let hands_over = at(Place::UnitTwo).any(|step| step.interpolant.is_some());
            let needs_unit_two = new.step.is_scaled && at(Place::UnitTwo).next().is_some();
            if (new.step.work == UnitPart::Multiply && hands_over) || needs_unit_two {
                return Some(Obstacle::HandsOver);
            }
            at(Place::UnitOne).find_map(|other| beside_in_unit_one(other, new.step))
        }
        Place::UnitTwo => {
            if at(Place::UnitTwo).count() >= 2 {
                return Some(Obstacle::Busy);
            }
            let blocks_multipliers = new.step.interpolant.is_some();
            let multiplies = |step: &Step| step.work == UnitPart::Multiply;
            if at(Place::UnitOne).any(|step| scaled(step) || (blocks_multipliers && multiplies(step))) {
                return Some(Obstacle::HandsOver);
            }
            at(Place::UnitTwo).find_map(|other| beside_in_unit_two(other, new.step))
        }
    }
}

/// What keeps two instructions from sharing unit 1; the first is already placed.
fn beside_in_unit_one(first: &Step, second: &Step) -> Option<Obstacle> {
    let too_many = || (first.channels.count_ones() + second.channels.count_ones() > 4).then_some(Obstacle::Channels);
    match (first.work, second.work) {
        (UnitPart::Nothing, _) | (_, UnitPart::Nothing) => None,
        (UnitPart::Reciprocal, UnitPart::Reciprocal) | (UnitPart::Texture, UnitPart::Texture) => Some(Obstacle::Busy),
        (UnitPart::Reciprocal, UnitPart::Texture) | (UnitPart::Texture, UnitPart::Reciprocal) => {
            let (reciprocal, texture) = if first.work == UnitPart::Texture { (second, first) } else { (first, second) };
            if texture.coordinates == Coordinates::Divided {
                Some(Obstacle::Busy)
            } else {
                (reciprocal.channels.count_ones() > 1).then_some(Obstacle::Channels)
            }
        }
        (UnitPart::Reciprocal, _) | (_, UnitPart::Reciprocal) => too_many(),
        // The multipliers carry or compute the coordinate.
        (UnitPart::Multiply, UnitPart::Texture)
            if second.coordinates == Coordinates::AsTheyAre && second.reads().meets(first.writes) =>
        {
            None
        }
        (UnitPart::Texture, _) | (_, UnitPart::Texture) => Some(Obstacle::Channels),
        _ => split(first.channels, second.channels),
    }
}

/// What keeps two instructions from sharing unit 2.
fn beside_in_unit_two(first: &Step, second: &Step) -> Option<Obstacle> {
    match (first.work, second.work) {
        (UnitPart::Nothing, _) | (_, UnitPart::Nothing) => None,
        (UnitPart::Special, UnitPart::Special) => Some(Obstacle::Busy),
        (UnitPart::Special, _) | (_, UnitPart::Special) => {
            let (special, other) = if first.work == UnitPart::Special { (first, second) } else { (second, first) };
            let components = special.channels.count_ones() + other.channels.count_ones();
            // The special function replaces the multiply-adder of w.
            (other.channels & 0b1000 != 0 || components > 4).then_some(Obstacle::Channels)
        }
        _ => split(first.channels, second.channels),
    }
}

/// Whether two sets of channels split into xyz and w, or into xy and zw.
fn split(first: u8, second: u8) -> Option<Obstacle> {
    let fits = |low: u8, high: u8| first & !low == 0 && second & !high == 0;
    let splits = [(0b0111, 0b1000), (0b0011, 0b1100)];
    let is_split = splits.iter().any(|&(low, high)| fits(low, high) || fits(high, low));
    (!is_split).then_some(Obstacle::Channels)
}

/// One interpolant per unit, two in all.
fn interpolants(placed: &[Placed<'_>], new: &Placed<'_>) -> Option<Obstacle> {
    let wanted = new.step.interpolant?;
    let mut others = Vec::new();
    for other in placed {
        let Some(interpolant) = other.step.interpolant.filter(|interpolant| *interpolant != wanted) else { continue };
        if other.place == new.place {
            return Some(Obstacle::Interpolants);
        }
        if !others.contains(&interpolant) {
            others.push(interpolant);
        }
    }
    (others.len() >= 2).then_some(Obstacle::Interpolants)
}

/// How many half registers the pass would read from the register file with one more step.
fn reads(placed: &[Placed<'_>], new: &Placed<'_>) -> u32 {
    let (mut read, mut written) = (RegisterLanes::default(), RegisterLanes::default());
    for Placed { step, .. } in placed.iter().chain(std::iter::once(new)) {
        // Results written within the pass are forwarded, not read.
        read = read.union(step.reads().without(written));
        written = written.union(step.writes);
    }
    read.half_registers()
}
