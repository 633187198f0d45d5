//! Streams with a known number of pixels that the scissor and window clips reject.

use curie::counters::{Counter, Counters};

use super::streams::{COLOR, PIXELS, only_draw, scene, whole_target};

/// Pixels that the scissor rejects, that window clips reject, and that remain.
fn pixels(counters: &Counters) -> [u64; 3] {
    [Counter::Scissor, Counter::WindowClip, Counter::Fragments].map(|counter| counters.total(counter))
}

#[test]
fn rectangles_cut_what_lies_outside() {
    for (name, state, expected) in [
        ("uncut", "scissor: (0, 0, 64, 64)", [0, 0]),
        ("scissor", "scissor: (15, 8, 33, 24)", [PIXELS - 33 * 24, 0]),
        ("clipped_inside", "window_clip: [(3, 0, 16, 64)]", [0, PIXELS - 16 * 64]),
        ("clipped_outside", "window_clip: [(3, 0, 16, 64)], window_clip_outside: true", [0, 16 * 64]),
        // Rectangles with an overlap of 4×64 pixels.
        (
            "two_clips_outside",
            "window_clip: [(0, 0, 16, 64), (12, 0, 16, 64)], window_clip_outside: true",
            [0, 28 * 64],
        ),
        // Window clips reject half of the 32 columns in the scissor; the scissor rejects the other columns.
        ("both", "scissor: (0, 0, 32, 64), window_clip: [(16, 0, 32, 64)]", [32 * 64, 16 * 64]),
    ] {
        let [scissor, clips, left] = pixels(&only_draw(&whole_target(name, COLOR, state)));
        assert_eq!([scissor, clips], expected, "{name}");
        assert_eq!(scissor + clips + left, PIXELS, "{name}");
    }
}

#[test]
fn primitives_outside_are_rejected_and_their_pixels_counted() {
    // A point at every pixel of a row.
    let rest = "meshes: {\"row\": (shape: Vertices(count: 64, primitive: POINTS), attributes: {
            0: (from: Formula(\"((2 * vertex + 1) / 64 - 1, 1 / 64, 0, 1)\")),
            3: (from: Formula(\"(1, 0.5, 0, 1)\"), format: B8G8R8A8_UNORM),
        })},
        passes: [Render(target: \"screen\", state: (scissor: (0, 0, 24, 64)),
            draws: [(mesh: \"row\", vertex: \"vertex\", fragment: \"fragment\")])]";
    let counters = only_draw(&scene("points_outside", COLOR, rest));
    let primitives = [Counter::Assembled, Counter::Rejected, Counter::SetUp];
    assert_eq!(primitives.map(|counter| counters.total(counter)), [64, 40, 24]);
    assert_eq!(pixels(&counters), [40, 0, 24]);
}
