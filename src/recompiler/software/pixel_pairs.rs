//! Translates the loads and stores of a quad's pixels into the text of the output merger's kernel: pixel by pixel, or
//! in pairs of a row.

use crate::recompiler::rop::key::MergeKey;

/// Imports of text that uses 64-bit words.
pub(crate) const IMPORTS: &str = "import package::software::pixel_pairs::{load_pixel_pairs, store_pixel_pairs, \
    store_pixel_quad, load_wide_pixels, store_wide_pixels};\n";

impl MergeKey {
    /// Whether the text uses 64-bit words.
    pub(crate) fn uses_wide_words(&self) -> bool {
        let has_wide_colors = self.written_colors().any(|color| color.is_paired && color.format.bytes() >= 4);
        has_wide_colors || self.zeta.is_some_and(|zeta| zeta.is_paired && zeta.format.bytes() == 4)
    }
}

/// Loads pixels of up to 32 bits, given the names of a window and of offsets.
pub(crate) fn loaded(window: &str, offsets: &str, bytes: u32, is_paired: bool) -> String {
    match (is_paired, bytes) {
        (true, 4) => format!("load_pixel_pairs({window}, {offsets})"),
        (true, 2) => format!("load_half_pairs({window}, {offsets})"),
        _ => format!("load_pixels({window}, {offsets}, {bytes}u, 0u)"),
    }
}

/// Loaded pixels that a store replaces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored<'a> {
    /// Their name.
    pub(crate) name: &'a str,
    /// Whether all lie inside the targets, so that any may be stored back.
    pub(crate) is_inside: bool,
}

/// Stores pixels of up to 32 bits if a value says so; in pairs if they were loaded.
pub(crate) fn store(
    [window, offsets]: [&str; 2],
    bytes: u32,
    is_paired: bool,
    stored: Option<Stored<'_>>,
    [values, written]: [&str; 2],
) -> String {
    match (is_paired, bytes, stored) {
        (true, 4, Some(Stored { name, is_inside })) => {
            let function = if is_inside { "store_pixel_quad" } else { "store_pixel_pairs" };
            format!("{function}({window}, {offsets}, {name}, {values}, {written});")
        }
        (true, 2, Some(Stored { name, .. })) => {
            format!("store_half_pairs({window}, {offsets}, {name}, {values}, {written});")
        }
        _ => format!("store_pixels({window}, {offsets}, {bytes}u, 0u, {values}, {written});"),
    }
}
