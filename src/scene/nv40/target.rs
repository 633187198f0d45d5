//! Checks targets against the chip's rules, and writes the registers that bind them.

use super::subchannels::THREE_D;
use crate::asm::WindowConventions;
use crate::command::builder::handles;
use crate::command::methods::three_d::{sync, targets as methods};
use crate::command::writer::StreamWriter;
use crate::format::{ColorFormat, TextureFormat, ZetaFormat};
use crate::pipeline::{LayoutKind, SampleMode};
use crate::scene::image::Texel;
use crate::scene::schema;
use crate::scene::target::PlacedTarget;
use crate::scene::texel_encode::encode;
use crate::scene::text::samples_name;

/// The layout number of swizzled surfaces.
const SWIZZLED: u32 = 2;

/// The most color surfaces of a target.
const MAX_COLORS: u32 = 4;

/// Checks a target; its surfaces have no addresses yet.
pub(in crate::scene) fn place(target: &schema::Target, picture: (u32, u32)) -> Result<PlacedTarget, String> {
    let swizzles = target.layout.is_some_and(|layout| layout.0 == SWIZZLED);
    let layout = if swizzles { LayoutKind::Swizzled } else { LayoutKind::Linear };
    let placed = PlacedTarget::new(target, picture, layout, MAX_COLORS)?;
    let (width, height) = (placed.width, placed.height);
    if swizzles && !(width.is_power_of_two() && height.is_power_of_two()) {
        return Err(format!("a swizzled target has sizes that are powers of two, not {width}×{height}"));
    }
    if swizzles && placed.samples != SampleMode::One {
        return Err("a swizzled target has one sample".to_owned());
    }
    if sample_code(placed.samples).is_none() {
        return Err(format!("NV40 has no {} samples", samples_name(placed.samples)));
    }
    let (color_format, zeta_format) = (placed.color_format, placed.zeta_format);
    if let Some(format) = color_format.filter(|format| format.code().is_none()) {
        return Err(format!("NV40 has no color format {}", format.name()));
    }
    if let Some(format) = zeta_format.filter(|format| format.code().is_none()) {
        return Err(format!("NV40 has no depth format {}", format.name()));
    }
    let is_float = color_format.is_some_and(|format| format.bytes() > 4 || format == ColorFormat::R32F);
    if is_float && zeta_format == Some(ZetaFormat::Z16) {
        return Err("float colors go with Z24S8 only".to_owned());
    }
    if swizzles && color_format.is_some_and(|color| zeta_format.is_some_and(|zeta| !share_order(color, zeta))) {
        return Err("swizzled colors and depths have pixels of the same size".to_owned());
    }
    Ok(placed)
}

const fn share_order(color: ColorFormat, zeta: ZetaFormat) -> bool {
    match color.bytes() {
        1 => true,
        2 => matches!(color, ColorFormat::G8B8) || matches!(zeta, ZetaFormat::Z16),
        _ => matches!(zeta, ZetaFormat::Z24S8),
    }
}

/// The code of a sample mode in `RT_FORMAT`; `None` if the chip lacks it.
const fn sample_code(mode: SampleMode) -> Option<u32> {
    match mode {
        SampleMode::One => Some(0),
        SampleMode::TwoDiagonal => Some(3),
        SampleMode::FourSquare => Some(4),
        SampleMode::FourRotated => Some(5),
        SampleMode::Eight => None,
    }
}

