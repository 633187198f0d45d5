//! Executes memory copies, fills, reports and fences on guest memory of the host.
//!
//! Both engines use it: the kernels only if the host alone has written the bytes.
//!
//! The whole source of a copy is read before anything is written; if destination elements coincide, the last one in
//! line order remains. Unverified: what the chip does when source and destination overlap.

use super::MemoryCopy;
use crate::memory::{GuestMemory, MemoryWindow};

/// Limit of elements in one copy, four times the largest image of four bytes a pixel; it bounds the time of a copy.
const ELEMENT_LIMIT: u64 = 1 << 28;

impl MemoryCopy {
    /// The bytes from the first to past the last element read and written.
    #[must_use]
    pub fn spans(&self) -> [u64; 2] {
        if self.line_length == 0 || self.line_count == 0 {
            return [0; 2];
        }
        let span = |pitch: u32, increment: u32| {
            u64::from(self.line_count - 1) * u64::from(pitch)
                + u64::from(self.line_length - 1) * u64::from(increment)
                + 1
        };
        [span(self.source_pitch, self.source_increment), span(self.destination_pitch, self.destination_increment)]
    }

    /// Returns what is decoded but not executed in this copy; `None` if everything is executed.
    #[must_use]
    pub fn unsupported(&self) -> Option<String> {
        if self.spans().iter().any(|&span| span > u64::from(u32::MAX)) {
            return Some("a memory copy beyond 4 GiB".to_owned());
        }
        let increments = [self.source_increment, self.destination_increment];
        if increments.iter().any(|increment| ![1, 2, 4].contains(increment)) {
            return Some(format!("a memory copy with increments of {} and {}", increments[0], increments[1]));
        }
        let elements = u64::from(self.line_count) * u64::from(self.line_length);
        if elements > ELEMENT_LIMIT {
            return Some(format!("a memory copy of {elements} elements"));
        }
        // The chip accepts fewer than 0x800 lines of fewer than 0x400000 elements.
        if self.line_count >= 1 << 16 || self.line_length >= 1 << 28 {
            return Some(format!("a memory copy of {} lines of {} elements", self.line_count, self.line_length));
        }
        None
    }
}

/// Executes a copy that is not [unsupported](MemoryCopy::unsupported).
pub fn copy_memory(memory: &mut GuestMemory, copy: &MemoryCopy) {
    let [source_span, _] = copy.spans();
    let source_window = copy.source.truncated(u32::try_from(source_span).unwrap_or(u32::MAX));
    let source = memory.slice(source_window).to_vec();
    let destination = memory.slice_mut(copy.destination);
    for line in 0..copy.line_count as usize {
        let from = line * copy.source_pitch as usize;
        let to = line * copy.destination_pitch as usize;
        if to >= destination.len() {
            break;
        }
        for element in 0..copy.line_length as usize {
            let to = to + element * copy.destination_increment as usize;
            let Some(byte) = destination.get_mut(to) else { break };
            *byte = source.get(from + element * copy.source_increment as usize).copied().unwrap_or(0);
        }
    }
}

/// Fills a window with zeros.
pub fn zero_memory(memory: &mut GuestMemory, window: MemoryWindow) {
    memory.slice_mut(window).fill(0);
}

/// Writes the words of a fence, report or notifier. Dropped if they do not fit.
pub fn write_words(memory: &mut GuestMemory, window: MemoryWindow, words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write(window, 0, &bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemorySpace;

    fn memory() -> (GuestMemory, MemoryWindow) {
        let mut memory = GuestMemory::new(1 << 20, 0).unwrap();
        memory.grow(MemorySpace::Vram, 4096).unwrap();
        for (index, byte) in memory.bytes_mut(MemorySpace::Vram).iter_mut().enumerate() {
            *byte = u8::try_from(index % 251).unwrap();
        }
        (memory, MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: 4096 })
    }

    fn copy(window: MemoryWindow) -> MemoryCopy {
        MemoryCopy {
            source: window,
            destination: window.from_offset(1024),
            source_pitch: 16,
            destination_pitch: 8,
            line_length: 4,
            line_count: 2,
            source_increment: 1,
            destination_increment: 1,
        }
    }

    #[test]
    fn lines_with_pitches_and_increments() {
        let (mut memory, window) = memory();
        copy_memory(&mut memory, &MemoryCopy { source_increment: 2, ..copy(window) });
        assert_eq!(memory.bytes(MemorySpace::Vram)[1024..1036], [0, 2, 4, 6, 24, 25, 26, 27, 16, 18, 20, 22]);
        copy_memory(&mut memory, &MemoryCopy { destination_increment: 2, ..copy(window.from_offset(100)) });
        let written = &memory.bytes(MemorySpace::Vram)[1124..1139];
        assert_eq!([written[0], written[2], written[6], written[8]], [100, 101, 103, 116]);
    }

    #[test]
    fn overlapping_lines_keep_the_last_and_the_source_is_read_first() {
        let (mut memory, window) = memory();
        copy_memory(&mut memory, &MemoryCopy { destination_pitch: 2, ..copy(window) });
        assert_eq!(memory.bytes(MemorySpace::Vram)[1024..1030], [0, 1, 16, 17, 18, 19]);
        let moved = MemoryCopy { destination: window.from_offset(2), line_count: 1, line_length: 6, ..copy(window) };
        copy_memory(&mut memory, &moved);
        assert_eq!(memory.bytes(MemorySpace::Vram)[..9], [0, 1, 0, 1, 2, 3, 4, 5, 8]);
    }

    #[test]
    fn bytes_outside_read_zero_and_are_dropped() {
        let (mut memory, window) = memory();
        let source = window.from_offset(4094);
        copy_memory(&mut memory, &MemoryCopy { source, line_count: 1, ..copy(window) });
        assert_eq!(memory.bytes(MemorySpace::Vram)[1024..1028], [78, 79, 0, 0]);
        let destination = window.from_offset(1024).truncated(2);
        copy_memory(&mut memory, &MemoryCopy { destination, line_count: 1, ..copy(window) });
        assert_eq!(memory.bytes(MemorySpace::Vram)[1024..1028], [0, 1, 0, 0]);
        let huge = MemoryCopy { line_count: u32::MAX, line_length: u32::MAX, ..copy(window) };
        assert!(huge.unsupported().is_some());
    }
}
