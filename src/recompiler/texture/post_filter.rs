//! The end of a texture unit's text: color key, remap, gamma, and discarded fragments.

use std::fmt::Write;

use super::key::TextureKey;
use crate::pipeline::{ColorKeyMode, RemappedChannel};
use crate::recompiler::text::COMPONENTS;

/// Turns `filtered` into the result and closes the function.
pub(crate) fn finish(text: &mut String, unit: u8, key: &TextureKey) {
    if key.filters_bytes() {
        for channel in key.used_channels() {
            let _ = writeln!(text, "    filtered.{} *= 0x101u;", COMPONENTS[channel]);
        }
    }
    color_key(text, unit, key);
    let channels: [String; 4] = std::array::from_fn(|channel| {
        let source = match key.remap[channel] {
            _ if key.remaps_texels => format!("filtered.{}", COMPONENTS[channel]),
            RemappedChannel::Zero => return "vec4u(0u)".to_owned(),
            RemappedChannel::One => return "vec4u(0x3f800000u)".to_owned(),
            RemappedChannel::OneInteger => return "vec4u(1u)".to_owned(),
            RemappedChannel::Source(_) if key.shadow_compare.is_some() => "filtered.x".to_owned(),
            RemappedChannel::Source(source) => format!("filtered.{}", COMPONENTS[usize::from(source)]),
        };
        match ((key.gamma >> channel) & 1 != 0, key.filters_integers) {
            (true, true) => format!("fp_unorm_to_float(texture_linear_fractions({source}), 24u)"),
            (true, false) => {
                format!("fp_unorm_to_float(texture_linear_fractions(fp_float_to_unorm({source}, 16u)), 24u)")
            }
            (false, true) => format!("fp_fraction_to_float({source})"),
            (false, false) => source,
        }
    });
    if key.alpha_kill {
        let _ = writeln!(text, "    let alpha = {};", channels[3]);
        let is_keyed = if key.color_key == ColorKeyMode::Discard { "is_keyed | " } else { "" };
        let _ = writeln!(text, "    texture_discards_{unit} = {is_keyed}((alpha & vec4u(0x7fffffffu)) == vec4u(0u));");
    } else if key.can_discard() {
        let _ = writeln!(text, "    texture_discards_{unit} = is_keyed;");
    }
    let _ = writeln!(text, "    return QuadVector({});\n}}", channels.join(", "));
}

/// Compares the upper eight bits of the natural channels with the key.
fn color_key(text: &mut String, unit: u8, key: &TextureKey) {
    let mask = key.color_key_mask();
    if key.color_key == ColorKeyMode::Off {
        return;
    }
    let bytes = [("w", 24), ("x", 16), ("y", 8), ("z", 0)]
        .map(|(component, shift)| format!("((filtered.{component} >> vec4u(8u)) << vec4u({shift}u))"));
    let _ = writeln!(
        text,
        "    let key = vec4u(texture_unit_{unit}.color_key.x & {mask}u);\n    let is_keyed = (({}) & \
         vec4u({mask}u)) == key;",
        bytes.join(" | ")
    );
    let cleared: &[usize] = match key.color_key {
        ColorKeyMode::Off | ColorKeyMode::Discard => &[],
        ColorKeyMode::ClearAlpha => &[3],
        ColorKeyMode::ClearColor => &[0, 1, 2, 3],
    };
    for &channel in cleared {
        let component = COMPONENTS[channel];
        let _ = writeln!(text, "    filtered.{component} = select(filtered.{component}, vec4u(0u), is_keyed);");
    }
}
