//! The sizes that a multiprocessor can hold, and the check of a launch against them.

use super::processor::{MIN_LOCAL, WARP_THREADS};
use super::{Launch, LaunchThreads, MAX_TEXTURES, PRIMITIVE_VERTICES, Primitives, SAMPLED_SIDE, VERTEX_STRIDE};
use crate::isa::tesla::{TeslaGeneration, module::PARAMETERS_OFFSET};
use crate::shader::simt::ProgramKind;

/// The words that instructions can name in `a[]` and in `v[]`: the latter's field has eight bits.
const INPUT_WORDS: u32 = 256;

/// The words of a vertex that addresses of 16 bits reach in `p[]`.
const MAX_VERTEX_WORDS: u32 = (1 << 16) / (4 * VERTEX_STRIDE);

/// The vertices that a thread can emit.
///
/// Source: the limit that Mesa's nv50 driver gives to OpenGL.
const MAX_EMITTED_VERTICES: u32 = 1024;

/// What a multiprocessor and a grid can hold. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchLimits {
    /// The threads of a block.
    pub block_threads: u32,
    /// The threads of a block in x, y and z.
    pub block: [u32; 3],
    /// The blocks of a grid in x, y and z.
    pub grid: [u32; 3],
    /// The registers of a thread.
    pub thread_registers: u32,
    /// The registers of a multiprocessor.
    pub registers: u32,
    /// Registers of a block are reserved in steps of this number.
    pub register_step: u32,
    /// The shared memory of a multiprocessor.
    pub shared_bytes: u32,
    /// The local memory of a thread.
    pub local_bytes: u32,
    /// A constant space.
    pub constant_bytes: u32,
}

impl LaunchLimits {
    /// The words that instructions can name in `o[]`: field 127 is none.
    pub const OUTPUT_WORDS: u32 = 127;

    /// Those of G80 and G84.
    ///
    /// Source: the CUDA Programming Guide 1.0, appendix A; its occupancy calculator for the steps.
    pub const G80: Self = Self {
        block_threads: 512,
        block: [512, 512, 64],
        grid: [65535, 65535, 1],
        thread_registers: 128,
        registers: 8192,
        register_step: 256,
        shared_bytes: 0x4000,
        local_bytes: 0x1_0000,
        constant_bytes: 0x1_0000,
    };

    /// Those of G200 and GT215, with twice the registers.
    ///
    /// Source: the CUDA Programming Guide 2.3, appendix A.
    pub const G200: Self = Self { registers: 16384, register_step: 512, ..Self::G80 };

    /// Those of a generation of the processor.
    #[must_use]
    pub const fn of(generation: TeslaGeneration) -> Self {
        match generation {
            TeslaGeneration::Sm10 | TeslaGeneration::Sm11 => Self::G80,
            TeslaGeneration::Sm12 | TeslaGeneration::Sm13 | TeslaGeneration::Gt215 => Self::G200,
        }
    }

    /// Checks that a block of the launch fits.
    ///
    /// # Errors
    /// When it does not.
    pub fn check(&self, launch: &Launch) -> Result<(), LaunchSizeError> {
        check_threads(launch)?;
        for (what, sizes, limits) in [("grid", launch.grid, self.grid), ("block", launch.block, self.block)] {
            for ((axis, size), limit) in ["x", "y", "z"].into_iter().zip(sizes).zip(limits) {
                if size == 0 || size > limit {
                    return Err(LaunchSizeError::Axis { what, axis, size, limit });
                }
            }
        }
        // Each size has at most 16 bits, and z at most 6: the product of all three has at most 26.
        let header = if launch.threads == LaunchThreads::Grid { PARAMETERS_OFFSET } else { 0 };
        let parameters = u32::try_from(launch.parameters.len()).unwrap_or(u32::MAX).saturating_add(header);
        let constants = launch.stage.constants.values().map(Vec::len).max().unwrap_or(0);
        let checks = [
            ("the number of threads in a block", launch.block_threads(), self.block_threads),
            ("the number of registers of a thread", launch.stage.registers, self.thread_registers),
            ("the local memory of a thread", launch.stage.local_bytes, self.local_bytes),
            ("the shared memory of a block", launch.shared_bytes, self.shared_bytes),
            ("the end of the parameters", parameters, launch.reserved_shared_bytes()),
            ("a constant space", u32::try_from(constants).unwrap_or(u32::MAX), self.constant_bytes),
        ];
        if let Some((what, size, limit)) = checks.into_iter().find(|(_, size, limit)| size > limit) {
            return Err(LaunchSizeError::TooLarge { what, size, limit });
        }
        let registers = self.block_registers(launch);
        if registers > self.registers {
            let (threads, limit) = (launch.block_threads(), self.registers);
            return Err(LaunchSizeError::Registers { thread: launch.stage.registers, threads, registers, limit });
        }
        check_textures(launch)?;
        debug_assert!(launch.reserved_local_bytes() == 0 || launch.reserved_local_bytes() >= MIN_LOCAL);
        Ok(())
    }

