//! Replays a capture on the reference and collects what each frame does, in stream order: draws with their traces,
//! clears, copies, images, host writes, and how much of the stream led to each.

use std::fmt;

use super::compressed_surface::WatchedTiles;
use super::frame_work::FrameWork;
use super::tile_watch::{SurfaceWords, TileWatch};
use super::units::memory_parameters;
use super::vertices::any_counting_options;
use crate::capture::{Buffer, Capture, Record};
use crate::chip::{BoundSurface, MethodCounts};
use crate::counters::trace::TracedDraw;
use crate::counting::CountingEngine;
use crate::machine::{DrawingMachine, Machine};
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::{Draw, Engine, EngineError, EngineLayer, GpuCommand};
use crate::reference::Reference;
use crate::replay::{Player, ReplayError, ReplayOptions, Step};
use crate::statistics::memory_partitions::{MAX_REGIONS, MemoryParameters, TileRegion};

/// The steps of a frame, with the traces of its draws.
#[derive(Debug, Default)]
pub struct TracedFrame {
    /// Its number; `None` before the first mark.
    pub number: Option<u32>,
    /// Its draws, in order.
    pub draws: Vec<TracedDraw>,
    /// The tiles of compressed surfaces around each draw, if they are watched.
    pub(super) tiles: Vec<Vec<WatchedTiles>>,
    /// The compressed surfaces that it leaves, if they are watched.
    pub(super) left: Vec<SurfaceWords>,
    /// All its steps, in order.
    pub steps: Vec<FrameStep>,
    /// The surface bound as the first color target at its end, which the display reads; none before the first
    /// mark.
    pub picture: Option<BoundSurface>,
    /// The regions of video memory whose buffers were allocated with tiling.
    pub regions: Vec<TileRegion>,
}

/// A step of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameStep {
    /// What the step does.
    pub work: FrameWork,
    /// Methods that led to it, since the step before.
    pub methods: u64,
    /// The packets of these methods.
    pub packets: u64,
}

/// Called with the number of capture records played, and the total.
pub type Progress<'p> = &'p mut (dyn FnMut(usize, usize) + Send);

/// Replays a capture on the reference frame by frame: an iterator over the frames that draw, clear, copy or write
/// images. It ends after an error.
pub struct TracedFrames<'c> {
    player: Player<'c>,
    observer: Observer<'c>,
    regions: TileRegions,
    progress: Option<Progress<'c>>,
    is_over: bool,
}

impl<'c> TracedFrames<'c> {
    /// Starts a capture.
    ///
    /// # Errors
    /// When curie has no such chip, or the host cannot allocate as much memory as the chip has.
    pub fn new<'machine>(
        capture: &'c Capture,
        machine: impl Into<DrawingMachine<'machine>>,
        options: &ReplayOptions,
    ) -> Result<Self, ReplayError> {
        let machine = machine.into();
        let header = &capture.header;
        let mut engine = Reference::new(header.vram_bytes, header.gart_bytes).map_err(EngineError::from)?;
        engine.start_counting(any_counting_options(machine))?;
        engine.start_tracing();
        Ok(Self {
            player: Player::new(capture, options)?.by_frames(),
            observer: Observer { engine, watch: None, frame: TracedFrame::default(), done: MethodCounts::default() },
            regions: TileRegions::new(machine),
            progress: None,
            is_over: false,
        })
    }

    /// Classifies the tiles of a machine's compressed surfaces around every draw.
    pub(super) fn watching_tiles(mut self, machine: &'c Machine) -> Self {
        self.observer.watch = Some(TileWatch::new(machine));
        self
    }

    /// Calls a function after each capture record.
    #[must_use]
    pub fn with_progress(self, progress: Progress<'c>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Plays to the end of the next frame; `None` after the last.
    fn play(&mut self) -> Result<Option<TracedFrame>, ReplayError> {
        loop {
            // A frame begins with a mark or within a submission, neither of which has a buffer.
            self.player.next_record().into_iter().for_each(|record| self.regions.apply(record));
            let steps = self.observer.frame.steps.len();
            match self.player.step_method(&mut self.observer)? {
                Some(Step::Method) if self.observer.frame.steps.len() > steps => {
                    self.observer.add_methods(steps, self.player.counts());
                }
                Some(Step::Method) => {}
                Some(Step::Record) => {
                    if let Some(progress) = &mut self.progress {
                        let (done, all) = self.player.progress();
                        progress(done, all);
                    }
                }
                Some(Step::FrameEnd(number)) => {
                    self.observer.frame.number = number;
                    if let Some(frame) = self.observer.end_frame(&self.player, &self.regions) {
                        return Ok(Some(frame));
                    }
                }
                None => return Ok(None),
            }
        }
    }
}

impl fmt::Debug for TracedFrames<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TracedFrames").field("player", &self.player).finish_non_exhaustive()
    }
}

impl Iterator for TracedFrames<'_> {
    type Item = Result<TracedFrame, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let frame = self.play().transpose();
        self.is_over = !matches!(frame, Some(Ok(_)));
        frame
    }
}

/// The regions of tiled surfaces: buffers allocated with a pitch, to which the driver assigns a region.
// Unverified: the regions that a driver sets; a chip has 8, and drivers may take one back from a buffer.
#[derive(Debug)]
struct TileRegions {
    /// The memory of a chip whose regions are limited; those of a unified chip are the pages that are tiled.
    parameters: Option<MemoryParameters>,
    buffers: Vec<Buffer>,
}

impl TileRegions {
    fn new(machine: DrawingMachine<'_>) -> Self {
        let parameters = match machine {
            DrawingMachine::Staged(machine) => Some(memory_parameters(machine)),
            DrawingMachine::Unified(_) => None,
        };
        Self { parameters, buffers: Vec::new() }
    }

