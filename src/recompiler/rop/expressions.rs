//! WGSL expressions that the parts of the output merger share.

use crate::pipeline::LayoutKind;

/// Where a word of each pixel lies, or the whole of shorter pixels.
pub(crate) fn offsets(index: usize, layout: LayoutKind, bytes: u32, word: u32) -> String {
    let words = (bytes / 4).max(1);
    match (layout, words) {
        (LayoutKind::Swizzled, 1) => format!("swizzled_offsets(x, y, log2_{index}.x, log2_{index}.y, {bytes}u)"),
        (LayoutKind::Swizzled, _) => {
            let log2 = words.trailing_zeros();
            let column = format!("x * {words}u + {word}u");
            format!("swizzled_offsets({column}, y, log2_{index}.x + {log2}u, log2_{index}.y, 4u)")
        }
        (LayoutKind::Linear, 1) => format!("y * pitch{index} + x * {bytes}u"),
        (LayoutKind::Linear, _) => format!("y * pitch{index} + x * {bytes}u + {}u", 4 * word),
        (LayoutKind::BlockLinear, _) => {
            // A gob has 64 bytes of four rows. A pixel has up to four columns and two rows of samples.
            let wide = if 2 * 4 * bytes <= 64 { "" } else { "wide_" };
            format!("{wide}block_linear_offsets(x * {bytes}u + {}u, y, order{index})", 4 * word)
        }
    }
}
