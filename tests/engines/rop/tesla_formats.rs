//! Formats of color targets that only the Tesla generation has: their pixels by the vendor's names of them, blending by
//! calculation, and the same bytes from the kernels.
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "values are rounded and in range")]

use crate::common;
use crate::common::memory::random_memory;
use crate::common::merging::{REPLACE, SIDE, color_targets, merge, plain_rop, quads};
use crate::common::random::Random;
use curie::format::ColorFormat;
use curie::gpu::Gpu;
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::{
    Blend, BlendEquation, BlendFactor, ColorTarget, LogicOp, MAX_COLOR_TARGETS, Rect, RopState, SampleMode,
    SurfaceLayout, Targets,
};

const PITCH: u32 = SIDE * 16;

/// What a name like `BGR10_A2_UNORM` says: channels from the lowest bit on, with their widths, and the kind of their values.
struct Spec {
    /// A letter and a width each.
    channels: Vec<(char, u32)>,
    kind: String,
}

impl Spec {
    fn of(format: ColorFormat) -> Self {
        let name = format.name();
        let (body, kind) = match name.rsplit_once('_') {
            Some((body, kind)) if kind.len() > 2 => (body, kind),
            _ => (name, "UNORM"),
        };
        let (mut channels, mut letters, mut digits) = (Vec::new(), String::new(), String::new());
        for c in body.chars().chain(['_']) {
            if !c.is_ascii_digit() && !digits.is_empty() {
                let width = std::mem::take(&mut digits).parse().expect("digits are a number");
                channels.extend(std::mem::take(&mut letters).chars().map(|letter| (letter, width)));
            }
            match c {
                '0'..='9' => digits.push(c),
                '_' => {}
                letter => letters.push(letter),
            }
        }
        // `BGR5_A1` and others name their widths one by one; `B5G6R5` would stand for itself.
        Self { channels, kind: kind.to_owned() }
    }

    fn is_integer(&self) -> bool {
        self.kind.ends_with("INT")
    }

    /// The pixel of values of red, green, blue, alpha, with the bits that they take; unused channels are 1.
    fn pixel(&self, encode: impl Fn(usize, u32) -> u32) -> Vec<u32> {
        let (mut words, mut bit) = (vec![0u32; 4], 0);
        for &(letter, width) in &self.channels {
            let bits = match (letter, self.kind.as_str()) {
                ('X', "SINT" | "UINT") => 1,
                ('X', "FLOAT") => float_bits(1.0, width),
                ('X', _) => u32::MAX >> (32 - width),
                _ => encode("RGBA".find(letter).expect("a channel is a color"), width),
            };
            words[bit as usize / 32] |= bits << (bit % 32);
            bit += width;
        }
        words.truncate(bit.div_ceil(32) as usize);
        words
    }

    /// The value of a channel in a pixel; colors that are not stored are 0, alpha 1.
    fn value(&self, words: &[u32], channel: usize) -> f64 {
        let mut bit = 0;
        for &(letter, width) in &self.channels {
            if letter == ['R', 'G', 'B', 'A'][channel] {
                let bits = words[bit as usize / 32] >> (bit % 32) & (u32::MAX >> (32 - width));
                return self.decode(bits, channel, width);
            }
            bit += width;
        }
        f64::from(u8::from(channel == 3))
    }

    fn decode(&self, bits: u32, channel: usize, width: u32) -> f64 {
        let full = f64::from(u32::MAX >> (32 - width));
        match self.kind.as_str() {
            "SRGB" if channel < 3 => {
                let c = f64::from(bits) / full;
                if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            }
            "UNORM" | "SRGB" => f64::from(bits) / full,
            "SNORM" => {
                let number = f64::from((bits << (32 - width)).cast_signed() >> (32 - width));
                (number / f64::from(u32::MAX >> (33 - width))).max(-1.0)
            }
            "FLOAT" if width == 32 => f64::from(f32::from_bits(bits)),
            _ => {
                let fraction = if width == 16 { 10 } else { width - 5 };
                let (exponent, rest) = ((bits >> fraction & 31) as i32, f64::from(bits & ((1 << fraction) - 1)));
                let sign = if width == 16 && bits >> 15 != 0 { -1.0 } else { 1.0 };
                let steps = if exponent == 0 { rest } else { rest + f64::from(1 << fraction) };
                sign * steps * 2f64.powi(exponent.max(1) - 15 - fraction as i32)
            }
        }
    }

