//! Streams of which the samples and texels of every lookup are known, and the traces of the same lookups.

use std::path::Path;

use curie::capture::Capture;
use curie::counters::{Counter, Counters};
use curie::machine::{self, DEFAULT_MACHINE};
use curie::replay::ReplayOptions;
use curie::statistics::models::TracedFrames;

use super::streams::{PIXELS, only_draw, scene, triangle};

/// A triangle over the target of 64×64 with a texture of 64×64, at coordinates of pixel centres × `scale`; `bias` is added to
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

/// Samples, texels, lookups of two levels and anisotropic ones of unit 0 for a lookup of each pixel; other units have none.
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
        // A texel for each pixel is not minified; two are.
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
    // Texels count within x²/(a² + 1) + y²/(b² + 1) < 1 around the coordinate, for half axes of a and b texels of the level
    // whose texels are as large as the footprint is wide.
    for (name, anisotropy, scale, expected) in [
        // Level 1, half axes of 4 and 1, between two columns and on a row: x = ±1/2 … ±7/2 of it, up to ±5/2 of its neighbours.
        ("four_to_one", 16, [8, 2], [4, 8 + 2 * 6, 0, 1]),
        // Level 1, half axes of 3 and 1, on a texel: x = −3 … 3, and −2 … 2 in the rows beside it.
        ("three_to_one", 16, [6, 2], [3, 7 + 2 * 5, 0, 1]),
        // Limited, thus level 2, half axes of 2 and 1/2, between columns, a quarter beside a row: four columns of two rows.
        ("two_to_one", 2, [8, 2], [2, 4 * 2, 0, 1]),
        // Level 1, a circle with radius √2 without the rim around a texel.
        ("one_to_one", 16, [2, 2], [1, 5, 0, 1]),
        // What is not minified is not averaged.
        ("not_minified", 16, [4, 1], [1, 4, 0, 0]),
    ] {
        let counters = only_draw(&looked_up(name, &texture(anisotropy), scale, "0"));
        assert_eq!(taken(&counters), expected.map(|each| each * PIXELS), "{name}");
    }
}

#[test]
fn the_border_has_no_texels() {
    // Coordinates reach 2, so that three quarters of the pixels lie beyond the image.
    let counters = only_draw(&looked_up(
        "border",
        "min: NEAREST, mag: NEAREST, wrap: (CLAMP_TO_BORDER, CLAMP_TO_BORDER, REPEAT)",
        [2, 2],
        "0",
    ));
    assert_eq!(taken(&counters), [PIXELS, PIXELS / 4, 0, 0]);
    // In the middle of a texel the second column is the next one: in the last column the border, in two rows.
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
    // A board of fields of two pixels: every other quad samples.
    let fragment = "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP a, b;\nMUL a.xy, fragment.position, { 0.5 }.x;\nFLR a.xy, a;\n\
         ADD a.x, a.x, a.y;\nMUL a.x, a.x, { 0.5 }.x;\nFRC a.x, a.x;\nSUBC a.x, a.x, { 0.25 }.x;\n\
         MUL b, fragment.position, { 0.015625 }.x;\nMOV result.color, b;\nIF GT.x;\nTEX result.color, b, texture[0], 2D;\n\
         ENDIF;\nEND\n";
    let counters = only_draw(&over_target("branched", fragment, "min: LINEAR, mag: LINEAR"));
    assert_eq!(counters.elements(Counter::Lookups)[0], PIXELS / 2);
    assert_eq!(taken(&counters), [PIXELS / 2, 2 * PIXELS, 0, 0]);
}

#[test]
fn traces_hold_the_texels_that_are_counted() {
    let machine = machine::open(DEFAULT_MACHINE).unwrap();
    let mut texels = 0;
    for name in ["textri", "cube", "npot", "dxt", "tex3d", "arbvpfp"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/captures/{name}.nvcap"));
        let capture = Capture::read(&std::fs::read(path).unwrap()).unwrap();
        for frame in TracedFrames::new(&capture, &machine, &ReplayOptions::default()).unwrap() {
            for draw in frame.unwrap().draws {
                assert_eq!(draw.trace.texels.len() as u64, draw.counters.total(Counter::Texels), "{name}");
                assert_eq!(4 * draw.trace.lookups.len() as u64, draw.counters.total(Counter::Lookups), "{name}");
                texels += draw.trace.texels.len();
            }
        }
    }
    assert!(texels > 100_000, "{texels}");
}
