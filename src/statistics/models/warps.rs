//! Runs the warps of a draw on the multiprocessors of a unified processor.
//!
//! Each cluster takes a warp of vertices or primitives in turn. A warp of fragments goes to the cluster that owns the screen tile of
//! its first quad (Lindholm et al., IEEE Micro 28(2): round-robin, and by pixel location). In a cluster, a warp goes to the
//! multiprocessor that has room for it first: a place of a warp, and its registers. A warp begins once the warps before it in the
//! pipeline have ended that hold its inputs. The [multiprocessor](crate::statistics::launch::multiprocessor) is that of the launch
//! models; its part of the texture unit is shared evenly.
// Unverified: the order of warps of several kinds, how tiles are spread over clusters, that vertices run ahead of fragments by a
// warp for each multiprocessor, and that a primitive's vertices are in the same part of the warps as the primitive is of all.

use std::collections::HashMap;

use super::lookup_loads::format_clocks;
use crate::counters::Counter;
use crate::counters::trace::{TracedDraw, TracedInstruction, TracedWarp};
use crate::machine::TeslaMachine;
use crate::pipeline::launch::{Unit, WARP_THREADS, is_far};
use crate::pipeline::{FragmentStage, SimtStage, VertexStage};
use crate::shader::simt::{Operation, ProgramKind};
use crate::statistics::launch::multiprocessor::{Multiprocessor, MultiprocessorTime, WarpStep};
use crate::statistics::launch::timing::InstructionTiming;

/// The kinds of programs of a draw, in the order of the pipeline.
pub const STAGES: [ProgramKind; 3] = [ProgramKind::Vertex, ProgramKind::Geometry, ProgramKind::Fragment];

/// The warps of a draw that run one program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageWarps {
    /// Warps.
    pub warps: u64,
    /// Their threads.
    pub threads: u64,
    /// Clocks in which their instructions occupy the scalar processors of one multiprocessor.
    pub scalar_clocks: u64,
    /// Clocks in which they occupy its special function units.
    pub special_clocks: u64,
    /// The part of `special_clocks` that interpolates.
    pub interpolation_clocks: u64,
    /// Registers of a thread.
    pub registers: u32,
    /// Warps that a multiprocessor holds if all run this program.
    pub resident_warps: u32,
}

impl StageWarps {
    /// Clocks in which they keep a multiprocessor busy at least: those of its busier units.
    #[must_use]
    pub fn clocks(&self) -> u64 {
        self.scalar_clocks.max(self.special_clocks)
    }
}

/// The warps of a draw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawWarps {
    /// By program, in the order of [`STAGES`].
    pub stages: [StageWarps; 3],
    /// Clocks of the processor from the first instruction to the last.
    pub clocks: f64,
    /// The clocks of all multiprocessors together.
    pub time: MultiprocessorTime,
    /// Clocks in which the scalar processors of each multiprocessor are occupied.
    pub busy: Vec<f64>,
}

impl DrawWarps {
    /// Clocks in which the draw keeps one multiprocessor busy, if it alone runs all warps.
    #[must_use]
    pub fn issue_clocks(&self) -> u64 {
        let sum = |of: fn(&StageWarps) -> u64| self.stages.iter().map(of).sum::<u64>();
        sum(|stage| stage.scalar_clocks).max(sum(|stage| stage.special_clocks))
    }
}

/// Runs the warps of a draw; none if it has other programs.
#[must_use]
pub fn draw_warps(traced: &TracedDraw, machine: &TeslaMachine) -> DrawWarps {
    let Some(warps) = traced.warps() else { return DrawWarps::default() };
    let mut processor = Processor::new(machine, traced);
    let mut queues: [Vec<Queued>; 3] = Default::default();
    for (warp, instructions) in warps.iter() {
        let Some(stage) = STAGES.iter().position(|kind| *kind == warp.kind) else { continue };
        let steps = processor.steps(stage, warp, instructions);
        queues[stage].push(Queued { steps, needed: 0, cluster: processor.cluster(warp) });
    }
    processor.find_needed(traced, &mut queues);
    processor.run(queues);
    processor.finish()
}

