//! Translates color output into targets that blend in single precision, or not at all: conversion, blending, logic
//! operations, masks.

use std::fmt::Write;

use super::blend::{CHANNELS, blended_floats, logic_operation};
use super::key::ColorKey;
use super::shaded_color::ValueRange;
use crate::format::texel::Field;
use crate::format::{Channels, ComponentKind};
use crate::pipeline::Blend;
use crate::recompiler::software::pixel_pairs::{Stored, loaded, store};
use crate::recompiler::text::COMPONENTS;

/// Imports of text with such targets.
pub(super) const IMPORTS: &str = "import package::arith::convert::fp_unorm_to_float;\n\
    import package::rop::pixel_channels::{snorm_bits, snorm_values, unsigned_float_bits};\n";

/// The text of the bits of a channel for a value.
fn encoded(channels: &Channels, channel: usize, width: u8, value: &str, range: ValueRange) -> String {
    match channels.kind {
        ComponentKind::Unorm if channels.is_srgb && channel < 3 => format!("srgb_bytes({value})"),
        ComponentKind::Unorm => range.unorm(value, width),
        ComponentKind::Snorm => format!("snorm_bits({value}, {width}u)"),
        ComponentKind::Float if width < 16 => format!("unsigned_float_bits({value}, {}u)", width - 5),
        ComponentKind::Float if width == 16 => format!("fp_half_bits_from({value})"),
        ComponentKind::Uint if width < 32 => format!("min({value}, vec4u({}u))", u32::MAX >> (32 - width)),
        ComponentKind::Sint if width < 32 => {
            let (most, field) = (i32::MAX >> (32 - width), u32::MAX >> (32 - width));
            format!(
                "(bitcast<vec4u>(clamp(bitcast<vec4i>({value}), vec4i({}), vec4i({most}))) & vec4u({field}u))",
                !most
            )
        }
        ComponentKind::Uint | ComponentKind::Sint | ComponentKind::Float => value.to_owned(),
    }
}

/// The text of a channel's value as blending reads it, from words `word0`, `word1`, ….
fn decoded(channels: &Channels, channel: usize) -> String {
    let (word, field) = channels.fields[channel].in_word();
    let (shift, width) = match field {
        Field::Bits { shift, width } => (shift, width),
        Field::One => return "vec4u(0x3f800000u)".to_owned(),
        Field::Zero => return "vec4u(0u)".to_owned(),
    };
    let bits = match (shift, width) {
        (_, 32) => format!("word{word}"),
        (shift, width) => format!("((word{word} >> vec4u({shift}u)) & vec4u({}u))", u32::MAX >> (32 - width)),
    };
    match channels.kind {
        ComponentKind::Unorm if channels.is_srgb && channel < 3 => format!("srgb_values({bits})"),
        ComponentKind::Unorm => format!("fp_unorm_to_float({bits}, {width}u)"),
        ComponentKind::Snorm => format!("snorm_values({bits}, {width}u)"),
        ComponentKind::Float if width < 16 => format!("fp_half_bits_to({bits} << vec4u({}u))", 15 - width),
        ComponentKind::Float if width == 16 => format!("fp_half_bits_to({bits})"),
        ComponentKind::Uint | ComponentKind::Sint | ComponentKind::Float => bits,
    }
}

/// The text of a value in the range of the channels.
fn clamped(channels: &Channels, value: &str) -> String {
    match channels.kind {
        ComponentKind::Unorm => format!("fp_saturate({value})"),
        ComponentKind::Snorm => format!("fp_max(fp_min({value}, vec4u(0x3f800000u)), vec4u(0xbf800000u))"),
        ComponentKind::Uint | ComponentKind::Sint | ComponentKind::Float => value.to_owned(),
    }
}

