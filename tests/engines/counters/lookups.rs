//! Streams with known samples and texels for every lookup, and the traces of the same lookups.

use std::path::Path;

use curie::capture::Capture;
use curie::counters::trace::DrawTrace;
use curie::counters::{Counter, Counters};
use curie::machine::{self, DEFAULT_MACHINE, Machine};
use curie::replay::ReplayOptions;
use curie::statistics::models::{ModelRunner, TracedFrames, model, texture_trace};
use curie::statistics::time::Unit;

use super::streams::{PIXELS, only_draw, scene, triangle};

/// A triangle over the 64×64 target with a 64×64 texture, at coordinates of pixel centers × `scale`; `bias` is added to
/// the level of detail.
fn looked_up(name: &str, texture: &str, [s, t]: [u32; 2], bias: &str) -> Capture {
    let fragment = format!(
        "!!ARBfp1.0\nTEMP a;\nMUL a, fragment.position, {{ {}, {}, 0, 0 }};\nMOV a.w, {{ {bias} }}.x;\n\
         TXB result.color, a, texture[0], 2D;\nEND\n",
        f64::from(s) / 64.0,
        f64::from(t) / 64.0
    );
    over_target(name, &fragment, texture)
}

fn over_target(name: &str, fragment: &str, texture: &str) -> Capture {
    let rest = format!(
        "textures: {{\"t\": (image: Formula(size: (64, 64), color: \"(u, v, 1 - u, 1)\"), {texture})}},
        meshes: {{{}}},
        passes: [Render(target: \"screen\", draws: [
            (mesh: \"all\", vertex: \"vertex\", fragment: \"fragment\", textures: {{0: \"t\"}}),
        ])]",
        triangle("all", "0")
    );
    scene(name, fragment, &rest)
}

/// Samples, texels, trilinear and anisotropic lookups of unit 0, with one lookup per pixel; other units have none.
fn taken(counters: &Counters) -> [u64; 4] {
    let taken = [Counter::TextureSamples, Counter::Texels, Counter::Trilinear, Counter::Anisotropic];
    assert!(taken.iter().all(|counter| counters.elements(*counter)[1..].iter().all(|count| *count == 0)));
    taken.map(|counter| counters.elements(counter)[0])
}

#[test]
fn filters_take_what_they_are_known_for() {
    let trilinear = "mipmaps: true, min: LINEAR_MIPMAP_LINEAR, mag: LINEAR";
    let nearest_level = "mipmaps: true, min: LINEAR_MIPMAP_NEAREST, mag: LINEAR";
    for (name, texture, scale, bias, expected) in [
        ("nearest", "min: NEAREST, mag: NEAREST", [1, 1], "0", [1, 1, 0, 0]),
        ("bilinear", "min: LINEAR, mag: LINEAR", [1, 1], "0", [1, 4, 0, 0]),
        // One texel per pixel is no minification; two are.
        ("magnified", "min: NEAREST, mag: LINEAR", [1, 1], "0", [1, 4, 0, 0]),
        ("minified", "min: NEAREST, mag: LINEAR", [2, 2], "0", [1, 1, 0, 0]),
        ("between_levels", trilinear, [1, 1], "0.5", [2, 8, 1, 0]),
        ("on_a_level", trilinear, [2, 2], "0", [1, 4, 0, 0]),
        ("beyond_the_last_level", trilinear, [1, 1], "6.5", [1, 4, 0, 0]),
        ("nearest_level", nearest_level, [1, 1], "0.5", [1, 4, 0, 0]),
        (
            "nearest_between_levels",
            "mipmaps: true, min: NEAREST_MIPMAP_LINEAR, mag: NEAREST",
            [2, 2],
            "0.5",
            [2, 2, 1, 0],
        ),
    ] {
        let counters = only_draw(&looked_up(name, texture, scale, bias));
        assert_eq!(counters.elements(Counter::Lookups)[0], PIXELS, "{name}");
        assert_eq!(taken(&counters), expected.map(|each| each * PIXELS), "{name}");
    }
}

#[test]
fn footprints_take_as_many_samples_as_they_are_long() {
    let texture =
        |anisotropy| format!("mipmaps: true, min: LINEAR_MIPMAP_LINEAR, mag: LINEAR, anisotropy: {anisotropy}");
    // Samples have four texels each.
    for (name, anisotropy, scale, expected) in [
        ("four_to_one", 16, [8, 2], [4, 16, 0, 1]),
        ("three_to_one", 16, [6, 2], [3, 12, 0, 1]),
        // Limited, thus of level 2.
        ("two_to_one", 2, [8, 2], [2, 8, 0, 1]),
        ("one_to_one", 16, [2, 2], [1, 4, 0, 0]),
        // Level 0, four texels long.
        ("one_texel_wide", 16, [4, 1], [4, 16, 0, 1]),
        // Levels 1 and 2: three texels of a width of 3 on 8, and two of 4.
        ("eight_to_three", 16, [8, 3], [5, 20, 1, 1]),
    ] {
        let counters = only_draw(&looked_up(name, &texture(anisotropy), scale, "0"));
        assert_eq!(taken(&counters), expected.map(|each| each * PIXELS), "{name}");
    }
}

