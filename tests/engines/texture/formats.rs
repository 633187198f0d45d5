//! Every texture format, bit pattern by bit pattern, against tables computed here from the format descriptions.
#![expect(clippy::cast_possible_truncation, reason = "patterns are cut out of counters, values rounded to floats")]

use crate::common;
use crate::common::memory::{difference, memory_of};
use crate::common::random::Random;
use crate::common::texture_sampler::{Fetch, Mode, on_device, on_reference, plain_texture, texels_of};
use curie::arith::fragment::half_bits_from;
use curie::format::TextureFormat;
use curie::memory::GuestMemory;
use curie::pipeline::{
    Compare, ConvolutionKernel, Dimensions, Filter, Sampler, TextureLayout, TextureState, TextureView,
};

const WIDTH: u32 = 256;

/// A rectangle texture with nearest filters at the start of VRAM.
fn rectangle(format: TextureFormat, height: u32, pitch_bytes: u32) -> TextureState {
    let plain = plain_texture(format, Dimensions::Two, [WIDTH, height, 1]);
    TextureState {
        view: TextureView { layout: TextureLayout::Linear { pitch_bytes }, is_unnormalized: true, ..plain.view },
        ..plain
    }
}

/// Fetches of all texels, row by row; `reference` returns the third coordinate of texel number i.
fn all_texels(height: u32, reference: impl Fn(u32) -> u32) -> Vec<Fetch> {
    (0..height * WIDTH / 4)
        .map(|quad| {
            let coordinate = std::array::from_fn(|pixel| {
                let texel = quad * 4 + pixel as u32;
                let [x, y] = [texel % WIDTH, texel / WIDTH].map(|number| (number as f32 + 0.5).to_bits());
                [x, y, reference(texel), 0]
            });
            Fetch { coordinate, ..Fetch::default() }
        })
        .collect()
}

/// The first texel that differs from the table; NaN equals NaN.
fn mismatch(actual: &[[u32; 4]], expected: &[[f32; 4]]) -> Option<usize> {
    assert_eq!(actual.len(), expected.len());
    let agrees = |(actual, expected): (&u32, &f32)| {
        *actual == expected.to_bits() || f32::from_bits(*actual).is_nan() && expected.is_nan()
    };
    let mut pairs = actual.iter().zip(expected);
    pairs.position(|(actual, expected)| !actual.iter().zip(expected).all(agrees))
}

/// Samples a texture's texels on both engines and compares them with a table.
fn check(state: &TextureState, memory: &GuestMemory, fetches: &[Fetch], expected: &[[f32; 4]]) {
    let results = on_reference(memory, state, Mode::Implicit, fetches);
    let actual = texels_of(&results);
    if let Some(texel) = mismatch(&actual, expected) {
        let actual = actual[texel].map(f32::from_bits);
        panic!("{} texel {texel}: {actual:?} is not {:?}", state.view.format.name(), expected[texel]);
    }
    if let Some(gpu) = common::gpu() {
        let device = on_device(&gpu, memory, state, Mode::Implicit, fetches);
        assert_eq!(difference(&device, &results), None, "{}", state.view.format.name());
    }
}

fn share(value: u32, most: u32) -> f32 {
    (f64::from(value) / f64::from(most)) as f32
}

fn byte(value: u32) -> f32 {
    share(value & 255, 255)
}

/// Converts five and six bits to the nearest of 256 steps.
fn short(value: u32, bits: u32) -> f32 {
    let most = (1 << bits) - 1;
    byte((2 * 255 * (value & most) + most) / (2 * most))
}

/// A half float by its definition.
fn half(bits: u32) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15 & 1, (bits >> 10 & 31).cast_signed(), f64::from(bits & 1023) / 1024.0);
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    };
    (if sign == 1 { -magnitude } else { magnitude }) as f32
}

