//! Random guest memory, its mirror on the device, and the comparison of both.

use curie::kernels::MirrorWindow;
use curie::memory::block_linear::{BlockLinear, GOB_BYTES};
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::{Engine, SurfaceLayout};

use super::random::Random;

pub(crate) const VRAM_BYTES: u32 = 64 << 10;
pub(crate) const GART_BYTES: u32 = 16 << 10;

/// The bytes of both memories of an engine.
pub(crate) fn contents(engine: &mut dyn Engine) -> Vec<u8> {
    let mut contents = Vec::new();
    for space in MemorySpace::ALL {
        let bytes = engine.memory_extent(space);
        let mut content = vec![0; bytes as usize];
        engine.read_memory(MemoryWindow { space, start: 0, bytes }, &mut content).expect("memory can be read");
        contents.extend(content);
    }
    contents
}

pub(crate) fn random_memory(random: &mut Random) -> GuestMemory {
    let mut memory = GuestMemory::new(1 << 20, 1 << 20).unwrap();
    for (space, bytes) in [(MemorySpace::Vram, VRAM_BYTES), (MemorySpace::Gart, GART_BYTES)] {
        memory.grow(space, bytes.into()).unwrap();
        for word in memory.bytes_mut(space).chunks_exact_mut(4) {
            word.copy_from_slice(&random.word().to_le_bytes());
        }
    }
    memory
}

/// The mirror as the kernels engine lays it out: all of VRAM, then all of GART.
pub(crate) fn heap_of(memory: &GuestMemory) -> impl Fn(MemoryWindow) -> MirrorWindow {
    let extents = [memory.extent(MemorySpace::Vram), memory.extent(MemorySpace::Gart)];
    move |window| {
        let extent = extents[window.space as usize];
        let bytes = window.bytes.min(extent.saturating_sub(window.start));
        let base = if window.space == MemorySpace::Gart { extents[0] } else { 0 };
        MirrorWindow { start: base + window.start.min(extent), bytes }
    }
}

pub(crate) fn words_of(memory: &GuestMemory) -> Vec<u32> {
    let bytes = [memory.bytes(MemorySpace::Vram), memory.bytes(MemorySpace::Gart)].concat();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// The byte offset of the first word that differs between two mirrors, and both words.
pub(crate) fn difference(left: &[u32], right: &[u32]) -> Option<(usize, u32, u32)> {
    assert_eq!(left.len(), right.len());
    let index = left.iter().zip(right).position(|(left, right)| left != right)?;
    Some((index * 4, left[index], right[index]))
}

pub(crate) fn random_window(random: &mut Random, alignment: u32) -> MemoryWindow {
    let space = random.pick(&MemorySpace::ALL);
    let extent = if space == MemorySpace::Vram { VRAM_BYTES } else { GART_BYTES };
    // Occasionally the window ends early or extends beyond memory.
    let start = random.below(extent / alignment) * alignment;
    let bytes = if random.below(4) == 0 { random.below(8192) } else { 0x10_0000 };
    MemoryWindow { space, start, bytes }
}

/// A slice of block linear memory, and how much its start is aligned.
pub(crate) fn random_blocks(random: &mut Random, row_bytes: u32, rows: u32) -> (SurfaceLayout, u32) {
    let depth = 1 + random.below(5);
    let size = [row_bytes + random.below(100), rows + random.below(20), depth];
    let blocks = BlockLinear { size, log2_block: [2, 4, 3].map(|limit| u8::try_from(random.below(limit)).unwrap()) };
    (SurfaceLayout::BlockLinear { blocks, slice: random.below(depth) }, GOB_BYTES)
}

/// Creates memory that begins with these bytes.
pub(crate) fn memory_of(bytes: &[u8]) -> GuestMemory {
    let mut memory = GuestMemory::new(4 << 20, 1 << 20).unwrap();
    memory.grow(MemorySpace::Vram, 4 << 20).unwrap();
    memory.bytes_mut(MemorySpace::Vram)[..bytes.len()].copy_from_slice(bytes);
    memory
}
