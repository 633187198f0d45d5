//! The chips that scenes draw on, and what each of them can hold.

use super::attribute::ShortScale;
use super::error::{SceneError, Source};
use super::folder::Folder;
use super::loaded_program::LoadedProgram;
use super::target::PlacedTarget;
use super::text::Text;
use super::texture::PlacedTexture;
use super::{nv40, schema, tesla};
use crate::command::builder::CaptureBuilder;
use crate::format::TextureFormat;
use crate::machine::{chipset_named, is_recordable};
use crate::pipeline::Dimensions;

/// The chip of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chip {
    /// NV40.
    Nv40,
    /// A chip of the Tesla generation.
    Tesla {
        /// Its chipset number.
        chipset: u32,
    },
}

/// The chipset number of NV40.
const NV40: u32 = 0x40;

impl Chip {
    /// The chip that a scene names.
    pub(super) fn named(source: &Source, name: Option<&Text>) -> Result<Self, SceneError> {
        let Some(name) = name else { return Ok(Self::Nv40) };
        match chipset_named(name.as_str()) {
            Some(NV40) => Ok(Self::Nv40),
            Some(chipset) if is_recordable(chipset) => Ok(Self::Tesla { chipset }),
            _ => {
                let label = "expected NV40, or a GeForce 8 to 300 as NV50, G84, G92, GT200 or GT215";
                Err(source.at(name, format!("scenes are not drawn on `{name}`"), label))
            }
        }
    }

    /// A capture of this chip without frames.
    pub(super) fn capture(self) -> CaptureBuilder {
        match self {
            Self::Nv40 => CaptureBuilder::new(),
            Self::Tesla { chipset } => CaptureBuilder::tesla(chipset, self.three_d_class()),
        }
    }

    /// The number of its 3D class.
    pub(super) const fn three_d_class(self) -> u32 {
        match self {
            Self::Nv40 => 0x4097,
            Self::Tesla { chipset } => tesla::three_d_class(chipset),
        }
    }

    /// Whether streams end at a number of bytes, as from the GT200 on, and not at one of primitives.
    pub(super) const fn limits_streams_in_bytes(self) -> bool {
        !matches!(self.three_d_class(), 0x5097 | 0x8297)
    }

    /// Lays out a target.
    pub(super) fn place_target(self, target: &schema::Target, picture: (u32, u32)) -> Result<PlacedTarget, String> {
        match self {
            Self::Nv40 => nv40::place_target(target, picture),
            Self::Tesla { .. } => tesla::place_target(target, picture),
        }
    }

    /// Lays out new texels; `linear` requests one order.
    pub(super) fn place_texture(
        self,
        format: TextureFormat,
        dimensions: Dimensions,
        size: [u32; 3],
        levels: u32,
        linear: Option<bool>,
    ) -> Result<PlacedTexture, String> {
        match self {
            Self::Nv40 => PlacedTexture::new(format, dimensions, size, levels, linear),
            Self::Tesla { .. } => tesla::place_texture(format, dimensions, size, levels, linear),
        }
    }

    /// Reads a program.
    pub(super) fn load_program(
        self,
        source: &Source,
        folder: &Folder,
        program: &schema::Program,
    ) -> Result<LoadedProgram, SceneError> {
        match self {
            Self::Nv40 => nv40::load_program(source, folder, program),
            Self::Tesla { .. } => tesla::load_program(source, folder, program),
        }
    }

    /// The texture units of fragment programs, and those of vertex programs.
    pub(super) const fn texture_units(self) -> [u8; 2] {
        match self {
            Self::Nv40 => [16, 4],
            Self::Tesla { .. } => [16, 16],
        }
    }

    /// How it reads shorts as −1 to 1.
    pub(super) const fn short_scale(self) -> ShortScale {
        match self {
            Self::Nv40 => ShortScale::Odd,
            Self::Tesla { .. } => ShortScale::Symmetric,
        }
    }

    /// Whether the indices of a mesh are written anew for each instance, because instances are ranges of vertices.
    pub(super) const fn repeats_indices(self) -> bool {
        match self {
            Self::Nv40 => true,
            Self::Tesla { .. } => false,
        }
    }
}