/// The description of a format of up to 32 bits: red, green, blue, alpha of a little-endian word; odd columns of pairs
/// read the second red.
fn described(format: TextureFormat, w: u32, is_odd: bool) -> [f32; 4] {
    use TextureFormat as F;
    let five = |shift: u32| short(w >> shift, 5);
    let bytes = [byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)];
    let words = [share(w & 0xffff, 0xffff), share(w >> 16, 0xffff)];
    let signed = |value: u32| (f64::from((value as u8).cast_signed().max(-127)) / 127.0) as f32;
    match format {
        F::B8 => [bytes[0], bytes[0], bytes[0], 1.0],
        F::A1R5G5B5 => [five(10), five(5), five(0), (w >> 15) as f32],
        F::A4R4G4B4 => [8, 4, 0, 12].map(|shift| share(w >> shift & 15, 15)),
        F::R5G6B5 => [five(11), short(w >> 5, 6), five(0), 1.0],
        F::A8R8G8B8 => [bytes[2], bytes[1], bytes[0], bytes[3]],
        F::G8B8 => [bytes[0], bytes[1], bytes[0], bytes[1]],
        F::B8R8G8R8 => [bytes[if is_odd { 2 } else { 0 }], bytes[3], bytes[1], 1.0],
        F::R8B8R8G8 => [bytes[if is_odd { 3 } else { 1 }], bytes[2], bytes[0], 1.0],
        F::R6G5B5 => [short(w >> 10, 6), five(5), five(0), 1.0],
        F::X16 => [1.0, words[0], 1.0, words[0]],
        F::Y16X16 => [words[0], words[1], words[0], words[1]],
        F::R5G5B5A1 => [five(11), five(6), five(1), (w & 1) as f32],
        F::HiLo8 => [bytes[1], bytes[0], bytes[1], bytes[0]],
        F::HiLoS8 => [signed(w >> 8), signed(w), signed(w >> 8), signed(w)],
        F::X32F => [f32::from_bits(w); 4],
        F::D1R5G5B5 => [five(10), five(5), five(0), 1.0],
        F::D8R8G8B8 => [bytes[2], bytes[1], bytes[0], 1.0],
        F::Y16X16F => [half(w), half(w >> 16), half(w), half(w >> 16)],
        other => panic!("{} is described elsewhere", other.name()),
    }
}

/// 256×256 words that contain every 16-bit pattern in each half.
fn pattern_words() -> Vec<u32> {
    (0..0x1_0000u32).map(|i| i | (i.wrapping_mul(0x9e37).wrapping_add(0x1234) & 0xffff) << 16).collect()
}

#[test]
fn every_bit_pattern_of_fields_is_read() {
    use TextureFormat as F;
    let words = pattern_words();
    // Those of Tesla are tested where compute programs read them.
    for format in TextureFormat::ALL.iter().copied().filter(|format| !format.is_of_tesla()) {
        let texels: Vec<[f32; 4]> = match format.element_bytes() {
            1 | 2 if format != F::Depth16 && format != F::Depth16Float => {
                words.iter().map(|word| described(format, word & ((1 << (8 * format.bytes())) - 1), false)).collect()
            }
            4 if format.bytes() == 2 => (0..0x2_0000).map(|i| described(format, words[i / 2], i % 2 == 1)).collect(),
            4 if !matches!(format, F::Depth24D8 | F::Depth24D8Float) => {
                words.iter().map(|word| described(format, *word, false)).collect()
            }
            _ => continue,
        };
        let element = format.element_bytes() as usize;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(element)).collect();
        let height = texels.len() as u32 / WIDTH;
        let state = rectangle(format, height, WIDTH * format.bytes());
        check(&state, &memory_of(&bytes), &all_texels(height, |_| 0), &texels);
    }
}

#[test]
fn every_half_float_is_read_in_each_channel() {
    let patterns = |i: u32| [i, i ^ 0x5555, i.wrapping_mul(3) & 0xffff, 0xffff - i];
    let bytes: Vec<u8> = (0..0x1_0000).flat_map(patterns).flat_map(|value| (value as u16).to_le_bytes()).collect();
    let expected: Vec<_> = (0..0x1_0000).map(|i| patterns(i).map(half)).collect();
    let state = rectangle(TextureFormat::W16Z16Y16X16F, 256, WIDTH * 8);
    check(&state, &memory_of(&bytes), &all_texels(256, |_| 0), &expected);
}

