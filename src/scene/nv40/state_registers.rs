//! Turns the state of a draw into registers of the viewport, rasterizer and ROP.

use super::subchannels::THREE_D;
use crate::arith::fragment::half_bits_from;
use crate::command::methods::three_d::{program, raster, rop, targets};
use crate::command::word::MethodWord;
use crate::command::writer::StreamWriter;
use crate::format::ColorFormat;
use crate::pipeline::SampleMode;
use crate::scene::state::{Blend, Cull, State, Stencil};
use crate::scene::target::PlacedTarget;
use crate::scene::text::{
    BlendEquation, BlendFactor, Compare, FogMode, FrontFace, LogicOperation, PolygonMode, ShadeModel,
};

/// Writes the whole state of a draw; the writer omits unchanged registers.
pub(super) fn write(state: &State, target: &PlacedTarget, writer: &mut StreamWriter) -> Result<(), String> {
    viewport(state, target, writer);
    clipping(state, target, writer)?;
    polygons(state, writer)?;
    lines_and_points(state, writer)?;
    tests(state, target, writer);
    stencils(state, writer);
    blending(state, target, writer)?;
    masks(state, target, writer)?;
    let samples = state.multisample;
    let word = raster::MULTISAMPLE_CONTROL::enable(
        samples.map_or(target.samples != SampleMode::One, |samples| samples.enable),
    ) | raster::MULTISAMPLE_CONTROL::alpha_to_coverage(
        samples.is_some_and(|samples| samples.alpha_to_coverage),
    ) | raster::MULTISAMPLE_CONTROL::alpha_to_one(samples.is_some_and(|samples| samples.alpha_to_one))
        | raster::MULTISAMPLE_CONTROL::sample_mask(samples.map_or(0xffff, |samples| samples.mask));
    writer.set(THREE_D, word);
    let (mode, first, second) = state.fog.unwrap_or((FogMode::named("EXP"), 0.0, 0.0));
    writer.set(THREE_D, program::FOG_MODE::mode(mode));
    writer.set_element(THREE_D, 0, program::FOG_PARAMS::parameter(first));
    writer.set_element(THREE_D, 1, program::FOG_PARAMS::parameter(second));
    Ok(())
}

/// The upper edge of the picture is the first row in memory, so y is flipped from clip space.
#[expect(clippy::cast_precision_loss, reason = "targets have at most 4096 pixels")]
fn viewport(state: &State, target: &PlacedTarget, writer: &mut StreamWriter) {
    let (x, y, width, height) = state.viewport.unwrap_or((0.0, 0.0, target.width as f32, target.height as f32));
    let (near, far) = state.depth_range.unwrap_or((0.0, 1.0));
    writer.set(THREE_D, raster::VIEWPORT_TRANSLATE_X::x(x + width / 2.0));
    writer.set(THREE_D, raster::VIEWPORT_TRANSLATE_Y::y(y + height / 2.0));
    writer.set(THREE_D, raster::VIEWPORT_TRANSLATE_Z::z(f32::midpoint(near, far)));
    writer.set(THREE_D, raster::VIEWPORT_TRANSLATE_W::w(0.0));
    writer.set(THREE_D, raster::VIEWPORT_SCALE_X::x(width / 2.0));
    writer.set(THREE_D, raster::VIEWPORT_SCALE_Y::y(-height / 2.0));
    writer.set(THREE_D, raster::VIEWPORT_SCALE_Z::z((far - near) / 2.0));
    writer.set(THREE_D, raster::VIEWPORT_SCALE_W::w(0.0));
    writer.set(THREE_D, raster::DEPTH_RANGE_NEAR::depth(near.min(far)));
    writer.set(THREE_D, raster::DEPTH_RANGE_FAR::depth(near.max(far)));
    writer.set(THREE_D, raster::VIEWPORT_HORIZ::x(0u32) | raster::VIEWPORT_HORIZ::width(target.width));
    writer.set(THREE_D, raster::VIEWPORT_VERT::y(0u32) | raster::VIEWPORT_VERT::height(target.height));
}

