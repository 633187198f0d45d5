//! The kernel that shows a surface produces the pixels of the picture written to files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;
use crate::common::merging::color_targets;
use crate::common::random::Random;
use curie::chip::BoundSurface;
use curie::format::{ColorFormat, SurfaceFormat, ZetaFormat};
use curie::gpu::Gpu;
use curie::kernels::scan_out::{ScanOut, scan_out};
use curie::kernels::{KernelOptions, Kernels};
use curie::memory::block_linear::BlockLinear;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::{Clear, ColorTarget, Engine as _, GpuCommand, Rect, SampleMode, SurfaceLayout, Targets};
use curie::present::{Channel, Picture};
use curie::replay::read_surface;

/// Bytes of video memory; surfaces follow the first page.
const VRAM_BYTES: u32 = 256 << 10;
const START: u32 = 4096;

/// Floats and halves at which rounding, clamping or the class of the value changes.
const EDGES: [u32; 24] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x0080_0000,
    0x3b00_8080, // just below half a step of 255
    0x3b00_8081,
    0x3b00_8082,
    0x3f7e_fefe,
    0x3f7e_feff, // 254.5 / 255
    0x3f7e_ff00,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x7f80_0000,
    0x7fc0_0000,
    0xff80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x7bff_7c00,
    0x7c01_3c00,
    0x3bff_3c01,
    0xbc00_0400,
    0x03ff_1805,
    0x1804_fc00,
];

/// An engine with random memory that starts with the edges and some values of every color near black.
fn engine(gpu: Gpu) -> Kernels {
    let mut kernels = Kernels::new(gpu, KernelOptions::default(), VRAM_BYTES.into(), 4096).unwrap();
    kernels.grow_memory(MemorySpace::Vram, VRAM_BYTES.into()).unwrap();
    let mut random = Random::new(40);
    let mut words: Vec<u32> = (0..VRAM_BYTES / 4)
        .map(|_| match random.below(4) {
            // Between 0 and 1 as a float or as two halves.
            0 => 0x3f80_0000 - random.below(0x0500_0000),
            1 => random.below(0x3c00) << 16 | random.below(0x3c00),
            _ => random.word(),
        })
        .collect();
    words[START as usize / 4..][..EDGES.len()].copy_from_slice(&EDGES);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    kernels.write_memory(MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: VRAM_BYTES }, &bytes).unwrap();
    kernels
}

/// The bytes of the kernel's picture.
fn shown(kernels: &mut Kernels, what: &ScanOut, window: MemoryWindow) -> Vec<u8> {
    let (gpu, heap, place) = kernels.device_memory(window).unwrap();
    let picture = gpu.buffer("picture", what.picture_bytes()).unwrap();
    scan_out(gpu, what, (&heap, place), &picture).unwrap();
    let mut pixels = vec![0; usize::try_from(what.picture_bytes()).unwrap()];
    gpu.download(&picture, 0, &mut pixels).unwrap();
    pixels
}

/// The number of pixels of the kernel's picture that differ from the host's, and of all pixels.
fn differences(kernels: &mut Kernels, bound: &BoundSurface, channel: Channel) -> (usize, usize) {
    let surface = read_surface(bound, kernels).unwrap();
    let expected = Picture::of_surface(&surface, channel).unwrap();
    let what = ScanOut::new(bound, channel == Channel::Stencil);
    assert_eq!(what.size(), (expected.width, expected.height));
    let pixels = shown(kernels, &what, bound.window);
    let pairs = pixels.chunks_exact(4).zip(expected.rgb.chunks_exact(3));
    let different = pairs.filter(|(shown, written)| shown[..3] != **written || shown[3] != 255).count();
    (different, pixels.len() / 4)
}

fn bound(format: SurfaceFormat, samples: SampleMode, layout: SurfaceLayout) -> BoundSurface {
    // A surface cut short by memory, then by its window.
    let bytes = if format.bytes() == 8 { 21_000 } else { u32::MAX - START };
    let window = MemoryWindow { space: MemorySpace::Vram, start: START, bytes };
    let (width, height) = (92, 180);
    BoundSurface { name: "color0", width, height, samples, format, window, layout }
}

