//! Checks that random operations in passes give the same results as one after the other. Each pass is executed as
//! the units would: registers are read before it, results are forwarded down the pipe, and writes follow it in
//! pipe order.

use super::fragment_passes::{Pass, Place, PlacedStep, pack};
use super::fragment_steps::{Step, UnitPart, steps_of};
use super::register_lanes::RegisterLanes;
use super::shader_units::ShaderUnits;
use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op};
use crate::isa::test_words::{ended, fragment, full, half};
use crate::shader::condition::WriteMask;
use crate::shader::fragment::{FragmentProgram, FragmentRegister};

/// Lanes of the register file, including the internal register.
const LANES: usize = 49 * 8;

/// Values that no two computations share: registers by lane, then condition registers by component.
#[derive(Clone, PartialEq, Debug)]
struct State([u64; LANES + 8]);

/// Mixes two values into one: the finalizer of the generator `SplitMix64`.
fn mixed(a: u64, b: u64) -> u64 {
    let mut z = a.rotate_left(17).wrapping_add(b).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn lanes(set: RegisterLanes) -> Vec<usize> {
    let lane = |lane: &usize| {
        let register = FragmentRegister { index: u8::try_from(lane / 4).unwrap(), is_half: true };
        set.meets(RegisterLanes::of(register, WriteMask(1 << (lane % 4))))
    };
    (0..LANES).filter(lane).collect()
}

fn places_of(lanes: Option<super::fragment_steps::ConditionLanes>) -> Vec<usize> {
    let Some(lanes) = lanes else { return Vec::new() };
    let first = LANES + usize::from(lanes.register & 1) * 4;
    (0..4).filter(|component| lanes.components >> component & 1 != 0).map(|component| first + component).collect()
}

/// What a step computes from values that `read` gives.
fn value(step: &Step, read: &dyn Fn(usize) -> u64) -> u64 {
    let name = mixed(step.operation as u64, u64::from(step.part));
    let sources = step.sources.iter().flat_map(|(register, set)| {
        let name = u64::from(register.index) << 1 | u64::from(register.is_half);
        std::iter::once(name).chain(lanes(*set).into_iter().map(read))
    });
    let tested = places_of(step.tests).into_iter().map(read);
    sources.chain(tested).fold(name, mixed)
}

/// Writes a step's value; a conditional write mixes in the old value.
fn write(step: &Step, value: u64, state: &mut State) {
    for lane in lanes(step.writes) {
        let old = if step.tests.is_some() { state.0[lane] } else { 0 };
        state.0[lane] = mixed(mixed(value, lane as u64), old);
    }
    for place in places_of(step.updates) {
        let old = if step.tests.is_some() { state.0[place] } else { 0 };
        state.0[place] = mixed(mixed(value, place as u64), old);
    }
}

/// How far down the pipe a step is.
fn depth(placed: &PlacedStep) -> u8 {
    match (placed.place, placed.work) {
        (Place::UnitOne, UnitPart::Reciprocal) => 0,
        (Place::UnitOne, UnitPart::Texture) => 2,
        (Place::UnitOne, _) => 1,
        _ => 3,
    }
}

/// Whether the wiring forwards a result: from unit 1 to unit 2, and within unit 1 from RCP and RSQ to products and
/// coordinates, and from products to coordinates.
fn is_wired(from: &PlacedStep, to: &PlacedStep) -> bool {
    from.place == Place::UnitOne && matches!(to.place, Place::UnitOne | Place::UnitTwo) && depth(from) < depth(to)
}

/// The state after a pass.
fn carried_out(pass: &Pass, steps: &[Step], before: &State) -> State {
    let mut values: Vec<u64> = Vec::new();
    for (index, (step, placed)) in steps.iter().zip(&pass.steps).enumerate() {
        let read = |lane: usize| {
            let writer = (0..index).rev().find(|&earlier| lanes(steps[earlier].writes).contains(&lane));
            match writer {
                Some(earlier) if is_wired(&pass.steps[earlier], placed) && steps[earlier].tests.is_none() => {
                    mixed(mixed(values[earlier], lane as u64), 0)
                }
                _ => before.0[lane],
            }
        };
        values.push(value(step, &read));
    }
    // Writes at the same depth race. The worst case is assumed: the earlier instruction's write comes last.
    let mut order: Vec<usize> = (0..steps.len()).rev().collect();
    order.sort_by_key(|&index| depth(&pass.steps[index]));
    let mut after = before.clone();
    for index in order {
        // A conditional write merges with the register file's contents before the pass.
        let mut own = before.clone();
        write(&steps[index], values[index], &mut own);
        for lane in lanes(steps[index].writes).into_iter().chain(places_of(steps[index].updates)) {
            after.0[lane] = own.0[lane];
        }
    }
    after
}

/// Whether passes give the same results as their steps one after the other.
fn agree(passes: &[Pass], steps: &[Step]) -> bool {
    let mut sequential = State(std::array::from_fn(|lane| mixed(1, lane as u64)));
    let mut packed = sequential.clone();
    let mut first = 0;
    for pass in passes {
        let steps = &steps[first..first + pass.steps.len()];
        first += pass.steps.len();
        for step in steps {
            let value = value(step, &|lane| sequential.0[lane]);
            write(step, value, &mut sequential);
        }
        packed = carried_out(pass, steps, &packed);
        if packed != sequential {
            return false;
        }
    }
    first == steps.len()
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = mixed(self.0, 1);
        u32::try_from(self.0 % u64::from(limit)).unwrap()
    }
}

