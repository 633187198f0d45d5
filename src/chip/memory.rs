//! Memory records: buffer objects appear, move, are written by the host, and disappear.

use super::objects::Object;
use super::{Chip, ChipError};
use crate::capture::Buffer;
use crate::memory::{MemoryWindow, PAGE_BYTES};
use crate::work::{Engine, Work};

/// How many bytes of a moving buffer pass through the host at once.
const MOVE_BYTES: u32 = 1 << 20;

impl Chip {
    fn window_of(&self, buffer: &Buffer) -> Result<MemoryWindow, ChipError> {
        let handle = buffer.handle;
        let space = buffer.space().ok_or(ChipError::Domain { handle, domain: buffer.domain })?;
        let outside = ChipError::BufferOutside { handle, offset: buffer.offset, bytes: buffer.bytes, space };
        match buffer.offset.checked_add(buffer.bytes) {
            Some(end) if end <= self.sizes[space as usize] => {}
            _ => return Err(outside),
        }
        let (Ok(start), Ok(bytes)) = (u32::try_from(buffer.offset), u32::try_from(buffer.bytes)) else {
            return Err(outside);
        };
        Ok(MemoryWindow { space, start, bytes })
    }

    pub(super) fn create_notifier(
        &mut self,
        handle: u32,
        offset: u32,
        bytes: u32,
        buffer: u32,
    ) -> Result<(), ChipError> {
        let window = self.objects.buffer(buffer).ok_or(ChipError::UnknownBuffer { tag: "NTFY", handle: buffer })?;
        self.objects.insert(handle, Object::Dma(window.from_offset(offset).truncated(bytes)));
        Ok(())
    }

    pub(super) fn create_buffer(&mut self, buffer: &Buffer, engine: &mut dyn Engine) -> Result<(), ChipError> {
        let window = self.window_of(buffer)?;
        let extent = engine.memory_extent(window.space);
        engine.grow_memory(window.space, u64::from(window.start) + u64::from(window.bytes))?;
        // Memory that is new is zero already.
        let reused = window.truncated(extent.saturating_sub(window.start));
        if reused.bytes > 0 {
            engine.execute(&Work::ZeroMemory(reused))?;
        }
        self.objects.insert_buffer(buffer.handle, window);
        Ok(())
    }

    pub(super) fn move_buffer(&mut self, buffer: &Buffer, engine: &mut dyn Engine) -> Result<(), ChipError> {
        let from = self
            .objects
            .buffer(buffer.handle)
            .ok_or(ChipError::UnknownBuffer { tag: "BOMV", handle: buffer.handle })?;
        let to = self.window_of(buffer)?;
        engine.grow_memory(to.space, u64::from(to.start) + u64::from(to.bytes))?;
        let bytes = from.bytes.min(to.bytes);
        let chunks = bytes.div_ceil(MOVE_BYTES);
        // A move to a higher address starts at the end, so that no byte is overwritten before it is read.
        let is_upwards = to.start > from.start;
        let mut content = vec![0; bytes.min(MOVE_BYTES) as usize];
        for number in 0..chunks {
            let chunk = if is_upwards { chunks - 1 - number } else { number };
            let offset = chunk * MOVE_BYTES;
            let content = &mut content[..(bytes - offset).min(MOVE_BYTES) as usize];
            engine.read_memory(from.from_offset(offset), content)?;
            engine.write_memory(to.from_offset(offset), content)?;
        }
        let rest = to.from_offset(bytes);
        if rest.bytes > 0 {
            engine.execute(&Work::ZeroMemory(rest))?;
        }
        self.objects.insert_buffer(buffer.handle, to);
        Ok(())
    }

    pub(super) fn write_pages(
        &self,
        handle: u32,
        first_page: u32,
        bytes: &[u8],
        engine: &mut dyn Engine,
    ) -> Result<(), ChipError> {
        let window = self.objects.buffer(handle).ok_or(ChipError::UnknownBuffer { tag: "PAGE", handle })?;
        let offset = u64::from(first_page) * u64::from(PAGE_BYTES);
        // The last page may reach beyond the end of the buffer.
        if let Ok(offset) = u32::try_from(offset) {
            engine.write_memory(window.from_offset(offset), bytes)?;
        }
        Ok(())
    }
}
