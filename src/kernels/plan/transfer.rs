//! Turns clears, copies, reports and fences into dispatches over guest memory.
//!
//! Every kernel gives each invocation whole words of the destination, so that no two invocations write the same word.

use std::borrow::Cow;

use bytemuck::{Pod, Zeroable};

use super::surface_layout::LayoutParameters;
use crate::kernels::memory_mirror::{Locate, MirrorWindow};
use crate::memory::MemoryWindow;
use crate::memory::block_linear::{GOB, GOB_BYTES};
use crate::pipeline::{
    Clear, ColorTarget, CounterReport, EngineError, LayoutKind, MemoryCopy, Rect, ReportedCounter, SurfaceLayout,
};

const FILL_SURFACE: &str = include_str!("../../../wgsl/blit/fill_surface.wgsl");
const FILL_ROWS: &str = include_str!("../../../wgsl/blit/fill_rows.wgsl");
const FILL_BLOCKS: &str = include_str!("../../../wgsl/blit/fill_blocks.wgsl");
const FILL_ROW_BLOCKS: &str = include_str!("../../../wgsl/software/fill_row_blocks.wgsl");
const WRITE_WORDS: &str = include_str!("../../../wgsl/blit/write_words.wgsl");
const COPY_MEMORY: &str = include_str!("../../../wgsl/blit/copy_memory.wgsl");

/// Invocations per workgroup, as in the kernels.
pub(in crate::kernels) const GROUP: u32 = 64;
/// Maximum number of workgroups along x; further ones go along y.
const GROUPS_ALONG_X: u32 = 1 << 15;

/// One dispatch over guest memory with its parameters; reports also read the sample counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferDispatch {
    /// The kernel.
    pub kernel: TransferKernel,
    /// The bytes of its parameters.
    pub parameters: Vec<u8>,
    /// Workgroup counts.
    pub workgroups: [u32; 3],
    /// The contents of the source buffer during the dispatch.
    pub source_copy: SourceCopy,
}

/// A transfer kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TransferKernel {
    /// `fill_surface`.
    FillSurface,
    /// `fill_rows`.
    FillRows,
    /// `fill_blocks`.
    FillBlocks,
    /// `fill_row_blocks`.
    FillRowBlocks,
    /// `write_words`.
    WriteWords,
    /// `copy_memory`, reading through this module.
    CopyMemory(&'static str),
    /// `scale_image` with this text.
    ScaleImage(String),
}

impl TransferKernel {
    /// The kernel's name.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::FillSurface => "fill_surface",
            Self::FillRows => "fill_rows",
            Self::FillBlocks => "fill_blocks",
            Self::FillRowBlocks => "fill_row_blocks",
            Self::WriteWords => "write_words",
            Self::CopyMemory(_) => "copy_memory",
            Self::ScaleImage(_) => "scale_image",
        }
    }

    /// The kernel's WGSL text.
    #[must_use]
    pub fn source(&self) -> Cow<'_, str> {
        match self {
            Self::FillSurface => FILL_SURFACE.into(),
            Self::FillRows => FILL_ROWS.into(),
            Self::FillBlocks => FILL_BLOCKS.into(),
            Self::FillRowBlocks => FILL_ROW_BLOCKS.into(),
            Self::WriteWords => WRITE_WORDS.into(),
            Self::CopyMemory(module) => {
                format!("import package::{module}::{{load_source_u8, load_source_u32}};\n{COPY_MEMORY}").into()
            }
            Self::ScaleImage(text) => text.into(),
        }
    }
}

/// The contents of the source buffer during a dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceCopy {
    /// Anything: it is not read.
    Unused,
    /// A range of guest memory, a multiple of 4 in start and size, copied beforehand.
    Memory(MirrorWindow),
    /// These words.
    Words(Vec<u32>),
}

/// Parameters of `fill_surface`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct FillParameters {
    pub zero: u32,
    pub start: u32,
    pub bytes: u32,
    pub first_word: u32,
    pub word_count: u32,
    pub pixel_bytes: u32,
    pub order: LayoutParameters,
    pub left: u32,
    pub top: u32,
    pub right: u32,
    pub bottom: u32,
    pub padding: [u32; 2],
    pub values: [u32; 4],
    pub masks: [u32; 4],
}

