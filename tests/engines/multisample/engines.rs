//! Random scenes leave the same bytes in all memory on both engines.

use super::scene::{INPUT, Memory, Scene, Surfaces, Vertex, fragment, run, show};
use crate::common;
use crate::common::nightly::cases;
use crate::common::random::Random;
use curie::capture;
use curie::command::methods::three_d::{program, raster, rop, sync, targets};
use curie::isa::nv40_fragment::{FragmentField, FragmentOpcode};
use curie::kernels::{KernelOptions, Kernels};

/// The first byte at which two runs differ.
pub(crate) fn difference(expected: &Memory, actual: &Memory) -> Option<String> {
    for (name, expected, actual) in [("VRAM", &expected.vram, &actual.vram), ("GART", &expected.gart, &actual.gart)] {
        assert_eq!(expected.len(), actual.len());
        if let Some(at) = expected.iter().zip(actual).position(|(expected, actual)| expected != actual) {
            return Some(format!("{name} {at:#x}: {:#x}, not {:#x}", actual[at], expected[at]));
        }
    }
    None
}

#[test]
fn the_comparer_sees_a_planted_difference() {
    let memory = || Scene::new(Surfaces::plain(4)).clear(3, 4).run();
    let (left, mut right) = (memory(), memory());
    assert_eq!(difference(&left, &right), None);
    right.vram[(1 << 20) + 99] ^= 1;
    assert!(difference(&left, &right).is_some());
}

fn random_vertices(random: &mut Random, count: u32) -> Vec<Vertex> {
    (0..count)
        .map(|_| {
            let mut float = |low: f32, high: f32| low + (high - low) * random.below(1 << 20) as f32 / 1_048_576.0;
            // Perspective: everything except w is multiplied by w.
            let w = float(0.3, 2.5);
            let position = [float(-8.0, 40.0) * w, float(-8.0, 32.0) * w, float(-0.1, 1.1) * w, w];
            (position, [float(-0.2, 1.2), float(-0.5, 1.5), float(0.0, 1.0), float(0.0, 1.0)])
        })
        .collect()
}

fn random_state(random: &mut Random, scene: &mut Scene) {
    let coin = |random: &mut Random, chance: u32| u32::from(random.below(chance) == 0);
    let flags = coin(random, 4) << 4 | coin(random, 4) << 8 | u32::from(random.below(6) != 0);
    let mask = if random.below(3) == 0 { random.below(16) } else { 0xffff };
    scene.control(flags, mask);
    let compare = 0x200 + random.below(8);
    scene.stream.methods(7, rop::DEPTH_FUNC, &[compare, coin(random, 2), u32::from(random.below(4) != 0)]);
    let op = |random: &mut Random| random.pick(&[0, 0x150a, 0x1e00, 0x1e01, 0x1e02, 0x1e03, 0x8507, 0x8508]);
    let stencil =
        [coin(random, 2), 0xff, 0x200 + random.below(8), random.below(4), 3, op(random), op(random), op(random)];
    scene.stream.methods(7, rop::STENCIL_ENABLE, &stencil);
    scene.stream.methods(7, rop::ALPHA_FUNC_ENABLE, &[coin(random, 3), 0x200 + random.below(8), random.below(256)]);
    scene.stream.methods(7, rop::BLEND_FUNC_ENABLE, &[coin(random, 2), 0x302_0302, 0x303_0303]);
    scene.set(raster::POLYGON_OFFSET_FILL_ENABLE, coin(random, 3));
    scene.stream.floats(7, raster::POLYGON_OFFSET_FACTOR, &[0.7, 3.0]);
    scene.set(raster::DEPTH_CONTROL, random.pick(&[1, 1, 0, 0x10, 0x11]));
    scene.set(raster::TEX_COORD_CONTROL, random.pick(&[0, 0x10, 0x11]));
    scene.set(raster::SHADE_MODEL, 0x1d00 | u32::from(random.below(4) != 0));
}

