//! Blending and logic operations on the colors of one pixel.
//!
//! Fractions of at most 8 bits blend as 8-bit values: the source is rounded to 8 bits, stored channels are expanded to 8
//! bits, and the sum of both products is rounded once. Other targets blend in single precision. Unverified: both precisions.
//!
//! Unverified: the signed equations. They differ from the others in targets of bytes: source values below zero, down to
//! −1, take part. The stored value is never negative, and the sum is clamped as always.

use crate::arith::fragment;
use crate::pipeline::{Blend, BlendEquation, BlendFactor};

const ONE: u32 = 0x3f80_0000;

/// Blends 8-bit colors: red, green, blue, alpha. `second` is the second source, `negative` is the magnitude of sources below zero, whose `source` is 0.
#[must_use]
pub fn blend_bytes(
    blend: &Blend,
    [source, second]: [[u32; 4]; 2],
    negative: [u32; 4],
    destination: [u32; 4],
    constant: [u32; 4],
) -> [u32; 4] {
    std::array::from_fn(|channel| {
        let part = usize::from(channel == 3);
        let (s, d) = (source[channel], destination[channel]);
        let factor = |factor| byte_factor(factor, channel, [source, second], destination, constant);
        let from_source = s * factor(blend.source[part]);
        let from_negative = negative[channel] * factor(blend.source[part]);
        let from_destination = d * factor(blend.destination[part]);
        match blend.equation[part] {
            BlendEquation::Add | BlendEquation::ReverseAddSigned => {
                divide_by_255(from_source + from_destination).min(255)
            }
            BlendEquation::Subtract => divide_by_255(from_source.saturating_sub(from_destination)),
            BlendEquation::ReverseSubtract => divide_by_255(from_destination.saturating_sub(from_source)),
            BlendEquation::AddSigned => {
                divide_by_255((from_source + from_destination).saturating_sub(from_negative)).min(255)
            }
            BlendEquation::ReverseSubtractSigned => {
                divide_by_255((from_destination + from_negative).saturating_sub(from_source)).min(255)
            }
            BlendEquation::Min => s.min(d),
            BlendEquation::Max => s.max(d),
        }
    })
}

/// Divides by 255, rounding to the nearest.
const fn divide_by_255(value: u32) -> u32 {
    (value + 127) / 255
}

fn byte_factor(
    factor: BlendFactor,
    channel: usize,
    [source, second]: [[u32; 4]; 2],
    destination: [u32; 4],
    constant: [u32; 4],
) -> u32 {
    match factor {
        BlendFactor::Zero => 0,
        BlendFactor::One => 255,
        BlendFactor::SourceColor => source[channel],
        BlendFactor::OneMinusSourceColor => 255 - source[channel],
        BlendFactor::SourceAlpha => source[3],
        BlendFactor::OneMinusSourceAlpha => 255 - source[3],
        BlendFactor::DestinationAlpha => destination[3],
        BlendFactor::OneMinusDestinationAlpha => 255 - destination[3],
        BlendFactor::DestinationColor => destination[channel],
        BlendFactor::OneMinusDestinationColor => 255 - destination[channel],
        BlendFactor::SourceAlphaSaturate if channel == 3 => 255,
        BlendFactor::SourceAlphaSaturate => source[3].min(255 - destination[3]),
        BlendFactor::ConstantColor => constant[channel],
        BlendFactor::OneMinusConstantColor => 255 - constant[channel],
        BlendFactor::ConstantAlpha => constant[3],
        BlendFactor::OneMinusConstantAlpha => 255 - constant[3],
        BlendFactor::SecondColor => second[channel],
        BlendFactor::OneMinusSecondColor => 255 - second[channel],
        BlendFactor::SecondAlpha => second[3],
        BlendFactor::OneMinusSecondAlpha => 255 - second[3],
    }
}

/// Blends colors in single precision, without clamping; all values are float bits.
#[must_use]
pub fn blend_floats(
    blend: &Blend,
    [source, second]: [[u32; 4]; 2],
    destination: [u32; 4],
    constant: [u32; 4],
) -> [u32; 4] {
    std::array::from_fn(|channel| {
        let part = usize::from(channel == 3);
        let (s, d) = (source[channel], destination[channel]);
        // Unverified: the factor zero drops its operand, even infinities and NaN.
        let product = |value, kind| match kind {
            BlendFactor::Zero => 0,
            _ => fragment::mul(value, float_factor(kind, channel, [source, second], destination, constant)),
        };
        let from_source = product(s, blend.source[part]);
        let from_destination = product(d, blend.destination[part]);
        match blend.equation[part] {
            BlendEquation::Add | BlendEquation::AddSigned | BlendEquation::ReverseAddSigned => {
                fragment::add(from_source, from_destination)
            }
            BlendEquation::Subtract => fragment::sub(from_source, from_destination),
            BlendEquation::ReverseSubtract | BlendEquation::ReverseSubtractSigned => {
                fragment::sub(from_destination, from_source)
            }
            BlendEquation::Min => fragment::min(s, d),
            BlendEquation::Max => fragment::max(s, d),
        }
    })
}

