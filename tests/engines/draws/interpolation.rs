//! Interpolates values of every magnitude in one tile with normal-range ones: the kernels engine interpolates the
//! former on the exact path and the latter on the fast path.

use super::stage::Stage;
use crate::common::random::Random;
use curie::asm::{Assembly, assemble};

const QUADS: u32 = 8;

/// Draws quads: two coordinates of each corner in pixels, and the bits of its four texture coordinates.
fn draw_quads(stage: &mut Stage, points: &[f32], texcoords: &[u32]) {
    stage.put_floats(0, points);
    stage.array(0, 0, 0x0822);
    stage.put_words(0x8000, texcoords);
    stage.array(8, 0x8000, 0x1042);
    stage.draw_arrays(QUADS, 0, (points.len() / 2) as u32);
}

/// Values at and beyond the limits of the fast path, infinities and NaN.
const VALUES: [u32; 24] = [
    0x0000_0000, // 0
    0x8000_0000, // -0
    0x0000_0001, // the smallest denormal
    0x807f_ffff, // the largest, negative
    0x0080_0000, // 2^-126
    0x0dff_ffff, // less than 2^-99
    0x2b7f_ffff, // less than 2^-40
    0x2b80_0000, // 2^-40
    0x3e80_0001,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0001,
    0x40a0_0000,
    0xc2c8_0000,
    0x5380_0000, // 2^40
    0xd380_0001, // larger
    0x7149_f2ca, // 1e30
    0x7f7f_ffff, // the largest
    0xff7f_ffff,
    0x7f80_0000, // infinity
    0xff80_0000,
    0x7fc0_0000, // NaN
    0xffff_ffff,
    0x7f80_0001,
];

#[test]
fn equal_values_stay_equal_bit_for_bit() {
    // a + s × (a − a) is a for numbers and NaN for infinities; each layer shows one row.
    let values: Vec<u32> = VALUES.into_iter().filter(|bits| bits & 0x7f80_0000 != 0).collect();
    let mut stage = Stage::new();
    let (mut points, mut colors) = (Vec::new(), Vec::new());
    for (row, value) in values.iter().enumerate() {
        let (top, bottom) = (row as f32, values.len() as f32);
        points.extend([0.0, top, 16.0, top, 16.0, bottom, 0.0, bottom]);
        colors.extend([*value; 16]);
    }
    draw_quads(&mut stage, &points, &colors);
    let picture = stage.run();
    for (row, value) in values.iter().enumerate() {
        let expected = if value & 0x7fff_ffff >= 0x7f80_0000 { 0x7fff_ffff } else { *value };
        assert_eq!(picture.bits(15, row as u32), [expected; 4], "{value:#010x}");
    }
}

