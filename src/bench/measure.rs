//! Plays frames on an engine and measures their time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Frames, FramesError, Spread};
use crate::capture::Capture;
use crate::chip::{Chip, ChipError};
use crate::counting::CountingEngine;
use crate::engine::OpenError;
use crate::gpu::StageClock;
use crate::machine::{UnsupportedChipset, chip_of};
use crate::memory::MemorySpace;
use crate::pipeline::{Engine, EngineError};
use crate::replay::ReplayError;
use crate::scene::SceneError;

/// The fewest frames before the first sample.
const WARM_UP_FRAMES: u64 = 2;
/// The number of samples into which the time of a scene is divided.
const SAMPLES: f64 = 8.0;
/// The fewest samples, even if they take longer; a scene whose samples take far longer may have fewer.
const MIN_SAMPLES: usize = 3;
const LONGEST: Duration = Duration::from_secs(10);

/// The duration and density of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The least total duration of a scene's samples.
    pub duration: Duration,
    /// How many frames may be unfinished when the host submits another: 0 waits after each frame.
    pub unfinished_frames: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { duration: Duration::from_secs(1), unfinished_frames: 1 }
    }
}

/// Why a measurement is impossible.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The chip of the capture is not supported.
    #[error(transparent)]
    Chipset(#[from] UnsupportedChipset),
    /// There is nothing to measure.
    #[error(transparent)]
    Frames(#[from] FramesError),
    /// A record cannot be applied.
    #[error("record {record}: {source}")]
    Record {
        /// Its number, from 0.
        record: usize,
        /// The error.
        source: ChipError,
    },
    /// A stream of the bench itself cannot be built.
    #[error(transparent)]
    Scene(Box<SceneError>),
    /// There is no engine.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A capture cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The engine fails.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The measurements of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Frames per second.
    pub frames_per_second: Spread,
    /// The number of samples.
    pub samples: usize,
    /// Milliseconds of the host to submit a frame; with frames in flight, in parallel to the device's work on
    /// others.
    pub host_milliseconds: f64,
    /// Bytes of guest memory that exist at the end.
    pub guest_memory_bytes: u64,
    /// Milliseconds per frame on the device by kernel, and passes per frame; empty without a clock.
    pub stages: Vec<(String, f64, f64)>,
}

/// Plays the records before the frames, then repeats the frames in order.
#[derive(Debug)]
pub(super) struct Player<'a> {
    capture: &'a Capture,
    frames: &'a Frames,
    chip: Chip,
    next_part: usize,
}

impl<'a> Player<'a> {
    pub(super) fn new(capture: &'a Capture, frames: &'a Frames) -> Result<Self, UnsupportedChipset> {
        Ok(Self { capture, frames, chip: chip_of(&capture.header)?, next_part: 0 })
    }

    fn apply(&mut self, record: usize, engine: &mut dyn Engine) -> Result<(), BenchError> {
        let applied = self.chip.apply(&self.capture.records[record], engine);
        applied.map_err(|source| BenchError::Record { record, source })
    }

    pub(super) fn play_before(&mut self, engine: &mut dyn Engine) -> Result<(), BenchError> {
        (0..self.frames.records_before).try_for_each(|record| self.apply(record, engine))
    }

    /// Plays the next part; returns whether it was the last of its iteration.
    pub(super) fn play_part(&mut self, engine: &mut dyn Engine) -> Result<bool, BenchError> {
        let frames = self.frames;
        for &record in &frames.parts[self.next_part] {
            self.apply(record, engine)?;
        }
        self.next_part = (self.next_part + 1) % frames.parts.len();
        Ok(self.next_part == 0)
    }
}

/// Plays frames and counts them, in the smallest groups that can be counted.
struct Beat<'a> {
    player: Player<'a>,
    unfinished_frames: usize,
    /// Time spent submitting so far, and submitted frames.
    pushing: Duration,
    pushed: u64,
}