    fn apply(&mut self, record: &Record) {
        match record {
            Record::CreateBuffer(buffer) | Record::MoveBuffer(buffer) => {
                self.buffers.retain(|other| other.handle != buffer.handle);
                self.buffers.push(*buffer);
            }
            Record::DestroyBuffer { handle } => self.buffers.retain(|other| other.handle != *handle),
            _ => {}
        }
    }

    /// The regions that fit the chip, oldest first.
    fn now(&self) -> Vec<TileRegion> {
        let in_vram = |buffer: &&Buffer| buffer.space() == Some(MemorySpace::Vram);
        let Some(mut parameters) = self.parameters.clone() else {
            let tiled = self.buffers.iter().filter(|buffer| in_vram(buffer) && buffer.tile_flags & KIND_FLAGS != 0);
            return tiled.filter_map(|buffer| region(buffer, 0)).collect();
        };
        let in_memory = |buffer: &&Buffer| in_vram(buffer) && buffer.tile_mode != 0;
        for buffer in self.buffers.iter().filter(in_memory) {
            let Some(region) = region(buffer, buffer.tile_mode) else { continue };
            parameters.regions.push(region);
            if parameters.regions.len() > MAX_REGIONS || parameters.check().is_err() {
                parameters.regions.pop();
            }
        }
        parameters.regions
    }
}

/// The storage kind of a buffer's pages, 0 if they are linear (Linux, `nouveau_drm.h`: `NOUVEAU_GEM_TILE_LAYOUT_MASK`).
const KIND_FLAGS: u32 = 0xff00;

fn region(buffer: &Buffer, pitch_bytes: u32) -> Option<TileRegion> {
    let (start, bytes) = (u32::try_from(buffer.offset).ok()?, u32::try_from(buffer.bytes).ok()?);
    Some(TileRegion { start, bytes, pitch_bytes, bank_offset: 0 })
}

/// The engine between the chip and the reference, which records the commands.
#[derive(Debug)]
struct Observer<'w> {
    engine: Reference,
    watch: Option<TileWatch<'w>>,
    frame: TracedFrame,
    /// What the chip had executed at the last step.
    done: MethodCounts,
}

impl Observer<'_> {
    /// Adds the methods since the previous step to a step.
    fn add_methods(&mut self, step: usize, counts: MethodCounts) {
        let step = &mut self.frame.steps[step];
        step.methods += counts.methods - self.done.methods;
        step.packets += counts.packets - self.done.packets;
        self.done = counts;
    }

    fn note(&mut self, work: FrameWork) {
        self.frame.steps.push(FrameStep { work, methods: 0, packets: 0 });
    }

    /// Ends the frame; returns `None` if it did nothing that is modeled.
    fn end_frame(&mut self, player: &Player<'_>, regions: &TileRegions) -> Option<TracedFrame> {
        if player.counts() != self.done {
            self.note(FrameWork::Methods);
            self.add_methods(self.frame.steps.len() - 1, player.counts());
        }
        let mut frame = std::mem::take(&mut self.frame);
        frame.draws = self.engine.take_traces();
        if let Some(watch) = &mut self.watch {
            frame.left = watch.end_frame(&frame.draws, self.engine.memory());
        }
        let is_other = |step: &FrameStep| matches!(step.work, FrameWork::Methods | FrameWork::Upload(_));
        if frame.steps.iter().all(is_other) {
            return None;
        }
        let is_shown = frame.number.is_some();
        frame.picture = player.bound_surfaces().into_iter().find(|bound| is_shown && bound.name == "color0");
        frame.regions = regions.now();
        Some(frame)
    }

    /// Executes a draw, and classifies tiles before and after it.
    fn draw(&mut self, draw: &Draw, command: &GpuCommand) -> Result<(), EngineError> {
        let tiles = self.watch.as_mut().map(|watch| watch.before(draw, self.engine.memory()));
        let number = self.engine.traces().len();
        self.engine.execute(command)?;
        self.note(FrameWork::Draw(number));
        if let (Some(watch), Some(mut tiles)) = (&mut self.watch, tiles) {
            watch.after(&mut tiles, self.engine.memory());
            self.frame.tiles.push(tiles);
        }
        Ok(())
    }
}

impl EngineLayer for Observer<'_> {
    fn inner(&self) -> &dyn Engine {
        &self.engine
    }

    fn inner_mut(&mut self) -> &mut dyn Engine {
        &mut self.engine
    }

    fn pass_write(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.engine.write_memory(window, bytes)?;
        let written = window.truncated(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        if written.space == MemorySpace::Vram && written.bytes > 0 {
            match self.frame.steps.last_mut().map(|step| &mut step.work) {
                Some(FrameWork::Upload(windows)) => windows.push(written),
                _ => self.note(FrameWork::Upload(vec![written])),
            }
        }
        Ok(())
    }

    fn pass_command(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        if let GpuCommand::Draw(draw) = command {
            return self.draw(draw, command);
        }
        self.engine.execute(command)?;
        match command {
            GpuCommand::Clear(clear) => self.note(FrameWork::Clear(clear.clone())),
            GpuCommand::CopyMemory(copy) => self.note(FrameWork::CopyMemory(copy.clone())),
            GpuCommand::ScaleImage(image) => self.note(FrameWork::ScaleImage(image.clone())),
            GpuCommand::Draw(_)
            | GpuCommand::ZeroMemory(_)
            | GpuCommand::ResetSampleCounter
            | GpuCommand::WriteReport { .. }
            | GpuCommand::WriteNotifier { .. }
            | GpuCommand::WriteFence { .. }
            | GpuCommand::Launch(_) => {}
        }
        Ok(())
    }
}
