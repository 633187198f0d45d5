//! Mirrors guest memory in one device buffer, with a host copy and a flag per page for the side that is newer.
//!
//! The buffer holds VRAM, then GART, each with room to grow. Host writes stay on the host until the next dispatch. They
//! are uploaded in runs of pages, in stream order. Pages that kernels wrote are read back when the host needs them.

use crate::gpu::{DeviceError, Gpu, Recording};
use crate::memory::{GuestMemory, MemoryError, MemorySpace, MemoryWindow, PAGE_BYTES};
use crate::pipeline::EngineError;

/// A window of guest memory as a range of the mirror's buffer, clamped to the end of memory.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct MirrorWindow {
    /// First byte in the buffer.
    pub start: u32,
    /// Number of accessible bytes.
    pub bytes: u32,
}

/// Returns the range of the mirror that a window of guest memory covers.
pub type Locate<'a> = &'a dyn Fn(MemoryWindow) -> MirrorWindow;

/// The side that holds the current bytes of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    /// Both sides agree.
    Same,
    /// The host wrote the page; the device has older bytes.
    HostNewer,
    /// Kernels wrote the page; the host has older bytes.
    DeviceNewer,
}

/// Guest memory on both sides.
#[derive(Debug)]
pub struct MemoryMirror {
    host: GuestMemory,
    pages: [Vec<Page>; 2],
    /// The number of each page's last write, counted over the writes of both sides.
    last_writes: [Vec<u64>; 2],
    writes: u64,
    /// Pages that may be newer on the host, in any order.
    written: [Vec<u32>; 2],
    buffer: wgpu::Buffer,
    /// The size of each space in the device buffer, in bytes.
    allocated: [u32; 2],
}

/// Host writes up to this many bytes are uploaded within a recording; larger ones are uploaded directly, after the
/// recording.
const RECORDED_UPLOAD_BYTES: usize = 1 << 18;
/// Maximum size of one upload in bytes.
const UPLOAD_BYTES: usize = 1 << 25;

impl From<DeviceError> for EngineError {
    fn from(error: DeviceError) -> Self {
        Self::Device { message: error.to_string() }
    }
}

impl MemoryMirror {
    /// Creates empty memory that can grow to these sizes.
    ///
    /// # Errors
    /// If a size exceeds the chip's, or the device fails.
    pub fn new(gpu: &Gpu, vram_bytes: u64, gart_bytes: u64) -> Result<Self, EngineError> {
        Ok(Self {
            host: GuestMemory::new(vram_bytes, gart_bytes)?,
            pages: [Vec::new(), Vec::new()],
            last_writes: [Vec::new(), Vec::new()],
            writes: 0,
            written: [Vec::new(), Vec::new()],
            buffer: gpu.buffer("guest memory", 0)?,
            allocated: [0, 0],
        })
    }

    /// Grows a space on the host; the device follows with the next dispatch.
    ///
    /// # Errors
    /// If the space is too small.
    pub fn grow(&mut self, space: MemorySpace, end: u64) -> Result<(), MemoryError> {
        let old_extent = self.host.extent(space);
        if self.host.grow(space, end)? {
            let pages = self.host.extent(space).div_ceil(PAGE_BYTES) as usize;
            // New bytes are zero on both sides: a fresh device buffer is zeroed.
            self.pages[space as usize].resize(pages, Page::Same);
            // A window that was clamped to the end of memory now covers more bytes.
            self.writes += 1;
            let last_writes = &mut self.last_writes[space as usize];
            last_writes.resize(pages, self.writes);
            last_writes[(old_extent / PAGE_BYTES) as usize..].fill(self.writes);
        }
        Ok(())
    }

    /// The current size of a space in bytes.
    #[must_use]
    pub fn extent(&self, space: MemorySpace) -> u32 {
        self.host.extent(space)
    }

    /// The device buffer; valid until memory grows.
    #[must_use]
    pub const fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The range of the buffer that a window covers, clamped to the end of memory; valid until memory grows.
    #[must_use]
    pub fn locate(&self, window: MemoryWindow) -> MirrorWindow {
        let window = self.host.clamp(window);
        let base = match window.space {
            MemorySpace::Vram => 0,
            MemorySpace::Gart => self.allocated[0],
        };
        MirrorWindow { start: if window.bytes == 0 { 0 } else { base + window.start }, bytes: window.bytes }
    }

    /// Whether kernels wrote any page of the window since the host last read it.
    #[must_use]
    pub fn is_device_newer(&self, window: MemoryWindow) -> bool {
        self.pages_of(window).any(|page| self.pages[window.space as usize][page] == Page::DeviceNewer)
    }

