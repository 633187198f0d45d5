//! Layers behind others, which tile kernels skip primitive by primitive: the pixels that they cover still count.

use curie::counters::Counter;
use curie::kernels::{KernelOptions, Kernels};
use curie::replay::{ReplayOptions, replay};

use super::streams::{PIXELS, scene, statistics, triangle};
use crate::common;
use crate::common::nightly::is_nightly;

/// Long enough that a test before shading is worthwhile.
const LONG: &str = "!!ARBfp1.0\nTEMP a;\nMUL a, fragment.color, fragment.color;\nADD a, a, fragment.color;\n\
    MAD a, a, a, fragment.color;\nMUL a, a, a;\nADD a, a, fragment.color;\nMOV result.color, a;\nEND\n";

/// Eight layers from front to back: the first covers the whole target, the others are cut by some state. `expected` is
/// the number of pixels that each of the others covers; their vertices are `slope` apart in depth.
fn check(name: &str, state: &str, slope: &str, is_half: bool, expected: Option<u64>) {
    let layers = 0..8;
    let mesh = |layer: u32| {
        let mesh = triangle(&format!("l{layer}"), &format!("{layer} / 16 + vertex * {slope}"));
        if is_half { mesh.replace(" 3, -1", " 1, -1") } else { mesh }
    };
    let meshes: String = layers.clone().map(mesh).collect();
    let draw = |layer: u32| format!("(mesh: \"l{layer}\", vertex: \"vertex\", fragment: \"fragment\"),");
    let (first, others): (String, String) = (draw(0), layers.skip(1).map(draw).collect());
    let rest = format!(
        "meshes: {{{meshes}}}, passes: [
            Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1), state: (depth: (test: LESS)),
                draws: [{first}]),
            Render(target: \"screen\", state: (depth: (test: LESS), {state}), draws: [{others}]),
        ]"
    );
    let statistics = statistics(&scene(name, LONG, &rest));
    assert_eq!(statistics.draws.len(), 8);
    let counts = |draw: usize| {
        [Counter::Fragments, Counter::EarlyDepth].map(|counter| statistics.draws[draw].counters.total(counter))
    };
    let [covered, _] = counts(1);
    expected.into_iter().for_each(|expected| assert_eq!(covered, expected, "{name}"));
    assert!(covered > PIXELS / 16, "{name}: {covered}");
    assert_eq!(counts(0)[1], 0, "{name}");
    (1..8).for_each(|draw| assert_eq!(counts(draw), [covered; 2], "{name}, draw {draw}"));
}

#[test]
fn layers_over_all_of_a_tile() {
    check("hidden", "", "0", false, Some(PIXELS));
}

#[test]
fn layers_over_a_part_of_a_tile() {
    check("hidden_half", "", "0", true, None);
    check("hidden_cut", "scissor: (5, 3, 30, 40)", "0", false, Some(30 * 40));
}

#[test]
fn layers_of_several_depths() {
    check("hidden_slope", "", "0.03", false, Some(PIXELS));
    check("hidden_half_slope", "", "0.03", true, None);
}

#[test]
fn layers_that_window_clips_cut() {
    check("hidden_clipped", "window_clip: [(3, 0, 16, 64)]", "0", false, Some(16 * 64));
    check("hidden_half_clipped", "window_clip: [(3, 0, 16, 64)]", "0", true, None);
}

/// The right half fails the stencil test; in the left half, pixels that the second layer covers fail the depth test.
/// Nothing is written where they fail. Expects rejects of depth bounds, stencil and depth, and samples that pass.
fn check_kept_stencil(name: &str, state: &str, expected: [u64; 4]) {
    let meshes: String =
        [("marked", "0"), ("near", "-0.4"), ("far", "0.2")].map(|(name, z)| triangle(name, z)).concat();
    let draw = |mesh: &str| format!("(mesh: \"{mesh}\", vertex: \"vertex\", fragment: \"fragment\")");
    let [marked, near, far] = ["marked", "near", "far"].map(draw);
    let rest = format!(
        "meshes: {{{meshes}}}, passes: [
            Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1, stencil: 0),
                state: (scissor: (0, 0, 32, 64), stencil: (reference: 1, pass: REPLACE)), draws: [{marked}]),
            Render(target: \"screen\", state: (scissor: (0, 0, 64, 32), depth: (test: LESS)), draws: [{near}]),
            Render(target: \"screen\", state: (depth: (test: LESS), stencil: (test: EQUAL, reference: 1), {state}),
                draws: [{far}]),
        ]"
    );
    let statistics = statistics(&scene(name, LONG, &rest));
    let counters = &statistics.draws[2].counters;
    let rejects = [Counter::EarlyDepthBounds, Counter::EarlyStencil, Counter::EarlyDepth, Counter::Passed];
    assert_eq!(rejects.map(|counter| counters.total(counter)), expected, "{name}");
}

