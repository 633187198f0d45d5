//! The kernels engine: turns commands into dispatches, recorded in stream order and submitted in groups.

use std::str::FromStr;
use std::sync::Arc;

use super::context::Context;
use super::draw_merger::DrawMerger;
use super::draw_pipeline::{DrawPipeline, PipelineOptions};
use super::draw_profile::{DrawProfile, ProfiledDraw};
use super::executor::Executor;
use super::memory_mirror::MirrorWindow;
use super::plan::geometry_options::GeometryOptions;
use super::software::adapter_choices::AdapterChoices;
use super::stages::launch::LaunchStage;
use super::stages::transfer::TransferStage;
use crate::counters::{Counters, CountingOptions};
use crate::counting::CountingEngine;
use crate::gpu::{DeviceError, Gpu};
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::launch::GuestAccess as _;
use crate::pipeline::{Engine, EngineError, GpuCommand};
use crate::recompiler::tiles::key::TileWork;

/// The number of storage buffers that a tile kernel of invocations may need.
const TILE_BINDINGS: u32 = 10;
/// The same if the kernel loads and stores pixels in pairs.
const PAIR_BINDINGS: u32 = 11;

/// Sizes that affect speed but not results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelOptions {
    /// Columns and rows of a tile: 8, 16 or 32.
    pub tile_size: u32,
    /// Maximum number of primitives in a batch.
    pub batch_primitives: u32,
    /// Maximum number of quads in a round.
    pub quad_capacity: u32,
    /// The kernels that the quads of a draw go through.
    pub path: KernelPath,
    /// How many uses of a draw's state precede the compilation of its fast path: of a tile kernel, and of a vertex program for
    /// large draws.
    pub exact_uses: u32,
    /// Whether tile kernels sample a copy of texture memory, on adapters that read it faster.
    pub copies_texels: bool,
    /// The most bytes of guest memory on the device at once; never more than it can bind.
    pub memory_bytes: u64,
    /// Maximum number of loop iterations of one invocation; the default is the adapter's limit.
    pub max_loop_iterations: Option<u32>,
}

/// The kernels that rasterize, shade and merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelPath {
    /// [`Invocations`](Self::Invocations) on software adapters, [`Workgroups`](Self::Workgroups) on others.
    #[default]
    Auto,
    /// One kernel with one invocation per tile, if the state of a draw allows it.
    Invocations,
    /// One kernel with one workgroup per tile and one invocation per quad, if the state of a draw allows it.
    Workgroups,
    /// A kernel per stage, with quad lists between them.
    Stages,
}

impl FromStr for KernelPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "invocations" => Ok(Self::Invocations),
            "workgroups" => Ok(Self::Workgroups),
            "stages" => Ok(Self::Stages),
            _ => Err("one of auto, invocations, workgroups, stages".to_owned()),
        }
    }
}

impl Default for KernelOptions {
    fn default() -> Self {
        Self {
            tile_size: 16,
            batch_primitives: 1 << 17,
            quad_capacity: 1 << 18,
            path: KernelPath::Auto,
            exact_uses: 0,
            copies_texels: true,
            memory_bytes: u64::MAX,
            max_loop_iterations: None,
        }
    }
}

/// The kernels engine: a device and the guest memory on it.
#[derive(Debug)]
pub struct Kernels {
    merger: DrawMerger,
}

impl Kernels {
    /// Creates an engine on a device, with memory that can grow to these sizes in bytes.
    ///
    /// # Errors
    /// If a size exceeds the chip's, or the device fails.
    pub fn new(gpu: Gpu, options: KernelOptions, vram_bytes: u64, gart_bytes: u64) -> Result<Self, EngineError> {
        let KernelOptions { tile_size, batch_primitives, quad_capacity, path, exact_uses, .. } = options;
        let max_loop_iterations = options.max_loop_iterations.or(gpu.max_loop_iterations());
        let (copies_texels, memory_bytes) = (options.copies_texels, options.memory_bytes);
        let (choices, bindings) = (AdapterChoices::of(gpu.summary()), gpu.summary().max_bindings);
        let (fuses, tile_work) = match path {
            KernelPath::Auto if choices.invocations_draw_tiles => (bindings >= TILE_BINDINGS, TileWork::Invocation),
            KernelPath::Invocations => (true, TileWork::Invocation),
            KernelPath::Auto | KernelPath::Workgroups => (true, TileWork::Workgroup { quads: tile_size.pow(2) / 4 }),
            KernelPath::Stages => (false, TileWork::Invocation),
        };
        let geometry = GeometryOptions {
            tile_size,
            batch_primitives,
            quad_capacity,
            tile_work,
            max_loop_iterations,
            ..GeometryOptions::default()
        };
        let copies_texels = copies_texels && tile_work == TileWork::Invocation;
        let pairs_pixels =
            tile_work == TileWork::Invocation && gpu.has_wide_words() && gpu.summary().max_bindings >= PAIR_BINDINGS;
        let options = PipelineOptions { geometry, fuses, pairs_pixels, copies_texels, exact_uses };
        let context = Context::new(gpu, vram_bytes, gart_bytes, memory_bytes)?;
        let draws = DrawPipeline::new(&context.gpu, options)?;
        let transfers = TransferStage::new(&context.gpu)?;
        Ok(Self { merger: DrawMerger::new(Executor { context, draws, transfers, launches: LaunchStage::default() }) })
    }

