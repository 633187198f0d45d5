//! Streams with known numbers: triangles over a whole target, layers, branches, strips.

use std::path::Path;

use curie::capture::{Capture, Record, Submission};
use curie::counters::{Counter, Counters, CountingOptions};
use curie::counting::CountingEngine;
use curie::kernels::{KernelOptions, Kernels};
use curie::reference::Reference;
use curie::replay::{FrameRule, FrameStarts};
use curie::scene::{SceneFile, SceneOptions};
use curie::statistics::{FrameStatistics, Statistics, collect};

use crate::common;

const VERTEX: &str = "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\n\
    MOV result.texcoord[0], vertex.texcoord[0];\nEND\n";
pub(crate) const COLOR: &str = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n";

/// The number of pixels in the target; its sides are 64.
pub(crate) const PIXELS: u64 = 64 * 64;

/// A scene with a mesh of a triangle that covers the target, at a depth of (1 + N) / 16; `rest` follows.
pub(crate) fn scene(name: &str, fragment: &str, rest: &str) -> Capture {
    scene_of("\"screen\": (color: A8R8G8B8, zeta: Z24S8)", name, fragment, rest)
}

/// The same with other targets.
pub(crate) fn scene_of(targets: &str, name: &str, fragment: &str, rest: &str) -> Capture {
    animation(name, fragment, &format!("targets: {{{targets}}}, {rest}"), 1)
}

/// Several frames of a scene with this many pixels.
fn animation(name: &str, fragment: &str, rest: &str, frames: u32) -> Capture {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("counters").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("plain.vp"), VERTEX).unwrap();
    std::fs::write(folder.join("plain.fp"), fragment).unwrap();
    let text = format!(
        "(size: (64, 64), programs: {{\"vertex\": (file: \"plain.vp\"), \"fragment\": (file: \"plain.fp\")}}, {rest})"
    );
    let scene = SceneFile::read("scene.ron", text, &folder, &SceneOptions::default());
    scene.unwrap_or_else(|error| panic!("{error}")).capture(0..frames).unwrap()
}