#[test]
fn quads_that_fail_a_stencil_test_without_effect() {
    check_kept_stencil("stencil_kept", "", [0, PIXELS / 2, PIXELS / 4, PIXELS / 4]);
    // Pixels that the second layer covers hold a depth outside the bounds.
    let bounds = "depth_bounds: (0.5, 1)";
    check_kept_stencil("stencil_and_bounds", bounds, [PIXELS / 2, PIXELS / 4, 0, PIXELS / 4]);
}

#[test]
fn pixels_beyond_depth_bounds_count_as_such_where_they_fail_for_their_depth_too() {
    let rest = format!(
        "meshes: {{{}{}}}, passes: [
            Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1),
                state: (scissor: (0, 0, 64, 32), depth: (test: LESS)),
                draws: [(mesh: \"near\", vertex: \"vertex\", fragment: \"fragment\")]),
            Render(target: \"screen\", state: (depth: (test: LESS), depth_bounds: (0.5, 1)),
                draws: [(mesh: \"far\", vertex: \"vertex\", fragment: \"fragment\")]),
        ]",
        triangle("near", "-0.4"),
        triangle("far", "0.2")
    );
    let statistics = statistics(&scene("bounds_and_depth", LONG, &rest));
    let counters = &statistics.draws[1].counters;
    let rejects = [Counter::EarlyDepthBounds, Counter::EarlyDepth, Counter::Passed];
    assert_eq!(rejects.map(|counter| counters.total(counter)), [PIXELS / 2, 0, PIXELS / 2]);
}

/// The first triangle is clipped, so its tiles leave the fast path. Hidden triangles follow: an invocation stops among them.
/// The last triangle lies in front, and the tile that continues must draw all of it.
fn check_continued(hidden: u32) {
    let last = 3 * (1 + hidden);
    let mesh = format!(
        "\"many\": (shape: Vertices(count: {}, primitive: TRIANGLES), attributes: {{
            0: (from: Formula(\"(select(mod(vertex, 3) - 1, -1, select(mod(vertex, 3), 3, -1)), \
                select(mod(vertex, 3) - 1, 3, -1), select(vertex + 0.5 - {last}, -1, 0.5), select(vertex, 1, -0.5))\")),
            3: (from: Formula(\"(1, 0.5, 0, 1)\"), format: B8G8R8A8_UNORM),
        }}),",
        last + 3
    );
    let draw = |mesh: &str| format!("(mesh: \"{mesh}\", vertex: \"vertex\", fragment: \"fragment\")");
    let rest = format!(
        "meshes: {{{}{mesh}}}, passes: [
            Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1), state: (depth: (test: LESS)), draws: [{}]),
            Render(target: \"screen\", state: (depth: (test: LESS)), draws: [{}]),
        ]",
        triangle("near", "-0.5"),
        draw("near"),
        draw("many")
    );
    let capture = scene(&format!("continued_{hidden}"), LONG, &rest);
    let counters = statistics(&capture).draws[1].counters;
    assert_eq!(counters.total(Counter::Clipped), 1);
    assert!(counters.total(Counter::Passed) >= PIXELS);
    let Some(gpu) = common::gpu() else { return };
    let header = capture.header;
    let mut kernels = Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap();
    let outcome = replay(&capture, &mut kernels, &ReplayOptions::default(), &mut |_, _| {}).unwrap();
    // The last one has depth 0.
    let rows = &outcome.surfaces[1].rows;
    assert!(rows.chunks(4).all(|word| word[1..] == [0; 3]), "{hidden} hidden: {:x?}", &rows[..64]);
}

#[test]
fn a_triangle_in_front_of_more_than_one_dispatch_draws() {
    // Dispatches stop after some eighty of these triangles.
    let counts: &[u32] = if is_nightly() { &[90, 110, 130, 150] } else { &[110] };
    counts.iter().copied().for_each(check_continued);
}
