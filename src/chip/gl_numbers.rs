//! Turns the numbers of OpenGL and Direct3D, which the 3D classes of several generations take, into the types of the
//! [`pipeline`](crate::pipeline).

use crate::pipeline::{BlendEquation, BlendFactor, Compare, CullFace, LogicOp, PolygonMode, StencilOp};

/// Logic operations: OpenGL numbers.
pub(super) const fn logic_op(value: u32) -> LogicOp {
    LogicOp::ALL[(value & 15) as usize]
}

/// Comparison functions: OpenGL numbers, or Direct3D's 1..8.
pub(super) const fn compare(value: u32) -> Option<Compare> {
    Some(match value {
        0x200 | 1 => Compare::Never,
        0x201 | 2 => Compare::Less,
        0x202 | 3 => Compare::Equal,
        0x203 | 4 => Compare::LessEqual,
        0x204 | 5 => Compare::Greater,
        0x205 | 6 => Compare::NotEqual,
        0x206 | 7 => Compare::GreaterEqual,
        0x207 | 8 => Compare::Always,
        _ => return None,
    })
}

/// Blend factors: OpenGL numbers, or Direct3D's from 0x1001.
pub(super) const fn blend_factor(value: u32) -> Option<BlendFactor> {
    Some(match value {
        0 | 0x1001 => BlendFactor::Zero,
        1 | 0x1002 => BlendFactor::One,
        0x300 | 0x1003 => BlendFactor::SourceColor,
        0x301 | 0x1004 => BlendFactor::OneMinusSourceColor,
        0x302 | 0x1005 | 0x100c => BlendFactor::SourceAlpha,
        0x303 | 0x1006 | 0x100d => BlendFactor::OneMinusSourceAlpha,
        0x304 | 0x1007 => BlendFactor::DestinationAlpha,
        0x305 | 0x1008 => BlendFactor::OneMinusDestinationAlpha,
        0x306 | 0x1009 => BlendFactor::DestinationColor,
        0x307 | 0x100a => BlendFactor::OneMinusDestinationColor,
        0x308 | 0x100b => BlendFactor::SourceAlphaSaturate,
        0x8001 | 0x100e => BlendFactor::ConstantColor,
        0x8002 | 0x100f => BlendFactor::OneMinusConstantColor,
        0x8003 => BlendFactor::ConstantAlpha,
        0x8004 => BlendFactor::OneMinusConstantAlpha,
        _ => return None,
    })
}

/// Blend equations: OpenGL numbers, or Direct3D's 1..5; the signed ones are known from a chip of the same class.
pub(super) const fn blend_equation(value: u32) -> Option<BlendEquation> {
    Some(match value {
        0x8006 | 1 => BlendEquation::Add,
        0x8007 | 4 => BlendEquation::Min,
        0x8008 | 5 => BlendEquation::Max,
        0x800a | 2 => BlendEquation::Subtract,
        0x800b | 3 => BlendEquation::ReverseSubtract,
        0xf005 => BlendEquation::ReverseSubtractSigned,
        0xf006 => BlendEquation::AddSigned,
        0xf007 => BlendEquation::ReverseAddSigned,
        _ => return None,
    })
}

/// Stencil operations.
pub(super) const fn stencil_op(value: u32) -> Option<StencilOp> {
    Some(match value {
        0 => StencilOp::Zero,
        0x150a => StencilOp::Invert,
        0x1e00 => StencilOp::Keep,
        0x1e01 => StencilOp::Replace,
        0x1e02 => StencilOp::IncrementSaturate,
        0x1e03 => StencilOp::DecrementSaturate,
        0x8507 => StencilOp::IncrementWrap,
        0x8508 => StencilOp::DecrementWrap,
        _ => return None,
    })
}

/// Culled faces.
pub(super) const fn cull_face(value: u32) -> Option<CullFace> {
    Some(match value {
        0x404 => CullFace::Front,
        0x405 => CullFace::Back,
        0x408 => CullFace::Both,
        _ => return None,
    })
}

/// Polygon modes.
pub(super) const fn polygon_mode(value: u32) -> Option<PolygonMode> {
    Some(match value {
        0x1b00 => PolygonMode::Point,
        0x1b01 => PolygonMode::Line,
        0x1b02 => PolygonMode::Fill,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::methods::enums;

    #[test]
    fn every_named_value_is_known() {
        assert!(enums::COMPARE.iter().all(|(value, _)| compare(*value).is_some()));
        assert!(enums::BLEND_FACTOR.iter().all(|(value, _)| blend_factor(*value).is_some()));
        assert!(enums::BLEND_EQUATION.iter().all(|(value, _)| blend_equation(*value).is_some()));
        assert!(enums::STENCIL_OP.iter().all(|(value, _)| stencil_op(*value).is_some()));
    }

    #[test]
    fn direct3d_numbers_mean_the_same() {
        for (gl, d3d) in (0x200..0x208).zip(1..9) {
            assert_eq!(compare(gl), compare(d3d));
        }
        assert_eq!(blend_equation(2), Some(BlendEquation::Subtract));
        assert_eq!(blend_factor(0x100b), Some(BlendFactor::SourceAlphaSaturate));
    }
}