#[test]
fn the_border_has_no_texels() {
    // Coordinates reach 2, so three quarters of the pixels lie outside the image.
    let counters = only_draw(&looked_up(
        "border",
        "min: NEAREST, mag: NEAREST, wrap: (CLAMP_TO_BORDER, CLAMP_TO_BORDER, REPEAT)",
        [2, 2],
        "0",
    ));
    assert_eq!(taken(&counters), [PIXELS, PIXELS / 4, 0, 0]);
    // At the center of a texel the second column is the next one: in the last column the border, in two rows.
    let counters = only_draw(&looked_up(
        "linear_border",
        "min: LINEAR, mag: LINEAR, wrap: (CLAMP_TO_BORDER, REPEAT, REPEAT)",
        [1, 1],
        "0",
    ));
    assert_eq!(taken(&counters), [PIXELS, 4 * PIXELS - 2 * 64, 0, 0]);
}

#[test]
fn quads_that_branch_away_take_nothing() {
    // A checkerboard of two-pixel fields: every other quad samples.
    let fragment = "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP a, b;\nMUL a.xy, fragment.position, { 0.5 }.x;\nFLR a.xy, a;\n\
         ADD a.x, a.x, a.y;\nMUL a.x, a.x, { 0.5 }.x;\nFRC a.x, a.x;\nSUBC a.x, a.x, { 0.25 }.x;\n\
         MUL b, fragment.position, { 0.015625 }.x;\nMOV result.color, b;\nIF GT.x;\nTEX result.color, b, texture[0], 2D;\n\
         ENDIF;\nEND\n";
    let counters = only_draw(&over_target("branched", fragment, "min: LINEAR, mag: LINEAR"));
    assert_eq!(counters.elements(Counter::Lookups)[0], PIXELS / 2);
    assert_eq!(taken(&counters), [PIXELS / 2, 2 * PIXELS, 0, 0]);
}

/// The sample counts of all lookups in a trace, by unit.
fn traced_samples(trace: &DrawTrace) -> [u64; 16] {
    let mut samples = [0; 16];
    for lookup in &trace.lookups {
        samples[usize::from(lookup.unit)] += u64::from(lookup.filtered.samples);
    }
    samples
}

/// Clocks that a pipe needs to filter each lookup of a capture, all alike; the texture units take as long as all pipes
/// together.
fn filter_clocks(capture: &Capture, machine: &Machine) -> u16 {
    let mut found = None;
    for frame in TracedFrames::new(capture, machine, &ReplayOptions::default()).unwrap() {
        let frame = frame.unwrap();
        for draw in &frame.draws {
            assert_eq!(traced_samples(&draw.trace), draw.counters.elements(Counter::TextureSamples));
        }
        let (trace, _) = texture_trace(&frame.draws, machine);
        assert_eq!(trace.lookups.len() as u64, PIXELS / 4);
        let clocks = trace.lookups[0].clocks;
        assert!(trace.lookups.iter().all(|lookup| lookup.clocks == clocks));
        found = Some(clocks);
    }
    let clocks = found.unwrap();
    let models = model(capture, machine, ModelRunner::default(), &ReplayOptions::default(), &mut |_, _| {}).unwrap();
    let [quads, pipes] = [PIXELS / 4, machine.fragment.quad_pipes.into()];
    assert_eq!(models.draws[0].clocks.get(Unit::Texture), (quads * u64::from(clocks)) as f64 / pipes as f64);
    // Only misses keep a pipe from filtering, counted from the clock at which its FIFO starts.
    let of_pipes = models.frames[0].textures.pipes.iter().map(|pipe| pipe.cycles_without_latency);
    assert!(of_pipes.max().unwrap() > quads / pipes * u64::from(clocks));
    clocks
}