    /// The registers that a block reserves: those of an even number of warps, in steps.
    #[must_use]
    pub const fn block_registers(&self, launch: &Launch) -> u32 {
        let warps = launch.block_warps().next_multiple_of(2);
        (launch.stage.registers * WARP_THREADS * warps).next_multiple_of(self.register_step)
    }
}

/// Checks that the program, the blocks and the inputs are those of the threads.
fn check_threads(launch: &Launch) -> Result<(), LaunchSizeError> {
    let threads = &launch.threads;
    let (program, kind) = (launch.stage.program.kind(), threads.kind());
    if program != kind {
        return Err(LaunchSizeError::Kind { program, threads: kind });
    }
    let Some(count) = threads.count() else { return Ok(()) };
    let (grid, block) = ([count.div_ceil(WARP_THREADS), 1, 1], [WARP_THREADS, 1, 1]);
    if (launch.grid, launch.block) != (grid, block) {
        return Err(LaunchSizeError::Warps { count, grid: launch.grid, block: launch.block });
    }
    let (needed, found) = threads.inputs();
    if found as u64 != needed {
        return Err(LaunchSizeError::Inputs { needed, found });
    }
    let [vertices, vertex_words, emitted] = match threads {
        LaunchThreads::Primitives(Primitives { vertices, vertex_words, max_vertices, .. }) => {
            [*vertices, *vertex_words, *max_vertices]
        }
        LaunchThreads::Grid | LaunchThreads::Vertices(_) | LaunchThreads::Fragments(_) => [0; 3],
    };
    let sizes = [
        ("the number of words of an input space", threads.input_words(), INPUT_WORDS),
        ("the number of words of the output space", threads.output_words(), LaunchLimits::OUTPUT_WORDS),
        ("the number of result registers", threads.results(), launch.stage.registers),
        ("the number of vertices of a primitive", vertices, PRIMITIVE_VERTICES),
        ("the number of words of a vertex of a primitive", vertex_words, MAX_VERTEX_WORDS),
        ("the number of vertices that a thread emits", emitted, MAX_EMITTED_VERTICES),
    ];
    match sizes.into_iter().find(|(_, size, limit)| size > limit) {
        Some((what, size, limit)) => Err(LaunchSizeError::TooLarge { what, size, limit }),
        None => Ok(()),
    }
}

/// Checks what the emulated texture unit can sample.
fn check_textures(launch: &Launch) -> Result<(), LaunchSizeError> {
    let bound = launch.bound_textures();
    let sampled = bound.iter().filter(|bound| bound.is_sampled);
    let side = sampled.flat_map(|bound| bound.state.view.size).max().unwrap_or(0);
    let count = u32::try_from(bound.len()).unwrap_or(u32::MAX);
    let most = u32::try_from(MAX_TEXTURES).unwrap_or(u32::MAX);
    let checks = [
        ("a side of a texture that is sampled", side, SAMPLED_SIDE),
        ("the number of textures that a program reads", count, most),
    ];
    match checks.into_iter().find(|(_, size, limit)| size > limit) {
        Some((what, size, limit)) => Err(LaunchSizeError::TooLarge { what, size, limit }),
        None => Ok(()),
    }
}

/// Why a launch does not fit on the processor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchSizeError {
    /// The program is for other threads.
    #[error("a {} program cannot run on the threads of a {} program", kind_name(*program), kind_name(*threads))]
    Kind {
        /// The kind of the program.
        program: ProgramKind,
        /// The kind that the threads need.
        threads: ProgramKind,
    },
    /// The blocks are not the warps of the vertices or fragments.
    #[error("{count} vertices or fragments do not run in blocks of {block:?} in a grid of {grid:?}")]
    Warps {
        /// How many there are.
        count: u32,
        /// The blocks of the grid.
        grid: [u32; 3],
        /// The threads of a block.
        block: [u32; 3],
    },
    /// There are too few or too many inputs.
    #[error("the threads need {needed} words or planes of inputs; there are {found}")]
    Inputs {
        /// How many there must be.
        needed: u64,
        /// How many there are.
        found: usize,
    },
    /// A size of the grid or the block is zero or too large.
    #[error("the {what} has {axis} = {size}; it can be 1 to {limit}")]
    Axis {
        /// `grid` or `block`.
        what: &'static str,
        /// `x`, `y` or `z`.
        axis: &'static str,
        /// The size.
        size: u32,
        /// The largest one.
        limit: u32,
    },
    /// Something is too large.
    #[error("{what} is {size}, more than {limit}")]
    TooLarge {
        /// What, in words.
        what: &'static str,
        /// Its size.
        size: u32,
        /// The largest one.
        limit: u32,
    },
    /// A block needs more registers than there are.
    #[error("{threads} threads of {thread} registers take {registers} registers, more than {limit}")]
    Registers {
        /// The registers of a thread.
        thread: u32,
        /// The threads of a block.
        threads: u32,
        /// The registers of the block.
        registers: u32,
        /// How many there are.
        limit: u32,
    },
}

