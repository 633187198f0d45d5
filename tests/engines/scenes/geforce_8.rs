//! Scenes of the GeForce 8: pixels by calculation, on both engines, and mistakes.

use curie::present::{Channel, Picture};
use curie::scene::SceneError;

use super::mistakes::damage;
use super::stage::{kernels, lines, pixel, play, play_on, read};

/// Programs that place attribute 0 as it is and show attribute 3.
const PLAIN: &str = "!!Tesla1.0
.kernel place
.kind vertex
    mov b32 o[0x0] a[0x0]
    mov b32 o[0x4] a[0x4]
    mov b32 o[0x8] a[0x8]
    mov b32 o[0xc] a[0xc]
    mov b32 o[0x10] a[0x30]
    mov b32 o[0x14] a[0x34]
    mov b32 o[0x18] a[0x38]
    exit nop
.kernel show
.kind fragment
    interp $r3 v[0xc]
    rcp f32 $r3 $r3
    interp $r0 v[0x10] $r3
    interp $r1 v[0x14] $r3
    interp $r2 v[0x18] $r3
    mov b32 $r3 1.0
    exit nop
";

/// A program that takes positions by a matrix and a color from its constants.
const MOVED: &str = "!!Tesla1.0
.kernel moved
.kind vertex
.const matrix c0[0x0] 64
.const color c0[0x40] 12
.data 0 0 0
    mul rn f32 $r0 a[0x0] c0[matrix]
    add rn f32 o[0x0] $r0 c0[matrix+0xc]
    mul rn f32 o[0x4] a[0x4] c0[matrix+0x14]
    mul rn f32 o[0x8] a[0xc] c0[matrix+0x2c]
    mul rn f32 o[0xc] a[0xc] c0[matrix+0x3c]
    ld $r0 b32 c0[color]
    ld $r1 b32 c0[color+0x4]
    ld $r2 b32 c0[color+0x8]
    mov b32 o[0x10] $r0
    mov b32 o[0x14] $r1
    mov b32 o[0x18] $r2
    exit nop
";

/// A scene with a target of 64×64 pixels and the programs of [`PLAIN`]; `rest` follows.
fn text(programs: &str, rest: &str) -> String {
    format!(
        "(size: (64, 64), chipset: \"G92\", targets: {{\"screen\": (color: A8R8G8B8, zeta: Z24S8)}},
        programs: {{
            \"place\": (file: \"plain.tesla\", entry: \"place\"),
            \"show\": (file: \"plain.tesla\", entry: \"show\"),
            {programs}
        }}, {rest})"
    )
}

/// The first frame, which is the same on both engines and without anomalies.
fn picture(name: &str, text: &str, files: &[(&str, &str)]) -> Picture {
    let files = [&[("plain.tesla", PLAIN)], files].concat();
    let scene = read(name, text, &files).unwrap_or_else(|error| panic!("{error}"));
    let capture = scene.capture(0..1).unwrap_or_else(|error| panic!("{error}"));
    let outcome = play(&capture);
    if let Some(mut engine) = kernels(&capture) {
        assert_eq!(lines(&play_on(&capture, &mut engine).0), lines(&outcome), "the engines differ");
    }
    Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap()
}

/// A mesh that covers the target in a color.
fn cover(name: &str, color: &str) -> String {
    format!(
        "\"{name}\": (shape: Screen, attributes: {{
            0: (from: Position), 3: (from: Formula(\"{color}\"), format: B8G8R8A8_UNORM),
        }}),"
    )
}