/// Parameters of `write_words`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct WordsParameters {
    pub counter: u32,
    pub start: u32,
    pub count: u32,
    pub counter_word: u32,
    pub values: [u32; 4],
    pub factor: u32,
    pub padding: [u32; 3],
}

/// Parameters of `copy_memory`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct CopyParameters {
    pub zero: u32,
    pub source_start: u32,
    pub source_bytes: u32,
    pub source_pitch: u32,
    pub source_increment: u32,
    pub destination_start: u32,
    pub destination_bytes: u32,
    pub destination_pitch: u32,
    pub destination_increment: u32,
    pub line_length: u32,
    pub line_count: u32,
    pub first_word: u32,
    pub word_count: u32,
}

/// The words of guest memory that hold bytes `first..end` of a window (first word and count), and the workgroups that
/// cover them.
pub(in crate::kernels) fn words_of(window: MirrorWindow, first: u64, end: u64) -> (u32, u32, [u32; 3]) {
    let end = end.min(u64::from(window.bytes));
    if first >= end {
        return (0, 0, [0; 3]);
    }
    let start = u64::from(window.start);
    let first_word = (start + first) / 4;
    let count = (start + end).div_ceil(4) - first_word;
    // An address in the mirror has 32 bits, so word numbers have 30.
    let narrow = |value: u64| u32::try_from(value).expect("guest memory has at most 4 GiB");
    let groups = narrow(count).div_ceil(GROUP);
    let along_x = groups.min(GROUPS_ALONG_X);
    (narrow(first_word), narrow(count), [along_x, groups.div_ceil(along_x), 1])
}

/// The byte range of a surface from the first to behind the last pixel of a rectangle.
pub(in crate::kernels) fn pixel_span(layout: SurfaceLayout, rect: Rect, bytes: u32) -> (u64, u64) {
    let end = layout.span_bytes(rect.x + rect.width, rect.y + rect.height, bytes);
    match layout {
        SurfaceLayout::Linear { pitch_bytes } => {
            (u64::from(rect.y) * u64::from(pitch_bytes) + u64::from(rect.x) * u64::from(bytes), end)
        }
        SurfaceLayout::Swizzled { .. } => (0, end),
        SurfaceLayout::BlockLinear { .. } => (layout.word_range(rect, bytes).start, end),
    }
}

/// The most runs of a surface in blocks that are copied; a kernel takes less time for more.
const BLOCK_RUNS: usize = 256;

/// Values for the pixel words of a rectangle, and the bits to write in each.
fn fill(
    window: MirrorWindow,
    layout: SurfaceLayout,
    bytes: u32,
    rect: Rect,
    (values, masks): ([u32; 4], [u32; 4]),
) -> TransferDispatch {
    let (first, end) = pixel_span(layout, rect, bytes);
    // The last word may reach beyond a swizzled surface, which does not cut the rectangle.
    let window = if matches!(layout, SurfaceLayout::Swizzled { .. }) { shortened(window, end) } else { window };
    let (first_word, word_count, workgroups) = words_of(window, first, end);
    let (right, bottom) = (rect.x + rect.width, rect.y + rect.height);
    let parameters = FillParameters {
        zero: 0,
        start: window.start,
        bytes: window.bytes,
        first_word,
        word_count,
        pixel_bytes: bytes,
        order: LayoutParameters::of_offsets(layout, bottom),
        left: rect.x,
        top: rect.y,
        right,
        bottom,
        padding: [0; 2],
        values,
        masks,
    };
    let (kernel, workgroups) = if let Some(words) = parameters.row_words() {
        (TransferKernel::FillRows, [words.div_ceil(4 * GROUP), rect.height, 1])
    } else if let Some(parts) = parameters.block_parts().filter(|_| end <= u64::from(u32::MAX)) {
        (TransferKernel::FillBlocks, [parts.div_ceil(GROUP), rect.height, 1])
    } else {
        (TransferKernel::FillSurface, workgroups)
    };
    TransferDispatch {
        kernel,
        parameters: bytemuck::bytes_of(&parameters).to_vec(),
        workgroups,
        source_copy: SourceCopy::Unused,
    }
}

