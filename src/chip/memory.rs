//! Applies memory records of captures: creates, moves, writes and destroys buffer objects.

use std::ops::Range;

use super::objects::Object;
use super::{Chip, ChipError};
use crate::capture::Buffer;
use crate::memory::{MemoryWindow, PAGE_BYTES};
use crate::pipeline::{Engine, GpuCommand};

/// The most bytes of a moving buffer that the host copies at once.
const MOVE_BYTES: u32 = 1 << 20;

impl Chip {
    fn window_of(&mut self, buffer: &Buffer) -> Result<MemoryWindow, ChipError> {
        let handle = buffer.handle;
        let space = buffer.space().ok_or(ChipError::Domain { handle, domain: buffer.domain })?;
        let outside = ChipError::BufferOutside { handle, offset: buffer.offset, bytes: buffer.bytes, space };
        if let Some(memory) = &mut self.objects.virtual_memory {
            return memory.map(buffer, self.sizes).ok_or(outside);
        }
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
        self.forget_client_pages(buffer.handle);
        let extent = engine.memory_extent(window.space);
        engine.grow_memory(window.space, u64::from(window.start) + u64::from(window.bytes))?;
        // Memory beyond the extent is new, and already zero.
        let reused = window.truncated(extent.saturating_sub(window.start));
        if reused.bytes > 0 {
            engine.execute(&GpuCommand::ZeroMemory(reused))?;
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
        if to == from {
            return Ok(());
        }
        engine.grow_memory(to.space, u64::from(to.start) + u64::from(to.bytes))?;
        let bytes = from.bytes.min(to.bytes);
        let chunks = bytes.div_ceil(MOVE_BYTES);
        // A move to a higher address starts at the end, so no byte is overwritten before it is read.
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
            engine.execute(&GpuCommand::ZeroMemory(rest))?;
        }
        self.objects.insert_buffer(buffer.handle, to);
        Ok(())
    }

    /// Writes the bytes that the client changed.
    ///
    /// A `PAGE` record holds whole pages as the client saw them. Nothing was executed during recording, so the
    /// client never saw the chip's writes: only bytes that differ from the page's last record were written by the
    /// client.
    pub(super) fn write_pages(
        &mut self,
        handle: u32,
        first_page: u32,
        bytes: &[u8],
        engine: &mut dyn Engine,
    ) -> Result<(), ChipError> {
        let window = self.objects.buffer(handle).ok_or(ChipError::UnknownBuffer { tag: "PAGE", handle })?;
        for (number, page) in (u64::from(first_page)..).zip(bytes.chunks(PAGE_BYTES as usize)) {
            // The last page may reach beyond the end of the buffer.
            let Ok(offset) = u32::try_from(number * u64::from(PAGE_BYTES)) else { break };
            let window = window.from_offset(offset).truncated(PAGE_BYTES);
            if window.bytes == 0 {
                break;
            }
            let seen = self.client_pages.entry((handle, offset)).or_insert_with(|| vec![0; PAGE_BYTES as usize]);
            for run in changed_runs(seen, page) {
                let start = u32::try_from(run.start).expect("inside of a page");
                engine.write_memory(window.from_offset(start), &page[run])?;
            }
            seen[..page.len()].copy_from_slice(page);
        }
        Ok(())
    }

    /// Writes bytes of the client; those beyond the end of the buffer are dropped.
    pub(super) fn write_bytes(
        &self,
        handle: u32,
        offset: u32,
        bytes: &[u8],
        engine: &mut dyn Engine,
    ) -> Result<(), ChipError> {
        let window = self.objects.buffer(handle).ok_or(ChipError::UnknownBuffer { tag: "WRIT", handle })?;
        let window = window.from_offset(offset);
        let inside = bytes.len().min(window.bytes as usize);
        Ok(engine.write_memory(window, &bytes[..inside])?)
    }

    /// Drops the client's view of a buffer.
    pub(super) fn forget_client_pages(&mut self, handle: u32) {
        let first = (handle, 0);
        let last = (handle, u32::MAX);
        while let Some((&key, _)) = self.client_pages.range(first..=last).next() {
            self.client_pages.remove(&key);
        }
    }
}

/// The maximal runs of bytes in which `new` differs from `old`.
fn changed_runs(old: &[u8], new: &[u8]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, (old, new)) in old.iter().zip(new).enumerate() {
        if old != new {
            match runs.last_mut() {
                Some(run) if run.end == index => run.end += 1,
                _ => runs.push(index..index + 1),
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_runs_are_maximal() {
        assert_eq!(changed_runs(&[0, 0, 0, 0, 0], &[1, 2, 0, 0, 3]), [0..2, 4..5]);
        assert!(changed_runs(&[7, 8], &[7, 8]).is_empty());
    }
}
