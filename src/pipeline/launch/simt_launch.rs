//! Defines a launch: threads, their program, and what they read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::processor::{MIN_LOCAL, SHARED_STEP, STACK_ENTRIES, WARP_THREADS};
use super::{LaunchTextures, LaunchThreads, ThreadPlace};
use crate::isa::tesla::module::PARAMETERS_OFFSET;
use crate::pipeline::{SimtStage, TextureState};

/// Threads that run one program: a grid of thread blocks, or warps of vertices or fragments. Sizes are in bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// What the threads are.
    pub threads: LaunchThreads,
    /// The program, and what it reads besides inputs and textures.
    pub stage: SimtStage,
    /// The blocks of the grid in x, y and z; z is 1 on the Tesla processor.
    pub grid: [u32; 3],
    /// The threads of a block in x, y and z.
    pub block: [u32; 3],
    /// The first two bytes of shared memory.
    pub grid_id: u16,
    /// The shared memory of a block, with the 16 bytes of sizes and coordinates and with the parameters.
    pub shared_bytes: u32,
    /// What shared memory holds from byte 16 on when a block begins.
    pub parameters: Vec<u8>,
    /// The global spaces by number; the others are empty.
    pub globals: BTreeMap<u8, GlobalSpace>,
    /// The entries of the stack of a warp, at most [`STACK_ENTRIES`].
    pub stack_entries: u32,
    /// The textures.
    pub textures: Arc<LaunchTextures>,
}

/// A global space: a part of the launch's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlobalSpace {
    /// The address in memory where it begins, a multiple of [`GLOBAL_STEP`](super::GLOBAL_STEP).
    pub start: u32,
    /// The last address in the space that threads can access.
    pub last: u32,
}

impl GlobalSpace {
    /// The whole memory.
    pub const WHOLE: Self = Self { start: 0, last: u32::MAX };

    /// The address in memory of bytes of the space, if it has them all.
    #[must_use]
    pub const fn place(&self, address: u32, bytes: u32) -> Option<u32> {
        match address.checked_add(bytes - 1) {
            Some(last) if last <= self.last => self.start.checked_add(address),
            _ => None,
        }
    }
}

/// A texture that a program reads and a launch binds.
#[derive(Debug, Clone)]
pub struct BoundTexture {
    /// The unit of the texture.
    pub texture: u8,
    /// The unit of its sampler.
    pub sampler: u8,
    /// Whether it is sampled, not only read by texels.
    pub is_sampled: bool,
    /// What the texture unit does.
    pub state: TextureState,
}

impl SimtStage {
    /// The launch of the program over vertices or fragments. Each warp is a block.
    #[must_use]
    pub fn launch(&self, threads: LaunchThreads, textures: LaunchTextures) -> Launch {
        Launch {
            grid: [threads.count().unwrap_or(0).div_ceil(WARP_THREADS), 1, 1],
            block: [WARP_THREADS, 1, 1],
            threads,
            stage: self.clone(),
            grid_id: 0,
            shared_bytes: 0,
            parameters: Vec::new(),
            globals: BTreeMap::new(),
            stack_entries: STACK_ENTRIES,
            textures: Arc::new(textures),
        }
    }
}

impl Launch {
    /// The threads of the last block: of vertices and fragments, those that are left.
    #[must_use]
    pub fn last_block_threads(&self) -> u32 {
        match self.threads.count() {
            Some(count) => count - (count.div_ceil(WARP_THREADS).max(1) - 1) * WARP_THREADS,
            None => self.block_threads(),
        }
    }

    /// The threads of a block by its number.
    #[must_use]
    pub fn threads_of(&self, block: u64) -> u32 {
        let blocks: u64 = self.grid.into_iter().map(u64::from).product();
        let is_last = block + 1 == blocks;
        if is_last { self.last_block_threads() } else { self.block_threads() }
    }

    /// The number of a thread of a block among all vertices or fragments.
    #[must_use]
    pub fn element(&self, block: u64, thread: u32) -> u32 {
        u32::try_from(block * u64::from(self.block_threads()) + u64::from(thread)).unwrap_or(u32::MAX)
    }

    /// The threads of a block.
    #[must_use]
    pub const fn block_threads(&self) -> u32 {
        self.block[0] * self.block[1] * self.block[2]
    }

    /// The warps of a block; the last one may be partial.
    #[must_use]
    pub const fn block_warps(&self) -> u32 {
        self.block_threads().div_ceil(WARP_THREADS)
    }

    /// The coordinates of a block by its number: x is the fastest.
    #[must_use]
    pub const fn block_coordinates(&self, number: u64) -> [u32; 3] {
        coordinates(number, self.grid)
    }

    /// The coordinates of a thread in its block by its number: x is the fastest.
    #[must_use]
    pub fn thread_coordinates(&self, number: u32) -> [u32; 3] {
        coordinates(number.into(), self.block)
    }

    /// The place of a thread, by the numbers of its block and of itself in the block.
    #[must_use]
    pub fn place(&self, block: u64, thread: u32) -> ThreadPlace {
        ThreadPlace { block: self.block_coordinates(block), thread: self.thread_coordinates(thread) }
    }

    /// The shared memory that a block can access.
    #[must_use]
    pub const fn reserved_shared_bytes(&self) -> u32 {
        match self.shared_bytes.checked_next_multiple_of(SHARED_STEP) {
            Some(bytes) => bytes,
            None => u32::MAX,
        }
    }

    /// The local memory that a thread can access.
    #[must_use]
    pub const fn reserved_local_bytes(&self) -> u32 {
        match self.stage.local_bytes {
            0 => 0,
            1..=MIN_LOCAL => MIN_LOCAL,
            bytes => match bytes.checked_next_power_of_two() {
                Some(bytes) => bytes,
                None => u32::MAX,
            },
        }
    }