/// Merges `color` into its target at `offsets0`, `offsets1`, …, given its channels' value ranges; `is_partial` if primitives
/// often cover a part of a pair of pixels, `is_inside` if all pixels lie inside the target.
pub(super) fn merge_channels(
    text: &mut String,
    color: &ColorKey,
    channels: &Channels,
    ranges: [ValueRange; 4],
    [is_partial, is_inside]: [bool; 2],
) {
    let bytes = color.format.bytes();
    let words = bytes.div_ceil(4) as usize;
    let all = u32::MAX >> (32 - 8 * bytes.min(4));
    let masks = color.format.write_masks(color.float_mask, false);
    let is_short = bytes <= 4;
    let is_combined = color.blend.is_some() || color.logic_op.is_some();
    // The words that are loaded and stored together.
    let group = |word: usize| if color.is_paired && !is_short { word & !1..(word & !1) + 2 } else { word..word + 1 };
    let is_stored = |word: usize| group(word).any(|word| masks[word] != 0);
    let keeps = |word: usize| group(word).any(|word| masks[word] != all);
    let is_loaded =
        |word: usize| is_combined || is_stored(word) && keeps(word) || is_short && color.is_paired && is_partial;
    for word in (0..words).filter(|word| is_loaded(*word)) {
        let _ = match (is_short, color.is_paired) {
            (false, true) if word % 2 == 0 => {
                let next = word + 1;
                writeln!(
                    text,
                    "            let pixels{word} = load_wide_pixels(window, offsets{word});\n\
                     \x20           let word{word} = pixels{word}.low;\n            let word{next} = pixels{word}.high;"
                )
            }
            (false, true) => Ok(()),
            _ => {
                let stored = loaded("window", &format!("offsets{word}"), bytes.min(4), color.is_paired && is_short);
                writeln!(text, "            let word{word} = {stored};")
            }
        };
    }
    pack(text, color, channels, ranges, words);
    let fill = channels.fill;
    for word in 0..words {
        let mut merged = match color.logic_op {
            Some(op) => format!("({})", logic_operation(op, &format!("packed{word}"), &format!("word{word}"))),
            None => format!("packed{word}"),
        };
        if fill[word] != 0 {
            merged = format!("({merged} | vec4u({}u))", fill[word]);
        }
        if masks[word] != all && is_loaded(word) {
            let mask = masks[word];
            merged = format!("((word{word} & vec4u({}u)) | ({merged} & vec4u({mask}u)))", !mask);
        }
        let _ = writeln!(text, "            let merged{word} = {merged};");
    }
    for word in (0..words).filter(|word| is_stored(*word)) {
        let _ = match (is_short, color.is_paired) {
            (true, _) => {
                let stored = is_loaded(word).then_some(Stored { name: "word0", is_inside });
                let store = store(["window", "offsets0"], bytes, color.is_paired, stored, ["merged0", "alive"]);
                writeln!(text, "            {store}")
            }
            (false, true) if word % 2 == 0 => {
                let next = word + 1;
                writeln!(
                    text,
                    "            store_wide_pixels(window, offsets{word}, merged{word}, merged{next}, alive);"
                )
            }
            (false, true) => Ok(()),
            (false, false) => {
                writeln!(text, "            store_pixels(window, offsets{word}, 4u, 0u, merged{word}, alive);")
            }
        };
    }
}

/// Writes `packed0`, `packed1`, …: the words of the channels that the mask enables.
fn pack(text: &mut String, color: &ColorKey, channels: &Channels, ranges: [ValueRange; 4], words: usize) {
    if color.blend.is_some() {
        let _ = writeln!(text, "            let blend_color = {};", clamped(channels, "float_constant"));
        for (channel, name) in CHANNELS.into_iter().enumerate() {
            let source = clamped(channels, &format!("color.{}", COMPONENTS[channel]));
            let _ = writeln!(text, "            let source_{name} = {source};");
            if color.second_slot.is_some() {
                let second = clamped(channels, &format!("second.{}", COMPONENTS[channel]));
                let _ = writeln!(text, "            let second_{name} = {second};");
            }
            let _ = writeln!(text, "            let stored_{name} = {};", decoded(channels, channel));
        }
    }
    let mut packed = vec![Vec::new(); words];
    for (channel, name) in CHANNELS.into_iter().enumerate() {
        let (word, field) = channels.fields[channel].in_word();
        let is_written = color.float_mask >> channel & 1 != 0;
        let Field::Bits { shift, width } = field else { continue };
        if !is_written {
            continue;
        }
        let part = usize::from(channel == 3);
        let (value, range) = match color.blend {
            Some(Blend { source, destination, equation }) => {
                let value = blended_floats(channel, source[part], destination[part], equation[part], "blend_color");
                (value, ValueRange::ANY)
            }
            None => (format!("color.{}", COMPONENTS[channel]), ranges[channel]),
        };
        let bits = encoded(channels, channel, width, &value, range);
        let _ = writeln!(text, "            let bits_{name} = {bits};");
        packed[word].push(format!("(bits_{name} << vec4u({shift}u))"));
    }
    for (word, parts) in packed.iter().enumerate() {
        let parts = if parts.is_empty() { "vec4u(0u)".to_owned() } else { parts.join(" | ") };
        let _ = writeln!(text, "            let packed{word} = {parts};");
    }
}
