//! Translates color output into the text of the output merger's kernel: packing, blending, logic operations, masks.

use std::fmt::Write;

use super::blend::{CHANNELS, blended_bytes, blended_floats, has_negative_sources, logic_operation};
use super::channels::merge_channels;
use super::expressions::offsets;
use super::key::{ColorKey, MergeKey};
use super::shaded_color::ValueRange;
use crate::format::texel::Field;
use crate::format::{ColorFormat, PixelStorage};
use crate::pipeline::Blend;
use crate::recompiler::software::pixel_pairs::{Stored, loaded, store};
use crate::recompiler::text::COMPONENTS;

/// Merges one color, given its `QuadVector`'s text and its channels' value ranges, and the text of the second source that
/// blending reads, into its target; `is_inside` if all pixels lie inside it.
pub(crate) fn merge_color(
    text: &mut String,
    key: &MergeKey,
    index: usize,
    color: &ColorKey,
    ((value, ranges), second): (&(String, [ValueRange; 4]), Option<String>),
    is_inside: bool,
) {
    let bytes = color.format.bytes();
    text.push_str("        {\n");
    if color.clamps {
        let clamped = COMPONENTS.map(|component| format!("fp_saturate(unclamped.{component})")).join(", ");
        let _ = writeln!(text, "            let unclamped = {value};");
        let _ = writeln!(text, "            let color = QuadVector({clamped});");
    } else {
        let _ = writeln!(text, "            let color = {value};");
    }
    if let Some(second) = second {
        let _ = writeln!(text, "            let unclamped_second = {second};");
        let components = COMPONENTS.map(|component| match color.clamps {
            true => format!("fp_saturate(unclamped_second.{component})"),
            false => format!("unclamped_second.{component}"),
        });
        let _ = writeln!(text, "            let second = QuadVector({});", components.join(", "));
    }
    let _ = writeln!(text, "            let window = window{index};");
    let words = (bytes / 4).max(1);
    for word in 0..words {
        let _ = writeln!(text, "            let offsets{word} = {};", offsets(index, color.layout, bytes, word));
    }
    // Two 16-bit pixels share one word, and the mask may keep either. Primitives of draws that test depth or stencil often
    // cover or pass a part of a pair: loading it costs less than a choice of stores for each lane.
    let is_partial = bytes == 2 || (key.zeta.is_some() && is_inside);
    match color.format.storage() {
        PixelStorage::Fields { channels, fill } => {
            let is_read = !color.is_whole || color.blend.is_some() || color.logic_op.is_some();
            let is_loaded = is_read || color.is_paired && is_partial;
            if is_loaded {
                let stored = loaded("window", "offsets0", bytes, color.is_paired);
                let _ = writeln!(text, "            let stored = {stored};");
            }
            let packed = packed_color(text, color, (channels, *ranges));
            let _ = writeln!(text, "            let whole = {packed} | vec4u({fill}u);");
            if color.is_whole {
                text.push_str("            let merged = whole;\n");
            } else {
                let _ = writeln!(text, "            let mask = vec4u(write_mask{index});");
                text.push_str("            let merged = (stored & ~mask) | (whole & mask);\n");
            }
            let stored = is_loaded.then_some(Stored { name: "stored", is_inside });
            let store = store(["window", "offsets0"], bytes, color.is_paired, stored, ["merged", "alive"]);
            let _ = writeln!(text, "            {store}");
        }
        PixelStorage::Channels(channels) if color.blend.is_none() && channels.are_words() => {
            merge_words(text, color, channels.fields);
        }
        PixelStorage::Channels(_) if color.format == ColorFormat::A16B16G16R16F => merge_half(text, color),
        PixelStorage::Channels(channels) => merge_channels(text, color, &channels, *ranges, [is_partial, is_inside]),
    }
    text.push_str("        }\n");
}

/// Writes the words of pixels whose channels are whole words, as they are.
fn merge_words(text: &mut String, color: &ColorKey, fields: [Field; 4]) {
    let masks = color.format.write_masks(color.float_mask, false);
    let is_written = |channel: usize| channel < color.format.bytes() as usize / 4 && masks[channel] != 0;
    let value = |channel: usize| match fields[channel] {
        Field::Bits { .. } => format!("color.{}", COMPONENTS[channel]),
        Field::One | Field::Zero => format!("vec4u({}u)", color.format.storage().fill()[channel]),
    };
    for first in [0, 2] {
        if color.is_paired && is_written(first) && is_written(first + 1) {
            let [low, high] = [value(first), value(first + 1)];
            let _ = writeln!(text, "            store_wide_pixels(window, offsets{first}, {low}, {high}, alive);");
            continue;
        }
        for channel in [first, first + 1].into_iter().filter(|channel| is_written(*channel)) {
            let value = value(channel);
            let _ = writeln!(text, "            store_pixels(window, offsets{channel}, 4u, 0u, {value}, alive);");
        }
    }
}