fn float_factor(
    factor: BlendFactor,
    channel: usize,
    [source, second]: [[u32; 4]; 2],
    destination: [u32; 4],
    constant: [u32; 4],
) -> u32 {
    let one_minus = |value| fragment::sub(ONE, value);
    match factor {
        BlendFactor::Zero => 0,
        BlendFactor::One => ONE,
        BlendFactor::SourceColor => source[channel],
        BlendFactor::OneMinusSourceColor => one_minus(source[channel]),
        BlendFactor::SourceAlpha => source[3],
        BlendFactor::OneMinusSourceAlpha => one_minus(source[3]),
        BlendFactor::DestinationAlpha => destination[3],
        BlendFactor::OneMinusDestinationAlpha => one_minus(destination[3]),
        BlendFactor::DestinationColor => destination[channel],
        BlendFactor::OneMinusDestinationColor => one_minus(destination[channel]),
        BlendFactor::SourceAlphaSaturate if channel == 3 => ONE,
        BlendFactor::SourceAlphaSaturate => fragment::min(source[3], one_minus(destination[3])),
        BlendFactor::ConstantColor => constant[channel],
        BlendFactor::OneMinusConstantColor => one_minus(constant[channel]),
        BlendFactor::ConstantAlpha => constant[3],
        BlendFactor::OneMinusConstantAlpha => one_minus(constant[3]),
        BlendFactor::SecondColor => second[channel],
        BlendFactor::OneMinusSecondColor => one_minus(second[channel]),
        BlendFactor::SecondAlpha => second[3],
        BlendFactor::OneMinusSecondAlpha => one_minus(second[3]),
    }
}

/// Applies a logic operation (`COLOR_LOGIC_OP_OP` − 0x1500) to the bits of packed pixels.
#[must_use]
pub const fn logic_op(op: u8, source: u32, destination: u32) -> u32 {
    let (s, d) = (source, destination);
    match op & 15 {
        0 => 0,
        1 => s & d,
        2 => s & !d,
        3 => s,
        4 => !s & d,
        5 => d,
        6 => s ^ d,
        7 => s | d,
        8 => !(s | d),
        9 => !(s ^ d),
        10 => !d,
        11 => s | !d,
        12 => !s,
        13 => !s | d,
        14 => !(s & d),
        _ => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blend(source: BlendFactor, destination: BlendFactor, equation: BlendEquation) -> Blend {
        Blend { source: [source; 2], destination: [destination; 2], equation: [equation; 2] }
    }

    #[test]
    fn alpha_blending_rounds_the_exact_sum_once() {
        let state = blend(BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha, BlendEquation::Add);
        for alpha in 0..=255u32 {
            for s in (0..=255).step_by(17) {
                for d in (0..=255).step_by(15) {
                    let result = blend_bytes(&state, [[s, s, s, alpha], [0; 4]], [0; 4], [d; 4], [0; 4])[0];
                    // |255·result − exact numerator| ≤ 127 is the nearest of the multiples of 255.
                    let exact = s * alpha + d * (255 - alpha);
                    assert!((255 * result).abs_diff(exact) <= 127, "{s} {d} {alpha}");
                }
            }
        }
    }

    #[test]
    fn every_factor_and_equation_of_bytes() {
        let (source, destination, constant) = ([[200, 100, 50, 128], [60, 70, 80, 90]], [10, 20, 30, 40], [1, 2, 3, 4]);
        // Numerators of the source's red with each factor, over 255.
        let factors = [0, 255, 200, 55, 128, 127, 40, 215, 10, 245, 128, 1, 254, 4, 251, 60, 195, 90, 165];
        for (code, factor) in factors.into_iter().enumerate() {
            let all = [
                BlendFactor::Zero,
                BlendFactor::One,
                BlendFactor::SourceColor,
                BlendFactor::OneMinusSourceColor,
                BlendFactor::SourceAlpha,
                BlendFactor::OneMinusSourceAlpha,
                BlendFactor::DestinationAlpha,
                BlendFactor::OneMinusDestinationAlpha,
                BlendFactor::DestinationColor,
                BlendFactor::OneMinusDestinationColor,
                BlendFactor::SourceAlphaSaturate,
                BlendFactor::ConstantColor,
                BlendFactor::OneMinusConstantColor,
                BlendFactor::ConstantAlpha,
                BlendFactor::OneMinusConstantAlpha,
                BlendFactor::SecondColor,
                BlendFactor::OneMinusSecondColor,
                BlendFactor::SecondAlpha,
                BlendFactor::OneMinusSecondAlpha,
            ];
            let state = blend(all[code], BlendFactor::Zero, BlendEquation::Add);
            let red = blend_bytes(&state, source, [0; 4], destination, constant)[0];
            assert_eq!(red, (200 * factor * 2 + 255) / 510, "factor {code}");
        }
        let result = |equation| {
            let state = blend(BlendFactor::One, BlendFactor::One, equation);
            blend_bytes(&state, source, [0; 4], [10, 20, 70, 200], constant)
        };
        assert_eq!(result(BlendEquation::Add), [210, 120, 120, 255]);
        assert_eq!(result(BlendEquation::Subtract), [190, 80, 0, 0]);
        assert_eq!(result(BlendEquation::ReverseSubtract), [0, 0, 20, 72]);
        assert_eq!(result(BlendEquation::Min), [10, 20, 50, 128]);
        assert_eq!(result(BlendEquation::Max), [200, 100, 70, 200]);
    }

    #[test]
    fn floats_blend_without_clamping() {
        let bits = |colors: [f32; 4]| colors.map(f32::to_bits);
        let state = blend(BlendFactor::SourceAlpha, BlendFactor::One, BlendEquation::Add);
        let result =
            blend_floats(&state, [[4.0, -2.0, 1.0, 0.5], [0.0; 4]].map(bits), bits([1.0, 1.0, 2.0, 3.0]), [0; 4]);
        assert_eq!(result.map(f32::from_bits), [3.0, 0.0, 2.5, 3.25]);
    }

    #[test]
    fn logic_operations_by_truth_table() {
        // Bits of source 0011, destination 0101 give the operation's truth table.
        let tables = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        for (op, table) in tables.into_iter().enumerate() {
            assert_eq!(logic_op(u8::try_from(op).unwrap(), 0b0011, 0b0101) & 15, table, "operation {op}");
        }
    }
}
