//! The output merger's stored values, against calculations in this file: every value of every format, all logic
//! operations, all blend factors and equations; and the same bytes from the kernels.
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "values are rounded and in range")]

use crate::common;
use crate::common::blend_factors::FACTORS;
use crate::common::memory::random_memory;
use crate::common::merging::{REPLACE, SIDE, color_targets, merge, plain_rop, quads};
use crate::common::random::Random;
use curie::format::ColorFormat;
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::{
    Blend, BlendEquation, BlendFactor, Clear, ColorTarget, LogicOp, MAX_COLOR_TARGETS, Rect, RopState, SampleMode,
    SurfaceLayout, Targets,
};
use curie::reference::blit::clear_surface::clear_surfaces;
use curie::reference::rop::merge_pixels::merge_quad;

const PITCH: u32 = 512;

/// Shift and width of red, green, blue, alpha, if they are stored.
type Channels = [Option<(u32, u32)>; 4];

/// Channels of a format in a pixel of at most 32 bits, from the method reference: (shift, width) of red, green, blue,
/// alpha, and the bits that every write sets.
fn layout(format: ColorFormat) -> Option<(Channels, u32)> {
    use ColorFormat as F;
    let some = |rows: [(u32, u32); 3]| [Some(rows[0]), Some(rows[1]), Some(rows[2]), None];
    let argb = [(16, 8), (8, 8), (0, 8)];
    let abgr = [(0, 8), (8, 8), (16, 8)];
    let with_alpha = |rows: [(u32, u32); 3]| [Some(rows[0]), Some(rows[1]), Some(rows[2]), Some((24, 8))];
    Some(match format {
        F::X1R5G5B5Zero => (some([(10, 5), (5, 5), (0, 5)]), 0),
        F::X1R5G5B5One => (some([(10, 5), (5, 5), (0, 5)]), 0x8000),
        F::R5G6B5 => (some([(11, 5), (5, 6), (0, 5)]), 0),
        F::X8R8G8B8Zero => (some(argb), 0),
        F::X8R8G8B8One => (some(argb), 0xff00_0000),
        F::A8R8G8B8 => (with_alpha(argb), 0),
        F::B8 => ([None, None, Some((0, 8)), None], 0),
        F::G8B8 => ([None, Some((8, 8)), Some((0, 8)), None], 0),
        F::X8B8G8R8Zero => (some(abgr), 0),
        F::X8B8G8R8One => (some(abgr), 0xff00_0000),
        F::A8B8G8R8 => (with_alpha(abgr), 0),
        F::Bgr5A1 => ([Some((10, 5)), Some((5, 5)), Some((0, 5)), Some((15, 1))], 0),
        F::Rg8Unorm => ([Some((0, 8)), Some((8, 8)), None, None], 0),
        F::R8Unorm => ([Some((0, 8)), None, None, None], 0),
        F::A8Unorm => ([None, None, None, Some((0, 8))], 0),
        // The channels of others are not blended as bytes.
        _ => return None,
    })
}

fn targets(format: ColorFormat) -> Targets {
    let window = MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: SIDE * PITCH };
    let layout = SurfaceLayout::Linear { pitch_bytes: PITCH };
    let rect = Rect { x: 0, y: 0, width: SIDE, height: SIDE };
    let color = color_targets(&[ColorTarget { window, layout, format }]);
    Targets { color, zeta: None, samples: SampleMode::One, rect }
}

/// The pixel with this number, as words.
fn pixel(memory: &GuestMemory, format: ColorFormat, index: u32) -> Vec<u32> {
    let bytes = format.bytes();
    let start = (index / SIDE * PITCH + index % SIDE * bytes) as usize;
    let stored = &memory.bytes(MemorySpace::Vram)[start..start + bytes as usize];
    stored.chunks(4).map(|word| word.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))).collect()
}

/// A fraction of `width` bits as a float.
fn fraction(value: u32, width: u32) -> f32 {
    (f64::from(value) / f64::from((1u32 << width) - 1)) as f32
}