#[test]
fn the_first_row_is_the_upper_edge_and_fronts_turn_counterclockwise() {
    let scene = |state: &str| {
        text(
            "",
            &format!(
                "meshes: {{\"half\": (shape: Vertices(count: 3, primitive: TRIANGLES), attributes: {{
                    0: (from: Formula(\"(select(vertex - 1, -1, select(vertex, 1, -1)), select(vertex - 1, 1, 0), 0)\")),
                    3: (from: Formula(\"(1, 0.5, 0, 1)\"), format: B8G8R8A8_UNORM),
                }})}},
                passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1), state: ({state}), draws: [
                    (mesh: \"half\", vertex: \"place\", fragment: \"show\"),
                ])]"
            ),
        )
    };
    for (state, is_drawn) in
        [("", true), ("cull: BACK", true), ("cull: FRONT", false), ("cull: BACK, front_face: CW", false)]
    {
        let picture = picture("tesla_winding", &scene(state), &[]);
        assert_eq!(pixel(&picture, 4, 20), if is_drawn { [255, 128, 0] } else { [0, 0, 255] }, "{state}");
        assert_eq!(pixel(&picture, 4, 40), [0, 0, 255], "{state}");
        assert_eq!(pixel(&picture, 60, 4), [0, 0, 255], "{state}");
    }
}

/// A matrix moves the right half out, depth hides the second draw, and blending adds the third to the first.
#[test]
fn constants_depth_and_blending() {
    let draw = |depth: &str, color: &str, state: &str| {
        format!(
            "(mesh: \"screen\", vertex: \"moved\", fragment: \"show\",
                constants: {{\"matrix\": \"translate(-1, 0, {depth})\", \"color\": \"{color}\"}}, state: ({state})),"
        )
    };
    let draws = [
        draw("0.0", "(1, 0, 0)", ""),
        draw("0.5", "(0, 1, 0)", ""),
        draw("-0.5", "(0, 0.2, 1)", "blend: (color: (ONE, ONE)), color_mask: [\"gb\"]"),
    ];
    let scene = text(
        "\"moved\": (file: \"moved.tesla\"),",
        &format!(
            "meshes: {{\"screen\": (shape: Screen)}},
            passes: [Render(target: \"screen\", clear: (color: (0.2, 0.2, 0.2, 1), depth: 1),
                state: (depth: (test: LESS)), draws: [{}])]",
            draws.concat()
        ),
    );
    let picture = picture("tesla_constants", &scene, &[("moved.tesla", MOVED)]);
    assert_eq!((pixel(&picture, 10, 10), pixel(&picture, 40, 10)), ([255, 51, 255], [51; 3]));
}

/// A draw with an offset equals one without that lies as many steps of the depth format behind, and no other.
#[test]
fn units_of_offsets_are_steps_of_the_depth_format() {
    for (steps, is_drawn) in [(2, false), (3, true), (6, false)] {
        // Depths from 0.5 on are multiples of 2⁻²⁴, half as far apart as the coordinates.
        let behind = f64::from(steps) * 2f64.powi(-23);
        let scene = text(
            "\"moved\": (file: \"moved.tesla\"),",
            &format!(
                "meshes: {{\"screen\": (shape: Screen)}},
                passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1), draws: [
                    (mesh: \"screen\", vertex: \"moved\", fragment: \"show\",
                        constants: {{\"matrix\": \"translate(-1, 0, 0)\", \"color\": \"(1, 0, 0)\"}},
                        state: (depth: (test: LESS), polygon_offset: (0, 3))),
                    (mesh: \"screen\", vertex: \"moved\", fragment: \"show\",
                        constants: {{\"matrix\": \"translate(-1, 0, {behind:.20})\", \"color\": \"(0, 1, 0)\"}},
                        state: (depth: (test: EQUAL))),
                ])]"
            ),
        );
        let picture = picture("tesla_offset", &scene, &[("moved.tesla", MOVED)]);
        assert_eq!(pixel(&picture, 10, 10), if is_drawn { [0, 255, 0] } else { [255, 0, 0] }, "{steps}");
    }
}

/// Three instances side by side, drawn by indices; the middle one is counted, and the third is drawn only because of it.
#[test]
fn instances_and_counts() {
    let shifted = "!!Tesla1.0\n.kernel shifted\n.kind vertex\n    mov b32 $r0 a[0x60]\n    mov b32 $r1 0.25
        add f32 o[0x0] (mul a[0x0] $r1) $r0\n    mov b32 $r1 0.5\n    mul rn f32 o[0x4] a[0x4] $r1\n    mov b32 $r2 0.0\n    mov b32 $r3 1.0
        mov b32 o[0x8] $r2\n    mov b32 o[0xc] $r3\n    mov b32 o[0x10] a[0x64]\n    mov b32 o[0x14] a[0x68]
        mov b32 o[0x18] a[0x6c]\n    exit nop\n";
    let draw = |count: u32, first: &str, more: &str| {
        format!(
            "(mesh: \"screen\", vertex: \"shifted\", fragment: \"show\", {more} instances: (count: {count}, attributes: {{
                6: (from: \"({first} + 0.6 * instance, 1, instance, 0)\")}})),"
        )
    };
    let scene = text(
        "\"shifted\": (file: \"shifted.tesla\"),",
        &format!(
            "meshes: {{\"screen\": (shape: Screen)}},
            passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1)), draws: [{}{}{}{}])]",
            draw(2, "-0.6", "count: \"seen\","),
            draw(1, "5", "count: \"none\","),
            draw(1, "0.6", "only_if: \"seen\","),
            draw(1, "0", "only_if: \"none\","),
        ),
    );
    let picture = picture("tesla_instances", &scene, &[("shifted.tesla", shifted)]);
    let [left, middle, right] = [12, 32, 51].map(|x| pixel(&picture, x, 32));
    assert_eq!((left, middle, right), ([255, 0, 0], [255, 255, 0], [255, 0, 0]));
    assert_eq!((pixel(&picture, 32, 4), pixel(&picture, 22, 32)), ([0, 0, 255], [0, 0, 255]));
}

