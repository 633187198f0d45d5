//! Models how a chip would have executed a stream: runs the models of its units over the traces of a replay, draw by draw and
//! frame by frame.
//!
//! [`model`] plays a capture on the reference, which traces every draw, and gives the traces of each frame to the models:
//! texture caches and prefetching, z-cull test, shader units, memory, compression, time. What comes between the draws
//! goes through the memory and the bus as well, in the order of the stream; last of a frame the display reads the picture.
//! Caches and memory begin a frame empty.

mod accesses;
mod compression;
mod frames;
mod heat_maps;
mod json;
mod loads;
mod modeller;
mod runner;
mod shader;
mod sweep;
mod textures;
mod tile_watch;
mod traffic;
mod transfers;
mod units;
mod zcull;

use super::ParameterError;
use super::memory_partitions::MemoryResult;
use super::texture_cache::LevelCounts;
use super::time::{Loads, Time, UnitClocks};
use crate::capture::Capture;
use crate::machine::Machine;
use crate::replay::{ReplayError, ReplayOptions};

pub use accesses::draw_traffic;
pub use compression::{SurfaceTraffic, TileTraffic};
pub use frames::{FrameStep, FrameWork, Progress, TracedFrame, TracedFrames};
pub use heat_maps::{HEAT_MAP_FRAMES, HeatMap};
use modeller::Modeller;
pub use runner::{ModelRunner, ModelsOn};
pub use shader::{DrawShading, frame_shading};
pub use sweep::{CacheSweep, PlotError, SweepRow, sweep_svg};
pub use textures::{FrameTextures, frame_textures, texture_trace};
pub use traffic::Traffic;
pub use transfers::scan_out_traffic;
pub use units::{
    counting_options, memory_parameters, prefetch_parameters, shader_units, texture_cache_parameters, zcull_parameters,
};
pub use zcull::{DrawRejection, frame_rejections};

/// Why a stream cannot be modeled.
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
    /// What z-cull rejected.
    pub rejection: DrawRejection,
    /// Its programs on the shader units.
    pub shading: DrawShading,
    /// The tiles of compressed surfaces that it moves.
    pub compression: SurfaceTraffic,
    /// What it asks of the units.
    pub loads: Loads,
    /// The clocks that they take.
    pub clocks: UnitClocks,
}

/// What the models say of what a frame does besides drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledWork {
    /// The number of the frame.
    pub frame: Option<u32>,
    /// The number of the draw that follows it in the stream, whether or not there is one.
    pub before_draw: usize,
    /// What it is: `clear`, `copy`, `image`, `upload`, `methods` or `scan_out`.
    pub work: &'static str,
    /// The tiles of compressed surfaces that a clear moves.
    pub compression: SurfaceTraffic,
    /// What it asks of the units.
    pub loads: Loads,
    /// The clocks that they take.
    pub clocks: UnitClocks,
}

/// What the models say of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledFrame {
    /// Its number; `None` of what precedes the first.
    pub number: Option<u32>,
    /// Its texture caches, by unit, and its prefetching pipes.
    pub textures: FrameTextures,
    /// Its memory.
    pub memory: MemoryResult,
    /// The depth and the color surface of the last draws that have compressed ones, as they are left, each read once.
    pub left: SurfaceTraffic,
    /// Its time.
    pub time: Time,
}

/// What the models say of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Models {
    /// Draws, in order.
    pub draws: Vec<ModelledDraw>,
    /// What lies between them, in order.
    pub others: Vec<ModelledWork>,
    /// Frames that draw, clear, copy or write images, in order.
    pub frames: Vec<ModelledFrame>,
    /// Maps over the target of a frame's last draw, of [`HEAT_MAP_FRAMES`] frames at most.
    pub heat_maps: Vec<HeatMap>,
    /// Whether traces were longer than an engine holds; numbers of texture and memory are then too small.
    pub is_cut_off: bool,
}

/// Plays a capture on a thread of its own and runs the models of a machine over its frames, one while the next is played.
///
/// # Errors
/// When a record cannot be applied, or the machine does not suit a model.
pub fn model(
    capture: &Capture,
    machine: &Machine,
    runner: ModelRunner<'_>,
    options: &ReplayOptions,
    progress: Progress<'_>,
) -> Result<Models, ModelsError> {
    let frames = TracedFrames::new(capture, machine, options)?.watching_tiles(machine).with_progress(progress);
    let mut modeller = Modeller::new(machine, runner);
    std::thread::scope(|scope| {
        // A frame is handed over when the one before is done, so that there are the traces of two at most.
        let (sender, receiver) = std::sync::mpsc::sync_channel(0);
        scope.spawn(move || {
            for frame in frames {
                // Nobody receives once a model has failed.
                if sender.send(frame).is_err() {
                    break;
                }
            }
        });
        receiver.into_iter().try_for_each(|frame| modeller.frame(&frame?))
    })?;
    Ok(Models { heat_maps: modeller.maps.into_maps(), ..modeller.models })
}
