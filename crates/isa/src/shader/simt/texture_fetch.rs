//! Collects the operands of a texture instruction, and the textures that a program reads.

use std::collections::BTreeMap;

use super::{Instruction, Operand, Operation, ProgramKind, Register, SimtProgram, TextureSource};

/// The operands of a texture instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureFetch {
    /// What it reads.
    pub source: TextureSource,
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
    /// The operands of an instruction that programs can execute: it samples, reads a texel or the size. Others are not emulated.
    ///
    /// Source: envytools `docs/hw/graph/tesla/cuda/texture.rst`.
    #[must_use]
    pub fn of(instruction: &Instruction) -> Option<Self> {
        let Operation::Texture(sample) = instruction.operation else { return None };
        let mut fetch = Self { source: sample.source, texture: 0, sampler: 0, coordinates: (0, 0), offsets: [0; 3] };
        for source in &instruction.sources {
            match source.operand {
                Operand::Texture { texture, sampler } => (fetch.texture, fetch.sampler) = (texture, sampler),
                Operand::Coordinates { first, count } => fetch.coordinates = (first, count),
                Operand::Register(Register::Word(first)) => fetch.coordinates = (first, 1),
                Operand::TexelOffset(offsets) => fetch.offsets = offsets,
                _ => {}
            }
        }
        let is_emulated = match sample.source {
            TextureSource::Automatic
            | TextureSource::Bias
            | TextureSource::Lod
            | TextureSource::Texel
            | TextureSource::Size => true,
            TextureSource::PrepareCube | TextureSource::QueryLod | TextureSource::Coverage | TextureSource::Gather => {
                false
            }
        };
        is_emulated.then_some(fetch)
    }

    /// Whether its level of detail comes from the differences of the coordinates over a quad. Only fragments have these.
    #[must_use]
    pub fn uses_derivatives(&self, kind: ProgramKind) -> bool {
        kind == ProgramKind::Fragment && matches!(self.source, TextureSource::Automatic | TextureSource::Bias)
    }

    /// Whether it samples some texels away from its place.
    #[must_use]
    pub fn samples_with_offsets(&self) -> bool {
        self.samples() && self.offsets != [0; 3]
    }

    /// Whether it filters texels.
    #[must_use]
    pub const fn samples(&self) -> bool {
        !matches!(self.source, TextureSource::Texel | TextureSource::Size)
    }
}

impl SimtProgram {
    /// Whether an instruction reads texels of a texture by their numbers, which reaches levels that its sampler does not.
    #[must_use]
    pub fn reads_texels(&self, units: [u8; 2]) -> bool {
        let mut fetches = self.instructions().iter().filter_map(|found| TextureFetch::of(&found.instruction));
        fetches.any(|fetch| fetch.source == TextureSource::Texel && [fetch.texture, fetch.sampler] == units)
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
