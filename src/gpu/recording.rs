//! A list of dispatches and copies that is submitted at once.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::arena::{Arena, Bindings, Block, Chunk, ChunkPool, check_size};
use super::bind_groups::BindGroups;
use super::stage_clock::{PassTimes, StageClock};
use super::{DeviceError, Kernel};

/// Commands after which a recording should be submitted: its resources are freed only after it ran, and a device
/// that runs in parallel to the host should have work.
const FULL_COMMANDS: u32 = 256;
/// Bytes of blocks after which a recording should be submitted.
const FULL_BYTES: u64 = 16 << 20;

/// State that all recordings of a device share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) device: wgpu::Device,
    pub(super) pool: Mutex<ChunkPool>,
    pub(super) groups: Mutex<BindGroups>,
    pub(super) max_binding_bytes: u64,
    /// The alignment of blocks in their buffer.
    pub(super) block_alignment: usize,
    pub(super) kernels: AtomicU64,
    /// Pipelines whose creation has begun and not ended.
    pub(super) pipelines_in_creation: AtomicUsize,
}

impl Shared {
    /// Returns a number that no kernel has.
    pub(super) fn next_kernel(&self) -> u64 {
        self.kernels.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a pipeline that is created until the result is dropped.
    pub(super) fn begin_pipeline(&self) -> PipelineInCreation<'_> {
        self.pipelines_in_creation.fetch_add(1, Ordering::Relaxed);
        PipelineInCreation(&self.pipelines_in_creation)
    }
}

/// A pipeline that is created.
pub(super) struct PipelineInCreation<'a>(&'a AtomicUsize);

impl Drop for PipelineInCreation<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Records dispatches in order; each sees the writes of those before it.
#[derive(Debug)]
pub struct Recording {
    shared: Arc<Shared>,
    /// The open pass for dispatches; a copy closes it.
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: Option<wgpu::CommandEncoder>,
    arena: Arena,
    commands: u32,
    /// The kernel set in the open pass.
    kernel: Option<u64>,
    /// The clock, if it is running.
    clock: Option<Arc<StageClock>>,
    /// Timestamps around passes, if requested.
    times: Option<PassTimes>,
}

/// What remains to be done for a finished recording.
#[derive(Debug)]
pub(super) struct Finished {
    /// The commands, if there are any.
    pub(super) commands: Option<wgpu::CommandBuffer>,
    /// Buffers to write before them.
    pub(super) chunks: Vec<Chunk>,
    /// Times to read once the commands are done.
    pub(super) times: Option<PassTimes>,
}

impl Recording {
    pub(super) fn new(shared: Arc<Shared>, clock: Option<Arc<StageClock>>) -> Self {
        let arena = Arena::default();
        Self { shared, pass: None, encoder: None, arena, commands: 0, kernel: None, clock, times: None }
    }

