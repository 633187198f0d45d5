//! The memory-to-memory copy, class 0x5039, between linear buffers and block linear surfaces.
//!
//! Source: envytools `rnndb/graph/nv_m2mf.xml`. The class sees surfaces as bytes (`docs/hw/memory/g80-surface.rst`).

use std::ops::Range;

use super::address::Address;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{field, field8};
use crate::chip::class::{Class, Context};
use crate::command::methods::tesla::memory_copy as methods;
use crate::memory::MemoryWindow;
use crate::memory::block_linear::{BlockLinear, MAX_LOG2_BLOCK};
use crate::pipeline::{GpuCommand, MemoryCopy};

/// The most lines and bytes of a copy of block linear memory; the chip accepts fewer than 2048 lines.
const MAX_LINES: u32 = 1 << 16;
const MAX_BYTES: u64 = 1 << 28;

/// The source or the destination.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    address: Address,
    has_rows: bool,
    pitch: u32,
    /// `BLOCKLINEAR_DIMENSIONS`: the logarithms of a block's sides.
    block: u32,
    /// The bytes of a row, the rows, the slices.
    size: [u32; 3],
    /// The slice.
    z: u32,
    /// The first byte and the row.
    position: u32,
}

/// State of the class; of two values the first one is the source's.
#[derive(Debug, Default)]
pub(super) struct Copy {
    sides: [Side; 2],
    line_length: u32,
    line_count: u32,
    format: u32,
}

impl Class for Copy {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let [source, destination] = &mut self.sides;
        match context.method {
            methods::OFFSET_IN_HIGH => source.address.high = value,
            methods::OFFSET_IN => source.address.low = value,
            methods::OFFSET_OUT_HIGH => destination.address.high = value,
            methods::OFFSET_OUT => destination.address.low = value,
            methods::LAYOUT_IN => source.has_rows = value & 1 != 0,
            methods::LAYOUT_OUT => destination.has_rows = value & 1 != 0,
            methods::PITCH_IN => source.pitch = value,
            methods::PITCH_OUT => destination.pitch = value,
            methods::BLOCKLINEAR_DIMENSIONS_IN => source.block = value,
            methods::BLOCKLINEAR_DIMENSIONS_OUT => destination.block = value,
            methods::BLOCKLINEAR_PITCH_IN => source.size[0] = value,
            methods::BLOCKLINEAR_PITCH_OUT => destination.size[0] = value,
            methods::BLOCKLINEAR_HEIGHT_IN => source.size[1] = value,
            methods::BLOCKLINEAR_HEIGHT_OUT => destination.size[1] = value,
            methods::BLOCKLINEAR_DEPTH_IN => source.size[2] = value,
            methods::BLOCKLINEAR_DEPTH_OUT => destination.size[2] = value,
            methods::BLOCKLINEAR_POSITION_IN_Z => source.z = value,
            methods::BLOCKLINEAR_POSITION_OUT_Z => destination.z = value,
            methods::BLOCKLINEAR_POSITION_IN => source.position = value,
            methods::BLOCKLINEAR_POSITION_OUT => destination.position = value,
            methods::LINE_LENGTH_IN => self.line_length = value,
            methods::LINE_COUNT => self.line_count = value,
            methods::FORMAT => self.format = value,
            methods::BUF_NOTIFY => return self.start(context),
            method if methods::CLASS.find(method).is_none() => return context.anomaly(Reason::UnknownMethod),
            // The position in a notifier, and the objects of memory.
            _ => {}
        }
        Ok(())
    }
}

impl Copy {
    fn start(&self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let [from, to] = &self.sides;
        context.note_written(to.address.value());
        let [source_increment, destination_increment] = [field(self.format, 7, 0), field(self.format, 15, 8)];
        if !from.has_rows || !to.has_rows {
            return match [source_increment, destination_increment] {
                [1, 1] => self.copy_lines(context),
                _ => context.anomaly(Reason::Unsupported("a copy of block linear memory with gaps")),
            };
        }
        let [source, destination] = [from, to].map(|side| context.objects.virtual_window(side.address.value()));
        context.execute(&GpuCommand::CopyMemory(MemoryCopy {
            source,
            destination,
            source_pitch: from.pitch,
            destination_pitch: to.pitch,
            line_length: self.line_length,
            line_count: self.line_count,
            source_increment,
            destination_increment,
        }))
    }

    /// Copies lines where the source, the destination or both are block linear. It reads all lines before it writes one.
    fn copy_lines(&self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let (length, count) = (self.line_length, self.line_count);
        if length == 0 || count == 0 {
            return Ok(());
        }
        if count > MAX_LINES || u64::from(length) * u64::from(count) > MAX_BYTES {
            return context.anomaly(Reason::Unsupported("a copy of so much block linear memory"));
        }
        let [source, destination] = self.sides.map(|side| context.objects.virtual_window(side.address.value()));
        let pieces = |side: &Side, window: MemoryWindow| side.pieces(length, count, window.bytes);
        let (from, to) = match (pieces(&self.sides[0], source), pieces(&self.sides[1], destination)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(reason), _) | (_, Err(reason)) => return context.anomaly(reason),
        };
        let stored = read_up_to_last(&from, source, context)?;
        let lines: Vec<u8> = from.iter().flat_map(|piece| &stored[piece.clone()]).copied().collect();
        let mut stored = read_up_to_last(&to, destination, context)?;
        let mut rest = &lines[..];
        for piece in to {
            let (line, behind) = rest.split_at(piece.len());
            stored[piece].copy_from_slice(line);
            rest = behind;
        }
        Ok(context.engine.write_memory(destination, &stored)?)
    }
}

/// Reads memory up to the end of the last piece.
fn read_up_to_last(
    pieces: &[Range<usize>],
    window: MemoryWindow,
    context: &mut Context<'_>,
) -> Result<Vec<u8>, ChipError> {
    let end = pieces.iter().map(|piece| piece.end).max().unwrap_or(0);
    let mut bytes = vec![0; end];
    context.engine.read_memory(window, &mut bytes)?;
    Ok(bytes)
}

impl Side {
    /// Returns the byte ranges of `count` lines of `length` bytes, in order.
    ///
    /// # Errors
    /// When a line lies outside the surface, or the surface is larger than `available` bytes.
    fn pieces(&self, length: u32, count: u32, available: u32) -> Result<Vec<Range<usize>>, Reason> {
        let [x, y] = [field(self.position, 15, 0), field(self.position, 31, 16)];
        if self.has_rows {
            let bytes = u64::from(count - 1) * u64::from(self.pitch) + u64::from(length);
            if bytes > available.into() {
                return Err(Reason::OutsideBuffers);
            }
            let (pitch, length) = (self.pitch as usize, length as usize);
            return Ok((0..count as usize).map(|line| line * pitch..line * pitch + length).collect());
        }
        let block = [3, 7, 11].map(|high| field8(self.block, high, high - 3));
        let [width, height, depth] = self.size.map(u64::from);
        let [right, bottom] = [(x, length), (y, count)].map(|(first, more)| u64::from(first) + u64::from(more));
        let is_outside = right > width || bottom > height || u64::from(self.z) >= depth;
        if is_outside || block.iter().any(|log| *log > MAX_LOG2_BLOCK) {
            return Err(Reason::IllegalValue);
        }
        let blocks = BlockLinear { size: self.size, log2_block: block };
        if blocks.bytes() > available.into() {
            return Err(Reason::OutsideBuffers);
        }
        Ok((0..count).flat_map(|line| blocks.pieces([x, y + line, self.z], length)).collect())
    }
}
