//! What determines the text of a kernel: a program, and what it reads and shares with others.

use std::sync::Arc;

use crate::isa::tesla::TeslaGeneration;
use crate::pipeline::launch::{BoundTexture, CoordinatePlaces, GlobalSpace, Launch};
use crate::recompiler::texture::key::{TextureKey, UnitUses};
use crate::shader::simt::{ProgramInstruction, SimtProgram, TextureFetch, TextureSource};

/// How the blocks of a grid run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockOrder {
    /// Side by side, as long as their order cannot matter and nothing is wrong.
    Concurrent,
    /// One after the other.
    Ordered,
}

/// What determines the text of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComputeKernelKey {
    /// The program.
    pub program: Arc<SimtProgram>,
    /// The generation of the processor.
    pub generation: TeslaGeneration,
    /// The registers of a thread.
    pub registers: u32,
    /// The shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// The registers from 0 that are the results of a fragment.
    pub results: u32,
    /// The global spaces, and whether each is the whole memory.
    pub globals: Vec<(u8, bool)>,
    /// Whether a table tells where each page of memory is.
    pub is_sparse: bool,
    /// How blocks run.
    pub order: BlockOrder,
    /// Whether the adapter keeps the highest lane's value of several that are stored to an address. If not, the text makes
    /// sure that it stays.
    pub has_ordered_stores: bool,
    /// The textures that the text reads.
    pub textures: Vec<KernelTexture>,
    /// The sample that all fragments of the text are, unless tables tell it.
    pub sample: u8,
}

impl ComputeKernelKey {
    /// The key of a launch.
    #[must_use]
    pub fn new(launch: &Launch, order: BlockOrder, has_ordered_stores: bool) -> Self {
        Self {
            program: Arc::clone(&launch.stage.program),
            generation: launch.stage.generation,
            registers: launch.stage.registers,
            // An array of the text is not empty.
            shared_bytes: launch.reserved_shared_bytes().max(4),
            results: launch.threads.results(),
            globals: launch.globals.iter().map(|(number, space)| (*number, *space == GlobalSpace::WHOLE)).collect(),
            is_sparse: false,
            order,
            has_ordered_stores,
            textures: KernelTexture::all(launch),
            sample: 0,
        }
    }

    /// Whether the processor has an instruction.
    pub(super) fn executes(&self, instruction: &ProgramInstruction) -> bool {
        self.generation.executes(instruction.generation)
    }
}

/// A texture that the text reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelTexture {
    /// The unit of the texture.
    pub texture: u8,
    /// The unit of its sampler.
    pub sampler: u8,
    /// Where the coordinates of instructions are.
    pub places: CoordinatePlaces,
    /// What the text of the texture unit depends on.
    pub key: TextureKey,
}

impl KernelTexture {
    /// Those of a launch.
    pub(super) fn all(launch: &Launch) -> Vec<Self> {
        let bound = launch.bound_textures().into_iter();
        let instructions = launch.stage.program.instructions();
        let uses = |units: [u8; 2]| {
            let fetches = instructions.iter().filter_map(|own| TextureFetch::of(&own.instruction));
            let own = fetches.filter(|fetch| [fetch.texture, fetch.sampler] == units);
            own.fold(UnitUses::default(), |uses, fetch| UnitUses {
                offsets: uses.offsets || fetch.samples_with_offsets(),
                gathers: uses.gathers || fetch.source == TextureSource::Gather,
                lods: uses.lods || fetch.source == TextureSource::QueryLod,
                cubes: uses.cubes || fetch.source == TextureSource::PrepareCube,
            })
        };
        let textures = bound.map(|BoundTexture { texture, sampler, state, .. }| Self {
            texture,
            sampler,
            places: CoordinatePlaces::of(&state),
            key: TextureKey::of(&state, state.view.window.bytes).used(uses([texture, sampler])),
        });
        textures.collect()
    }
}