#[test]
fn every_value_of_every_channel_is_written_by_draws_and_clears() {
    let gpu = common::gpu();
    for &format in ColorFormat::ALL {
        let Some((channels, fill)) = layout(format) else { continue };
        let mut memory = random_memory(&mut Random::new(format as u64));
        // Red counts up, green down, blue in steps of 7, alpha in steps of 5, so that swapped channels show.
        let value = |index: u32, channel: usize, width: u32| {
            let steps = [index, !index, index * 7 + 1, index * 5 + 2];
            steps[channel] & ((1 << width) - 1)
        };
        let color = |index| {
            std::array::from_fn(|channel| {
                let width = channels[channel].map_or(8, |(_, width)| width);
                fraction(value(index, channel, width), width).to_bits()
            })
        };
        let expected = |index| {
            let fields = channels.iter().enumerate().filter_map(|(channel, field)| Some((channel, (*field)?)));
            fields.fold(fill, |word, (channel, (shift, width))| word | value(index, channel, width) << shift)
        };
        merge(gpu.as_ref(), &mut memory, &plain_rop(), &targets(format), &quads(color));
        for index in 0..SIDE * SIDE {
            assert_eq!(pixel(&memory, format, index), [expected(index)], "{} {index}", format.name());
        }
        let mask = u32::MAX >> (32 - 8 * format.bytes());
        for index in 0..256u32 {
            let raw = (index * 0x0101_0101) ^ 0x00ff_55aa;
            clear(&mut memory, format, index, raw, 15);
            assert_eq!(pixel(&memory, format, index), [raw & mask], "{} {index}", format.name());
        }
    }
}

/// Clears the pixel with this number.
fn clear(memory: &mut GuestMemory, format: ColorFormat, index: u32, color: u32, color_mask: u8) {
    let clear = Clear {
        targets: targets(format),
        rect: Rect { x: index % SIDE, y: index / SIDE, width: 1, height: 1 },
        color: [color; 4],
        zeta: [0; 2],
        color_mask,
        clears_depth: false,
        clears_stencil: false,
        stencil_mask: 0,
    };
    assert_eq!(clear.unsupported(), None);
    clear_surfaces(memory, &clear);
}

/// The half float nearest to a normal-range value, by counting steps of its binade.
fn half(value: f64) -> u32 {
    let magnitude = value.abs();
    let exponent = (magnitude.log2().floor() as i32).max(-14);
    let steps = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as u32;
    let biased = (exponent + 15) as u32 * 1024;
    let sign = if value < 0.0 { 0x8000 } else { 0 };
    // A full binade counts from 1024 steps, which are one in the exponent.
    sign | if magnitude == 0.0 { 0 } else { biased + steps - 1024 }
}

#[test]
fn floats_are_stored_as_they_are_and_cleared_word_by_word() {
    let gpu = common::gpu();
    let mut random = Random::new(77);
    let values: Vec<[u32; 4]> = (0..SIDE * SIDE)
        .map(|_| std::array::from_fn(|_| ((random.below(1 << 20) as f32 - 5e5) * 0.001_3).to_bits()))
        .collect();
    for format in [ColorFormat::R32F, ColorFormat::A32B32G32R32F, ColorFormat::A16B16G16R16F] {
        let mut memory = random_memory(&mut Random::new(5));
        // Blending is enabled, and multiplies by one.
        let rop = RopState { blend: [Some(REPLACE); MAX_COLOR_TARGETS], ..plain_rop() };
        merge(gpu.as_ref(), &mut memory, &rop, &targets(format), &quads(|index| values[index as usize]));
        for (index, value) in (0..).zip(&values) {
            let halves = value.map(|bits| half(f64::from(f32::from_bits(bits))));
            let expected = match format {
                ColorFormat::R32F => vec![value[0]],
                ColorFormat::A32B32G32R32F => value.to_vec(),
                _ => vec![halves[0] | halves[1] << 16, halves[2] | halves[3] << 16],
            };
            assert_eq!(pixel(&memory, format, index), expected, "{} {index}", format.name());
        }
        let before = pixel(&memory, format, 9);
        clear(&mut memory, format, 9, 0x1122_3344, 0b0101);
        let expected = match format {
            ColorFormat::R32F => vec![0x1122_3344],
            ColorFormat::A32B32G32R32F => vec![0x1122_3344, before[1], 0x1122_3344, before[3]],
            _ => vec![before[0] & 0xffff_0000 | 0x3344, before[1] & 0xffff_0000 | 0x3344],
        };
        assert_eq!(pixel(&memory, format, 9), expected, "{}", format.name());
    }
}

