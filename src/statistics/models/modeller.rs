//! Runs the models over consecutive frames.

use std::collections::BTreeMap;

use super::compression::{SurfaceTraffic, clear_compression, draw_compression};
use super::frame_work::FrameWork;
use super::frames::TracedFrame;
use super::heat_maps::KeptMaps;
use super::loads::{draw_loads, memory_loads};
use super::partitions::partition_loads;
use super::textures::{FrameTextures, frame_textures, texture_trace};
use super::tile_watch::left_traffic;
use super::traffic::Traffic;
use super::transfers::scan_out_traffic;
use super::units::{fetch_line_bytes, memory_parameters};
use super::vertices::VertexProcessors;
use super::warps::draw_warps;
use super::zcull::{DrawRejection, frame_rejections};
use super::{
    BalanceSlice, ModelRunner, ModelledDraw, ModelledFrame, ModelledPrograms, ModelledWork, Models, ModelsError,
    draw_traffic, frame_shading, heat_maps,
};
use crate::counters::trace::TracedDraw;
use crate::machine::DrawingMachine;
use crate::statistics::memory_partitions::{MemoryAccess, MemoryParameters};
use crate::statistics::texture_cache::LevelCounts;
use crate::statistics::time::{Loads, Time, Unit, UnitClocks};

/// The parts in which the time of a frame is divided to show the work of a unified processor.
const BALANCE_SLICES: usize = 64;

/// The most memory accesses of a frame.
const ACCESS_LIMIT: usize = 1 << 27;

/// The models between two frames.
pub(super) struct Modeller<'m> {
    machine: DrawingMachine<'m>,
    runner: ModelRunner<'m>,
    /// Those of a chip with processors for each stage.
    processors: Option<VertexProcessors>,
    pub(super) maps: KeptMaps,
    pub(super) models: Models,
}

/// The steps of a frame whose memory has not been modeled.
#[derive(Default)]
struct FrameModel {
    draws: Vec<ModelledDraw>,
    others: Vec<ModelledWork>,
    /// The step that each segment of the accesses belongs to.
    segments: Vec<Segment>,
    accesses: Vec<MemoryAccess>,
    is_cut_off: bool,
}

/// An index into the draws or into the other work of a frame.
#[derive(Clone, Copy)]
enum Segment {
    Draw(usize),
    Other(usize),
}

impl FrameModel {
    fn add_accesses(&mut self, segment: Segment, traffic: &Traffic) {
        if self.accesses.len() + traffic.accesses.len() <= ACCESS_LIMIT {
            self.accesses.extend(&traffic.accesses);
        } else {
            self.is_cut_off = true;
        }
        let number = u32::try_from(self.segments.len()).expect("a frame has fewer steps than accesses have bits");
        self.accesses.push(MemoryAccess::segment_end(number));
        self.segments.push(segment);
    }

    fn add_draw(&mut self, draw: ModelledDraw, traffic: &Traffic) {
        self.add_accesses(Segment::Draw(self.draws.len()), traffic);
        self.draws.push(draw);
    }

    fn add_other(&mut self, other: ModelledWork, traffic: &Traffic) {
        self.add_accesses(Segment::Other(self.others.len()), traffic);
        self.others.push(other);
    }

    /// Divides a frame of this many clocks, without overlap, into equal parts, and gives the work of a unified processor in each.
    fn balance(&self, machine: DrawingMachine<'_>, clocks: f64) -> Vec<BalanceSlice> {
        let DrawingMachine::Unified(unified) = machine else { return Vec::new() };
        let mut slices = vec![BalanceSlice::default(); BALANCE_SLICES];
        let slice_clocks = clocks / BALANCE_SLICES as f64;
        if slice_clocks <= 0.0 {
            return slices;
        }
        // Clocks of all multiprocessors in a slice.
        let capacity = slice_clocks * f64::from(unified.multiprocessors()) * unified.clocks.processor_mhz
            / unified.clocks.core_mhz;
        let mut start = 0.0;
        for segment in &self.segments {
            let (lasts, stages) = match *segment {
                Segment::Draw(index) => {
                    let draw = &self.draws[index];
                    let lasts = draw.clocks.most().max(least_clocks(&draw.programs, machine));
                    (lasts, draw.programs.warps().map(|warps| warps.stages.map(|stage| stage.clocks())))
                }
                Segment::Other(index) => (self.others[index].clocks.most(), None),
            };
            let end = start + lasts;
            for (number, slice) in slices.iter_mut().enumerate() {
                let first = number as f64 * slice_clocks;
                let overlap = (end.min(first + slice_clocks) - start.max(first)).max(0.0);
                for (part, clocks) in slice.stages.iter_mut().zip(stages.into_iter().flatten()) {
                    *part += clocks as f64 * overlap / lasts.max(f64::MIN_POSITIVE) / capacity;
                }
            }
            start = end;
        }
        slices
    }