    /// A value in units of the last place of what the channel holds near it: the channel holds whole numbers.
    fn steps(&self, value: f64, channel: usize, width: u32) -> f64 {
        let full = f64::from(u32::MAX >> (32 - width));
        match self.kind.as_str() {
            "SRGB" if channel < 3 => {
                let c = value.clamp(0.0, 1.0);
                let curved = if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
                curved * full
            }
            "UNORM" | "SRGB" => value.clamp(0.0, 1.0) * full,
            "SNORM" => value.clamp(-1.0, 1.0) * f64::from(u32::MAX >> (33 - width)),
            _ => {
                let value = if width < 16 { value.max(0.0) } else { value };
                let (fraction, least) = match width {
                    32 => (23, -126),
                    16 => (10, -14),
                    _ => (width as i32 - 5, -14),
                };
                let exponent = if value == 0.0 { least } else { (value.abs().log2().floor() as i32).max(least) };
                value / 2f64.powi(exponent - fraction)
            }
        }
    }
}

/// The bits of a float of 10, 11, 16 or 32 bits for a value that it holds.
fn float_bits(value: f64, width: u32) -> u32 {
    if width == 32 {
        return (value as f32).to_bits();
    }
    let (fraction, sign) = if width == 16 { (10, 0x8000) } else { (width - 5, 0) };
    let magnitude = value.abs();
    let sign = if value < 0.0 { sign } else { 0 };
    let exponent = if magnitude == 0.0 { -14 } else { (magnitude.log2().floor() as i32).max(-14) };
    let steps = magnitude / 2f64.powi(exponent - fraction as i32);
    let steps = if width < 16 { steps.floor() } else { steps.round_ties_even() } as u32;
    // A full binade counts from 2^fraction steps, which are one in the exponent.
    sign | if steps == 0 { 0 } else { (((exponent + 14) as u32) << fraction) + steps }
}

