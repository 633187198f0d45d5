//! Determines which register values the chip accepts; others are dropped with a data error.
//!
//! The rules are those of tests on chips of the family (envytools, `hwtest/pgraph_class_kelvin.cc`, class Curie), and that
//! enums hold a known value. `docs/undefined-bits.md` names the exceptions and their sources.

use super::enums;
use crate::chip::bits::{bit, field};
use crate::chip::gl_numbers;
use crate::command::methods::three_d::{draw, program, raster, rop, sync, targets, texture, vertex};

/// The greatest width and height of a texture or target.
const MAX_SIZE: u32 = 4096;
/// Slots of the vertex program and constants.
const SLOTS: u32 = 0x220;

/// Whether a value may be written to a method. `base` is the address of the first element of the method's array.
pub(super) fn is_legal(base: u16, value: u32) -> bool {
    if legal_mask(base).is_some_and(|mask| value & !mask != 0) {
        return false;
    }
    match base {
        targets::RT_FORMAT => is_legal_format(value),
        targets::CONTROL0 => field(value, 30, 28) <= 3,
        targets::VIEWPORT_TX_ORIGIN => [value << 16, value & 0xffff_0000]
            .iter()
            .all(|half| (-0x1000..0x1000).contains(&(half.cast_signed() >> 16))),
        targets::RT_ENABLE => matches!(value & 0xf, 0 | 1 | 2 | 3 | 7 | 15),
        targets::VIEWPORT_CLIP_HORIZ
        | targets::VIEWPORT_CLIP_VERT
        | targets::CLEAR_RECT_HORIZ
        | targets::CLEAR_RECT_VERT => field(value, 11, 0) <= field(value, 27, 16),
        raster::VP_CLIP_PLANES_ENABLE => value & value >> 1 & 0x0011_1111 == 0,
        raster::POINT_SPRITE => field(value, 2, 1) != 3,
        raster::POLYGON_MODE_FRONT | raster::POLYGON_MODE_BACK => gl_numbers::polygon_mode(value).is_some(),
        raster::CULL_FACE => gl_numbers::cull_face(value).is_some(),
        raster::FRONT_FACE => matches!(value, 0x900 | 0x901),
        raster::SHADE_MODEL => matches!(value, 0x1d00 | 0x1d01),
        raster::UNNAMED_1DBC => value < 3,
        rop::ALPHA_FUNC_FUNC | rop::DEPTH_FUNC | rop::STENCIL_FUNC_FUNC => gl_numbers::compare(value).is_some(),
        rop::BLEND_FUNC_SRC | rop::BLEND_FUNC_DST => {
            gl_numbers::blend_factor(value & 0xffff).is_some() && gl_numbers::blend_factor(value >> 16).is_some()
        }
        rop::BLEND_EQUATION => {
            gl_numbers::blend_equation(value & 0xffff).is_some() && gl_numbers::blend_equation(value >> 16).is_some()
        }
        rop::STENCIL_OP_FAIL | rop::STENCIL_OP_ZFAIL | rop::STENCIL_OP_ZPASS => gl_numbers::stencil_op(value).is_some(),
        rop::COLOR_LOGIC_OP_OP => matches!(value, 0x1500..=0x150f),
        vertex::VTXFMT => is_legal_vertex_format(value),
        draw::IDXBUF_FORMAT => field(value, 7, 4) <= 1,
        program::VP_UPLOAD_FROM_ID | program::VP_START_FROM_ID | program::VP_UPLOAD_CONST_ID => value < SLOTS,
        // Unverified: mode 3 runs the same instruction set as mode 1.
        program::ENGINE => matches!(value & 3, 1 | 3),
        program::FP_ACTIVE_PROGRAM => matches!(value & 3, 1 | 2),
        program::FP_CONTROL => matches!(value >> 24, 2..=48) && field(value, 5, 4) != 3,
        program::INDEXED_CONSTANT_READ_LIMITS => field(value, 9, 0) < SLOTS && field(value, 25, 16) < SLOTS,
        program::FP_REG_CONTROL => matches!(value & 15, 0..=4 | 15),
        program::TRANSFORM_TIMEOUT => bit(value, 21),
        sync::NOTIFY => value <= 1,
        sync::FENCE_OFFSET => field(value, 27, 24) <= 4,
        sync::QUERY_RESET => matches!(value, 1 | 2),
        sync::QUERY_GET => matches!(value >> 24, 1..=5),
        sync::RENDER_ENABLE => value >> 24 <= 2,
        texture::TEX_FORMAT => is_legal_texture_format(value),
        texture::TEX_WRAP => {
            [field(value, 3, 0), field(value, 11, 8), field(value, 19, 16)]
                .iter()
                .all(|mode| enums::wrap(*mode).is_some())
                && matches!(field(value, 25, 24), 0 | 3)
                && field(value, 31, 28) <= 7
        }
        texture::TEX_FILTER_OPTIMIZATION => field(value, 17, 15) <= 4,
        texture::VERTEX_TEX_OFFSET => value & 0x7f == 0,
        texture::VERTEX_TEX_FORMAT => is_legal_vertex_texture_format(value),
        texture::VERTEX_TEX_WRAP => {
            [field(value, 3, 0), field(value, 11, 8)].iter().all(|mode| enums::wrap(*mode).is_some())
        }
        texture::TEX_FILTER => enums::convolution_kernel(field(value, 15, 13)).is_some_and(|kernel| {
            enums::min_filter(field(value, 19, 16), kernel).is_some()
                && enums::mag_filter(field(value, 27, 24), kernel).is_some()
        }),
        texture::TEX_SWIZZLE => (0..4).all(|channel| value >> (8 + channel * 2) & 3 != 3),
        texture::TEX_NPOT_SIZE | texture::VERTEX_TEX_SIZE => {
            matches!(value & 0xffff, 1..=MAX_SIZE) && matches!(value >> 16, 1..=MAX_SIZE)
        }
        _ => true,
    }
}

