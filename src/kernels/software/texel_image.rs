//! Copies the memory that draws sample into a storage image, which software adapters load words from several times
//! faster than from a buffer (`docs/performance.md`).

use crate::gpu::{DeviceError, Gpu, Recording};
use crate::kernels::memory_mirror::MemoryMirror;
use crate::memory::{MemoryWindow, PAGE_BYTES};

/// Words per row of the image, as in `wgsl/software/texel_image.wgsl`.
const ROW_WORDS: u32 = 1 << 14;
const ROW_BYTES: u64 = 4 * ROW_WORDS as u64;

/// The image, and the part of guest memory that it holds.
#[derive(Debug)]
pub struct TexelImage {
    /// Maximum number of rows on the adapter.
    max_rows: u32,
    image: Option<(wgpu::Texture, wgpu::TextureView)>,
    /// The number of the last write to each page of the mirror that the image includes.
    seen: Vec<u64>,
    /// The mirror that the image copies.
    mirrored: Option<wgpu::Buffer>,
}

impl TexelImage {
    /// Creates an image for a device; `None` if kernels should read buffers.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Option<Self> {
        let max_rows = gpu.image_rows(ROW_WORDS)?;
        Some(Self { max_rows, image: None, seen: Vec::new(), mirrored: None })
    }

    /// Whether the image can be as large as the mirror.
    #[must_use]
    pub fn fits(&self, memory: &MemoryMirror) -> bool {
        memory.buffer().size() <= u64::from(self.max_rows) * ROW_BYTES
    }

    /// The view that kernels bind, once the image was refreshed.
    #[must_use]
    pub fn view(&self) -> Option<&wgpu::TextureView> {
        self.image.as_ref().map(|(_, view)| view)
    }

    /// Records copies of the pages of these windows that were written since their last copy; the device must be up to
    /// date. Afterwards there is an image, even if the windows hold nothing.
    ///
    /// # Errors
    /// If the device fails.
    pub fn refresh(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        memory: &MemoryMirror,
        windows: impl IntoIterator<Item = MemoryWindow>,
    ) -> Result<(), DeviceError> {
        if self.mirrored.as_ref() != Some(memory.buffer()) {
            self.mirrored = Some(memory.buffer().clone());
            self.image = None;
        }
        let bytes = u64::from(PAGE_BYTES);
        let end_of = |first: u64, writes: &[u64]| (first + writes.len() as u64 * bytes).min(memory.buffer().size());
        let ranges = windows.into_iter().map(|window| memory.page_writes(window));
        let ranges: Vec<_> = ranges.filter(|(_, writes)| !writes.is_empty()).collect();
        // A larger image keeps no contents of the previous one, so it grows before any copy.
        let end = ranges.iter().map(|(first, writes)| end_of(*first, writes)).max();
        self.grow(gpu, end.unwrap_or(1))?;
        let Some((image, _)) = &self.image else { return Ok(()) };
        for (first, writes) in ranges {
            let end = end_of(first, writes);
            // The second space starts at any multiple of 4.
            let number = usize::try_from(first / bytes).expect("memory has less than 2³² bytes");
            let seen = &mut self.seen[number..number + writes.len()];
            let mut start = 0;
            while start < writes.len() {
                let is_stale = |index: &usize| seen[*index] != writes[*index];
                let count = (start..writes.len()).take_while(is_stale).count();
                if count != 0 {
                    let range = first + start as u64 * bytes..(first + (start + count) as u64 * bytes).min(end);
                    copy_rows(recording, memory.buffer(), image, range);
                    seen[start..start + count].copy_from_slice(&writes[start..start + count]);
                }
                start += count.max(1);
            }
        }
        Ok(())
    }

    /// Grows the image to cover the mirror up to `end`.
    fn grow(&mut self, gpu: &Gpu, end: u64) -> Result<(), DeviceError> {
        let rows = u32::try_from(end.div_ceil(ROW_BYTES)).expect("memory has less than 2³² bytes");
        let old = self.image.as_ref().map_or(0, |(image, _)| image.height());
        if rows > old {
            // Llvmpipe recompiles kernels for images with a side that is no power of two.
            let rows = rows.next_power_of_two().min(self.max_rows);
            self.image = Some(gpu.word_image("texture memory", [ROW_WORDS, rows])?);
            self.seen.clear();
        }
        // A space that does not start at a page has one page more.
        let pages = usize::try_from(u64::from(rows.max(old)) * ROW_BYTES / u64::from(PAGE_BYTES) + 2);
        self.seen.resize(pages.expect("memory has less than 2³² bytes"), 0);
        Ok(())
    }
}

/// Copies bytes of the mirror to the image: the rest of the first row, whole rows, the start of the last.
fn copy_rows(recording: &mut Recording, memory: &wgpu::Buffer, image: &wgpu::Texture, range: std::ops::Range<u64>) {
    let mut start = range.start & !3;
    while start < range.end {
        let column = start % ROW_BYTES;
        let left = range.end - start;
        let (bytes, rows) = match column {
            0 if left >= ROW_BYTES => (ROW_BYTES, left / ROW_BYTES),
            _ => (left.min(ROW_BYTES - column), 1),
        };
        let [x, y, width, height] = [column / 4, start / ROW_BYTES, bytes.div_ceil(4), rows]
            .map(|count| u32::try_from(count).expect("memory has less than 2³² bytes"));
        recording.copy_to_image((memory, start), (image, [x, y]), [width, height]);
        start += bytes * rows;
    }
}