    /// The number of vertices that programs ran on: an index that a draw repeats counts once.
    #[must_use]
    pub const fn vertices_run(&self) -> u64 {
        self.merger.unflushed().draws.vertices_run()
    }

    /// The number of primitive setup passes: one for merged draws, one for each batch of a large draw.
    #[must_use]
    pub const fn geometry_passes(&self) -> u64 {
        self.merger.unflushed().draws.geometry_passes()
    }

    /// The bytes of guest memory that were copied on the device because memory grew.
    #[must_use]
    pub const fn moved_bytes(&self) -> u64 {
        self.merger.unflushed().context.memory.moved_bytes()
    }

    /// Starts to record how each draw runs, for [`Self::profiled_draws`]. While the device's clock is running, the
    /// owner of a pass, or of a span of the host, is the number of the draw that it is for, or of the first of merged draws.
    ///
    /// # Errors
    /// If the device has no clock, or it fails.
    pub fn start_profile(&mut self) -> Result<(), EngineError> {
        let clock = self.merger.flushed()?.context.gpu.clock();
        let clock = clock.ok_or_else(|| DeviceError::Driver("the device was opened without a clock".to_owned()))?;
        self.merger.profile = Some(DrawProfile::new(Arc::clone(clock)));
        Ok(())
    }

    /// The draws since [`Self::start_profile`] that the engine accepted, in stream order.
    #[must_use]
    pub fn profiled_draws(&self) -> &[ProfiledDraw] {
        self.merger.profile.as_ref().map_or(&[], DrawProfile::draws)
    }

    /// Returns the device, a buffer and the location of a window of guest memory in it, after all earlier commands are
    /// submitted; valid until the next command.
    ///
    /// # Errors
    /// If the device fails.
    pub fn device_memory(&mut self, window: MemoryWindow) -> Result<(&Gpu, wgpu::Buffer, MirrorWindow), EngineError> {
        let context = &mut self.merger.flushed()?.context;
        if !context.memory.can_hold(&|| vec![window]) {
            context.download(window)?;
            let bytes = context.memory.host().slice(window);
            let place =
                MirrorWindow { start: 0, bytes: window.bytes.min(u32::try_from(bytes.len()).unwrap_or(u32::MAX)) };
            return Ok((&context.gpu, context.gpu.buffer_with("surface", bytes)?, place));
        }
        context.upload(&|| vec![window])?;
        context.submit()?;
        Ok((&context.gpu, context.memory.buffer().clone(), context.locate(window)))
    }
}

impl Engine for Kernels {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        Ok(self.merger.flushed()?.context.memory.grow(space, end)?)
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.merger.unflushed().context.memory.extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.merger.for_host(window, true)?.context.write(window, bytes)
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.merger.for_host(window, false)?.context.read(window, bytes)
    }

    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        match command {
            GpuCommand::Draw(draw) => self.merger.draw(draw),
            other => self.merger.flushed()?.execute(other),
        }
    }

    fn end_frame(&mut self, unfinished: usize) -> Result<(), EngineError> {
        let context = &mut self.merger.flushed()?.context;
        context.submit()?;
        Ok(context.gpu.end_frame(unfinished)?)
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        let context = &mut self.merger.flushed()?.context;
        context.submit()?;
        Ok(context.gpu.wait()?)
    }
}

impl CountingEngine for Kernels {
    fn start_counting(&mut self, options: CountingOptions) -> Result<(), EngineError> {
        let Executor { context, draws, .. } = self.merger.flushed()?;
        draws.start_counting(context, options)
    }

    fn take_counters(&mut self) -> Result<Vec<Counters>, EngineError> {
        let Executor { context, draws, .. } = self.merger.flushed()?;
        draws.counting.take(context)
    }
}