#[test]
fn single_floats_keep_their_bits() {
    let mut random = Random::new(5);
    let words: Vec<u32> = (0..4 * 64 * WIDTH).map(|_| random.word()).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let memory = memory_of(&bytes);
    let mut state = rectangle(TextureFormat::W32Z32Y32X32F, 64, WIDTH * 16);
    // They are never filtered.
    (state.sampler.min_filter, state.sampler.mag_filter) =
        (Filter::Linear, Filter::Convolution(ConvolutionKernel::Gaussian));
    let results = on_reference(&memory, &state, Mode::Implicit, &all_texels(64, |_| 0));
    assert_eq!(texels_of(&results), words.as_chunks::<4>().0.to_vec());
    let expected: Vec<_> = words.as_chunks::<4>().0.iter().map(|texel| texel.map(f32::from_bits)).collect();
    check(&state, &memory, &all_texels(64, |_| 0), &expected);
}

/// Depth number i of a format as bytes, and as the float that equals it.
fn depth(format: TextureFormat, i: u32) -> (Vec<u8>, f32) {
    let wide = i << 8 | i >> 8;
    match format {
        TextureFormat::Depth16 => ((i as u16).to_le_bytes().to_vec(), share(i, 0xffff)),
        TextureFormat::Depth16Float => {
            // Infinities and NaN have no neighbors.
            let bits = i % 0x7c00;
            ((bits as u16).to_le_bytes().to_vec(), half(bits))
        }
        TextureFormat::Depth24D8 => ((wide << 8 | 0x5a).to_le_bytes().to_vec(), share(wide, 0xff_ffff)),
        _ => {
            // Bits 30:7 of a float that is not denormal.
            let bits = 0x1_0000 + wide % 0xfe_0000;
            ((bits << 8 | 0xa5).to_le_bytes().to_vec(), f32::from_bits(bits << 7))
        }
    }
}

#[test]
fn every_depth_compares_equal_to_itself_alone() {
    use TextureFormat as F;
    for format in [F::Depth16, F::Depth16Float, F::Depth24D8, F::Depth24D8Float] {
        let (bytes, values): (Vec<_>, Vec<_>) = (0..0x1_0000).map(|i| depth(format, i)).unzip();
        let memory = memory_of(&bytes.concat());
        let plain = rectangle(format, 256, WIDTH * format.bytes());
        let state = TextureState { sampler: Sampler { shadow_compare: Compare::Equal, ..plain.sampler }, ..plain };
        let equal = all_texels(256, |texel| values[texel as usize].to_bits());
        check(&state, &memory, &equal, &vec![[1.0; 4]; 0x1_0000]);
        // A reference that is one step higher is greater, except at the top of the fixed-point range.
        let step = match format {
            F::Depth16 => 1.0 / 65535.0,
            F::Depth24D8 => 1.0 / 16_777_215.0,
            _ => 0.0,
        };
        let above = |value: f32| match format {
            F::Depth16Float => value.to_bits() + 0x2000,
            F::Depth24D8Float => value.to_bits() + 0x80,
            _ => ((f64::from(value) + step) as f32).to_bits(),
        };
        let normal = |texel: u32| values[texel as usize] >= 2f32.powi(-14) || format.bytes() == 4 || step > 0.0;
        let greater = all_texels(256, |texel| above(values[texel as usize]));
        let is_greater = |texel: u32| step == 0.0 || values[texel as usize] < 1.0;
        let state = TextureState { sampler: Sampler { shadow_compare: Compare::Greater, ..state.sampler }, ..state };
        let results = texels_of(&on_reference(&memory, &state, Mode::Implicit, &greater));
        for texel in (0..0x1_0000).filter(|texel| normal(*texel)) {
            let expected = if is_greater(texel) { 1.0f32.to_bits() } else { 0 };
            assert_eq!(results[texel as usize][0], expected, "{} {texel}", format.name());
        }
    }
}

