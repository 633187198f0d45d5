//! Collects the operands of a texture instruction, and the textures that a program reads.

use std::collections::BTreeMap;

use super::{Instruction, Operand, Operation, ProgramKind, Register, SimtProgram, TextureSource};

/// The operands of a texture instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureFetch {
    /// What it reads.
    pub source: TextureSource,
    /// Whether its coordinates are those of a cube map.
    pub is_cube: bool,
    /// The texture.
    pub texture: u8,
    /// The sampler.
    pub sampler: u8,
    /// The first register of the coordinates, and how many there are.
    pub coordinates: (u8, u8),
    /// The texels that are added to the place.
    pub offsets: [i8; 3],
}

impl TextureFetch {
    /// The operands of an instruction that programs can execute. Reads with a mask of coverage samples are not emulated.
    ///
    /// Source: envytools `docs/hw/graph/tesla/cuda/texture.rst`.
    #[must_use]
    pub fn of(instruction: &Instruction) -> Option<Self> {
        let Operation::Texture(sample) = instruction.operation else { return None };
        if sample.source == TextureSource::Coverage {
            return None;
        }
        let mut fetch = Self {
            source: sample.source,
            is_cube: sample.is_cube,
            texture: 0,
            sampler: 0,
            coordinates: (0, 0),
            offsets: [0; 3],
        };
        for source in &instruction.sources {
            match source.operand {
                Operand::Texture { texture, sampler } => (fetch.texture, fetch.sampler) = (texture, sampler),
                Operand::Coordinates { first, count } => fetch.coordinates = (first, count),
                Operand::Register(Register::Word(first)) => fetch.coordinates = (first, 1),
                Operand::TexelOffset(offsets) => fetch.offsets = offsets,
                _ => {}
            }
        }
        Some(fetch)
    }

    /// Whether its level of detail comes from the differences of the coordinates over a quad. Only fragments have these.
    #[must_use]
    pub fn uses_derivatives(&self, kind: ProgramKind) -> bool {
        let has_implicit_lod =
            matches!(self.source, TextureSource::Automatic | TextureSource::Bias | TextureSource::QueryLod);
        kind == ProgramKind::Fragment && has_implicit_lod
    }

    /// Whether it samples some texels away from its place.
    #[must_use]
    pub fn samples_with_offsets(&self) -> bool {
        self.samples() && self.offsets != [0; 3]
    }

    /// Whether it depends on the sampler.
    #[must_use]
    pub const fn samples(&self) -> bool {
        !matches!(self.source, TextureSource::Texel | TextureSource::Size | TextureSource::PrepareCube)
    }
}

impl SimtProgram {
    /// Whether an instruction reads texels of a texture by their numbers, or gathers them, which reaches levels that its sampler
    /// does not.
    #[must_use]
    pub fn reads_texels(&self, units: [u8; 2]) -> bool {
        let mut fetches = self.instructions().iter().filter_map(|found| TextureFetch::of(&found.instruction));
        fetches.any(|fetch| {
            matches!(fetch.source, TextureSource::Texel | TextureSource::Gather)
                && [fetch.texture, fetch.sampler] == units
        })
    }

    /// The textures that the program reads, each with its sampler and with whether it is sampled.
    #[must_use]
    pub fn texture_reads(&self) -> BTreeMap<(u8, u8), bool> {
        let mut reads = BTreeMap::new();
        for fetch in self.instructions().iter().filter_map(|found| TextureFetch::of(&found.instruction)) {
            *reads.entry((fetch.texture, fetch.sampler)).or_default() |= fetch.samples();
        }
        reads
    }
}