/// A warp that has not begun.
#[derive(Debug)]
struct Queued {
    steps: Vec<WarpStep>,
    /// How many warps of the stage before it must have ended.
    needed: usize,
    cluster: usize,
}

/// The multiprocessors while a draw runs.
struct Processor<'run> {
    machine: &'run TeslaMachine,
    traced: &'run TracedDraw,
    programs: [Option<&'run SimtStage>; 3],
    /// The timings of the instructions of all programs, and the first of each.
    timings: Vec<InstructionTiming>,
    first: [usize; 3],
    residents: Vec<Resident<'run>>,
    stages: [StageWarps; 3],
    /// The warps of each stage that have been placed.
    placed: [Vec<Placed>; 3],
    /// When each of them and all before it have ended, as far as it was asked for.
    latest: [Vec<f64>; 3],
}

/// A warp that has been placed.
#[derive(Debug, Clone, Copy)]
struct Placed {
    multiprocessor: usize,
    /// When it ended, once that is known.
    end: Option<f64>,
}

/// A multiprocessor with what it has room for.
struct Resident<'machine> {
    multiprocessor: Multiprocessor<'machine>,
    /// When each place of a warp is free.
    places: Vec<f64>,
    /// Registers, and when they are free.
    registers: Vec<(f64, u32)>,
    /// The warps that run, by place: stage, number, registers.
    running: HashMap<usize, (usize, usize, u32)>,
}

impl<'run> Processor<'run> {
    fn new(machine: &'run TeslaMachine, traced: &'run TracedDraw) -> Self {
        let draw = &traced.draw;
        let vertex = if let VertexStage::Simt(stage) = &draw.vertex { Some(&stage.stage) } else { None };
        let fragment = if let FragmentStage::Simt(stage) = &draw.fragment { Some(&stage.stage) } else { None };
        let programs = [vertex, draw.geometry.as_ref().map(|stage| &stage.stage), fragment];
        let (mut timings, mut first, mut stages) = (Vec::new(), [0; 3], [StageWarps::default(); 3]);
        for ((first, stage), program) in first.iter_mut().zip(&mut stages).zip(programs) {
            *first = timings.len();
            let Some(program) = program else { continue };
            timings.extend(InstructionTiming::of_program(machine, &program.program));
            let held = &machine.multiprocessor;
            stage.registers = program.registers;
            stage.resident_warps = held.warps.min(held.registers / warp_registers(machine, program.registers));
        }
        let resident = || Resident {
            multiprocessor: Multiprocessor::new(
                machine,
                timings.len(),
                machine.memory_bytes_per_clock() / f64::from(machine.multiprocessors()),
            ),
            places: vec![0.0; machine.multiprocessor.warps as usize],
            registers: vec![(0.0, machine.multiprocessor.registers)],
            running: HashMap::new(),
        };
        let residents = std::iter::repeat_with(resident).take(machine.multiprocessors() as usize).collect();
        Self {
            machine,
            traced,
            programs,
            timings,
            first,
            residents,
            stages,
            placed: Default::default(),
            latest: Default::default(),
        }
    }

