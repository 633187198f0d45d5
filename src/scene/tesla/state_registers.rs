//! Turns the state of a draw into registers of the viewport, rasterizer and output merger.

use super::methods::{Methods, halves};
use super::target::MAX_COLORS;
use crate::command::methods::tesla::three_d::{STENCIL_FACES, below_1400 as early, from_1400 as late};
use crate::pipeline::SampleMode;
use crate::scene::state::{Blend, Cull, State, Stencil};
use crate::scene::target::PlacedTarget;
use crate::scene::text::{BlendEquation, BlendFactor, Compare, FrontFace, LogicOperation, PolygonMode};

/// The bit of OpenGL's numbers of blend factors.
const OPENGL: u32 = 0x4000;

/// The first number of the factors of constants in OpenGL, and here.
const CONSTANT_FACTORS: [u32; 2] = [0x8001, 0xc001];

/// Texture coordinates that points can replace: groups of four words behind the position.
const COORDINATES: u8 = 15;

/// Writes the whole state of a draw; the writer omits unchanged registers.
pub(super) fn write(state: &State, target: &PlacedTarget, methods: &mut Methods) -> Result<(), String> {
    refuse(state)?;
    viewport(state, target, methods);
    window_clip(state, methods)?;
    polygons(state, methods)?;
    lines_and_points(state, methods)?;
    tests(state, methods);
    stencils(state, methods);
    blending(state, methods)?;
    masks(state, target, methods)?;
    let samples = state.multisample;
    let is_enabled = samples.map_or(target.samples != SampleMode::One, |samples| samples.enable);
    methods.set(late::MULTISAMPLE_ENABLE, is_enabled);
    let control = u32::from(samples.is_some_and(|samples| samples.alpha_to_coverage))
        | u32::from(samples.is_some_and(|samples| samples.alpha_to_one)) << 4;
    methods.set(late::MULTISAMPLE_CTRL, control);
    for pixel in 0..4 {
        methods.set_element(early::MSAA_MASK, 4, pixel, samples.map_or(0xffff, |samples| samples.mask & 0xffff));
    }
    Ok(())
}

/// Refuses what the chip leaves to programs or formats.
fn refuse(state: &State) -> Result<(), String> {
    let refused = [
        (state.shade_model.is_some(), "shade_model: a fragment program reads flat values by `interp … flat`"),
        (state.two_sided.is_some(), "two_sided: a fragment program reads the face at v[0x3fc]"),
        (state.fog.is_some(), "fog: a fragment program computes it"),
        (state.dither.is_some(), "dither: the chip does not dither"),
        (state.srgb.is_some(), "srgb: the format of the target says so, as BGRA8_SRGB"),
        (
            state.blend_surfaces.as_ref().is_some_and(|all| all.iter().any(|own| u16::from(*own) >= MAX_COLORS)),
            "blend_surfaces: there are eight, from 0",
        ),
    ];
    match refused.iter().find(|(is_set, _)| *is_set) {
        Some((_, why)) => Err((*why).to_owned()),
        None => Ok(()),
    }
}