/// Decodes a compressed block from its bits alone: 16 texels of red, green, blue, alpha bytes.
fn block(bytes: &[u8], format: TextureFormat) -> [[u32; 4]; 16] {
    let bits = |from: usize, first: usize, count: usize| {
        (0..count).fold(0u32, |value, i| {
            let bit = first + i;
            value | u32::from(bytes[from + bit / 8] >> (bit % 8) & 1) << i
        })
    };
    let colors = if format == TextureFormat::Dxt1 { 0 } else { 8 };
    let ends = [bits(colors, 0, 16), bits(colors, 16, 16)];
    let rounded = |sum: u32, divisor: u32| (2 * sum + divisor) / (2 * divisor);
    let nearest = |value: u32, most: u32| rounded(255 * value, most);
    let rgb = ends.map(|end| [nearest(end >> 11, 31), nearest(end >> 5 & 63, 63), nearest(end & 31, 31)]);
    std::array::from_fn(|texel| {
        let is_three = format == TextureFormat::Dxt1 && ends[0] <= ends[1];
        let code = bits(colors, 32 + 2 * texel, 2);
        // Numerators of both ends, and the denominator.
        let weights = match (code, is_three) {
            (0, _) => (1, 0, 1),
            (1, _) => (0, 1, 1),
            (2, false) => (2, 1, 3),
            (3, false) => (1, 2, 3),
            (2, true) => (1, 1, 2),
            _ => (0, 0, 1),
        };
        let color = |channel: usize| rounded(weights.0 * rgb[0][channel] + weights.1 * rgb[1][channel], weights.2);
        let alpha = match format {
            TextureFormat::Dxt1 => {
                if is_three && code == 3 {
                    0
                } else {
                    255
                }
            }
            TextureFormat::Dxt23 => bits(0, 4 * texel, 4) * 17,
            _ => {
                let (a, b) = (bits(0, 0, 8), bits(0, 8, 8));
                let code = bits(2, 3 * texel, 3);
                let steps = if a > b { 7 } else { 5 };
                match code {
                    0 => a,
                    1 => b,
                    6 if a <= b => 0,
                    7 if a <= b => 255,
                    _ => rounded((steps + 1 - code) * a + (code - 1) * b, steps),
                }
            }
        };
        [color(0), color(1), color(2), alpha]
    })
}

#[test]
fn random_and_edge_blocks_decode_exactly() {
    for format in [TextureFormat::Dxt1, TextureFormat::Dxt23, TextureFormat::Dxt45] {
        let mut random = Random::new(u64::from(format as u8));
        let size = format.bytes() as usize;
        let mut bytes: Vec<u8> = (0..64 * 64 * size).map(|_| random.word() as u8).collect();
        // Equal end points, and neighbors in either order.
        for (number, block) in bytes.chunks_exact_mut(size).take(192).enumerate() {
            let color = size - 8;
            block[color + 2] = block[color].wrapping_add((number % 3) as u8).wrapping_sub(1);
            block[color + 3] = block[color + 1];
            if size == 16 && number % 2 == 0 {
                block[1] = block[0].wrapping_add((number % 3) as u8).wrapping_sub(1);
            }
        }
        let blocks: Vec<_> = bytes.chunks_exact(size).map(|bytes| block(bytes, format)).collect();
        let expected: Vec<_> = (0..0x1_0000usize)
            .map(|texel| {
                let (x, y) = (texel % 256, texel / 256);
                blocks[y / 4 * 64 + x / 4][y % 4 * 4 + x % 4].map(byte)
            })
            .collect();
        let state = rectangle(format, 256, 64 * format.bytes());
        check(&state, &memory_of(&bytes), &all_texels(256, |_| 0), &expected);
    }
}