    /// What the instructions of a warp cost; adds it to its stage.
    fn steps(&mut self, stage: usize, warp: &TracedWarp, instructions: &[TracedInstruction]) -> Vec<WarpStep> {
        let sums = &mut self.stages[stage];
        sums.warps += 1;
        sums.threads += u64::from(warp.threads);
        let Some(program) = self.programs[stage] else { return Vec::new() };
        let code = program.program.instructions();
        let mut steps = Vec::with_capacity(instructions.len());
        for executed in instructions {
            let number = executed.instruction as usize;
            let Some(found) = code.get(number) else { continue };
            let timing = &self.timings[self.first[stage] + number];
            let clocks = timing.clocks;
            let operation = found.instruction.operation;
            match timing.unit {
                Unit::Special => {
                    sums.special_clocks += u64::from(clocks);
                    if matches!(operation, Operation::Interpolate(_)) {
                        sums.interpolation_clocks += u64::from(clocks);
                    }
                }
                _ => sums.scalar_clocks += u64::from(clocks),
            }
            let far = found.instruction.memory_operands().filter(|memory| is_far(memory.space));
            let thread_bytes: u32 = far.map(|memory| memory.access.bytes()).sum();
            let texture_clocks = match operation {
                Operation::Texture(_) => texture_clocks(self.machine, self.traced, executed),
                _ => 0,
            };
            steps.push(WarpStep {
                instruction: u32::try_from(self.first[stage] + number).unwrap_or(u32::MAX),
                clocks,
                bytes: executed.threads.count_ones() * thread_bytes,
                texture_clocks,
                misses_constant: false,
            });
        }
        steps
    }

    /// The cluster of a warp.
    fn cluster(&self, warp: &TracedWarp) -> usize {
        let clusters = self.machine.processor.clusters;
        let number = match self.traced.trace.quads.get(warp.place as usize) {
            Some(quad) if warp.kind == ProgramKind::Fragment => {
                cluster_of(self.machine, [quad.x, quad.y].map(u32::from))
            }
            _ => warp.place % clusters,
        };
        number as usize
    }

    /// Finds the warps that each warp waits for.
    fn find_needed(&self, traced: &TracedDraw, queues: &mut [Vec<Queued>; 3]) {
        let [vertices, primitives, fragments] = queues;
        let count = primitives.len();
        for (number, warp) in primitives.iter_mut().enumerate() {
            warp.needed = (vertices.len() * (number + 1)).div_ceil(count);
        }
        let before = if primitives.is_empty() { vertices.len() } else { primitives.len() };
        let all = traced.counters.total(Counter::Assembled).max(1);
        let warps = traced.warps().into_iter().flat_map(|warps| &warps.warps);
        let places = warps.filter(|warp| warp.kind == ProgramKind::Fragment);
        for (warp, place) in fragments.iter_mut().zip(places) {
            let primitive = traced.trace.quads.get(place.place as usize).map_or(0, |quad| u64::from(quad.primitive));
            let needed = (before as u64 * (primitive + 1)).div_ceil(all);
            warp.needed = usize::try_from(needed).unwrap_or(before).min(before);
        }
    }

    /// Runs all warps. A warp begins before those of the stage before it that it does not need, but for a few.
    fn run(&mut self, queues: [Vec<Queued>; 3]) {
        let ahead = self.residents.len();
        let [vertices, primitives, fragments] = queues;
        let between = usize::from(!primitives.is_empty());
        let mut vertices = vertices.into_iter();
        let mut primitives = primitives.into_iter();
        for warp in fragments {
            while self.placed[between].len() < warp.needed + ahead {
                if between == 0 {
                    let Some(next) = vertices.next() else { break };
                    self.place(0, next);
                } else {
                    let Some(next) = primitives.next() else { break };
                    self.place_primitives(next, &mut vertices, ahead);
                }
            }
            self.place_after(2, between, warp);
        }
        for next in primitives {
            self.place_primitives(next, &mut vertices, ahead);
        }
        for next in vertices {
            self.place(0, next);
        }
    }

    fn place_primitives(&mut self, warp: Queued, vertices: &mut impl Iterator<Item = Queued>, ahead: usize) {
        while self.placed[0].len() < warp.needed + ahead {
            let Some(next) = vertices.next() else { break };
            self.place(0, next);
        }
        self.place_after(1, 0, warp);
    }