/// What a kind of program is called.
const fn kind_name(kind: ProgramKind) -> &'static str {
    match kind {
        ProgramKind::Vertex => "vertex",
        ProgramKind::Geometry => "geometry",
        ProgramKind::Fragment => "fragment",
        ProgramKind::Compute => "compute",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::LaunchTextures;
    use super::super::simt_launch::tests::plain_launch;
    use super::*;
    use crate::pipeline::SimtStage;
    use crate::shader::simt::SimtProgram;

    fn check(change: impl FnOnce(&mut Launch)) -> Result<(), LaunchSizeError> {
        let mut launch = plain_launch(&[]);
        change(&mut launch);
        LaunchLimits::G80.check(&launch)
    }

    #[test]
    fn blocks_that_fill_the_multiprocessor_fit() {
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|launch| launch.block = [512, 1, 1]), Ok(()), "16 registers × 512 threads are 8192");
        assert_eq!(check(|launch| launch.block = [8, 8, 8]), Ok(()));
        assert_eq!(check(|launch| launch.grid = [65535, 65535, 1]), Ok(()));
        assert_eq!(check(|launch| launch.shared_bytes = 0x4000), Ok(()));
    }

    #[test]
    fn primitives_have_limits_of_their_own() {
        let check = |change: fn(&mut Primitives)| {
            let mut primitives = Primitives {
                count: 2,
                input_words: 1,
                inputs: vec![0; 2],
                vertices: 6,
                vertex_words: 512,
                vertex_values: vec![0; 2 * 6 * 512],
                output_words: 8,
                max_vertices: 1024,
            };
            change(&mut primitives);
            let program = Arc::new(SimtProgram::decode_kind(&[], ProgramKind::Geometry));
            let stage = SimtStage { program, ..plain_launch(&[]).stage };
            let launch = stage.launch(LaunchThreads::Primitives(primitives), LaunchTextures::default());
            LaunchLimits::G80.check(&launch)
        };
        assert_eq!(check(|_| ()), Ok(()));
        let too_large = |what, size, limit| Err(LaunchSizeError::TooLarge { what, size, limit });
        let emits = "the number of vertices that a thread emits";
        assert_eq!(check(|primitives| primitives.max_vertices = 1025), too_large(emits, 1025, 1024));
        let words = "the number of words of a vertex of a primitive";
        let widen = |primitives: &mut Primitives| {
            (primitives.vertex_words, primitives.vertex_values) = (513, vec![0; 2 * 6 * 513]);
        };
        assert_eq!(check(widen), too_large(words, 513, 512));
        assert_eq!(
            check(|primitives| primitives.inputs.push(0)),
            Err(LaunchSizeError::Inputs { needed: 2 + 2 * 6 * 512, found: 3 + 2 * 6 * 512 })
        );
    }

    #[test]
    fn registers_are_counted_for_an_even_number_of_warps() {
        // 32 registers × 32 lanes × 8 warps are 8192; a ninth warp rounds up to ten.
        assert_eq!(check(|launch| (launch.block, launch.stage.registers) = ([256, 1, 1], 32)), Ok(()));
        let error = LaunchSizeError::Registers { thread: 32, threads: 257, registers: 10240, limit: 8192 };
        assert_eq!(check(|launch| (launch.block, launch.stage.registers) = ([257, 1, 1], 32)), Err(error.clone()));
        assert_eq!(error.to_string(), "257 threads of 32 registers take 10240 registers, more than 8192");
    }

    #[test]
    fn later_generations_have_more_registers() {
        let mut launch = Launch { block: [512, 1, 1], ..plain_launch(&[]) };
        launch.stage.registers = 32;
        assert!(LaunchLimits::of(TeslaGeneration::Sm11).check(&launch).is_err());
        assert_eq!(LaunchLimits::of(TeslaGeneration::Sm12).check(&launch), Ok(()));
    }

    #[test]
    fn each_size_has_a_limit() {
        let axis = |what, axis, size, limit| Err(LaunchSizeError::Axis { what, axis, size, limit });
        assert_eq!(check(|launch| launch.grid[0] = 65536), axis("grid", "x", 65536, 65535));
        assert_eq!(check(|launch| launch.grid[2] = 2), axis("grid", "z", 2, 1));
        assert_eq!(check(|launch| launch.block[1] = 0), axis("block", "y", 0, 512));
        assert_eq!(check(|launch| launch.block[2] = 65), axis("block", "z", 65, 64));
        let too_large = |what, size, limit| Err(LaunchSizeError::TooLarge { what, size, limit });
        let threads = "the number of threads in a block";
        assert_eq!(check(|launch| launch.block = [512, 2, 1]), too_large(threads, 1024, 512));
        let shared = "the shared memory of a block";
        assert_eq!(check(|launch| launch.shared_bytes = u32::MAX), too_large(shared, u32::MAX, 0x4000));
        assert_eq!(check(|launch| launch.shared_bytes = 0x4001), too_large(shared, 0x4001, 0x4000));
        let parameters = "the end of the parameters";
        assert_eq!(check(|launch| launch.parameters = vec![0; 49]), too_large(parameters, 65, 64));
        let local = "the local memory of a thread";
        assert_eq!(check(|launch| launch.stage.local_bytes = 0x1_0001), too_large(local, 0x1_0001, 0x1_0000));
    }
}