/// Bits that may be set, for methods whose mask is known.
const fn legal_mask(base: u16) -> Option<u32> {
    Some(match base {
        sync::FENCE_OFFSET => 0x0f00_0ff0,
        sync::SURFACE_COMPRESSION | sync::ZCULL_EN => 3,
        sync::QUERY_ENABLE => 1,
        targets::RT_ENABLE => 0x1f,
        targets::VIEWPORT_CLIP_MODE | targets::CLIP_ID_TEST_ENABLE => 1,
        targets::CLIP_ID_PITCH => 0xff80,
        targets::CLIP_ID_OFFSET => 0xffff_ff00,
        targets::CLIP_ID_RECT_HORIZ | targets::CLIP_ID_RECT_VERT => 0x1ff0_0ff0,
        targets::CLIP_ID => 0xff,
        targets::VIEWPORT_CLIP_HORIZ | targets::VIEWPORT_CLIP_VERT => 0x0fff_0fff,
        targets::CLEAR_RECT_HORIZ | targets::CLEAR_RECT_VERT => 0x0fff_0fff,
        targets::CONTROL0 => 0x7011_1100,
        targets::COORD_CONVENTIONS => 0x0001_1fff,
        raster::LINE_SMOOTH_ENABLE
        | raster::POINT_CENTER_MODE
        | raster::POLYGON_OFFSET_POINT_ENABLE
        | raster::POLYGON_OFFSET_LINE_ENABLE
        | raster::POLYGON_OFFSET_FILL_ENABLE
        | raster::SPECULAR_ENABLE
        | raster::VERTEX_TWO_SIDE_ENABLE
        | raster::FLATSHADE_FIRST
        | raster::EDGEFLAG
        | raster::POLYGON_STIPPLE_ENABLE
        | raster::POLYGON_SMOOTH_ENABLE
        | raster::CULL_FACE_ENABLE
        | raster::LINE_STIPPLE_ENABLE
        | raster::POINT_PARAMS_ENABLE => 1,
        raster::LINE_WIDTH => 0x1ff,
        raster::LINE_STIPPLE_PATTERN => 0xffff_00ff,
        raster::VP_CLIP_PLANES_ENABLE => 0x0033_3333,
        raster::POINT_SPRITE => 0x0003_ff07,
        raster::TEX_COORD_CONTROL | raster::DEPTH_CONTROL => 0x111,
        raster::MULTISAMPLE_CONTROL => 0xffff_0111,
        raster::UNNAMED_1DC0 => 0xf8f8_f8f8,
        raster::UNNAMED_1EF4 => 0xffff_7111,
        rop::DITHER_ENABLE
        | rop::ALPHA_FUNC_ENABLE
        | rop::BLEND_FUNC_ENABLE
        | rop::STENCIL_ENABLE
        | rop::COLOR_LOGIC_OP_ENABLE
        | rop::DEPTH_BOUNDS_TEST_ENABLE
        | rop::DEPTH_WRITE_ENABLE
        | rop::DEPTH_TEST_ENABLE => 1,
        rop::ALPHA_FUNC_REF => 0xffff,
        rop::STENCIL_FUNC_REF => 0xff,
        // Also on a PlayStation 3 (RPCS3, pull request 14545).
        rop::COLOR_MASK => 0x0101_0101,
        rop::MRT_COLOR_MASK => 0xfff0,
        rop::MRT_BLEND_ENABLE => 0xe,
        vertex::VTXBUF => 0x9fff_ffff,
        vertex::FREQUENCY_DIVIDER_OPERATION => 0xffff,
        // Also on a PlayStation 3 (RPCS3, pull request 6737).
        draw::IDXBUF_FORMAT => 0x11,
        draw::PRIMITIVE_RESTART_ENABLE => 1,
        program::UNNAMED_08E0 => 0x13ff_cfff,
        program::INDEXED_CONSTANT_READ_LIMITS => 0x03ff_03ff,
        program::ATTRIB_COLOR => 0x0fff_ffff,
        program::ATTRIB_TEX_COORD_EX => 0xff,
        program::ATTRIB_UCLIP0 | program::ATTRIB_UCLIP1 => 0x003f_3f3f,
        program::FP_ACTIVE_PROGRAM => 0xffff_ffc3,
        program::FP_CONTROL => 0x3f00_95fe,
        program::ENGINE => 0x113,
        program::FP_REG_CONTROL => 0x000f_000f,
        program::TRANSFORM_TIMEOUT => 0x0031_ffff,
        program::VP_ATTRIB_EN => 0xffff,
        program::VP_RESULT_EN => 0x003f_ffff,
        texture::TEX_FORMAT => 0x000f_ff3f,
        texture::TEX_WRAP => 0xf3ff_1fff,
        texture::TEX_SWIZZLE => 0x0001_ffff,
        texture::TEX_SIZE1 => 0x3ff3_ffff,
        texture::TEX_FILTER => 0xff3f_ffff,
        texture::TEX_FILTER_OPTIMIZATION => 0x000f_ffdf,
        texture::VERTEX_TEX_FORMAT => 0x000f_ff33,
        texture::VERTEX_TEX_WRAP => 0x0f0f,
        texture::VERTEX_TEX_ENABLE => 0xffff_ff80,
        texture::VERTEX_TEX_PITCH => 0x0003_ffff,
        texture::VERTEX_TEX_FILTER => 0x1fff,
        _ => return None,
    })
}