    /// Places a warp that begins after those that it needs.
    fn place_after(&mut self, stage: usize, before: usize, warp: Queued) {
        let needed = warp.needed.min(self.placed[before].len());
        while self.latest[before].len() < needed {
            let end = self.end_of(before, self.latest[before].len());
            let last = self.latest[before].last().copied().unwrap_or(0.0);
            self.latest[before].push(end.max(last));
        }
        let start = needed.checked_sub(1).map_or(0.0, |last| self.latest[before][last]);
        self.place_at(stage, warp, start);
    }

    fn place(&mut self, stage: usize, warp: Queued) {
        self.place_at(stage, warp, 0.0);
    }

    /// When a warp that has been placed ends: runs its multiprocessor until then.
    fn end_of(&mut self, stage: usize, number: usize) -> f64 {
        loop {
            let Placed { multiprocessor, end } = self.placed[stage][number];
            match end {
                Some(end) => return end,
                None if self.run_to_end(multiprocessor) => {}
                None => return 0.0,
            }
        }
    }

    /// Places a warp on the multiprocessor of its cluster that has room first, not before a clock.
    fn place_at(&mut self, stage: usize, warp: Queued, earliest: f64) {
        let number = self.placed[stage].len();
        if warp.steps.is_empty() {
            self.placed[stage].push(Placed { multiprocessor: 0, end: Some(earliest) });
            return;
        }
        let registers = warp_registers(self.machine, self.stages[stage].registers);
        let each = self.machine.processor.cluster_multiprocessors as usize;
        let candidates = warp.cluster * each..(warp.cluster + 1) * each;
        let mut chosen = (f64::INFINITY, usize::MAX, 0);
        for place in candidates {
            while !self.residents[place].has_room(registers) && self.run_to_end(place) {}
            let resident = &self.residents[place];
            let free = resident.free_at(registers);
            let candidate = (free, resident.running.len(), place);
            if (candidate.0, candidate.1) < (chosen.0, chosen.1) {
                chosen = candidate;
            }
        }
        self.placed[stage].push(Placed { multiprocessor: chosen.2, end: None });
        let resident = &mut self.residents[chosen.2];
        let start = resident.take(registers).max(earliest);
        let place = resident.multiprocessor.add_block(vec![warp.steps], start);
        resident.running.insert(place, (stage, number, registers));
    }

    /// Runs a multiprocessor until a warp ends; returns whether there was one.
    fn run_to_end(&mut self, place: usize) -> bool {
        let resident = &mut self.residents[place];
        let Some((block, clock)) = resident.multiprocessor.run_to_block_end(&self.timings) else { return false };
        if let Some((stage, number, registers)) = resident.running.remove(&block) {
            self.placed[stage][number].end = Some(clock);
            resident.places.push(clock);
            resident.registers.push((clock, registers));
        }
        true
    }

    fn finish(self) -> DrawWarps {
        let mut warps = DrawWarps {
            stages: self.stages,
            time: MultiprocessorTime::new(self.timings.len()),
            ..DrawWarps::default()
        };
        for resident in self.residents {
            let time = resident.multiprocessor.finish(&self.timings);
            warps.clocks = warps.clocks.max(time.clocks);
            warps.busy.push(time.scalar);
            warps.time.add(&time);
        }
        warps
    }
}

impl Resident<'_> {
    /// Whether there is room for a warp, at any time.
    fn has_room(&self, registers: u32) -> bool {
        !self.places.is_empty() && self.registers.iter().map(|(_, free)| free).sum::<u32>() >= registers
    }

    /// When there is room for a warp.
    fn free_at(&self, registers: u32) -> f64 {
        let place = self.places.iter().copied().fold(f64::INFINITY, f64::min);
        let mut free = self.registers.clone();
        free.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut found = 0;
        let enough = free.iter().find(|(_, part)| {
            found += part;
            found >= registers
        });
        enough.map_or(f64::INFINITY, |(clock, _)| place.max(*clock))
    }

    /// Takes room for a warp, and returns when it is free.
    fn take(&mut self, registers: u32) -> f64 {
        let start = self.free_at(registers);
        let first = self.places.iter().enumerate().min_by(|(_, one), (_, other)| one.total_cmp(other));
        if let Some((place, _)) = first {
            self.places.swap_remove(place);
        }
        self.registers.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut wanted = registers;
        for (_, part) in &mut self.registers {
            let taken = wanted.min(*part);
            *part -= taken;
            wanted -= taken;
        }
        self.registers.retain(|(_, part)| *part != 0);
        start
    }
}