fn clipping(state: &State, target: &PlacedTarget, writer: &mut StreamWriter) -> Result<(), String> {
    let control = raster::DEPTH_CONTROL::clip(state.depth_clip.unwrap_or(true))
        | raster::DEPTH_CONTROL::clamp(state.depth_clamp.unwrap_or(false));
    writer.set(THREE_D, control);
    let mut planes = 0;
    for plane in state.clip_planes.iter().flatten() {
        if *plane > 5 {
            return Err("clip_planes: there are six, from 0".to_owned());
        }
        planes |= 2u32 << (4 * plane);
    }
    writer.set(THREE_D, MethodWord::<{ raster::VP_CLIP_PLANES_ENABLE }, 4>::field(planes, 31, 0));
    let (x, y, width, height) = state.scissor.unwrap_or((0, 0, target.width, target.height));
    let limit = |value: u32| value.min(4096);
    writer.set(THREE_D, raster::SCISSOR_HORIZ::x(limit(x)) | raster::SCISSOR_HORIZ::width(limit(width)));
    writer.set(THREE_D, raster::SCISSOR_VERT::y(limit(y)) | raster::SCISSOR_VERT::height(limit(height)));
    let whole = vec![(0, 0, 4096, 4096)];
    let clips = state.window_clip.as_ref().unwrap_or(&whole);
    if clips.is_empty() || clips.len() > 8 {
        return Err("window_clip: one to eight rectangles are possible".to_owned());
    }
    let outside = state.window_clip_outside.unwrap_or(false);
    writer.set(THREE_D, targets::VIEWPORT_CLIP_MODE::exclusive(outside));
    for number in 0..8u16 {
        // Unused rectangles repeat the last one.
        let (x, y, width, height) = clips[usize::from(number).min(clips.len() - 1)];
        if width == 0 || height == 0 || x > 4095 || y > 4095 {
            return Err("window_clip: a rectangle without pixels".to_owned());
        }
        let last = |start: u32, size: u32| start.saturating_add(size).min(4096) - 1;
        let horizontal =
            targets::VIEWPORT_CLIP_HORIZ::minimum(x) | targets::VIEWPORT_CLIP_HORIZ::maximum(last(x, width));
        let vertical = targets::VIEWPORT_CLIP_VERT::minimum(y) | targets::VIEWPORT_CLIP_VERT::maximum(last(y, height));
        writer.set_element(THREE_D, number, horizontal);
        writer.set_element(THREE_D, number, vertical);
    }
    Ok(())
}

fn polygons(state: &State, writer: &mut StreamWriter) -> Result<(), String> {
    let cull = state.cull.unwrap_or(Cull::None);
    writer.set(THREE_D, raster::CULL_FACE_ENABLE::enable(cull != Cull::None));
    writer.set(THREE_D, raster::CULL_FACE::face(cull.face()));
    let winding = state.front_face.unwrap_or(FrontFace::named("CCW"));
    writer.set(THREE_D, raster::FRONT_FACE::winding(winding));
    let fill = PolygonMode::named("FILL");
    let front = state.polygon_mode.unwrap_or(fill);
    writer.set(THREE_D, raster::POLYGON_MODE_FRONT::mode(front));
    writer.set(THREE_D, raster::POLYGON_MODE_BACK::mode(state.back_polygon_mode.unwrap_or(front)));
    let offset = state.polygon_offset;
    writer.set(THREE_D, raster::POLYGON_OFFSET_POINT_ENABLE::enable(offset.is_some()));
    writer.set(THREE_D, raster::POLYGON_OFFSET_LINE_ENABLE::enable(offset.is_some()));
    writer.set(THREE_D, raster::POLYGON_OFFSET_FILL_ENABLE::enable(offset.is_some()));
    let (factor, units) = offset.unwrap_or((0.0, 0.0));
    writer.set(THREE_D, raster::POLYGON_OFFSET_FACTOR::factor(factor));
    writer.set(THREE_D, raster::POLYGON_OFFSET_UNITS::steps(units));
    writer.set(THREE_D, raster::SHADE_MODEL::model(state.shade_model.unwrap_or(ShadeModel::named("SMOOTH"))));
    writer.set(THREE_D, raster::FLATSHADE_FIRST::enable(state.first_vertex.unwrap_or(false)));
    writer.set(THREE_D, raster::VERTEX_TWO_SIDE_ENABLE::enable(state.two_sided.unwrap_or(false)));
    writer.set(THREE_D, raster::POLYGON_SMOOTH_ENABLE::enable(state.polygon_smooth.unwrap_or(false)));
    writer.set(THREE_D, raster::POLYGON_STIPPLE_ENABLE::enable(state.polygon_stipple.is_some()));
    if let Some(pattern) = &state.polygon_stipple {
        if pattern.len() != 32 {
            return Err(format!("polygon_stipple: 32 rows are needed, found {}", pattern.len()));
        }
        for (row, bits) in (0u16..).zip(pattern.iter().rev()) {
            writer.set_element(THREE_D, row, raster::POLYGON_STIPPLE_PATTERN::row(bits.swap_bytes()));
        }
    }
    Ok(())
}

