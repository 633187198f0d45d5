//! The engine itself: each piece of work becomes dispatches, submitted in the order of the stream.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::geometry::{GeometryOptions, GeometryStage, QuadLists};
use super::heap::Heap;
use super::merge_pixels::{MergeParameters, TILES_PER_GROUP};
use super::scale_image;
use super::shade_quads::{self, ShadeHeader};
use super::texture_parameters::ShadeParameters;
use super::transfer::{self, SourceCopy, TransferDispatch};
use super::{HeapWindow, run_vertex_programs};
use crate::format::srgb;
use crate::gpu::{DeviceError, Gpu, Kernel, Recording};
use crate::memory::{MemorySpace, MemoryWindow};
use crate::program::fragment::FragmentProgram;
use crate::program::vertex::VertexProgram;
use crate::recompiler::fragment::{FragmentKernelKey, shaded_stride};
use crate::recompiler::merge_pixels::{self, MergeKey};
use crate::recompiler::texture_unit::{self, TextureKey};
use crate::recompiler::vertex::VertexKernelKey;
use crate::reference::assemble_primitives::assemble_primitives;
use crate::reference::clear_surface;
use crate::reference::copy_memory::copy_memory;
use crate::reference::engine::{check_draw, decode_programs};
use crate::reference::resolve_elements::resolve_elements;
use crate::reference::vertex_batches::{BATCH_VERTICES, VertexBatch, vertex_batches};
use crate::work::{Clear, Draw, Elements, Engine, EngineError, IndexType, MemoryCopy, ScaledImage, Work};

/// Sizes that speed depends on and results do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelOptions {
    /// Columns and rows of a tile: 8, 16 or 32.
    pub tile_size: u32,
    /// Most primitives of a batch.
    pub batch_primitives: u32,
    /// Most quads of a round.
    pub quad_capacity: u32,
}

impl Default for KernelOptions {
    fn default() -> Self {
        Self { tile_size: 16, batch_primitives: 1 << 14, quad_capacity: 1 << 18 }
    }
}

/// The kernels engine: a device, and guest memory on it.
#[derive(Debug)]
pub struct Kernels {
    gpu: Gpu,
    heap: Heap,
    geometry: GeometryStage,
    /// Binding 15: the counter of passing samples.
    counters: wgpu::Buffer,
    /// Binding 11 of merges that store colours on the sRGB curve.
    srgb_thresholds: wgpu::Buffer,
    /// Binding 4 and binding 13, kept from draw to draw.
    vertices: wgpu::Buffer,
    shaded: wgpu::Buffer,
    /// Where transfers keep a source that overlaps their destination.
    source_copy: wgpu::Buffer,
    vertices_run: u64,
    /// Compiled kernels, by what is baked into them.
    vertex_kernels: HashMap<VertexKernelKey, Arc<Kernel>>,
    shade_kernels: HashMap<ShadeKey, Arc<Kernel>>,
    merge_kernels: HashMap<MergeKey, Arc<Kernel>>,
}

/// What is baked into a shading kernel: the program, and the units that it samples, without those that are disabled.
type ShadeKey = (FragmentKernelKey, Vec<(u8, TextureKey)>);

/// The kernels of one draw.
struct DrawKernels {
    vertex: Arc<Kernel>,
    shade: Arc<Kernel>,
    merge: Arc<Kernel>,
    /// Vectors that shading stores per quad.
    shaded_stride: u32,
}

impl Kernels {
    /// Creates an engine on a device, with memory that can grow to these sizes in bytes.
    ///
    /// # Errors
    /// When a size is beyond the chip, or the device fails.
    pub fn new(gpu: Gpu, options: KernelOptions, vram_bytes: u64, gart_bytes: u64) -> Result<Self, EngineError> {
        let KernelOptions { tile_size, batch_primitives, quad_capacity } = options;
        Ok(Self {
            heap: Heap::new(&gpu, vram_bytes, gart_bytes)?,
            geometry: GeometryStage::new(GeometryOptions { tile_size, batch_primitives, quad_capacity }),
            counters: gpu.buffer("counters", 16)?,
            srgb_thresholds: gpu.buffer_with("srgb thresholds", bytemuck::cast_slice(srgb::thresholds()))?,
            vertices: gpu.buffer("vertices", 0)?,
            shaded: gpu.buffer("shaded quads", 0)?,
            source_copy: gpu.buffer("source copy", 0)?,
            vertices_run: 0,
            vertex_kernels: HashMap::new(),
            shade_kernels: HashMap::new(),
            merge_kernels: HashMap::new(),
            gpu,
        })
    }