/// The registers that a warp reserves.
// Unverified: that warps of draws reserve them in the steps of blocks of a launch, and one warp at a time.
fn warp_registers(machine: &TeslaMachine, thread_registers: u32) -> u32 {
    let held = &machine.multiprocessor;
    (thread_registers.max(1) * WARP_THREADS).next_multiple_of(held.register_step).min(held.registers)
}

/// The cluster that shades the quad at a place.
#[must_use]
pub fn cluster_of(machine: &TeslaMachine, [x, y]: [u32; 2]) -> u32 {
    let tile = machine.zcull.cluster_tile;
    let clusters = machine.processor.clusters;
    // Neighbors below each other go to clusters that are not neighbors.
    (x / tile + y / tile * (clusters / 2 + 1)) % clusters
}

/// Clocks of the processor in which a fetch occupies the part of the texture unit that a multiprocessor has.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and casts saturate")]
fn texture_clocks(machine: &TeslaMachine, traced: &TracedDraw, executed: &TracedInstruction) -> u32 {
    let texture = &machine.texture;
    // Fetches of vertices and primitives are not followed: one sample for each thread.
    let (quads, steps) = match executed.fetching_quads {
        0 => (executed.threads.count_ones().div_ceil(4), executed.threads.count_ones().div_ceil(4)),
        quads => (u32::from(quads), u32::from(executed.filter_steps)),
    };
    let addresses = f64::from(4 * quads) / f64::from(texture.address_units);
    let samples = f64::from(4 * steps) * format_clocks(texture, &traced.draw, executed.unit);
    let core = addresses.max(samples / f64::from(texture.filter_units));
    let ratio = machine.clocks.processor_mhz / machine.clocks.core_mhz;
    (core * ratio * f64::from(machine.processor.cluster_multiprocessors)).ceil() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Capture;
    use crate::counters::trace::{TracedPrograms, TracedWarps};
    use crate::replay::ReplayOptions;
    use crate::statistics::models::TracedFrames;

    /// The first draw of a capture with other warps: of each kind, at a place, so many instructions of a number.
    fn with_warps(warps: &[(ProgramKind, u32, u32, usize)]) -> TracedDraw {
        let capture = Capture::open("scenes/captures/geforce-8/lookups.nvcap").unwrap();
        let frames = TracedFrames::new(&capture, &TeslaMachine::default(), &ReplayOptions::default()).unwrap();
        let mut draws = frames.flat_map(|frame| frame.unwrap().draws);
        let mut traced = draws.next().unwrap();
        let mut found = TracedWarps::default();
        for &(kind, place, instruction, count) in warps {
            let executed =
                TracedInstruction { instruction, threads: u32::MAX, unit: 0, fetching_quads: 0, filter_steps: 0 };
            found.instructions.extend(std::iter::repeat_n(executed, count));
            let end = u32::try_from(found.instructions.len()).unwrap();
            found.warps.push(TracedWarp { kind, threads: 32, end, place });
        }
        traced.programs = TracedPrograms::Simt(found);
        traced
    }

    /// The number of the first instruction of a program that a unit executes, as an interpolation or not.
    fn instruction_of(kind: ProgramKind, unit: Unit, interpolates: bool) -> u32 {
        let traced = with_warps(&[]);
        let machine = TeslaMachine::default();
        let processor = Processor::new(&machine, &traced);
        let stage = STAGES.iter().position(|known| *known == kind).unwrap();
        let code = processor.programs[stage].unwrap().program.instructions();
        let is_wanted = |operation| matches!(operation, Operation::Interpolate(_)) == interpolates;
        let found = code
            .iter()
            .position(|found| Unit::of(&found.instruction) == unit && is_wanted(found.instruction.operation));
        u32::try_from(found.unwrap()).unwrap()
    }

    fn clocks(traced: &TracedDraw) -> f64 {
        draw_warps(traced, &TeslaMachine::default()).clocks
    }

    /// An interpolation takes the special function units for four clocks, and a warp's next one waits 28 for the first's result:
    /// from seven warps on, the units are always busy.
    #[test]
    fn warps_share_the_multiprocessors_of_their_cluster() {
        let interpolation = instruction_of(ProgramKind::Fragment, Unit::Special, true);
        let quads = |count: usize| vec![(ProgramKind::Fragment, 0, interpolation, 10); count];
        assert!((clocks(&with_warps(&quads(1))) - (9.0 * 28.0 + 4.0)).abs() < 1e-9);
        // Two multiprocessors have a warp each.
        assert!((clocks(&with_warps(&quads(2))) - (9.0 * 28.0 + 4.0)).abs() < 1e-9);
        // 20 each: ten times four clocks a warp.
        let found = draw_warps(&with_warps(&quads(40)), &TeslaMachine::default());
        assert!((800.0..840.0).contains(&found.clocks), "{}", found.clocks);
        assert_eq!(found.stages[2].interpolation_clocks, 40 * 10 * 4);
        assert!(found.time.idle.iter().sum::<f64>() < 80.0, "{:?}", found.time.idle);
        // Four times as many do not fit at once, and take four times as long.
        let more = clocks(&with_warps(&quads(160)));
        assert!((3200.0..3260.0).contains(&more), "{more}");
    }

    /// Warps of vertices go to all clusters in turn; a move takes four clocks and its result 24.
    #[test]
    fn vertices_go_to_all_clusters_in_turn() {
        let movement = instruction_of(ProgramKind::Vertex, Unit::Scalar, false);
        let warps: Vec<_> = (0..16).map(|number| (ProgramKind::Vertex, number, movement, 5)).collect();
        let found = draw_warps(&with_warps(&warps), &TeslaMachine::default());
        assert!(found.busy.iter().all(|busy| (busy - 20.0).abs() < 1e-9), "{:?}", found.busy);
    }

    /// Fragments begin when the warp of their vertices has ended.
    #[test]
    fn fragments_wait_for_vertices() {
        let movement = instruction_of(ProgramKind::Vertex, Unit::Scalar, false);
        let interpolation = instruction_of(ProgramKind::Fragment, Unit::Special, true);
        let vertices = (ProgramKind::Vertex, 0, movement, 100);
        let fragments = (ProgramKind::Fragment, 0, interpolation, 1);
        let alone = clocks(&with_warps(&[vertices]));
        let both = clocks(&with_warps(&[vertices, fragments]));
        assert!((both - alone - 4.0).abs() < 1e-9, "{both} {alone}");
    }

    /// 24 places of a multiprocessor, and 8192 registers in steps of 256: of a thread with 10 registers 512 a warp, so 16 warps.
    #[test]
    fn registers_limit_resident_warps() {
        let machine = TeslaMachine::default();
        assert_eq!([4, 8, 10, 16, 32].map(|registers| warp_registers(&machine, registers)), [256, 256, 512, 512, 1024]);
        let resident = |registers: u32| 24.min(8192 / warp_registers(&machine, registers));
        assert_eq!([4, 10, 32].map(resident), [24, 16, 8]);
        // Screen tiles go to the clusters diagonally, each to one.
        assert_eq!(
            [[0, 0], [15, 15], [16, 0], [112, 0], [128, 0], [0, 16]].map(|place| cluster_of(&machine, place)),
            [0, 0, 1, 7, 0, 5]
        );
    }
}
