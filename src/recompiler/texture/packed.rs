//! The part of a texture unit's text that weights four texels of bytes at once: two channels side by side in a word. A
//! weighted byte fits sixteen bits.

use std::fmt::Write;

use super::key::TextureKey;
use crate::format::TexelStorage;
use crate::format::texel::Field;

/// The texel fields of a unit whose bilinear sums use packed bytes.
pub(crate) fn packed_fields(key: &TextureKey) -> Option<[Field; 4]> {
    let TexelStorage::Fields(fields) = key.format.storage() else { return None };
    let is_byte = |field: Field| match field {
        Field::Bits { shift, width } => width == 8 && shift % 8 == 0,
        Field::One | Field::Zero => true,
    };
    let is_filtered = key.filters_bytes() && key.filters_linearly != (false, false);
    (is_filtered && !key.has_border && fields.into_iter().all(is_byte)).then_some(fields)
}

/// Returns the bilinear bytes of the words `upper_left` to `lower_right`.
pub(crate) fn packed_sum(text: &mut String, key: &TextureKey, fields: [Field; 4]) {
    text.push_str(
        "    let right = x.weight;\n    let left = vec4u(256u) - right;\n    let below = y.weight;\n\
         \x20   let above = vec4u(256u) - below;\n    let bytes = vec4u(0xff00ffu);\n    let places = vec4u(8u);\n\
         \x20   let halves = vec4u(0x800080u);\n",
    );
    let used = key.used_channels();
    for (words, parity) in [("even", 0), ("odd", 1)] {
        let is_used =
            |&channel: &usize| matches!(fields[channel], Field::Bits { shift, .. } if shift / 8 % 2 == parity);
        if !used.iter().any(is_used) {
            continue;
        }
        let of = |corner: &str| match parity {
            0 => format!("({corner} & bytes)"),
            _ => format!("(({corner} >> places) & bytes)"),
        };
        for row in ["upper", "lower"] {
            let [left, right] = ["left", "right"].map(|side| of(&format!("{row}_{side}")));
            let _ = writeln!(
                text,
                "    let {row}_{words} = (({left} * left + {right} * right + halves) >> places) & bytes;"
            );
        }
        let _ = writeln!(
            text,
            "    let {words} = ((upper_{words} * above + lower_{words} * below + halves) >> places) & bytes;"
        );
    }
    let sums: [String; 4] = std::array::from_fn(|channel| match fields[channel] {
        Field::One => "vec4u(255u)".to_owned(),
        Field::Bits { shift, .. } if used.contains(&channel) => {
            let words = if shift & 8 == 0 { "even" } else { "odd" };
            match shift < 16 {
                true => format!("{words} & vec4u(255u)"),
                false => format!("{words} >> vec4u(16u)"),
            }
        }
        Field::Bits { .. } | Field::Zero => "vec4u(0u)".to_owned(),
    });
    let _ = writeln!(text, "    return QuadVector({});\n}}", sums.join(", "));
}
