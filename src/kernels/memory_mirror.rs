//! Mirrors guest memory in one device buffer, with a host copy and a flag per page for the side that is newer.
//!
//! The buffer holds VRAM, then GART, each with room to grow; where one binding cannot hold both, it holds the pages that the
//! latest commands reached. Host writes stay on the host until the next dispatch. They are uploaded in runs of pages, in
//! stream order. Pages that kernels wrote are read back when the host needs them, or the buffer needs their place.

use std::ops::Range;

use super::resident_pages::{PageRun, ResidentPages, page_count, united};
use crate::gpu::{DeviceError, Gpu, Recording};
use crate::memory::{GuestMemory, MemoryError, MemorySpace, MemoryWindow, PAGE_BYTES};
use crate::pipeline::EngineError;

/// A window of guest memory as a range of the mirror's buffer, clamped to the end of memory. If the buffer does not hold all of
/// memory, it holds the bytes that the current command reaches, counted from the start of the window.
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
    layout: Layout,
    /// The largest size of the buffer.
    max_bytes: u32,
    /// The bytes that were copied from one buffer to the next, larger one.
    moved_bytes: u64,
}

/// What the device buffer holds.
#[derive(Debug)]
enum Layout {
    /// All of VRAM, then all of GART.
    Whole {
        /// The room for each space, in bytes.
        allocated: [u32; 2],
    },
    /// The pages that the latest commands reached.
    Paged(ResidentPages),
}

/// The guest memory that a command reaches: windows from the start that kernels are given to the last byte that they access.
pub type Reached<'a> = &'a dyn Fn() -> Vec<MemoryWindow>;

/// Host writes up to this many bytes are uploaded within a recording; larger ones are uploaded directly, after the
/// recording.
const RECORDED_UPLOAD_BYTES: usize = 1 << 18;
/// The fewest pages of the buffer: a report may lie in two.
const MIN_PAGES: u32 = 2;
/// Maximum size of one upload in bytes.
const UPLOAD_BYTES: usize = 1 << 25;

impl From<DeviceError> for EngineError {
    fn from(error: DeviceError) -> Self {
        Self::Device { message: error.to_string() }
    }
}

