//! Keeps blocks of parameters in a few large buffers, which are written once per submission.
//!
//! The queue writes a buffer before the next submission and after all earlier ones. A buffer can therefore be
//! refilled once every recording that may have used it is submitted: the one with its blocks, and those that follow while
//! a block is held.

use std::sync::Arc;

use super::DeviceError;

/// Bytes of blocks that one buffer holds, unless a single block is larger.
const CHUNK_BYTES: usize = 1 << 20;
/// The least length of bindings. Lengths are powers of two, so that few occur.
const MIN_BINDING: u64 = 256;
/// Bytes after the blocks that a binding may extend into.
const MAX_SMALL_BINDING: u64 = 1 << 17;
/// Bytes of buffers kept for later recordings.
const KEPT_BYTES: usize = 32 << 20;

/// A resource that kernels bind.
#[derive(Debug, Clone, Copy)]
pub enum Bound<'a> {
    /// A range of a buffer.
    Buffer {
        /// The buffer.
        buffer: &'a wgpu::Buffer,
        /// The first byte.
        offset: u64,
        /// Its length in bytes.
        bytes: u64,
    },
    /// A read-only image of words.
    Image(&'a wgpu::TextureView),
}

impl<'a> From<&'a wgpu::Buffer> for Bound<'a> {
    fn from(buffer: &'a wgpu::Buffer) -> Self {
        Self::Buffer { buffer, offset: 0, bytes: buffer.size() }
    }
}

impl<'a> From<&'a wgpu::TextureView> for Bound<'a> {
    fn from(view: &'a wgpu::TextureView) -> Self {
        Self::Image(view)
    }
}

impl<'a> From<&'a Block> for Bound<'a> {
    fn from(block: &'a Block) -> Self {
        Self::Buffer { buffer: &block.buffer, offset: block.offset, bytes: binding_bytes(block.bytes) }
    }
}

/// The resources of a dispatch, by the binding numbers that its kernel declares.
pub trait Bindings<'b> {
    /// The resource of a binding; `None` if there is none with this number.
    fn bound(&self, number: u32) -> Option<Bound<'b>>;
}

impl<'b, B: Copy + Into<Bound<'b>>> Bindings<'b> for [(u32, B)] {
    fn bound(&self, number: u32) -> Option<Bound<'b>> {
        self.iter().find(|(own, _)| *own == number).map(|(_, bound)| (*bound).into())
    }
}

impl<'b, B: Copy + Into<Bound<'b>>, const COUNT: usize> Bindings<'b> for [(u32, B); COUNT] {
    fn bound(&self, number: u32) -> Option<Bound<'b>> {
        self.as_slice().bound(number)
    }
}

impl<'b, B: Copy + Into<Bound<'b>>> Bindings<'b> for Vec<(u32, B)> {
    fn bound(&self, number: u32) -> Option<Bound<'b>> {
        self.as_slice().bound(number)
    }
}

/// Bytes that a recording keeps until it is submitted.
#[derive(Debug, Clone)]
pub struct Block {
    pub(super) buffer: wgpu::Buffer,
    pub(super) offset: u64,
    bytes: u64,
    _chunk: Arc<()>,
}

/// The length of the binding for a block of this size.
fn binding_bytes(bytes: u64) -> u64 {
    bytes.next_power_of_two().max(MIN_BINDING)
}

/// A buffer and the bytes that will be uploaded to it.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) buffer: wgpu::Buffer,
    pub(super) staged: Vec<u8>,
    capacity: usize,
    /// Every block also holds a clone.
    holders: Arc<()>,
}

impl Chunk {
    /// Whether a block of this buffer can be bound again.
    fn is_held(&self) -> bool {
        Arc::strong_count(&self.holders) > 1
    }

    fn block(&self, start: usize, bytes: usize) -> Block {
        let (buffer, holder) = (self.buffer.clone(), Arc::clone(&self.holders));
        Block { buffer, offset: start as u64, bytes: bytes as u64, _chunk: holder }
    }
}

/// Buffers that no recording uses.
#[derive(Debug, Default)]
pub(super) struct ChunkPool {
    chunks: Vec<Chunk>,
    bytes: usize,
}

impl ChunkPool {
    /// Takes back the buffers of a submitted recording; drops those beyond [`KEPT_BYTES`].
    pub(super) fn put_back(&mut self, chunks: Vec<Chunk>) {
        for mut chunk in chunks {
            if self.bytes + chunk.capacity <= KEPT_BYTES {
                self.bytes += chunk.capacity;
                chunk.staged.clear();
                self.chunks.push(chunk);
            }
        }
    }

