//! Turns a stream into its rates: finds its frames, counts their work, opens an engine and measures.

use std::sync::Arc;

use super::{BenchError, Frames, Options, SceneReport, count, measure};
use crate::capture::Capture;
use crate::counters::CountingOptions;
use crate::engine::{EngineChoice, Opened, open, open_timed};
use crate::gpu::{AdapterChoice, StageClock};
use crate::kernels::{KernelOptions, KernelPath};
use crate::replay::ReplayOptions;
use crate::statistics::{Statistics, collect};

/// The settings of a measurement.
#[derive(Debug, Clone, Default)]
pub struct Bench {
    /// The engine.
    pub engine: EngineChoice,
    /// The adapter of the kernels.
    pub adapter: AdapterChoice,
    /// The duration and density.
    pub options: Options,
    /// The kernels that draws go through.
    pub path: KernelPath,
    /// Whether to time each kernel as well.
    pub times_stages: bool,
    /// What to count for draws while frames are timed.
    pub counting: Option<CountingOptions>,
}

impl Bench {
    /// Measures the frames of a capture on a separate engine; calls `opened` with the engine.
    ///
    /// # Errors
    /// When there is no frame, no engine, or a record cannot be applied.
    pub fn run(
        &self,
        name: &str,
        capture: &Capture,
        opened: &mut dyn FnMut(&Opened),
    ) -> Result<SceneReport, BenchError> {
        let frames = Frames::find(capture)?;
        let counts = count(capture, &frames)?;
        let clock = self.times_stages.then(Arc::<StageClock>::default);
        let sizes = (capture.header.vram_bytes, capture.header.gart_bytes);
        let kernels = KernelOptions { path: self.path, ..KernelOptions::default() };
        let mut engine = match &clock {
            None => open(self.engine, &self.adapter, kernels, sizes)?,
            Some(clock) => open_timed(self.engine, &self.adapter, kernels, sizes, clock)?,
        };
        opened(&engine);
        let engine = engine.engine.as_mut();
        if let Some(options) = self.counting {
            engine.start_counting(options)?;
        }
        let measured = measure(capture, &frames, engine, &self.options, clock.as_ref())?;
        Ok(SceneReport::new(name.to_owned(), &measured, &counts))
    }

    /// Plays a capture once on a separate engine, and collects its counters.
    ///
    /// # Errors
    /// When there is no engine, or a record cannot be applied.
    pub fn statistics(&self, capture: &Capture) -> Result<Statistics, BenchError> {
        let sizes = (capture.header.vram_bytes, capture.header.gart_bytes);
        let mut opened = open(self.engine, &self.adapter, KernelOptions::default(), sizes)?;
        let counting = self.counting.unwrap_or_default();
        let options = ReplayOptions::default();
        Ok(collect(capture, opened.engine.as_mut(), &options, counting, &mut |_, _| {})?.1)
    }
}