/// Pixels of a picture of an RSX (`ps3autotests`, `rsx/texture_formats`), where all texels around have one code.
#[test]
fn blocks_decode_as_on_an_rsx() {
    let cases: [(u16, u16, u32, [u32; 3]); 6] = [
        (0xffff, 0x738e, 3, [162, 160, 162]),
        (0x1082, 0x0841, 3, [11, 11, 11]),
        (0x9000, 0x8800, 3, [143, 0, 0]),
        (0xa740, 0xa000, 2, [165, 157, 0]),
        (0x2a60, 0x3000, 2, [45, 39, 0]),
        (0xa534, 0xad55, 2, [169, 168, 169]),
    ];
    let blocks = || cases.iter().cycle().take(WIDTH as usize / 4);
    let words = |&(first, second, code, _): &(u16, u16, u32, _)| {
        [u32::from(first) | u32::from(second) << 16, code * 0x5555_5555]
    };
    let bytes: Vec<u8> = blocks().flat_map(words).flat_map(u32::to_le_bytes).collect();
    let row = blocks().flat_map(|&(.., [red, green, blue])| [[red, green, blue, 255].map(byte); 4]);
    let expected = row.collect::<Vec<_>>().repeat(4);
    check(&rectangle(TextureFormat::Dxt1, 4, WIDTH * 2), &memory_of(&bytes), &all_texels(4, |_| 0), &expected);
}

/// Pixels of the same picture between texels whose other roundings differ: weights to nearest, steps of 16 bits, rows before
/// columns. A case is the position between four texels, left to right and then below, their channels, and the pixel's.
#[test]
fn bilinear_fetches_are_those_of_an_rsx() {
    type Case = ([f32; 2], [[u32; 3]; 4], [u32; 3]);
    const BYTES: &[Case] = &[
        ([5.0 / 6.0, 1.0 / 6.0], [[255; 3], [156; 3], [255; 3], [125; 3]], [169; 3]),
        ([5.0 / 18.0, 0.5], [[0; 3], [197; 3], [0; 3], [107; 3]], [43; 3]),
        ([5.0 / 6.0, 0.5], [[255; 3], [66; 3], [255; 3], [156; 3]], [136; 3]),
        ([7.0 / 18.0, 1.0 / 6.0], [[255; 3], [209; 3], [255; 3], [233; 3]], [238; 3]),
        ([1.0 / 18.0, 0.5], [[0; 3], [156; 3], [66; 3], [255; 3]], [43; 3]),
        ([1.0 / 18.0, 0.5], [[66; 3], [255; 3], [170; 3], [255; 3]], [126; 3]),
    ];
    const SHORTS: &[Case] = &[
        ([1.0 / 18.0, 0.5], [[255; 3], [255; 3], [255; 3], [156, 158, 156]], [253; 3]),
        ([1.0 / 18.0, 5.0 / 6.0], [[255; 3], [24, 28, 24], [255; 3], [8; 3]], [241; 3]),
        ([1.0 / 18.0, 1.0 / 6.0], [[0; 3], [140, 142, 140], [0; 3], [0; 3]], [7; 3]),
        ([5.0 / 6.0, 1.0 / 6.0], [[247; 3], [33, 36, 33], [255; 3], [123, 125, 123]], [81, 83, 81]),
    ];
    for (format, cases) in [(TextureFormat::A8R8G8B8, BYTES), (TextureFormat::R5G6B5, SHORTS)] {
        let texel = |[red, green, blue]: [u32; 3]| match format {
            TextureFormat::R5G6B5 => (red >> 3 << 11 | green >> 2 << 5 | blue >> 3).to_le_bytes()[..2].to_vec(),
            _ => (0xff00_0000 | red << 16 | green << 8 | blue).to_le_bytes().to_vec(),
        };
        for &(between, texels, pixel) in cases {
            let plain = plain_texture(format, Dimensions::Two, [2, 2, 1]);
            let state = TextureState {
                sampler: Sampler { min_filter: Filter::Linear, mag_filter: Filter::Linear, ..plain.sampler },
                ..plain
            };
            let [s, t] = between.map(|position| f32::to_bits((position + 0.5) / 2.0));
            let fetch = Fetch { coordinate: [[s, t, 0, 0]; 4], ..Fetch::default() };
            let [red, green, blue] = pixel.map(byte);
            check(&state, &memory_of(&texels.map(texel).concat()), &[fetch], &[[red, green, blue, 1.0]; 4]);
        }
    }
}