/// Each point becomes a square of a quarter of the target.
#[test]
fn a_geometry_program_makes_squares_of_points() {
    let mut square = "!!Tesla1.0\n.kernel square\n.kind geometry\n    shl $a1 a[0x0] 0x0\n".to_owned();
    for corner in 0..4 {
        for (axis, is_far) in [corner & 1, corner >> 1].into_iter().enumerate() {
            let [place, side] = [format!("{:#x}", 4 * axis), if is_far == 0 { "-0.25" } else { "0.25" }.to_owned()];
            square +=
                &format!("    mov b32 $r0 p[$a1+{place}]\n    mov b32 $r1 {side}\n    add rn f32 o[{place}] $r0 $r1\n");
        }
        for word in 2..7 {
            square += &format!("    mov b32 o[{:#x}] p[$a1+{:#x}]\n", 4 * word, 4 * word);
        }
        square += "    emit\n";
    }
    square += "    exit nop\n";
    let scene = text(
        "\"square\": (file: \"square.tesla\", emits: (primitive: TRIANGLE_STRIP, vertices: 4)),",
        "meshes: {\"points\": (shape: Vertices(count: 2, primitive: POINTS), attributes: {
            0: (from: Formula(\"(vertex - 0.5, 0.5 - vertex, 0)\")), 3: (from: Formula(\"(vertex, 1, 0)\")),
        })},
        passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1)), draws: [
            (mesh: \"points\", vertex: \"place\", geometry: \"square\", fragment: \"show\"),
        ])]",
    );
    let picture = picture("tesla_geometry", &scene, &[("square.tesla", &square)]);
    let [first, second, beside] = [[9, 9], [54, 54], [40, 16]].map(|[x, y]| pixel(&picture, x, y));
    assert_eq!((first, second, beside), ([0, 255, 0], [255, 255, 0], [0, 0, 255]));
}