/// The attributes of the triangle, at a depth.
pub(crate) fn triangle(name: &str, depth: &str) -> String {
    format!(
        "\"{name}\": (shape: Vertices(count: 3, primitive: TRIANGLES), attributes: {{
            0: (from: Formula(\"(select(vertex - 1, -1, select(vertex, 3, -1)), select(vertex - 1, 3, -1), {depth}, 1)\")),
            3: (from: Formula(\"(1, 0.5, 0, 1)\"), format: B8G8R8A8_UNORM),
        }}),"
    )
}

/// One draw of that triangle with some state.
pub(crate) fn whole_target(name: &str, fragment: &str, state: &str) -> Capture {
    let rest = format!(
        "meshes: {{{}}}, passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1), state: ({state}),
        draws: [(mesh: \"all\", vertex: \"vertex\", fragment: \"fragment\")])]",
        triangle("all", "0")
    );
    scene(name, fragment, &rest)
}

/// The statistics of a capture, equal on both engines.
pub(crate) fn statistics(capture: &Capture) -> Statistics {
    let header = capture.header;
    let play = |engine: &mut dyn CountingEngine| {
        let options = Default::default();
        collect(capture, engine, &options, CountingOptions::default(), &mut |_, _| {}).unwrap().1
    };
    let expected = play(&mut Reference::new(header.vram_bytes, header.gart_bytes).unwrap());
    let default = KernelOptions::default();
    for options in [default, KernelOptions { tile_size: 8, batch_primitives: 7, quad_capacity: 1 << 10, ..default }] {
        let Some(gpu) = common::gpu() else { break };
        let mut kernels = Kernels::new(gpu, options, header.vram_bytes, header.gart_bytes).unwrap();
        assert_eq!(play(&mut kernels), expected, "{options:?}");
    }
    expected
}

/// The counters of the only draw.
pub(crate) fn only_draw(capture: &Capture) -> Counters {
    let statistics = statistics(capture);
    assert_eq!(statistics.draws.len(), 1);
    statistics.draws[0].counters
}

#[test]
fn a_triangle_over_the_target_has_no_helpers() {
    let counters = only_draw(&whole_target("whole", COLOR, "depth: (test: LESS)"));
    for (counter, expected) in [
        (Counter::Indices, 3),
        (Counter::CacheMisses, 3),
        (Counter::VertexInstructions, 9),
        (Counter::VectorOperations, 9),
        (Counter::Assembled, 1),
        (Counter::SetUp, 1),
        (Counter::Clipped, 0),
        (Counter::Quads, PIXELS / 4),
        (Counter::Fragments, PIXELS),
        (Counter::Helpers, 0),
        (Counter::Samples, PIXELS),
        (Counter::Passed, PIXELS),
        (Counter::ShadedQuads, PIXELS / 4),
        (Counter::Arithmetic, PIXELS / 4),
        (Counter::ColorWritten, PIXELS),
        (Counter::ColorBlended, 0),
        (Counter::DepthReads, PIXELS),
        (Counter::DepthWrites, PIXELS),
        (Counter::ColorWrittenBytes, 4 * PIXELS),
        (Counter::ZetaReadBytes, 4 * PIXELS),
        (Counter::ZetaWrittenBytes, 4 * PIXELS),
        (Counter::ColorReadBytes, 0),
        // Sixteen bytes of position and four of color.
        (Counter::AttributeBytes, 3 * 20),
    ] {
        assert_eq!(counters.total(counter), expected, "{counter:?}");
    }
}

#[test]
fn what_is_culled_scissored_or_outside_draws_nothing() {
    let counters = only_draw(&whole_target("culled", COLOR, "cull: FRONT"));
    assert_eq!([Counter::Culled, Counter::SetUp, Counter::Quads].map(|counter| counters.total(counter)), [1, 0, 0]);
    assert_eq!(counters.total(Counter::CacheMisses), 3);
    let counters = only_draw(&whole_target("blended", COLOR, "blend: (color: (ONE, ONE))"));
    assert_eq!(counters.elements(Counter::ColorBlended), [PIXELS, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(counters.total(Counter::ColorReadBytes), 4 * PIXELS);
}

/// A fragment program that takes a branch in the fields of one color of a checkerboard.
pub(crate) fn chequered(period: u32) -> String {
    let share = 1.0 / f64::from(period);
    format!(
        "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP a;\nMUL a.xy, fragment.position, {{ {share} }}.x;\nFLR a.xy, a;\n\
         ADD a.x, a.x, a.y;\nMUL a.x, a.x, {{ 0.5 }}.x;\nFRC a.x, a.x;\nSUBC a.x, a.x, {{ 0.25 }}.x;\nIF GT.x;\n\
         MOV result.color, {{ 1, 0, 0, 1 }};\nELSE;\nMOV result.color, {{ 0, 1, 0, 1 }};\nENDIF;\nEND\n"
    )
}

#[test]
fn a_chequerboard_diverges_in_every_quad_or_in_none() {
    for (period, expected) in [(1, [0, 0, 1024]), (2, [512, 512, 0]), (4, [512, 512, 0])] {
        let counters = only_draw(&whole_target(&format!("chequered{period}"), &chequered(period), ""));
        let branches = [Counter::UniformTaken, Counter::UniformNotTaken, Counter::Divergent];
        assert_eq!(branches.map(|counter| counters.total(counter)), expected, "period {period}");
        // Six instructions before the branch, and one in each block that a quad enters.
        let entered = if period == 1 { 2048 } else { 1024 };
        assert_eq!(counters.total(Counter::Arithmetic), 6 * 1024 + entered, "period {period}");
        assert_eq!(counters.total(Counter::Flow), 1024, "period {period}");
        // Programs do not end with ENDIF.
        assert_eq!(counters.total(Counter::Nops), 1024, "period {period}");
    }
}

/// Eight triangles over the target with the test LESS, at depths in sixteenths.
pub(crate) fn drawn_layers(name: &str, depths: [u32; 8]) -> Capture {
    let meshes: String = depths.map(|layer| triangle(&format!("l{layer}"), &format!("{layer} / 16"))).concat();
    let draws: String =
        depths.map(|layer| format!("(mesh: \"l{layer}\", vertex: \"vertex\", fragment: \"fragment\"),")).concat();
    let rest = format!(
        "meshes: {{{meshes}}}, passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1),
        state: (depth: (test: LESS)), draws: [{draws}])]"
    );
    scene(name, COLOR, &rest)
}

#[test]
fn layers_are_rejected_early_from_front_to_back_alone() {
    let layers = |name: &str, depths| statistics(&drawn_layers(name, depths));
    let front_to_back = layers("front", [0, 1, 2, 3, 4, 5, 6, 7]);
    let total = front_to_back.total();
    assert_eq!(total.total(Counter::EarlyDepth), 7 * PIXELS);
    assert_eq!([Counter::Passed, Counter::ShadedFragments].map(|counter| total.total(counter)), [PIXELS; 2]);
    assert_eq!(total.total(Counter::ShadedQuads), PIXELS / 4);
    let back_to_front = layers("back", [7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(back_to_front.total().total(Counter::EarlyDepth), 0);
    assert_eq!(back_to_front.total().total(Counter::Passed), 8 * PIXELS);
    // The totals of draws, frames and targets are equal.
    let mut draws = Counters::default();
    back_to_front.draws.iter().for_each(|draw| draws += &draw.counters);
    assert_eq!(back_to_front.targets.len(), 1);
    assert_eq!(back_to_front.targets[0].counters, draws);
    assert_eq!(back_to_front.targets[0].draws, 8);
    for counter in Counter::ALL.iter().filter(|counter| counter.row().group != "stream") {
        assert_eq!(back_to_front.total().elements(*counter), draws.elements(*counter), "{counter:?}");
    }
    assert_eq!(back_to_front.total().total(Counter::Draws), 8);
    assert_eq!(back_to_front.total().total(Counter::Clears), 1);
    assert_eq!(back_to_front.total().total(Counter::ClearedBytes), 8 * PIXELS);
}

#[test]
fn discarded_fragments_are_tested_late() {
    // Columns 0..31 are killed.
    let kill =
        "!!ARBfp1.0\nTEMP a;\nSUB a, fragment.position, { 32 }.x;\nKIL a.x;\nMOV result.color, fragment.color;\nEND\n";
    let counters = only_draw(&whole_target("killed", kill, "depth: (test: LESS)"));
    for (counter, expected) in [
        (Counter::Killed, PIXELS / 2),
        (Counter::MaskedSamples, PIXELS / 2),
        (Counter::Passed, PIXELS / 2),
        (Counter::ShadedQuads, PIXELS / 4),
        (Counter::EarlyDepth, 0),
        (Counter::LateDepth, 0),
        (Counter::DepthReads, PIXELS / 2),
    ] {
        assert_eq!(counters.total(counter), expected, "{counter:?}");
    }
    assert_eq!(counters.total(Counter::Kills), PIXELS / 4);
}

/// The identifying values of a frame: number, first draw, draws, clears.
fn frames(statistics: &Statistics) -> Vec<(Option<u32>, usize, usize, u64)> {
    let of =
        |frame: &FrameStatistics| (frame.number, frame.first_draw, frame.draws, frame.counters.total(Counter::Clears));
    statistics.frames.iter().map(of).collect()
}

#[test]
fn frames_without_marks_begin_with_clears_of_the_surface_cleared_last() {
    let pass = |target: &str, repeat: u32| {
        format!(
            "Render(target: \"{target}\", clear: (color: (0, 0, 1, 1), depth: 1),
            draws: [(mesh: \"all\", vertex: \"vertex\", fragment: \"fragment\", repeat: {repeat})]),"
        )
    };
    let rest = format!(
        "targets: {{\"shadow\": (color: A8R8G8B8, zeta: Z24S8), \"screen\": (color: A8R8G8B8, zeta: Z24S8)}},
        meshes: {{{}}}, passes: [{}{}]",
        triangle("all", "0"),
        pass("shadow", 2),
        pass("screen", 1)
    );
    let mut capture = animation("unmarked", COLOR, &rest, 3);
    let marked = statistics(&capture);
    assert_eq!(frames(&marked)[1..], [(Some(0), 0, 3, 2), (Some(1), 3, 3, 2), (Some(2), 6, 3, 2)]);
    capture.records.retain(|record| !matches!(record, Record::Mark(_)));
    let separate = statistics(&capture);
    // All in one submission, so that frames start inside it.
    let (mut pushes, mut sequence) = (Vec::new(), 0);
    capture.records.retain(|record| match record {
        Record::Submit(submission) => {
            pushes.extend(submission.pushes.clone());
            sequence = submission.sequence;
            false
        }
        _ => true,
    });
    capture.records.push(Record::Submit(Submission { sequence, pushes, ..Submission::default() }));
    let FrameStarts { rule, starts } = FrameStarts::find(&capture);
    assert_eq!((rule, starts.len()), (FrameRule::Clears, 3));
    assert!(starts.iter().all(|start| start.record + 1 == capture.records.len()));
    assert!(0 < starts[0].method && starts[0].method < starts[1].method && starts[1].method < starts[2].method);
    let joined = statistics(&capture);
    for found in [separate, joined] {
        assert_eq!(frames(&found), [(None, 0, 2, 1), (Some(0), 2, 3, 2), (Some(1), 5, 3, 2), (Some(2), 8, 1, 1)]);
        assert_eq!((found.total(), found.draws), (marked.total(), marked.draws.clone()));
    }
}