impl FillParameters {
    /// The number of words in a row, if the pixels of linear rows are whole words.
    fn row_words(&self) -> Option<u32> {
        let Self { start, pixel_bytes, order, left, top, right, bottom, .. } = *self;
        let pitch_bytes = order.row;
        let is_whole = order.kind == LayoutKind::Linear as u32
            && matches!(pixel_bytes, 4 | 8 | 16)
            && start.is_multiple_of(4)
            && pitch_bytes.is_multiple_of(4)
            && u64::from(right) * u64::from(pixel_bytes) <= u64::from(pitch_bytes)
            && bottom - top <= 0xffff
            && u64::from(bottom) * u64::from(pitch_bytes) <= u64::from(u32::MAX);
        is_whole.then(|| (right - left) * (pixel_bytes / 4))
    }

    /// The number of parts of sixteen bytes in a row of blocks of gobs, if whole words of it are accessible.
    fn block_parts(&self) -> Option<u32> {
        let Self { start, bytes, pixel_bytes, order, left, top, right, bottom, .. } = *self;
        let row_bytes = (u64::from(order.row) * u64::from(GOB[0])) << (order.log2_size & 0xff);
        let is_inside = order.kind == LayoutKind::BlockLinear as u32
            && pixel_bytes <= 16
            && pixel_bytes.is_power_of_two()
            && start.is_multiple_of(4)
            && bytes.is_multiple_of(4)
            && u64::from(right) * u64::from(pixel_bytes) <= row_bytes
            && bottom - top <= 0xffff;
        is_inside.then(|| (right * pixel_bytes).div_ceil(16) - left * pixel_bytes / 16)
    }

    /// The offset and the bytes of each row.
    fn for_rows(&self, add: &mut dyn FnMut(u64, u64) -> usize) {
        let [left, right, pitch] = [self.left * self.pixel_bytes, self.right * self.pixel_bytes, self.order.row];
        for row in self.top..self.bottom {
            add(u64::from(row) * u64::from(pitch) + u64::from(left), (right - left).into());
        }
    }

    /// The offset and the bytes of each gob, in their order; `None` if the rectangle cuts one, or there are too many runs, whose number
    /// `add` returns.
    fn for_gobs(&self, add: &mut dyn FnMut(u64, u64) -> usize) -> Option<()> {
        let Self { order, left, top, right, bottom, pixel_bytes, .. } = *self;
        let [left, right] = [left, right].map(|column| u64::from(column) * u64::from(pixel_bytes));
        let [top, bottom] = [top, bottom].map(u64::from);
        let [gob_width, gob_height, _] = GOB.map(u64::from);
        let is_whole = [left, right].iter().all(|column| column.is_multiple_of(gob_width))
            && [top, bottom].iter().all(|row| row.is_multiple_of(gob_height));
        if !is_whole {
            return None;
        }
        let [log2_width, log2_height, log2_depth] = [0, 8, 16].map(|shift| order.log2_size >> shift & 0xff);
        // Ranges of gobs; a block has a power of two of them along each side.
        let [columns, rows] = [left / gob_width..right / gob_width, top / gob_height..bottom / gob_height];
        let blocks = |gobs: &std::ops::Range<u64>, log2: u32| gobs.start >> log2..((gobs.end - 1) >> log2) + 1;
        let within = |gobs: &std::ops::Range<u64>, block: u64, log2: u32| {
            gobs.start.max(block << log2)..gobs.end.min((block + 1) << log2)
        };
        if columns.is_empty() || rows.is_empty() {
            return Some(());
        }
        for block_row in blocks(&rows, log2_height) {
            for block_column in blocks(&columns, log2_width) {
                let block = block_row * u64::from(order.row) + block_column;
                let block_gobs = block << (log2_width + log2_height + log2_depth);
                for row in within(&rows, block_row, log2_height) {
                    for column in within(&columns, block_column, log2_width) {
                        let [x, y] = [column & ((1 << log2_width) - 1), row & ((1 << log2_height) - 1)];
                        let gob = block_gobs + (x | y << log2_width);
                        let bytes = u64::from(GOB_BYTES);
                        if add(u64::from(order.first) + gob * bytes, bytes) > BLOCK_RUNS {
                            return None;
                        }
                    }
                }
            }
        }
        Some(())
    }
}

