//! The parts of the output merger's text that combine source and stored colors.

use crate::pipeline::{BlendEquation, BlendFactor};

/// Names of the channels in the text.
pub(crate) const CHANNELS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// A logic operation on packed pixels and stored ones, by their names.
pub(crate) fn logic_operation(op: u8, packed: &str, stored: &str) -> String {
    match op & 15 {
        0 => "vec4u(0u)".to_owned(),
        1 => format!("{packed} & {stored}"),
        2 => format!("{packed} & ~{stored}"),
        3 => packed.to_owned(),
        4 => format!("~{packed} & {stored}"),
        5 => stored.to_owned(),
        6 => format!("{packed} ^ {stored}"),
        7 => format!("{packed} | {stored}"),
        8 => format!("~({packed} | {stored})"),
        9 => format!("~({packed} ^ {stored})"),
        10 => format!("~{stored}"),
        11 => format!("{packed} | ~{stored}"),
        12 => format!("~{packed}"),
        13 => format!("~{packed} | {stored}"),
        14 => format!("~({packed} & {stored})"),
        _ => "vec4u(0xffffffffu)".to_owned(),
    }
}

/// One channel of blended bytes.
pub(crate) fn blended_bytes(
    channel: usize,
    source: BlendFactor,
    destination: BlendFactor,
    equation: BlendEquation,
) -> String {
    let name = CHANNELS[channel];
    let factor = |factor| byte_factor(factor, channel);
    let from_source = format!("source_{name} * {}", factor(source));
    let from_destination = format!("stored_{name} * {}", factor(destination));
    let from_negative = format!("negative_{name} * {}", factor(source));
    let difference = |first: &str, second: &str| format!("over_255(max({first}, {second}) - ({second}))");
    match equation {
        BlendEquation::Add | BlendEquation::ReverseAddSigned => {
            format!("min(over_255({from_source} + {from_destination}), vec4u(255u))")
        }
        BlendEquation::Subtract => difference(&from_source, &from_destination),
        BlendEquation::ReverseSubtract => difference(&from_destination, &from_source),
        BlendEquation::AddSigned => {
            let sum = difference(&format!("{from_source} + {from_destination}"), &from_negative);
            format!("min({sum}, vec4u(255u))")
        }
        BlendEquation::ReverseSubtractSigned => {
            let sum = difference(&format!("{from_destination} + {from_negative}"), &from_source);
            format!("min({sum}, vec4u(255u))")
        }
        BlendEquation::Min => format!("min(source_{name}, stored_{name})"),
        BlendEquation::Max => format!("max(source_{name}, stored_{name})"),
    }
}

/// Whether an equation distinguishes sources below zero from zero, in integer targets.
pub(crate) const fn has_negative_sources(equation: BlendEquation) -> bool {
    matches!(equation, BlendEquation::AddSigned | BlendEquation::ReverseSubtractSigned)
}

/// A factor as (name of the value, whether it is subtracted from one), given the name of the blend color; `None` for
/// constants.
fn factor_value(factor: BlendFactor, channel: usize, constant: &str) -> Option<(String, bool)> {
    let name = CHANNELS[channel];
    let component = ["x", "y", "z", "w"][channel];
    Some(match factor {
        BlendFactor::Zero | BlendFactor::One | BlendFactor::SourceAlphaSaturate => return None,
        BlendFactor::SourceColor => (format!("source_{name}"), false),
        BlendFactor::OneMinusSourceColor => (format!("source_{name}"), true),
        BlendFactor::SourceAlpha => ("source_alpha".to_owned(), false),
        BlendFactor::OneMinusSourceAlpha => ("source_alpha".to_owned(), true),
        BlendFactor::DestinationAlpha => ("stored_alpha".to_owned(), false),
        BlendFactor::OneMinusDestinationAlpha => ("stored_alpha".to_owned(), true),
        BlendFactor::DestinationColor => (format!("stored_{name}"), false),
        BlendFactor::OneMinusDestinationColor => (format!("stored_{name}"), true),
        BlendFactor::ConstantColor => (format!("vec4u({constant}.{component})"), false),
        BlendFactor::OneMinusConstantColor => (format!("vec4u({constant}.{component})"), true),
        BlendFactor::ConstantAlpha => (format!("vec4u({constant}.w)"), false),
        BlendFactor::OneMinusConstantAlpha => (format!("vec4u({constant}.w)"), true),
        BlendFactor::SecondColor => (format!("second_{name}"), false),
        BlendFactor::OneMinusSecondColor => (format!("second_{name}"), true),
        BlendFactor::SecondAlpha => ("second_alpha".to_owned(), false),
        BlendFactor::OneMinusSecondAlpha => ("second_alpha".to_owned(), true),
    })
}

fn byte_factor(factor: BlendFactor, channel: usize) -> String {
    match (factor_value(factor, channel, "constant"), factor) {
        (Some((value, false)), _) => value,
        (Some((value, true)), _) => format!("(vec4u(255u) - {value})"),
        (None, BlendFactor::Zero) => "0u".to_owned(),
        (None, BlendFactor::SourceAlphaSaturate) if channel < 3 => {
            "min(source_alpha, vec4u(255u) - stored_alpha)".to_owned()
        }
        (None, _) => "255u".to_owned(),
    }
}

/// One channel of blended floats, given the name of the blend color.
pub(crate) fn blended_floats(
    channel: usize,
    source: BlendFactor,
    destination: BlendFactor,
    equation: BlendEquation,
    constant: &str,
) -> String {
    const ONE: &str = "vec4u(0x3f800000u)";
    let name = CHANNELS[channel];
    let factor = |factor| match (factor_value(factor, channel, constant), factor) {
        (Some((value, false)), _) => value,
        (Some((value, true)), _) => format!("fp_sub({ONE}, {value})"),
        (None, BlendFactor::Zero) => "vec4u(0u)".to_owned(),
        (None, BlendFactor::SourceAlphaSaturate) if channel < 3 => {
            format!("fp_min(source_alpha, fp_sub({ONE}, stored_alpha))")
        }
        (None, _) => ONE.to_owned(),
    };
    let product = |value: &str, kind| match kind {
        BlendFactor::Zero => "vec4u(0u)".to_owned(),
        _ => format!("fp_mul({value}_{name}, {})", factor(kind)),
    };
    let from_source = product("source", source);
    let from_destination = product("stored", destination);
    match equation {
        BlendEquation::Add | BlendEquation::AddSigned | BlendEquation::ReverseAddSigned => {
            format!("fp_add({from_source}, {from_destination})")
        }
        BlendEquation::Subtract => format!("fp_sub({from_source}, {from_destination})"),
        BlendEquation::ReverseSubtract | BlendEquation::ReverseSubtractSigned => {
            format!("fp_sub({from_destination}, {from_source})")
        }
        BlendEquation::Min => format!("fp_min(source_{name}, stored_{name})"),
        BlendEquation::Max => format!("fp_max(source_{name}, stored_{name})"),
    }
}

#[cfg(test)]
mod tests {
    /// `over_255` of `wgsl/rop/merge_surface.wgsl`.
    fn over_255(x: u32) -> u32 {
        let moved = x + 128;
        (moved + (moved >> 8)) >> 8
    }

    #[test]
    fn products_of_bytes_are_divided() {
        for x in 0..=2 * 255 * 255 {
            assert_eq!(over_255(x).min(255), ((x + 127) / 255).min(255), "{x}");
        }
    }
}