/// The upper edge of the picture is the first row in memory, so y is flipped from clip space.
#[expect(clippy::cast_precision_loss, reason = "targets have at most 4096 pixels")]
fn viewport(state: &State, target: &PlacedTarget, methods: &mut Methods) {
    let (x, y, width, height) = state.viewport.unwrap_or((0.0, 0.0, target.width as f32, target.height as f32));
    let (near, far) = state.depth_range.unwrap_or((0.0, 1.0));
    methods.set_float(early::VIEWPORT_TRANSLATE_X, x + width / 2.0);
    methods.set_float(early::VIEWPORT_TRANSLATE_Y, y + height / 2.0);
    methods.set_float(early::VIEWPORT_TRANSLATE_Z, f32::midpoint(near, far));
    methods.set_float(early::VIEWPORT_SCALE_X, width / 2.0);
    methods.set_float(early::VIEWPORT_SCALE_Y, -height / 2.0);
    methods.set_float(early::VIEWPORT_SCALE_Z, (far - near) / 2.0);
    methods.set_float(early::DEPTH_RANGE_NEAR, near.min(far));
    methods.set_float(early::DEPTH_RANGE_FAR, near.max(far));
    // Bits 3 and 4 clamp at near and far; bit 0 turns off all clipping.
    let clamps = u32::from(state.depth_clamp.unwrap_or(false)) * 0x18;
    let is_unclipped = u32::from(!state.depth_clip.unwrap_or(true));
    methods.set(late::VIEW_VOLUME_CLIP_CTRL, clamps | is_unclipped);
    let (x, y, width, height) = state.scissor.unwrap_or((0, 0, target.width, target.height));
    let span = |start: u32, size: u32| halves(start.min(8192), start.saturating_add(size).min(8192));
    methods.set(early::SCISSOR_HORIZ, span(x, width));
    methods.set(early::SCISSOR_VERT, span(y, height));
}

fn window_clip(state: &State, methods: &mut Methods) -> Result<(), String> {
    let clips = state.window_clip.as_deref().unwrap_or_default();
    if state.window_clip.is_some() && !(1..=8).contains(&clips.len()) {
        return Err("window_clip: one to eight rectangles are possible".to_owned());
    }
    methods.set(late::CLIP_RECTS_EN, !clips.is_empty());
    methods.set(late::CLIP_RECTS_MODE, state.window_clip_outside.unwrap_or(false));
    for number in 0..8u16 {
        // Unused rectangles are empty.
        let (x, y, width, height) = clips.get(usize::from(number)).copied().unwrap_or_default();
        let span = |start: u32, size: u32| halves(start.min(8192), start.saturating_add(size).min(8192));
        methods.set_element(early::CLIP_RECT_HORIZ, 8, number, span(x, width));
        methods.set_element(early::CLIP_RECT_VERT, 8, number, span(y, height));
    }
    Ok(())
}

fn polygons(state: &State, methods: &mut Methods) -> Result<(), String> {
    let cull = state.cull.unwrap_or(Cull::None);
    methods.set(late::CULL_FACE_ENABLE, cull != Cull::None);
    methods.set(late::CULL_FACE, cull.face());
    methods.set(late::FRONT_FACE, state.front_face.unwrap_or(FrontFace::named("CCW")).0);
    let front = state.polygon_mode.unwrap_or(PolygonMode::named("FILL"));
    methods.set(early::POLYGON_MODE_FRONT, front.0);
    methods.set(early::POLYGON_MODE_BACK, state.back_polygon_mode.unwrap_or(front).0);
    let offset = state.polygon_offset;
    for enable in
        [early::POLYGON_OFFSET_POINT_ENABLE, early::POLYGON_OFFSET_LINE_ENABLE, early::POLYGON_OFFSET_FILL_ENABLE]
    {
        methods.set(enable, offset.is_some());
    }
    let (factor, units) = offset.unwrap_or((0.0, 0.0));
    methods.set_float(late::POLYGON_OFFSET_FACTOR, factor);
    methods.set_float(late::POLYGON_OFFSET_UNITS, units);
    methods.set(late::PROVOKING_VERTEX_LAST, !state.first_vertex.unwrap_or(false));
    methods.set(early::POLYGON_SMOOTH_ENABLE, state.polygon_smooth.unwrap_or(false));
    methods.set(late::POLYGON_STIPPLE_ENABLE, state.polygon_stipple.is_some());
    if let Some(pattern) = &state.polygon_stipple {
        if pattern.len() != 32 {
            return Err(format!("polygon_stipple: 32 rows are needed, found {}", pattern.len()));
        }
        for (row, bits) in (0u16..).zip(pattern.iter().rev()) {
            methods.set_element(late::POLYGON_STIPPLE_PATTERN, 4, row, bits.swap_bytes());
        }
    }
    Ok(())
}

