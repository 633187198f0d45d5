//! Checks targets against the chip's rules, and writes the registers that bind and clear them.

use super::methods::{Methods, halves};
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use crate::format::{ColorFormat, ZetaFormat};
use crate::memory::block_linear::BlockLinear;
use crate::pipeline::{LayoutKind, SampleMode};
use crate::scene::schema::{self, Clear};
use crate::scene::target::PlacedTarget;
use crate::scene::text::{SurfaceType, samples_name};

/// The most color surfaces of a target.
pub(super) const MAX_COLORS: u16 = 8;

/// The channels of a color in `CLEAR_BUFFERS`.
const ALL_CHANNELS: u32 = 0xf << 2;

/// The bit of `RT_HORIZ` that says that a surface has rows.
const HAS_ROWS: u32 = 1 << 31;

/// Checks a target; its surfaces have no addresses yet.
pub(in crate::scene) fn place(target: &schema::Target, picture: (u32, u32)) -> Result<PlacedTarget, String> {
    let layout = match target.layout.map(SurfaceType::name) {
        None => LayoutKind::BlockLinear,
        Some("LINEAR") => LayoutKind::Linear,
        Some(name) => return Err(format!("the GeForce 8 has no {name} targets: leave the layout out for blocks")),
    };
    let placed = PlacedTarget::new(target, picture, layout, MAX_COLORS.into())?;
    if let Some(format) = placed.color_format.filter(|format| format.tesla_code().is_none()) {
        return Err(format!("the GeForce 8 has no color format {}", format.name()));
    }
    if let Some(format) = placed.zeta_format.filter(|format| format.tesla_code().is_none()) {
        return Err(format!("the GeForce 8 has no depth format {}", format.name()));
    }
    if placed.is_float_depth {
        return Err("float_depth: the GeForce 8 has Z32_FLOAT for it".to_owned());
    }
    if sample_code(placed.samples).is_none() {
        return Err(format!("the GeForce 8 has no {} samples", samples_name(placed.samples)));
    }
    if layout == LayoutKind::Linear && (placed.zeta_format.is_some() || placed.samples != SampleMode::One) {
        return Err("a LINEAR target has one sample and no zeta".to_owned());
    }
    if placed.samples == SampleMode::Eight && placed.color_format.is_some_and(|format| format.bytes() > 8) {
        return Err("eight samples have at most 8 bytes each".to_owned());
    }
    Ok(placed)
}

/// The value of `MULTISAMPLE_MODE`; `None` if the chip lacks the mode.
const fn sample_code(mode: SampleMode) -> Option<u32> {
    match mode {
        SampleMode::One => Some(0),
        SampleMode::TwoDiagonal => Some(1),
        SampleMode::FourRotated => Some(2),
        SampleMode::Eight => Some(3),
        SampleMode::FourSquare => None,
    }
}

/// The register of a block's sides.
fn block_dimensions(blocks: BlockLinear) -> u32 {
    let [width, height, depth] = blocks.log2_block.map(u32::from);
    width | height << 4 | depth << 8
}

/// Binds the surfaces.
pub(super) fn bind(target: &PlacedTarget, methods: &mut Methods) {
    let (width, height) = target.texels();
    let count = u32::try_from(target.colors.len()).unwrap_or(0);
    // Color n of the program goes to target n.
    let map = (0..u32::from(MAX_COLORS)).fold(0, |map, color| map | color << (4 + 3 * color));
    methods.set(early::RT_CONTROL, count | map);
    methods.set(early::SCREEN_SCISSOR_HORIZ, halves(0, target.width));
    methods.set(early::SCREEN_SCISSOR_VERT, halves(0, target.height));
    let format = target.color_format.unwrap_or(ColorFormat::A8R8G8B8);
    for (number, address) in (0u16..).zip(&target.colors) {
        let mut set = |method: u16, stride, value: u32| methods.set_element(method, stride, number, value);
        set(early::RT_ADDRESS_HIGH, early::RT_FORMAT::STRIDE, 0);
        set(early::RT_ADDRESS_LOW, early::RT_FORMAT::STRIDE, *address);
        // `place` let only formats and modes pass that the chip has.
        set(early::RT_FORMAT, early::RT_FORMAT::STRIDE, format.tesla_code().unwrap_or_default());
        set(early::RT_LAYER_STRIDE, early::RT_FORMAT::STRIDE, 0);
        let (blocks, horizontal) = match target.layout {
            LayoutKind::Linear => (0, HAS_ROWS | target.pitch(format.bytes())),
            LayoutKind::Swizzled | LayoutKind::BlockLinear => (block_dimensions(target.blocks(format.bytes())), width),
        };
        set(early::RT_BLOCK_DIMENSIONS, early::RT_FORMAT::STRIDE, blocks);
        set(early::RT_HORIZ, early::RT_HORIZ::STRIDE, horizontal);
        set(early::RT_VERT, early::RT_VERT::STRIDE, height);
    }
    methods.set(early::RT_ARRAY_MODE, 1u32);
    methods.set(late::ZETA_ENABLE, target.zeta_format.is_some());
    if let Some(format) = target.zeta_format {
        methods.set_address(early::ZETA_ADDRESS_HIGH, early::ZETA_ADDRESS_LOW, target.zeta);
        methods.set(early::ZETA_FORMAT, format.tesla_code().unwrap_or_default());
        methods.set(early::ZETA_BLOCK_DIMENSIONS, block_dimensions(target.blocks(format.bytes())));
        methods.set(early::ZETA_LAYER_STRIDE, 0u32);
        methods.set(early::ZETA_HORIZ, width);
        methods.set(early::ZETA_VERT, height);
        methods.set(early::ZETA_ARRAY_MODE, 0x1_0001u32);
    }
    methods.set(late::MULTISAMPLE_MODE, sample_code(target.samples).unwrap_or_default());
    // Clears are limited to the first viewport.
    methods.set(early::VIEWPORT_HORIZ, halves(0, target.width));
    methods.set(early::VIEWPORT_VERT, halves(0, target.height));
}

/// Clears surfaces of the bound target.
pub(super) fn clear(target: &PlacedTarget, clear: &Clear, methods: &mut Methods) {
    let zeta = target.zeta_format.filter(|_| clear.depth.is_some() || clear.stencil.is_some());
    if let Some(format) = zeta {
        #[expect(clippy::cast_possible_truncation, reason = "depths are singles")]
        methods.set_float(early::CLEAR_DEPTH, clear.depth.unwrap_or(1.0).clamp(0.0, 1.0) as f32);
        methods.set(early::CLEAR_STENCIL, clear.stencil.unwrap_or(0));
        let has_stencil = !matches!(format, ZetaFormat::Z16 | ZetaFormat::X8Z24 | ZetaFormat::Z32F);
        let buffers = u32::from(clear.depth.is_some()) | u32::from(clear.stencil.is_some() && has_stencil) << 1;
        if buffers != 0 {
            methods.act(late::CLEAR_BUFFERS, buffers);
        }
    }
    if let (Some((r, g, b, a)), Some(_)) = (clear.color, target.color_format) {
        for (channel, value) in (0u16..).zip([r, g, b, a]) {
            #[expect(clippy::cast_possible_truncation, reason = "colors are singles")]
            methods.set_float(early::CLEAR_COLOR + 4 * channel, value as f32);
        }
        for number in 0..u32::try_from(target.colors.len()).unwrap_or(0) {
            methods.act(late::CLEAR_BUFFERS, ALL_CHANNELS | number << 6);
        }
    }
}