    /// How many vertices programs have run on: an index that a draw repeats counts once.
    #[must_use]
    pub const fn vertices_run(&self) -> u64 {
        self.vertices_run
    }

    /// The device, its guest memory and the place of a window in it after all earlier work; valid until the next work.
    ///
    /// # Errors
    /// When the device fails.
    pub fn device_memory(&mut self, window: MemoryWindow) -> Result<(&Gpu, &wgpu::Buffer, HeapWindow), EngineError> {
        self.heap.upload(&self.gpu)?;
        Ok((&self.gpu, self.heap.buffer(), self.heap.locate(window)))
    }

    fn draw(&mut self, draw: &Draw) -> Result<(), EngineError> {
        check_draw(draw)?;
        let (vertex_program, fragment_program) = self.programs(draw)?;
        self.download_indices(&draw.elements)?;
        let elements = resolve_elements(self.heap.host(), draw)?;
        let primitives = assemble_primitives(draw.primitive, &elements.order, &draw.raster);
        if primitives.is_empty() || draw.raster.clip.is_empty() {
            return Ok(());
        }
        self.heap.upload(&self.gpu)?;
        let kernels = self.kernels(draw, &vertex_program, &fragment_program)?;

        for batch in vertex_batches(elements.unique, primitives, BATCH_VERTICES) {
            self.draw_batch(draw, &kernels, (&vertex_program, &fragment_program), &batch)?;
        }
        self.mark_targets(draw);
        Ok(())
    }