/// Points of eight pixels by the program; the left one is on the wrong side of a plane.
#[test]
fn programs_write_sizes_and_distances() {
    let sized = "!!Tesla1.0\n.kernel sized\n.kind vertex\n    mov b32 o[0x0] a[0x0]\n    mov b32 o[0x4] a[0x4]
        mov b32 o[0x8] a[0x8]\n    mov b32 o[0xc] a[0xc]\n    mov b32 o[0x10] a[0x30]\n    mov b32 o[0x14] a[0x34]
        mov b32 o[0x18] a[0x38]\n    mov b32 $r0 a[0x3c]\n    mov b32 o[0x1c] $r0\n    mov b32 o[0x20] a[0x0]\n    exit nop\n";
    let scene = text(
        "\"sized\": (file: \"sized.tesla\", point_size: 0x1c, clip_distances: 0x20),",
        "meshes: {\"points\": (shape: Vertices(count: 2, primitive: POINTS), attributes: {
            0: (from: Formula(\"(vertex - 0.5, 0, 0)\")), 3: (from: Formula(\"(1, 1, 0, 8)\")),
        })},
        passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1)), draws: [
            (mesh: \"points\", vertex: \"sized\", fragment: \"show\", state: (clip_planes: [0])),
        ])]",
    );
    let picture = picture("tesla_results", &scene, &[("sized.tesla", sized)]);
    let found = [[16, 32], [48, 32], [51, 35], [53, 32]].map(|[x, y]| pixel(&picture, x, y));
    assert_eq!(found, [[0, 0, 255], [255, 255, 0], [255, 255, 0], [0, 0, 255]]);
}

/// A flat value is that of the last vertex; the depth that a program writes hides what lies behind it.
#[test]
fn programs_read_flat_values_and_write_depths() {
    let own = "!!Tesla1.0\n.kernel flat\n.kind fragment\n    interp $r0 flat v[0x10]\n    interp $r1 flat v[0x14]
        interp $r4 v[0x0]\n    mov b32 $r2 0.0\n    mov b32 $r3 1.0\n    mul rn f32 $r4 $r4 0.015625\n    exit nop\n";
    let scene = text(
        "\"own\": (file: \"own.tesla\", depth: true),",
        &format!(
            "meshes: {{{} \"large\": (shape: Vertices(count: 3, primitive: TRIANGLES), attributes: {{
                0: (from: Formula(\"(select(vertex - 1, -1, select(vertex, 3, -1)), select(vertex - 1, 3, -1), 0)\")),
                3: (from: Formula(\"(vertex / 2, 1 - vertex / 4)\")),
            }})}},
            passes: [Render(target: \"screen\", clear: (depth: 1), state: (depth: (test: LESS)), draws: [
                (mesh: \"large\", vertex: \"place\", fragment: \"own\"),
                (mesh: \"cover\", vertex: \"place\", fragment: \"show\"),
            ])]",
            cover("cover", "(0, 0, 1)")
        ),
    );
    let picture = picture("tesla_flat", &scene, &[("own.tesla", own)]);
    // Depths grow to the right; the second draw has the depth 0.5.
    assert_eq!([10, 50].map(|x| pixel(&picture, x, 32)), [[255, 128, 0], [0, 0, 255]]);
}