    /// Gives each step the clocks of its busiest partition; returns the time of the frame, whose memory takes
    /// `memory_clocks`.
    fn finish(&mut self, machine: DrawingMachine<'_>, segment_clocks: &[u64], memory_clocks: u64) -> Time {
        let mut time = Time::default();
        let mut memory = Loads { partition_clocks: memory_clocks, ..Loads::default() };
        for (segment, &partition_clocks) in self.segments.iter().zip(segment_clocks) {
            let (loads, clocks, least) = match *segment {
                Segment::Draw(index) => {
                    let draw = &mut self.draws[index];
                    let least = least_clocks(&draw.programs, machine);
                    (&mut draw.loads, &mut draw.clocks, least)
                }
                Segment::Other(index) => {
                    let ModelledWork { loads, clocks, .. } = &mut self.others[index];
                    (loads, clocks, 0.0)
                }
            };
            loads.partition_clocks = partition_clocks;
            memory.memory.add(&loads.memory);
            *clocks = UnitClocks::of(machine, loads);
            time.add(clocks, least);
        }
        // If all steps overlap, a partition starts the next step while others are still busy with this one.
        time.units.set(Unit::Memory, UnitClocks::of(machine, &memory).get(Unit::Memory));
        time
    }
}

/// Core clocks that the programs of a draw take on a unified processor, with the latencies that nothing hides; else 0.
fn least_clocks(programs: &ModelledPrograms, machine: DrawingMachine<'_>) -> f64 {
    match (programs, machine) {
        (ModelledPrograms::Unified(warps), DrawingMachine::Unified(machine)) => {
            warps.clocks / machine.clocks.processor_mhz * machine.clocks.core_mhz
        }
        _ => 0.0,
    }
}

impl<'m> Modeller<'m> {
    pub(super) fn new(machine: DrawingMachine<'m>, runner: ModelRunner<'m>) -> Self {
        let processors = match machine {
            DrawingMachine::Staged(machine) => Some(VertexProcessors::new(machine)),
            DrawingMachine::Unified(_) => None,
        };
        Self { machine, runner, processors, maps: KeptMaps::new(), models: Models::default() }
    }

    /// Runs the models over a frame.
    pub(super) fn frame(&mut self, frame: &TracedFrame) -> Result<(), ModelsError> {
        let (trace, is_cut_off) = texture_trace(&frame.draws, self.machine);
        let (textures, fills) = frame_textures(&trace, self.machine, self.runner)?;
        let rejections = frame_rejections(&frame.draws, self.machine, self.runner)?;
        let programs = self.programs(&frame.draws)?;
        let mut model = self.steps(frame, &textures, fills, programs.into_iter().zip(rejections));
        let memory = match self.machine {
            DrawingMachine::Staged(machine) => {
                let parameters = MemoryParameters { regions: frame.regions.clone(), ..memory_parameters(machine) };
                self.runner.memory(&model.accesses, &parameters)?
            }
            DrawingMachine::Unified(machine) => partition_loads(&model.accesses, machine, &frame.regions),
        };
        let time = model.finish(self.machine, &memory.segment_clocks(), memory.clocks());
        let balance = model.balance(self.machine, time.apart);
        let models = &mut self.models;
        models.is_cut_off |= is_cut_off || model.is_cut_off;
        models.draws.append(&mut model.draws);
        models.others.append(&mut model.others);
        self.maps.push(heat_maps::of_frame(frame.number, &frame.draws, &trace, &textures.cache.lookup_misses));
        let left = left_traffic(&frame.left, self.runner);
        models.frames.push(ModelledFrame { number: frame.number, textures, memory, left, time, balance });
        Ok(())
    }