    /// A buffer that holds this many bytes of blocks and is not much larger.
    fn take(&mut self, bytes: usize) -> Option<Chunk> {
        let fits = |chunk: &Chunk| chunk.capacity >= bytes && chunk.capacity / 4 <= bytes && !chunk.is_held();
        let index = self.chunks.iter().position(fits)?;
        let chunk = self.chunks.swap_remove(index);
        self.bytes -= chunk.capacity;
        Some(chunk)
    }
}

/// The blocks of one recording.
#[derive(Debug, Default)]
pub(super) struct Arena {
    /// Buffers; the last one is being filled.
    chunks: Vec<Chunk>,
    /// Buffers of earlier recordings, whose blocks this one may bind.
    earlier: Vec<Chunk>,
    bytes: u64,
    /// The last block of each kind: chunk, first byte and size.
    latest: Vec<(&'static str, usize, usize, usize)>,
}

impl Arena {
    /// Keeps the buffers of a submitted recording whose blocks are held, and returns the others.
    pub(super) fn keep_held(&mut self, chunks: Vec<Chunk>) -> Vec<Chunk> {
        let (mut held, free): (Vec<_>, Vec<_>) = chunks.into_iter().partition(Chunk::is_held);
        held.iter_mut().for_each(|chunk| chunk.staged.clear());
        self.earlier.append(&mut held);
        free
    }

    /// Stores bytes at a multiple of `alignment`.
    pub(super) fn store(
        &mut self,
        device: &wgpu::Device,
        pool: &mut ChunkPool,
        alignment: usize,
        bytes: &[u8],
    ) -> (usize, Block) {
        let is_small = binding_bytes(bytes.len() as u64) <= MAX_SMALL_BINDING;
        let start_in = |chunk: &Chunk| chunk.staged.len().next_multiple_of(alignment);
        let fits = |chunk: &Chunk| is_small && start_in(chunk) + bytes.len() <= chunk.capacity;
        if !self.chunks.last().is_some_and(fits) {
            let capacity = if is_small { CHUNK_BYTES } else { bytes.len() };
            self.chunks.push(pool.take(capacity).unwrap_or_else(|| new_chunk(device, capacity)));
        }
        let last = self.chunks.len() - 1;
        let chunk = &mut self.chunks[last];
        let start = start_in(chunk);
        chunk.staged.resize(start, 0);
        chunk.staged.extend_from_slice(bytes);
        // Queue writes are multiples of four bytes.
        chunk.staged.resize(chunk.staged.len().next_multiple_of(4), 0);
        self.bytes += bytes.len() as u64;
        (last, chunk.block(start, bytes.len()))
    }

    /// The last block of `kind`, if it holds these bytes.
    pub(super) fn find(&self, kind: &'static str, bytes: &[u8]) -> Option<Block> {
        let &(_, chunk, start, length) = self.latest.iter().find(|(name, ..)| *name == kind)?;
        let chunk = &self.chunks[chunk];
        let is_same = length == bytes.len() && chunk.staged.get(start..start + length) == Some(bytes);
        is_same.then(|| chunk.block(start, length))
    }

    /// Records the last block of `kind`.
    pub(super) fn remember(&mut self, kind: &'static str, chunk: usize, block: &Block) {
        let place = |value: u64| usize::try_from(value).expect("a block lies in host memory");
        let entry = (kind, chunk, place(block.offset), place(block.bytes));
        match self.latest.iter_mut().find(|(name, ..)| *name == kind) {
            Some(latest) => *latest = entry,
            None => self.latest.push(entry),
        }
    }

    /// The number of stored bytes.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The buffers and their new contents, which are empty for those of earlier recordings.
    pub(super) fn into_chunks(mut self) -> Vec<Chunk> {
        self.chunks.append(&mut self.earlier);
        self.chunks
    }
}

fn new_chunk(device: &wgpu::Device, bytes: usize) -> Chunk {
    let capacity = bytes.next_power_of_two();
    let size = capacity as u64 + MAX_SMALL_BINDING;
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let descriptor = wgpu::BufferDescriptor { label: Some("blocks"), size, usage, mapped_at_creation: false };
    let buffer = device.create_buffer(&descriptor);
    Chunk { buffer, staged: Vec::with_capacity(capacity), capacity, holders: Arc::default() }
}

/// Checks that a block can be bound.
pub(super) fn check_size(bytes: usize, limit: u64) -> Result<(), DeviceError> {
    let size = binding_bytes(bytes as u64);
    if size > limit {
        return Err(DeviceError::Driver(format!("a block of {size} bytes is beyond the {limit} that can be bound")));
    }
    Ok(())
}
