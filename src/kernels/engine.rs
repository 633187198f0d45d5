//! The engine itself: each piece of work becomes dispatches, recorded in the order of the stream and submitted many at
//! once.

use std::collections::HashMap;
use std::sync::Arc;

use super::HeapWindow;
use super::count_rejects::RejectStage;
use super::counted_draws::{CountedDraws, HEAD_BYTES};
use super::draw_kernels::{KERNEL_LIMIT, ShadeKey, TileKey, VertexKernel};
use super::draw_tiles::{TileKernels, TileStage};
use super::geometry::{GeometryOptions, GeometryStage};
use super::heap::Heap;
use super::joined_draws::JoinedDraws;
use super::kept_draws::KeptDraws;
use super::scale_image;
use super::texel_image::TexelImage;
use super::transfer::{self, SourceCopy, TransferDispatch, TransferKernel, WordRuns};
use crate::format::srgb;
use crate::gpu::{Bound, Gpu, Kernel, Recording};
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::host_transfer;
use crate::pipeline::{Clear, Engine, EngineError, GpuCommand, MemoryCopy, ScaledImage};
use crate::recompiler::rop::merge_pixels::MergeKey;
use crate::recompiler::vertex::VertexKernelKey;

/// Storage buffers that a kernel of whole tiles may need.
const TILE_BINDINGS: u32 = 10;
/// The same where it loads and stores pixels in pairs.
const PAIR_BINDINGS: u32 = 11;

/// Sizes that speed depends on and results do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelOptions {
    /// Columns and rows of a tile: 8, 16 or 32.
    pub tile_size: u32,
    /// Most primitives of a batch.
    pub batch_primitives: u32,
    /// Most quads of a round.
    pub quad_capacity: u32,
    /// Which kernels the quads of a draw go through.
    pub path: KernelPath,
    /// How often a kernel of whole tiles is used before its plain twin is compiled too.
    pub exact_uses: u32,
    /// Whether such kernels sample a copy of texture memory, on adapters that read it faster.
    pub copies_texels: bool,
}

/// Which kernels rasterise, shade and merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelPath {
    /// One kernel on software adapters, one per stage on others.
    #[default]
    Auto,
    /// One kernel, an invocation a tile, wherever the state of a draw allows.
    Fused,
    /// A kernel per stage, with lists of quads between them.
    Split,
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
        }
    }
}

/// Words of a repeated value, and how many values are kept.
const PATTERN_WORDS: usize = 1 << 16;
const PATTERNS: usize = 8;

/// The kernels engine: a device, and guest memory on it.
#[derive(Debug)]
pub struct Kernels {
    pub(super) gpu: Gpu,
    /// GpuCommand that is not submitted yet, in the order of the stream.
    pub(super) recording: Recording,
    pub(super) heap: Heap,
    pub(super) geometry: GeometryStage,
    pub(super) kept_draws: KeptDraws,
    /// Draws that are not recorded yet: each other work records them first.
    pub(super) waiting: Option<JoinedDraws>,
    pub(super) tile_stage: TileStage,
    /// Counts what scissors and window clips take away, where draws are counted.
    pub(super) reject_stage: RejectStage,
    /// Binding 20: what kernels of whole tiles sample.
    pub(super) texel_image: Option<TexelImage>,
    /// Binding 15: the counter of passing samples.
    pub(super) counters: wgpu::Buffer,
    /// Draws whose stages count what they do.
    pub(super) counted: Option<CountedDraws>,
    /// Binding 11 of merges that store colours on the sRGB curve.
    pub(super) srgb_thresholds: wgpu::Buffer,
    /// Binding 4 and binding 13, kept from draw to draw.
    pub(super) vertices: wgpu::Buffer,
    pub(super) shaded: wgpu::Buffer,
    /// What draws sampled that wrote the same memory, at the heap's places.
    pub(super) texels_before: wgpu::Buffer,
    /// Where transfers keep a source that overlaps their destination.
    source_copy: wgpu::Buffer,
    /// Values that clears filled words with, repeated.
    patterns: Vec<(u32, wgpu::Buffer)>,
    pub(super) vertices_run: u64,
    pub(super) geometry_passes: u64,
    /// Whether draws go through one kernel where that is possible.
    pub(super) fuses: bool,
    pub(super) exact_uses: u32,
    /// Whether such a kernel may load and store pixels in pairs.
    pub(super) pairs_pixels: bool,
    /// Compiled kernels, by what is baked into them.
    pub(super) tile_kernels: HashMap<TileKey, TileKernels>,
    pub(super) vertex_kernels: HashMap<VertexKernelKey, Arc<VertexKernel>>,
    pub(super) shade_kernels: HashMap<ShadeKey, Arc<Kernel>>,
    pub(super) merge_kernels: HashMap<MergeKey, Arc<Kernel>>,
    transfer_kernels: HashMap<TransferKernel, Arc<Kernel>>,
}