/// The formats of the later chip alone.
fn formats() -> impl Iterator<Item = (ColorFormat, Spec)> {
    let own = ColorFormat::ALL.iter().filter(|format| format.code().is_none());
    own.map(|&format| (format, Spec::of(format)))
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

/// Sets the bytes of the pixel with this number.
fn set_pixel(memory: &mut GuestMemory, format: ColorFormat, index: u32, words: &[u32]) {
    let start = (index / SIDE * PITCH + index % SIDE * format.bytes()) as usize;
    let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.bytes_mut(MemorySpace::Vram)[start..][..format.bytes() as usize]
        .copy_from_slice(&bytes[..format.bytes() as usize]);
}

#[test]
fn names_say_where_channels_are() {
    let spec = |format| Spec::of(format).channels;
    assert_eq!(spec(ColorFormat::Bgr10A2Unorm), [('B', 10), ('G', 10), ('R', 10), ('A', 2)]);
    assert_eq!(spec(ColorFormat::R11G11B10Float), [('R', 11), ('G', 11), ('B', 10)]);
    assert_eq!(formats().count(), 46);
    for (format, spec) in formats() {
        assert_eq!(spec.channels.iter().map(|(_, width)| width).sum::<u32>(), 8 * format.bytes(), "{}", format.name());
    }
    assert_eq!([float_bits(-2.0, 16), float_bits(0.5, 11), float_bits(2f64.powi(-19), 10)], [0xc000, 14 << 6, 1]);
}

/// A color that counts in each channel, bits of floats or integers; many lie outside the range of the format.
fn color(index: u32, spec: &Spec) -> [u32; 4] {
    let steps = [index, !index & 0x3ff, index * 7 + 1, index * 5 + 2].map(|step| step % 1024);
    if spec.is_integer() {
        return steps.map(|step| step.wrapping_mul(0x0100_4001) ^ step);
    }
    steps.map(|step| ((step as f32 - 200.0) / 700.0).to_bits())
}

/// The bits that a value rounds to: the nearest integer that there is; of fractions the nearest, of two nearest ones the one away from zero, or an even one for floats. Floats of
/// fewer than 16 bits are cut off.
fn expected(spec: &Spec, value: u32, channel: usize, width: u32) -> u32 {
    if spec.is_integer() {
        let (value, end) = match spec.kind.as_str() {
            "SINT" => (i64::from(value.cast_signed()), 1 << (width - 1)),
            _ => (i64::from(value), 1 << width),
        };
        let least = if spec.kind == "SINT" { -end } else { 0 };
        return value.clamp(least, end - 1) as u32 & (u32::MAX >> (32 - width));
    }
    let value = f64::from(f32::from_bits(value));
    match spec.kind.as_str() {
        "FLOAT" => float_bits(if width < 16 { value.max(0.0) } else { value }, width),
        _ => (spec.steps(value, channel, width).round() as i32).cast_unsigned() & (u32::MAX >> (32 - width)),
    }
}

#[test]
fn every_channel_of_every_format_is_written_and_encoded_for_clears() {
    let gpu = common::gpu();
    for (format, spec) in formats() {
        let mut memory = random_memory(&mut Random::new(format as u64));
        // Blending is enabled, and multiplies by one; integers ignore it.
        let blend = if spec.is_integer() { [Some(REPLACE); MAX_COLOR_TARGETS] } else { [None; MAX_COLOR_TARGETS] };
        let rop = RopState { blend, ..plain_rop() };
        merge(gpu.as_ref(), &mut memory, &rop, &targets(format), &quads(|index| color(index, &spec)));
        for index in 0..SIDE * SIDE {
            let source = color(index, &spec);
            let expected = spec.pixel(|channel, width| expected(&spec, source[channel], channel, width));
            assert_eq!(pixel(&memory, format, index), expected, "{} {index} {source:x?}", format.name());
            let words = expected.len();
            assert_eq!(format.encode(source)[..words], expected, "{} {index} {source:x?}", format.name());
        }
    }
}

#[test]
fn masks_keep_channels() {
    let gpu = common::gpu();
    for (number, (format, spec)) in formats().enumerate() {
        let mut memory = random_memory(&mut Random::new(format as u64));
        let before: Vec<_> = (0..SIDE * SIDE).map(|index| pixel(&memory, format, index)).collect();
        let mask = [0b0001u8, 0b0110, 0b1010, 0b1100][number % 4];
        let rop = RopState { color_mask: [mask; MAX_COLOR_TARGETS], ..plain_rop() };
        merge(gpu.as_ref(), &mut memory, &rop, &targets(format), &quads(|index| color(index, &spec)));
        let is_written = |letter: char| "RGBA".find(letter).is_some_and(|channel| mask >> channel & 1 != 0);
        let writes = spec.channels.iter().any(|(letter, _)| is_written(*letter));
        for (index, before) in (0..).zip(before) {
            let source = color(index, &spec);
            let whole = spec.pixel(|channel, width| expected(&spec, source[channel], channel, width));
            let (mut expected, mut bit) = (before.clone(), 0);
            for &(letter, width) in &spec.channels {
                if is_written(letter) || letter == 'X' && writes {
                    let field = u32::MAX >> (32 - width) << (bit % 32);
                    let word = bit as usize / 32;
                    expected[word] = expected[word] & !field | whole[word] & field;
                }
                bit += width;
            }
            assert_eq!(pixel(&memory, format, index), expected, "{} {mask:#b} {index}", format.name());
        }
    }
}

/// Merges one color over what is stored in the first pixel; returns the pixel.
fn merge_one(
    gpu: Option<&Gpu>,
    memory: &mut GuestMemory,
    rop: &RopState,
    format: ColorFormat,
    source: [u32; 4],
) -> Vec<u32> {
    let mut quad = quads(|_| source).swap_remove(0);
    quad.coverage = 1;
    merge(gpu, memory, rop, &targets(format), &[quad]);
    pixel(memory, format, 0)
}

#[test]
fn fractions_and_floats_blend_to_the_nearest_value() {
    let gpu = common::gpu();
    let factors = [BlendFactor::SourceAlpha, BlendFactor::ConstantColor, BlendFactor::DestinationAlpha];
    let mut compared = 0;
    for (number, (format, spec)) in formats().filter(|(_, spec)| !spec.is_integer()).enumerate() {
        // Bytes are blended as such, which other tests compare.
        if spec.kind == "UNORM" && spec.channels.iter().all(|(_, width)| *width <= 8) {
            continue;
        }
        let mut memory = random_memory(&mut Random::new(1));
        let mut random = Random::new(number as u64);
        for case in 0..24 {
            let blend = Blend {
                source: [factors[case % 3]; 2],
                destination: [BlendFactor::OneMinusSourceAlpha; 2],
                equation: [BlendEquation::Add; 2],
            };
            let mut value = |least: f32| least + random.below(1000) as f32 / 512.0;
            let source: [f32; 4] = std::array::from_fn(|_| value(-0.5));
            let constant: [f32; 4] = std::array::from_fn(|_| value(-0.25));
            let old: [f32; 4] = std::array::from_fn(|_| value(0.0));
            let stored = spec.pixel(|channel, width| expected(&spec, old[channel].to_bits(), channel, width));
            set_pixel(&mut memory, format, 0, &stored);
            let rop = RopState {
                blend: [Some(blend); MAX_COLOR_TARGETS],
                float_blend_color: constant.map(f32::to_bits),
                ..plain_rop()
            };
            // Each state is a pipeline of its own on the device.
            let device = gpu.as_ref().filter(|_| case == number % 3);
            let result = merge_one(device, &mut memory, &rop, format, source.map(f32::to_bits));
            let in_range = |value: f32| match spec.kind.as_str() {
                "FLOAT" => f64::from(value),
                "SNORM" => f64::from(value.clamp(-1.0, 1.0)),
                _ => f64::from(value.clamp(0.0, 1.0)),
            };
            let [s, c] = [source, constant].map(|color| color.map(in_range));
            let d: [f64; 4] = std::array::from_fn(|channel| spec.value(&stored, channel));
            let mut bit = 0;
            for &(letter, width) in &spec.channels {
                if let Some(channel) = "RGBA".find(letter) {
                    let factor = [s[3], c[channel], d[3]][case % 3];
                    let exact = s[channel] * factor + d[channel] * (1.0 - s[3]);
                    let bits = result[bit as usize / 32] >> (bit % 32) & (u32::MAX >> (32 - width));
                    let found = spec.decode(bits, channel, width);
                    // Steps of the exact value's binade, or of the fractions. Singles are rounded several times.
                    let error = (spec.steps(found, channel, width) - spec.steps(exact, channel, width)).abs();
                    let is_cut = spec.kind == "FLOAT" && width < 16;
                    let is_near = (found.max(0.0) - exact).abs() <= 2f64.powi(-20);
                    assert!(
                        error <= if is_cut { 1.01 } else { 0.51 }
                            || width == 32 && is_near
                            || width < 16 && exact < 0.0 && found == 0.0,
                        "{} {case} {letter}: {found} {exact} {error}",
                        format.name()
                    );
                    compared += 1;
                }
                bit += width;
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn fractions_have_logic_operations_and_others_none() {
    let gpu = common::gpu();
    let logic_op = Some(LogicOp::ALL[6]);
    let rop = RopState { logic_op, ..plain_rop() };
    for (format, spec) in formats().filter(|(format, _)| format.bytes() >= 2) {
        let mut memory = random_memory(&mut Random::new(format as u64));
        let before = pixel(&memory, format, 0);
        let source = color(77, &spec);
        let whole = spec.pixel(|channel, width| expected(&spec, source[channel], channel, width));
        let has_op = matches!(spec.kind.as_str(), "UNORM" | "SNORM");
        let expected: Vec<_> = match has_op {
            true => before.iter().zip(&whole).map(|(before, new)| before ^ new).collect(),
            false => whole,
        };
        // Operation 6 is the exclusive or.
        let device = gpu.as_ref().filter(|_| has_op || format.bytes() == 4);
        assert_eq!(merge_one(device, &mut memory, &rop, format, source), expected, "{}", format.name());
    }
}
