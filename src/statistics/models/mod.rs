//! Models how a chip would have executed a stream: runs the models of its units over the traces of a replay, draw
//! by draw and frame by frame.
//!
//! [`model`] plays a capture on the reference, which traces every draw, and passes the traces of each frame to the
//! models: texture caches and prefetching, z-cull test, shader units or the warps of a unified processor, memory,
//! compression, time. Work between the
//! draws also goes through the memory and the bus, in stream order; at the end of a frame the display reads the
//! picture. Caches and memory are empty at the start of a frame.

mod accesses;
mod compressed_surface;
mod compression;
mod error;
mod frame_work;
mod frames;
mod heat_maps;
mod json;
mod loads;
mod lookup_loads;
mod modeller;
mod partitions;
mod programs;
mod results;
mod runner;
mod shader;
mod textures;
mod tile_watch;
mod traffic;
mod transfers;
mod units;
mod vertices;
mod warps;
mod zcull;

pub use curie_statistics::cache_sweep::{CacheSweep, SweepRow};
#[cfg(feature = "report")]
pub use curie_statistics::cache_sweep_plot::{PlotError, sweep_svg};

use crate::capture::Capture;
use crate::machine::DrawingMachine;
use crate::replay::ReplayOptions;

pub use accesses::draw_traffic;
pub use compression::{SurfaceTraffic, TileTraffic};
pub use error::ModelsError;
pub use frame_work::FrameWork;
pub use frames::{FrameStep, Progress, TracedFrame, TracedFrames};
pub use heat_maps::{HEAT_MAP_FRAMES, HeatMap};
use modeller::Modeller;
pub use partitions::{PageStorage, partition_loads, partition_of};
pub use programs::ModelledPrograms;
pub use results::{BalanceSlice, ModelledDraw, ModelledFrame, ModelledWork, Models};
pub use runner::{ModelRunner, ModelsOn};
pub use shader::{DrawShading, frame_shading};
pub use textures::{FrameTextures, frame_textures, texture_trace};
pub use traffic::Traffic;
pub use transfers::scan_out_traffic;
pub use units::{
    memory_parameters, prefetch_parameters, shader_units, texture_cache_parameters, timetable_parameters,
    zcull_parameters,
};
pub use vertices::{DrawVertices, UnitOccupancy, any_counting_options, counting_options};
pub use warps::{DrawWarps, STAGES, StageWarps, cluster_of, draw_warps};
pub use zcull::{DrawRejection, frame_rejections};

/// Plays a capture on a separate thread and runs a machine's models over each frame while the next one plays.
///
/// # Errors
/// When a record cannot be applied, or the machine does not suit a model.
pub fn model<'machine>(
    capture: &Capture,
    machine: impl Into<DrawingMachine<'machine>>,
    runner: ModelRunner<'_>,
    options: &ReplayOptions,
    progress: Progress<'_>,
) -> Result<Models, ModelsError> {
    let machine = machine.into();
    let mut frames = TracedFrames::new(capture, machine, options)?.with_progress(progress);
    if let DrawingMachine::Staged(machine) = machine {
        frames = frames.watching_tiles(machine);
    }
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