/// State with every value compiled into the rasterizer.
fn random_raster(random: &mut Random, scene: &mut Scene) {
    scene.set(raster::LINE_WIDTH, 8 + random.below(60));
    scene.set(raster::LINE_SMOOTH_ENABLE, random.below(2)).set(raster::POLYGON_SMOOTH_ENABLE, random.below(2));
    scene.set(raster::CYLINDRICAL_WRAP, random.pick(&[0, 0, 3])).set(rop::DITHER_ENABLE, random.below(2));
    scene.stream.floats(7, raster::POINT_SIZE, &[0.5 + random.below(80) as f32 / 8.0]);
    scene.set(raster::POINT_SPRITE, random.pick(&[0, 0x101, 0x103]));
    if random.below(4) == 0 {
        scene.stream.methods(7, raster::POLYGON_MODE_FRONT, &[0x1b00 + random.below(3), 0x1b00 + random.below(3)]);
    }
    match random.below(5) {
        0 => {
            scene.set(raster::POLYGON_STIPPLE_ENABLE, 1).set(raster::LINE_STIPPLE_ENABLE, 1);
            scene.set(raster::LINE_STIPPLE_PATTERN, random.word() & 0xffff_0007);
            let rows: Vec<_> = (0..32).map(|_| random.word() | random.word()).collect();
            scene.stream.methods(7, raster::POLYGON_STIPPLE_PATTERN, &rows);
        }
        1 => {
            scene.set(raster::VP_CLIP_PLANES_ENABLE, random.pick(&[2, 1, 0x20, 0x12]));
        }
        2 => {
            for index in 0..8 {
                let (left, top) = (random.below(30), random.below(20));
                let clips = [left | (left + 9) << 16, top | (top + 7) << 16];
                scene.stream.methods(7, targets::VIEWPORT_CLIP_HORIZ + index * 8, &clips);
            }
        }
        _ => {}
    }
    scene.stream.methods(7, raster::SCISSOR_HORIZ, &[random.below(6) | 25 << 16, random.below(5) | 18 << 16]);
}

fn random_scene(seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let (color, zeta) =
        random.pick(&[(8, 2), (8, 2), (5, 2), (3, 1), (2, 1), (9, 1), (10, 2), (11, 2), (13, 2), (16, 2)]);
    let mode = random.pick(&[3, 4, 5, 5]);
    let enabled = if color == 8 && random.flag() { 0x17 } else { 1 };
    let mut scene = Scene::new(Surfaces { mode, color, zeta, enabled });
    if color != 11 && color != 13 {
        scene.clear(random.word(), random.word() | 0xffff_0000);
    }
    scene.set(sync::QUERY_RESET, 1).set(sync::QUERY_ENABLE, 1);
    match random.below(4) {
        0 => {
            // Discards if the color's green is negative, which colors never are, or the coordinate's.
            let test = fragment(FragmentOpcode::Mov, 0, [INPUT, 0, 0])
                .with(FragmentField::INPUT, 4)
                .with(FragmentField::CONDITION_UPDATE, 1);
            let kill = fragment(FragmentOpcode::Kil, 0, [0; 3])
                .with(FragmentField::CONDITION, 1)
                .with(FragmentField::CONDITION_SWIZZLE, 0b01_01_01_01)
                .with(FragmentField::NO_DESTINATION, 1);
            let mut program = show(1);
            program.splice(0..0, [test, kill]);
            scene.program(program);
        }
        1 => {
            let mut program = show(4);
            program.push(fragment(FragmentOpcode::Mov, 1, [INPUT, 0, 0]).with(FragmentField::INPUT, 1));
            scene.program(program).set(program::FP_CONTROL, 0x0400_004e);
        }
        input => {
            scene.program(show(if input == 2 { 4 } else { 0 }));
        }
    }
    random_raster(&mut random, &mut scene);
    random_state(&mut random, &mut scene);
    for _ in 0..3 {
        if random.below(3) == 0 {
            random_state(&mut random, &mut scene);
        }
        let primitive = random.pick(&[1, 2, 4, 5, 6, 7, 8]);
        let count = 3 + random.below(14);
        let vertices = random_vertices(&mut random, count);
        scene.draw(primitive, &vertices);
    }
    scene.set(sync::QUERY_GET, 0x0100_0000);
    scene
}

#[test]
fn random_scenes_agree() {
    let mut passed = 0;
    for (tile_size, seeds) in [(8, 0..4), (16, 4..4 + cases(6, 16)), (32, 20..24)] {
        let Some(gpu) = common::gpu() else { return };
        let options = KernelOptions { tile_size, ..KernelOptions::default() };
        let capture::Header { vram_bytes, gart_bytes, .. } = random_scene(0).capture().header;
        // One engine for all scenes: every capture starts with empty buffers.
        let mut kernels = Kernels::new(gpu, options, vram_bytes, gart_bytes).unwrap();
        for seed in seeds {
            let scene = random_scene(seed);
            let expected = scene.run();
            let actual = run(&scene.capture(), &mut kernels);
            assert_eq!(difference(&expected, &actual), None, "seed {seed}, {:?}", scene.surfaces);
            passed += expected.samples();
        }
    }
    assert!(passed > 10_000, "only {passed} samples passed");
}
