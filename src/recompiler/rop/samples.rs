//! The loop over the samples of pixels in the text of the output merger's kernel.

use std::fmt::Write;

use super::key::MergeKey;
use crate::pipeline::Multisampling;
use crate::recompiler::sample_positions::texel_of_sample;

impl MergeKey {
    /// Whether every color counts as opaque.
    pub(crate) fn makes_opaque(&self) -> bool {
        self.multisampling.is_some_and(|samples| samples.alpha_to_one)
    }

    /// Whether shading stores a depth per sample.
    pub(crate) fn has_sample_depths(&self) -> bool {
        self.zeta.is_some() && self.multisampling.is_some_and(|samples| samples.is_enabled)
    }

    /// Vectors of a shaded quad that count its flow.
    pub(crate) fn flow_vectors(&self) -> u32 {
        self.counting.map_or(0, |counting| counting.flow_vectors)
    }

    /// Vectors per shaded quad.
    pub(crate) fn stride(&self) -> u32 {
        let depths = self.multisampling.filter(|_| self.has_sample_depths()).map_or(1, |samples| samples.mode.count());
        1 + 4 * self.shaded_colors + depths + self.flow_vectors()
    }
}

/// The alpha of color 0 of four pixels.
pub(crate) const SHADED_ALPHA: &str =
    "shaded[base + 2u].w, shaded[base + 3u].w, shaded[base + 4u].w, shaded[base + 5u].w";

/// Opens the loop over the samples of the pixels; its body works on one sample of each pixel. `alpha` is that of color 0.
pub(crate) fn open_samples(text: &mut String, multisampling: &Multisampling, alpha: &str) {
    let Multisampling { mode, is_enabled, sample_mask, alpha_to_coverage, .. } = multisampling;
    let ([columns, rows], count) = (mode.log2_size(), mode.count());
    let [column, row] = texel_of_sample(mode.samples(), columns);
    if *alpha_to_coverage {
        let _ =
            writeln!(text, "        let samples_of_alpha = (fp_float_to_unorm({alpha}, 8u) * {count}u + 127u) / 255u;");
    }
    let plane = if *is_enabled { "head.x >> (4u * sample)" } else { "head.x" };
    let _ = write!(
        text,
        "        let pixels_alive = alive;\n        let pixel_x = x;\n        let pixel_y = y;\n\
         \x20       for (var sample = 0u; sample < {count}u; sample++) {{\n\
         \x20       let plane = vec4u({plane}) >> vec4u(0u, 1u, 2u, 3u);\n\
         \x20       var alive = pixels_alive & ((plane & vec4u(1u)) != vec4u(0u));\n"
    );
    if *alpha_to_coverage {
        text.push_str("        alive = alive & (samples_of_alpha > vec4u(sample));\n");
    }
    if sample_mask.count_ones() != count {
        let _ = writeln!(text, "        alive = alive & vec4<bool>((({sample_mask}u >> sample) & 1u) != 0u);");
    }
    let _ = write!(
        text,
        "        if !any(alive) {{\n            continue;\n        }}\n\
         \x20       let x = (pixel_x << vec4u({columns}u)) + vec4u({column});\n\
         \x20       let y = (pixel_y << vec4u({rows}u)) + vec4u({row});\n"
    );
}