/// Writes the steps that produce the packed pixel; returns its name.
fn packed_color(text: &mut String, color: &ColorKey, (channels, ranges): ([Field; 4], [ValueRange; 4])) -> String {
    let mut packed = Vec::new();
    if let Some(Blend { source, destination, equation }) = color.blend {
        for (channel, component) in ["x", "y", "z", "w"].into_iter().enumerate() {
            let name = CHANNELS[channel];
            let _ = writeln!(
                text,
                "            let source_{name} = {};",
                source_bytes(color, channel, &format!("color.{component}"), ranges[channel])
            );
            if color.second_slot.is_some() {
                let second = source_bytes(color, channel, &format!("second.{component}"), ValueRange::ANY);
                let _ = writeln!(text, "            let second_{name} = {second};");
            }
            if has_negative_sources(equation[usize::from(channel == 3)]) {
                let negative = match color.encodes_srgb {
                    true => "vec4u(0u)".to_owned(),
                    false => ValueRange { is_unit: false, ..ranges[channel] }
                        .unorm(&format!("color.{component} ^ vec4u(0x80000000u)"), 8),
                };
                let _ = writeln!(text, "            let negative_{name} = {negative};");
            }
            let stored = match channels[channel] {
                Field::Bits { shift, width } => {
                    let mask = (1u32 << width) - 1;
                    format!("expand_to_bytes((stored >> vec4u({shift}u)) & vec4u({mask}u), {width}u)")
                }
                Field::One => "vec4u(255u)".to_owned(),
                Field::Zero => "vec4u(0u)".to_owned(),
            };
            let _ = writeln!(text, "            let stored_{name} = {stored};");
        }
        for (channel, field) in channels.into_iter().enumerate() {
            let Field::Bits { shift, width } = field else { continue };
            let part = usize::from(channel == 3);
            let value = blended_bytes(channel, source[part], destination[part], equation[part]);
            let value = match width {
                8 => value,
                width if color.dithers => format!("dithered({value}, {}u, x, y)", (1u32 << width) - 1),
                width => format!("over_255({value} * {}u)", (1u32 << width) - 1),
            };
            packed.push(format!("({value} << vec4u({shift}u))"));
        }
    } else {
        for (channel, component) in ["x", "y", "z", "w"].into_iter().enumerate() {
            let Field::Bits { shift, width } = channels[channel] else { continue };
            let value = match width {
                8 => source_bytes(color, channel, &format!("color.{component}"), ranges[channel]),
                width if color.dithers => {
                    let bytes = ranges[channel].unorm(&format!("color.{component}"), 8);
                    format!("dithered({bytes}, {}u, x, y)", (1u32 << width) - 1)
                }
                width => ranges[channel].unorm(&format!("color.{component}"), width),
            };
            packed.push(format!("({value} << vec4u({shift}u))"));
        }
    }
    let _ = writeln!(text, "            let packed = {};", packed.join(" | "));
    let Some(op) = color.logic_op else { return "packed".to_owned() };
    let used = channels.iter().fold(0, |mask, field| mask | field.mask());
    let combined = logic_operation(op, "packed", "stored");
    let _ = writeln!(text, "            let combined = ({combined}) & vec4u({used}u);");
    "combined".to_owned()
}

/// A channel of a source as bytes.
fn source_bytes(color: &ColorKey, channel: usize, value: &str, range: ValueRange) -> String {
    if color.encodes_srgb && channel < 3 { format!("srgb_bytes({value})") } else { range.unorm(value, 8) }
}

fn merge_half(text: &mut String, color: &ColorKey) {
    text.push_str(if color.is_paired {
        "            let pixels = load_wide_pixels(window, offsets0);\n\
         \x20           let low = pixels.low;\n            let high = pixels.high;\n"
    } else {
        "            let low = load_pixels(window, offsets0, 4u, 0u);\n\
         \x20           let high = load_pixels(window, offsets1, 4u, 0u);\n"
    });
    let halves = ["low & vec4u(0xffffu)", "low >> vec4u(16u)", "high & vec4u(0xffffu)", "high >> vec4u(16u)"];
    for (channel, component) in ["x", "y", "z", "w"].into_iter().enumerate() {
        let name = CHANNELS[channel];
        let _ = writeln!(text, "            let source_{name} = color.{component};");
        if color.second_slot.is_some() {
            let _ = writeln!(text, "            let second_{name} = second.{component};");
        }
        if color.blend.is_some() {
            let _ = writeln!(text, "            let stored_{name} = fp_half_bits_to({});", halves[channel]);
        }
    }
    for channel in 0..4 {
        let name = CHANNELS[channel];
        let part = usize::from(channel == 3);
        let value = color.blend.map_or(format!("source_{name}"), |Blend { source, destination, equation }| {
            blended_floats(channel, source[part], destination[part], equation[part], "float_constant")
        });
        let is_written = (color.float_mask >> channel) & 1 != 0;
        let half = if is_written { format!("fp_half_bits_from({value})") } else { halves[channel].to_owned() };
        let _ = writeln!(text, "            let half_{name} = {half};");
    }
    text.push_str(
        "            let merged_low = half_red | (half_green << vec4u(16u));\n\
         \x20           let merged_high = half_blue | (half_alpha << vec4u(16u));\n",
    );
    text.push_str(if color.is_paired {
        "            store_wide_pixels(window, offsets0, merged_low, merged_high, alive);\n"
    } else {
        "            store_pixels(window, offsets0, 4u, 0u, merged_low, alive);\n\
         \x20           store_pixels(window, offsets1, 4u, 0u, merged_high, alive);\n"
    });
}
