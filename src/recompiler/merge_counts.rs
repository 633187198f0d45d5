//! Counts the outcomes of tests in the text of the output merger's kernel, and leaves with each quad which of its pixels passed.

use std::fmt::Write;

use super::merge_pixels::MergeKey;
use crate::counters::StageCount;

/// What is counted, and the words of a draw that it is added to.
const COUNTS: [(&str, StageCount); 8] = [
    ("failed_alpha", StageCount::Alpha),
    ("beyond_bounds", StageCount::DepthBounds),
    ("failed_stencil.x", StageCount::StencilFront),
    ("failed_stencil.y", StageCount::StencilBack),
    ("failed_depth.x", StageCount::DepthFront),
    ("failed_depth.y", StageCount::DepthBack),
    ("passed_tests.x", StageCount::PassedFront),
    ("passed_tests.y", StageCount::PassedBack),
];

/// What the text imports.
pub(super) const IMPORTS: &str = "import package::count_pixels::{count_facing, count_pixels};\n\
                                  import package::draw_counts::{add_count, counters};\n";

/// Counts of a tile, before its quads.
pub(super) fn declarations(key: &MergeKey) -> &'static str {
    if key.counted_flow.is_none() {
        return "";
    }
    "    var failed_alpha = 0u;\n    var beyond_bounds = 0u;\n    var failed_stencil = vec2u(0u);\n\
     \x20   var failed_depth = vec2u(0u);\n    var passed_tests = vec2u(0u);\n"
}

/// Adds the counts of a tile to those of the draw.
pub(super) fn add(text: &mut String, key: &MergeKey) {
    if key.counted_flow.is_some() {
        for (name, count) in COUNTS {
            let _ = writeln!(text, "    add_count(parameters.depth_bounds.z + {}u, {name});", count as u32);
        }
    }
}

/// Begins a quad.
pub(super) fn begin(text: &mut String, key: &MergeKey) {
    if key.counted_flow.is_some() {
        text.push_str("        let counted_front = head.z != 0u;\n        var passed_pixels = vec4<bool>(false);\n");
    }
}

/// Counts the covered pixels that the alpha test has taken from `alive`.
pub(super) fn count_alpha(text: &mut String, key: &MergeKey) {
    if key.counted_flow.is_some() {
        text.push_str(
            "        let covered_pixels = (head.x | (head.x >> 4u) | (head.x >> 8u) | (head.x >> 12u)) & 15u;\n\
             \x20       failed_alpha += count_pixels(!alive & ((vec4u(covered_pixels) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u)));\n",
        );
    }
}

/// Counts the samples of `tested` that failed.
pub(super) fn count_failures(text: &mut String, has_stencil: bool) {
    if has_stencil {
        text.push_str(
            "        failed_stencil += count_facing(tested & !stencil_passes, counted_front);\n\
             \x20       failed_depth += count_facing(tested & stencil_passes & !depth_passes, counted_front);\n",
        );
    } else {
        text.push_str("        failed_depth += count_facing(tested & !depth_passes, counted_front);\n");
    }
}

/// Counts the samples that are still `alive`.
pub(super) fn count_passed(text: &mut String, key: &MergeKey) {
    if key.counted_flow.is_some() {
        text.push_str(
            "        passed_tests += count_facing(alive, counted_front);\n\
             \x20       passed_pixels = passed_pixels | alive;\n",
        );
    }
}

/// Ends a quad: its fourth word gets the pixels that passed.
pub(super) fn end(text: &mut String, key: &MergeKey) {
    if key.counted_flow.is_some() {
        text.push_str(
            "        let passed_bits = dot(select(vec4u(0u), vec4u(16u, 32u, 64u, 128u), passed_pixels), vec4u(1u));\n\
             \x20       shaded[base + 1u].w = head.w | passed_bits;\n",
        );
    }
}