impl Beat<'_> {
    /// Plays a marked frame, or one iteration of others; returns the number of frames.
    fn play(&mut self, engine: &mut dyn Engine) -> Result<u64, BenchError> {
        loop {
            let start = Instant::now();
            let is_round = self.player.play_part(engine)?;
            self.pushing += start.elapsed();
            engine.end_frame(self.unfinished_frames)?;
            if self.player.frames.is_marked {
                return Ok(1);
            }
            if is_round {
                return Ok(self.player.frames.count);
            }
        }
    }

    /// Plays at least this many frames for at least this long; then waits until all are done and, if draws are
    /// counted, until their counters have arrived.
    fn sample(&mut self, engine: &mut dyn CountingEngine, frames: u64, duration: Duration) -> Result<f64, BenchError> {
        let start = Instant::now();
        let mut played = 0;
        loop {
            played += self.play(engine)?;
            if played >= frames && start.elapsed() >= duration {
                break;
            }
        }
        engine.take_counters()?;
        engine.finish()?;
        self.pushed += played;
        Ok(played as f64 / start.elapsed().as_secs_f64())
    }
}

/// Measures the frames of a capture on a fresh engine.
///
/// The engine first plays a whole iteration untimed, so that every kernel is compiled. With a clock, another
/// iteration follows the samples, with each kernel timed.
///
/// # Errors
/// When a record cannot be applied or the engine fails.
pub fn measure(
    capture: &Capture,
    frames: &Frames,
    engine: &mut dyn CountingEngine,
    options: &Options,
    clock: Option<&Arc<StageClock>>,
) -> Result<Measured, BenchError> {
    let player = Player::new(capture, frames)?;
    let unfinished_frames = options.unfinished_frames;
    let mut beat = Beat { player, unfinished_frames, pushing: Duration::ZERO, pushed: 0 };
    beat.player.play_before(engine)?;
    beat.sample(engine, frames.count.max(WARM_UP_FRAMES), Duration::ZERO)?;
    (beat.pushing, beat.pushed) = (Duration::ZERO, 0);

    let mut samples = Vec::new();
    let start = Instant::now();
    let is_enough = |samples: usize, elapsed: Duration| {
        elapsed >= options.duration && (samples >= MIN_SAMPLES || samples > 0 && elapsed >= LONGEST)
    };
    while !is_enough(samples.len(), start.elapsed()) {
        samples.push(beat.sample(engine, 1, options.duration.div_f64(SAMPLES))?);
    }
    let host_milliseconds = beat.pushing.as_secs_f64() * 1000.0 / beat.pushed as f64;
    let stages = match clock {
        Some(clock) => stage_times(&mut beat, engine, clock)?,
        None => Vec::new(),
    };
    let frames_per_second = Spread::of(&samples).expect("there are samples, and time passes");
    let guest_memory_bytes = MemorySpace::ALL.iter().map(|space| u64::from(engine.memory_extent(*space))).sum();
    let samples = samples.len();
    Ok(Measured { frames_per_second, samples, host_milliseconds, guest_memory_bytes, stages })
}

/// The times of kernels in a frame, longest first.
fn stage_times(
    beat: &mut Beat<'_>,
    engine: &mut dyn Engine,
    clock: &StageClock,
) -> Result<Vec<(String, f64, f64)>, BenchError> {
    clock.start();
    let mut played = 0;
    while played < beat.player.frames.count.max(WARM_UP_FRAMES) {
        played += beat.play(engine)?;
    }
    engine.finish()?;
    let per_frame = |total: f64| total / played as f64;
    let mut stages: Vec<_> = clock
        .stop()
        .by_kernel()
        .into_iter()
        .map(|(name, time)| (name, per_frame(time.nanoseconds) / 1e6, per_frame(time.passes as f64)))
        .collect();
    stages.sort_by(|left, right| right.1.total_cmp(&left.1));
    Ok(stages)
}
