//! The codes of formats of targets.

use curie::format::{ColorFormat, ZetaFormat};

use super::super::tesla_draws::draw;

/// Formats of colors, by the names of `G80_SURFACE_FORMAT`: the components are in memory from the first byte on.
#[rustfmt::skip]
const COLORS: [(u32, ColorFormat); 55] = [
    (0xc0, ColorFormat::A32B32G32R32F), (0xc1, ColorFormat::Rgba32Sint), (0xc2, ColorFormat::Rgba32Uint),
    (0xc3, ColorFormat::Rgbx32Float), (0xc4, ColorFormat::Rgbx32Sint), (0xc5, ColorFormat::Rgbx32Uint),
    (0xc6, ColorFormat::Rgba16Unorm), (0xc7, ColorFormat::Rgba16Snorm), (0xc8, ColorFormat::Rgba16Sint),
    (0xc9, ColorFormat::Rgba16Uint), (0xca, ColorFormat::A16B16G16R16F), (0xcb, ColorFormat::Rg32Float),
    (0xcc, ColorFormat::Rg32Sint), (0xcd, ColorFormat::Rg32Uint), (0xce, ColorFormat::Rgbx16Float),
    (0xcf, ColorFormat::A8R8G8B8), (0xd0, ColorFormat::Bgra8Srgb), (0xd1, ColorFormat::Rgb10A2Unorm),
    (0xd2, ColorFormat::Rgb10A2Uint), (0xd5, ColorFormat::A8B8G8R8), (0xd6, ColorFormat::Rgba8Srgb),
    (0xd7, ColorFormat::Rgba8Snorm), (0xd8, ColorFormat::Rgba8Sint), (0xd9, ColorFormat::Rgba8Uint),
    (0xda, ColorFormat::Rg16Unorm), (0xdb, ColorFormat::Rg16Snorm), (0xdc, ColorFormat::Rg16Sint),
    (0xdd, ColorFormat::Rg16Uint), (0xde, ColorFormat::Rg16Float), (0xdf, ColorFormat::Bgr10A2Unorm),
    (0xe0, ColorFormat::R11G11B10Float), (0xe3, ColorFormat::R32Sint), (0xe4, ColorFormat::R32Uint),
    (0xe5, ColorFormat::R32F), (0xe6, ColorFormat::X8R8G8B8One), (0xe7, ColorFormat::Bgrx8Srgb),
    (0xe8, ColorFormat::R5G6B5), (0xe9, ColorFormat::Bgr5A1), (0xea, ColorFormat::Rg8Unorm),
    (0xeb, ColorFormat::Rg8Snorm), (0xec, ColorFormat::Rg8Sint), (0xed, ColorFormat::Rg8Uint),
    (0xee, ColorFormat::R16Unorm), (0xef, ColorFormat::R16Snorm), (0xf0, ColorFormat::R16Sint),
    (0xf1, ColorFormat::R16Uint), (0xf2, ColorFormat::R16Float), (0xf3, ColorFormat::R8Unorm),
    (0xf4, ColorFormat::R8Snorm), (0xf5, ColorFormat::R8Sint), (0xf6, ColorFormat::R8Uint),
    (0xf7, ColorFormat::A8Unorm), (0xf8, ColorFormat::X1R5G5B5One), (0xf9, ColorFormat::X8B8G8R8One),
    (0xfa, ColorFormat::Rgbx8Srgb),
];

#[test]
fn every_color_format_has_its_code() {
    for (code, format) in COLORS {
        assert_eq!(draw(&[(0x208, &[code])]).targets.color[0].unwrap().format, format, "{code:#x}");
    }
}

#[test]
fn every_depth_format_has_its_code() {
    let formats = [
        (0x0a, ZetaFormat::Z32F),
        (0x13, ZetaFormat::Z16),
        (0x14, ZetaFormat::Z24S8),
        (0x15, ZetaFormat::X8Z24),
        (0x16, ZetaFormat::S8Z24),
        (0x19, ZetaFormat::Z32FS8),
    ];
    for (code, format) in formats {
        assert_eq!(draw(&[(0xfe8, &[code])]).targets.zeta.unwrap().format, format, "{code:#x}");
    }
}
