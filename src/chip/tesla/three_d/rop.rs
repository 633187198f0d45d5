//! Turns the registers of the ROP into [`RopState`].

use super::Processor;
use crate::chip::bits::{bit, field, field8, field16};
use crate::chip::gl_numbers;
use crate::command::methods::tesla::three_d::{STENCIL_FACES, below_1400 as early, from_1400 as late};
use crate::pipeline::{
    AlphaReference, AlphaTest, Blend, BlendEquation, BlendFactor, Compare, DepthTest, Dither, MAX_COLOR_TARGETS,
    MultisampleCoverage, RopState, StencilFace, StencilOp,
};

/// Bits of blend factors that say whose numbers they are: OpenGL's have this one.
const OPENGL: u32 = 0x4000;

/// The methods of a set of blend functions: for colors, then for alpha.
struct BlendMethods {
    /// Whether alpha has functions of its own.
    is_separate: u16,
    equation: [u16; 2],
    source: [u16; 2],
    destination: [u16; 2],
    /// The bytes from the methods of a target to those of the next one.
    stride: u16,
}

/// The functions of all targets.
const COMMON_BLEND: BlendMethods = BlendMethods {
    is_separate: early::BLEND_SEPARATE_ALPHA,
    equation: [early::BLEND_EQUATION_RGB, early::BLEND_EQUATION_ALPHA],
    source: [early::BLEND_FUNC_SRC_RGB, early::BLEND_FUNC_SRC_ALPHA],
    destination: [early::BLEND_FUNC_DST_RGB, early::BLEND_FUNC_DST_ALPHA],
    stride: 0,
};

/// The functions of each target.
const OWN_BLEND: BlendMethods = BlendMethods {
    is_separate: late::IBLEND_SEPARATE_ALPHA,
    equation: [late::IBLEND_EQUATION_RGB, late::IBLEND_EQUATION_ALPHA],
    source: [late::IBLEND_FUNC_SRC_RGB, late::IBLEND_FUNC_SRC_ALPHA],
    destination: [late::IBLEND_FUNC_DST_RGB, late::IBLEND_FUNC_DST_ALPHA],
    stride: 32,
};

impl Processor {
    /// The state of the output merger.
    pub(super) fn rop_state(&self) -> RopState {
        let registers = &self.registers;
        let enabled = |method| registers.is_set(method);
        let has_common_blend = enabled(early::BLEND_ENABLE_COMMON);
        let has_common_mask = enabled(early::COLOR_MASK_COMMON);
        let control = registers.get(late::MULTISAMPLE_CTRL);
        let clamps = registers.get(early::FRAG_COLOR_CLAMP_EN);
        let constants: [u32; 4] = std::array::from_fn(|channel| registers.element(early::BLEND_COLOR, 4, channel));
        RopState {
            alpha_test: enabled(early::ALPHA_TEST_ENABLE).then(|| AlphaTest {
                compare: self.compare(early::ALPHA_TEST_FUNC),
                reference: AlphaReference::Float(registers.get(early::ALPHA_TEST_REF)),
            }),
            depth_test: enabled(early::DEPTH_TEST_ENABLE).then(|| DepthTest {
                compare: self.compare(early::DEPTH_TEST_FUNC),
                writes: enabled(early::DEPTH_WRITE_ENABLE),
            }),
            depth_bounds: enabled(late::DEPTH_BOUNDS_EN).then(|| {
                let bound = |number| registers.element(early::DEPTH_BOUNDS, 4, number);
                (bound(0), bound(1))
            }),
            stencil: self.stencil(),
            blend: std::array::from_fn::<_, MAX_COLOR_TARGETS, _>(|target| {
                let own = registers.element(early::BLEND_ENABLE, 4, if has_common_blend { 0 } else { target });
                bit(own, 0).then(|| self.blend(target))
            }),
            blend_color: constants.map(unorm8),
            float_blend_color: constants,
            broadcasts_first_color: false,
            logic_op: enabled(late::LOGIC_OP_ENABLE).then(|| gl_numbers::logic_op(registers.get(late::LOGIC_OP))),
            dither: Dither(false),
            color_mask: std::array::from_fn::<_, MAX_COLOR_TARGETS, _>(|target| {
                let mask = registers.element(late::COLOR_MASK, 4, if has_common_mask { 0 } else { target });
                (0..4).fold(0, |all, channel| all | u8::from(field(mask, 4 * channel + 3, 4 * channel) != 0) << channel)
            }),
            clamped_colors: (0..8).fold(0, |all, color| all | u8::from(bit(clamps, 4 * color)) << color),
            srgb_write: false,
            multisample: MultisampleCoverage {
                is_enabled: enabled(late::MULTISAMPLE_ENABLE),
                alpha_to_coverage: bit(control, 0),
                alpha_to_one: bit(control, 4),
                sample_mask: field16(registers.get(early::MSAA_MASK), 15, 0),
            },
            counts_samples: enabled(late::SAMPLECNT_ENABLE),
        }
    }

    fn compare(&self, method: u16) -> Compare {
        gl_numbers::compare(self.registers.get(method)).unwrap_or(Compare::Always)
    }

    /// The front face's registers serve both faces unless there are two sides.
    fn stencil(&self) -> Option<[StencilFace; 2]> {
        if !self.registers.is_set(early::STENCIL_ENABLE) {
            return None;
        }
        let face = |[function, reference, compare_mask, write_mask, fail, depth_fail, pass]: [u16; 7]| {
            let byte = |method| field8(self.registers.get(method), 7, 0);
            let operation = |method| gl_numbers::stencil_op(self.registers.get(method)).unwrap_or(StencilOp::Keep);
            StencilFace {
                compare: self.compare(function),
                reference: byte(reference),
                compare_mask: byte(compare_mask),
                write_mask: byte(write_mask),
                fail: operation(fail),
                depth_fail: operation(depth_fail),
                pass: operation(pass),
            }
        };
        let [front, back] = STENCIL_FACES.map(face);
        Some([front, if self.registers.is_set(late::STENCIL_TWO_SIDE_ENABLE) { back } else { front }])
    }

    /// How a target is blended: by its own functions, or by those of all targets.
    fn blend(&self, target: usize) -> Blend {
        let methods = if self.registers.is_set(early::BLEND_INDEPENDENT) { &OWN_BLEND } else { &COMMON_BLEND };
        let get = |method| self.registers.element(method, methods.stride, target);
        let factor = |method| match get(method) {
            0xc900 => BlendFactor::SecondColor,
            0xc901 => BlendFactor::OneMinusSecondColor,
            0xc902 => BlendFactor::SecondAlpha,
            0xc903 => BlendFactor::OneMinusSecondAlpha,
            code => gl_numbers::blend_factor(code & !OPENGL).unwrap_or(BlendFactor::One),
        };
        let equation = |method| gl_numbers::blend_equation(get(method)).unwrap_or(BlendEquation::Add);
        let is_separate = bit(get(methods.is_separate), 0);
        let halves = |[color, alpha]: [u16; 2]| [color, if is_separate { alpha } else { color }];
        Blend {
            source: halves(methods.source).map(factor),
            destination: halves(methods.destination).map(factor),
            equation: halves(methods.equation).map(equation),
        }
    }
}

/// A float as a fraction of eight bits.
#[expect(clippy::cast_possible_truncation, reason = "eight bits")]
fn unorm8(bits: u32) -> u8 {
    crate::arith::fragment::float_to_unorm(bits, 8) as u8
}