#[test]
fn a_pipe_filters_four_bilinear_samples_in_a_clock() {
    let ultra = machine::open(DEFAULT_MACHINE).unwrap();
    let trilinear = "mipmaps: true, min: LINEAR_MIPMAP_LINEAR, mag: LINEAR";
    let mipmaps = "mipmaps: true, min: LINEAR_MIPMAP_LINEAR, mag: LINEAR, anisotropy: 16";
    for (name, texture, scale, bias, expected) in [
        ("clocks_nearest", "min: NEAREST, mag: NEAREST", [1, 1], "0", 1),
        ("clocks_bilinear", "min: LINEAR, mag: LINEAR", [1, 1], "0", 1),
        ("clocks_border", "min: LINEAR, mag: LINEAR, wrap: (CLAMP_TO_BORDER, CLAMP_TO_BORDER, REPEAT)", [2, 2], "0", 1),
        ("clocks_trilinear", trilinear, [1, 1], "0.5", 2),
        ("clocks_on_a_level", trilinear, [2, 2], "0", 1),
        ("clocks_one_to_one", mipmaps, [2, 2], "0", 1),
        ("clocks_three_to_one", mipmaps, [6, 2], "0", 3),
        ("clocks_four_to_one", mipmaps, [8, 2], "0", 4),
        ("clocks_eight_to_three", mipmaps, [8, 3], "0", 5),
        // Weighted texels in groups of four: five or six, and nine.
        ("clocks_quincunx", "min: CONVOLUTION, mag: CONVOLUTION", [1, 1], "0", 2),
        ("clocks_gaussian", "min: CONVOLUTION, mag: CONVOLUTION, kernel: GAUSSIAN", [1, 1], "0", 3),
        ("clocks_half", "min: LINEAR, mag: LINEAR, format: W16_Z16_Y16_X16_FLOAT", [1, 1], "0", 2),
        ("clocks_single", "min: NEAREST, mag: NEAREST, format: W32_Z32_Y32_X32_FLOAT", [1, 1], "0", 4),
    ] {
        assert_eq!(filter_clocks(&looked_up(name, texture, scale, bias), &ultra), expected, "{name}");
    }
    // Half as many units take twice as long.
    let mut machine = ultra;
    machine.texture.lookups_per_clock /= 2;
    assert_eq!(filter_clocks(&looked_up("clocks_trilinear", trilinear, [1, 1], "0.5"), &machine), 4);
}

#[test]
fn a_quad_is_filtered_as_long_as_its_slowest_pixel() {
    // The bias makes the left pixels trilinear and leaves the right ones at one level.
    let fragment = "!!ARBfp1.0\nTEMP a;\nMUL a.x, fragment.position, { 0.5 }.x;\nFRC a.w, a.x;\nSLT a.w, a.w, { 0.5 }.x;\n\
         MUL a.w, a.w, { 0.5 }.x;\nMUL a.xy, fragment.position, { 0.015625 }.x;\nTXB result.color, a, texture[0], 2D;\nEND\n";
    let capture = over_target("clocks_mixed", fragment, "mipmaps: true, min: LINEAR_MIPMAP_LINEAR, mag: LINEAR");
    assert_eq!(taken(&only_draw(&capture)), [PIXELS / 2 * 3, PIXELS / 2 * 12, PIXELS / 2, 0]);
    assert_eq!(filter_clocks(&capture, &machine::open(DEFAULT_MACHINE).unwrap()), 2);
}

#[test]
fn two_slices_take_two_steps() {
    // Slices of a volume of four: between two, and on one.
    for (name, depth, expected) in [("clocks_between_slices", 0.25, 2), ("clocks_on_a_slice", 0.375, 1)] {
        let fragment = format!(
            "!!ARBfp1.0\nTEMP a;\nMUL a, fragment.position, {{ 0.015625 }}.x;\nMOV a.z, {{ {depth} }}.x;\n\
             TEX result.color, a, texture[0], 3D;\nEND\n"
        );
        let rest = format!(
            "textures: {{\"t\": (image: Volume(size: (64, 64, 4), color: \"(u, v, w, 1)\"), min: LINEAR, mag: LINEAR)}},
            meshes: {{{}}}, passes: [Render(target: \"screen\", draws: [
                (mesh: \"all\", vertex: \"vertex\", fragment: \"fragment\", textures: {{0: \"t\"}})])]",
            triangle("all", "0")
        );
        let capture = scene(name, &fragment, &rest);
        assert_eq!(taken(&only_draw(&capture)), [PIXELS, PIXELS * 4 * u64::from(expected), 0, 0], "{name}");
        assert_eq!(filter_clocks(&capture, &machine::open(DEFAULT_MACHINE).unwrap()), expected, "{name}");
    }
}

#[test]
fn traces_hold_the_texels_and_samples_that_are_counted() {
    let machine = machine::open(DEFAULT_MACHINE).unwrap();
    let mut texels = 0;
    for name in ["textri", "cube", "npot", "dxt", "tex3d", "arbvpfp"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/captures/{name}.nvcap"));
        let capture = Capture::read(&std::fs::read(path).unwrap()).unwrap();
        for frame in TracedFrames::new(&capture, &machine, &ReplayOptions::default()).unwrap() {
            for draw in frame.unwrap().draws {
                assert_eq!(draw.trace.texels.len() as u64, draw.counters.total(Counter::Texels), "{name}");
                assert_eq!(4 * draw.trace.lookups.len() as u64, draw.counters.total(Counter::Lookups), "{name}");
                assert_eq!(traced_samples(&draw.trace), draw.counters.elements(Counter::TextureSamples), "{name}");
                texels += draw.trace.texels.len();
            }
        }
    }
    assert!(texels > 100_000, "{texels}");
}