pub(in crate::kernels) fn refuse(unsupported: Option<String>) -> Result<(), EngineError> {
    unsupported.map_or(Ok(()), |what| Err(EngineError::Unsupported { what }))
}

/// Words of guest memory that all receive one value, with (first byte, bytes) of every run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordRuns {
    /// The value.
    pub value: u32,
    /// The runs.
    pub runs: Vec<(u64, u64)>,
}

/// The effect of a dispatch of `fill_rows` or `fill_blocks`, if it replaces whole words by one value: in linear rows, or in whole gobs
/// of at most 256 runs.
#[must_use]
pub fn word_runs(dispatch: &TransferDispatch) -> Option<WordRuns> {
    if !matches!(dispatch.kernel, TransferKernel::FillRows | TransferKernel::FillBlocks) {
        return None;
    }
    let parameters: FillParameters = bytemuck::pod_read_unaligned(&dispatch.parameters);
    let FillParameters { start, bytes, pixel_bytes, values, masks, .. } = parameters;
    let mut words = values.iter().zip(masks).take(pixel_bytes as usize / 4);
    let value = values[0];
    if pixel_bytes < 4 || words.any(|words| words != (&value, u32::MAX)) {
        return None;
    }
    let end = u64::from(bytes & !3);
    let mut runs: Vec<(u64, u64)> = Vec::new();
    let mut add = |first: u64, length: u64| {
        let last = (first + length).min(end);
        let Some(length) = last.checked_sub(first).filter(|length| *length > 0) else { return runs.len() };
        let first = u64::from(start) + first;
        match runs.last_mut() {
            Some((previous, bytes)) if *previous + *bytes == first => *bytes += length,
            _ => runs.push((first, length)),
        }
        runs.len()
    };
    match dispatch.kernel {
        TransferKernel::FillRows => parameters.for_rows(&mut add),
        _ => parameters.for_gobs(&mut add)?,
    }
    Some(WordRuns { value, runs })
}

/// The dispatches of a clear, one per surface, in order.
///
/// # Errors
/// If the clear is not supported.
pub fn clear_surfaces(clear: &Clear, locate: Locate<'_>) -> Result<Vec<TransferDispatch>, EngineError> {
    refuse(clear.unsupported())?;
    let mut dispatches = Vec::new();
    if !clear.rect.is_empty() {
        for ColorTarget { window, layout, format } in clear.cleared_colors() {
            let values = (clear.color, clear.color_word_masks(*format));
            dispatches.push(fill(locate(*window), *layout, format.bytes(), clear.rect, values));
        }
    }
    if let Some(zeta) = &clear.targets.zeta {
        let words = clear.zeta_words(zeta.format);
        if words.1 != [0; 4] && !clear.rect.is_empty() {
            dispatches.push(fill(locate(zeta.window), zeta.layout, zeta.format.bytes(), clear.rect, words));
        }
    }
    Ok(dispatches)
}

/// The dispatch that zeroes the bytes of a window.
#[must_use]
pub fn zero_memory(window: MemoryWindow, locate: Locate<'_>) -> TransferDispatch {
    let window = locate(window);
    let rect = Rect { x: 0, y: 0, width: window.bytes, height: 1 };
    fill(window, SurfaceLayout::Linear { pitch_bytes: 0 }, 1, rect, ([0; 4], [0xff; 4]))
}