fn is_legal_format(value: u32) -> bool {
    let [color, zeta, layout, multisample] =
        [field(value, 4, 0), field(value, 7, 5), field(value, 11, 8), field(value, 15, 12)];
    let swizzles = layout == 2;
    let [log2_width, log2_height] = [field(value, 23, 16), field(value, 31, 24)];
    matches!(color, 1..=5 | 8..=16)
        && matches!(zeta, 1 | 2)
        && matches!(layout, 1 | 2)
        && matches!(multisample, 0 | 3 | 4 | 5)
        && !(swizzles && multisample != 0)
        && log2_width <= 12
        && log2_height <= 12
        && is_legal_pair(color, zeta, swizzles)
}

/// Float colors need 32 bits of depth. Swizzled surfaces need pixels of equal size, except that bytes go with
/// both.
const fn is_legal_pair(color: u32, zeta: u32, swizzles: bool) -> bool {
    match color {
        11..=13 => zeta == 2,
        1..=3 => !swizzles || zeta == 1,
        9 | 10 => true,
        _ => !swizzles || zeta == 2,
    }
}

/// Bit 3 is not compared: a `PlayStation` 3 ignores it (RPCS3, pull request 5585), whereas the tests of envytools refuse it
/// and the formats 3 and 7, which drivers use.
const fn is_legal_vertex_format(value: u32) -> bool {
    let [kind, size] = [field(value, 2, 0), field(value, 7, 4)];
    matches!((kind, size), (_, 0) | (0, 3 | 4) | (6, 1) | (1..=5 | 7, 1..=4))
}

