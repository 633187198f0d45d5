//! Turns enumerated register values into the types of the [`pipeline`](crate::pipeline).

use crate::pipeline::{
    ClipPlane, Compare, ConvolutionKernel, Filter, FogCurve, MipFilter, PrimitiveType, SampleMode, VertexTextureFormat,
    Wrap,
};

/// Fog modes: the curve, and whether it uses the magnitude of the coordinate. Other values fade exponentially.
pub(super) const fn fog_mode(value: u32) -> (FogCurve, bool) {
    match value {
        0x2601 => (FogCurve::Linear, false),
        0x801 => (FogCurve::ExponentialSquared, false),
        0x802 => (FogCurve::Exponential, true),
        0x803 => (FogCurve::ExponentialSquared, true),
        0x804 => (FogCurve::Linear, true),
        _ => (FogCurve::Exponential, false),
    }
}

/// Two bits of a user clip plane; 3 is illegal and disables it.
pub(super) const fn clip_plane(code: u32) -> ClipPlane {
    match code & 3 {
        1 => ClipPlane::KeepsNegative,
        2 => ClipPlane::KeepsNonNegative,
        _ => ClipPlane::Off,
    }
}

/// Sample modes (`RT_FORMAT` 15:12).
pub(super) const fn sample_mode(code: u8) -> Option<SampleMode> {
    Some(match code {
        0 => SampleMode::One,
        3 => SampleMode::TwoDiagonal,
        4 => SampleMode::FourSquare,
        5 => SampleMode::FourRotated,
        _ => return None,
    })
}

/// Texel formats of vertex textures.
pub(super) const fn vertex_texture_format(code: u32) -> Option<VertexTextureFormat> {
    match code {
        0x1b => Some(VertexTextureFormat::W32Z32Y32X32F),
        0x1c => Some(VertexTextureFormat::X32F),
        _ => None,
    }
}

/// Primitive types; `None` for 0, which ends a primitive, and for unknown ones.
pub(super) const fn primitive(value: u32) -> Option<PrimitiveType> {
    Some(match value {
        1 => PrimitiveType::Points,
        2 => PrimitiveType::Lines,
        3 => PrimitiveType::LineLoop,
        4 => PrimitiveType::LineStrip,
        5 => PrimitiveType::Triangles,
        6 => PrimitiveType::TriangleStrip,
        7 => PrimitiveType::TriangleFan,
        8 => PrimitiveType::Quads,
        9 => PrimitiveType::QuadStrip,
        10 => PrimitiveType::Polygon,
        _ => return None,
    })
}

/// Wrap modes.
pub(super) const fn wrap(value: u32) -> Option<Wrap> {
    Some(match value {
        1 => Wrap::Repeat,
        2 => Wrap::MirroredRepeat,
        3 => Wrap::ClampToEdge,
        4 => Wrap::ClampToBorder,
        5 => Wrap::Clamp,
        6 => Wrap::MirrorClampToEdge,
        7 => Wrap::MirrorClampToBorder,
        8 => Wrap::MirrorClamp,
        _ => return None,
    })
}

/// Convolution kernels.
pub(super) const fn convolution_kernel(value: u32) -> Option<ConvolutionKernel> {
    Some(match value {
        1 => ConvolutionKernel::Quincunx,
        2 => ConvolutionKernel::Gaussian,
        3 => ConvolutionKernel::QuincunxAlternative,
        _ => return None,
    })
}

/// Shadow comparisons of the reference with the texel, a field of four bits; the highest has no effect.
pub(super) const fn shadow_compare(value: u32) -> Compare {
    match value & 7 {
        0 => Compare::Never,
        1 => Compare::Greater,
        2 => Compare::Equal,
        3 => Compare::GreaterEqual,
        4 => Compare::Less,
        5 => Compare::NotEqual,
        6 => Compare::LessEqual,
        _ => Compare::Always,
    }
}

/// Minification filters; the convolution kernel comes from another field.
pub(super) const fn min_filter(value: u32, kernel: ConvolutionKernel) -> Option<(Filter, MipFilter)> {
    Some(match value {
        1 => (Filter::Nearest, MipFilter::None),
        2 => (Filter::Linear, MipFilter::None),
        3 => (Filter::Nearest, MipFilter::Nearest),
        4 => (Filter::Linear, MipFilter::Nearest),
        5 => (Filter::Nearest, MipFilter::Linear),
        6 => (Filter::Linear, MipFilter::Linear),
        7 => (Filter::Convolution(kernel), MipFilter::None),
        _ => return None,
    })
}

/// Magnification filters.
pub(super) const fn mag_filter(value: u32, kernel: ConvolutionKernel) -> Option<Filter> {
    Some(match value {
        1 => Filter::Nearest,
        2 => Filter::Linear,
        4 => Filter::Convolution(kernel),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::methods::enums;

    #[test]
    fn every_named_value_is_known() {
        assert!(enums::WRAP.iter().all(|(value, _)| wrap(*value).is_some()));
        assert!(enums::MIN_FILTER.iter().all(|(value, _)| min_filter(*value, ConvolutionKernel::Quincunx).is_some()));
        assert!(enums::PRIMITIVE.iter().all(|(value, _)| *value == 0 || primitive(*value).is_some()));
    }
}
