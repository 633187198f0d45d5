//! Turns the registers of the ROP into [`RopState`].

use super::ThreeD;
use crate::arith::fragment::half_bits_to;
use crate::chip::bits::{bit, field8, field16};
use crate::chip::gl_numbers;
use crate::command::methods::three_d::{raster, rop as methods, sync, targets};
use crate::format::{ColorFormat, PixelStorage};
use crate::pipeline::{
    AlphaReference, AlphaTest, Blend, BlendEquation, BlendFactor, Compare, DepthTest, Dither, MAX_COLOR_TARGETS,
    MultisampleCoverage, RopState, StencilFace, StencilOp,
};

/// Bytes between the two sets of stencil registers.
const STENCIL_STRIDE: u16 = 32;

impl ThreeD {
    /// The state for targets of a format.
    pub(super) fn rop_state(&self, format: ColorFormat) -> RopState {
        let registers = &self.registers;
        let mrt_blend = registers.get(methods::MRT_BLEND_ENABLE);
        let blends_first = registers.is_set(methods::BLEND_FUNC_ENABLE);
        // Unverified: without the flag for several targets, the first target's registers serve whichever is bound.
        let is_single = !bit(registers.get(targets::RT_ENABLE), 4);
        RopState {
            alpha_test: registers.is_set(methods::ALPHA_FUNC_ENABLE).then(|| AlphaTest {
                compare: self.compare(methods::ALPHA_FUNC_FUNC, 0),
                reference: alpha_reference(registers.get(methods::ALPHA_FUNC_REF), format),
            }),
            depth_test: registers.is_set(methods::DEPTH_TEST_ENABLE).then(|| DepthTest {
                compare: self.compare(methods::DEPTH_FUNC, 0),
                writes: registers.is_set(methods::DEPTH_WRITE_ENABLE),
            }),
            depth_bounds: registers.is_set(methods::DEPTH_BOUNDS_TEST_ENABLE).then(|| {
                (registers.get(methods::DEPTH_BOUNDS_TEST_ZMIN), registers.get(methods::DEPTH_BOUNDS_TEST_ZMAX))
            }),
            stencil: self.stencil(),
            blend: std::array::from_fn(|target| {
                let is_enabled = match target {
                    1..=3 if !is_single => mrt_blend >> target & 1 != 0,
                    0..=3 => blends_first,
                    _ => false,
                };
                // Single floats are never blended (GeForce 6 overview: blending up to fp16×4).
                (is_enabled && !has_single_floats(format)).then(|| self.blend())
            }),
            blend_color: [16, 8, 0, 24].map(|low| field8(registers.get(methods::BLEND_COLOR), low + 7, low)),
            float_blend_color: [
                field16(registers.get(methods::BLEND_COLOR), 15, 0),
                field16(registers.get(methods::BLEND_COLOR), 31, 16),
                field16(registers.get(methods::BLEND_COLOR2), 15, 0),
                field16(registers.get(methods::BLEND_COLOR2), 31, 16),
            ]
            .map(half_bits_to),
            broadcasts_first_color: is_single,
            logic_op: registers
                .is_set(methods::COLOR_LOGIC_OP_ENABLE)
                .then(|| gl_numbers::logic_op(registers.get(methods::COLOR_LOGIC_OP_OP))),
            dither: Dither(registers.is_set(methods::DITHER_ENABLE)),
            color_mask: self.color_masks(is_single),
            clamped_colors: 0,
            srgb_write: registers.get(targets::SHADER_PACKER) != 0,
            multisample: multisample_coverage(registers.get(raster::MULTISAMPLE_CONTROL)),
            counts_samples: registers.is_set(sync::QUERY_ENABLE),
        }
    }

    fn compare(&self, method: u16, set: usize) -> Compare {
        gl_numbers::compare(self.registers.element(method, STENCIL_STRIDE, set)).unwrap_or(Compare::Always)
    }