/// The truth table that defines each operation: bit 2·s + d of its row is the result.
const TRUTH: [u32; 16] = [
    0b0000, 0b1000, 0b0100, 0b1100, 0b0010, 0b1010, 0b0110, 0b1110, 0b0001, 0b1001, 0b0101, 0b1101, 0b0011, 0b1011,
    0b0111, 0b1111,
];

#[test]
fn logic_operations_follow_their_truth_tables_on_all_formats() {
    let gpu = common::gpu();
    for (number, &format) in ColorFormat::ALL.iter().enumerate() {
        let Some((channels, fill)) = layout(format) else { continue };
        let used = channels.iter().flatten().fold(0, |mask, (shift, width)| mask | ((1u32 << width) - 1) << shift);
        for (op, truth) in (0..16u8).zip(TRUTH) {
            let mut random = Random::new(u64::from(op));
            let mut memory = random_memory(&mut random);
            let before: Vec<_> = (0..SIDE * SIDE).map(|index| pixel(&memory, format, index)[0]).collect();
            let source: Vec<_> = (0..SIDE * SIDE).map(|_| random.word()).collect();
            let color = |index: u32| {
                channels.map(|field| {
                    let (shift, width) = field.unwrap_or((0, 8));
                    fraction(source[index as usize] >> shift & ((1 << width) - 1), width).to_bits()
                })
            };
            // Blending is enabled as well, and replaced.
            let rop = RopState {
                logic_op: Some(LogicOp::ALL[usize::from(op)]),
                blend: [Some(REPLACE); MAX_COLOR_TARGETS],
                ..plain_rop()
            };
            // A pipeline is slow: each format runs one operation on the device, each operation some format.
            let gpu = gpu.as_ref().filter(|_| (number + usize::from(op)) % 8 == 0);
            merge(gpu, &mut memory, &rop, &targets(format), &quads(color));
            for index in 0..SIDE * SIDE {
                let (s, d) = (source[index as usize], before[index as usize]);
                let result =
                    (0..32).fold(0, |word, bit| word | (truth >> (2 * (s >> bit & 1) + (d >> bit & 1)) & 1) << bit);
                assert_eq!(pixel(&memory, format, index), [result & used | fill], "{} {op} {s:x} {d:x}", format.name());
            }
        }
    }
}

const EQUATIONS: [BlendEquation; 8] = [
    BlendEquation::Add,
    BlendEquation::Subtract,
    BlendEquation::ReverseSubtract,
    BlendEquation::Min,
    BlendEquation::Max,
    BlendEquation::ReverseSubtractSigned,
    BlendEquation::AddSigned,
    BlendEquation::ReverseAddSigned,
];

/// A factor by its definition, on fractions; `channel` 3 is alpha.
fn factor(factor: BlendFactor, channel: usize, [s, second]: [[f64; 4]; 2], d: [f64; 4], c: [f64; 4]) -> f64 {
    let s = s.map(|value| value.max(0.0));
    match factor {
        BlendFactor::Zero => 0.0,
        BlendFactor::One => 1.0,
        BlendFactor::SourceColor => s[channel],
        BlendFactor::OneMinusSourceColor => 1.0 - s[channel],
        BlendFactor::SourceAlpha => s[3],
        BlendFactor::OneMinusSourceAlpha => 1.0 - s[3],
        BlendFactor::DestinationAlpha => d[3],
        BlendFactor::OneMinusDestinationAlpha => 1.0 - d[3],
        BlendFactor::DestinationColor => d[channel],
        BlendFactor::OneMinusDestinationColor => 1.0 - d[channel],
        BlendFactor::SourceAlphaSaturate => {
            if channel == 3 {
                1.0
            } else {
                s[3].min(1.0 - d[3])
            }
        }
        BlendFactor::ConstantColor => c[channel],
        BlendFactor::OneMinusConstantColor => 1.0 - c[channel],
        BlendFactor::ConstantAlpha => c[3],
        BlendFactor::OneMinusConstantAlpha => 1.0 - c[3],
        BlendFactor::SecondColor => second[channel],
        BlendFactor::OneMinusSecondColor => 1.0 - second[channel],
        BlendFactor::SecondAlpha => second[3],
        BlendFactor::OneMinusSecondAlpha => 1.0 - second[3],
    }
}

