//! Guest memory on the device, with a host copy and a record, page by page, of which side is newer.
//!
//! The heap is one storage buffer: all of VRAM's extent, then all of GART's. Host writes are kept on the host until the
//! next dispatch and travel in runs of pages; pages that kernels wrote are read back when the host needs them.

use super::HeapWindow;
use crate::gpu::{DeviceError, Gpu};
use crate::memory::{GuestMemory, MemoryError, MemorySpace, MemoryWindow, PAGE_BYTES};
use crate::work::EngineError;

/// Which side holds the current bytes of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    /// Both sides agree.
    Same,
    /// The host wrote it; the device has older bytes.
    HostNewer,
    /// Kernels wrote it; the host has older bytes.
    DeviceNewer,
}

/// Guest memory, on both sides.
#[derive(Debug)]
pub struct Heap {
    host: GuestMemory,
    pages: [Vec<Page>; 2],
    buffer: wgpu::Buffer,
    /// Extents that the device buffer was made for, in bytes.
    allocated: [u32; 2],
}

impl From<DeviceError> for EngineError {
    fn from(error: DeviceError) -> Self {
        Self::Device { message: error.to_string() }
    }
}

impl Heap {
    /// Creates empty memory that can grow to these sizes.
    ///
    /// # Errors
    /// When a size is beyond the chip, or the device fails.
    pub fn new(gpu: &Gpu, vram_bytes: u64, gart_bytes: u64) -> Result<Self, EngineError> {
        Ok(Self {
            host: GuestMemory::new(vram_bytes, gart_bytes)?,
            pages: [Vec::new(), Vec::new()],
            buffer: gpu.buffer("guest memory", 0)?,
            allocated: [0, 0],
        })
    }

    /// Grows a space on the host; the device follows with the next dispatch.
    ///
    /// # Errors
    /// When the space is too small.
    pub fn grow(&mut self, space: MemorySpace, end: u64) -> Result<(), MemoryError> {
        if self.host.grow(space, end)? {
            let pages = self.host.extent(space).div_ceil(PAGE_BYTES) as usize;
            // New bytes are zero on both sides: a fresh device buffer is zeroed.
            self.pages[space as usize].resize(pages, Page::Same);
        }
        Ok(())
    }

    /// How many bytes of a space exist.
    #[must_use]
    pub fn extent(&self, space: MemorySpace) -> u32 {
        self.host.extent(space)
    }

    /// The device's buffer; valid until memory grows.
    #[must_use]
    pub const fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The range of the heap that a window covers, cut off where memory ends.
    #[must_use]
    pub fn locate(&self, window: MemoryWindow) -> HeapWindow {
        let window = self.host.clamp(window);
        let base = match window.space {
            MemorySpace::Vram => 0,
            MemorySpace::Gart => self.host.extent(MemorySpace::Vram),
        };
        HeapWindow { start: if window.bytes == 0 { 0 } else { base + window.start }, bytes: window.bytes }
    }

    /// Whether kernels wrote any page of the window since the host last saw it.
    #[must_use]
    pub fn is_device_newer(&self, window: MemoryWindow) -> bool {
        self.pages_of(window).any(|page| self.pages[window.space as usize][page] == Page::DeviceNewer)
    }

    /// Notes that the host changes these bytes of [`Heap::host_mut`].
    pub fn mark_host_write(&mut self, window: MemoryWindow) {
        for page in self.pages_of(window) {
            self.pages[window.space as usize][page] = Page::HostNewer;
        }
    }

    /// Notes that the next dispatch may change any byte of the window.
    pub fn mark_device_write(&mut self, window: MemoryWindow) {
        for page in self.pages_of(window) {
            self.pages[window.space as usize][page] = Page::DeviceNewer;
        }
    }

    /// The host's copy; only pages for which [`Heap::is_device_newer`] is false are current.
    #[must_use]
    pub const fn host(&self) -> &GuestMemory {
        &self.host
    }

    /// The host's copy, to change pages that are current and then marked.
    pub const fn host_mut(&mut self) -> &mut GuestMemory {
        &mut self.host
    }

    /// Brings the device up to date: grows its buffer and sends the pages that the host wrote.
    ///
    /// Every recording made before must have been submitted.
    ///
    /// # Errors
    /// When the device cannot hold that much.
    pub fn upload(&mut self, gpu: &Gpu) -> Result<(), EngineError> {
        let extents = MemorySpace::ALL.map(|space| self.extent(space));
        if self.allocated != extents {
            let total = u64::from(extents[0]) + u64::from(extents[1]);
            let buffer = gpu.buffer("guest memory", total)?;
            let mut recording = gpu.record();
            recording.copy((&self.buffer, 0), (&buffer, 0), u64::from(self.allocated[0]));
            let (old_base, new_base) = (u64::from(self.allocated[0]), u64::from(extents[0]));
            recording.copy((&self.buffer, old_base), (&buffer, new_base), u64::from(self.allocated[1]));
            gpu.submit(recording)?;
            self.buffer = buffer;
            self.allocated = extents;
        }
        for space in MemorySpace::ALL {
            let base = if space == MemorySpace::Vram { 0 } else { u64::from(extents[0]) };
            for (first, count) in runs(&self.pages[space as usize], Page::HostNewer) {
                let start = first * PAGE_BYTES as usize;
                let end = (start + count * PAGE_BYTES as usize).min(self.host.extent(space) as usize);
                gpu.upload(&self.buffer, base + start as u64, &self.host.bytes(space)[start..end]);
                self.pages[space as usize][first..first + count].fill(Page::Same);
            }
        }
        Ok(())
    }

    /// Brings the host's copy of a window up to date.
    ///
    /// Every recording made before must have been submitted.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&mut self, gpu: &Gpu, window: MemoryWindow) -> Result<(), EngineError> {
        let space = window.space;
        let range = self.pages_of(window);
        let base = if space == MemorySpace::Vram { 0 } else { u64::from(self.allocated[0]) };
        for (first, count) in runs(&self.pages[space as usize][range.clone()], Page::DeviceNewer) {
            let first = first + range.start;
            let start = first * PAGE_BYTES as usize;
            let end = (start + count * PAGE_BYTES as usize).min(self.host.extent(space) as usize);
            gpu.download(&self.buffer, base + start as u64, &mut self.host.bytes_mut(space)[start..end])?;
            self.pages[space as usize][first..first + count].fill(Page::Same);
        }
        Ok(())
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
