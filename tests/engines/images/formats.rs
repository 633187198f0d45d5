//! Every source format into every surface format, against a decoder based on the formats' documented names.

use curie::command::methods::enums::{IMAGE_FORMAT, SURFACE_FORMAT};
use curie::command::methods::scaled_image;

use super::stream::{IMAGE, Scene, pixels};
use crate::common::random::Random;

/// A channel in a format's name: letter, shift, width.
type Channel = (char, u32, u32);

/// The channels of a name such as `X1R5G5B5_Z`, with the last one lowest, and the bits of a pixel.
pub(crate) fn channels(name: &str) -> (Vec<Channel>, u32) {
    let name = name.trim_end_matches("_Z").trim_end_matches("_X");
    let mut channels: Vec<Channel> = Vec::new();
    let mut letters = String::new();
    let mut digits = String::new();
    let mut flush = |letters: &mut String, digits: &mut String| {
        if let Ok(width) = digits.parse::<u32>() {
            for letter in letters.chars() {
                channels.push((letter, 0, width));
            }
            letters.clear();
            digits.clear();
        }
    };
    for letter in name.chars() {
        if letter.is_ascii_digit() {
            digits.push(letter);
        } else {
            if !digits.is_empty() {
                flush(&mut letters, &mut digits);
            }
            letters.push(letter);
        }
    }
    flush(&mut letters, &mut digits);
    let is_shared = name == "AY8";
    let mut shift = 0;
    for channel in channels.iter_mut().rev() {
        channel.1 = shift;
        if !is_shared {
            shift += channel.2;
        }
    }
    (channels, if is_shared { 8 } else { shift })
}

/// Repeats the high bits of a channel to eight bits.
fn to_eight(value: u32, width: u32) -> u32 {
    let mut bits = String::new();
    while bits.len() < 8 {
        bits += &format!("{value:0width$b}", width = width as usize);
    }
    u32::from_str_radix(&bits[..8], 2).unwrap()
}

/// Red, green, blue, alpha of a pixel.
pub(crate) fn decode(name: &str, pixel: u32) -> [u32; 4] {
    let mut color = [0, 0, 0, 255];
    for (letter, shift, width) in channels(name).0 {
        let value = to_eight(pixel >> shift & ((1u64 << width) - 1) as u32, width);
        match letter {
            'R' => color[0] = value,
            'G' => color[1] = value,
            'B' => color[2] = value,
            'A' => color[3] = value,
            'Y' => color[..3].fill(value),
            _ => {}
        }
    }
    color
}

/// ITU-R 601 with luminance 16..235, from the rounded eight-bit fractions of its coefficients.
fn from_yuv([y, u, v]: [u32; 3]) -> [u32; 4] {
    let scaled = |coefficient: f64| (coefficient * 256.0).round();
    let (y, u, v) = (f64::from(y) - 16.0, f64::from(u) - 128.0, f64::from(v) - 128.0);
    let luminance = scaled(255.0 / 219.0) * y + 128.0;
    // 1.596, 0.391, 0.813 and 2.018: 255/224 of twice one less the weights 0.299 and 0.114 of luminance.
    let red = scaled(1.596) * v;
    let green = -scaled(0.391) * u - scaled(0.813) * v;
    let blue = 516.0 * u;
    let channel = |sum: f64| ((luminance + sum) / 256.0).floor().clamp(0.0, 255.0) as u32;
    [channel(red), channel(green), channel(blue), 255]
}

/// The stored value after an opaque copy with truncation.
pub(crate) fn encode(name: &str, color: [u32; 4]) -> u32 {
    channels(name).0.into_iter().fold(0, |pixel, (letter, shift, width)| {
        let value = match letter {
            'R' => color[0],
            'G' => color[1],
            'B' => color[2],
            'A' => color[3],
            _ => 0,
        };
        pixel | value >> (8 - width) << shift
    })
}

/// Pixels of a source format: every pattern of up to 16 bits, random ones of 32.
fn source_pixels(bits: u32, random: &mut Random) -> Vec<u32> {
    match bits {
        8 => (0..256).collect(),
        16 => (0..0x1_0000).collect(),
        _ => (0..4096).map(|_| random.word()).collect(),
    }
}

#[test]
fn names_give_channels() {
    assert_eq!(channels("X1R5G5B5_Z").0, [('X', 15, 1), ('R', 10, 5), ('G', 5, 5), ('B', 0, 5)]);
    assert_eq!(channels("AY8"), (vec![('A', 0, 8), ('Y', 0, 8)], 8));
    assert_eq!(decode("R5G6B5", 0x8430), [132, 134, 132, 255]);
    assert_eq!(from_yuv([235, 128, 128]), [255; 4]);
    assert_eq!(from_yuv([16, 128, 128]), [0, 0, 0, 255]);
    assert_eq!(from_yuv([81, 90, 240])[0], 255, "red of 75 % bars and more");
}

