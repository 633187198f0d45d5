//! The meaning of scenes: colors, coordinates, textures of every kind, instances, queries, copies.

use curie::listing::list_capture;
use curie::pipeline::Engine;
use curie::present::{Channel, Picture};
use curie::reference::Reference;
use curie::replay::{ReplayOptions, replay};

use super::stage::{kernels, lines, picture, pixel, play, play_on, read, text};

/// A fragment program that shows texture 0.
const SHOW: &str = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[0], 2D;\nEND\n";

#[test]
fn the_first_row_is_the_upper_edge_and_fronts_turn_counterclockwise() {
    let draw = |state: &str| {
        text(&format!(
            "meshes: {{\"half\": (shape: Vertices(count: 3, primitive: TRIANGLES), attributes: {{
                0: (from: Formula(\"(select(vertex - 1, -1, select(vertex, 1, -1)), select(vertex - 1, 1, 0), 0)\")),
                3: (from: Formula(\"(1, 0.5, 0, 1)\"), format: B8G8R8A8_UNORM),
            }})}},
            passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1), state: ({state}), draws: [
                (mesh: \"half\", vertex: \"vertex\", fragment: \"fragment\"),
            ])]"
        ))
    };
    // Corners (-1, 0), (1, 0), (-1, 1): the upper left quarter, counterclockwise.
    for (state, is_drawn) in
        [("", true), ("cull: BACK", true), ("cull: FRONT", false), ("cull: BACK, front_face: CW", false)]
    {
        let picture = picture("winding", &draw(state), &[]);
        assert_eq!(pixel(&picture, 4, 20), if is_drawn { [255, 128, 0] } else { [0, 0, 255] }, "{state}");
        assert_eq!(pixel(&picture, 4, 40), [0, 0, 255], "{state}");
        assert_eq!(pixel(&picture, 60, 4), [0, 0, 255], "{state}");
    }
    // Mesa's driver uses these values to draw such front faces into a window.
    let mut listed = Vec::new();
    let capture = read("winding", &draw("cull: BACK"), &[]).unwrap().capture(0..1).unwrap();
    list_capture(&capture, &mut listed).unwrap();
    let listed = String::from_utf8(listed).unwrap();
    for line in
        ["VIEWPORT_SCALE_Y = 0xc2000000  y=-32", "FRONT_FACE = 0x00000901  winding=CCW", "CULL_FACE = 0x00000405"]
    {
        assert!(listed.contains(line), "{line}");
    }
}