fn write_words(
    window: MirrorWindow,
    values: &[u32],
    [counter, counter_word, factor]: [u32; 3],
) -> Option<TransferDispatch> {
    let count = u32::try_from(values.len()).ok().filter(|count| window.bytes >= 4 * count)?;
    let mut parameters =
        WordsParameters { counter, start: window.start, count, counter_word, values: [0; 4], factor, padding: [0; 3] };
    parameters.values[..values.len()].copy_from_slice(values);
    Some(TransferDispatch {
        kernel: TransferKernel::WriteWords,
        parameters: bytemuck::bytes_of(&parameters).to_vec(),
        workgroups: [1; 3],
        source_copy: SourceCopy::Unused,
    })
}

/// The dispatch that writes a report with a counter, whose place is among those of stream output or, for samples, of draws;
/// `None` if it does not fit the window, or if the device does not know the counter.
#[must_use]
pub fn write_report(window: MemoryWindow, report: CounterReport, locate: Locate<'_>) -> Option<TransferDispatch> {
    let counter = match report.counter {
        ReportedCounter::PassedSamples | ReportedCounter::StreamedVertices => 0,
        ReportedCounter::GeneratedPrimitives => 1,
        ReportedCounter::WrittenPrimitives => 2,
        ReportedCounter::Pipeline(_) => return None,
    };
    write_words(locate(window), &report.words, [counter, report.place.into(), report.factor])
}

/// The dispatch that writes at most four words of a fence, report or notifier; `None` if they do not fit the window.
#[must_use]
pub fn write_known_words(window: MemoryWindow, words: &[u32], locate: Locate<'_>) -> Option<TransferDispatch> {
    write_words(locate(window), words, [0, 4, 0])
}

/// The module that reads the source, the source's first byte there, and the range to copy beforehand.
pub(in crate::kernels) fn source_module(
    source: MirrorWindow,
    destination: MirrorWindow,
) -> (&'static str, u32, SourceCopy) {
    let end = |window: MirrorWindow| u64::from(window.start) + u64::from(window.bytes);
    let overlaps = u64::from(source.start) < end(destination) && u64::from(destination.start) < end(source);
    if !overlaps || source.bytes == 0 || destination.bytes == 0 {
        return ("blit::source_memory", source.start, SourceCopy::Unused);
    }
    let start = source.start & !3;
    let bytes = (source.bytes + (source.start & 3)).next_multiple_of(4);
    ("blit::source_copy", source.start & 3, SourceCopy::Memory(MirrorWindow { start, bytes }))
}

pub(in crate::kernels) fn shortened(window: MirrorWindow, bytes: u64) -> MirrorWindow {
    MirrorWindow { bytes: window.bytes.min(u32::try_from(bytes).unwrap_or(u32::MAX)), ..window }
}

/// The dispatch of a memory copy; `None` if there is nothing to write.
///
/// # Errors
/// If the copy is not supported.
pub fn copy_memory(copy: &MemoryCopy, locate: Locate<'_>) -> Result<Option<TransferDispatch>, EngineError> {
    refuse(copy.unsupported())?;
    let [source_span, destination_span] = copy.spans();
    let source = shortened(locate(copy.source), source_span);
    let destination = shortened(locate(copy.destination), destination_span);
    let (first_word, word_count, workgroups) = words_of(destination, 0, destination_span);
    if word_count == 0 {
        return Ok(None);
    }
    let (module, source_start, source_copy) = source_module(source, destination);
    let parameters = CopyParameters {
        zero: 0,
        source_start,
        source_bytes: source.bytes,
        source_pitch: copy.source_pitch,
        source_increment: copy.source_increment,
        destination_start: destination.start,
        destination_bytes: destination.bytes,
        // A single line may have any pitch; a large one keeps it on the kernel's fast path.
        destination_pitch: if copy.line_count == 1 { u32::MAX } else { copy.destination_pitch },
        destination_increment: copy.destination_increment,
        line_length: copy.line_length,
        line_count: copy.line_count,
        first_word,
        word_count,
    };
    Ok(Some(TransferDispatch {
        kernel: TransferKernel::CopyMemory(module),
        parameters: bytemuck::bytes_of(&parameters).to_vec(),
        workgroups,
        source_copy,
    }))
}
