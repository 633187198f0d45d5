//! The kernels in `scenes/compute`, against the same calculations in Rust.

use std::path::Path;

use curie::format::TextureFormat;
use curie::pipeline::Dimensions;
use curie::pipeline::launch::rows_of_texels;

use super::Machine;
use crate::common::random::Random;

fn machine(name: &str) -> Machine {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/compute").join(name).with_extension("ptx");
    Machine::new(&std::fs::read_to_string(path).unwrap())
}

/// Floats between −1 and 1.
fn floats(seed: u64, count: u32) -> Vec<f32> {
    let mut random = Random::new(seed);
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    let float = |word: u32| (word >> 8) as f32 / 8_388_608.0 - 1.0;
    (0..count).map(|_| float(random.word())).collect()
}

fn bits(floats: &[f32]) -> Vec<u32> {
    floats.iter().map(|float| float.to_bits()).collect()
}

#[test]
fn vector_add() {
    let mut machine = machine("vector_add");
    let (x, y) = (floats(1, 1000), floats(2, 1000));
    let (a, b) = (machine.buffer("a", &bits(&x)), machine.buffer("b", &bits(&y)));
    let c = machine.buffer("c", &[0; 1000]);
    machine.run("vector_add", [4, 1], [256, 1, 1], &[a, b, c, 1000]);
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
    assert_eq!(machine.words("c"), bits(&expected));
}

#[test]
fn matrix_multiply() {
    const SIZE: u32 = 48;
    let mut machine = machine("matrix_multiply");
    let (x, y) = (floats(3, SIZE * SIZE), floats(4, SIZE * SIZE));
    let (a, b) = (machine.buffer("a", &bits(&x)), machine.buffer("b", &bits(&y)));
    let c = machine.buffer("c", &vec![0; x.len()]);
    machine.run("matrix_multiply", [3, 3], [16, 16, 1], &[a, b, c, SIZE]);
    let size = SIZE as usize;
    for (index, found) in machine.words("c").into_iter().map(f32::from_bits).enumerate() {
        let (row, column) = (index / size, index % size);
        let expected: f64 = (0..size).map(|k| f64::from(x[row * size + k]) * f64::from(y[k * size + column])).sum();
        // Each of 48 products is truncated, each sum rounded.
        assert!((f64::from(found) - expected).abs() < 48.0 * 2f64.powi(-20), "{row} {column}: {found} {expected}");
    }
}

#[test]
fn reduction() {
    let mut machine = machine("reduction");
    let mut random = Random::new(5);
    let values: Vec<u32> = (0..1000).map(|_| random.word()).collect();
    let from = machine.buffer("values", &values);
    let sums = machine.buffer("sums", &[0; 4]);
    let report = machine.run("reduction", [4, 1], [256, 1, 1], &[from, 1000, sums]);
    let expected: Vec<u32> =
        values.chunks(256).map(|block| block.iter().fold(0u32, |sum, value| sum.wrapping_add(*value))).collect();
    assert_eq!(machine.words("sums"), expected);
    assert!(report.divergent_branches > 0);
}

#[test]
fn mandelbrot() {
    const SIZE: [u32; 2] = [40, 24];
    const MOST: u32 = 100;
    let mut machine = machine("mandelbrot");
    let counts = machine.buffer("counts", &vec![0; (SIZE[0] * SIZE[1]) as usize]);
    let (left, top, scale) = (-2.0f32, -1.125f32, 0.078_125f32);
    let parameters = [counts, SIZE[0], SIZE[1], left.to_bits(), top.to_bits(), scale.to_bits(), MOST];
    let report = machine.run("mandelbrot", [3, 2], [16, 16, 1], &parameters);
    let found = machine.words("counts");
    for row in 0u16..24 {
        for column in 0u16..40 {
            let (cx, cy) = (f32::from(column) * scale + left, f32::from(row) * scale + top);
            let (mut x, mut y, mut count) = (0.0f32, 0.0f32, 0);
            while x * x + y * y <= 4.0 && count < MOST {
                let xy = x * y;
                (x, y) = (x * x - y * y + cx, xy + xy + cy);
                count += 1;
            }
            assert_eq!(found[usize::from(row) * 40 + usize::from(column)], count, "{column} {row}");
        }
    }
    assert!(report.divergent_branches > 10);
}