impl Kernels {
    /// Creates an engine on a device, with memory that can grow to these sizes in bytes.
    ///
    /// # Errors
    /// When a size is beyond the chip, or the device fails.
    pub fn new(gpu: Gpu, options: KernelOptions, vram_bytes: u64, gart_bytes: u64) -> Result<Self, EngineError> {
        let KernelOptions { tile_size, batch_primitives, quad_capacity, path, exact_uses, copies_texels } = options;
        let fuses = match path {
            KernelPath::Auto => gpu.summary().is_software() && gpu.summary().max_bindings >= TILE_BINDINGS,
            KernelPath::Fused => true,
            KernelPath::Split => false,
        };
        Ok(Self {
            heap: Heap::new(&gpu, vram_bytes, gart_bytes)?,
            geometry: GeometryStage::new(GeometryOptions {
                tile_size,
                batch_primitives,
                quad_capacity,
                ..GeometryOptions::default()
            }),
            kept_draws: KeptDraws::default(),
            waiting: None,
            tile_stage: TileStage::default(),
            reject_stage: RejectStage::default(),
            texel_image: TexelImage::new(&gpu).filter(|_| copies_texels),
            counters: gpu.buffer("counters", HEAD_BYTES)?,
            counted: None,
            srgb_thresholds: gpu.buffer_with("srgb thresholds", bytemuck::cast_slice(srgb::thresholds()))?,
            vertices: gpu.buffer("vertices", 0)?,
            shaded: gpu.buffer("shaded quads", 0)?,
            texels_before: gpu.buffer("texels before a draw", 0)?,
            source_copy: gpu.buffer("source copy", 0)?,
            patterns: Vec::new(),
            vertices_run: 0,
            geometry_passes: 0,
            fuses,
            exact_uses,
            pairs_pixels: gpu.has_wide_words() && gpu.summary().max_bindings >= PAIR_BINDINGS,
            tile_kernels: HashMap::new(),
            vertex_kernels: HashMap::new(),
            shade_kernels: HashMap::new(),
            merge_kernels: HashMap::new(),
            transfer_kernels: HashMap::new(),
            recording: gpu.record(),
            gpu,
        })
    }

    /// How many vertices programs have run on: an index that a draw repeats counts once.
    #[must_use]
    pub const fn vertices_run(&self) -> u64 {
        self.vertices_run
    }

    /// How often primitives were set up: once for draws that are drawn as one, once for each batch of a large one.
    #[must_use]
    pub const fn geometry_passes(&self) -> u64 {
        self.geometry_passes
    }

    /// The device, its guest memory and the place of a window in it, where all earlier work is submitted; valid until the
    /// next work.
    ///
    /// # Errors
    /// When the device fails.
    pub fn device_memory(&mut self, window: MemoryWindow) -> Result<(&Gpu, &wgpu::Buffer, HeapWindow), EngineError> {
        self.draw_waiting()?;
        self.upload()?;
        self.gpu.flush(&mut self.recording)?;
        Ok((&self.gpu, self.heap.buffer(), self.heap.locate(window)))
    }

    /// Submits what is recorded when it is much.
    pub(super) fn bound_recording(&mut self) -> Result<(), EngineError> {
        if self.recording.is_full() {
            self.gpu.flush(&mut self.recording)?;
        }
        Ok(())
    }

    /// Brings the device up to date for what is recorded next.
    fn upload(&mut self) -> Result<(), EngineError> {
        self.heap.upload(&self.gpu, &mut self.recording)
    }

