//! Counts the outcomes of tests in the text that merges quads.
//!
//! The split path's kernels store with each quad which of its pixels passed. Tile kernels count the remaining outcomes
//! themselves, and derive the failures of the depth test from the difference.

use std::fmt::Write;

pub use super::key::Counting;
use super::key::MergeKey;
use crate::counters::StageCount;

/// Where the outcomes of tests are counted, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tallying {
    /// For quads that shading stored: all outcomes, as vectors of four.
    Stored,
    /// In a tile kernel with one sample per pixel: sums, without those that can be derived from others.
    Tile,
    /// In a tile kernel with several samples per pixel: all sums.
    Samples,
}

/// The samples with one outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    /// The variable: a `vec4u` on the split path, else a `u32`.
    pub(crate) name: &'static str,
    /// The count that it is added to.
    pub(crate) count: StageCount,
}

const fn tally(name: &'static str, count: StageCount) -> Tally {
    Tally { name, count }
}

const FAILED_ALPHA: Tally = tally("failed_alpha", StageCount::Alpha);
const BEYOND_BOUNDS: Tally = tally("beyond_bounds", StageCount::DepthBounds);
/// Front faces, then back faces.
const FAILED_STENCIL: [Tally; 2] =
    [tally("failed_stencil", StageCount::StencilFront), tally("back_failed_stencil", StageCount::StencilBack)];
const FAILED_DEPTH: [Tally; 2] =
    [tally("failed_depth", StageCount::DepthFront), tally("back_failed_depth", StageCount::DepthBack)];
const PASSED: [Tally; 2] =
    [tally("passed_tests", StageCount::PassedFront), tally("back_passed_tests", StageCount::PassedBack)];

/// The imports of the text.
pub(crate) const IMPORTS: &str = "import package::fragment::count_pixels::{count_pixels, one_of};\n\
                                  import package::counters::draw_counts::{add_count, counters};\n";

/// The tallies of a kernel. Those of tiles that do not distinguish faces omit passed samples and depth failures.
pub(crate) fn tallies(key: &MergeKey, tallying: Tallying) -> Vec<Tally> {
    let has_stencil = key.has_stencil();
    let faces = if tells_faces(key) { 0..2 } else { 0..1 };
    let mut tallies = Vec::new();
    tallies.extend(key.alpha_test.map(|_| FAILED_ALPHA));
    tallies.extend(key.zeta.filter(|zeta| zeta.has_bounds).map(|_| BEYOND_BOUNDS));
    if has_stencil {
        tallies.extend(&FAILED_STENCIL[faces.clone()]);
    }
    if tallying != Tallying::Tile || tells_faces(key) {
        if key.zeta.is_some() {
            tallies.extend(&FAILED_DEPTH[faces.clone()]);
        }
        tallies.extend(&PASSED[faces]);
    }
    tallies
}

/// Whether front and back faces have separate tallies.
pub(crate) fn tells_faces(key: &MergeKey) -> bool {
    key.counting.is_some_and(|counting| counting.tells_faces)
}

/// Declares the tallies of a tile, before its quads, on the split path.
pub(crate) fn declare(text: &mut String, key: &MergeKey) {
    if key.counting.is_some() {
        for tally in tallies(key, Tallying::Stored) {
            let _ = writeln!(text, "    var {} = vec4u(0u);", tally.name);
        }
    }
}

/// Adds the tallies of a tile to the counts of the draw, on the split path.
pub(crate) fn add(text: &mut String, key: &MergeKey) {
    if key.counting.is_some() {
        for Tally { name, count } in tallies(key, Tallying::Stored) {
            let _ =
                writeln!(text, "    add_count(parameters.first_count + {}u, dot({name}, vec4u(1u)));", count as u32);
        }
    }
}

fn count(text: &mut String, tally: Tally, tallying: Tallying, pixels: &str) {
    let function = if tallying == Tallying::Stored { "one_of" } else { "count_pixels" };
    let _ = writeln!(text, "        {} += {function}({pixels});", tally.name);
}

/// Counts pixels, if they have tallies.
fn count_faces(text: &mut String, key: &MergeKey, [front, back]: [Tally; 2], tallying: Tallying, pixels: &str) {
    if tells_faces(key) {
        count(text, front, tallying, &format!("{pixels} & vec4<bool>(head.z != 0u)"));
        count(text, back, tallying, &format!("{pixels} & vec4<bool>(head.z == 0u)"));
    } else if tallies(key, tallying).contains(&front) {
        count(text, front, tallying, pixels);
    }
}

/// Starts a quad that shading stored.
pub(crate) fn begin(text: &mut String, key: &MergeKey) {
    if key.counting.is_some() {
        text.push_str("        var passed_pixels = vec4<bool>(false);\n");
    }
}

/// Counts the covered pixels that the alpha test removed from `alive`.
pub(crate) fn count_alpha(text: &mut String, key: &MergeKey, tallying: Tallying) {
    if key.counting.is_some() {
        let places = key.multisampling.map_or(4, |samples| samples.mode.count().max(4));
        let planes: Vec<_> = (1..places).map(|place| format!("(head.x >> {}u)", 4 * place)).collect();
        let _ = writeln!(text, "        let covered_pixels = (head.x | {}) & 15u;", planes.join(" | "));
        count(text, FAILED_ALPHA, tallying, "!alive & ((vec4u(covered_pixels) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u))");
    }
}

/// Counts the samples of `before_bounds` that are not `tested`.
pub(crate) fn count_bounds(text: &mut String, tallying: Tallying) {
    count(text, BEYOND_BOUNDS, tallying, "before_bounds & !tested");
}

/// Counts the samples of `tested` that failed.
pub(crate) fn count_failures(text: &mut String, key: &MergeKey, tallying: Tallying) {
    if key.has_stencil() {
        count_faces(text, key, FAILED_STENCIL, tallying, "tested & !stencil_passes");
        count_faces(text, key, FAILED_DEPTH, tallying, "tested & stencil_passes & !depth_passes");
    } else {
        count_faces(text, key, FAILED_DEPTH, tallying, "tested & !depth_passes");
    }
}

/// The line that counts the pixels of `skipped`, bits of a quad, that failed the stencil test, alone or together with
/// the depth test.
pub(crate) fn skipped_by_stencil(key: &MergeKey) -> Option<String> {
    let pixels = "(vec4u(skipped) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u)";
    let line = || format!("{} += count_pixels(({pixels}) & !stencil_passes);", FAILED_STENCIL[0].name);
    key.has_stencil().then(line)
}

/// Counts the samples that are still `alive`.
pub(crate) fn count_passed(text: &mut String, key: &MergeKey, tallying: Tallying) {
    if key.counting.is_none() {
        return;
    }
    count_faces(text, key, PASSED, tallying, "alive");
    if tallying != Tallying::Tile {
        text.push_str("        passed_pixels = passed_pixels | alive;\n");
    }
}

/// Ends a quad that shading stored: writes the passed pixels to its fourth word.
pub(crate) fn end(text: &mut String, key: &MergeKey) {
    if key.counting.is_some() {
        text.push_str(
            "        let passed_bits = dot(select(vec4u(0u), vec4u(16u, 32u, 64u, 128u), passed_pixels), vec4u(1u));\n\
             \x20       shaded[base + 1u].w = head.w | passed_bits;\n",
        );
    }
}
