//! Replays a stream and collects its counters with an engine that counts each command and forwards it to another
//! engine.

use std::collections::HashMap;

use super::collected::{DrawStatistics, FrameStatistics, Statistics, TargetStatistics, surfaces};
use crate::capture::Capture;
use crate::chip::MethodCounts;
use crate::counters::{Counter, Counters, CountingOptions};
use crate::counting::CountingEngine;
use crate::memory::MemoryWindow;
use crate::pipeline::{Clear, Draw, Engine, EngineError, EngineLayer, GpuCommand, PrimitiveType};
use crate::replay::{Outcome, Player, ReplayError, ReplayOptions, Step};

/// Applies the records of a capture in order, as [`replay`](crate::replay::replay) does, and collects counters.
///
/// # Errors
/// When a record cannot be applied; the error names it.
pub fn collect(
    capture: &Capture,
    engine: &mut dyn CountingEngine,
    options: &ReplayOptions,
    counting: CountingOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Outcome, Statistics), ReplayError> {
    let mut player = Player::new(capture, options)?.by_frames();
    let mut collector = Collector::new(engine, counting)?;
    while let Some(step) = player.step(&mut collector)? {
        match step {
            Step::Record | Step::Method => {
                let (done, all) = player.progress();
                progress(done, all);
            }
            Step::FrameEnd(number) => collector.close_frame(number, player.counts())?,
        }
    }
    let statistics = collector.finish();
    Ok((player.outcome(engine)?, statistics))
}

/// An engine that forwards commands to another, counts them, and collects the counters of its draws.
#[derive(Debug)]
pub struct Collector<'e> {
    engine: &'e mut dyn CountingEngine,
    statistics: Statistics,
    /// The index of each target, by its surfaces.
    targets: HashMap<Vec<String>, usize>,
    /// Draws whose counters have not been read back.
    waiting: Vec<(PrimitiveType, usize)>,
    /// What the stream has done since the frame began.
    frame: FrameStatistics,
    /// What the chip had executed when the frame began.
    before: MethodCounts,
}

impl<'e> Collector<'e> {
    /// Starts counting.
    ///
    /// # Errors
    /// When the device fails.
    pub fn new(engine: &'e mut dyn CountingEngine, options: CountingOptions) -> Result<Self, EngineError> {
        engine.start_counting(options)?;
        Ok(Self {
            engine,
            statistics: Statistics::default(),
            targets: HashMap::new(),
            waiting: Vec::new(),
            frame: FrameStatistics::default(),
            before: MethodCounts::default(),
        })
    }

    /// Ends the frame of this number, or the part before the first mark if that did something. `executed` is what
    /// the chip has executed so far.
    ///
    /// # Errors
    /// When the device fails.
    pub fn close_frame(&mut self, number: Option<u32>, executed: MethodCounts) -> Result<(), EngineError> {
        let draws = self.engine.take_counters()?;
        debug_assert_eq!(draws.len(), self.waiting.len(), "every draw that was carried out is counted");
        for ((primitive, target), counters) in self.waiting.drain(..).zip(draws) {
            self.frame.counters += &counters;
            self.frame.draws += 1;
            self.statistics.targets[target].draws += 1;
            self.statistics.targets[target].counters += &counters;
            self.statistics.draws.push(DrawStatistics { primitive, target, counters });
        }
        for (counter, now, before) in [
            (Counter::Methods, executed.methods, self.before.methods),
            (Counter::Packets, executed.packets, self.before.packets),
            (Counter::StateChanges, executed.state_changes, self.before.state_changes),
        ] {
            self.frame.counters.add(counter, now - before);
        }
        self.before = executed;
        let next = FrameStatistics { first_draw: self.statistics.draws.len(), ..FrameStatistics::default() };
        let frame = FrameStatistics { number, ..std::mem::replace(&mut self.frame, next) };
        if number.is_some() || frame.counters != Counters::default() {
            self.statistics.frames.push(frame);
        }
        Ok(())
    }

    /// The statistics of the frames closed so far.
    #[must_use]
    pub fn finish(self) -> Statistics {
        self.statistics
    }

    fn count(&mut self, command: &GpuCommand) {
        let counters = &mut self.frame.counters;
        match command {
            GpuCommand::Draw(draw) => {
                let target = target_of(draw, &mut self.targets, &mut self.statistics.targets);
                self.waiting.push((draw.primitive, target));
            }
            GpuCommand::Clear(clear) => {
                counters.add(Counter::Clears, 1);
                counters.add(Counter::ClearedBytes, cleared_bytes(clear));
            }
            GpuCommand::CopyMemory(copy) => {
                counters.add(Counter::Copies, 1);
                counters.add(Counter::CopiedBytes, u64::from(copy.line_length) * u64::from(copy.line_count));
            }
            GpuCommand::ScaleImage(image) => {
                let [columns, rows] = [0, 1].map(|axis| u64::from(image.destination_range(axis).count));
                counters.add(Counter::Images, 1);
                counters.add(Counter::ImageBytes, columns * rows * u64::from(image.destination_format.bytes()));
            }
            GpuCommand::ZeroMemory(_)
            | GpuCommand::ResetSampleCounter
            | GpuCommand::WriteReport { .. }
            | GpuCommand::WriteNotifier { .. }
            | GpuCommand::WriteFence { .. }
            | GpuCommand::Launch(_) => {}
        }
    }
}

/// Returns the target of a draw, adding it if it is new.
fn target_of(draw: &Draw, known: &mut HashMap<Vec<String>, usize>, targets: &mut Vec<TargetStatistics>) -> usize {
    *known.entry(surfaces(draw)).or_insert_with_key(|surfaces| {
        targets.push(TargetStatistics { surfaces: surfaces.clone(), draws: 0, counters: Counters::default() });
        targets.len() - 1
    })
}

/// Bytes of surfaces that a clear writes.
fn cleared_bytes(clear: &Clear) -> u64 {
    let texels = u64::from(clear.rect.width) * u64::from(clear.rect.height);
    let colors: u64 = clear.cleared_colors().map(|target| u64::from(target.format.bytes())).sum();
    let zeta = clear.targets.zeta.as_ref();
    let zeta = zeta.filter(|zeta| clear.zeta_masks(zeta.format) != [0; 2]);
    texels * (colors + zeta.map_or(0, |zeta| u64::from(zeta.format.bytes())))
}

impl EngineLayer for Collector<'_> {
    fn inner(&self) -> &dyn Engine {
        self.engine
    }

    fn inner_mut(&mut self) -> &mut dyn Engine {
        self.engine
    }

    fn pass_write(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.frame.counters.add(Counter::Uploads, 1);
        self.frame.counters.add(Counter::UploadedBytes, bytes.len() as u64);
        self.engine.write_memory(window, bytes)
    }

    fn pass_command(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        self.engine.execute(command)?;
        self.count(command);
        Ok(())
    }
}
