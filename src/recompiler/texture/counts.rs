//! The parts of a texture unit's text that count the work of a fetch: samples, texels, trilinear and anisotropic fetches.
//!
//! Counts are sums over the quad's pixels. The text reads the same texels for all pixels, so each step defines which
//! pixels it counts.

use std::fmt::Write;

use super::key::TextureKey;
use crate::pipeline::MipFilter;

/// Imports that only these parts use.
pub(crate) const IMPORTS: &str = "import package::fragment::count_pixels::count_pixels;\n\
    import package::texture::counts::{axis_texels, count_texels, is_inside};\n";

/// The words of [`LookupCounts`](crate::counters::LookupCounts) that a unit's text counts, as a bit mask; the others stay 0.
#[must_use]
pub fn counted_words(key: &TextureKey) -> u8 {
    let Some(rule) = key.counts else { return 0 };
    let words = [rule.level_samples, rule.level_texels, key.mip_filter == MipFilter::Linear, key.is_anisotropic];
    (0..).zip(words).fold(0, |bits, (word, counts)| bits | u8::from(counts) << word)
}

/// Whether levels count a sample each; anisotropic ones count all of theirs.
fn counts_samples(key: &TextureKey) -> bool {
    key.counts.is_some_and(|rule| rule.level_samples) && !key.is_anisotropic
}

fn counts_texels(key: &TextureKey) -> bool {
    key.counts.is_some_and(|rule| rule.level_texels)
}

/// Declares the variables.
pub(crate) fn declarations(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_none() {
        return;
    }
    text.push_str(IMPORTS);
    let _ = write!(
        text,
        "\n// What the last fetch took: samples, texels, pixels that mixed levels and that took several samples; the pixels that\n\
         // what comes next counts for.\n\
         var<private> texture_counts_{unit}: vec4u;\nvar<private> counted_pixels_{unit}: vec4<bool>;\n"
    );
    if key.is_anisotropic {
        let _ = writeln!(
            text,
            "// The pixels that took several samples of a level.\nvar<private> averaged_pixels_{unit}: vec4<bool>;"
        );
    }
}

/// Starts a fetch.
pub(crate) fn begin(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_none() {
        return;
    }
    let _ = write!(text, "    texture_counts_{unit} = vec4u(0u);\n    counted_pixels_{unit} = vec4<bool>(true);\n");
    if key.is_anisotropic {
        let _ = writeln!(text, "    averaged_pixels_{unit} = vec4<bool>(false);");
    }
}

/// Ends a fetch.
pub(crate) fn end(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_some() && key.is_anisotropic {
        let _ = writeln!(text, "    texture_counts_{unit}.w = count_pixels(averaged_pixels_{unit});");
    }
}

/// Counts the `samples` of a level, and starts the loop over them.
pub(crate) fn begin_samples(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_some() {
        let _ = write!(
            text,
            "    let counted = counted_pixels_{unit};\n\
             \x20   texture_counts_{unit}.x += count_texels(samples, counted);\n\
             \x20   averaged_pixels_{unit} = averaged_pixels_{unit} | (counted & (samples > vec4u(1u)));\n"
        );
    }
}

/// Within this loop, restricts what comes next to the pixels with a sample.
pub(crate) fn next_sample(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_some() {
        let _ = writeln!(text, "        counted_pixels_{unit} = counted & is_sample;");
    }
}

/// Ends this loop.
pub(crate) fn end_samples(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_some() {
        let _ = writeln!(text, "    counted_pixels_{unit} = counted;");
    }
}

/// Counts the sample of the only level.
pub(crate) fn level(text: &mut String, unit: u8, key: &TextureKey) {
    if counts_samples(key) {
        let _ = writeln!(text, "    texture_counts_{unit}.x += count_pixels(counted_pixels_{unit});");
    }
}

/// Counts the samples of two levels; the second level counts if it has a `weight`.
pub(crate) fn mixed_levels(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_none() {
        return;
    }
    let _ = write!(
        text,
        "    let mixes_levels = counted_pixels_{unit} & (weight != vec4u(0u));\n\
         \x20   texture_counts_{unit}.z += count_pixels(mixes_levels);\n"
    );
    if counts_samples(key) {
        let _ = writeln!(
            text,
            "    texture_counts_{unit}.x += count_pixels(counted_pixels_{unit}) + count_pixels(mixes_levels);"
        );
    }
}

/// Within the loop over two levels, restricts the second level to the pixels that mix levels.
pub(crate) fn next_level(text: &mut String, unit: u8, key: &TextureKey) {
    if counts_texels(key) {
        let _ = writeln!(
            text,
            "        counted_pixels_{unit} = select(counted_pixels_{unit}, mixes_levels, vec4<bool>(step != 0u));"
        );
    }
}

/// Counts the texels of a level: those of both axes, and of slices.
pub(crate) fn texels(text: &mut String, unit: u8, key: &TextureKey) {
    if !counts_texels(key) {
        return;
    }
    if key.has_seams() {
        let _ = writeln!(
            text,
            "    texture_counts_{unit}.y += count_texels(cube_taps(x, y, level.width, is_filtered), counted_pixels_{unit});"
        );
        return;
    }
    let slices = if key.has_slices() { " * axis_texels(z, z.weight != vec4u(0u))" } else { "" };
    let _ = writeln!(
        text,
        "    texture_counts_{unit}.y += count_texels(axis_texels(x, is_filtered) * axis_texels(y, is_filtered){slices}, \
         counted_pixels_{unit});"
    );
}

/// Starts a level that some pixels filter and others convolve: later steps count for the filtering pixels.
pub(crate) fn filtered(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_some() {
        let _ = write!(
            text,
            "    let counted = counted_pixels_{unit};\n    counted_pixels_{unit} = counted & !is_convolved;\n"
        );
    }
}

/// Makes later steps count for the convolving pixels.
pub(crate) fn convolved(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_some() {
        let _ = writeln!(text, "    counted_pixels_{unit} = counted & is_convolved;");
    }
}

/// Starts loops over texels, which are counted separately per pixel and summed after the loops: a loop over lanes for
/// each texel would cost more.
pub(crate) fn begin_texels(text: &mut String, key: &TextureKey) {
    if key.counts.is_some() {
        text.push_str("    var texels = vec4u(0u);\n");
    }
}

/// Within these loops, counts a texel at positions of its axes, for the pixels `counted`.
pub(crate) fn texel(text: &mut String, key: &TextureKey, positions: &[&str], counted: &str) {
    if key.counts.is_some() {
        let inside: String = positions.iter().map(|position| format!(" & is_inside({position})")).collect();
        let _ = writeln!(text, "            texels += select(vec4u(0u), vec4u(1u), {counted}{inside});");
    }
}

/// Sums the counts after these loops.
pub(crate) fn end_texels(text: &mut String, unit: u8, key: &TextureKey) {
    if key.counts.is_some() {
        let _ = writeln!(text, "    texture_counts_{unit}.y += dot(texels, vec4u(1u));");
    }
}