    /// The programs of draws on the machine's processors.
    fn programs(&self, draws: &[TracedDraw]) -> Result<Vec<ModelledPrograms>, ModelsError> {
        let other = |draw: usize, machine: &str| ModelsError::Programs { draw, machine: machine.to_owned() };
        match (self.machine, &self.processors) {
            (DrawingMachine::Staged(machine), Some(processors)) => {
                let found = draws.iter().enumerate().map(|(number, traced)| match traced.vec4() {
                    Some(programs) => Ok((traced, programs)),
                    None => Err(other(number, &machine.name)),
                });
                let vertices = processors.frame_vertices(&found.collect::<Result<Vec<_>, _>>()?)?;
                let shadings = frame_shading(draws, machine, self.runner)?;
                let staged = vertices.into_iter().zip(shadings);
                Ok(staged.map(|(vertices, shading)| ModelledPrograms::Staged { vertices, shading }).collect())
            }
            (DrawingMachine::Unified(machine), _) => {
                let unified = draws.iter().enumerate().map(|(number, traced)| match traced.warps() {
                    Some(_) => Ok(ModelledPrograms::Unified(draw_warps(traced, machine))),
                    None => Err(other(number, &machine.name)),
                });
                unified.collect()
            }
            (DrawingMachine::Staged(machine), None) => Err(other(0, &machine.name)),
        }
    }

    /// The traffic and loads of a frame's steps. `fills` are the lines of texels fetched from memory, `units` the
    /// programs of each draw and what the z-cull test rejected.
    fn steps(
        &self,
        frame: &TracedFrame,
        textures: &FrameTextures,
        fills: Vec<u32>,
        mut units: impl Iterator<Item = (ModelledPrograms, DrawRejection)>,
    ) -> FrameModel {
        let by_draw: BTreeMap<u32, LevelCounts> = textures.cache.by_draw(&textures.streams);
        let has_second = textures.cache.parameters.second.is_some();
        let first_draw = self.models.draws.len();
        let mut fills = fills.into_iter();
        let mut model = FrameModel::default();
        for step in &frame.steps {
            let before_draw = first_draw + model.draws.len();
            if let FrameWork::Draw(number) = step.work {
                let texture = u32::try_from(number).ok().and_then(|number| by_draw.get(&number).copied());
                let texture = texture.unwrap_or_default();
                // Lines are in the order of draws.
                let filling = if has_second { texture.second } else { texture.first };
                let lines = usize::try_from(filling.misses()).unwrap_or(usize::MAX);
                let units = units.next().expect("draws are as many as steps that draw, in the same order");
                let (mut draw, traffic) = self.draw(frame, number, textures, fills.by_ref().take(lines), units);
                draw.texture = texture;
                (draw.loads.methods, draw.loads.packets) = (step.methods, step.packets);
                model.add_draw(draw, &traffic);
                continue;
            }
            let traffic = step.work.traffic();
            let loads = Loads { methods: step.methods, packets: step.packets, ..step.work.loads(&traffic) };
            let compression = match &step.work {
                FrameWork::Clear(clear) => match self.machine {
                    DrawingMachine::Staged(machine) => clear_compression(clear, machine),
                    DrawingMachine::Unified(_) => SurfaceTraffic::default(),
                },
                _ => SurfaceTraffic::default(),
            };
            let (number, work) = (frame.number, step.work.key());
            let clocks = UnitClocks::default();
            model.add_other(ModelledWork { frame: number, before_draw, work, compression, loads, clocks }, &traffic);
        }
        if let Some(picture) = &frame.picture {
            let traffic = scan_out_traffic(picture);
            let other = ModelledWork {
                frame: frame.number,
                before_draw: first_draw + model.draws.len(),
                work: "scan_out",
                compression: SurfaceTraffic::default(),
                loads: memory_loads(&traffic),
                clocks: UnitClocks::default(),
            };
            model.add_other(other, &traffic);
        }
        model
    }

    /// The traffic and loads of a draw; the methods that led to it, its index in the stream and its clocks are not
    /// known here.
    fn draw(
        &self,
        frame: &TracedFrame,
        number: usize,
        textures: &FrameTextures,
        fills: impl Iterator<Item = u32>,
        (programs, rejection): (ModelledPrograms, DrawRejection),
    ) -> (ModelledDraw, Traffic) {
        let traced = &frame.draws[number];
        let line_bytes = fetch_line_bytes(self.machine);
        let traffic = draw_traffic(traced, fills, &textures.cache.parameters, line_bytes, &rejection);
        let loads = draw_loads(traced, self.machine, &programs, &rejection, &traffic);
        let compression = frame
            .tiles
            .get(number)
            .map_or_else(SurfaceTraffic::default, |tiles| draw_compression(traced, tiles, &rejection));
        let clocks = UnitClocks::default();
        let texture = LevelCounts::default();
        let draw = ModelledDraw { texture, rejection, programs, compression, loads, clocks };
        (draw, traffic)
    }
}
