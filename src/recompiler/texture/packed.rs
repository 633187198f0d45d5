//! The part of a texture unit's text that weights four texels of bytes at once: two channels side by side in a word.
//!
//! After the column weights, the bytes still fit sixteen bits, so the row weights lose nothing. The factor 0x101 that
//! turns bytes into 16-bit fractions comes last, because it is the same for all four texels.

use std::fmt::Write;

use super::key::TextureKey;
use crate::format::TexelStorage;
use crate::format::texel::Field;
use crate::recompiler::text::COMPONENTS;

/// The texel fields of a unit whose bilinear sums use packed bytes.
pub(crate) fn packed_fields(key: &TextureKey) -> Option<[Field; 4]> {
    let TexelStorage::Fields(fields) = key.format.storage() else { return None };
    let is_byte = |field: Field| match field {
        Field::Bits { shift, width } => width == 8 && shift % 8 == 0,
        Field::One | Field::Zero => true,
    };
    let is_filtered = key.filters_integers && key.filters_linearly != (false, false);
    let is_plain = key.shadow_compare.is_none() && !key.has_border;
    (is_filtered && is_plain && fields.into_iter().all(is_byte)).then_some(fields)
}

/// Sets `sum` to the bilinear fractions of the words `upper_left` to `lower_right`.
pub(crate) fn packed_sum(text: &mut String, key: &TextureKey, fields: [Field; 4]) {
    text.push_str(
        "    let right = x.weight;\n    let left = vec4u(256u) - right;\n    let below = y.weight;\n\
         \x20   let above = vec4u(256u) - below;\n    let bytes = vec4u(0xff00ffu);\n    let places = vec4u(8u);\n",
    );
    for row in ["upper", "lower"] {
        let _ = write!(
            text,
            "    let {row}_even = ({row}_left & bytes) * left + ({row}_right & bytes) * right;\n\
             \x20   let {row}_odd = (({row}_left >> places) & bytes) * left + (({row}_right >> places) & bytes) * right;\n"
        );
    }
    let used = key.used_channels();
    let sums: [String; 4] = std::array::from_fn(|channel| {
        let shift = match fields[channel] {
            Field::Zero => return "vec4u(0u)".to_owned(),
            Field::One => return "vec4u(0xffffu)".to_owned(),
            Field::Bits { .. } if !used.contains(&channel) => return "vec4u(0u)".to_owned(),
            Field::Bits { shift, .. } => shift,
        };
        let words = if shift & 8 == 0 { "even" } else { "odd" };
        let of = |row: &str| match shift < 16 {
            true => format!("({row}_{words} & vec4u(0xffffu))"),
            false => format!("({row}_{words} >> vec4u(16u))"),
        };
        let _ =
            writeln!(text, "    let {}_sum = {} * above + {} * below;", COMPONENTS[channel], of("upper"), of("lower"));
        format!("({}_sum * 0x101u + vec4u(0x8000u)) >> vec4u(16u)", COMPONENTS[channel])
    });
    let _ = writeln!(text, "    return QuadVector({});\n}}", sums.join(", "));
}