impl MemoryMirror {
    /// Creates empty memory that can grow to these sizes. The device holds at most `max_bytes` of it, and no more than it binds.
    ///
    /// # Errors
    /// If a size exceeds the chip's, or the device fails.
    pub fn new(gpu: &Gpu, vram_bytes: u64, gart_bytes: u64, max_bytes: u64) -> Result<Self, EngineError> {
        let max_bytes = max_bytes.min(gpu.summary().max_binding_bytes).min(u32::MAX.into());
        let max_pages = u32::try_from(max_bytes).unwrap_or(u32::MAX) / PAGE_BYTES;
        Ok(Self {
            host: GuestMemory::new(vram_bytes, gart_bytes)?,
            pages: [Vec::new(), Vec::new()],
            last_writes: [Vec::new(), Vec::new()],
            writes: 0,
            written: [Vec::new(), Vec::new()],
            buffer: gpu.buffer("guest memory", 0)?,
            layout: Layout::Whole { allocated: [0, 0] },
            max_bytes: max_pages.max(MIN_PAGES) * PAGE_BYTES,
            moved_bytes: 0,
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
            if let Layout::Paged(resident) = &mut self.layout {
                resident.grow(space, pages);
            }
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

    /// The device buffer; valid until the next upload.
    #[must_use]
    pub const fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The most bytes of guest memory that the device holds at once.
    #[must_use]
    pub const fn max_bytes(&self) -> u32 {
        self.max_bytes
    }

    /// The bytes that were copied on the device because memory grew.
    #[must_use]
    pub const fn moved_bytes(&self) -> u64 {
        self.moved_bytes
    }

    /// The range of the buffer that a window covers, clamped to the end of memory; valid until the next upload.
    #[must_use]
    pub fn locate(&self, window: MemoryWindow) -> MirrorWindow {
        let window = self.host.clamp(window);
        if window.bytes == 0 {
            return MirrorWindow::default();
        }
        // Kernels access no window that the buffer lacks; its alignment counts all the same.
        let page = self.place(window.space, window.start / PAGE_BYTES).unwrap_or(0);
        MirrorWindow { start: page + window.start % PAGE_BYTES, bytes: window.bytes }
    }

    /// Whether the device can hold all that a command reaches at once.
    #[must_use]
    pub fn can_hold(&self, reached: Reached<'_>) -> bool {
        let all: u64 = MemorySpace::ALL.iter().map(|space| u64::from(self.extent(*space))).sum();
        all <= self.max_bytes.into()
            || page_count(&self.runs_of(&reached())) * u64::from(PAGE_BYTES) <= self.max_bytes.into()
    }

    /// Whether the device holds a window already.
    #[must_use]
    pub fn holds(&self, window: MemoryWindow) -> bool {
        match &self.layout {
            Layout::Whole { .. } => true,
            Layout::Paged(resident) => resident.holds(&PageRun::of_window(self.host.clamp(window))),
        }
    }

    /// The first byte of a page in the buffer, if it is there.
    fn place(&self, space: MemorySpace, page: u32) -> Option<u32> {
        match &self.layout {
            Layout::Whole { allocated } => {
                Some(if space == MemorySpace::Vram { 0 } else { allocated[0] } + page * PAGE_BYTES)
            }
            Layout::Paged(resident) => resident.slot(space, page).map(|slot| slot * PAGE_BYTES),
        }
    }

    fn runs_of(&self, windows: &[MemoryWindow]) -> Vec<PageRun> {
        united(windows.iter().map(|window| PageRun::of_window(self.host.clamp(*window))))
    }

    /// The parts of consecutive pages that follow one another in the buffer, with the first byte of each there; pages that
    /// are not in the buffer are left out.
    fn parts(&self, space: MemorySpace, pages: Range<usize>) -> Vec<(Range<usize>, u64)> {
        let mut parts: Vec<(Range<usize>, u64)> = Vec::new();
        for page in pages {
            let number = u32::try_from(page).expect("memory is at most 1 GiB");
            let Some(place) = self.place(space, number).map(u64::from) else { continue };
            match parts.last_mut() {
                Some((part, first)) if part.end == page && *first + bytes_of(part.len()) == place => part.end += 1,
                _ => parts.push((page..page + 1, place)),
            }
        }
        parts
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
        debug_assert!(self.holds(window), "kernels write what the device holds");
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

    /// The start of a window's first page in the buffer, and the number of the last write to each of its pages; the buffer
    /// holds the window.
    #[must_use]
    pub fn page_writes(&self, window: MemoryWindow) -> (u64, &[u64]) {
        let window = self.host.clamp(window);
        let first = u64::from(self.locate(window).start) / u64::from(PAGE_BYTES) * u64::from(PAGE_BYTES);
        (first, &self.last_writes[window.space as usize][self.pages_of(window)])
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

    /// Brings the device up to date for the command recorded next, which [can be held](Self::can_hold): grows its buffer or
    /// lets pages enter it, and uploads those that the host wrote.
    ///
    /// # Errors
    /// If the device fails.
    pub fn upload(&mut self, gpu: &Gpu, recording: &mut Recording, reached: Reached<'_>) -> Result<(), EngineError> {
        if let Layout::Whole { allocated } = self.layout
            && MemorySpace::ALL.iter().any(|space| self.extent(*space) > allocated[*space as usize])
        {
            self.reallocate(gpu, recording, allocated)?;
        }
        if let Layout::Paged(resident) = &self.layout {
            let runs = self.runs_of(&reached());
            let (size, limit) = (page_count(&runs) * u64::from(PAGE_BYTES), u64::from(self.max_bytes));
            if size > limit {
                return Err(EngineError::TooLarge { what: "memory that a command reaches", size, limit });
            }
            for (run, first) in resident.plan(&runs) {
                self.enter(gpu, recording, &run, first)?;
            }
        }
        self.upload_written(gpu, recording)
    }

    /// Lets a run of pages enter the buffer, where others leave it; the host then has the newer side of each.
    fn enter(&mut self, gpu: &Gpu, recording: &mut Recording, run: &PageRun, first: u32) -> Result<(), EngineError> {
        let Layout::Paged(resident) = &self.layout else { return Ok(()) };
        for leaving in resident.leaving(run, first) {
            self.download(gpu, recording, leaving.window())?;
        }
        let Layout::Paged(resident) = &mut self.layout else { return Ok(()) };
        let arriving = resident.place(run, first);
        // What is known about the slots' earlier pages does not hold for these.
        self.writes += 1;
        for page in arriving {
            self.last_writes[run.space as usize][page as usize] = self.writes;
            self.pages[run.space as usize][page as usize] = Page::HostNewer;
            self.written[run.space as usize].push(page);
        }
        Ok(())
    }

    /// Uploads the pages in the buffer that the host wrote; the others wait until they enter it.
    fn upload_written(&mut self, gpu: &Gpu, recording: &mut Recording) -> Result<(), EngineError> {
        if self.written.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let mut parts = Vec::new();
        let mut count = 0;
        for space in MemorySpace::ALL {
            let mut pages = std::mem::take(&mut self.written[space as usize]);
            pages.sort_unstable();
            pages.dedup();
            pages.retain(|page| self.pages[space as usize][*page as usize] == Page::HostNewer);
            for run in pages.chunk_by(|page, next| page + 1 == *next) {
                let first = run[0] as usize;
                for (pages, place) in self.parts(space, first..first + run.len()) {
                    self.pages[space as usize][pages.clone()].fill(Page::Same);
                    count += pages.len();
                    parts.push((space, pages, place));
                }
            }
        }
        if count * PAGE_BYTES as usize > RECORDED_UPLOAD_BYTES {
            gpu.flush(recording)?;
        }
        let is_straight = recording.is_empty();
        let mut sent = 0;
        for (space, pages, place) in parts {
            let bytes = &self.host.bytes(space)[self.bytes_of_pages(space, &pages)];
            if !is_straight {
                recording.upload(&self.buffer, place, bytes)?;
                continue;
            }
            // No recorded command can read these bytes too early.
            for (number, piece) in (0..).zip(bytes.chunks(UPLOAD_BYTES)) {
                gpu.upload(&self.buffer, place + number * UPLOAD_BYTES as u64, piece);
                sent += piece.len();
                if sent >= UPLOAD_BYTES {
                    gpu.send();
                    sent = 0;
                }
            }
        }
        Ok(())
    }

    /// Creates a larger device buffer and copies the contents of the old one, or begins to let pages enter and leave.
    fn reallocate(&mut self, gpu: &Gpu, recording: &mut Recording, old: [u32; 2]) -> Result<(), EngineError> {
        let extents = MemorySpace::ALL.map(|space| self.extent(space));
        // Room for half as much again, in both spaces, keeps reallocations rare; many streams need the first one only.
        let room = |extent: u32| if old == [0, 0] { 0 } else { (extent / 2).next_multiple_of(PAGE_BYTES) };
        let allocated = extents.map(|extent| extent.saturating_add(room(extent)));
        let total = allocated.into_iter().map(u64::from).sum::<u64>();
        if total > self.max_bytes.into() {
            for space in MemorySpace::ALL {
                self.download(gpu, recording, MemoryWindow { space, start: 0, bytes: u32::MAX })?;
            }
            let mut resident = ResidentPages::new(self.max_bytes / PAGE_BYTES);
            for space in MemorySpace::ALL {
                resident.grow(space, self.pages[space as usize].len());
            }
            self.layout = Layout::Paged(resident);
            self.buffer = gpu.buffer("guest memory", self.max_bytes.into())?;
            return Ok(());
        }
        let buffer = gpu.buffer("guest memory", total)?;
        // What lies beyond the extent is zero in both.
        let kept = [0, 1].map(|space| u64::from(old[space].min(extents[space])));
        recording.copy((&self.buffer, 0), (&buffer, 0), kept[0]);
        recording.copy((&self.buffer, u64::from(old[0])), (&buffer, u64::from(allocated[0])), kept[1]);
        self.moved_bytes += kept[0] + kept[1];
        self.buffer = buffer;
        self.layout = Layout::Whole { allocated };
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
            for (pages, place) in self.parts(window.space, self.pages_of(window)) {
                recording.clear(&self.buffer, place, bytes_of(pages.len()));
            }
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
        for (first, count) in runs(&self.pages[space as usize][range.clone()], Page::DeviceNewer) {
            let first = first + range.start;
            for (pages, place) in self.parts(space, first..first + count) {
                let bytes = self.bytes_of_pages(space, &pages);
                gpu.read_back(recording, &self.buffer, place, &mut self.host.bytes_mut(space)[bytes])?;
                self.pages[space as usize][pages].fill(Page::Same);
            }
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

    /// The existing bytes of pages.
    fn bytes_of_pages(&self, space: MemorySpace, pages: &Range<usize>) -> Range<usize> {
        let end = pages.end * PAGE_BYTES as usize;
        pages.start * PAGE_BYTES as usize..end.min(self.host.extent(space) as usize)
    }

    fn pages_of(&self, window: MemoryWindow) -> Range<usize> {
        let window = self.host.clamp(window);
        if window.bytes == 0 {
            return 0..0;
        }
        let end = u64::from(window.start) + u64::from(window.bytes);
        (window.start / PAGE_BYTES) as usize
            ..usize::try_from(end.div_ceil(u64::from(PAGE_BYTES))).expect("memory is at most 1 GiB")
    }
}

/// The bytes of this many pages.
const fn bytes_of(pages: usize) -> u64 {
    pages as u64 * PAGE_BYTES as u64
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