#[test]
fn histogram() {
    let mut machine = machine("histogram");
    let mut random = Random::new(6);
    let values: Vec<u32> = (0..777).map(|_| random.word() & random.word()).collect();
    let from = machine.buffer("values", &values);
    let counts = machine.buffer("counts", &[0; 256]);
    machine.run("histogram", [2, 1], [64, 1, 1], &[from, 777, counts]);
    let mut expected = vec![0; 256];
    values.iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| expected[usize::from(byte)] += 1);
    assert_eq!(machine.words("counts"), expected);
}

#[test]
fn n_body() {
    const COUNT: u32 = 128;
    let mut machine = machine("n_body");
    let bodies: Vec<f32> = floats(7, 4 * COUNT).chunks(4).flat_map(|b| [b[0], b[1], b[2], b[3].abs()]).collect();
    let velocities = floats(8, 4 * COUNT);
    let before = machine.buffer("before", &bits(&bodies));
    let after = machine.buffer("after", &vec![0; bodies.len()]);
    let speed = machine.buffer("velocities", &bits(&velocities));
    let (time, softening) = (0.01f32, 0.05f32);
    let parameters = [before, after, speed, COUNT, time.to_bits(), softening.to_bits()];
    machine.run("n_body", [2, 1], [64, 1, 1], &parameters);
    let (places, speeds) = (machine.words("after"), machine.words("velocities"));
    for (index, body) in bodies.chunks(4).enumerate() {
        let mut force = [0.0f64; 3];
        for other in bodies.chunks(4) {
            let apart = [0, 1, 2].map(|axis| f64::from(other[axis]) - f64::from(body[axis]));
            let square: f64 = apart.iter().map(|d| d * d).sum::<f64>() + f64::from(softening);
            let factor = f64::from(other[3]) / (square * square.sqrt());
            force = std::array::from_fn(|axis| force[axis] + apart[axis] * factor);
        }
        for axis in 0..3 {
            let at = 4 * index + axis;
            let velocity = f64::from(velocities[at]) + force[axis] * f64::from(time);
            let place = f64::from(body[axis]) + velocity * f64::from(time);
            assert!((f64::from(f32::from_bits(speeds[at])) - velocity).abs() < 1e-3, "velocity {index} {axis}");
            assert!((f64::from(f32::from_bits(places[at])) - place).abs() < 1e-4, "place {index} {axis}");
        }
        assert_eq!(places[4 * index + 3], body[3].to_bits(), "the mass stays");
    }
}

/// The texels before and after a place, and the weight of the second.
#[expect(clippy::cast_possible_truncation, reason = "places are near the picture")]
fn taps(place: f32, side: usize) -> ([usize; 2], f32) {
    // Places are rounded to 1/256 of a texel; centers are at halves.
    let fixed = (f64::from(place) * 256.0 + 0.5).floor() as i64 - 128;
    let texel = |texel: i64| texel.clamp(0, side as i64 - 1) as usize;
    ([texel(fixed >> 8), texel((fixed >> 8) + 1)], (fixed & 255) as f32 / 256.0)
}

#[test]
fn rotate_image() {
    const SIZE: [usize; 2] = [40, 24];
    let mut machine = machine("rotate_image");
    let mut random = Random::new(9);
    // Products of these numbers with weights of twice eight bits are exact.
    let picture: Vec<f32> = (0..SIZE[0] * SIZE[1]).map(|_| (random.word() >> 24) as f32).collect();
    let texture = rows_of_texels(TextureFormat::Float32, Dimensions::Two, [40, 24, 1]);
    machine.texture("image", &texture, &bits(&picture));
    let rotated = machine.buffer("rotated", &vec![0; picture.len()]);
    let (cosine, sine) = (0.8f32, 0.6f32);
    machine.run("rotate_image", [3, 2], [16, 16, 1], &[rotated, 40, 24, cosine.to_bits(), sine.to_bits()]);
    for (index, found) in machine.words("rotated").into_iter().map(f32::from_bits).enumerate() {
        let (column, row) = ((index % SIZE[0]) as f32, (index / SIZE[0]) as f32);
        let (x, y) = (column + 0.5 - 20.0, row + 0.5 - 12.0);
        let (columns, right) = taps(x * cosine + y * sine + 20.0, SIZE[0]);
        let (rows, below) = taps(y * cosine - x * sine + 12.0, SIZE[1]);
        let [upper, lower] = rows.map(|row| {
            let [left_texel, right_texel] = columns.map(|column| picture[row * SIZE[0] + column]);
            left_texel * (1.0 - right) + right_texel * right
        });
        assert_eq!(found, upper * (1.0 - below) + lower * below, "{column} {row}");
    }
}