    fn clear(&mut self, clear: &Clear) -> Result<(), EngineError> {
        self.upload()?;
        let dispatches = transfer::clear_surfaces(clear, &|window| self.heap.locate(window))?;
        let (right, bottom) = (clear.rect.x + clear.rect.width, clear.rect.y + clear.rect.height);
        for target in clear.targets.color.iter().flatten() {
            self.mark(target.window, target.layout.span_bytes(right, bottom, clear.targets.color_format.bytes()));
        }
        if let Some(zeta) = &clear.targets.zeta {
            self.mark(zeta.window, zeta.layout.span_bytes(right, bottom, zeta.format.bytes()));
        }
        for dispatch in &dispatches {
            match transfer::word_runs(dispatch) {
                Some(words) => self.fill_words(&words)?,
                None if self.gpu.has_wide_words() => self.transfer(&transfer::in_wide_words(dispatch.clone()))?,
                None => self.transfer(dispatch)?,
            }
        }
        self.bound_recording()
    }

    /// Fills words by copies, which every adapter makes at the speed of its memory.
    fn fill_words(&mut self, words: &WordRuns) -> Result<(), EngineError> {
        let pattern = match self.patterns.iter().find(|(value, _)| *value == words.value) {
            _ if words.value == 0 => None,
            Some((_, pattern)) => Some(pattern.clone()),
            None => {
                let content = vec![words.value; PATTERN_WORDS];
                let pattern = self.gpu.buffer_with("pattern", bytemuck::cast_slice(&content))?;
                if self.patterns.len() >= PATTERNS {
                    self.patterns.remove(0);
                }
                self.patterns.push((words.value, pattern.clone()));
                Some(pattern)
            }
        };
        for &(first, bytes) in &words.runs {
            let Some(pattern) = &pattern else {
                self.recording.clear(self.heap.buffer(), first, bytes);
                continue;
            };
            for offset in (0..bytes).step_by(PATTERN_WORDS * 4) {
                let length = (bytes - offset).min(PATTERN_WORDS as u64 * 4);
                self.recording.copy((pattern, 0), (self.heap.buffer(), first + offset), length);
            }
        }
        Ok(())
    }

    /// Copies on the host where only the host has written, so that uploads of programs and vertices never wait.
    fn copy(&mut self, copy: &MemoryCopy) -> Result<(), EngineError> {
        let [source, destination] = copy.spans().map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX));
        let (source, destination) = (copy.source.truncated(source), copy.destination.truncated(destination));
        if !self.heap.is_device_newer(source) && !self.heap.is_device_newer(destination) {
            if let Some(what) = copy.unsupported() {
                return Err(EngineError::Unsupported { what });
            }
            host_transfer::copy_memory(self.heap.host_mut(), copy);
            self.heap.mark_host_write(destination);
            return Ok(());
        }
        self.upload()?;
        if let Some(dispatch) = transfer::copy_memory(copy, &|window| self.heap.locate(window))? {
            self.heap.mark_device_write(destination);
            self.transfer(&dispatch)?;
        }
        Ok(())
    }

    fn scale_image(&mut self, image: &ScaledImage) -> Result<(), EngineError> {
        self.upload()?;
        if let Some(dispatch) = scale_image::scale_image(image, &|window| self.heap.locate(window))? {
            let columns = image.destination_range(0);
            let rows = image.destination_range(1);
            let (right, bottom) = (columns.first + columns.count, rows.first + rows.count);
            let bytes = image.destination_layout.span_bytes(right, bottom, image.destination_format.bytes());
            self.mark(image.destination, bytes);
            self.transfer(&dispatch)?;
        }
        Ok(())
    }

    /// Makes bytes zero: on the host where only the host has written, else on both sides.
    fn zero_memory(&mut self, window: MemoryWindow) -> Result<(), EngineError> {
        if !self.heap.is_device_newer(window) {
            host_transfer::zero_memory(self.heap.host_mut(), window);
            self.heap.mark_host_write(window);
            return Ok(());
        }
        self.upload()?;
        self.heap.clear(&self.gpu, &mut self.recording, window)
    }

    /// Writes a few words on the device, in the order of the stream.
    fn write_words(
        &mut self,
        window: MemoryWindow,
        bytes: u32,
        dispatch: impl FnOnce(transfer::HeapOf<'_>) -> Option<TransferDispatch>,
    ) -> Result<(), EngineError> {
        self.upload()?;
        if let Some(dispatch) = dispatch(&|window| self.heap.locate(window)) {
            self.heap.mark_device_write(window.truncated(bytes));
            self.transfer(&dispatch)?;
        }
        Ok(())
    }

    /// Records a dispatch over the heap, which is up to date.
    fn transfer(&mut self, dispatch: &TransferDispatch) -> Result<(), EngineError> {
        let kernel = match self.transfer_kernels.get(&dispatch.kernel) {
            Some(kernel) => Arc::clone(kernel),
            None => {
                let kernel = self.gpu.kernel(dispatch.kernel.label(), &dispatch.kernel.source())?;
                if self.transfer_kernels.len() >= KERNEL_LIMIT {
                    self.transfer_kernels.clear();
                }
                self.transfer_kernels.insert(dispatch.kernel.clone(), Arc::clone(&kernel));
                kernel
            }
        };
        let recording = &mut self.recording;
        let parameters = recording.store(&dispatch.parameters)?;
        let words = match &dispatch.source_copy {
            SourceCopy::Words(words) => Some(recording.store(bytemuck::cast_slice(words))?),
            &SourceCopy::Heap(HeapWindow { start, bytes }) => {
                let bytes = u64::from(bytes);
                if self.source_copy.size() < bytes {
                    self.source_copy = self.gpu.buffer("source copy", bytes)?;
                }
                recording.copy((self.heap.buffer(), u64::from(start)), (&self.source_copy, 0), bytes);
                None
            }
            SourceCopy::Unused => None,
        };
        let bindings = [
            (0, Bound::from(self.heap.buffer())),
            (transfer::PARAMETERS_BINDING, (&parameters).into()),
            (transfer::SOURCE_COPY_BINDING, words.as_ref().map_or((&self.source_copy).into(), Bound::from)),
            (15, (&self.counters).into()),
            (19, self.heap.buffer().into()),
        ];
        recording.dispatch(&kernel, &bindings, dispatch.workgroups);
        self.bound_recording()
    }
}