fn lines_and_points(state: &State, writer: &mut StreamWriter) -> Result<(), String> {
    let width = state.line_width.unwrap_or(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
    let eighths = (width.clamp(0.125, 63.875) * 8.0).round() as u32;
    writer.set(THREE_D, raster::LINE_WIDTH::eighths(eighths));
    writer.set(THREE_D, raster::LINE_SMOOTH_ENABLE::enable(state.line_smooth.unwrap_or(false)));
    writer.set(THREE_D, raster::LINE_STIPPLE_ENABLE::enable(state.line_stipple.is_some()));
    if let Some((pixels, pattern)) = state.line_stipple {
        if !(1..=256).contains(&pixels) || pattern > 0xffff {
            return Err("line_stipple: 1 to 256 pixels per bit, and a pattern of sixteen bits".to_owned());
        }
        let word = raster::LINE_STIPPLE_PATTERN::factor(pixels - 1) | raster::LINE_STIPPLE_PATTERN::pattern(pattern);
        writer.set(THREE_D, word);
    }
    writer.set(THREE_D, raster::POINT_SIZE::size(state.point_size.unwrap_or(1.0)));
    let mut replaced = 0;
    for coordinate in state.point_sprite.iter().flatten() {
        if *coordinate > 9 {
            return Err("point_sprite: there are ten texture coordinates, from 0".to_owned());
        }
        replaced |= 1u32 << coordinate;
    }
    let word = raster::POINT_SPRITE::enable(state.point_sprite.is_some()) | raster::POINT_SPRITE::replaced(replaced);
    writer.set(THREE_D, word);
    Ok(())
}

/// A number in the form of the ROP's references and constants for this target: half bits for half floats, else
/// bytes.
fn reference(value: f32, target: &PlacedTarget) -> u32 {
    if target.color_format == Some(ColorFormat::A16B16G16R16F) {
        return u32::from(half_bits_from(value.to_bits()));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
    let byte = (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u32;
    byte
}

fn tests(state: &State, target: &PlacedTarget, writer: &mut StreamWriter) {
    let always = Compare::named("ALWAYS");
    let (function, value) = state.alpha_test.unwrap_or((always, 0.0));
    writer.set(THREE_D, rop::ALPHA_FUNC_ENABLE::enable(state.alpha_test.is_some()));
    writer.set(THREE_D, rop::ALPHA_FUNC_FUNC::function(function));
    writer.set(THREE_D, rop::ALPHA_FUNC_REF::reference(reference(value, target)));
    writer.set(THREE_D, rop::DEPTH_TEST_ENABLE::enable(state.depth.is_some()));
    writer.set(THREE_D, rop::DEPTH_FUNC::function(state.depth.map_or(always, |depth| depth.test)));
    writer.set(THREE_D, rop::DEPTH_WRITE_ENABLE::enable(state.depth.is_some_and(|depth| depth.write)));
    let (low, high) = state.depth_bounds.unwrap_or((0.0, 1.0));
    writer.set(THREE_D, rop::DEPTH_BOUNDS_TEST_ENABLE::enable(state.depth_bounds.is_some()));
    writer.set(THREE_D, rop::DEPTH_BOUNDS_TEST_ZMIN::depth(low));
    writer.set(THREE_D, rop::DEPTH_BOUNDS_TEST_ZMAX::depth(high));
}

fn stencils(state: &State, writer: &mut StreamWriter) {
    let sides = [state.stencil, state.back_stencil];
    for (side, stencil) in (0u16..).zip(sides) {
        writer.set_element(THREE_D, side, rop::STENCIL_ENABLE::enable(stencil.is_some()));
        let Some(Stencil { test, reference, mask, write_mask, fail, depth_fail, pass }) = stencil else {
            // A clear uses the front mask.
            writer.set_element(THREE_D, side, rop::STENCIL_MASK::mask(0xffu32));
            continue;
        };
        writer.set_element(THREE_D, side, rop::STENCIL_MASK::mask(write_mask));
        writer.set_element(THREE_D, side, rop::STENCIL_FUNC_FUNC::function(test));
        writer.set_element(THREE_D, side, rop::STENCIL_FUNC_REF::reference(reference));
        writer.set_element(THREE_D, side, rop::STENCIL_FUNC_MASK::mask(mask));
        writer.set_element(THREE_D, side, rop::STENCIL_OP_FAIL::operation(fail));
        writer.set_element(THREE_D, side, rop::STENCIL_OP_ZFAIL::operation(depth_fail));
        writer.set_element(THREE_D, side, rop::STENCIL_OP_ZPASS::operation(pass));
    }
}

fn blending(state: &State, target: &PlacedTarget, writer: &mut StreamWriter) -> Result<(), String> {
    let surfaces = state.blend_surfaces.clone().unwrap_or_else(|| vec![0, 1, 2, 3]);
    if surfaces.iter().any(|surface| *surface > 3) {
        return Err("blend_surfaces: there are four, from 0".to_owned());
    }
    let blends = |surface: u8| state.blend.is_some() && surfaces.contains(&surface);
    writer.set(THREE_D, rop::BLEND_FUNC_ENABLE::enable(blends(0)));
    let others = rop::MRT_BLEND_ENABLE::color1(blends(1))
        | rop::MRT_BLEND_ENABLE::color2(blends(2))
        | rop::MRT_BLEND_ENABLE::color3(blends(3));
    writer.set(THREE_D, others);
    let replace = Blend {
        color: (BlendFactor::named("ONE"), BlendFactor::named("ZERO")),
        alpha: None,
        equation: BlendEquation::named("ADD"),
        alpha_equation: None,
    };
    let Blend { color, alpha, equation, alpha_equation } = state.blend.unwrap_or(replace);
    let alpha = alpha.unwrap_or(color);
    writer.set(THREE_D, rop::BLEND_FUNC_SRC::color(color.0) | rop::BLEND_FUNC_SRC::alpha(alpha.0));
    writer.set(THREE_D, rop::BLEND_FUNC_DST::color(color.1) | rop::BLEND_FUNC_DST::alpha(alpha.1));
    let alpha_equation = alpha_equation.unwrap_or(equation);
    writer.set(THREE_D, rop::BLEND_EQUATION::color(equation) | rop::BLEND_EQUATION::alpha(alpha_equation));
    let (r, g, b, a) = state.blend_color.unwrap_or((0.0, 0.0, 0.0, 0.0));
    let [r, g, b, a] = [r, g, b, a].map(|value| reference(value, target));
    if target.color_format == Some(ColorFormat::A16B16G16R16F) {
        writer.set(THREE_D, MethodWord::<{ rop::BLEND_COLOR }, 4>::field(r | g << 16, 31, 0));
        writer.set(THREE_D, rop::BLEND_COLOR2::blue_half(b) | rop::BLEND_COLOR2::alpha_half(a));
    } else {
        let word = rop::BLEND_COLOR::red(r)
            | rop::BLEND_COLOR::green(g)
            | rop::BLEND_COLOR::blue(b)
            | rop::BLEND_COLOR::alpha(a);
        writer.set(THREE_D, word);
    }
    Ok(())
}

fn masks(state: &State, target: &PlacedTarget, writer: &mut StreamWriter) -> Result<(), String> {
    writer.set(THREE_D, rop::COLOR_LOGIC_OP_ENABLE::enable(state.logic.is_some()));
    writer.set(THREE_D, rop::COLOR_LOGIC_OP_OP::operation(state.logic.unwrap_or(LogicOperation::named("COPY"))));
    writer.set(THREE_D, rop::DITHER_ENABLE::enable(state.dither.unwrap_or(false)));
    writer.set(THREE_D, targets::SHADER_PACKER::srgb_write(u32::from(state.srgb.unwrap_or(false))));
    let letters = state.color_mask.as_deref().unwrap_or(&[]);
    if letters.len() > 4 || letters.iter().any(|mask| mask.as_str().chars().any(|letter| !"rgba".contains(letter))) {
        return Err("color_mask: up to four texts of the letters r, g, b, a".to_owned());
    }
    let is_written = |surface: usize, letter: char| {
        let mask = letters.get(surface).or(letters.first().filter(|_| letters.len() == 1));
        mask.is_none_or(|mask| mask.as_str().contains(letter)) && surface < target.colors.len().max(1)
    };
    let word = rop::COLOR_MASK::red(is_written(0, 'r'))
        | rop::COLOR_MASK::green(is_written(0, 'g'))
        | rop::COLOR_MASK::blue(is_written(0, 'b'))
        | rop::COLOR_MASK::alpha(is_written(0, 'a'));
    writer.set(THREE_D, word);
    // Four bits per surface from bit 4 on: alpha, red, green, blue.
    let mut others = 0;
    for surface in 1..4 {
        for (bit, letter) in ['a', 'r', 'g', 'b'].into_iter().enumerate() {
            others |= u32::from(is_written(surface, letter)) << (4 * surface + bit);
        }
    }
    writer.set(THREE_D, MethodWord::<{ rop::MRT_COLOR_MASK }, 4>::field(others, 31, 0));
    Ok(())
}