fn lines_and_points(state: &State, methods: &mut Methods) -> Result<(), String> {
    methods.set_float(early::LINE_WIDTH, state.line_width.unwrap_or(1.0));
    methods.set(late::LINE_SMOOTH_ENABLE, state.line_smooth.unwrap_or(false));
    methods.set(late::LINE_STIPPLE_ENABLE, state.line_stipple.is_some());
    let (pixels, pattern) = state.line_stipple.unwrap_or((1, 0xffff));
    if !(1..=256).contains(&pixels) || pattern > 0xffff {
        return Err("line_stipple: 1 to 256 pixels per bit, and 16 bits".to_owned());
    }
    methods.set(late::LINE_STIPPLE, (pixels - 1) | pattern << 8);
    methods.set_float(late::POINT_SIZE, state.point_size.unwrap_or(1.0));
    let mut replaced = [0u32; 8];
    for &coordinate in state.point_sprite.iter().flatten() {
        if coordinate >= COORDINATES {
            return Err(format!("point_sprite: there are {COORDINATES} texture coordinates, from 0"));
        }
        // Slots 4 to 7 are coordinate 0; a word has the nibbles of eight slots: s, t, zero and one.
        let slot = 4 + 4 * u32::from(coordinate);
        replaced[slot as usize / 8] |= 0x4321 << (4 * (slot % 8));
    }
    methods.set(late::POINT_SPRITE_ENABLE, state.point_sprite.is_some());
    // The second coordinate increases downwards.
    methods.set(late::POINT_SPRITE_CTRL, 0x10u32);
    for (word, value) in (0u16..).zip(replaced) {
        methods.set_element(early::POINT_COORD_REPLACE_MAP, 4, word, value);
    }
    Ok(())
}

fn tests(state: &State, methods: &mut Methods) {
    let always = Compare::named("ALWAYS");
    let (function, value) = state.alpha_test.unwrap_or((always, 0.0));
    methods.set(early::ALPHA_TEST_ENABLE, state.alpha_test.is_some());
    methods.set(early::ALPHA_TEST_FUNC, function.0);
    methods.set_float(early::ALPHA_TEST_REF, value);
    methods.set(early::DEPTH_TEST_ENABLE, state.depth.is_some());
    methods.set(early::DEPTH_TEST_FUNC, state.depth.map_or(always, |depth| depth.test).0);
    methods.set(early::DEPTH_WRITE_ENABLE, state.depth.is_some_and(|depth| depth.write));
    let (low, high) = state.depth_bounds.unwrap_or((0.0, 1.0));
    methods.set(late::DEPTH_BOUNDS_EN, state.depth_bounds.is_some());
    methods.set_float(early::DEPTH_BOUNDS, low);
    methods.set_float(early::DEPTH_BOUNDS + 4, high);
}

/// The front's test is that of both faces unless there are two.
fn stencils(state: &State, methods: &mut Methods) {
    let passing = Stencil {
        test: Compare::named("ALWAYS"),
        reference: 0,
        mask: 0xff,
        write_mask: 0,
        fail: crate::scene::text::StencilOperation::named("KEEP"),
        depth_fail: crate::scene::text::StencilOperation::named("KEEP"),
        pass: crate::scene::text::StencilOperation::named("KEEP"),
    };
    methods.set(early::STENCIL_ENABLE, state.stencil.is_some() || state.back_stencil.is_some());
    methods.set(late::STENCIL_TWO_SIDE_ENABLE, state.back_stencil.is_some());
    for (registers, side) in STENCIL_FACES.into_iter().zip([state.stencil, state.back_stencil]) {
        let Stencil { test, reference, mask, write_mask, fail, depth_fail, pass } = side.unwrap_or(passing);
        let values = [test.0, reference.into(), mask.into(), write_mask.into(), fail.0, depth_fail.0, pass.0];
        for (register, value) in registers.into_iter().zip(values) {
            methods.set(register, value);
        }
    }
}

