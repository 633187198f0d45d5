//! The open driver's resolve: a bilinear 2:1 copy of the enlarged surface computes the average of the samples.

use super::scene::{HEIGHT, Memory, Scene, Surfaces, WIDTH, run, target};
use crate::common;
use curie::command::builder::handles;
use curie::command::methods::{scaled_image, surfaces};
use curie::kernels::{KernelOptions, Kernels};
use curie::present::{Channel, Picture};
use curie::reference::Reference;
use curie::replay::{ReplayOptions, replay};

/// The location of the resolved picture, and its row pitch in bytes.
const RESOLVED: u32 = target(5);
const PITCH: u32 = WIDTH * 4;

/// A scene of edges in every direction, resolved with the driver's words: corner origin, bilinear, steps of 2.
fn resolved(mode: u32) -> Scene {
    let mut scene = Scene::new(Surfaces::plain(mode));
    scene.control(1, 0xffff).clear(0xff20_2020, 0xffff_ff00);
    for spoke in 0..9u8 {
        let angle = f32::from(spoke) * 0.7 + 0.1;
        let (sine, cosine) = angle.sin_cos();
        let at = |along: f32, across: f32| {
            [16.0 + along * cosine - across * sine, 12.0 + along * sine + across * cosine, 0.5, 1.0]
        };
        let color = [f32::from(spoke % 3) / 2.0, f32::from(spoke % 4) / 3.0, 1.0 - f32::from(spoke) / 9.0, 1.0];
        scene.draw(5, &[(at(1.0, 0.0), color), (at(13.0, -1.5), color), (at(13.0, 1.5), color)]);
    }
    resolve(&mut scene);
    scene
}

fn resolve(scene: &mut Scene) {
    let [columns, rows] = scene.surfaces.scale();
    let (width, height, pitch) = (WIDTH * columns, HEIGHT * rows, scene.surfaces.color_pitch());
    let stream = &mut scene.stream;
    stream.bind(3, 0x62, handles::object(0x62));
    stream.methods(3, surfaces::linear::DMA_IMAGE_SOURCE, &[handles::VRAM; 2]);
    stream.methods(3, surfaces::linear::FORMAT, &[10, PITCH << 16 | PITCH, RESOLVED, RESOLVED]);
    stream.bind(4, 0x3089, handles::object(0x3089));
    stream.method(4, scaled_image::SURFACE, handles::object(0x62));
    stream.method(4, scaled_image::DMA_IMAGE, handles::VRAM);
    let size = HEIGHT << 16 | WIDTH;
    stream.methods(
        4,
        scaled_image::COLOR_FORMAT,
        &[3, 3, 0, size, 0, size, (width << 20) / WIDTH, (height << 20) / HEIGHT],
    );
    stream.methods(4, scaled_image::SIZE, &[height << 16 | width, pitch | 2 << 16 | 1 << 24, target(0), 0]);
}

fn assert_resolved(memory: &Memory, mode: u32) {
    let [columns, rows] = Surfaces::plain(mode).scale();
    let mut mixed = 0;
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let texels = (0..columns * rows).map(|sample| {
                memory.color(0, x * columns + sample % columns, y * rows + sample / columns).to_le_bytes()
            });
            let texels: Vec<_> = texels.collect();
            mixed += u32::from(texels.iter().any(|texel| *texel != texels[0]));
            let average: [u8; 4] = std::array::from_fn(|channel| {
                let sum: u32 = texels.iter().map(|texel| u32::from(texel[channel])).sum();
                // Rounded to nearest, halves up.
                ((2 * sum + columns * rows) / (2 * columns * rows)) as u8
            });
            let found = memory.word(RESOLVED + y * PITCH + 4 * x).to_le_bytes();
            assert_eq!(found, average, "mode {mode}: pixel {x}, {y} of {texels:x?}");
        }
    }
    assert!(mode == 0 || mixed > 80, "only {mixed} pixels of mode {mode} lie on an edge");
}

#[test]
fn the_driver_resolves_to_the_average_of_the_samples() {
    for mode in [0, 3, 4, 5] {
        let scene = resolved(mode);
        assert_resolved(&scene.run(), mode);
        let Some(gpu) = common::gpu() else { continue };
        let capture = scene.capture();
        let (vram, gart) = (capture.header.vram_bytes, capture.header.gart_bytes);
        let mut engine = Kernels::new(gpu, KernelOptions::default(), vram, gart).unwrap();
        let memory = run(&capture, &mut engine);
        let expected = scene.run();
        assert!(memory.vram == expected.vram, "mode {mode}: the engines differ");
        for y in 0..HEIGHT {
            for x in 0..WIDTH {
                let address = RESOLVED + y * PITCH + 4 * x;
                assert_eq!(memory.word(address), expected.word(address));
            }
        }
    }
}

#[test]
fn a_picture_of_a_multisampled_surface_is_resolved_and_its_hash_is_of_all_samples() {
    for mode in [0, 3, 4, 5] {
        let scene = resolved(mode);
        let capture = scene.capture();
        let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
        let outcome = replay(&capture, &mut engine, &ReplayOptions::default(), &mut |_, _| {}).unwrap();
        let [columns, rows] = scene.surfaces.scale();
        let line = outcome.surfaces[0].hash_line();
        assert!(line.starts_with(&format!("color0 {}x{} A8R8G8B8", WIDTH * columns, HEIGHT * rows)), "{line}");
        let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
        assert_eq!((picture.width, picture.height), (WIDTH, HEIGHT));
        let memory = scene.run();
        for (pixel, rgb) in (0..).zip(picture.rgb.as_chunks::<3>().0) {
            let [blue, green, red, _] =
                memory.word(RESOLVED + pixel / WIDTH * PITCH + 4 * (pixel % WIDTH)).to_le_bytes();
            assert_eq!(*rgb, [red, green, blue], "mode {mode}: pixel {pixel}");
        }
        if let Some(folder) = std::env::var_os("CURIE_PICTURES") {
            let path = std::path::Path::new(&folder).join(format!("multisample{mode}.png"));
            curie::present::write_png(&path, &picture).unwrap();
        }
    }
}