/// Compiles a text and makes it the fragment program.
pub(crate) fn program(stage: &mut Stage, text: &str) {
    let assembly = match assemble("test", text) {
        Ok(Assembly::Fragment(assembly)) => assembly,
        Ok(Assembly::Vertex(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}"),
    };
    stage.fragment_program(0xf000, &assembly.words, assembly.control);
}

#[test]
fn products_are_flushed_below_the_least_normal_number() {
    // Products below 2^-126 after rounding to 24 bits are 0; the fourth is 2^-126 - 2^-150, a tie in the unit of
    // denormals. Other rows of the same tile hold ordinary products.
    let products = [
        (power(-63), power(-63), power(-126)),
        (power(-64), power(-63), 0),
        (power(1), power(2), power(3)),
        (0x3f7f_ffff, power(-126), 0),
        (power(0) | 1, power(-126), power(-126) | 1),
        (0, power(-3), 0),
        (power(-100), power(-100), 0),
        (power(5), power(-6), power(-1)),
    ];
    let mut stage = Stage::new();
    program(&mut stage, "!!FP1.0\nMULR o[COLR], f[TEX0], f[TEX0].yxwz;\nEND\n");
    let (mut points, mut colors) = (Vec::new(), Vec::new());
    for (row, (a, b, _)) in products.iter().enumerate() {
        let top = row as f32;
        points.extend([0.0, top, 16.0, top, 16.0, 8.0, 0.0, 8.0]);
        colors.extend([*a, *b, *a, *b].repeat(4));
    }
    draw_quads(&mut stage, &points, &colors);
    let picture = stage.run();
    for (row, (a, b, expected)) in products.iter().enumerate() {
        assert_eq!(picture.bits(3, row as u32), [*expected; 4], "{a:#010x} times {b:#010x}");
    }
}

#[test]
fn values_of_every_size_mix_in_a_tile() {
    // 1/w from 2^-20 to 2^20, negative values and zero, over attributes of every magnitude: the engines agree on every byte.
    const W: [f32; 12] =
        [1.0, 1.0, 1.0, 2.0, 0.5, 0.01, 100.0, 65536.0, 131_072.0, 1.0 / 65536.0, 1.0 / 1_048_576.0, -1.0];
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut stage = Stage::new();
        stage.viewport();
        if seed % 2 == 1 {
            let text = "!!FP1.0\nMULR R1, f[TEX0], f[TEX0].yzwx;\nMADR R2, R1, f[TEX0].w, f[TEX0].zwxy;\n\
                        DP3R R3.x, R1, f[TEX0];\nDP4R R3.y, f[TEX0], R2;\nLRPR R3.zw, f[TEX0].z, R1, R2;\n\
                        MOVR o[COLR], R3;\nEND\n";
            program(&mut stage, text);
        }
        let (mut positions, mut colors) = (Vec::new(), Vec::new());
        for quad in 0..150 {
            let is_odd = quad % 3 == 0;
            let corner = [random.below(128) as f32 / 64.0 - 1.0, random.below(128) as f32 / 64.0 - 1.0];
            let shared = W[random.below(12) as usize];
            for (x, y) in [(0.0, 0.0), (0.4, 0.0), (0.4, 0.4), (0.0, 0.4)] {
                let w = if random.below(4) == 0 { W[random.below(12) as usize] } else { shared };
                let place = [corner[0] + x, corner[1] + y, random.below(64) as f32 / 64.0, 1.0];
                positions.extend(place.map(|component| (component * w).to_bits()));
                for _ in 0..4 {
                    let plain = (random.below(1000) as f32 / 100.0 - 5.0).to_bits();
                    let any = VALUES[random.below(VALUES.len() as u32) as usize];
                    colors.push(if is_odd { any } else { plain });
                }
            }
        }
        stage.put_words(0, &positions);
        stage.array(0, 0, 0x1042);
        stage.put_words(0x8000, &colors);
        stage.array(8, 0x8000, 0x1042);
        stage.draw_arrays(QUADS, 0, 600);
        assert!(stage.run().drawn().len() > 2000, "seed {seed}");
    }
}

/// 2^exponent, as bits.
const fn power(exponent: i32) -> u32 {
    (127 + exponent).cast_unsigned() << 23
}

#[test]
fn sums_are_flushed_below_the_least_normal_number() {
    // a·b + c·d with a and c from the arrays, which fast-path kernels accept from 2^-40 on, and constants of the program.
    let one_more = |bits: u32| bits + 1;
    let negative = |bits: u32| bits | 0x8000_0000;
    // a, b, c, d, a·b + c·d
    let sums: [[u32; 5]; 9] = [
        // 2^-104·(1 + 2^-23) − 2^-104 is 2^-127; one binary place higher it is the smallest normal number.
        [one_more(power(-40)), power(-64), power(-40), negative(power(-64)), 0],
        [one_more(power(-40)), power(-63), power(-40), negative(power(-63)), power(-126)],
        // Constants outside the range of fast-path kernels.
        [one_more(power(-20)), power(-106), power(-20), negative(power(-106)), 0],
        [power(0), 0x0040_0000, power(-3), power(-100), power(-103)],
        [0x3f7f_ffff, power(-126), 0, power(0), 0],
        // Products of 2^-126, of 2^-127, and one that is flushed before the addition to 2^-126.
        [power(-23), power(-103), 0, power(0), power(-126)],
        [power(-24), power(-103), 0, power(0), 0],
        [one_more(power(-27)), power(-100), power(-40), power(-86), power(-126)],
        [power(3), power(2), power(1), power(0), 0x4208_0000],
    ];
    for [a, b, c, d, expected] in sums {
        let mut stage = Stage::new();
        let text = "!!FP1.0\nMULR R0, f[TEX0].x, {3.0}.x;\nMADR o[COLR], f[TEX0].y, {5.0}.x, R0;\nEND\n";
        program(&mut stage, text);
        stage.replace_words(0xf000, 3.0f32.to_bits(), b);
        stage.replace_words(0xf000, 5.0f32.to_bits(), d);
        let corners = [0.0, 0.0, 16.0, 0.0, 16.0, 16.0, 0.0, 16.0];
        draw_quads(&mut stage, &corners, &[a, c, 0, 0].repeat(4));
        let picture = stage.run();
        assert_eq!(picture.bits(3, 5), [expected; 4], "{a:#x} times {b:#x} plus {c:#x} times {d:#x}");
    }
}