    /// The front face's registers serve both faces unless the back set is enabled.
    fn stencil(&self) -> Option<[StencilFace; 2]> {
        let enabled = |set| self.registers.element(methods::STENCIL_ENABLE, STENCIL_STRIDE, set) & 1 != 0;
        if !enabled(0) {
            return None;
        }
        let front = self.stencil_face(0);
        Some([front, if enabled(1) { self.stencil_face(1) } else { front }])
    }

    fn stencil_face(&self, set: usize) -> StencilFace {
        let register = |method| self.registers.element(method, STENCIL_STRIDE, set);
        let operation = |method| gl_numbers::stencil_op(register(method)).unwrap_or(StencilOp::Keep);
        let byte = |method| (register(method) & 0xff) as u8;
        StencilFace {
            compare: self.compare(methods::STENCIL_FUNC_FUNC, set),
            reference: byte(methods::STENCIL_FUNC_REF),
            compare_mask: byte(methods::STENCIL_FUNC_MASK),
            write_mask: byte(methods::STENCIL_MASK),
            fail: operation(methods::STENCIL_OP_FAIL),
            depth_fail: operation(methods::STENCIL_OP_ZFAIL),
            pass: operation(methods::STENCIL_OP_ZPASS),
        }
    }

    fn blend(&self) -> Blend {
        let halves = |method| {
            let value = self.registers.get(method);
            [value & 0xffff, value >> 16]
        };
        let factors = |method| halves(method).map(|code| gl_numbers::blend_factor(code).unwrap_or(BlendFactor::One));
        Blend {
            source: factors(methods::BLEND_FUNC_SRC),
            destination: factors(methods::BLEND_FUNC_DST),
            equation: halves(methods::BLEND_EQUATION)
                .map(|code| gl_numbers::blend_equation(code).unwrap_or(BlendEquation::Add)),
        }
    }

    /// Write masks with red in bit 0: `COLOR_MASK` has a byte per channel from blue up, `MRT_COLOR_MASK` four bits per
    /// target from alpha up.
    fn color_masks(&self, is_single: bool) -> [u8; MAX_COLOR_TARGETS] {
        let first = self.registers.get(methods::COLOR_MASK);
        let others = self.registers.get(methods::MRT_COLOR_MASK);
        let mask = |channels: [bool; 4]| (0..4).fold(0, |mask, index| mask | u8::from(channels[index]) << index);
        std::array::from_fn(|target| match target {
            4.. => 0,
            1.. if !is_single => {
                let nibble = others >> (4 * target);
                mask([bit(nibble, 1), bit(nibble, 2), bit(nibble, 3), bit(nibble, 0)])
            }
            _ => mask([bit(first, 16), bit(first, 8), bit(first, 0), bit(first, 24)]),
        })
    }
}

/// Decodes `ALPHA_FUNC_REF`: 8 bits for integer targets. Sources differ for float targets, so 16-bit values are half
/// floats and larger ones singles.
// Unverified: that both forms are accepted; no useful single is below 2^16 here.
fn alpha_reference(reference: u32, format: ColorFormat) -> AlphaReference {
    match format.storage() {
        PixelStorage::Fields { .. } => AlphaReference::Byte(field8(reference, 7, 0)),
        PixelStorage::Channels(_) => AlphaReference::Float(u16::try_from(reference).map_or(reference, half_bits_to)),
    }
}

const fn has_single_floats(format: ColorFormat) -> bool {
    matches!(format, ColorFormat::R32F | ColorFormat::A32B32G32R32F)
}

/// Decodes `MULTISAMPLE_CONTROL`.
const fn multisample_coverage(control: u32) -> MultisampleCoverage {
    MultisampleCoverage {
        is_enabled: bit(control, 0),
        alpha_to_coverage: bit(control, 4),
        alpha_to_one: bit(control, 8),
        sample_mask: field16(control, 31, 16),
    }
}
