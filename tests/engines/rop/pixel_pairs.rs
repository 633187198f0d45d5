//! Draws into surfaces with pixels that may be accessed in pairs, and into surfaces where they may not, because they
//! start, continue or end within a word: both engines leave the same bytes, in the surfaces and around them.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use crate::common;
use crate::common::merging::{REPLACE, plain_rop};
use crate::common::random::Random;
use crate::common::recorder::Recorder;
use crate::common::small_target::{SIDE, THREE_D, open_target};
use curie::command::builder::{CaptureBuilder, StreamBuilder};
use curie::command::methods::three_d::{draw, program, vertex};
use curie::format::{ColorFormat, ZetaFormat};
use curie::gpu::Gpu;
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::machine::chip_of;
use curie::memory::block_linear::BlockLinear;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::{
    Blend, BlendFactor, ColorTarget, Compare, DepthTest, Draw, Engine, GpuCommand, MAX_COLOR_TARGETS, Rect, RopState,
    SampleMode, StencilFace, StencilOp, SurfaceLayout, Targets, ZetaTarget,
};
use curie::reference::Reference;

/// The memory range of surfaces, behind the microcode.
const SURFACES: u32 = 0x10_1000;
const END: u32 = 0x11_0000;

/// Thirty triangles of many sizes, colors and depths.
fn scene() -> (Vec<Draw>, Vec<u8>) {
    // MOV R0, f[TEX0], the end.
    const COPY_TEX0: [u32; 4] = [0x0100_9e01, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800];
    let mut builder = CaptureBuilder::new();
    let buffer = builder.buffer(MemorySpace::Vram, 0x1_0000);
    assert_eq!(buffer.offset, 0x10_0000);
    builder.write(&buffer, &COPY_TEX0.map(u32::to_le_bytes).concat());
    let mut stream = StreamBuilder::new();
    open_target(&mut stream, SURFACES);
    stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, 0x10_0000 | 1);
    stream.method(THREE_D, program::FP_CONTROL, 0x0200_0040);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 5);
    let mut random = Random::new(31);
    let mut fraction = || f32::from(u16::try_from(random.word() & 0xffff).unwrap()) / 65_535.0;
    for number in 0..30u8 {
        let color = [(); 4].map(|()| fraction());
        let (size, depth) = (1.5 / (1.0 + f32::from(number % 5)), fraction() * 2.0 - 1.0);
        let center = [fraction() * 2.0 - 1.0, fraction() * 2.0 - 1.0];
        for corner in [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]] {
            stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 8 * 16, &color);
            let random = center.map(|center| center + size * (fraction() * 2.0 - 1.0));
            // The first triangle covers everything.
            let corner = if number == 0 { corner } else { random };
            stream.floats(THREE_D, vertex::VTX_ATTR_4F_X, &[corner[0], corner[1], depth, 1.0]);
        }
    }
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    builder.submit(stream);
    let capture = builder.finish();
    let mut recorder = Recorder::new(capture.header.vram_bytes, capture.header.gart_bytes);
    let mut chip = chip_of(&capture.header).unwrap();
    capture.records.iter().for_each(|record| chip.apply(record, &mut recorder).unwrap());
    let draws =
        recorder.work.iter().filter_map(|command| if let GpuCommand::Draw(draw) = command { Some(draw) } else { None });
    let draws: Vec<Draw> = draws.map(|draw| Draw::clone(draw)).collect();
    assert_eq!(draws.len(), 1);
    let mut bytes = recorder.memory.bytes(MemorySpace::Vram)[0x10_0000..SURFACES as usize].to_vec();
    bytes.extend((SURFACES..END).map(|_| random.word().to_le_bytes()[0]));
    (draws, bytes)
}

/// A surface: first byte, accessible bytes, layout.
type Place = (u32, u32, SurfaceLayout);

const fn linear(start: u32, pitch_bytes: u32) -> Place {
    (SURFACES + start, 0x8000, SurfaceLayout::Linear { pitch_bytes })
}

const fn swizzled(start: u32, log2_width: u8, log2_height: u8) -> Place {
    (SURFACES + start, 0x8000, SurfaceLayout::swizzled(log2_width, log2_height))
}