    /// Whether nothing is recorded.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.commands == 0
    }

    /// Whether enough is recorded that it should be submitted.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.commands >= FULL_COMMANDS || self.arena.bytes() >= FULL_BYTES
    }

    /// Keeps the buffers of the recording before this one whose blocks are held, and returns the others.
    pub(super) fn keep_held(&mut self, chunks: Vec<Chunk>) -> Vec<Chunk> {
        self.arena.keep_held(chunks)
    }

    /// Stores bytes for the kernels of this recording, and of those that follow it by [`Gpu::flush`](super::Gpu::flush).
    ///
    /// # Errors
    /// When they exceed one binding.
    pub fn store(&mut self, bytes: &[u8]) -> Result<Block, DeviceError> {
        Ok(self.place(bytes)?.1)
    }

    /// Stores bytes like [`Recording::store`], or reuses the last block of the same kind if it is equal.
    ///
    /// # Errors
    /// When they exceed one binding.
    pub fn store_changed(&mut self, kind: &'static str, bytes: &[u8]) -> Result<Block, DeviceError> {
        if let Some(block) = self.arena.find(kind, bytes) {
            return Ok(block);
        }
        let (chunk, block) = self.place(bytes)?;
        self.arena.remember(kind, chunk, &block);
        Ok(block)
    }

    fn place(&mut self, bytes: &[u8]) -> Result<(usize, Block), DeviceError> {
        let Shared { device, pool, max_binding_bytes, block_alignment, .. } = &*self.shared;
        check_size(bytes.len(), *max_binding_bytes)?;
        let mut pool = pool.lock().expect("no holder panics");
        Ok(self.arena.store(device, &mut pool, *block_alignment, bytes))
    }

    /// Writes bytes to a buffer after the commands recorded so far; offset and length are multiples of 4.
    ///
    /// # Errors
    /// When they exceed one binding.
    pub fn upload(&mut self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let block = self.store(bytes)?;
        self.copy((&block.buffer, block.offset), (buffer, offset), bytes.len() as u64);
        Ok(())
    }

    /// Writes bytes that rarely change to the beginning of a buffer; stores them like
    /// [`Recording::store_changed`].
    ///
    /// # Errors
    /// When they exceed one binding.
    pub fn upload_repeated(
        &mut self,
        kind: &'static str,
        buffer: &wgpu::Buffer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let block = self.store_changed(kind, bytes)?;
        self.copy((&block.buffer, block.offset), (buffer, 0), bytes.len() as u64);
        Ok(())
    }

    /// Dispatches a kernel over `workgroups`; does nothing if one of them is 0.
    ///
    /// Bindings that the kernel does not declare are ignored.
    pub fn dispatch<'b>(&mut self, kernel: &Kernel, bindings: &(impl Bindings<'b> + ?Sized), workgroups: [u32; 3]) {
        if workgroups.contains(&0) {
            return;
        }
        self.bind(kernel, bindings).dispatch_workgroups(workgroups[0], workgroups[1], workgroups[2]);
    }

    /// Dispatches a kernel over the workgroup counts in three words at `offset` of a buffer.
    pub fn dispatch_indirect<'b>(
        &mut self,
        kernel: &Kernel,
        bindings: &(impl Bindings<'b> + ?Sized),
        counts: &wgpu::Buffer,
        offset: u64,
    ) {
        self.bind(kernel, bindings).dispatch_workgroups_indirect(counts, offset);
    }

    /// Copies bytes between buffers; offsets and size are multiples of 4.
    pub fn copy(&mut self, source: (&wgpu::Buffer, u64), destination: (&wgpu::Buffer, u64), bytes: u64) {
        if bytes > 0 {
            self.encoder().copy_buffer_to_buffer(source.0, source.1, destination.0, destination.1, bytes);
        }
    }

    /// Copies words from a buffer to a rectangle of an image of words; rows are contiguous in the buffer. The
    /// offset is a multiple of 4, and rows are multiples of 256 bytes if there are several.
    pub fn copy_to_image(&mut self, source: (&wgpu::Buffer, u64), target: (&wgpu::Texture, [u32; 2]), size: [u32; 2]) {
        let [width, height] = size;
        let layout = wgpu::TexelCopyBufferLayout {
            offset: source.1,
            bytes_per_row: (height > 1).then_some(4 * width),
            rows_per_image: None,
        };
        let origin = wgpu::Origin3d { x: target.1[0], y: target.1[1], z: 0 };
        let texture = wgpu::TexelCopyTextureInfo { origin, ..target.0.as_image_copy() };
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        self.encoder().copy_buffer_to_texture(wgpu::TexelCopyBufferInfo { buffer: source.0, layout }, texture, size);
    }

    /// Fills bytes of a buffer with zero; offset and size are multiples of 4.
    pub fn clear(&mut self, buffer: &wgpu::Buffer, offset: u64, bytes: u64) {
        if bytes > 0 {
            self.encoder().clear_buffer(buffer, offset, Some(bytes));
        }
    }

    /// The encoder, for a command outside a pass.
    fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        self.commands += 1;
        self.open_encoder()
    }

    fn open_encoder(&mut self) -> &mut wgpu::CommandEncoder {
        let Self { encoder, times, clock, shared, .. } = self;
        encoder.get_or_insert_with(|| {
            *times = clock.as_ref().filter(|clock| clock.is_running()).map(|_| PassTimes::default());
            shared.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
        })
    }

    /// The open pass with a kernel and its buffers set.
    fn bind<'b>(
        &mut self,
        kernel: &Kernel,
        bindings: &(impl Bindings<'b> + ?Sized),
    ) -> &mut wgpu::ComputePass<'static> {
        self.commands += 1;
        let mut offsets = Vec::with_capacity(kernel.bindings.len());
        let group = {
            let mut groups = self.shared.groups.lock().expect("no holder panics");
            groups.find(&self.shared.device, kernel, bindings, &mut offsets)
        };
        self.open_encoder();
        if self.pass.is_none() || self.times.is_some() {
            self.begin_pass(kernel);
        }
        let pass = self.pass.as_mut().expect("it is open now");
        if self.kernel != Some(kernel.number) {
            self.kernel = Some(kernel.number);
            pass.set_pipeline(&kernel.pipeline);
        }
        pass.set_bind_group(0, &group, &offsets);
        pass
    }

    /// Starts a pass; with a running clock, each kernel has its own pass.
    fn begin_pass(&mut self, kernel: &Kernel) {
        self.pass = None;
        self.kernel = None;
        let clock = self.clock.as_deref();
        let times =
            self.times.as_mut().map(|times| times.next(&self.shared.device, (&kernel.label, kernel.number), clock));
        let timestamp_writes = times.as_ref().map(|(query_set, first)| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(*first),
            end_of_pass_write_index: Some(first + 1),
        });
        let label = times.is_some().then_some(kernel.label.as_str());
        let pass = self.open_encoder().begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes });
        self.pass = Some(pass.forget_lifetime());
    }

    /// Returns what to submit once the blocks are written.
    pub(super) fn finish(mut self) -> Finished {
        self.pass = None;
        if let (Some(times), Some(encoder)) = (&mut self.times, &mut self.encoder) {
            times.resolve(&self.shared.device, encoder);
        }
        let commands = self.encoder.map(wgpu::CommandEncoder::finish);
        Finished { commands, chunks: self.arena.into_chunks(), times: self.times }
    }
}
