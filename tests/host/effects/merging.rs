//! Blending, logic operations, alpha and depth bounds tests.

use curie::command::methods::three_d::{rop, targets};

use super::{COLOR, SIDE, Scene, ZETA};

/// Red, green, blue and alpha of the source, the target and the constant color, of 255.
const SOURCE: [u32; 4] = [200, 90, 20, 160];
const TARGET: [u32; 4] = [40, 120, 70, 100];
const CONSTANT: [u32; 4] = [230, 10, 130, 60];

fn argb([red, green, blue, alpha]: [u32; 4]) -> u32 {
    alpha << 24 | red << 16 | green << 8 | blue
}

/// A scene whose target has one color everywhere.
fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.put_words(COLOR, &vec![argb(TARGET); (SIDE * SIDE) as usize]);
    scene.set(rop::BLEND_COLOR, &[argb(CONSTANT)]);
    scene
}

fn fractions(color: [u32; 4]) -> [f32; 4] {
    color.map(|value| value as f32 / 255.0)
}

/// The factors of OpenGL 2.1, table 4.2, for the channels of color and for alpha, with their numbers in OpenGL and, behind
/// 0x1000, in Direct3D.
type Factor = (&'static [u32], fn(usize) -> u32);
const FACTORS: [Factor; 15] = [
    (&[0, 0x1001], |_| 0),
    (&[1, 0x1002], |_| 255),
    (&[0x300, 0x1003], |channel| SOURCE[channel]),
    (&[0x301, 0x1004], |channel| 255 - SOURCE[channel]),
    (&[0x302, 0x1005, 0x100c], |_| SOURCE[3]),
    (&[0x303, 0x1006, 0x100d], |_| 255 - SOURCE[3]),
    (&[0x304, 0x1007], |_| TARGET[3]),
    (&[0x305, 0x1008], |_| 255 - TARGET[3]),
    (&[0x306, 0x1009], |channel| TARGET[channel]),
    (&[0x307, 0x100a], |channel| 255 - TARGET[channel]),
    (&[0x308, 0x100b], |channel| if channel == 3 { 255 } else { SOURCE[3].min(255 - TARGET[3]) }),
    (&[0x8001, 0x100e], |channel| CONSTANT[channel]),
    (&[0x8002, 0x100f], |channel| 255 - CONSTANT[channel]),
    (&[0x8003], |_| CONSTANT[3]),
    (&[0x8004], |_| 255 - CONSTANT[3]),
];

/// Rounds a fraction of 255 to the nearest.
fn rounded(value: f64) -> u32 {
    (value / 255.0).round().clamp(0.0, 255.0) as u32
}

#[test]
fn every_factor_weighs_source_and_target() {
    let mut scene = scene();
    scene.set(rop::BLEND_FUNC_ENABLE, &[1]);
    let mut expected = Vec::new();
    let numbered = FACTORS.iter().flat_map(|(numbers, factor)| numbers.iter().map(move |number| (*number, factor)));
    for (number, factor) in numbered {
        for of_source in [true, false] {
            let pair = number << 16 | number;
            scene.set(rop::BLEND_FUNC_SRC, &if of_source { [pair, 0] } else { [0, pair] });
            scene.pixel(expected.len() as u32, 0.5, fractions(SOURCE));
            let color = if of_source { SOURCE } else { TARGET };
            expected.push(argb(std::array::from_fn(|channel| rounded(f64::from(color[channel] * factor(channel))))));
        }
    }
    // Color and alpha have factors of their own.
    scene.set(rop::BLEND_FUNC_SRC, &[0x0300_0001, 0x0001_0000]);
    scene.pixel(expected.len() as u32, 0.5, fractions(SOURCE));
    let [red, green, blue, alpha] = SOURCE;
    expected.push(argb([red, green, blue, (rounded(f64::from(alpha * alpha)) + TARGET[3]).min(255)]));
    // Without blending, the source replaces the target.
    scene.set(rop::BLEND_FUNC_ENABLE, &[0]);
    scene.pixel(expected.len() as u32, 0.5, fractions(SOURCE));
    expected.push(argb(SOURCE));
    let outcome = scene.run();
    let found: Vec<u32> = (0..expected.len() as u32).map(|pixel| outcome.color(pixel)).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_equation_combines_the_products() {
    let products = |channel: usize| {
        let [source, target] = [SOURCE, TARGET].map(|color| f64::from(color[channel]));
        [source * f64::from(SOURCE[3]), target * f64::from(255 - SOURCE[3])]
    };
    type Equation = fn([f64; 2]) -> f64;
    let equations: [(u32, Equation); 8] = [
        (0x8006, |[source, target]| source + target),
        (0x800a, |[source, target]| source - target),
        (0x800b, |[source, target]| target - source),
        (1, |[source, target]| source + target),
        (2, |[source, target]| source - target),
        (3, |[source, target]| target - source),
        (0xf005, |[source, target]| target - source),
        (0xf006, |[source, target]| source + target),
    ];
    let mut scene = scene();
    scene.set(rop::BLEND_FUNC_ENABLE, &[1]);
    scene.set(rop::BLEND_FUNC_SRC, &[0x0302_0302, 0x0303_0303]);
    let mut expected = Vec::new();
    for (number, equation) in equations {
        scene.set(rop::BLEND_EQUATION, &[number << 16 | number]);
        scene.pixel(expected.len() as u32, 0.5, fractions(SOURCE));
        expected.push(argb(std::array::from_fn(|channel| rounded(equation(products(channel))))));
    }
    // Of the signed sum, a source below zero takes part in a target of bytes: 40 of 255 less 20.
    scene.set(rop::BLEND_FUNC_SRC, &[0x0001_0001, 0x0001_0001]);
    scene.set(rop::BLEND_EQUATION, &[0xf006_f006]);
    scene.pixel(expected.len() as u32, 0.5, [-20.0 / 255.0, 0.0, 0.0, 0.0]);
    let [red, green, blue, alpha] = TARGET;
    expected.push(argb([red - 20, green, blue, alpha]));
    // Minimum and maximum ignore the factors.
    type Choice = fn(u32, u32) -> u32;
    let choices: [(u32, Choice); 4] = [(0x8007, u32::min), (0x8008, u32::max), (4, u32::min), (5, u32::max)];
    for (number, choose) in choices {
        scene.set(rop::BLEND_EQUATION, &[number << 16 | number]);
        scene.pixel(expected.len() as u32, 0.5, fractions(SOURCE));
        expected.push(argb(std::array::from_fn(|channel| choose(SOURCE[channel], TARGET[channel]))));
    }
    let outcome = scene.run();
    let found: Vec<u32> = (0..expected.len() as u32).map(|pixel| outcome.color(pixel)).collect();
    assert_eq!(found, expected);
}

/// OpenGL 2.1, table 4.3.
#[test]
fn every_logic_operation_has_its_truth_table() {
    let operations: [fn(u32, u32) -> u32; 16] = [
        |_, _| 0,
        |s, d| s & d,
        |s, d| s & !d,
        |s, _| s,
        |s, d| !s & d,
        |_, d| d,
        |s, d| s ^ d,
        |s, d| s | d,
        |s, d| !(s | d),
        |s, d| !(s ^ d),
        |_, d| !d,
        |s, d| s | !d,
        |s, _| !s,
        |s, d| !s | d,
        |s, d| !(s & d),
        |_, _| u32::MAX,
    ];
    let mut scene = scene();
    let draw = |scene: &mut Scene, number| scene.pixel(number, 0.5, fractions(SOURCE));
    // Without the test of this line, the operation is off.
    scene.set(rop::COLOR_LOGIC_OP_OP, &[0x1500]);
    draw(&mut scene, 16);
    scene.set(rop::COLOR_LOGIC_OP_ENABLE, &[1]);
    for number in 0..16 {
        scene.set(rop::COLOR_LOGIC_OP_OP, &[0x1500 + number]);
        draw(&mut scene, number);
    }
    let outcome = scene.run();
    assert_eq!(outcome.color(16), argb(SOURCE));
    for (number, operation) in (0u32..).zip(operations) {
        assert_eq!(outcome.color(number), operation(argb(SOURCE), argb(TARGET)), "{:#x}", 0x1500 + number);
    }
}

/// The comparisons of OpenGL 2.1, section 4.1.4: never, less, equal, less or equal, greater, not equal, greater or
/// equal, always.
pub(super) const COMPARISONS: [fn(&u32, &u32) -> bool; 8] =
    [|_, _| false, u32::lt, u32::eq, u32::le, u32::gt, u32::ne, u32::ge, |_, _| true];

#[test]
fn alpha_is_compared_with_the_reference() {
    let mut scene = scene();
    scene.set(rop::ALPHA_FUNC_ENABLE, &[1]);
    scene.set(rop::ALPHA_FUNC_REF, &[100]);
    let alphas = [99, 100, 101];
    // The numbers of OpenGL, then those of Direct3D.
    let numbers: Vec<u32> = (0x200..0x208).chain(1..9).collect();
    for (place, number) in (0u32..).zip(&numbers) {
        scene.set(rop::ALPHA_FUNC_FUNC, &[*number]);
        for (column, alpha) in (0u32..).zip(alphas) {
            scene.pixel(3 * place + column, 0.5, fractions([255, 255, 255, alpha]));
        }
    }
    // Without the test, even "never" lets pixels through.
    scene.set(rop::ALPHA_FUNC_FUNC, &[0x200]);
    scene.set(rop::ALPHA_FUNC_ENABLE, &[0]);
    scene.pixel(48, 0.5, [1.0; 4]);
    let outcome = scene.run();
    for (place, number) in (0u32..).zip(&numbers) {
        for (column, alpha) in (0u32..).zip(alphas) {
            let passes = outcome.color(3 * place + column) != argb(TARGET);
            assert_eq!(passes, COMPARISONS[place as usize % 8](&alpha, &100), "{number:#x} of {alpha}");
        }
    }
    assert_eq!(outcome.color(48), u32::MAX);
}

#[test]
fn depth_bounds_compare_the_stored_depth() {
    let mut scene = scene();
    let depths = [0.2, 0.3, 0.5, 0.7, 0.8];
    scene.put_words(ZETA, &depths.map(|depth: f64| ((depth * f64::from((1 << 24) - 1)).round() as u32) << 8));
    scene.set(rop::DEPTH_BOUNDS_TEST_ZMIN, &[0.25f32.to_bits(), 0.75f32.to_bits()]);
    scene.rectangle([5, 0, 6, 1], 0.5, [1.0; 4]);
    scene.set(rop::DEPTH_BOUNDS_TEST_ENABLE, &[1]);
    scene.rectangle([0, 0, 5, 1], 0.1, [1.0; 4]);
    let outcome = scene.run();
    let passes: Vec<bool> = (0..6).map(|pixel| outcome.color(pixel) == u32::MAX).collect();
    assert_eq!(passes, [false, true, true, true, false, true]);
}

/// `MOV R0, f[TEX0]; MOV R2, f[TEX0]; MOV R3, f[TEX0]; MOV R4, f[TEX0]`, the end.
pub(super) fn four_colors() -> Vec<u32> {
    let copy = super::COPY_COORDINATE;
    let to = |register: u32, end: u32| [copy[0] & !0x7f | register << 1 | end, copy[1], copy[2], copy[3]];
    [to(0, 0), to(2, 0), to(3, 0), to(4, 1)].concat()
}

/// Where targets 1 to 3 are: behind the depth surface and the textures.
const OTHERS: [u32; 3] = [0x8000, 0xa000, 0xc000];

#[test]
fn each_target_has_its_place_mask_and_blending() {
    let mut scene = Scene::new();
    scene.program(&four_colors());
    scene.set(rop::BLEND_FUNC_SRC, &[0x0001_0001, 0x0001_0001]);
    let [first, second, third] = OTHERS.map(|offset| scene.address(offset));
    // Rows of each target are longer than those of the one before.
    scene.set(targets::COLOR1_OFFSET, &[first, 4 * SIDE + 64]);
    scene.set(targets::COLOR2_PITCH, &[4 * SIDE + 128, 4 * SIDE + 192, second, third]);
    scene.set(targets::RT_ENABLE, &[0x1f]);
    // Blue and alpha of target 1, green of target 2, red of target 3.
    scene.set(rop::MRT_COLOR_MASK, &[0x0090 | 0x0400 | 0x2000]);
    // The source is added to targets 1 and 3, and replaces targets 0 and 2.
    scene.set(rop::MRT_BLEND_ENABLE, &[0b1010]);
    let color = [64.0 / 255.0, 32.0 / 255.0, 16.0 / 255.0, 8.0 / 255.0];
    for _ in 0..2 {
        scene.rectangle([0, 1, 1, 2], 0.5, color);
    }
    let outcome = scene.run();
    assert_eq!(outcome.color(SIDE), 0x0840_2010);
    let found = [0, 1, 2].map(|target| outcome.words(OTHERS[target as usize] + 4 * SIDE + 64 * (target + 1), 1)[0]);
    assert_eq!(found, [0x1000_0020, 0x0000_2000, 0x0080_0000]);
}

#[test]
fn half_floats_blend_with_the_precise_constant() {
    let mut scene = Scene::new();
    // A16B16G16R16F; the constant's channels are halves: red and green, then blue and alpha.
    scene.set(targets::RT_FORMAT, &[0x14b, SIDE * 8]);
    scene.set(rop::BLEND_FUNC_ENABLE, &[1]);
    scene.set(rop::BLEND_FUNC_SRC, &[0x8001_8001, 0]);
    // 0.5 and 2, then 4 and 0.25.
    scene.set(rop::BLEND_COLOR, &[0x3800 | 0x4000 << 16]);
    scene.set(rop::BLEND_COLOR2, &[0x4400 | 0x3400 << 16]);
    scene.rectangle([0, 0, 1, 1], 0.5, [1.0; 4]);
    let outcome = scene.run();
    assert_eq!(outcome.words(COLOR, 2), [0x3800 | 0x4000 << 16, 0x4400 | 0x3400 << 16]);
}

#[test]
fn dithering_shows_a_grey_between_two_steps_as_both() {
    let mut scene = Scene::new();
    // R5G6B5; half of 255 is 15.5 of 31.
    scene.set(targets::RT_FORMAT, &[0x143, SIDE * 2]);
    scene.rectangle([0, 0, SIDE, SIDE / 2], 0.5, [0.5, 0.0, 0.0, 1.0]);
    scene.set(rop::DITHER_ENABLE, &[1]);
    scene.rectangle([0, SIDE / 2, SIDE, SIDE], 0.5, [0.5, 0.0, 0.0, 1.0]);
    let outcome = scene.run();
    let half = (SIDE * SIDE) as usize;
    let reds = |from: usize| -> Vec<u16> {
        outcome.memory[from..from + half]
            .chunks(2)
            .map(|pixel| u16::from_le_bytes([pixel[0], pixel[1]]) >> 11)
            .collect()
    };
    let [plain, dithered] = [reds(0), reds(half)];
    assert!(plain.iter().all(|red| *red == plain[0]), "one step without dithering");
    let [low, high] = [15, 16].map(|step| dithered.iter().filter(|red| **red == step).count());
    assert_eq!(low + high, dithered.len());
    assert!(low > dithered.len() / 4 && high > dithered.len() / 4, "{low} and {high}");
}