/// The last of some slices, in blocks of two gobs a slice.
const fn blocks(start: u32, row_bytes: u32, slices: u32) -> Place {
    let blocks = BlockLinear { size: [row_bytes, SIDE, slices], log2_block: [0, 1, (slices > 1) as u8] };
    (SURFACES + start, 0x8000, SurfaceLayout::BlockLinear { blocks, slice: slices - 1 })
}

fn window((start, bytes, _): Place) -> MemoryWindow {
    MemoryWindow { space: MemorySpace::Vram, start, bytes }
}

fn targets(format: ColorFormat, colors: &[Place], zeta: Option<(Place, ZetaFormat)>) -> Targets {
    let color = std::array::from_fn(|index| {
        let place = *colors.get(index)?;
        Some(ColorTarget { window: window(place), layout: place.2, format })
    });
    let zeta =
        zeta.map(|(place, format)| ZetaTarget { window: window(place), layout: place.2, format, is_float: false });
    let rect = Rect { x: 0, y: 0, width: SIDE, height: SIDE };
    Targets { color, zeta, samples: SampleMode::One, rect }
}

fn blended() -> RopState {
    let (source, destination) = ([BlendFactor::SourceAlpha; 2], [BlendFactor::OneMinusSourceAlpha; 2]);
    let blend = Blend { source, destination, ..REPLACE };
    RopState { blend: [Some(blend); MAX_COLOR_TARGETS], ..plain_rop() }
}

fn tested() -> RopState {
    let face = StencilFace {
        compare: Compare::NotEqual,
        reference: 0x35,
        compare_mask: 0x0f,
        write_mask: 0x7e,
        fail: StencilOp::Invert,
        depth_fail: StencilOp::IncrementWrap,
        pass: StencilOp::Replace,
    };
    let depth_test = Some(DepthTest { compare: Compare::Less, writes: true });
    RopState { depth_test, stencil: Some([face; 2]), ..plain_rop() }
}

fn shallow() -> RopState {
    RopState { depth_test: Some(DepthTest { compare: Compare::GreaterEqual, writes: true }), ..plain_rop() }
}

/// Clips with edges that cut pairs, or do not.
const CLIPS: [[u32; 4]; 3] = [[0, 0, 32, 32], [3, 1, 27, 30], [8, 5, 1, 9]];

/// Draws on both engines for every clip.
fn compare(cases: &[(String, RopState, Targets)]) {
    let Some(gpu) = common::gpu() else { return };
    compare_on(gpu, KernelPath::Invocations, cases);
}

fn compare_on(gpu: Gpu, path: KernelPath, cases: &[(String, RopState, Targets)]) {
    let (draws, content) = scene();
    let options = KernelOptions { path, ..KernelOptions::default() };
    let mut kernels = Kernels::new(gpu, options, 2 << 20, 1 << 20).unwrap();
    let mut reference = Reference::new(2 << 20, 1 << 20).unwrap();
    for (name, rop, targets) in cases {
        for [x, y, width, height] in CLIPS {
            let outcome = |engine: &mut dyn Engine| {
                let whole = MemoryWindow { space: MemorySpace::Vram, start: 0x10_0000, bytes: END - 0x10_0000 };
                engine.grow_memory(MemorySpace::Vram, END.into()).unwrap();
                engine.write_memory(whole, &content).unwrap();
                for draw in &draws {
                    let mut draw = draw.clone();
                    (draw.targets, draw.rop) = (targets.clone(), rop.clone());
                    draw.raster.clip = Rect { x, y, width, height };
                    engine.execute(&GpuCommand::Draw(Box::new(draw))).unwrap();
                }
                let mut bytes = vec![0; content.len()];
                engine.read_memory(whole, &mut bytes).unwrap();
                bytes
            };
            let (expected, actual) = (outcome(&mut reference), outcome(&mut kernels));
            let changed = expected.iter().zip(&content).filter(|(drawn, before)| drawn != before).count();
            // Narrow surfaces end left of the other clips.
            assert!(changed > 0 || x > 0, "{name}: nothing is drawn");
            let at = expected.iter().zip(&actual).position(|(expected, actual)| expected != actual);
            assert_eq!(
                at.map(|at| at + 0x10_0000 - SURFACES as usize),
                None,
                "{name}, clip {x}, {y}, {width}, {height}"
            );
        }
    }
}