/// Steps of random operations on few registers, so that most of them depend on each other.
fn random_steps(random: &mut Random, count: usize) -> Vec<Step> {
    const OPCODES: [Op; 20] = [
        Op::Mul,
        Op::Mul,
        Op::Mul,
        Op::Mov,
        Op::Mad,
        Op::Add,
        Op::Dp3,
        Op::Dp2,
        Op::Rcp,
        Op::Rcp,
        Op::Rsq,
        Op::Ex2,
        Op::Lg2,
        Op::Tex,
        Op::Tex,
        Op::Txp,
        Op::Nrm,
        Op::Kil,
        Op::Lrp,
        Op::Div,
    ];
    let operations = (0..count).map(|_| {
        let sources = [0; 3].map(|_| {
            let source = if random.below(3) == 0 { half(random.below(8)) } else { full(random.below(4)) };
            if random.below(2) == 0 { source.splat(random.below(4)) } else { source }
        });
        let opcode = OPCODES[random.below(20) as usize];
        let word = fragment(opcode, random.below(4), &sources).with(Field::WRITE_MASK, 1 + random.below(15));
        let word = word.with(Field::CONDITION, if random.below(6) == 0 { random.below(7) } else { 7 });
        word.with(Field::DESTINATION_HALF, u32::from(random.below(3) == 0))
            .with(Field::CONDITION_UPDATE, u32::from(random.below(8) == 0))
            .with(Field::PRECISION, random.below(2))
            .with(Field::SCALE, u32::from(random.below(8) == 0))
    });
    let program = FragmentProgram::decode(&ended(operations.collect())).unwrap();
    let blocks = program.numbered_blocks();
    blocks.runs[0].iter().enumerate().flat_map(|(position, operation)| steps_of(position, operation)).collect()
}

#[test]
fn passes_give_what_program_order_gives() {
    let units = ShaderUnits::default();
    let mut random = Random(0x5eed_0041);
    let (mut steps, mut passes) = (0, 0);
    for round in 0..150 {
        let run = random_steps(&mut random, 12);
        let packed = pack(&run, &[], &units);
        assert!(agree(&packed, &run), "round {round}: {packed:#?}");
        (steps, passes) = (steps + run.len(), passes + packed.len());
    }
    assert!(passes * 5 < steps * 4, "{steps} steps in {passes} passes hardly share any");
}

#[test]
fn a_pass_too_full_is_found() {
    let units = ShaderUnits::default();
    let mut random = Random(0x5eed_0042);
    let mut found = 0;
    for _ in 0..40 {
        let run = random_steps(&mut random, 8);
        let mut packed = pack(&run, &[], &units);
        if packed.len() > 1 {
            // Moves all of the second pass into the first, on the same units.
            let moved = packed.remove(1);
            packed[0].steps.extend(moved.steps);
            found += usize::from(!agree(&packed, &run));
        }
    }
    assert!(found > 15, "only {found}");
}