/// As bytes divide by 127 on an RSX (RPCS3's issue 18171), words divide by 32767. Neither is clamped.
#[test]
fn signed_channels_of_16_bits_follow_their_formula() {
    let words: Vec<u32> = (0..0x1_0000u32).map(|i| i | (0xffff - i) << 16).collect();
    let signed = |i: u32| (f64::from((i as u16).cast_signed()) / 32767.0) as f32;
    let all = [true; 4];
    for (format, bytes) in [(TextureFormat::X16, 2), (TextureFormat::Y16X16, 4)] {
        let memory: Vec<u8> =
            words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(bytes as usize)).collect();
        let memory = memory_of(&memory);
        let fetches = all_texels(256, |_| 0);
        let plain = rectangle(format, 256, WIDTH * bytes);
        let texel = |signs: [bool; 2], other: f32| -> Vec<_> {
            let value = |i: u32, half: usize| {
                let bits = if half == 0 { i } else { 0xffff - i };
                if signs[half] { signed(bits) } else { share(bits, 0xffff) }
            };
            let channels = |i: u32| match format {
                // Red and blue are not stored: all bits are set, and are signed as the others.
                TextureFormat::X16 => [other, value(i, 0), other, value(i, 0)],
                _ => [value(i, 0), value(i, 1), value(i, 0), value(i, 1)],
            };
            (0..0x1_0000).map(channels).collect()
        };
        check(
            &TextureState { view: TextureView { signed: all, ..plain.view }, ..plain.clone() },
            &memory,
            &fetches,
            &texel([true; 2], signed(0xffff)),
        );
        let green_and_alpha = [false, true, false, true];
        let signs = if format == TextureFormat::X16 { [true, true] } else { [false, true] };
        check(
            &TextureState { view: TextureView { signed: green_and_alpha, ..plain.view }, ..plain },
            &memory,
            &fetches,
            &texel(signs, 1.0),
        );
    }
    // The table's ends: 32767 is 1, −32767 is −1, 0 is 0.
    assert_eq!([0x7fff, 0x8001, 0].map(signed), [1.0, -1.0, 0.0]);
}

#[test]
fn signed_expanded_and_gamma_bytes_follow_their_formulas() {
    let words: Vec<u32> = (0..0x100u32).map(|i| i * 0x0101_0101).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let memory = memory_of(&bytes);
    let fetches = all_texels(1, |_| 0);
    let plain = rectangle(TextureFormat::A8R8G8B8, 1, WIDTH * 4);
    let signed = |i: u32| (f64::from((i as u8).cast_signed()) / 127.0) as f32;
    // Red signed, alpha too.
    let state =
        TextureState { view: TextureView { signed: [true, false, false, true], ..plain.view }, ..plain.clone() };
    let expected: Vec<_> = (0..256).map(|i| [signed(i), byte(i), byte(i), signed(i)]).collect();
    check(&state, &memory, &fetches, &expected);
    let clamped = |i: u32| signed(i).max(-1.0);
    let state = TextureState {
        view: TextureView { signed: [false, false, true, false], is_signed_clamped: true, ..plain.view },
        ..plain.clone()
    };
    let expected: Vec<_> = (0..256).map(|i| [byte(i), byte(i), clamped(i), byte(i)]).collect();
    check(&state, &memory, &fetches, &expected);
    let expanded = |i: u32| ((f64::from(i) - 128.0) / 127.0) as f32;
    let state = TextureState { view: TextureView { expand_normal: true, ..plain.view }, ..plain.clone() };
    let expected: Vec<_> = (0..256).map(|i| [expanded(i); 4]).collect();
    check(&state, &memory, &fetches, &expected);
    let state = TextureState { view: TextureView { gamma: [true, true, true, false], ..plain.view }, ..plain };
    let results = texels_of(&on_reference(&memory, &state, Mode::Implicit, &fetches));
    for (i, [red, _, blue, alpha]) in results.iter().enumerate() {
        let c = i as f64 / 255.0;
        let exact = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        assert!((f64::from(f32::from_bits(*red)) - exact).abs() < 2e-5 && red == blue, "{i}");
        assert_eq!(*alpha, byte(i as u32).to_bits());
    }
    let expected: Vec<_> = results.iter().map(|texel| texel.map(f32::from_bits)).collect();
    check(&state, &memory, &fetches, &expected);
}

