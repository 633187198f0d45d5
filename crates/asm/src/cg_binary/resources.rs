//! The numbers by which parameters of Cg name types, registers of the chip, and directions.

use std::ops::RangeInclusive;

use super::contents::{Parameter, Place};
use crate::assembly::TextureTarget;
use crate::language::ProgramStage;
use crate::shader::fragment::FragmentInput;

/// `CG_OUT`.
pub(super) const OUT: u32 = 4098;
/// `CG_C`: the constant store.
pub(super) const CONSTANT: u32 = 2178;
/// `CG_ATTR0` to `CG_ATTR15`.
const ATTRIBUTES: RangeInclusive<u32> = 2113..=2128;
/// `CG_TEXUNIT0` to `CG_TEXUNIT15`.
const TEXTURE_UNITS: RangeInclusive<u32> = 2048..=2063;
/// `CG_TEXCOORD0` to `CG_TEXCOORD9`.
const TEXTURE_COORDINATES: RangeInclusive<u32> = 3220..=3229;

/// How many components a type has; `None` for matrices, whose rows are parameters of their own, and for samplers.
pub(super) const fn components(kind: u32) -> Option<u8> {
    match kind {
        // half, float, fixed; half1, float1, fixed1; int, int1; bool, bool1.
        1025 | 1045 | 1070 | 1090..=1094 | 1114 | 1115 => Some(1),
        1026 | 1046 | 1071 | 1095 | 1116 => Some(2),
        1027 | 1047 | 1072 | 1096 | 1117 => Some(3),
        1028 | 1048 | 1073 | 1097 | 1118 => Some(4),
        _ => None,
    }
}

/// The target of a sampler.
const fn target(kind: u32) -> Option<TextureTarget> {
    match kind {
        1065 => Some(TextureTarget::OneDimensional),
        1066 => Some(TextureTarget::TwoDimensional),
        1067 => Some(TextureTarget::ThreeDimensional),
        1068 => Some(TextureTarget::Rectangle),
        1069 => Some(TextureTarget::Cube),
        _ => None,
    }
}

/// The place that a resource other than the constant store names.
pub(super) fn place(stage: ProgramStage, resource: u32, kind: u32) -> Option<Place> {
    if let Some(unit) = number_in(&TEXTURE_UNITS, resource) {
        return Some(Place::Texture(unit, target(kind)));
    }
    if stage == ProgramStage::Vertex {
        return number_in(&ATTRIBUTES, resource).map(Place::Attribute);
    }
    let input = match resource {
        2373 => FragmentInput::WindowPosition,
        2757 => FragmentInput::Color0,
        2758 => FragmentInput::Color1,
        2917 | 3156 => FragmentInput::Fog,
        _ => FragmentInput::TexCoord(number_in(&TEXTURE_COORDINATES, resource)?),
    };
    Some(Place::Interpolant(input.attribute()))
}

fn number_in(range: &RangeInclusive<u32>, resource: u32) -> Option<u8> {
    range.contains(&resource).then(|| (resource - range.start()).to_le_bytes()[0])
}

impl Parameter {
    /// A parameter with as many components as its type.
    pub(super) fn of_type(name: String, place: Place, kind: u32, default: Option<[u32; 4]>) -> Self {
        Self { name, place, components: components(kind).unwrap_or(4), default }
    }
}