/// One blended channel by the definition of the equations, before clamping.
fn blended(blend: &Blend, channel: usize, sources: [[f64; 4]; 2], d: [f64; 4], c: [f64; 4]) -> f64 {
    let s = sources[0];
    let part = usize::from(channel == 3);
    let is_signed = matches!(blend.equation[part], BlendEquation::ReverseSubtractSigned | BlendEquation::AddSigned);
    let source = if is_signed { s[channel] } else { s[channel].max(0.0) };
    let from_source = source * factor(blend.source[part], channel, sources, d, c);
    let from_destination = d[channel] * factor(blend.destination[part], channel, sources, d, c);
    match blend.equation[part] {
        BlendEquation::Add | BlendEquation::AddSigned | BlendEquation::ReverseAddSigned => {
            from_source + from_destination
        }
        BlendEquation::Subtract => from_source - from_destination,
        BlendEquation::ReverseSubtract | BlendEquation::ReverseSubtractSigned => from_destination - from_source,
        BlendEquation::Min => source.min(d[channel]),
        BlendEquation::Max => source.max(d[channel]),
    }
}

/// The nearest multiple of 1/255, clamped.
fn byte(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 255.0).round()
}

/// All pairs of factors, one pair for color and one for alpha, with an equation each.
fn blends() -> impl Iterator<Item = (usize, Blend)> {
    let count = FACTORS.len();
    (0..count * count * EQUATIONS.len()).map(move |number| {
        let (pair, equation) = (number % (count * count), number / (count * count));
        let (first, second) = (pair % count, pair / count);
        let blend = Blend {
            source: [FACTORS[first], FACTORS[second]],
            destination: [FACTORS[second], FACTORS[(first + 4) % count]],
            equation: [EQUATIONS[equation], EQUATIONS[(equation + first) % EQUATIONS.len()]],
        };
        (number, blend)
    })
}

#[test]
fn integer_targets_blend_by_all_factors_and_equations() {
    let mut random = Random::new(3);
    for &format in ColorFormat::ALL {
        let Some((channels, fill)) = layout(format) else { continue };
        let mut memory = random_memory(&mut random);
        for (number, blend) in blends() {
            let source: [f64; 4] = std::array::from_fn(|_| f64::from(random.below(511)) / 255.0 - 1.0);
            let second: [f64; 4] = std::array::from_fn(|_| f64::from(random.below(256)) / 255.0);
            let index = random.below(SIDE * SIDE);
            let stored = pixel(&memory, format, index)[0];
            let constant = random.word().to_le_bytes();
            let rop = RopState { blend: [Some(blend); MAX_COLOR_TARGETS], blend_color: constant, ..plain_rop() };
            let c = constant.map(|byte| f64::from(byte) / 255.0);
            // Missing colours read 0 and a missing alpha 1; short channels are the nearest byte.
            let d: [f64; 4] = std::array::from_fn(|channel| match channels[channel] {
                Some((shift, width)) => {
                    let value = f64::from(stored >> shift & ((1 << width) - 1));
                    (value * 255.0 / f64::from((1 << width) - 1)).round() / 255.0
                }
                None => f64::from(u8::from(channel == 3)),
            });
            let mut quad = quads(|_| source.map(|value| (value as f32).to_bits())).swap_remove(0);
            quad.colors[1] = [second.map(|value| (value as f32).to_bits()); 4];
            let pixel_bit = index % 2 + 2 * (index / SIDE % 2);
            (quad.x, quad.y, quad.coverage) = ((index % SIDE) & !1, (index / SIDE) & !1, 1 << pixel_bit);
            merge_quad(&mut memory, &rop, &targets(format), &quad);
            let expected = (0..4).fold(fill, |word, channel| {
                let Some((shift, width)) = channels[channel] else { return word };
                // If the channel is shorter, a byte is rounded again; its exact ties do not occur.
                let value =
                    byte(blended(&blend, channel, [source, second], d, c)) * f64::from((1 << width) - 1) / 255.0;
                word | (value.round() as u32) << shift
            });
            assert_eq!(
                pixel(&memory, format, index),
                [expected],
                "{} {number} {blend:?} {source:?} {stored:x}",
                format.name()
            );
        }
    }
}