#[test]
fn every_source_format_into_every_surface_format() {
    let mut random = Random::new(2);
    for &(source_code, source) in IMAGE_FORMAT {
        let is_yuv = source.contains("YB");
        let bits = if is_yuv { 16 } else { channels(source).1 };
        let patterns =
            if is_yuv { (0..4096).map(|_| random.below(0x1_0000)).collect() } else { source_pixels(bits, &mut random) };
        let bytes: Vec<u8> =
            patterns.iter().flat_map(|pixel| pixel.to_le_bytes()[..bits as usize / 8].to_vec()).collect();
        let colors: Vec<_> = if is_yuv {
            let order = if source == "V8YB8U8YA8" { [0, 1, 2, 3] } else { [1, 0, 3, 2] };
            let words = bytes.chunks_exact(4);
            let both = words.flat_map(|word| {
                let [left, u, right, v] = order.map(|index| u32::from(word[index]));
                [from_yuv([left, u, v]), from_yuv([right, u, v])]
            });
            both.collect()
        } else {
            patterns.iter().map(|&pixel| decode(source, pixel)).collect()
        };
        let width = if bits == 16 && !is_yuv { 256 } else { 64.min(patterns.len() as u32) };
        let size = [width, patterns.len() as u32 / width];
        for &(code, surface) in SURFACE_FORMAT {
            let (surface_channels, surface_bits) = channels(surface);
            let surface_bytes = surface_bits / 8;
            let filler: Vec<u8> = (0..patterns.len() as u32 * surface_bytes).map(|_| random.word() as u8).collect();
            let mut scene = Scene::new(&bytes, &filler);
            scene.surface(code, width * surface_bytes).scaled_image(source_code, 3).whole(size, bits / 8);
            let drawn = pixels(&scene.run(), surface_bytes as usize);
            for (index, &color) in colors.iter().enumerate() {
                let mask = (u64::MAX >> (64 - surface_bits)) as u32;
                let expected = if surface.starts_with('Y') {
                    // Bits are copied; YUV goes through A8R8G8B8.
                    (if is_yuv { encode("A8R8G8B8", color) } else { patterns[index] }) & mask
                } else if surface.trim_end_matches("_X") == source {
                    patterns[index]
                } else {
                    encode(surface, color)
                };
                let kept = surface_channels.iter().filter(|(letter, ..)| *letter != 'X' || surface.ends_with("_Z"));
                let kept = kept.fold(0, |kept, (_, shift, width)| kept | (((1u64 << width) - 1) << shift) as u32);
                assert_eq!(
                    drawn[index] & kept,
                    expected & kept,
                    "{source} {:#x} into {surface}, pixel {index}",
                    patterns[index]
                );
            }
        }
    }
}

#[test]
fn conversions_of_every_value() {
    // One row per red value, one column per position of the dither.
    let source: Vec<u8> =
        (0..256u32).flat_map(|value| [value * 0x01_0101; 256].map(u32::to_le_bytes)).flatten().collect();
    for (conversion, rule) in [(1, "truncate"), (2, "subtract"), (0, "dither")] {
        for &(code, surface) in SURFACE_FORMAT.iter().filter(|(_, name)| name.contains("R5")) {
            let mut scene = Scene::new(&source, &vec![0; 2 << 16]);
            scene.surface(code, 512).scaled_image(4, 3);
            scene.stream.method(IMAGE, scaled_image::COLOR_CONVERSION, conversion);
            scene.whole([256, 256], 4);
            let drawn = pixels(&scene.run(), 2);
            for (letter, shift, width) in channels(surface).0.into_iter().filter(|(letter, ..)| *letter != 'X') {
                let levels = (1 << width) - 1;
                for value in 0..256u32 {
                    let row = (0..256).map(|x| drawn[(value * 256 + x) as usize] >> shift & levels);
                    let row: Vec<_> = row.collect();
                    let low = value >> (8 - width);
                    match rule {
                        "truncate" => assert!(row.iter().all(|drawn| *drawn == low)),
                        // Values that were expanded from fewer bits are restored; none is larger than truncated.
                        "subtract" => {
                            let back = (0..=levels).find(|&kept| to_eight(kept, width) == value);
                            assert!(row.iter().all(|&drawn| drawn + 1 >= low && drawn <= low), "{letter} {value}");
                            assert!(back.is_none_or(|kept| row.iter().all(|drawn| *drawn == kept)));
                        }
                        _ => assert!(row.iter().all(|&drawn| drawn == low || drawn == (low + 1).min(levels))),
                    }
                }
            }
        }
    }
}

#[test]
fn dithered_areas_have_the_mean_of_their_colour() {
    // Green and red have opposite thresholds; over 16×16 pixels, as many eighths as the remainder are raised.
    for value in (0..17).chain((31..248).step_by(31)) {
        let value: u32 = value;
        let source: Vec<u8> = [(value * 0x01_0101).to_le_bytes(); 256].concat();
        let mut scene = Scene::new(&source, &[0; 512]);
        scene.surface(3, 32).scaled_image(4, 3);
        scene.stream.method(IMAGE, scaled_image::COLOR_CONVERSION, 0);
        scene.whole([16, 16], 4);
        let drawn = pixels(&scene.run(), 2);
        for shift in [0, 5, 10] {
            let raised = drawn.iter().filter(|pixel| *pixel >> shift & 31 == (value >> 3) + 1).count() as u32;
            assert_eq!(raised / 32, value & 7, "{value}: {raised} of 256");
            assert!(raised.is_multiple_of(32) || value & 7 != 0);
        }
    }
}
