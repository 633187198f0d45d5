//! Counts the work of a frame with an engine that executes copies and clears, but only counts draws.

use super::measure::Player;
use super::{BenchError, Frames};
use crate::capture::Capture;
use crate::counting::CoverageEngine;
use crate::engine::open_coverage;
use crate::pipeline::{Draw, Engine, EngineError, EngineLayer, GpuCommand};

/// The work of one frame; averages where several frames were counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FrameCounts {
    /// Pixels that primitives cover, before any test, once for each primitive; in frames without draws, cleared
    /// pixels.
    pub pixels: f64,
    /// Texture instructions over these pixels. One instruction counts as one texel, whatever its filter reads.
    /// Each instruction of a program counts once, although a loop may run it more often and a branch may skip it.
    pub texels: f64,
    /// Vertices that programs run on; an index that a draw repeats counts once.
    pub vertices: f64,
    /// Triangles, lines and points before clipping and culling.
    pub triangles: f64,
    /// Draws.
    pub draws: f64,
    /// The number of frames in one iteration of the capture.
    pub frames: u64,
}

/// Counts the work of the frames of a capture on the host, separate from any measured engine.
///
/// These are not the [counters](crate::counters) of draws: those require shading and testing every fragment, which
/// would take the host far longer than the measurement.
///
/// Nothing is drawn: memory that an earlier draw would have rendered to supplies vertices of zeros.
///
/// # Errors
/// When a record cannot be applied.
pub fn count(capture: &Capture, frames: &Frames) -> Result<FrameCounts, BenchError> {
    let header = &capture.header;
    let engine = open_coverage((header.vram_bytes, header.gart_bytes))?;
    let mut counter = Counter { engine, totals: Totals::default(), is_counting: false };
    let mut player = Player::new(capture, frames)?;
    player.play_before(&mut counter)?;
    counter.is_counting = true;
    for _ in &frames.parts {
        player.play_part(&mut counter)?;
    }
    Ok(counter.totals.per_frame(frames))
}

/// Sums over all frames.
#[derive(Debug, Default)]
struct Totals {
    pixels: u64,
    cleared_pixels: u64,
    texels: u64,
    vertices: u64,
    triangles: u64,
    draws: u64,
}

impl Totals {
    fn per_frame(&self, frames: &Frames) -> FrameCounts {
        let pixels = if self.draws == 0 { self.cleared_pixels } else { self.pixels };
        let mean = |total: u64| total as f64 / frames.count as f64;
        FrameCounts {
            pixels: mean(pixels),
            texels: mean(self.texels),
            vertices: mean(self.vertices),
            triangles: mean(self.triangles),
            draws: mean(self.draws),
            frames: frames.count,
        }
    }
}

/// The engine that counts.
#[derive(Debug)]
struct Counter {
    engine: Box<dyn CoverageEngine>,
    totals: Totals,
    is_counting: bool,
}

impl Counter {
    fn draw(&mut self, draw: &Draw) -> Result<(), EngineError> {
        if let Some(coverage) = self.engine.coverage(draw)? {
            self.totals.draws += 1;
            self.totals.triangles += coverage.primitives;
            self.totals.vertices += coverage.vertices;
            self.totals.pixels += coverage.pixels;
            self.totals.texels += coverage.texels;
        }
        Ok(())
    }
}

impl EngineLayer for Counter {
    fn inner(&self) -> &dyn Engine {
        self.engine.as_ref()
    }

    fn inner_mut(&mut self) -> &mut dyn Engine {
        self.engine.as_mut()
    }

    fn pass_command(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        match command {
            GpuCommand::Draw(draw) if self.is_counting => self.draw(draw),
            GpuCommand::Draw(_) => Ok(()),
            GpuCommand::Clear(clear) => {
                if self.is_counting {
                    self.totals.cleared_pixels += u64::from(clear.rect.width) * u64::from(clear.rect.height);
                }
                Ok(())
            }
            _ => self.engine.execute(command),
        }
    }
}
