//! More quads in one tile than some adapters allow loop iterations, which is 65,535.

use super::engines::difference;
use super::scene::{Scene, Surfaces, Vertex, run};
use crate::common;
use curie::command::methods::three_d::{raster, rop, targets};
use curie::kernels::{KernelOptions, KernelPath, Kernels};

/// This many triangles over the whole first tile, which blend and count themselves in stencil.
fn scene(mode: u32, encodes_srgb: bool, triangles: usize) -> Scene {
    let mut scene = Scene::new(Surfaces::plain(mode));
    scene.clear(0, 0).set(targets::SHADER_PACKER, u32::from(encodes_srgb));
    scene.stream.methods(7, raster::SCISSOR_HORIZ, &[16 << 16, 16 << 16]);
    scene.stream.methods(7, rop::STENCIL_ENABLE, &[1, 0xff, 0x207, 0, 0xff, 0x1e00, 0x1e00, 0x8507]);
    scene.stream.methods(7, rop::BLEND_FUNC_ENABLE, &[1, 0x1_0001, 0x1_0001]);
    let color = [0.004, 0.0, 1.0, 0.004];
    let corners: [Vertex; 3] = [[0.0, 0.0], [40.0, 0.0], [0.0, 40.0]].map(|[x, y]| ([x, y, 0.5, 1.0], color));
    let vertices: Vec<_> = corners.into_iter().cycle().take(3 * triangles).collect();
    scene.control(1, 0xffff);
    scene.draw(5, &vertices);
    scene
}

#[test]
fn every_triangle_of_a_tile_is_drawn() {
    let Some(mut gpu) = common::gpu() else { return };
    // One sample: 64 quads per triangle, and more than 1000 triangles; four samples take more iterations for each.
    for (mode, encodes_srgb, triangles) in [(0, false, 1100), (5, false, 300), (0, true, 300)] {
        let scene = scene(mode, encodes_srgb, triangles);
        let expected = scene.run();
        assert_eq!(expected.zeta(3, 5) & 0xff, triangles as u32 & 0xff);
        let capture = scene.capture();
        let options = KernelOptions { path: KernelPath::Stages, ..KernelOptions::default() };
        let header = &capture.header;
        let mut kernels = Kernels::new(gpu, options, header.vram_bytes, header.gart_bytes).unwrap();
        assert_eq!(difference(&expected, &run(&capture, &mut kernels)), None, "mode {mode}, sRGB {encodes_srgb}");
        gpu = common::gpu().unwrap();
    }
}
