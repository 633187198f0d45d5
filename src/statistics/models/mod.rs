//! Models how a chip would have executed a stream: runs the models of its units over the traces of a replay, draw
//! by draw and frame by frame.
//!
//! [`model`] plays a capture on the reference, which traces every draw, and passes the traces of each frame to the
//! models: texture caches and prefetching, z-cull test, shader units, memory, compression, time. Work between the
//! draws also goes through the memory and the bus, in stream order; at the end of a frame the display reads the
//! picture. Caches and memory are empty at the start of a frame.

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
#[cfg(feature = "report")]
mod sweep_plot;
mod textures;
mod tile_watch;
mod traffic;
mod transfers;
mod units;
mod vertices;
mod zcull;

use super::ParameterError;
use super::memory_partitions::MemoryResult;
use super::texture_cache::LevelCounts;
use super::time::{Loads, Time, UnitClocks};
use super::vertex_timetable::UnknownOperation;
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
pub use sweep::{CacheSweep, SweepRow};
#[cfg(feature = "report")]
pub use sweep_plot::{PlotError, sweep_svg};
pub use textures::{FrameTextures, frame_textures, texture_trace};
pub use traffic::Traffic;
pub use transfers::scan_out_traffic;
pub use units::{
    counting_options, memory_parameters, prefetch_parameters, shader_units, texture_cache_parameters,
    timetable_parameters, zcull_parameters,
};
pub use vertices::{DrawVertices, UnitOccupancy};
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
    /// A vertex program is not one of the processors that run it.
    #[error(transparent)]
    VertexProgram(#[from] UnknownOperation),
}

/// The results for a draw, whose index is its index in the run.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledDraw {
    /// Hits and misses of its lookups.
    pub texture: LevelCounts,
    /// What z-cull rejected.
    pub rejection: DrawRejection,
    /// Its vertices on the vertex processors.
    pub vertices: DrawVertices,
    /// Its fragments on the shader units.
    pub shading: DrawShading,
    /// The tiles of compressed surfaces that it moves.
    pub compression: SurfaceTraffic,
    /// Its load on the units.
    pub loads: Loads,
    /// The clocks of each unit.
    pub clocks: UnitClocks,
}

/// The results for work of a frame other than a draw.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledWork {
    /// The number of the frame.
    pub frame: Option<u32>,
    /// The index of the next draw in the stream, whether or not it exists.
    pub before_draw: usize,
    /// Its kind: `clear`, `copy`, `image`, `upload`, `methods` or `scan_out`.
    pub work: &'static str,
    /// The tiles of compressed surfaces that a clear moves.
    pub compression: SurfaceTraffic,
    /// Its load on the units.
    pub loads: Loads,
    /// The clocks of each unit.
    pub clocks: UnitClocks,
}

/// The results for a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledFrame {
    /// Its number; `None` before the first mark.
    pub number: Option<u32>,
    /// Its texture caches, by unit, and its prefetching pipes.
    pub textures: FrameTextures,
    /// Its memory.
    pub memory: MemoryResult,
    /// The depth and color surfaces of the last draws with compressed ones, at the end of the frame, each read
    /// once.
    pub left: SurfaceTraffic,
    /// Its time.
    pub time: Time,
}

/// The results for a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Models {
    /// Draws, in order.
    pub draws: Vec<ModelledDraw>,
    /// Work between them, in order.
    pub others: Vec<ModelledWork>,
    /// Frames that draw, clear, copy or write images, in order.
    pub frames: Vec<ModelledFrame>,
    /// Maps of the target of a frame's last draw, for at most [`HEAT_MAP_FRAMES`] frames.
    pub heat_maps: Vec<HeatMap>,
    /// Whether traces were longer than an engine holds; the numbers for textures and memory are then too small.
    pub is_cut_off: bool,
}

/// Plays a capture on a separate thread and runs a machine's models over each frame while the next one plays.
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
        // The channel hands a frame over once the previous one is done, so at most two frames' traces exist.
        let (sender, receiver) = std::sync::mpsc::sync_channel(0);
        scope.spawn(move || {
            for frame in frames {
                // The receiver is gone once a model has failed.
                if sender.send(frame).is_err() {
                    break;
                }
            }
        });
        receiver.into_iter().try_for_each(|frame| modeller.frame(&frame?))
    })?;
    Ok(Models { heat_maps: modeller.maps.into_maps(), ..modeller.models })
}
