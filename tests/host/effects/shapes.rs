//! Primitives, faces and what is drawn of them.

use curie::command::methods::three_d::raster;

use super::{SIDE, Scene};

const WHITE: [f32; 4] = [1.0; 4];

/// Six vertices around a rectangle of 16×8 pixels, and the same in two rows.
const RING: [[f32; 2]; 6] = [[4.0, 4.0], [12.0, 4.0], [20.0, 4.0], [20.0, 12.0], [12.0, 12.0], [4.0, 12.0]];
const ROWS: [[f32; 2]; 6] = [[4.0, 4.0], [4.0, 12.0], [12.0, 4.0], [12.0, 12.0], [20.0, 4.0], [20.0, 12.0]];

/// How many pixels each primitive covers. A line does not draw its last pixel. Triangles own their upper and left edges.
#[test]
fn every_primitive_covers_its_pixels() {
    let cases = [
        (1, RING, 6),
        // Three edges of 8 pixels; all six; all but the last.
        (2, RING, 8 + 8 + 8),
        (3, RING, 2 * (16 + 8)),
        (4, RING, 2 * 16 + 8),
        // Halves of two squares of 8×8: 28 pixels without the diagonal, 36 with it.
        (5, ROWS, 28 + 36),
        (6, ROWS, 128),
        (7, RING, 128),
        // A quadrilateral of the first four, which is a triangle: half of the rectangle.
        (8, RING, 64),
        (9, ROWS, 128),
        (10, RING, 128),
    ];
    for (primitive, points, expected) in cases {
        let mut scene = Scene::new();
        // Lines and points are at the centers of pixels.
        let half = if primitive < 5 { 0.5 } else { 0.0 };
        scene.draw(primitive, &points.map(|point| (point.map(|place| place + half), 0.5, WHITE)));
        assert_eq!(scene.run().drawn().len(), expected, "primitive {primitive}");
    }
}

/// Two triangles in the same rows: with y downward, the left one is clockwise in the picture, the right one is not.
fn two_faces(scene: &mut Scene) {
    for [first, second, third] in [[[0.5, 0.5], [8.5, 0.5], [0.5, 8.5]], [[16.5, 0.5], [16.5, 8.5], [24.5, 0.5]]] {
        scene.draw(5, &[first, second, third].map(|point| (point, 0.5, WHITE)));
    }
}

/// Whether each of the two is in the picture.
fn shown(scene: Scene) -> [bool; 2] {
    let drawn = scene.run().drawn();
    [0, 16].map(|left| drawn.contains(&[left + 1, 1]))
}

#[test]
fn faces_are_culled_by_their_winding() {
    // Without culling, both.
    let cases = [
        (0, 0x901, 0x408, [true, true]),
        (1, 0x901, 0x404, [true, false]),
        (1, 0x901, 0x405, [false, true]),
        (1, 0x900, 0x404, [false, true]),
        (1, 0x900, 0x405, [true, false]),
        (1, 0x901, 0x408, [false, false]),
    ];
    for (enabled, front, culled, expected) in cases {
        let mut scene = Scene::new();
        scene.set(raster::CULL_FACE, &[culled, front]);
        scene.set(raster::CULL_FACE_ENABLE, &[enabled]);
        two_faces(&mut scene);
        assert_eq!(shown(scene), expected, "{enabled}, front {front:#x}, culled {culled:#x}");
    }
}

/// The pixels of a triangle with legs of eight pixels: its corners, its outline, or all of it.
#[test]
fn each_face_has_its_polygon_mode() {
    for (mode, expected) in [(0x1b00, 3), (0x1b01, 8 + 8 + 8), (0x1b02, 36)] {
        for (face, left) in [(raster::POLYGON_MODE_FRONT, 16), (raster::POLYGON_MODE_BACK, 0)] {
            let mut scene = Scene::new();
            scene.set(raster::FRONT_FACE, &[0x901]);
            scene.set(raster::POLYGON_MODE_FRONT, &[0x1b02, 0x1b02]);
            scene.set(face, &[mode]);
            two_faces(&mut scene);
            let drawn = scene.run().drawn();
            let found = drawn.iter().filter(|[x, _]| (left..left + 16).contains(x)).count();
            assert_eq!(found, expected, "mode {mode:#x} of the triangle at {left}");
            assert_eq!(drawn.len(), expected + 36, "the other face is filled");
        }
    }
}

