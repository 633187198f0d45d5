//! Runs the models over consecutive frames.

use std::collections::BTreeMap;

use super::compression::{SurfaceTraffic, clear_compression, draw_compression};
use super::frame_work::FrameWork;
use super::frames::TracedFrame;
use super::heat_maps::KeptMaps;
use super::loads::{draw_loads, memory_loads};
use super::textures::{FrameTextures, frame_textures, texture_trace};
use super::tile_watch::left_traffic;
use super::traffic::Traffic;
use super::transfers::scan_out_traffic;
use super::units::memory_parameters;
use super::vertices::{DrawVertices, VertexProcessors};
use super::zcull::{DrawRejection, frame_rejections};
use super::{
    DrawShading, ModelRunner, ModelledDraw, ModelledFrame, ModelledWork, Models, ModelsError, draw_traffic,
    frame_shading, heat_maps,
};
use crate::machine::Machine;
use crate::statistics::memory_partitions::{MemoryAccess, MemoryParameters};
use crate::statistics::texture_cache::LevelCounts;
use crate::statistics::time::{Loads, Time, Unit, UnitClocks};

/// The most memory accesses of a frame.
const ACCESS_LIMIT: usize = 1 << 27;

/// The models between two frames.
pub(super) struct Modeller<'m> {
    machine: &'m Machine,
    runner: ModelRunner<'m>,
    processors: VertexProcessors,
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

    /// Gives each step the clocks of its busiest partition; returns the time of the frame, whose memory takes
    /// `memory_clocks`.
    fn finish(&mut self, machine: &Machine, segment_clocks: &[u64], memory_clocks: u64) -> Time {
        let mut time = Time::default();
        let mut memory = Loads { partition_clocks: memory_clocks, ..Loads::default() };
        for (segment, &partition_clocks) in self.segments.iter().zip(segment_clocks) {
            let (loads, clocks) = match *segment {
                Segment::Draw(index) => {
                    let ModelledDraw { loads, clocks, .. } = &mut self.draws[index];
                    (loads, clocks)
                }
                Segment::Other(index) => {
                    let ModelledWork { loads, clocks, .. } = &mut self.others[index];
                    (loads, clocks)
                }
            };
            loads.partition_clocks = partition_clocks;
            memory.memory.add(&loads.memory);
            *clocks = UnitClocks::of(machine, loads);
            time.add(clocks);
        }
        // If all steps overlap, a partition starts the next step while others are still busy with this one.
        time.units.set(Unit::Memory, UnitClocks::of(machine, &memory).get(Unit::Memory));
        time
    }
}

impl<'m> Modeller<'m> {
    pub(super) fn new(machine: &'m Machine, runner: ModelRunner<'m>) -> Self {
        Self {
            machine,
            runner,
            processors: VertexProcessors::new(machine),
            maps: KeptMaps::new(),
            models: Models::default(),
        }
    }

    /// Runs the models over a frame.
    pub(super) fn frame(&mut self, frame: &TracedFrame) -> Result<(), ModelsError> {
        let (trace, is_cut_off) = texture_trace(&frame.draws, self.machine);
        let (textures, fills) = frame_textures(&trace, self.machine, self.runner)?;
        let rejections = frame_rejections(&frame.draws, self.machine, self.runner)?;
        let shadings = frame_shading(&frame.draws, self.machine, self.runner)?;
        let vertices = self.processors.frame_vertices(&frame.draws)?;
        let units = vertices.into_iter().zip(rejections).zip(shadings);
        let mut model = self.steps(frame, &textures, fills, units);
        let parameters = MemoryParameters { regions: frame.regions.clone(), ..memory_parameters(self.machine) };
        let memory = self.runner.memory(&model.accesses, &parameters)?;
        let time = model.finish(self.machine, &memory.segment_clocks(), memory.clocks());
        let models = &mut self.models;
        models.is_cut_off |= is_cut_off || model.is_cut_off;
        models.draws.append(&mut model.draws);
        models.others.append(&mut model.others);
        self.maps.push(heat_maps::of_frame(frame.number, &frame.draws, &trace, &textures.cache.lookup_misses));
        let left = left_traffic(&frame.left, self.runner);
        models.frames.push(ModelledFrame { number: frame.number, textures, memory, left, time });
        Ok(())
    }

    /// The traffic and loads of a frame's steps. `fills` are the lines of texels fetched from memory, `units` the
    /// results of the vertex processors, the z-cull test and the shader units for each draw.
    fn steps(
        &self,
        frame: &TracedFrame,
        textures: &FrameTextures,
        fills: Vec<u32>,
        mut units: impl Iterator<Item = ((DrawVertices, DrawRejection), DrawShading)>,
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
                FrameWork::Clear(clear) => clear_compression(clear, self.machine),
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
        ((vertices, rejection), shading): ((DrawVertices, DrawRejection), DrawShading),
    ) -> (ModelledDraw, Traffic) {
        let traced = &frame.draws[number];
        let line_bytes = self.machine.vertex.fetch_line_bytes;
        let traffic = draw_traffic(traced, fills, &textures.cache.parameters, line_bytes, &rejection);
        let loads = draw_loads(traced, self.machine, &vertices, &shading, &rejection, &traffic);
        let compression = frame
            .tiles
            .get(number)
            .map_or_else(SurfaceTraffic::default, |tiles| draw_compression(traced, tiles, &rejection));
        let clocks = UnitClocks::default();
        let texture = LevelCounts::default();
        let draw = ModelledDraw { texture, rejection, vertices, shading, compression, loads, clocks };
        (draw, traffic)
    }
}