impl Engine for Kernels {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        self.draw_waiting()?;
        Ok(self.heap.grow(space, end)?)
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.heap.extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        let window = window.truncated(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.draw_waiting()?;
        self.heap.download_edges(&self.gpu, &mut self.recording, window)?;
        self.heap.host_mut().store(window, bytes);
        self.heap.mark_host_write(window);
        Ok(())
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        let window = window.truncated(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.draw_waiting()?;
        self.heap.download(&self.gpu, &mut self.recording, window)?;
        self.heap.host().load(window, bytes);
        Ok(())
    }

    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        if !matches!(command, GpuCommand::Draw(_)) {
            self.draw_waiting()?;
        }
        match command {
            GpuCommand::Draw(draw) => self.draw(draw),
            GpuCommand::Clear(clear) => self.clear(clear),
            GpuCommand::CopyMemory(copy) => self.copy(copy),
            GpuCommand::ScaleImage(image) => self.scale_image(image),
            GpuCommand::ZeroMemory(window) => self.zero_memory(*window),
            GpuCommand::ResetSampleCounter => {
                self.recording.clear(&self.counters, 0, 16);
                Ok(())
            }
            GpuCommand::WriteReport { window, timestamp_ns } => {
                self.write_words(*window, 16, |heap_of| transfer::write_report(*window, *timestamp_ns, heap_of))
            }
            GpuCommand::WriteNotifier { window, timestamp_ns } if !self.heap.is_device_newer(window.truncated(16)) => {
                host_transfer::write_report(self.heap.host_mut(), *window, *timestamp_ns, 0);
                self.heap.mark_host_write(window.truncated(16));
                Ok(())
            }
            GpuCommand::WriteNotifier { window, timestamp_ns } => {
                self.write_words(*window, 16, |heap_of| transfer::write_notifier(*window, *timestamp_ns, heap_of))
            }
            GpuCommand::WriteFence { window, value } if !self.heap.is_device_newer(window.truncated(4)) => {
                host_transfer::write_fence(self.heap.host_mut(), *window, *value);
                self.heap.mark_host_write(window.truncated(4));
                Ok(())
            }
            GpuCommand::WriteFence { window, value } => {
                self.write_words(*window, 4, |heap_of| transfer::write_fence(*window, *value, heap_of))
            }
        }
    }

    fn end_frame(&mut self, unfinished: usize) -> Result<(), EngineError> {
        self.draw_waiting()?;
        self.gpu.flush(&mut self.recording)?;
        Ok(self.gpu.end_frame(unfinished)?)
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        self.draw_waiting()?;
        self.gpu.flush(&mut self.recording)?;
        Ok(self.gpu.wait()?)
    }
}