/// A square covers the samples of pixel 32 whose column is left of its middle: four of eight.
#[test]
fn a_resolve_averages_eight_samples() {
    let scene = text(
        "",
        "values: {\"edge\": \"32.5 / 32 - 1\"},
        targets: {\"samples\": (color: A8R8G8B8, samples: X8), \"screen\": (color: A8R8G8B8)},
        meshes: {\"left\": (shape: Vertices(count: 4, primitive: TRIANGLE_STRIP), attributes: {
            0: (from: Formula(\"(select(mod(vertex, 2), edge, -1), select(vertex - 1, 1, -1), 0)\")),
            3: (from: Formula(\"(1, 1, 1)\")),
        })},
        passes: [
            Render(target: \"samples\", clear: (color: (0, 0, 0, 1)), draws: [
                (mesh: \"left\", vertex: \"place\", fragment: \"show\"),
            ]),
            Resolve(from: \"samples\", to: \"screen\"),
        ]",
    )
    .replace("targets: {\"screen\": (color: A8R8G8B8, zeta: Z24S8)},", "");
    let picture = picture("tesla_resolve", &scene, &[]);
    assert_eq!([31, 32, 33].map(|x| pixel(&picture, x, 20)), [[255; 3], [128; 3], [0; 3]]);
}

/// Texel (x, y) of 4 × 4 is (x, y) / 3; each covers 16 × 16 pixels. A copy of the target leaves everything in place.
#[test]
fn textures_and_copies() {
    let sampled =
        "!!Tesla1.0\n.kernel sampled\n.kind fragment\n.texture image 0\n    interp $r4 v[0xc]\n    rcp f32 $r4 $r4
        interp $r0 v[0x10] $r4\n    interp $r1 v[0x14] $r4
        texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\n    exit nop\n";
    let scene = text(
        "\"sampled\": (file: \"sampled.tesla\"),",
        "targets: {\"first\": (color: A8R8G8B8), \"screen\": (color: A8R8G8B8)},
        textures: {\"grid\": (image: Formula(size: (4, 4), color: \"((u * 4 - 0.5) / 3, (v * 4 - 0.5) / 3, 1)\"),
            min: NEAREST, mag: NEAREST)},
        meshes: {\"screen\": (shape: Screen, attributes: {0: (from: Position), 3: (from: Coordinate)})},
        passes: [
            Render(target: \"first\", draws: [
                (mesh: \"screen\", vertex: \"place\", fragment: \"sampled\", textures: {0: \"grid\"}),
            ]),
            Copy(from: (\"first\", Color(0)), to: (\"screen\", Color(0))),
        ]",
    )
    .replace("targets: {\"screen\": (color: A8R8G8B8, zeta: Z24S8)},", "");
    let picture = picture("tesla_textures", &scene, &[("sampled.tesla", sampled)]);
    for (x, y, expected) in [(3, 3, [0, 0, 255]), (20, 3, [85, 0, 255]), (60, 3, [255, 0, 255]), (3, 60, [0, 255, 255])]
    {
        assert_eq!(pixel(&picture, x, y), expected, "{x}, {y}");
    }
}

/// Three rounds add 0.25 to the place of a point each, with the number of the round as green.
#[test]
fn a_stream_replaces_vertices_again_and_again() {
    let step = "!!Tesla1.0\n.kernel step\n.kind vertex\n.const way c0[0x0] 8\n    mov b32 $r0 a[0x0]
        add rn f32 o[0x0] $r0 c0[way]\n    mov b32 o[0x4] a[0x4]\n    mov b32 o[0x8] a[0x8]\n    mov b32 o[0xc] a[0xc]
        mov b32 $r0 a[0x30]\n    mov b32 o[0x10] $r0\n    ld $r1 b32 c0[way+0x4]\n    mov b32 o[0x14] $r1
        mov b32 o[0x18] a[0x38]\n    exit nop\n";
    for chipset in ["G92", "GT200"] {
        let scene = text(
            "\"step\": (file: \"step.tesla\"),",
            "meshes: {\"points\": (shape: Vertices(count: 1, primitive: POINTS), attributes: {
                0: (from: Formula(\"(-0.5, 0, 0, 1)\")), 3: (from: Formula(\"(1, 0, 0)\")),
            })},
            passes: [
                Stream(mesh: \"points\", vertex: \"step\", times: \"3\", constants: {\"way\": \"(0.25, index / 2)\"}),
                Render(target: \"screen\", clear: (color: (0, 0, 1, 1)), state: (point_size: 4), draws: [
                    (mesh: \"points\", vertex: \"place\", fragment: \"show\"),
                ]),
            ]",
        )
        .replace("G92", chipset);
        let picture = picture("tesla_stream", &scene, &[("step.tesla", step)]);
        let [begin, end] = [16, 40].map(|x| pixel(&picture, x, 32));
        assert_eq!((begin, end), ([0, 0, 255], [255, 255, 0]), "{chipset}");
    }
}

/// The message of a scene that cannot be built, and the text around it.
fn mistake(name: &str, programs: &str, rest: &str) -> (String, String) {
    let files = [
        ("plain.tesla", PLAIN),
        ("far.tesla", "!!Tesla1.0\n.kernel far\n.kind fragment\n    interp $r0 v[0x40]\n    exit nop\n"),
        ("few.tesla", "!!Tesla1.0\n.kernel few\n.kind fragment\n    interp $r0 v[0x10]\n    exit nop\n"),
        ("grow.tesla", "!!Tesla1.0\n.kernel grow\n.kind geometry\n    emit\n    exit nop\n"),
    ];
    let result = read(name, &text(programs, rest), &files).and_then(|scene| scene.capture(0..1));
    match result.expect_err("the scene has a mistake") {
        SceneError::Scene(located) => {
            assert!(located.line > 0, "{located}");
            (located.message.clone(), located.to_string())
        }
        error => (error.to_string(), error.to_string()),
    }
}

#[test]
fn mistakes_are_shown_at_their_places() {
    let draw = |more: &str| {
        format!(
            "meshes: {{{}}}, passes: [Render(target: \"screen\", draws: [(mesh: \"screen\", {more})])]",
            cover("screen", "(1, 1, 1)")
        )
    };
    let plain = "vertex: \"place\", fragment: \"show\"";
    for (programs, rest, expected) in [
        ("\"far\": (file: \"far.tesla\"),", draw("vertex: \"place\", fragment: \"far\""), "no program writes o[0x40]"),
        ("\"none\": (file: \"plain.tesla\"),", draw(plain), "`entry` is one of place, show"),
        ("\"none\": (file: \"plain.tesla\", entry: \"plaice\"),", draw(plain), "place"),
        ("\"grow\": (file: \"grow.tesla\"),", draw(plain), "geometry programs, and no others, have `emits`"),
        ("\"old\": (file: \"plain.vp\"),", draw(plain), "the first line is !!Tesla1.0"),
        ("", draw(&format!("{plain}, state: (fog: (EXP, 1, 1))")), "fog: a fragment program computes it"),
        ("", draw(&format!("{plain}, geometry: \"show\"")), "`show` is no geometry program"),
        ("\"few\": (file: \"few.tesla\"),", draw("vertex: \"place\", fragment: \"few\""), "leaves 4 results in its registers"),
        ("", draw("vertex: \"place\", fragment: \"show\", state: (dither: true)"), "dither"),
        (
            "",
            "meshes: {\"p\": (shape: Screen)}, passes: [Stream(mesh: \"p\", vertex: \"place\"),
                Render(target: \"screen\")]"
                .to_owned(),
            "only points without indices can be replaced",
        ),
        (
            "",
            "meshes: {\"p\": (shape: Vertices(count: 1, primitive: POINTS), attributes: {0: (from: Formula(\"(1, 2)\"))})},
                passes: [Stream(mesh: \"p\", vertex: \"place\"), Render(target: \"screen\")]"
                .to_owned(),
            "the program writes 7 words",
        ),
    ] {
        let (_, shown) = mistake("tesla_mistakes", programs, &rest);
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let other =
        "(size: (8, 8), chipset: \"NV20\", targets: {\"a\": (color: A8R8G8B8)}, passes: [Render(target: \"a\")])";
    let error = read("tesla_chipset", other, &[]).unwrap_err().to_string();
    assert!(error.contains("scenes are not drawn on `NV20`"), "{error}");
    for (field, expected) in [
        ("color: B8", "the GeForce 8 has no color format B8"),
        ("color: A8R8G8B8, layout: SWIZZLED", "the GeForce 8 has no SWIZZLED targets"),
        ("color: A8R8G8B8, samples: X4_SQUARE", "the GeForce 8 has no X4_SQUARE samples"),
    ] {
        let scene =
            format!("(size: (8, 8), chipset: \"G92\", targets: {{\"a\": ({field})}}, passes: [Render(target: \"a\")])");
        let error = read("tesla_target", &scene, &[]).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Truncated and damaged texts are refused or read, and never panic.
#[test]
fn damaged_scenes_do_not_panic() {
    let step =
        "!!Tesla1.0\n.kernel step\n.kind vertex\n    mov b32 o[0x0] a[0x0]\n    mov b32 o[0xc] a[0xc]\n    exit nop\n";
    let grow = "!!Tesla1.0\n.kernel grow\n.kind geometry\n    shl $a1 a[0x0] 0x0\n    mov b32 o[0xc] p[$a1+0xc]
        mov b32 o[0x18] p[$a1+0x18]\n    emit\n    exit nop\n";
    let paint = "!!Tesla1.0\n.kernel paint\n.kind fragment\n.reg 12\n    interp $r0 v[0x14]\n    exit nop\n";
    let good = text(
        "\"step\": (file: \"step.tesla\"), \"paint\": (file: \"paint.tesla\"),
        \"grow\": (file: \"grow.tesla\", emits: (primitive: POINTS, vertices: 3), point_size: 0x18),",
        "targets: {\"many\": (color: A16B16G16R16F, colors: 3, samples: X8), \"screen\": (color: A8R8G8B8)},
        textures: {\"sky\": (image: Formula(size: (4, 4), color: \"u\"), mipmaps: true, lod: (0, 1), remap: \"gggg\")},
        meshes: {
            \"points\": (shape: Vertices(count: 3, primitive: POINTS), attributes: {0: (from: Formula(\"(1, 2, 3, 4)\"))}),
            \"ball\": (shape: Sphere(radius: 1, segments: (4, 3))),
        },
        passes: [
            Stream(mesh: \"points\", vertex: \"step\", times: \"2\"),
            Render(target: \"many\", clear: (color: (0, 0, 1, 1)), state: (depth: (test: LESS)), draws: [
                (mesh: \"points\", vertex: \"place\", geometry: \"grow\", fragment: \"paint\", repeat: 2),
                (mesh: \"ball\", vertex: \"place\", fragment: \"paint\", textures: {3: \"sky\"}, count: \"n\",
                    instances: (count: 2, attributes: {5: (from: \"instance\")})),
            ]),
            Resolve(from: \"many\", to: \"screen\"),
        ]",
    )
    .replace("targets: {\"screen\": (color: A8R8G8B8, zeta: Z24S8)},", "");
    damage(
        "tesla_damaged",
        &good,
        &[("plain.tesla", PLAIN), ("step.tesla", step), ("grow.tesla", grow), ("paint.tesla", paint)],
    );
}

/// What NV40 lacks is refused there.
#[test]
fn the_geforce_6800_refuses_what_it_lacks() {
    let scene = |target: &str, pass: &str| {
        format!(
            "(size: (8, 8), targets: {{\"a\": ({target})}}, meshes: {{\"p\": (shape: Screen)}},
            programs: {{\"v\": (file: \"plain.vp\")}}, passes: [{pass}Render(target: \"a\")])"
        )
    };
    for (target, pass, expected) in [
        ("color: A8R8G8B8, samples: X8", "", "NV40 has no X8 samples"),
        ("color: RGBA16_UNORM", "", "NV40 has no color format RGBA16_UNORM"),
        ("color: A8R8G8B8", "Stream(mesh: \"p\", vertex: \"v\"), ", "NV40 cannot write vertices"),
    ] {
        let result = read("nv40_lacks", &scene(target, pass), &[]).and_then(|scene| scene.capture(0..1));
        let error = result.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