#[test]
fn pixels_of_32_bits() {
    let format = ColorFormat::A8R8G8B8;
    let masked = RopState { color_mask: [0b0101; MAX_COLOR_TARGETS], ..plain_rop() };
    let mut cases = Vec::new();
    for (state, rop) in [("whole", plain_rop()), ("masked", masked), ("blended", blended())] {
        for (layout, place) in [
            ("even", linear(0, 136)),
            ("rows of 33 pixels", linear(0, 132)),
            ("from byte 4", linear(4, 136)),
            ("from byte 4, rows of 33", linear(4, 132)),
            ("ends in a pair", (SURFACES, 136 * 20 + 4 * 13, SurfaceLayout::Linear { pitch_bytes: 136 })),
            ("ends with a pair", (SURFACES, 136 * 20 + 8 * 13, SurfaceLayout::Linear { pitch_bytes: 136 })),
            ("swizzled", swizzled(0, 5, 5)),
            ("swizzled, narrow", swizzled(0, 1, 5)),
            ("swizzled, one column", swizzled(0, 0, 5)),
            ("swizzled, one row", swizzled(8, 5, 0)),
            ("swizzled from byte 4", swizzled(4, 5, 4)),
            ("blocks", blocks(0, 128, 1)),
            ("a slice of blocks", blocks(0x300, 140, 3)),
        ] {
            cases.push((format!("{state}, {layout}"), rop.clone(), targets(format, &[place], None)));
        }
    }
    compare(&cases);
}

#[test]
fn depth_and_stencil() {
    let color = linear(0x8000, 136);
    let zeta = |place, format| targets(ColorFormat::A8R8G8B8, &[color], Some((place, format)));
    let mut cases = Vec::new();
    for (layout, place) in [
        ("even", linear(0, 136)),
        ("rows of 33 pixels", linear(0, 132)),
        ("from byte 4", linear(4, 136)),
        ("ends in a pair", (SURFACES, 136 * 20 + 4 * 13, SurfaceLayout::Linear { pitch_bytes: 136 })),
        ("swizzled", swizzled(0, 5, 5)),
        ("swizzled, one column", swizzled(0, 0, 5)),
        ("blocks", blocks(0, 128, 2)),
    ] {
        cases.push((format!("stencil, {layout}"), tested(), zeta(place, ZetaFormat::Z24S8)));
        cases.push((format!("depth, {layout}"), shallow(), zeta(place, ZetaFormat::Z24S8)));
    }
    for (layout, place) in [
        ("even", linear(0, 68)),
        ("from byte 4", linear(4, 72)),
        ("ends in a pair", (SURFACES, 68 * 20 + 2 * 13, SurfaceLayout::Linear { pitch_bytes: 68 })),
        ("swizzled", swizzled(0, 5, 5)),
        ("swizzled, one column", swizzled(0, 0, 5)),
        ("blocks", blocks(0, 70, 1)),
    ] {
        cases.push((format!("depth of 16 bits, {layout}"), shallow(), zeta(place, ZetaFormat::Z16)));
    }
    compare(&cases);
}

#[test]
fn pixels_of_other_sizes() {
    let masked = RopState { color_mask: [0b0111; MAX_COLOR_TARGETS], ..plain_rop() };
    let mut cases = Vec::new();
    for (format, bytes) in [
        (ColorFormat::R5G6B5, 2),
        (ColorFormat::R32F, 4),
        (ColorFormat::A16B16G16R16F, 8),
        (ColorFormat::A32B32G32R32F, 16),
    ] {
        let aligned = bytes.max(8) / 2;
        for (layout, place) in [
            ("even", linear(0, 34 * bytes)),
            ("rows of whole words", linear(0, 32 * bytes + 4)),
            ("from the middle of a word", linear(aligned.min(4), 34 * bytes)),
            ("ends in a word", (SURFACES, 32 * bytes * 20 + 44, SurfaceLayout::Linear { pitch_bytes: 32 * bytes })),
            ("swizzled", swizzled(0, 5, 5)),
            ("swizzled, one column", swizzled(0, 0, 5)),
        ] {
            cases.push((format!("{format:?}, {layout}"), plain_rop(), targets(format, &[place], None)));
            if bytes == 8 {
                cases.push((format!("{format:?}, blended, {layout}"), blended(), targets(format, &[place], None)));
            }
            if bytes >= 8 {
                cases.push((format!("{format:?}, masked, {layout}"), masked.clone(), targets(format, &[place], None)));
            }
        }
    }
    compare(&cases);
}