#[test]
fn fragment_positions_count_from_the_lower_left_corner() {
    let program = "!!ARBfp1.0\nMUL result.color, fragment.position, { 0.015625, 0.015625, 0, 1 };\nEND\n";
    let scene = text(
        "meshes: {\"screen\": (shape: Screen)},
        passes: [Render(target: \"screen\", draws: [(mesh: \"screen\", vertex: \"vertex\", fragment: \"fragment\")])]",
    );
    let picture = picture("position", &scene, &[("plain.fp", program)]);
    // Pixel centers (0.5, 63.5) and (63.5, 0.5), in parts of 64.
    assert_eq!(pixel(&picture, 0, 0)[..2], [2, 253]);
    assert_eq!(pixel(&picture, 63, 63)[..2], [253, 2]);
}

#[test]
fn a_replay_stops_behind_a_draw() {
    let colors = [("red", "(1, 0, 0, 1)"), ("green", "(0, 1, 0, 1)"), ("blue", "(0, 0, 1, 1)")];
    let mesh = |(name, color)| {
        format!(
            "\"{name}\": (shape: Screen, attributes: {{
                0: (from: Formula(\"(position.x, position.y, 0)\")),
                3: (from: Formula(\"{color}\"), format: B8G8R8A8_UNORM),
            }}),"
        )
    };
    let draw = |(name, _)| format!("(mesh: \"{name}\", vertex: \"vertex\", fragment: \"fragment\"),");
    let (meshes, draws): (String, String) = (colors.map(mesh).concat(), colors.map(draw).concat());
    let scene = text(&format!(
        "meshes: {{{meshes}}}, passes: [
            Render(target: \"screen\", clear: (color: (1, 1, 1, 1), depth: 1), draws: [{draws}]),
            Render(target: \"screen\", clear: (color: (0, 0, 0, 1), depth: 1), draws: [])
        ]"
    ));
    let capture = read("until_draw", &scene, &[]).unwrap().capture(0..1).unwrap();
    let shown = |until_draw, engine: &mut dyn Engine| {
        let options = ReplayOptions { until_draw, ..ReplayOptions::default() };
        let outcome = replay(&capture, engine, &options, &mut |_, _| {}).unwrap();
        let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
        [pixel(&picture, 0, 0), pixel(&picture, 63, 63)]
    };
    // There is no fourth draw: the clear that follows is also played.
    let expected =
        [(Some(0), [255, 0, 0]), (Some(1), [0, 255, 0]), (Some(2), [0, 0, 255]), (Some(3), [0; 3]), (None, [0; 3])];
    for (until_draw, color) in expected {
        let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
        assert_eq!(shown(until_draw, &mut engine), [color; 2], "{until_draw:?}");
        let Some(mut engine) = kernels(&capture) else { continue };
        assert_eq!(shown(until_draw, &mut engine), [color; 2], "{until_draw:?}");
    }
}

/// The maximum difference between two pictures.
fn distance(one: &Picture, other: &Picture) -> u8 {
    one.rgb.iter().zip(&other.rgb).map(|(one, other)| one.abs_diff(*other)).max().unwrap()
}

fn textured(texture: &str) -> String {
    text(&format!(
        "textures: {{\"t\": ({texture})}},
        meshes: {{\"screen\": (shape: Screen)}},
        passes: [Render(target: \"screen\", draws: [
            (mesh: \"screen\", vertex: \"vertex\", fragment: \"fragment\", textures: {{0: \"t\"}}),
        ])]"
    ))
}

#[test]
fn a_picture_is_the_same_in_every_format_that_can_hold_it() {
    let image = "image: Formula(size: (64, 64), color: \"(u, v, 1 - u, 1)\"), min: NEAREST, mag: NEAREST";
    let expected = picture("formats", &textured(image), &[("plain.fp", SHOW)]);
    assert_eq!(pixel(&expected, 0, 63), [2, 253, 253]);
    for (format, tolerance) in [
        ("A8R8G8B8, layout: LINEAR", 0),
        ("D8R8G8B8", 0),
        ("W16_Z16_Y16_X16_FLOAT", 1),
        ("W32_Z32_Y32_X32_FLOAT", 1),
        ("R5G6B5", 5),
        ("R6G5B5", 5),
        ("A1R5G5B5", 5),
        ("R5G5B5A1, layout: LINEAR", 5),
        ("A4R4G4B4", 9),
        ("DXT1", 12),
        ("DXT23", 12),
        ("DXT45, layout: LINEAR", 12),
        ("B8R8_G8R8", 3),
        ("R8B8_R8G8", 3),
    ] {
        let found = picture("formats", &textured(&format!("{image}, format: {format}")), &[("plain.fp", SHOW)]);
        let distance = distance(&expected, &found);
        assert!(distance <= tolerance, "{format}: {distance}");
    }
    let red = picture("formats", &textured(&format!("{image}, remap: \"r001\"")), &[("plain.fp", SHOW)]);
    assert_eq!(pixel(&red, 63, 0), [253, 0, 0]);
}

#[test]
fn cubes_volumes_and_lines_are_read_where_they_say() {
    let show = |coordinate: &str, target: &str| {
        format!(
            "!!ARBfp1.0\nTEMP c;\nMAD c, fragment.texcoord[0], {{2,-2,0,0}}, {{-1,1,0,0}};\n{coordinate}TEX result.color, c, texture[0], {target};\nEND\n"
        )
    };
    let cube = "image: Cube(size: 32, color: \"(direction * 0.5 + 0.5, 1)\")";
    // Looks along +x: the direction is (1, y, -x).
    let program = show("MOV c.z, -c.x;\nMOV c.x, {1}.x;\n", "CUBE");
    let found = picture("cube", &textured(cube), &[("plain.fp", &program)]);
    let middle = pixel(&found, 32, 32);
    assert!(middle[0] >= 254 && middle[1].abs_diff(128) <= 5 && middle[2].abs_diff(128) <= 5, "{middle:?}");
    let upper = pixel(&found, 32, 2);
    assert!(upper[0].abs_diff(218) < 6 && upper[1].abs_diff(216) < 6, "up and forwards: {upper:?}");
    let volume = "image: Volume(size: (8, 8, 8), color: \"(u, v, w)\"), mag: NEAREST";
    let program = show("MOV c, { 0.1, 0.6, 0.9, 0 };\n", "3D");
    assert_eq!(pixel(&picture("volume", &textured(volume), &[("plain.fp", &program)]), 5, 5), [16, 143, 239]);
    let line = "image: Line(size: 4, color: \"u\"), mag: NEAREST";
    let program = show("MOV c, { 0.6, 0, 0, 0 };\n", "1D");
    assert_eq!(pixel(&picture("line", &textured(line), &[("plain.fp", &program)]), 5, 5), [159; 3]);
}

/// The same figures as instances and as repeated draws, on both engines.
#[test]
fn instances_are_repeated_draws() {
    let vertex = |place: &str| {
        format!(
            "!!ARBvp1.0\nPARAM unused = {{ 0, 0, 0, 0 }};\n{place}\nADD result.position, vertex.position, place;\nMOV result.position.w, {{1}}.x;\nMOV result.color, vertex.normal;\nEND\n"
        )
    };
    let scene = |attributes: &str, draw: &str| {
        text(&format!(
            "meshes: {{\"ball\": (shape: Sphere(radius: 0.2, segments: (7, 5)), {attributes})}},
            passes: [Render(target: \"screen\", clear: (color: (0, 0, 0, 1), depth: 1), state: (depth: (test: LESS)), draws: [
                (mesh: \"ball\", vertex: \"vertex\", fragment: \"fragment\", {draw}),
            ])]"
        ))
    };
    let place = "(mod(N, 3) * 0.6 - 0.6, floor(N / 3) * 0.6 - 0.6, N * 0.01, 0)";
    let repeated = scene("", &format!("repeat: 9, values: {{\"place\": \"{}\"}}", place.replace('N', "index")));
    let repeated_program = vertex("PARAM place = program.local[0];");
    let at_once = |attributes: &str| {
        scene(
            attributes,
            &format!("instances: (count: 9, attributes: {{6: (from: \"{}\")}})", place.replace('N', "instance")),
        )
    };
    let at_once_program = vertex("ATTRIB place = vertex.attrib[6];");
    let expected = read("repeat", &repeated, &[("plain.vp", &repeated_program)]).unwrap().capture(0..1).unwrap();
    let expected = lines(&play(&expected));
    for attributes in ["", "indices: U32"] {
        let capture =
            read("instances", &at_once(attributes), &[("plain.vp", &at_once_program)]).unwrap().capture(0..1).unwrap();
        assert_eq!(lines(&play(&capture)), expected, "{attributes}");
        if let Some(mut engine) = kernels(&capture) {
            assert_eq!(lines(&play_on(&capture, &mut engine).0), expected, "{attributes}");
        }
    }
}

#[test]
fn a_draw_can_depend_on_the_samples_of_another() {
    let scene = |z: &str| {
        text(&format!(
            "meshes: {{
                \"near\": (shape: Screen, attributes: {{0: (from: Formula(\"(coordinate.x - 1, position.y, 0)\")), 3: (from: Formula(\"(1, 0, 0, 1)\"))}}),
                \"test\": (shape: Screen, attributes: {{0: (from: Formula(\"(coordinate.x - 1, position.y, {z})\")), 3: (from: Formula(\"(0, 1, 0, 1)\"))}}),
                \"then\": (shape: Screen, attributes: {{0: (from: Formula(\"(coordinate.x, position.y, 0)\")), 3: (from: Formula(\"(0, 0, 1, 1)\"))}}),
            }},
            passes: [Render(target: \"screen\", clear: (color: (0, 0, 0, 1), depth: 1), state: (depth: (test: LESS)), draws: [
                (mesh: \"near\", vertex: \"vertex\", fragment: \"fragment\"),
                (mesh: \"test\", vertex: \"vertex\", fragment: \"fragment\", count: \"seen\", state: (color_mask: [\"\"])),
                (mesh: \"then\", vertex: \"vertex\", fragment: \"fragment\", only_if: \"seen\"),
            ])]"
        ))
    };
    let hidden = picture("hidden", &scene("0.5"), &[]);
    assert_eq!([pixel(&hidden, 9, 9), pixel(&hidden, 55, 9)], [[255, 0, 0], [0, 0, 0]]);
    let seen = picture("seen", &scene("-0.5"), &[]);
    assert_eq!([pixel(&seen, 9, 9), pixel(&seen, 55, 9)], [[255, 0, 0], [0, 0, 255]]);
}

#[test]
fn surfaces_are_scaled_copied_and_read_as_textures() {
    let scene = "(
        size: (64, 64),
        targets: {
            \"wide\": (size: (128, 64), color: A8R8G8B8, zeta: Z24S8),
            \"half\": (color: A8R8G8B8),
            \"twin\": (color: A8R8G8B8),
            \"screen\": (color: A8R8G8B8),
        },
        textures: {\"twin\": (image: Target(\"twin\", Color(0)), min: NEAREST, mag: NEAREST)},
        programs: {\"vertex\": (file: \"plain.vp\"), \"fragment\": (file: \"plain.fp\"), \"show\": (file: \"show.fp\")},
        meshes: {
            \"screen\": (shape: Screen),
            // One column of every two.
            \"stripes\": (shape: Vertices(count: 128, primitive: LINES), attributes: {
                0: (from: Formula(\"((floor(vertex / 2) * 4 + 1) / 128 - 1, mod(vertex, 2) * 2.1 - 1.05, 0)\")),
                3: (from: Formula(\"(1, 1, 1, 1)\")),
            }),
        },
        passes: [
            Render(target: \"wide\", clear: (color: (0, 0, 0, 1), depth: 1), draws: [(mesh: \"stripes\", vertex: \"vertex\", fragment: \"fragment\")]),
            Resolve(from: \"wide\", to: \"half\"),
            Copy(from: (\"half\", Color(0)), to: (\"twin\", Color(0))),
            Render(target: \"screen\", draws: [(mesh: \"screen\", vertex: \"vertex\", fragment: \"show\", textures: {0: \"twin\"})]),
        ],
    )";
    let picture = picture("scaled", scene, &[("show.fp", SHOW)]);
    // Each pixel is the mean of a white and a black column.
    for x in [0, 31, 62] {
        let [r, g, b] = pixel(&picture, x, 30);
        assert!(r.abs_diff(128) <= 1 && g == r && b == r, "{x}: {r} {g} {b}");
    }
}

#[test]
fn several_targets_take_several_colours() {
    let program = "!!ARBfp1.0\nOPTION ARB_draw_buffers;\nMOV result.color[0], { 1, 0, 0, 1 };\n\
        MOV result.color[1], { 0, 1, 0, 1 };\nMOV result.color[2], { 0, 0, 1, 1 };\nEND\n";
    let scene = "(
        size: (16, 16),
        targets: {\"many\": (color: A8R8G8B8, colors: 3)},
        programs: {\"vertex\": (file: \"plain.vp\"), \"fragment\": (file: \"plain.fp\")},
        meshes: {\"screen\": (shape: Screen)},
        passes: [Render(target: \"many\", clear: (color: (0, 0, 0, 0)), state: (color_mask: [\"rgba\", \"ga\", \"r\"]), draws: [
            (mesh: \"screen\", vertex: \"vertex\", fragment: \"fragment\"),
        ])],
    )";
    let outcome = play(&read("many", scene, &[("plain.fp", program)]).unwrap().capture(0..1).unwrap());
    let first: Vec<_> = outcome.surfaces.iter().map(|surface| surface.rows[..4].to_vec()).collect();
    // Blue, green, red, alpha in memory; the third target writes red only.
    assert_eq!(first, [[0, 0, 255, 255], [0, 255, 0, 255], [0, 0, 0, 0]]);
}

#[test]
fn samples_become_pixels_by_a_resolve() {
    let scene = |samples: &str| {
        format!(
            "(
                size: (32, 32),
                targets: {{\"many\": (color: A8R8G8B8, zeta: Z24S8, samples: {samples}), \"screen\": (color: A8R8G8B8)}},
                programs: {{\"vertex\": (file: \"plain.vp\"), \"fragment\": (file: \"plain.fp\")}},
                meshes: {{\"half\": (shape: Vertices(count: 3, primitive: TRIANGLES), attributes: {{
                    0: (from: Formula(\"(select(vertex - 1, -1, select(vertex, 0.93, -1)), select(vertex - 1, 0.41, -1), 0)\")),
                    3: (from: Formula(\"(1, 1, 1, 1)\")),
                }})}},
                passes: [
                    Render(target: \"many\", clear: (color: (0, 0, 0, 1), depth: 1), draws: [(mesh: \"half\", vertex: \"vertex\", fragment: \"fragment\")]),
                    Resolve(from: \"many\", to: \"screen\"),
                ],
            )"
        )
    };
    for (samples, levels) in [("X1", 2), ("X2_DIAGONAL", 3), ("X4_SQUARE", 5), ("X4_ROTATED", 5)] {
        let picture = picture("samples", &scene(samples), &[]);
        let mut found: Vec<_> = picture.rgb.clone();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), levels, "{samples}: {found:?}");
        assert_eq!([found[0], found[levels - 1]], [0, 255]);
    }
}

#[test]
fn vertex_programs_read_textures() {
    let vertex = "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEMP place, texel;\nMOV place, vertex.texcoord[0];\n\
        MOV place.w, {0}.x;\nTXL texel, place, texture[0], 2D;\nMOV place, vertex.position;\nMOV place.y, texel.x;\n\
        MOV result.position, place;\nMOV result.color, {1}.x;\nEND\n";
    let scene = text(
        "textures: {\"heights\": (image: Formula(size: (4, 1), color: \"u * 2 - 1\"), format: X32_FLOAT, layout: LINEAR)},
        meshes: {\"line\": (shape: Vertices(count: 4, primitive: LINE_STRIP), attributes: {
            0: (from: Formula(\"((vertex + 0.5) / 2 - 1, 0, 0)\")), 8: (from: Formula(\"((vertex + 0.5) / 4, 0.5)\")),
        })},
        passes: [Render(target: \"screen\", clear: (color: (0, 0, 0, 1), depth: 1), draws: [
            (mesh: \"line\", vertex: \"vertex\", fragment: \"fragment\", vertex_textures: {0: \"heights\"}),
        ])]",
    );
    let picture = picture("heights", &scene, &[("plain.vp", vertex)]);
    // The heights follow x, so the line is the diagonal from lower left to upper right.
    let lit = |x: u32, y: u32| pixel(&picture, x, y) != [0, 0, 0];
    assert!((16..48).all(|x| lit(x, 63 - x) || lit(x, 64 - x)), "a diagonal");
    assert_eq!((0..64).filter(|y| lit(32, *y)).count(), 1);
}

#[test]
fn surfaces_of_floats_are_cleared_to_what_their_words_can_say() {
    let scene = |color: &str, format: &str| {
        format!(
            "(size: (8, 8), targets: {{\"screen\": (color: {format})}},
            passes: [Render(target: \"screen\", clear: (color: {color}))])"
        )
    };
    let first = |color: &str, format: &str| {
        let capture = read("floats", &scene(color, format), &[]).unwrap().capture(0..1);
        capture.map(|capture| play(&capture).surfaces[0].rows[..8].to_vec()).map_err(|error| error.to_string())
    };
    assert_eq!(first("(1, 2, 1, 2)", "A16B16G16R16F").unwrap(), [0, 0x3c, 0, 0x40, 0, 0x3c, 0, 0x40]);
    assert_eq!(first("(0.5, 0.5, 0.5, 0.5)", "A32B32G32R32F").unwrap(), [0, 0, 0, 0x3f, 0, 0, 0, 0x3f]);
    assert!(first("(1, 0, 0, 1)", "A16B16G16R16F").unwrap_err().contains("draw a Screen instead"));
}

#[test]
fn kernels_draw_what_is_magnified_and_what_is_seen_at_a_slant_in_one_draw() {
    // Texels get denser from left to right: first 0.025 per pixel along x and 0.05 along y, then 15 and 1.5.
    let program = "!!ARBvp1.0\nTEMP at;\nMOV at, vertex.position;\nMOV result.position, at.xzyw;\n\
        MAD at.x, at.x, 0.5, 0.5;\nMUL at.y, at.x, at.x;\nMUL at.y, at.y, at.y;\nMUL at.y, at.y, at.x;\n\
        MAD at.w, at.y, 3, 0.1;\nMUL at.z, at.z, at.w;\nMUL at.x, at.x, 0.1;\nMAD at.x, at.y, 12, at.x;\n\
        MOV at.w, 1;\nMOV result.texcoord[0], at.xzzw;\nEND\n";
    let scene = |anisotropy: u32, segments: u32| {
        let scene = text(&format!(
            "textures: {{\"t\": (image: Formula(size: (16, 16), color: \"(checker(u * 8, v * 8), u, v, 1)\"), mipmaps: true,
                min: LINEAR_MIPMAP_LINEAR, mag: LINEAR, anisotropy: {anisotropy})}},
            meshes: {{\"floor\": (shape: Plane(size: (2, 2), segments: ({segments}, {segments})))}},
            passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1)), draws: [
                (mesh: \"floor\", vertex: \"vertex\", fragment: \"fragment\", textures: {{0: \"t\"}}),
            ])]"
        ));
        let files = [("plain.vp", program), ("plain.fp", SHOW)];
        let scene = read(&format!("slant_{anisotropy}_{segments}"), &scene, &files);
        scene.unwrap_or_else(|error| panic!("{error}")).capture(0..1).unwrap()
    };
    // Few primitives, and many.
    for segments in [6, 48] {
        // Without anisotropic filtering the right side is blurred, as wide as footprints are long.
        let captures = [1, 16].map(|anisotropy| scene(anisotropy, segments));
        let [level, slanted] = captures.each_ref().map(|capture| play(capture).surfaces[0].clone());
        let [level, slanted] = [level, slanted].map(|surface| Picture::of_surface(&surface, Channel::Color).unwrap());
        for (x, is_same) in [(1, true), (16, true), (50, false), (60, false)] {
            let column = |picture| (0..64).map(|y| pixel(picture, x, y)).collect::<Vec<_>>();
            assert_eq!(column(&level) == column(&slanted), is_same, "column {x} of {segments}");
        }
        let capture = &captures[1];
        let Some(mut kernels) = kernels(capture) else { return };
        let mut reference = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
        assert!(play_on(capture, &mut kernels).1 == play_on(capture, &mut reference).1, "{segments} segments");
    }
}
