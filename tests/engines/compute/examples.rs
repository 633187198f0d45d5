//! The kernels of `scenes/compute`.

use std::path::Path;

use curie::launch::{Argument, KernelRequest, PreparedLaunch, TextureArgument, prepare, read_module};

use super::{compare, kernels};
use crate::common::random::Random;

/// A launch of a file of `scenes/compute`.
fn example(name: &str, grid: [u32; 2], block: [u32; 2], arguments: Vec<Argument>) -> PreparedLaunch {
    example_with(name, grid, block, arguments, Vec::new())
}

/// The same with textures.
fn example_with(
    name: &str,
    grid: [u32; 2],
    block: [u32; 2],
    arguments: Vec<Argument>,
    textures: Vec<TextureArgument>,
) -> PreparedLaunch {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/compute").join(format!("{name}.ptx"));
    let module = read_module(name, &std::fs::read(path).unwrap()).unwrap();
    let request = KernelRequest {
        entry: None,
        grid: [grid[0], grid[1], 1],
        block: [block[0], block[1], 1],
        arguments,
        more_shared_bytes: 0,
        pointer_bytes: 4,
        textures,
    };
    prepare(&module, &request).unwrap()
}

/// Floats from −2 to 2.
fn floats(seed: u64, count: u32) -> Argument {
    let mut random = Random::new(seed);
    // Twenty-four bits, which a float holds.
    let mut float = |_| f32::from_bits(0x3f80_0000 | random.word() >> 9) * 4.0 - 6.0;
    Argument::Buffer((0..count).map(&mut float).flat_map(|value| value.to_bits().to_le_bytes()).collect())
}

fn zeros(count: u32) -> Argument {
    Argument::Buffer(vec![0; 4 * count as usize])
}

/// Runs a launch on both engines; some thousands of instructions must be executed without a fault.
fn check(prepared: &PreparedLaunch) {
    let Some(kernels) = kernels() else { return };
    let (expected, differs) = compare(&kernels, prepared, 100_000_000);
    assert_eq!(differs, None);
    let report = expected.report.unwrap();
    assert!(report.faults.is_empty() && report.warp_instructions > 100, "{report:?}");
}

#[test]
fn vector_add() {
    let arguments = vec![floats(1, 1000), floats(2, 1000), zeros(1000), Argument::Unsigned(1000)];
    check(&example("vector_add", [4, 1], [256, 1], arguments));
}

#[test]
fn matrix_multiply() {
    let arguments = vec![floats(3, 48 * 48), floats(4, 48 * 48), zeros(48 * 48), Argument::Unsigned(48)];
    check(&example("matrix_multiply", [3, 3], [16, 16], arguments));
}

#[test]
fn reduction() {
    check(&example("reduction", [3, 1], [256, 1], vec![floats(5, 700), Argument::Unsigned(700), zeros(3)]));
}

#[test]
fn histogram() {
    check(&example("histogram", [3, 1], [64, 1], vec![floats(6, 600), Argument::Unsigned(600), zeros(256)]));
}

#[test]
fn mandelbrot() {
    let float = |value: f32| Argument::Float(value.to_bits());
    let size = [Argument::Unsigned(48), Argument::Unsigned(32)];
    let mut arguments = vec![zeros(48 * 32)];
    arguments.extend(size);
    arguments.extend([float(-2.2), float(-1.2), float(0.07), Argument::Unsigned(100)]);
    check(&example("mandelbrot", [3, 2], [16, 16], arguments));
}

#[test]
fn n_body() {
    let arguments = vec![
        floats(7, 128 * 4),
        zeros(128 * 4),
        floats(8, 128 * 4),
        Argument::Unsigned(128),
        Argument::Float(0.01_f32.to_bits()),
        Argument::Float(0.1_f32.to_bits()),
    ];
    check(&example("n_body", [2, 1], [64, 1], arguments));
}

#[test]
fn rotate_image() {
    let Argument::Buffer(texels) = floats(9, 40 * 24) else { unreachable!("floats are a buffer") };
    let image = TextureArgument { texels, .."image=f32,40x24,filter=linear:zeros".parse().unwrap() };
    let [cosine, sine] = [0.8_f32, 0.6].map(|number| Argument::Float(number.to_bits()));
    let arguments = vec![zeros(40 * 24), Argument::Unsigned(40), Argument::Unsigned(24), cosine, sine];
    check(&example_with("rotate_image", [3, 2], [16, 16], arguments, vec![image]));
}