fn is_legal_texture_format(value: u32) -> bool {
    let [dma, dimensions, code, levels] =
        [field(value, 1, 0), field(value, 7, 4), field(value, 12, 8), field(value, 19, 16)];
    let [is_cubic, has_rows, is_rect] = [bit(value, 2), bit(value, 13), bit(value, 14)];
    matches!(dma, 1 | 2)
        && matches!(dimensions, 1..=3)
        && code != 0
        && bit(value, 15)
        && matches!(levels, 1..=13)
        && (has_rows || !matches!(code, 0x9 | 0xa | 0xc | 0xd | 0xe | 0x16))
        && !(is_rect && (is_cubic || levels != 1))
        && !(matches!(code, 0x10..=0x13) && dimensions == 3)
}

/// One- or two-dimensional linear single floats with normalized coordinates.
const fn is_legal_vertex_texture_format(value: u32) -> bool {
    let [dma, dimensions, code, levels] =
        [field(value, 1, 0), field(value, 7, 4), field(value, 12, 8), field(value, 19, 16)];
    matches!(dma, 1 | 2)
        && matches!(dimensions, 1 | 2)
        && matches!(code, 0x1b | 0x1c)
        && bit(value, 13)
        && !bit(value, 14)
        && bit(value, 15)
        && matches!(levels, 1..=13)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_a_driver_writes_are_legal() {
        for (method, value) in [
            (targets::RT_FORMAT, 0x148),
            (targets::RT_FORMAT, 0x0808_0248),
            (texture::TEX_FORMAT, 0x0001_c529),
            (texture::TEX_FILTER, 0x0206_2080),
            (texture::TEX_WRAP, 0x0003_0101),
            (vertex::VTXFMT, 0x2432),
            (vertex::VTXFMT, 0x243a),
            (rop::COLOR_MASK, 0x0100_0001),
            (vertex::VTXFMT, 0x2),
            (texture::VERTEX_TEX_FORMAT, 0x0001_bc21),
            (texture::VERTEX_TEX_FORMAT, 0x000d_bb12),
            (program::ENGINE, 0x103),
            (program::FP_CONTROL, 0x0500_0080),
            (program::FP_ACTIVE_PROGRAM, 0x0018_0301),
            (program::FP_REG_CONTROL, 0x0008_0003),
            (program::FP_REG_CONTROL, 4),
            (program::TRANSFORM_TIMEOUT, 0x0020_ffff),
            (targets::RT_FORMAT, 0x123),
            (targets::RT_FORMAT, 0x14b),
            (targets::RT_FORMAT, 0x0202_0229),
            (targets::CONTROL0, 0x0010_1000),
            (targets::VIEWPORT_TX_ORIGIN, 0xf000_0fff),
            (texture::VERTEX_TEX_FORMAT, 0x0001_bc21),
            (rop::BLEND_EQUATION, 0xf006_f005),
            (sync::QUERY_GET, 0x0500_0010),
            (sync::FENCE_OFFSET, 0x0400_0ff0),
        ] {
            assert!(is_legal(method, value), "{method:#x} {value:#x}");
        }
    }

    #[test]
    fn values_that_the_chip_refuses() {
        for (method, value) in [
            (texture::TEX_FILTER, 0x0206_0080),
            (texture::TEX_FORMAT, 0x0001_8029),
            (texture::TEX_FORMAT, 0x0001_0529),
            (texture::TEX_WRAP, 0x0003_0109),
            (targets::RT_FORMAT, 0x146),
            (program::ENGINE, 0x10),
            (program::FP_CONTROL, 0x0100_0000),
            (raster::VP_CLIP_PLANES_ENABLE, 0x30),
            (rop::DEPTH_FUNC, 9),
            (rop::BLEND_EQUATION, 0xf008_8006),
            (targets::RT_FORMAT, 0x12b),
            (targets::RT_FORMAT, 0x0202_0243),
            (targets::RT_FORMAT, 0x0202_0228),
            (targets::RT_ENABLE, 0x1d),
            (targets::CONTROL0, 0x4010_0000),
            (targets::VIEWPORT_TX_ORIGIN, 0x1000),
            (targets::VIEWPORT_TX_ORIGIN, 0xefff_0000),
            (program::FP_REG_CONTROL, 5),
            (program::TRANSFORM_TIMEOUT, 0xffff),
            (texture::TEX_WRAP, 0x0103_0101),
            (texture::TEX_WRAP, 0x8003_0101),
            (texture::TEX_FILTER_OPTIMIZATION, 0x2_8000),
            (sync::NOTIFY, 2),
            (sync::FENCE_OFFSET, 0x0500_0000),
            (sync::FENCE_OFFSET, 8),
            (sync::QUERY_GET, 0x0600_0000),
            (sync::RENDER_ENABLE, 0x0300_0000),
            (sync::ZCULL_EN, 4),
            (sync::SURFACE_COMPRESSION, 4),
            (vertex::VTXFMT, 0x51),
            (vertex::VTXFMT, 0x28),
            (vertex::VTXFMT, 0x2e),
            (rop::COLOR_MASK, 0x0101_0103),
            (rop::COLOR_MASK, 0x8101_0101),
            (draw::IDXBUF_FORMAT, 0x12),
            (draw::PRIMITIVE_RESTART_ENABLE, 2),
            (rop::DEPTH_TEST_ENABLE, 3),
            (rop::STENCIL_FUNC_REF, 0x100),
            (rop::ALPHA_FUNC_REF, 0x1_0000),
            (raster::CULL_FACE_ENABLE, 0x8000_0001),
            (raster::UNNAMED_1DBC, 3),
            (program::ATTRIB_COLOR, 0x1000_0000),
            (targets::CLIP_ID, 0x100),
            (texture::TEX_FORMAT, 0x0001_c52b),
            (texture::TEX_NPOT_SIZE, 0x0001_0000),
            (program::FP_ACTIVE_PROGRAM, 0x0018_0300),
            (texture::VERTEX_TEX_OFFSET, 0x40),
            (texture::VERTEX_TEX_FORMAT, 0x0001_ba31),
            (texture::VERTEX_TEX_FORMAT, 0x0001_9c21),
            (texture::VERTEX_TEX_WRAP, 0x0900),
            (texture::VERTEX_TEX_FILTER, 0x2000),
        ] {
            assert!(!is_legal(method, value), "{method:#x} {value:#x}");
        }
    }
}