#[test]
fn arithmetic_over_small_values_of_every_origin() {
    // Values that are neither sums nor products: comparisons, special functions, scaled and packed results, halves,
    // constants and registers that were never written. Both engines agree on every byte.
    let texts = [
        "SLTR R0, f[TEX0], f[TEX0].yzwx;\nMULR R1, R0, f[TEX0].w;\nADDR R1, R1, -R0;\n",
        "SFLR R0;\nADDR R1, f[TEX0], R0;\nMULR R1, R1, R5;\nADDR R1, R1, -R6;\n",
        "SFLH H0;\nMULR R1, f[TEX0], H0;\nADDR R1, R1, H0;\nSTRH H1;\nMADR R1, H1, f[TEX0], R1;\n",
        "EX2R R0, f[TEX0].x;\nMULR R1, R0, f[TEX0];\nRCPR R2, f[TEX0].y;\nMADR R1, R2, R0, R1;\n",
        "ADDR R0, f[TEX0], {1e-32, 1e-31, 1e-36, 1e-38};\nADDR R1, R0, -f[TEX0].yzwx;\n",
        "PK2H R0, f[TEX0].xyxy;\nADDR R1, R0, f[TEX0];\nMULR R1, R1, R0.x;\n",
        "POWR R0, |f[TEX0].x|, f[TEX0].y;\nMADR R1, R0, f[TEX0], -R0;\nFRCR R2, R1;\nADDR R1, R1, R2;\n",
        "MINR R0, f[TEX0], {0.0}.x;\nMAXR R1, R0, -R0;\nADDR R1, R1, {0.0}.x;\nMULR R1, R1, -R0;\n",
        "MULH H0, f[TEX0], f[TEX0].yzwx;\nADDR R1, H0, -H0.yxwz;\nMULR R1, R1, H0;\nDP4R R2, R1, H0;\nADDR R1, R1, R2;\n",
        "LITR R0, f[TEX0];\nADDR R1, R0, f[TEX0];\nDSTR R2, f[TEX0], R0;\nMADR R1, R2, R0, R1;\n",
    ];
    for (number, text) in (0..).zip(texts) {
        let mut random = Random::new(number);
        let mut stage = Stage::new();
        program(&mut stage, &format!("!!FP1.0\n{text}MOVR o[COLR], R1;\nEND\n"));
        let (mut points, mut colors) = (Vec::new(), Vec::new());
        for quad in 0..96 {
            let [x, y] = [random.below(56), random.below(56)].map(|place| place as f32);
            points.extend([x, y, x + 8.0, y, x + 8.0, y + 8.0, x, y + 8.0]);
            for _ in 0..16 {
                // Between the smallest denormal and the largest number; normal-range values in every other quad.
                let reach = if quad % 2 == 0 { 4 } else { 140 };
                let exponent = 127 + random.below(2 * reach + 1).cast_signed() - reach.cast_signed();
                let bits = exponent.clamp(0, 254).cast_unsigned() << 23 | random.below(4) << 20;
                colors.push(if random.below(6) == 0 { 0 } else { bits | random.below(2) << 31 });
            }
        }
        draw_quads(&mut stage, &points, &colors);
        assert!(stage.run().drawn().len() > 100, "{text}");
    }
}
