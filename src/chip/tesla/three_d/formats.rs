//! The formats of surfaces and vertices.

use crate::arith::fragment::float_to_unorm;
use crate::format::texel::Field;
use crate::format::{ColorFormat, PixelStorage, VertexFormat, ZetaFormat};

/// The format of a color target.
pub(super) const fn color_format(code: u32) -> Option<ColorFormat> {
    Some(match code {
        0xc0 => ColorFormat::A32B32G32R32F,
        0xca => ColorFormat::A16B16G16R16F,
        0xcf => ColorFormat::A8R8G8B8,
        0xd5 => ColorFormat::A8B8G8R8,
        0xe5 => ColorFormat::R32F,
        0xe6 => ColorFormat::X8R8G8B8Zero,
        0xe8 => ColorFormat::R5G6B5,
        0xf9 => ColorFormat::X8B8G8R8Zero,
        _ => return None,
    })
}

/// The words of a pixel that a clear with these values leaves.
pub(super) fn encoded(format: ColorFormat, values: [u32; 4]) -> [u32; 4] {
    let PixelStorage::Fields { channels, fill } = format.storage() else { return values };
    let fields = channels.iter().zip(values).map(|(channel, value)| match channel {
        Field::Bits { shift, width } => float_to_unorm(value, u32::from(*width)) << shift,
        Field::One | Field::Zero => 0,
    });
    [fields.fold(fill, |pixel, field| pixel | field), 0, 0, 0]
}

/// The format of a depth surface.
pub(super) const fn zeta_format(code: u32) -> Option<ZetaFormat> {
    match code {
        0x13 => Some(ZetaFormat::Z16),
        0x14..=0x16 => Some(ZetaFormat::Z24S8),
        _ => None,
    }
}

/// The format and the number of components of a vertex attribute.
pub(super) const fn vertex_format(size: u32, kind: u32) -> Option<(VertexFormat, u8)> {
    Some(match (size, kind) {
        (0x01, 0x3f) => (VertexFormat::F32, 4),
        (0x02, 0x3f) => (VertexFormat::F32, 3),
        (0x04, 0x3f) => (VertexFormat::F32, 2),
        (0x12, 0x3f) => (VertexFormat::F32, 1),
        (0x0a, 0x12) => (VertexFormat::U8Unorm, 4),
        _ => return None,
    })
}