/// A factor as the chip numbers it.
const fn factor(factor: BlendFactor) -> u32 {
    let [first, own] = CONSTANT_FACTORS;
    if factor.0 >= first { own + factor.0 - first } else { OPENGL | factor.0 }
}

fn blending(state: &State, methods: &mut Methods) -> Result<(), String> {
    methods.set(early::BLEND_ENABLE_COMMON, 0u32);
    for number in 0..MAX_COLORS {
        let is_named =
            state.blend_surfaces.as_ref().is_none_or(|named| named.iter().any(|own| u16::from(*own) == number));
        methods.set_element(early::BLEND_ENABLE, 4, number, state.blend.is_some() && is_named);
    }
    let replace = Blend {
        color: (BlendFactor::named("ONE"), BlendFactor::named("ZERO")),
        alpha: None,
        equation: BlendEquation::named("ADD"),
        alpha_equation: None,
    };
    let Blend { color, alpha, equation, alpha_equation } = state.blend.unwrap_or(replace);
    let alpha = alpha.unwrap_or(color);
    let alpha_equation = alpha_equation.unwrap_or(equation);
    if [equation, alpha_equation].iter().any(|equation| equation.0 > 0x800b) {
        return Err("blend: the GeForce 8 has no signed equations".to_owned());
    }
    methods.set(early::BLEND_SEPARATE_ALPHA, 1u32);
    methods.set(early::BLEND_EQUATION_RGB, equation.0);
    methods.set(early::BLEND_FUNC_SRC_RGB, factor(color.0));
    methods.set(early::BLEND_FUNC_DST_RGB, factor(color.1));
    methods.set(early::BLEND_EQUATION_ALPHA, alpha_equation.0);
    methods.set(early::BLEND_FUNC_SRC_ALPHA, factor(alpha.0));
    methods.set(early::BLEND_FUNC_DST_ALPHA, factor(alpha.1));
    let (r, g, b, a) = state.blend_color.unwrap_or((0.0, 0.0, 0.0, 0.0));
    for (channel, value) in (0u16..).zip([r, g, b, a]) {
        methods.set_float(early::BLEND_COLOR + 4 * channel, value);
    }
    Ok(())
}

fn masks(state: &State, target: &PlacedTarget, methods: &mut Methods) -> Result<(), String> {
    methods.set(late::LOGIC_OP_ENABLE, state.logic.is_some());
    methods.set(late::LOGIC_OP, state.logic.unwrap_or(LogicOperation::named("COPY")).0);
    let letters = state.color_mask.as_deref().unwrap_or(&[]);
    let is_odd = |mask: &crate::scene::Text| mask.as_str().chars().any(|letter| !"rgba".contains(letter));
    if letters.len() > usize::from(MAX_COLORS) || letters.iter().any(is_odd) {
        return Err(format!("color_mask: up to {MAX_COLORS} texts of the letters r, g, b, a"));
    }
    methods.set(early::COLOR_MASK_COMMON, 0u32);
    for surface in 0..MAX_COLORS {
        let mask = letters.get(usize::from(surface)).or(letters.first().filter(|_| letters.len() == 1));
        let channel = |(place, letter): (usize, char)| {
            let is_written = mask.is_none_or(|mask| mask.as_str().contains(letter));
            u32::from(is_written && usize::from(surface) < target.colors.len()) << (4 * place)
        };
        let word = "rgba".chars().enumerate().map(channel).fold(0, |all, own| all | own);
        methods.set_element(late::COLOR_MASK, 4, surface, word);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_the_chip_s_numbers() {
        let numbers = ["ZERO", "ONE", "SRC_ALPHA", "CONST_COLOR", "ONE_MINUS_CONST_ALPHA"]
            .map(|name| factor(BlendFactor::named(name)));
        assert_eq!(numbers, [0x4000, 0x4001, 0x4302, 0xc001, 0xc004]);
    }
}