#[test]
fn stipples_leave_pixels_out() {
    let mut scene = Scene::new();
    // Bits 7 and 4 of the last word but one alone: columns 0 and 3 of row 1.
    scene.set(raster::POLYGON_STIPPLE_PATTERN + 4 * 30, &[0x90]);
    scene.set(raster::POLYGON_STIPPLE_ENABLE, &[1]);
    scene.rectangle([0, 0, SIDE, 16], 0.5, WHITE);
    // Two on, two off, from the lowest bit, each bit twice.
    scene.set(raster::LINE_STIPPLE_PATTERN, &[0x3333_0001]);
    scene.set(raster::LINE_STIPPLE_ENABLE, &[1]);
    scene.draw(2, &[[0.5, 20.5], [16.5, 20.5]].map(|point| (point, 0.5, WHITE)));
    let lines = [0, 1, 2, 3, 8, 9, 10, 11].map(|x| [x, 20]);
    assert_eq!(scene.run().drawn(), [[[0, 1], [3, 1]].as_slice(), &lines].concat());
}

/// The rows of a polygon with a stipple.
fn stippled_rows(words: &[u32; 32]) -> Vec<String> {
    let mut scene = Scene::new();
    scene.set(raster::POLYGON_STIPPLE_PATTERN, words);
    scene.set(raster::POLYGON_STIPPLE_ENABLE, &[1]);
    scene.rectangle([0, 0, SIDE, SIDE], 0.5, WHITE);
    let drawn = scene.run().drawn();
    let pixel = |x, y| if drawn.contains(&[x, y]) { '#' } else { '.' };
    (0..SIDE).map(|y| (0..SIDE).map(|x| pixel(x, y)).collect()).collect()
}

/// The rows that an Xbox showed for a pattern without symmetry (`nxdk_pgraph_tests`, `Asymmetric_On.png`), and the
/// pixels that a PS3 showed for words of one bit each (`ps3autotests`, `rsx/primitives`). The heights of both
/// windows are multiples of 32.
#[test]
fn polygon_stipples_are_those_of_an_xbox_and_a_ps3() {
    let xbox = [
        (0xc0c0_ffff, "##################......##......"),
        (0x3030_ffff, "################..##......##...."),
        (0x0000_8cef, "###.#####...##.................."),
        (0x0f00_0f0f, "....####....####............####"),
    ];
    let expected: Vec<&str> = xbox.iter().rev().flat_map(|&(_, row)| [row; 8]).collect();
    assert_eq!(stippled_rows(&std::array::from_fn(|word| xbox[word / 8].0)), expected);

    for (y, row) in stippled_rows(&std::array::from_fn(|word| 1 << word)).iter().enumerate() {
        assert_eq!(row.find('#'), Some(y % 8 + 24 - y / 8 * 8), "row {y}");
        assert_eq!(row.matches('#').count(), 1, "row {y}");
    }
}

/// The points of a PS3's picture (`ps3autotests`, `rsx/primitives`), moved by whole pixels: at an integer, the
/// column to the right and the row above.
#[test]
fn points_cover_the_pixels_of_a_ps3() {
    let single = |x, y| vec![[x, y]];
    let square: Vec<[u32; 2]> = (5..10).flat_map(|y| (4..9).map(move |x| [x, y])).collect();
    for (size, at, expected) in [
        (1.0, [12.0, 16.0], single(12, 15)),
        (1.0, [22.4, 20.0], single(22, 19)),
        (1.0, [12.0, 24.0], single(12, 23)),
        (5.0, [6.0, 8.0], square),
    ] {
        let mut scene = Scene::new();
        scene.set(raster::POINT_SIZE, &[f32::to_bits(size)]);
        scene.draw(1, &[(at, 0.5, WHITE)]);
        assert_eq!(scene.run().drawn(), expected, "size {size} at {at:?}");
    }
}

#[test]
fn lines_have_a_width() {
    let mut scene = Scene::new();
    scene.set(raster::LINE_WIDTH, &[3 * 8]);
    scene.draw(2, &[[2.5, 6.5], [7.5, 6.5]].map(|point| (point, 0.5, WHITE)));
    let expected: Vec<[u32; 2]> = (5..8).flat_map(|y| (2..7).map(move |x| [x, y])).collect();
    assert_eq!(scene.run().drawn(), expected);
}
