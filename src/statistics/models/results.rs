//! Defines the results of the models: for draws, other work, frames and the run.

use super::compression::SurfaceTraffic;
use super::heat_maps::HeatMap;
use super::programs::ModelledPrograms;
use super::textures::FrameTextures;
use super::zcull::DrawRejection;
use crate::statistics::memory_partitions::MemoryResult;
use crate::statistics::texture_cache::LevelCounts;
use crate::statistics::time::{Loads, Time, UnitClocks};

/// The results for a draw, whose index is its index in the run.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelledDraw {
    /// Hits and misses of its lookups.
    pub texture: LevelCounts,
    /// What z-cull rejected.
    pub rejection: DrawRejection,
    /// Its programs.
    pub programs: ModelledPrograms,
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
    /// The work of a unified processor over the frame, if nothing overlaps; else empty.
    pub balance: Vec<BalanceSlice>,
}

/// A part of a frame's time on a unified processor.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BalanceSlice {
    /// The parts of the processor's clocks in which programs of vertices, primitives and fragments are issued.
    pub stages: [f64; 3],
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
    /// Maps of the target of a frame's last draw, for at most [`HEAT_MAP_FRAMES`](super::HEAT_MAP_FRAMES) frames.
    pub heat_maps: Vec<HeatMap>,
    /// Whether traces were longer than an engine holds; the numbers for textures and memory are then too small.
    pub is_cut_off: bool,
}
