//! Plays a stream on the kernels to compile them, to time them, and to count.

use std::sync::Arc;

use super::rows::{DrawCounts, Play, Profile};
use crate::capture::Capture;
use crate::counters::CountingOptions;
use crate::engine::{OpenError, tested};
use crate::gpu::{AdapterChoice, Gpu, StageClock};
use crate::kernels::{KernelOptions, Kernels};
use crate::pipeline::{Engine as _, EngineError};
use crate::replay::{Player, ReplayError, ReplayOptions, Step};
use crate::statistics::collect;

/// How often a stream is played.
const PLAYS: usize = 3;

/// What to profile on.
#[derive(Debug, Clone, Default)]
pub struct ProfileOptions {
    /// The adapter of the kernels.
    pub adapter: AdapterChoice,
    /// Options of the kernels.
    pub kernels: KernelOptions,
    /// Properties of the chip that counts depend on.
    pub counting: CountingOptions,
}

/// Why a stream cannot be profiled.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// There is no adapter with timestamps.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The stream cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The kernels fail.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The stream has no draw.
    #[error("it has no draws, so there is nothing to profile")]
    NoDraws,
}

/// Profiles the draws of a capture on an adapter. `progress` receives the number of applied records, over all plays, and
/// the total.
///
/// # Errors
/// When no such adapter can run and time the kernels, the capture cannot be replayed, or it has no draws.
pub fn profile(
    capture: &Capture,
    options: &ProfileOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Profile, ProfileError> {
    let clock = Arc::<StageClock>::default();
    let opened = Gpu::open_timed(&options.adapter, Arc::clone(&clock)).map_err(OpenError::from);
    let gpu = opened.and_then(tested)?;
    let new_engine =
        || Kernels::new(gpu.clone(), options.kernels, capture.header.vram_bytes, capture.header.gart_bytes);
    let mut progress = |play: usize, done: usize, all: usize| progress(play * all + done, PLAYS * all);

    let mut timed = |number: usize| -> Result<Play, ProfileError> {
        clock.start();
        let mut engine = new_engine()?;
        engine.start_profile()?;
        let mut player = Player::new(capture, &ReplayOptions::default())?.by_frames();
        let mut frames = Vec::new();
        while let Some(step) = player.step(&mut engine)? {
            if let Step::FrameEnd(frame) = step {
                frames.resize(engine.profiled_draws().len(), frame);
            }
            let (done, all) = player.progress();
            progress(number, done, all);
        }
        engine.finish()?;
        Ok(Play { draws: engine.profiled_draws().to_vec(), frames, timings: clock.stop() })
    };
    let [compiling, measured] = [timed(0)?, timed(1)?];
    if measured.draws.is_empty() {
        return Err(ProfileError::NoDraws);
    }
    let mut counted_progress = |done: usize, all: usize| progress(PLAYS - 1, done, all);
    let replay = ReplayOptions::default();
    let (_, counted) = collect(capture, &mut new_engine()?, &replay, options.counting, &mut counted_progress)?;
    let counts: Vec<_> = counted.draws.iter().map(|draw| DrawCounts::new(&draw.counters)).collect();
    Ok(Profile::new(gpu.summary().name.clone(), &compiling, measured, &counts))
}
