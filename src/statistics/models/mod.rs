//! What a chip would have made of a stream: the models of its units over the traces of a replay, draw by draw and frame by
//! frame.
//!
//! [`model`] plays a capture on the reference, which traces every draw, and gives the traces of each frame to the models:
//! texture caches and prefetching, coarse depth test, shader units, memory, time. Caches and memory begin a frame empty.

mod accesses;
mod heat_maps;
mod json;
mod runner;
mod shader;
mod sweep;
mod sweep_plot;
mod textures;
mod units;
mod zcull;

use std::collections::BTreeMap;

use heat_maps::KeptMaps;

use super::ParameterError;
use super::memory_partitions::{MemoryAccess, MemoryResult};
use super::texture_cache::LevelCounts;
use super::tile_compression::{SampleSurface, TileFormat, TileMap};
use super::time::{Loads, Time, UnitClocks};
use crate::capture::Capture;
use crate::counters::CountingEngine;
use crate::counters::trace::TracedDraw;
use crate::format::ZetaFormat;
use crate::machine::Machine;
use crate::memory::MemorySpace;
use crate::reference::Reference;
use crate::replay::{Player, ReplayError, ReplayOptions, Step};
use crate::work::{EngineError, SurfaceLayout};

pub use accesses::draw_accesses;
pub use heat_maps::{HEAT_MAP_FRAMES, HeatMap};
pub use runner::ModelRunner;
pub use shader::{DrawShading, draw_shading};
pub use sweep::{CacheSweep, SweepRow};
pub use sweep_plot::{PlotError, sweep_svg};
pub use textures::{FrameTextures, frame_textures, texture_trace};
pub use units::{counting_options, memory_parameters, prefetch_parameters, shader_units, texture_cache_parameters};
pub use zcull::{CoarseDepth, DrawRejection};

/// Most accesses to memory of a frame.
const ACCESS_LIMIT: usize = 1 << 27;

/// Why a stream cannot be modelled.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// It cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A parameter of the machine does not suit a model.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// What the models say of a draw, whose number is its place among those of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledDraw {
    /// Hits and misses of its lookups.
    pub texture: LevelCounts,
    /// What the coarse depth test rejected.
    pub rejection: DrawRejection,
    /// Its programs on the shader units.
    pub shading: DrawShading,
    /// What it asks of the units.
    pub loads: Loads,
    /// The clocks that they take.
    pub clocks: UnitClocks,
}

/// What the models say of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledFrame {
    /// The number of its mark.
    pub number: Option<u32>,
    /// Its texture caches, by unit, and its prefetching pipes.
    pub textures: FrameTextures,
    /// Its memory.
    pub memory: MemoryResult,
    /// The depth surface of its last draw that has one, as it is left.
    pub depth_tiles: Option<TileMap>,
    /// Its time.
    pub time: Time,
}

/// What the models say of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Models {
    /// Draws, in order.
    pub draws: Vec<ModelledDraw>,
    /// Frames with draws, in order.
    pub frames: Vec<ModelledFrame>,
    /// Maps over the target of a frame's last draw, of [`HEAT_MAP_FRAMES`] frames at most.
    pub heat_maps: Vec<HeatMap>,
    /// Whether traces were longer than an engine holds; numbers of texture and memory are then too small.
    pub is_cut_off: bool,
}

/// Plays a capture and runs the models of a machine over it.
///
/// # Errors
/// When a record cannot be applied, or the machine does not suit a model.
pub fn model(
    capture: &Capture,
    machine: &Machine,
    runner: ModelRunner<'_>,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Models, ModelsError> {
    let mut modeller =
        Modeller { machine, runner, coarse: CoarseDepth::default(), maps: KeptMaps::new(), models: Models::default() };
    trace_frames(capture, machine, options, progress, &mut |number, draws, engine| {
        modeller.frame(number, draws, engine)
    })?;
    Ok(Models { heat_maps: modeller.maps.into_maps(), ..modeller.models })
}