#[test]
fn every_format_and_layout_is_shown_as_it_is_written() {
    let Some(gpu) = common::gpu() else { return };
    let mut kernels = engine(gpu);
    let colors = ColorFormat::ALL.iter().map(|&format| (SurfaceFormat::Color(format), Channel::Color));
    let depths = ZetaFormat::ALL.iter().map(|&format| (SurfaceFormat::Zeta(format), Channel::Depth));
    let with_stencil = ZetaFormat::ALL.iter().filter(|format| format.has_stencil());
    let stencils = with_stencil.map(|&format| (SurfaceFormat::Zeta(format), Channel::Stencil));
    let swizzled = SurfaceLayout::swizzled(7, 8);
    let mut compared = 0;
    for (format, channel) in colors.chain(depths).chain(stencils) {
        let linear = SurfaceLayout::Linear { pitch_bytes: 128 * format.bytes() + 4 };
        // The picture has 180 rows of up to 92 pixels.
        let blocks = BlockLinear { size: [92 * format.bytes(), 180, 3], log2_block: [0, 2, 1] };
        let slice = SurfaceLayout::BlockLinear { blocks, slice: 2 };
        let mut cases = [linear, swizzled, slice].map(|layout| (SampleMode::One, layout)).to_vec();
        if matches!(format, SurfaceFormat::Color(color) if color.code().is_none()) {
            // A layout for each format of the later chip, of which there are many.
            cases = vec![cases[compared % 3]];
        }
        if matches!(format, SurfaceFormat::Color(ColorFormat::A8R8G8B8 | ColorFormat::A16B16G16R16F)) {
            cases.extend([SampleMode::TwoDiagonal, SampleMode::FourRotated].map(|samples| (samples, linear)));
        }
        for (samples, layout) in cases {
            let (different, pixels) = differences(&mut kernels, &bound(format, samples, layout), channel);
            assert_eq!(different, 0, "{} {samples:?} {layout:?}", format.name());
            compared += pixels;
        }
    }
    assert!(compared > 400_000, "{compared}");
}

#[test]
fn work_that_is_only_recorded_is_shown() {
    let Some(gpu) = common::gpu() else { return };
    let mut kernels = engine(gpu);
    let layout = SurfaceLayout::Linear { pitch_bytes: 512 };
    let bound = bound(SurfaceFormat::Color(ColorFormat::A8R8G8B8), SampleMode::One, layout);
    let what = ScanOut::new(&bound, false);
    let rect = Rect { x: 0, y: 0, width: bound.width, height: bound.height };
    let target = ColorTarget { window: bound.window, layout, format: ColorFormat::A8R8G8B8 };
    for (color, bytes) in [(0xff12_3456, [0x12, 0x34, 0x56, 255]), (0x00fe_dcba, [0xfe, 0xdc, 0xba, 255])] {
        let clear = Clear {
            targets: Targets { color: color_targets(&[target]), zeta: None, samples: SampleMode::One, rect },
            rect,
            color: [color; 4],
            zeta: [0; 2],
            color_mask: 15,
            clears_depth: false,
            clears_stencil: false,
            stencil_mask: 0,
        };
        kernels.execute(&GpuCommand::Clear(Box::new(clear))).unwrap();
        assert!(shown(&mut kernels, &what, bound.window).chunks_exact(4).all(|pixel| pixel == bytes), "{color:#x}");
    }
}

#[test]
fn a_planted_difference_is_found() {
    let Some(gpu) = common::gpu() else { return };
    let mut kernels = engine(gpu);
    let layout = SurfaceLayout::Linear { pitch_bytes: 512 };
    let bound = bound(SurfaceFormat::Color(ColorFormat::A8R8G8B8), SampleMode::One, layout);
    let moved = BoundSurface { window: bound.window.from_offset(4), ..bound.clone() };
    let surface = read_surface(&bound, &mut kernels).unwrap();
    let other = read_surface(&moved, &mut kernels).unwrap();
    let pictures = [surface, other].map(|surface| Picture::of_surface(&surface, Channel::Color).unwrap());
    assert_ne!(pictures[0], pictures[1]);
    assert_eq!(differences(&mut kernels, &bound, Channel::Color).0, 0);
}