/// Binds the surfaces.
pub(super) fn bind(target: &PlacedTarget, writer: &mut StreamWriter) {
    let color = target.color_format.unwrap_or(match target.zeta_format {
        Some(ZetaFormat::Z16) => ColorFormat::R5G6B5,
        _ => ColorFormat::A8R8G8B8,
    });
    let zeta = target.zeta_format.unwrap_or(if color.bytes() == 2 { ZetaFormat::Z16 } else { ZetaFormat::Z24S8 });
    let (layout, log2_width, log2_height) = match target.layout {
        LayoutKind::Linear => (1u32, 0, 0),
        LayoutKind::Swizzled | LayoutKind::BlockLinear => (SWIZZLED, target.width.ilog2(), target.height.ilog2()),
    };
    // `place` let only formats and modes pass that the chip has.
    let format = methods::RT_FORMAT::color(color.code().unwrap_or_default())
        | methods::RT_FORMAT::zeta(zeta.code().unwrap_or_default())
        | methods::RT_FORMAT::layout(layout)
        | methods::RT_FORMAT::multisample(sample_code(target.samples).unwrap_or_default())
        | methods::RT_FORMAT::log2_width(log2_width)
        | methods::RT_FORMAT::log2_height(log2_height);
    writer.set(THREE_D, methods::RT_HORIZ::x(0u32) | methods::RT_HORIZ::width(target.width));
    writer.set(THREE_D, methods::RT_VERT::y(0u32) | methods::RT_VERT::height(target.height));
    writer.set(THREE_D, format);
    let handle = if target.zeta_format.is_some() { handles::VRAM } else { 0 };
    writer.set(THREE_D, sync::DMA_ZETA::object(handle));
    writer.set(THREE_D, methods::ZETA_OFFSET::offset(target.zeta));
    writer.set(THREE_D, methods::ZETA_PITCH::pitch(target.pitch(zeta.bytes())));
    let pitch = target.pitch(color.bytes());
    let address = |number: usize| target.colors.get(number).copied().unwrap_or(0);
    writer.set(THREE_D, methods::COLOR0_OFFSET::offset(address(0)));
    writer.set(THREE_D, methods::COLOR1_OFFSET::offset(address(1)));
    writer.set(THREE_D, methods::COLOR2_OFFSET::offset(address(2)));
    writer.set(THREE_D, methods::COLOR3_OFFSET::offset(address(3)));
    writer.set(THREE_D, methods::COLOR0_PITCH::pitch(pitch));
    writer.set(THREE_D, methods::COLOR1_PITCH::pitch(pitch));
    writer.set(THREE_D, methods::COLOR2_PITCH::pitch(pitch));
    writer.set(THREE_D, methods::COLOR3_PITCH::pitch(pitch));
    let count = target.colors.len();
    let enable = methods::RT_ENABLE::color0(count > 0)
        | methods::RT_ENABLE::color1(count > 1)
        | methods::RT_ENABLE::color2(count > 2)
        | methods::RT_ENABLE::color3(count > 3)
        | methods::RT_ENABLE::mrt(count > 1);
    writer.set(THREE_D, enable);
    let control = methods::CONTROL0::float_depth(target.is_float_depth) | methods::CONTROL0::mip_rounding_down(true);
    writer.set(THREE_D, control);
    count_positions(target, WindowConventions::default(), writer);
}

/// Lets window positions count as a fragment program asks for: from the lower left corner of the picture to the
/// middle of a pixel, as the assembly languages define, or as an option says.
pub(super) fn count_positions(target: &PlacedTarget, conventions: WindowConventions, writer: &mut StreamWriter) {
    let word = methods::COORD_CONVENTIONS::height(target.height & 0xfff)
        | methods::COORD_CONVENTIONS::inverted(!conventions.is_upper_left)
        | methods::COORD_CONVENTIONS::center_integer(conventions.has_integer_centers);
    writer.set(THREE_D, word);
}

/// The register value for a clear to this color; `None` if there is none.
///
/// The register has 32 bits, which every word of a larger pixel receives.
pub(super) fn clear_color(target: &PlacedTarget, color: Texel) -> Option<u32> {
    let format = target.color_format?;
    let words = format.encode(color.map(f32::to_bits));
    let used = &words[..format.bytes().div_ceil(4) as usize];
    used.iter().all(|word| *word == words[0]).then_some(words[0])
}

/// The raw value of a depth and a stencil value.
pub(super) fn clear_zeta(target: &PlacedTarget, depth: f64, stencil: u8) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "depths are singles")]
    let texel = [depth.clamp(0.0, 1.0) as f32; 4];
    match (target.zeta_format, target.is_float_depth) {
        (Some(ZetaFormat::Z16), false) => encode(TextureFormat::Depth16, texel)[0],
        (Some(ZetaFormat::Z16), true) => encode(TextureFormat::Depth16Float, texel)[0],
        (_, false) => encode(TextureFormat::Depth24D8, texel)[0] | u32::from(stencil),
        (_, true) => encode(TextureFormat::Depth24D8Float, texel)[0] | u32::from(stencil),
    }
}