    /// Marks bytes that the host changes through [`MemoryMirror::host_mut`].
    pub fn mark_host_write(&mut self, window: MemoryWindow) {
        self.count_write(window);
        for page in self.pages_of(window) {
            let state = &mut self.pages[window.space as usize][page];
            if *state != Page::HostNewer {
                *state = Page::HostNewer;
                self.written[window.space as usize].push(u32::try_from(page).expect("memory is at most 1 GiB"));
            }
        }
    }

    /// Marks a window that the commands recorded next may change; the device must be up to date.
    pub fn mark_device_write(&mut self, window: MemoryWindow) {
        self.count_write(window);
        let pages = self.pages_of(window);
        self.pages[window.space as usize][pages].fill(Page::DeviceNewer);
    }

    fn count_write(&mut self, window: MemoryWindow) {
        self.writes += 1;
        let pages = self.pages_of(window);
        self.last_writes[window.space as usize][pages].fill(self.writes);
    }

    /// The number of writes by both sides.
    #[must_use]
    pub const fn writes(&self) -> u64 {
        self.writes
    }

    /// The number of the last write to any page of the window; 0 if there was none.
    #[must_use]
    pub fn last_write(&self, window: MemoryWindow) -> u64 {
        self.last_writes[window.space as usize][self.pages_of(window)].iter().copied().max().unwrap_or(0)
    }

    /// The start of each page of a window in the buffer, and the number of the page's last write.
    #[must_use]
    pub fn page_writes(&self, window: MemoryWindow) -> (u64, &[u64]) {
        let pages = self.pages_of(window);
        let first = self.base(window.space) + pages.start as u64 * u64::from(PAGE_BYTES);
        (first, &self.last_writes[window.space as usize][pages])
    }

    /// The host's copy; only pages for which [`MemoryMirror::is_device_newer`] is false are current.
    #[must_use]
    pub const fn host(&self) -> &GuestMemory {
        &self.host
    }

    /// The host's copy, for changes to pages that are current and are marked afterward.
    pub const fn host_mut(&mut self) -> &mut GuestMemory {
        &mut self.host
    }

    /// Brings the device up to date for the commands recorded next: grows its buffer and uploads the pages that the
    /// host wrote.
    ///
    /// # Errors
    /// If the device cannot hold that much.
    pub fn upload(&mut self, gpu: &Gpu, recording: &mut Recording) -> Result<(), EngineError> {
        if MemorySpace::ALL.iter().any(|space| self.extent(*space) > self.allocated[*space as usize]) {
            self.reallocate(gpu, recording)?;
        }
        if self.written.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let written: usize = self.written.iter().map(Vec::len).sum();
        if written * PAGE_BYTES as usize > RECORDED_UPLOAD_BYTES {
            gpu.flush(recording)?;
        }
        let is_straight = recording.is_empty();
        let mut sent = 0;
        for space in MemorySpace::ALL {
            let mut pages = std::mem::take(&mut self.written[space as usize]);
            pages.sort_unstable();
            pages.retain(|page| {
                let state = &mut self.pages[space as usize][*page as usize];
                std::mem::replace(state, if *state == Page::HostNewer { Page::Same } else { *state }) == Page::HostNewer
            });
            let base = self.base(space);
            for run in pages.chunk_by(|page, next| page + 1 == *next) {
                let start = run[0] as usize * PAGE_BYTES as usize;
                let end = (start + run.len() * PAGE_BYTES as usize).min(self.host.extent(space) as usize);
                let bytes = &self.host.bytes(space)[start..end];
                if !is_straight {
                    recording.upload(&self.buffer, base + start as u64, bytes)?;
                    continue;
                }
                // No recorded command can read these bytes too early.
                for (number, piece) in (0..).zip(bytes.chunks(UPLOAD_BYTES)) {
                    gpu.upload(&self.buffer, base + start as u64 + number * UPLOAD_BYTES as u64, piece);
                    sent += piece.len();
                    if sent >= UPLOAD_BYTES {
                        gpu.send();
                        sent = 0;
                    }
                }
            }
        }
        Ok(())
    }