/// Plays a capture on the reference and hands the traced draws of each frame that has some to `visit`, with the frame's
/// number, and the engine as the frame leaves it.
///
/// # Errors
/// When a record cannot be applied, or `visit` fails.
pub fn trace_frames(
    capture: &Capture,
    machine: &Machine,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(usize, usize),
    visit: &mut FrameVisitor<'_>,
) -> Result<(), ModelsError> {
    let header = &capture.header;
    let mut engine = Reference::new(header.vram_bytes, header.gart_bytes)
        .map_err(|error| ReplayError::Engine(EngineError::from(error)))?;
    engine.start_counting(counting_options(machine)).map_err(ReplayError::from)?;
    engine.start_tracing();
    let mut player = Player::new(capture, options).by_frames();
    while let Some(step) = player.step(&mut engine)? {
        match step {
            Step::Record | Step::Method => {
                let (done, all) = player.progress();
                progress(done, all);
            }
            Step::FrameEnd(number) => {
                let draws = engine.take_traces();
                if !draws.is_empty() {
                    visit(number, &draws, &engine)?;
                }
            }
        }
    }
    Ok(())
}

/// Called with the number of a frame, its draws and the engine.
pub type FrameVisitor<'v> = dyn FnMut(Option<u32>, &[TracedDraw], &Reference) -> Result<(), ModelsError> + 'v;

/// The models between two frames.
struct Modeller<'m> {
    machine: &'m Machine,
    runner: ModelRunner<'m>,
    coarse: CoarseDepth,
    maps: KeptMaps,
    models: Models,
}

impl Modeller<'_> {
    /// Runs the models over the draws of a frame.
    fn frame(&mut self, number: Option<u32>, draws: &[TracedDraw], engine: &Reference) -> Result<(), ModelsError> {
        self.coarse = CoarseDepth::default();
        let (trace, is_cut_off) = texture_trace(draws, self.machine);
        self.models.is_cut_off |= is_cut_off;
        let (textures, fills) = frame_textures(&trace, self.machine, self.runner)?;
        let by_draw: BTreeMap<u32, LevelCounts> = textures.cache.by_draw(&trace.streams);
        let parameters = memory_parameters(self.machine);
        let mut all_accesses: Vec<MemoryAccess> = Vec::new();
        let mut time = Time::default();
        let mut fills = fills.into_iter();
        for (index, traced) in (0u32..).zip(draws) {
            let rejection = self.coarse.draw(traced);
            let shading = draw_shading(traced, self.machine);
            let texture = by_draw.get(&index).copied().unwrap_or_default();
            // Lines come in the order of draws.
            let caches = &textures.cache.parameters;
            let filling = if caches.second.is_some() { texture.second } else { texture.first };
            let fills = fills.by_ref().take(usize::try_from(filling.misses()).unwrap_or(usize::MAX));
            let accesses = draw_accesses(traced, fills, caches, &rejection);
            let loads = units::loads(traced, self.machine, &shading, &rejection, &accesses);
            let clocks = UnitClocks::of(self.machine, &loads);
            time.add(&clocks);
            if all_accesses.len() + accesses.len() <= ACCESS_LIMIT {
                all_accesses.extend(accesses);
            } else {
                self.models.is_cut_off = true;
            }
            self.models.draws.push(ModelledDraw { texture, rejection, shading, loads, clocks });
        }
        self.maps.push(heat_maps::of_frame(number, draws, &trace, &textures.cache.lookup_misses));
        self.models.frames.push(ModelledFrame {
            number,
            depth_tiles: depth_tiles(draws, engine, self.runner)?,
            memory: self.runner.memory(&all_accesses, &parameters)?,
            textures,
            time,
        });
        Ok(())
    }
}

/// The tiles of the depth surface of the last draw that has one.
fn depth_tiles(
    draws: &[TracedDraw],
    engine: &Reference,
    runner: ModelRunner<'_>,
) -> Result<Option<TileMap>, ParameterError> {
    let of_draw = |traced: &TracedDraw| {
        let targets = &traced.draw.targets;
        let zeta = traced.draw.rop.used_zeta(targets)?;
        let SurfaceLayout::Linear { pitch_bytes } = zeta.layout else { return None };
        let is_mapped = zeta.window.space == MemorySpace::Vram && zeta.format == ZetaFormat::Z24S8;
        let rect = targets.rect.texels(targets.samples);
        let surface = SampleSurface {
            first_word: 0,
            width: rect.x + rect.width,
            height: rect.y + rect.height,
            pitch_words: pitch_bytes / 4,
        };
        (is_mapped && pitch_bytes % 4 == 0 && !zeta.is_float).then_some((zeta.window, surface, targets.samples))
    };
    let Some((window, surface, samples)) = draws.iter().rev().find_map(of_draw) else { return Ok(None) };
    let bytes = engine.memory().slice(window);
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    if surface.check(words.len() as u64).is_err() {
        return Ok(None);
    }
    runner.tiles(&words, &surface, TileFormat::Depth(samples)).map(Some)
}
