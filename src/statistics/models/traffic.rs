//! Collects the reads and writes of a step of a frame: video memory in accesses of 32 bytes, system memory in
//! bytes over the bus.

use crate::counters::trace::GART_BASE;
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::{Rect, SurfaceLayout};
use crate::statistics::memory_partitions::{ACCESS_BYTES, Client, MemoryAccess};

/// Transfers between chip, memory and host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Accesses to video memory, in order.
    pub accesses: Vec<MemoryAccess>,
    /// Bytes sent by the host or read from its memory.
    pub from_host: u64,
    /// Bytes written to the host's memory.
    pub to_host: u64,
}

impl Traffic {
    /// Adds the bytes of a window.
    pub(super) fn window(&mut self, window: MemoryWindow, client: Client, is_write: bool) {
        match (window.space, is_write) {
            (MemorySpace::Vram, _) => {
                self.accesses.extend(MemoryAccess::of_range(window.start, window.bytes, client, is_write));
            }
            (MemorySpace::Gart, true) => self.to_host += u64::from(window.bytes),
            (MemorySpace::Gart, false) => self.from_host += u64::from(window.bytes),
        }
    }

    /// Adds bytes from an address in a trace, at most to the end of its address space.
    pub(super) fn bytes_at(&mut self, address: u32, bytes: u32, client: Client, is_write: bool) {
        let space = if address < GART_BASE { MemorySpace::Vram } else { MemorySpace::Gart };
        let start = address & (GART_BASE - 1);
        self.window(MemoryWindow { space, start, bytes: bytes.min(GART_BASE - start) }, client, is_write);
    }

    /// Adds the 32 bytes with this index: an address in a trace, divided by 32.
    pub(super) fn unit(&mut self, unit: u32, client: Client, is_write: bool) {
        self.bytes_at(unit * ACCESS_BYTES, ACCESS_BYTES, client, is_write);
    }

    /// Adds the pixels of a rectangle of a surface: row by row, or in memory order for swizzled surfaces.
    pub(super) fn pixels(
        &mut self,
        (window, layout, bytes): (MemoryWindow, SurfaceLayout, u32),
        rect: Rect,
        client: Client,
        is_write: bool,
    ) {
        match layout {
            SurfaceLayout::Linear { pitch_bytes } => {
                for y in rect.y..rect.y.saturating_add(rect.height) {
                    let offset = y.saturating_mul(pitch_bytes).saturating_add(rect.x.saturating_mul(bytes));
                    let row = window.from_offset(offset).truncated(rect.width.saturating_mul(bytes));
                    self.window(row, client, is_write);
                }
            }
            SurfaceLayout::Swizzled { .. } | SurfaceLayout::BlockLinear { .. } => {
                let columns = rect.x..rect.x.saturating_add(rect.width);
                let rows = rect.y..rect.y.saturating_add(rect.height);
                let offsets = rows.flat_map(|y| columns.clone().map(move |x| layout.pixel_offset(x, y, bytes)));
                let offsets = offsets.filter(|offset| *offset < window.bytes);
                let mut units: Vec<u32> = offsets.map(|offset| (window.start + offset) / ACCESS_BYTES).collect();
                units.sort_unstable();
                units.dedup();
                for unit in units {
                    let start = unit * ACCESS_BYTES;
                    self.window(MemoryWindow { space: window.space, start, bytes: ACCESS_BYTES }, client, is_write);
                }
            }
        }
    }

    #[cfg(test)]
    fn lines(&self) -> Vec<u32> {
        self.accesses.iter().map(|access| access.address()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VRAM: MemoryWindow = MemoryWindow { space: MemorySpace::Vram, start: 0x100, bytes: 0x1000 };

    #[test]
    fn windows_go_to_their_memory() {
        let mut traffic = Traffic::default();
        traffic.window(VRAM.truncated(33), Client::Vertex, false);
        traffic.window(MemoryWindow { space: MemorySpace::Gart, ..VRAM }.truncated(7), Client::Vertex, false);
        traffic.window(MemoryWindow { space: MemorySpace::Gart, ..VRAM }.truncated(5), Client::Color, true);
        traffic.bytes_at(GART_BASE + 64, 32, Client::Texture, false);
        traffic.unit(3, Client::Zeta, true);
        assert_eq!(traffic.lines(), [0x100, 0x120, 0x60]);
        assert_eq!((traffic.from_host, traffic.to_host), (39, 5));
    }

    #[test]
    fn rectangles_are_read_by_rows_or_in_order() {
        let rect = Rect { x: 6, y: 1, width: 4, height: 2 };
        let mut traffic = Traffic::default();
        traffic.pixels((VRAM, SurfaceLayout::Linear { pitch_bytes: 64 }, 4), rect, Client::Copy, true);
        // Pixels 6 to 9 of rows of 64 bytes, 24 to 40.
        assert_eq!(traffic.lines(), [0x140, 0x160, 0x180, 0x1a0]);
        let mut traffic = Traffic::default();
        let swizzled = SurfaceLayout::swizzled(2, 2);
        traffic.pixels((VRAM, swizzled, 4), Rect { x: 0, y: 0, width: 4, height: 4 }, Client::Copy, false);
        assert_eq!(traffic.lines(), [0x100, 0x120]);
        // Data beyond the window does not exist.
        let mut traffic = Traffic::default();
        let linear = SurfaceLayout::Linear { pitch_bytes: 64 };
        traffic.pixels((VRAM.truncated(65), linear, 4), Rect { x: 0, y: 0, width: 8, height: 9 }, Client::Copy, false);
        assert_eq!(traffic.lines(), [0x100, 0x140]);
    }
}