    /// Creates a larger device buffer and copies the contents of the old one.
    fn reallocate(&mut self, gpu: &Gpu, recording: &mut Recording) -> Result<(), EngineError> {
        let extents = MemorySpace::ALL.map(|space| self.extent(space));
        // Growth by at least half keeps reallocations rare.
        let roomy = [0, 1].map(|space| {
            let old = self.allocated[space];
            let grown = if extents[space] > old { old.saturating_add(old / 2) } else { old };
            extents[space].max(grown.next_multiple_of(PAGE_BYTES))
        });
        let total = |sizes: [u32; 2]| u64::from(sizes[0]) + u64::from(sizes[1]);
        let is_roomy = total(roomy) <= gpu.summary().max_binding_bytes;
        let allocated = if is_roomy { roomy } else { extents };
        let buffer = gpu.buffer("guest memory", total(allocated))?;
        // Without spare room, the allocation of a space may shrink, but never below its extent.
        let kept = [0, 1].map(|space| u64::from(self.allocated[space].min(allocated[space])));
        recording.copy((&self.buffer, 0), (&buffer, 0), kept[0]);
        recording.copy((&self.buffer, u64::from(self.allocated[0])), (&buffer, u64::from(allocated[0])), kept[1]);
        self.buffer = buffer;
        self.allocated = allocated;
        // The old buffer is freed when the recording has run.
        Ok(gpu.flush(recording)?)
    }

    /// Zeroes all bytes of a window on both sides; the device must be up to date.
    ///
    /// # Errors
    /// If the device fails.
    pub fn clear(&mut self, gpu: &Gpu, recording: &mut Recording, window: MemoryWindow) -> Result<(), EngineError> {
        let window = self.host.clamp(window);
        let page = |address: u32| address.is_multiple_of(PAGE_BYTES);
        if page(window.start) && page(window.bytes) {
            recording.clear(&self.buffer, self.base(window.space) + u64::from(window.start), window.bytes.into());
            self.host.slice_mut(window).fill(0);
            self.count_write(window);
            let pages = self.pages_of(window);
            self.pages[window.space as usize][pages].fill(Page::Same);
            return Ok(());
        }
        self.download(gpu, recording, window)?;
        self.host.slice_mut(window).fill(0);
        self.mark_host_write(window);
        Ok(())
    }

    /// Brings the host's copy of a window up to date.
    ///
    /// # Errors
    /// If the device fails.
    pub fn download(&mut self, gpu: &Gpu, recording: &mut Recording, window: MemoryWindow) -> Result<(), EngineError> {
        let space = window.space;
        let range = self.pages_of(window);
        let base = self.base(space);
        for (first, count) in runs(&self.pages[space as usize][range.clone()], Page::DeviceNewer) {
            let first = first + range.start;
            let start = first * PAGE_BYTES as usize;
            let end = (start + count * PAGE_BYTES as usize).min(self.host.extent(space) as usize);
            let bytes = &mut self.host.bytes_mut(space)[start..end];
            gpu.read_back(recording, &self.buffer, base + start as u64, bytes)?;
            self.pages[space as usize][first..first + count].fill(Page::Same);
        }
        Ok(())
    }

    /// Brings the host's copy of the partly written edge pages up to date, before a write to the whole window.
    ///
    /// # Errors
    /// If the device fails.
    pub fn download_edges(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        window: MemoryWindow,
    ) -> Result<(), EngineError> {
        let window = self.host.clamp(window);
        if window.bytes == 0 {
            return Ok(());
        }
        let last = window.start + (window.bytes - 1);
        if !window.start.is_multiple_of(PAGE_BYTES) {
            self.download(gpu, recording, window.truncated(1))?;
        }
        if last % PAGE_BYTES != PAGE_BYTES - 1 {
            self.download(gpu, recording, window.from_offset(window.bytes - 1))?;
        }
        Ok(())
    }

    /// Offset of a space in the buffer.
    fn base(&self, space: MemorySpace) -> u64 {
        if space == MemorySpace::Vram { 0 } else { self.allocated[0].into() }
    }

    fn pages_of(&self, window: MemoryWindow) -> std::ops::Range<usize> {
        let window = self.host.clamp(window);
        if window.bytes == 0 {
            return 0..0;
        }
        let end = u64::from(window.start) + u64::from(window.bytes);
        (window.start / PAGE_BYTES) as usize
            ..usize::try_from(end.div_ceil(u64::from(PAGE_BYTES))).expect("memory is at most 1 GiB")
    }
}

/// The maximal runs of `wanted` in `pages`, as (first, count).
fn runs(pages: &[Page], wanted: Page) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (index, page) in pages.iter().enumerate() {
        if *page == wanted {
            match runs.last_mut() {
                Some((first, count)) if *first + *count == index => *count += 1,
                _ => runs.push((index, 1)),
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_maximal() {
        let pages = [Page::HostNewer, Page::HostNewer, Page::Same, Page::HostNewer];
        assert_eq!(runs(&pages, Page::HostNewer), [(0, 2), (3, 1)]);
        assert_eq!(runs(&pages, Page::DeviceNewer), []);
    }
}