    /// Runs the vertices of a batch, then draws its primitives.
    fn draw_batch(
        &mut self,
        draw: &Draw,
        kernels: &DrawKernels,
        (vertex_program, fragment_program): (&VertexProgram, &FragmentProgram),
        batch: &VertexBatch,
    ) -> Result<(), EngineError> {
        let mut recording = self.gpu.record();
        self.run_vertices(&mut recording, draw, kernels, vertex_program, &batch.vertices)?;
        let (gpu, heap) = (&self.gpu, &self.heap);
        let locate = |window| heap.locate(window);
        let textures = ShadeParameters::new(&draw.textures, &locate);
        let textures = gpu.buffer_with("shade parameters", bytemuck::bytes_of(&textures))?;
        let stride = u64::from(kernels.shaded_stride);
        let (shaded, counters, vertices) = (&mut self.shaded, &self.counters, &self.vertices);
        let thresholds = &self.srgb_thresholds;
        let mut consume = |recording: &mut Recording, quads: &QuadLists<'_>| -> Result<(), DeviceError> {
            let bytes = u64::from(quads.most_quads) * stride * 16;
            if shaded.size() < bytes {
                *shaded = gpu.buffer("shaded quads", bytes.next_power_of_two())?;
            }
            let header = ShadeHeader { quad_count: quads.most_quads, ..ShadeHeader::default() };
            let constants = shade_quads::constants(header, fragment_program);
            let constants = gpu.buffer_with("fragment constants", bytemuck::cast_slice(&constants))?;
            let bindings = [
                (0, heap.buffer()),
                (4, vertices),
                (6, quads.parameters),
                (7, quads.records),
                (10, quads.quads),
                (11, &textures),
                (12, &constants),
                (13, &*shaded),
            ];
            recording.dispatch_indirect(&kernels.shade, &bindings, quads.groups, 0);
            let merge = MergeParameters::new(&draw.rop, &draw.targets, quads.first_tile, quads.tile_count, &locate);
            let merge = gpu.buffer_with("merge parameters", bytemuck::bytes_of(&merge))?;
            let bindings =
                [(0, heap.buffer()), (9, quads.tiles), (11, thresholds), (13, &*shaded), (14, &merge), (15, counters)];
            recording.dispatch(&kernels.merge, &bindings, [quads.tile_count.div_ceil(TILES_PER_GROUP), 1, 1]);
            Ok(())
        };
        self.geometry.draw(gpu, &mut recording, draw, vertices, &batch.primitives, &mut consume)?;
        gpu.submit(recording)?;
        Ok(())
    }

    /// Records the vertex program over these vertices; what came before is submitted where that may take long.
    fn run_vertices(
        &mut self,
        recording: &mut Recording,
        draw: &Draw,
        kernels: &DrawKernels,
        program: &VertexProgram,
        indices: &[u32],
    ) -> Result<(), EngineError> {
        self.vertices_run += indices.len() as u64;
        let (gpu, heap) = (&self.gpu, &self.heap);
        let bytes = indices.len() as u64 * 256;
        if self.vertices.size() < bytes {
            let limit = gpu.summary().max_binding_bytes;
            self.vertices = gpu.buffer("vertices", bytes.next_power_of_two().min(limit))?;
        }
        let constants = run_vertex_programs::constant_store(&draw.vertex.constants);
        let constants = gpu.buffer_with("vertex constants", bytemuck::cast_slice(&constants))?;
        let stream = run_vertex_programs::vertex_stream(draw, indices);
        let stream = gpu.buffer_with("vertex stream", bytemuck::cast_slice(&stream))?;
        let count = u32::try_from(indices.len()).expect("a batch has few vertices");
        let parameters = run_vertex_programs::VertexParameters::new(draw, count, &|window| heap.locate(window));
        for range in run_vertex_programs::dispatch_ranges(program, count) {
            if range.start != 0 {
                gpu.submit(std::mem::replace(recording, gpu.record()))?;
            }
            let parameters = run_vertex_programs::VertexParameters {
                first_vertex: range.start,
                vertex_count: range.end,
                ..parameters
            };
            let parameters = gpu.buffer_with("vertex parameters", bytemuck::bytes_of(&parameters))?;
            let bindings = [(0, heap.buffer()), (1, &parameters), (2, &constants), (3, &stream), (4, &self.vertices)];
            recording.dispatch(&kernels.vertex, &bindings, run_vertex_programs::workgroups(range.end - range.start));
        }
        Ok(())
    }

    /// Decodes both programs; pages of microcode that kernels wrote are read back as far as the program reaches.
    fn programs(&mut self, draw: &Draw) -> Result<(VertexProgram, FragmentProgram), EngineError> {
        let (gpu, heap) = (&self.gpu, &mut self.heap);
        let mut failure = None;
        let mut read = |offset: u32| {
            let word = draw.fragment.program.from_offset(offset.checked_mul(4)?).truncated(4);
            if let Err(error) = heap.download(gpu, word) {
                failure = Some(error);
                return None;
            }
            heap.host().slice(word).first_chunk().map(|word| u32::from_le_bytes(*word))
        };
        let programs = decode_programs(draw, &mut read);
        match failure {
            Some(error) => Err(error),
            None => programs,
        }
    }

    /// Brings the host's copy of the indices that a draw uses up to date.
    fn download_indices(&mut self, elements: &Elements) -> Result<(), EngineError> {
        let Elements::Buffer { window, index_type, ranges } = elements else { return Ok(()) };
        let bytes = match index_type {
            IndexType::U16 => 2,
            IndexType::U32 => 4,
        };
        let ends = ranges.iter().map(|&(first, count)| (u64::from(first) + u64::from(count)) * bytes);
        let end = u32::try_from(ends.max().unwrap_or(0)).unwrap_or(u32::MAX);
        self.heap.download(&self.gpu, window.truncated(end))
    }

    /// Compiles what a draw needs, or finds it.
    fn kernels(
        &mut self,
        draw: &Draw,
        vertex_program: &VertexProgram,
        fragment_program: &FragmentProgram,
    ) -> Result<DrawKernels, EngineError> {
        let key = run_vertex_programs::key(draw, vertex_program, &|window| self.heap.locate(window));
        let compile =
            |key: &VertexKernelKey| Ok(self.gpu.kernel("run_vertex_programs", &run_vertex_programs::source(key))?);
        let vertex = find_or_compile(&mut self.vertex_kernels, key, compile)?;

        let program = shade_quads::key(draw, fragment_program);
        let shaded_stride = shaded_stride(program.targets, program.sample_depths());
        let mut units = Vec::new();
        let sampled = program.sampled_units();
        for unit in (0..16u8).filter(|unit| sampled >> unit & 1 != 0) {
            if let Some(Some(state)) = draw.textures.get(usize::from(unit)) {
                units.push((unit, TextureKey::new(state)?));
            }
        }
        let compile = |(program, units): &ShadeKey| {
            let unit_source = |unit: u8| match units.iter().find(|(number, _)| *number == unit) {
                Some((_, key)) => Ok(texture_unit::source(unit, key)),
                None => Ok(shade_quads::disabled_texture_unit(unit)),
            };
            Ok(self.gpu.kernel("shade_quads", &shade_quads::source(program, &unit_source)?)?)
        };
        let shade = find_or_compile(&mut self.shade_kernels, (program, units), compile)?;

        let key = MergeKey::new(&draw.rop, &draw.targets)?;
        let compile = |key: &MergeKey| Ok(self.gpu.kernel("merge_pixels", &merge_pixels::source(key))?);
        let merge = find_or_compile(&mut self.merge_kernels, key, compile)?;
        Ok(DrawKernels { vertex, shade, merge, shaded_stride })
    }

    /// Notes which memory a draw may have changed.
    fn mark_targets(&mut self, draw: &Draw) {
        let clip = draw.raster.clip.texels(draw.targets.samples);
        let (right, bottom) = (clip.x + clip.width, clip.y + clip.height);
        let bytes = draw.targets.color_format.bytes();
        for target in draw.targets.color.iter().flatten() {
            self.mark(target.window, target.layout.span_bytes(right, bottom, bytes));
        }
        if let Some(zeta) = draw.rop.used_zeta(&draw.targets) {
            self.mark(zeta.window, zeta.layout.span_bytes(right, bottom, zeta.format.bytes()));
        }
    }

    fn mark(&mut self, window: MemoryWindow, bytes: u64) {
        self.heap.mark_device_write(window.truncated(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }

    fn clear(&mut self, clear: &Clear) -> Result<(), EngineError> {
        let dispatches = transfer::clear_surfaces(clear, &|window| self.heap.locate(window))?;
        self.transfer(&dispatches)?;
        let (right, bottom) = (clear.rect.x + clear.rect.width, clear.rect.y + clear.rect.height);
        for target in clear.targets.color.iter().flatten() {
            self.mark(target.window, target.layout.span_bytes(right, bottom, clear.targets.color_format.bytes()));
        }
        if let Some(zeta) = &clear.targets.zeta {
            self.mark(zeta.window, zeta.layout.span_bytes(right, bottom, zeta.format.bytes()));
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
            copy_memory(self.heap.host_mut(), copy);
            self.heap.mark_host_write(destination);
            return Ok(());
        }
        if let Some(dispatch) = transfer::copy_memory(copy, &|window| self.heap.locate(window))? {
            self.transfer(&[dispatch])?;
            self.heap.mark_device_write(destination);
        }
        Ok(())
    }

    fn scale_image(&mut self, image: &ScaledImage) -> Result<(), EngineError> {
        if let Some(dispatch) = scale_image::scale_image(image, &|window| self.heap.locate(window))? {
            self.transfer(&[dispatch])?;
            let columns = image.destination_range(0);
            let rows = image.destination_range(1);
            let (right, bottom) = (columns.first + columns.count, rows.first + rows.count);
            let bytes = image.destination_layout.span_bytes(right, bottom, image.destination_format.bytes());
            self.mark(image.destination, bytes);
        }
        Ok(())
    }

    /// Makes bytes zero on the host where only the host has written.
    fn zero_memory(&mut self, window: MemoryWindow) -> Result<(), EngineError> {
        if !self.heap.is_device_newer(window) {
            clear_surface::zero_memory(self.heap.host_mut(), window);
            self.heap.mark_host_write(window);
            return Ok(());
        }
        let dispatch = transfer::zero_memory(window, &|window| self.heap.locate(window));
        self.transfer(&[dispatch])?;
        self.heap.mark_device_write(window);
        Ok(())
    }

    /// Writes a few words on the device, in the order of the stream.
    fn write_words(
        &mut self,
        window: MemoryWindow,
        bytes: u32,
        dispatch: impl FnOnce(transfer::HeapOf<'_>) -> Option<TransferDispatch>,
    ) -> Result<(), EngineError> {
        if let Some(dispatch) = dispatch(&|window| self.heap.locate(window)) {
            self.transfer(&[dispatch])?;
            self.heap.mark_device_write(window.truncated(bytes));
        }
        Ok(())
    }

    /// Brings the heap up to date and submits dispatches over it.
    fn transfer(&mut self, dispatches: &[TransferDispatch]) -> Result<(), EngineError> {
        self.heap.upload(&self.gpu)?;
        let mut recording = self.gpu.record();
        for dispatch in dispatches {
            let kernel = self.gpu.kernel(dispatch.label, &dispatch.source)?;
            let parameters = self.gpu.buffer_with(dispatch.label, &dispatch.parameters)?;
            let words = match &dispatch.source_copy {
                SourceCopy::Words(words) => Some(self.gpu.buffer_with("source words", bytemuck::cast_slice(words))?),
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
                (0, self.heap.buffer()),
                (transfer::PARAMETERS_BINDING, &parameters),
                (transfer::SOURCE_COPY_BINDING, words.as_ref().unwrap_or(&self.source_copy)),
                (15, &self.counters),
            ];
            recording.dispatch(&kernel, &bindings, dispatch.workgroups);
        }
        Ok(self.gpu.submit(recording)?)
    }
}

/// Most kernels of a stage that are kept.
const KERNEL_LIMIT: usize = 1024;

/// The kernel of a key, compiled when it is new.
fn find_or_compile<K: Eq + Hash>(
    kernels: &mut HashMap<K, Arc<Kernel>>,
    key: K,
    compile: impl FnOnce(&K) -> Result<Arc<Kernel>, EngineError>,
) -> Result<Arc<Kernel>, EngineError> {
    if let Some(kernel) = kernels.get(&key) {
        return Ok(Arc::clone(kernel));
    }
    let kernel = compile(&key)?;
    // Programs come from strangers; a stream that never repeats one must not fill memory.
    if kernels.len() >= KERNEL_LIMIT {
        kernels.clear();
    }
    kernels.insert(key, Arc::clone(&kernel));
    Ok(kernel)
}

impl Engine for Kernels {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        Ok(self.heap.grow(space, end)?)
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.heap.extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        let window = window.truncated(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.heap.download(&self.gpu, window)?;
        self.heap.host_mut().store(window, bytes);
        self.heap.mark_host_write(window);
        Ok(())
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        let window = window.truncated(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.heap.download(&self.gpu, window)?;
        self.heap.host().load(window, bytes);
        Ok(())
    }

    fn execute(&mut self, work: &Work) -> Result<(), EngineError> {
        match work {
            Work::Draw(draw) => self.draw(draw),
            Work::Clear(clear) => self.clear(clear),
            Work::CopyMemory(copy) => self.copy(copy),
            Work::ScaleImage(image) => self.scale_image(image),
            Work::ZeroMemory(window) => self.zero_memory(*window),
            Work::ResetSampleCounter => {
                let mut recording = self.gpu.record();
                recording.clear(&self.counters, 0, 16);
                Ok(self.gpu.submit(recording)?)
            }
            Work::WriteReport { window, timestamp_ns } => {
                self.write_words(*window, 16, |heap_of| transfer::write_report(*window, *timestamp_ns, heap_of))
            }
            Work::WriteNotifier { window, timestamp_ns } if !self.heap.is_device_newer(window.truncated(16)) => {
                clear_surface::write_report(self.heap.host_mut(), *window, *timestamp_ns, 0);
                self.heap.mark_host_write(window.truncated(16));
                Ok(())
            }
            Work::WriteNotifier { window, timestamp_ns } => {
                self.write_words(*window, 16, |heap_of| transfer::write_notifier(*window, *timestamp_ns, heap_of))
            }
            Work::WriteFence { window, value } if !self.heap.is_device_newer(window.truncated(4)) => {
                clear_surface::write_fence(self.heap.host_mut(), *window, *value);
                self.heap.mark_host_write(window.truncated(4));
                Ok(())
            }
            Work::WriteFence { window, value } => {
                self.write_words(*window, 4, |heap_of| transfer::write_fence(*window, *value, heap_of))
            }
        }
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(self.gpu.wait()?)
    }
}