#[test]
fn half_float_targets_blend_by_all_factors_and_equations() {
    let mut random = Random::new(4);
    let format = ColorFormat::A16B16G16R16F;
    let mut memory = random_memory(&mut random);
    // Small multiples of 1/16 make every product and sum exact, even outside 0..1.
    let value = |random: &mut Random| f64::from(random.below(65)) / 16.0 - 1.0;
    for (number, blend) in blends() {
        let [source, second, stored, c]: [[f64; 4]; 4] =
            std::array::from_fn(|_| std::array::from_fn(|_| value(&mut random)));
        let words = |value: [f64; 4]| {
            let halves = value.map(half);
            [halves[0] | halves[1] << 16, halves[2] | halves[3] << 16]
        };
        let float_blend_color = c.map(|value| (value as f32).to_bits());
        let rop = RopState { blend: [Some(blend); MAX_COLOR_TARGETS], float_blend_color, ..plain_rop() };
        let bytes: Vec<_> = words(stored).iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.bytes_mut(MemorySpace::Vram)[..8].copy_from_slice(&bytes);
        let mut quad = quads(|_| source.map(|value| (value as f32).to_bits())).swap_remove(0);
        quad.coverage = 1;
        quad.colors[1] = [second.map(|value| (value as f32).to_bits()); 4];
        merge_quad(&mut memory, &rop, &targets(format), &quad);
        // Floats are not clamped: sources and factors keep their sign.
        let expected: [f64; 4] = std::array::from_fn(|channel| {
            let part = usize::from(channel == 3);
            let factor = |factor| float_factor(factor, channel, [source, second], stored, c);
            let (s, d) = (source[channel], stored[channel]);
            let (from_source, from_destination) = (s * factor(blend.source[part]), d * factor(blend.destination[part]));
            match blend.equation[part] {
                BlendEquation::Min => s.min(d),
                BlendEquation::Max => s.max(d),
                BlendEquation::Subtract => from_source - from_destination,
                BlendEquation::ReverseSubtract | BlendEquation::ReverseSubtractSigned => from_destination - from_source,
                BlendEquation::Add | BlendEquation::AddSigned | BlendEquation::ReverseAddSigned => {
                    from_source + from_destination
                }
            }
        });
        let written = pixel(&memory, format, 0);
        let is_same = |(word, value): (u32, f64)| word == half(value) || (value == 0.0 && word & 0x7fff == 0);
        let halves = [written[0] & 0xffff, written[0] >> 16, written[1] & 0xffff, written[1] >> 16];
        assert!(
            halves.into_iter().zip(expected).all(is_same),
            "{number} {blend:?} {source:?} {stored:?} {c:?}: {halves:x?} {expected:?}"
        );
    }
}

/// A factor on values of any sign.
fn float_factor(kind: BlendFactor, channel: usize, sources: [[f64; 4]; 2], d: [f64; 4], c: [f64; 4]) -> f64 {
    let s = sources[0];
    match kind {
        BlendFactor::SourceColor => s[channel],
        BlendFactor::OneMinusSourceColor => 1.0 - s[channel],
        BlendFactor::SourceAlpha => s[3],
        BlendFactor::OneMinusSourceAlpha => 1.0 - s[3],
        BlendFactor::SourceAlphaSaturate if channel < 3 => s[3].min(1.0 - d[3]),
        kind => factor(kind, channel, sources, d, c),
    }
}