/// What the RSX of a console reads from texels, by signs, gamma and expansion of all channels: RPCS3's issue 18171. The results are
/// half floats, printed with six digits.
#[test]
fn an_rsx_reads_the_same() {
    type Row = ([bool; 3], [&'static str; 4]);
    const fn row(flags: u8, values: [&'static str; 4]) -> Row {
        ([flags & 4 != 0, flags & 2 != 0, flags & 1 != 0], values)
    }
    const SHORT_SIGNED: [&str; 4] = ["0.062988", "0.062988", "-0.070862", "-0.007874"];
    const SHORT_GAMMA: [&str; 4] = ["0.002428", "0.002428", "0.930176", "1.000000"];
    const PAIR_SIGNED: [&str; 4] = ["-0.007874", "-1.007812", "-0.007874", "-1.007812"];
    const PAIR_GAMMA: [&str; 4] = ["1.000000", "0.215820", "1.000000", "0.215820"];
    // Red and green 1, blue 30 of 31; a byte of 255, then one of 128; a byte of 0.
    const TABLES: &[(TextureFormat, u16, &[Row])] = &[
        (
            TextureFormat::D1R5G5B5,
            1 << 10 | 1 << 5 | 30,
            &[
                row(0b000, ["0.031372", "0.031372", "0.968750", "1.000000"]),
                row(0b100, SHORT_SIGNED),
                row(0b010, SHORT_GAMMA),
                row(0b110, SHORT_SIGNED),
                row(0b001, ["-0.944824", "-0.944824", "0.937012", "1.000000"]),
                row(0b101, SHORT_SIGNED),
                row(0b011, SHORT_GAMMA),
                row(0b111, SHORT_SIGNED),
            ],
        ),
        (
            TextureFormat::G8B8,
            0x80ff,
            &[
                row(0b000, ["1.000000", "0.501953", "1.000000", "0.501953"]),
                row(0b100, PAIR_SIGNED),
                row(0b010, PAIR_GAMMA),
                row(0b110, PAIR_SIGNED),
                row(0b001, ["1.000000", "0.000000", "1.000000", "0.000000"]),
                row(0b101, PAIR_SIGNED),
                row(0b011, PAIR_GAMMA),
            ],
        ),
        (TextureFormat::B8, 0, &[row(0b001, ["-1.007812", "-1.007812", "-1.007812", "1.000000"])]),
    ];
    for (format, texel, rows) in TABLES {
        let memory = memory_of(&texel.to_le_bytes().repeat(WIDTH as usize));
        for ([is_signed, has_gamma, expands], expected) in *rows {
            let plain = rectangle(*format, 1, WIDTH * format.element_bytes());
            let state = TextureState {
                view: TextureView {
                    signed: [*is_signed; 4],
                    gamma: [*has_gamma; 4],
                    expand_normal: *expands,
                    ..plain.view
                },
                ..plain
            };
            let fetches = all_texels(1, |_| 0);
            let results = texels_of(&on_reference(&memory, &state, Mode::Implicit, &fetches));
            let printed = results[0].map(|value| format!("{:.6}", half(u32::from(half_bits_from(value)))));
            assert_eq!(printed, *expected, "{} {:?}", format.name(), [is_signed, has_gamma, expands]);
            let values: Vec<_> = results.iter().map(|texel| texel.map(f32::from_bits)).collect();
            check(&state, &memory, &fetches, &values);
        }
    }
}

#[test]
fn a_wrong_table_is_noticed() {
    let words = pattern_words();
    let bytes: Vec<u8> = words.iter().take(512).flat_map(|word| (*word as u16).to_le_bytes()).collect();
    let state = rectangle(TextureFormat::R5G6B5, 2, WIDTH * 2);
    let actual = texels_of(&on_reference(&memory_of(&bytes), &state, Mode::Implicit, &all_texels(2, |_| 0)));
    let mut expected: Vec<_> =
        words.iter().take(512).map(|w| described(state.view.format, w & 0xffff, false)).collect();
    assert_eq!(mismatch(&actual, &expected), None);
    expected[300][2] = f32::from_bits(expected[300][2].to_bits() ^ 1);
    assert_eq!(mismatch(&actual, &expected), Some(300));
}