    /// The first bytes of shared memory of a block: sizes, coordinates, then the parameters.
    ///
    /// Source: kernels compiled by CUDA 1.x; envytools' `rnndb/graph/g80_compute.xml` for the methods that set them.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "sizes that pass the check have 16 bits")]
    pub fn shared_start(&self, block: [u32; 3]) -> Vec<u8> {
        let [threads_x, threads_y, threads_z] = self.block.map(|size| size as u16);
        let [blocks_x, blocks_y, _] = self.grid.map(|size| size as u16);
        let [x, y, _] = block.map(|place| place as u16);
        let header = [self.grid_id, threads_x, threads_y, threads_z, blocks_x, blocks_y, x, y];
        let mut bytes: Vec<u8> = header.iter().flat_map(|half| half.to_le_bytes()).collect();
        debug_assert_eq!(bytes.len(), PARAMETERS_OFFSET as usize, "parameters follow the header");
        bytes.extend_from_slice(&self.parameters);
        bytes
    }

    /// The textures that the program reads, as far as they are bound, in the order of their units.
    #[must_use]
    pub fn bound_textures(&self) -> Vec<BoundTexture> {
        let reads = self.stage.program.texture_reads().into_iter();
        let bound = reads.filter_map(|((texture, sampler), is_sampled)| {
            let state = self.textures.state(texture, sampler)?;
            Some(BoundTexture { texture, sampler, is_sampled, state })
        });
        bound.collect()
    }

    /// The first register of a thread when it begins: its coordinates in ten, ten and six bits.
    // Unverified: that it is zero for vertices and fragments.
    #[must_use]
    pub fn first_register(&self, thread: u32) -> u32 {
        if self.threads != LaunchThreads::Grid {
            return 0;
        }
        let [x, y, z] = self.thread_coordinates(thread);
        x | y << 16 | z << 26
    }
}

/// The coordinates of an item by its number, x the fastest.
#[expect(clippy::cast_possible_truncation, reason = "a remainder fits the size, and the last one the grid")]
const fn coordinates(number: u64, [width, height, _]: [u32; 3]) -> [u32; 3] {
    let (width, height) = (width as u64, height as u64);
    [(number % width) as u32, (number / width % height) as u32, (number / width / height) as u32]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::shader::simt::{SimtProgram, TeslaGeneration};

    /// A launch of one warp without parameters.
    pub(in crate::pipeline::launch) fn plain_launch(words: &[u32]) -> Launch {
        Launch {
            threads: LaunchThreads::Grid,
            stage: SimtStage {
                program: Arc::new(SimtProgram::decode(words)),
                generation: TeslaGeneration::Gt215,
                registers: 16,
                local_bytes: 0,
                constants: Arc::default(),
            },
            grid: [1, 1, 1],
            block: [32, 1, 1],
            grid_id: 0,
            shared_bytes: 0x40,
            parameters: Vec::new(),
            globals: BTreeMap::from([(14, GlobalSpace::WHOLE)]),
            stack_entries: STACK_ENTRIES,
            textures: Arc::default(),
        }
    }

    #[test]
    fn global_spaces_have_a_start_and_an_end() {
        let space = GlobalSpace { start: 0x1000, last: 0xff };
        assert_eq!(space.place(0, 4), Some(0x1000));
        assert_eq!(space.place(0xfc, 4), Some(0x10fc));
        assert_eq!(space.place(0xfd, 4), None);
        assert_eq!(GlobalSpace::WHOLE.place(u32::MAX, 1), Some(u32::MAX));
        assert_eq!(GlobalSpace::WHOLE.place(u32::MAX, 2), None);
        assert_eq!(GlobalSpace { start: 0x100, last: u32::MAX }.place(0xffff_ff00, 1), None);
    }

    #[test]
    fn shared_memory_begins_with_sizes_and_coordinates() {
        let launch = Launch {
            grid: [300, 2, 1],
            block: [16, 8, 4],
            grid_id: 0x1234,
            parameters: vec![0xaa, 0xbb],
            ..plain_launch(&[])
        };
        assert_eq!(launch.block_coordinates(301), [1, 1, 0]);
        let expected = [0x34, 0x12, 16, 0, 8, 0, 4, 0, 0x2c, 1, 2, 0, 1, 0, 1, 0, 0xaa, 0xbb];
        assert_eq!(launch.shared_start(launch.block_coordinates(301)), expected);
    }

    #[test]
    fn the_first_register_holds_the_coordinates() {
        let launch = Launch { block: [4, 4, 4], ..plain_launch(&[]) };
        assert_eq!((launch.block_threads(), launch.block_warps()), (64, 2));
        // Thread 63 is (3, 3, 3), thread 21 is (1, 1, 1).
        assert_eq!(launch.first_register(63), 3 | 3 << 16 | 3 << 26);
        assert_eq!(launch.first_register(21), 1 | 1 << 16 | 1 << 26);
    }

    #[test]
    fn memory_is_reserved_in_the_chips_steps() {
        let sizes = |shared_bytes, local_bytes| {
            let mut launch = Launch { shared_bytes, ..plain_launch(&[]) };
            launch.stage.local_bytes = local_bytes;
            (launch.reserved_shared_bytes(), launch.reserved_local_bytes())
        };
        assert_eq!(sizes(0x41, 0), (0x80, 0));
        assert_eq!(sizes(0x40, 4), (0x40, 0x10));
        assert_eq!(sizes(0, 0x30), (0, 0x40));
    }
}
