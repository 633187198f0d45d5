//! Interpolation of values of every size, in one tile with plain ones: the kernels engine interpolates these by plain
//! operations and those with care.

#[path = "../common/random.rs"]
mod random;

use super::stage::Stage;
use curie::program::language::{Assembly, assemble};
use random::Random;

const QUADS: u32 = 8;

/// At and beyond the ends of what plain operations do for, and what is no number.
const VALUES: [u32; 24] = [
    0x0000_0000, // 0
    0x8000_0000, // -0
    0x0000_0001, // the least denormal
    0x807f_ffff, // the greatest, negative
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
    0xd380_0001, // more
    0x7149_f2ca, // 1e30
    0x7f7f_ffff, // the greatest
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
    stage.put_floats(0, &points);
    stage.array(0, 0, 0x0822);
    stage.put_words(0x8000, &colors);
    stage.array(8, 0x8000, 0x1042);
    stage.draw_arrays(QUADS, 0, 4 * values.len() as u32);
    let picture = stage.run();
    for (row, value) in values.iter().enumerate() {
        let expected = if value & 0x7fff_ffff >= 0x7f80_0000 { 0x7fff_ffff } else { *value };
        assert_eq!(picture.bits(15, row as u32), [expected; 4], "{value:#010x}");
    }
}

/// Makes a text the fragment program.
fn program(stage: &mut Stage, text: &str) {
    let assembly = match assemble("test", text) {
        Ok(Assembly::Fragment(assembly)) => assembly,
        Ok(Assembly::Vertex(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}"),
    };
    stage.fragment_program(0xf000, &assembly.words, assembly.control);
}

#[test]
fn products_are_flushed_below_the_least_normal_number() {
    // Products below 2^-126 after rounding to 24 bits are 0; the fourth is 2^-126 - 2^-150, halfway to it in the unit of
    // denormals. Other rows of the same tile hold ordinary products.
    let power = |exponent: i32| (127 + exponent).cast_unsigned() << 23;
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
    stage.put_floats(0, &points);
    stage.array(0, 0, 0x0822);
    stage.put_words(0x8000, &colors);
    stage.array(8, 0x8000, 0x1042);
    stage.draw_arrays(QUADS, 0, 4 * products.len() as u32);
    let picture = stage.run();
    for (row, (a, b, expected)) in products.iter().enumerate() {
        assert_eq!(picture.bits(3, row as u32), [*expected; 4], "{a:#010x} times {b:#010x}");
    }
}

#[test]
fn values_of_every_size_mix_in_a_tile() {
    // 1/w from 2^-20 to 2^20, negative ones and none, over attributes of every size: the engines agree on every byte.
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