#[test]
fn surfaces_that_share_words_or_pixels() {
    let format = ColorFormat::A8R8G8B8;
    // 31 rows of 136 bytes and one of 128 end where the depth begins.
    let end = 31 * 136 + 128;
    let mut cases = Vec::new();
    for (name, rop) in [("depth", shallow()), ("stencil", tested())] {
        let zeta = |place| Some((place, ZetaFormat::Z24S8));
        let [first, behind] = [linear(0, 136), linear(end, 136)];
        cases.push((format!("{name} behind colour"), rop.clone(), targets(format, &[first], zeta(behind))));
        let behind = linear(end + 4, 136);
        cases.push((format!("{name} from byte 4"), rop.clone(), targets(format, &[linear(4, 136)], zeta(behind))));
        cases.push((format!("{name} is colour"), rop.clone(), targets(format, &[first], zeta(first))));
    }
    let halves = targets(ColorFormat::R5G6B5, &[linear(0, 68)], Some((linear(31 * 68 + 64, 136), ZetaFormat::Z24S8)));
    cases.push(("short colours before depth".to_owned(), shallow(), halves));
    let pixels = [linear(0, 136), linear(0, 136), linear(end, 132)];
    cases.push(("three colours, two in one place".to_owned(), blended(), targets(format, &pixels, None)));
    compare(&cases);
    let Some(gpu) = common::gpu() else { return };
    // The kernels of adapters without 64-bit words.
    for path in [KernelPath::Invocations, KernelPath::Workgroups, KernelPath::Stages] {
        compare_on(gpu.clone().without_wide_words(), path, &cases[..3]);
    }
}

#[test]
fn colors_of_different_formats_and_blends() {
    let formats = [ColorFormat::R5G6B5, ColorFormat::A8R8G8B8, ColorFormat::A16B16G16R16F, ColorFormat::A32B32G32R32F];
    let linear = [linear(0, 68), linear(0x1000, 136), linear(0x2800, 272), linear(0x5000, 528)];
    // The second surface starts in the middle of a pair, and the third has rows that do.
    let uneven = [linear[0], (linear[1].0 + 4, linear[1].1, linear[1].2), self::linear(0x2800, 268), linear[3]];
    let swizzled = [swizzled(0, 5, 5), swizzled(0x1000, 5, 5), swizzled(0x2800, 5, 5), swizzled(0x5000, 5, 5)];
    let blocks = [blocks(0, 64, 1), blocks(0x1000, 128, 1), blocks(0x2800, 256, 1), blocks(0x5000, 512, 1)];
    let mixed = |places: &[Place], depth: bool| {
        let zeta = depth.then_some((self::linear(0xa000, 136), ZetaFormat::Z24S8));
        let mut targets = targets(ColorFormat::A8R8G8B8, places, zeta);
        targets.color.iter_mut().flatten().zip(formats).for_each(|(target, format)| target.format = format);
        targets
    };
    let plain = RopState { broadcasts_first_color: true, ..plain_rop() };
    let over = blended().blend[0];
    let sum = Some(Blend { source: [BlendFactor::ConstantAlpha; 2], destination: [BlendFactor::One; 2], ..REPLACE });
    let mut blended = RopState {
        blend_color: [200, 30, 90, 60],
        float_blend_color: [0.5f32, 2.0, 0.25, 1.5].map(f32::to_bits),
        ..plain.clone()
    };
    blended.blend[..4].copy_from_slice(&[sum, over, sum, over]);
    let mut masked = RopState { depth_test: shallow().depth_test, ..blended.clone() };
    masked.blend[1] = None;
    masked.color_mask[..4].copy_from_slice(&[0b0101, 0b1111, 0b1110, 0b0011]);
    let mut cases = Vec::new();
    for (layout, places) in [("linear", &linear), ("uneven", &uneven), ("swizzled", &swizzled), ("blocks", &blocks)] {
        cases.push((format!("whole, {layout}"), plain.clone(), mixed(places, false)));
        cases.push((format!("blended, {layout}"), blended.clone(), mixed(places, false)));
        cases.push((format!("masked, {layout}"), masked.clone(), mixed(places, true)));
    }
    let Some(gpu) = common::gpu() else { return };
    for path in [KernelPath::Invocations, KernelPath::Workgroups, KernelPath::Stages] {
        compare_on(gpu.clone(), path, &cases);
    }
}
