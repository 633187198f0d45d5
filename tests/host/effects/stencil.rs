//! The stencil test: comparisons, operations, masks and faces.

use curie::command::methods::three_d::{raster, rop};

use super::merging::COMPARISONS;
use super::{Scene, ZETA};

const WHITE: [f32; 4] = [1.0; 4];

/// A scene with the stencil test on: always passing, keeping everything.
fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.set(rop::STENCIL_ENABLE, &[1, 0xff, 0x207, 0, 0xff, 0x1e00, 0x1e00, 0x1e00]);
    scene
}

/// The operations of OpenGL 2.1, section 4.1.5, on stored zeros and ones, with the reference 0x5a.
const OPERATIONS: [(u32, [u32; 2]); 8] = [
    (0, [0, 0]),
    (0x150a, [0xff, 0]),
    (0x1e00, [0, 0xff]),
    (0x1e01, [0x5a, 0x5a]),
    (0x1e02, [1, 0xff]),
    (0x1e03, [0, 0xfe]),
    (0x8507, [1, 0]),
    (0x8508, [0xff, 0xfe]),
];

#[test]
fn each_result_of_the_tests_has_every_operation() {
    let mut scene = scene();
    let half = 0x7f_ffff << 8;
    // Zeros and ones in turn; the depth is half of the range.
    let stored: Vec<u32> = (0..48).map(|pixel| half | (0xff * (pixel % 2))).collect();
    scene.put_words(ZETA, &stored);
    scene.set(rop::DEPTH_FUNC, &[0x201]);
    scene.set(rop::DEPTH_WRITE_ENABLE, &[0, 1]);
    scene.set(rop::STENCIL_FUNC_REF, &[0x5a]);
    // Failing the stencil test; passing it and failing the depth test; passing both.
    for (row, (comparison, depth, method)) in (0u32..).zip([
        (0x200, 0.2, rop::STENCIL_OP_FAIL),
        (0x207, 0.8, rop::STENCIL_OP_ZFAIL),
        (0x207, 0.2, rop::STENCIL_OP_ZPASS),
    ]) {
        scene.set(rop::STENCIL_FUNC_FUNC, &[comparison]);
        scene.set(rop::STENCIL_OP_FAIL, &[0x1e00; 3]);
        for (column, (operation, _)) in (0u32..).zip(OPERATIONS) {
            scene.set(method, &[operation]);
            for value in 0..2 {
                scene.pixel(16 * row + 2 * column + value, depth, WHITE);
            }
        }
    }
    let outcome = scene.run();
    for row in 0..3 {
        for (column, (operation, expected)) in (0u32..).zip(OPERATIONS) {
            let found = [0, 1].map(|value| outcome.zeta(16 * row + 2 * column + value));
            assert_eq!(found, expected.map(|value| half | value), "{operation:#x} in row {row}");
        }
    }
}

/// The reference is on the left of a comparison, and the mask is applied to both sides.
#[test]
fn comparisons_put_the_reference_first() {
    let mut scene = scene();
    let values = [0x14, 0x15, 0x16];
    for number in 0..8 {
        scene.put_words(ZETA + 12 * number, &values);
        // Only the low four bits are compared: 5 with 4, 5 and 6.
        scene.set(rop::STENCIL_FUNC_FUNC, &[0x200 + number, 0x25, 0x0f]);
        for column in 0..3 {
            scene.pixel(3 * number + column, 0.5, WHITE);
        }
    }
    let outcome = scene.run();
    for (number, compare) in (0u32..).zip(COMPARISONS) {
        for (column, value) in (0u32..).zip(values) {
            let passes = outcome.color(3 * number + column) != 0;
            assert_eq!(passes, compare(&5, &(value & 15)), "{:#x} of {value:#x}", 0x200 + number);
        }
    }
}

#[test]
fn the_write_mask_protects_bits_and_a_test_that_is_off_writes_none() {
    let mut scene = scene();
    scene.put_words(ZETA, &[0xf0, 0xf0]);
    scene.set(rop::STENCIL_OP_ZPASS, &[0x150a]);
    scene.set(rop::STENCIL_MASK, &[0x3c]);
    scene.pixel(0, 0.5, WHITE);
    scene.set(rop::STENCIL_ENABLE, &[0]);
    scene.pixel(1, 0.5, WHITE);
    let outcome = scene.run();
    assert_eq!([outcome.zeta(0), outcome.zeta(1)].map(|word| word & 0xff), [0xcc, 0xf0]);
}

/// The second set of registers tests back faces.
#[test]
fn back_faces_have_their_own_test() {
    let mut scene = scene();
    scene.set(rop::STENCIL_OP_ZPASS, &[0x1e01]);
    scene.set(rop::STENCIL_FUNC_REF, &[1]);
    scene.set(rop::STENCIL_ENABLE + 32, &[1, 0xff, 0x207, 2, 0xff, 0x1e00, 0x1e00, 0x1e01]);
    scene.set(raster::FRONT_FACE, &[0x901]);
    // With y downward, the first is clockwise in the picture, so the second is in front.
    let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]].map(|place| (place, 0.5, WHITE));
    scene.draw(5, &corners);
    let moved = corners.map(|([x, y], depth, color)| ([x + 8.0, y], depth, color));
    scene.draw(5, &[moved[0], moved[2], moved[1]]);
    let outcome = scene.run();
    assert_eq!([outcome.zeta(0), outcome.zeta(8)].map(|word| word & 0xff), [2, 1]);
}
