//! Kernels that touch texels and pixels give the bytes of the reference.

#[path = "common/random.rs"]
mod random;

mod common;

use curie::format::{ColorFormat, TextureFormat, ZetaFormat};
use curie::gpu::Gpu;
use curie::kernels::HeapWindow;
use curie::kernels::merge_pixels::{MergeParameters, TILES_PER_GROUP};
use curie::kernels::texture_parameters::ShadeParameters;
use curie::kernels::transfer::{self, TransferDispatch};
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::recompiler;
use curie::recompiler::merge_pixels::MergeKey;
use curie::recompiler::texture_unit::TextureKey;
use curie::reference::merge_pixels::merge_quad;
use curie::reference::run_fragment_program::{LodMode, TextureUnits};
use curie::reference::texture_unit::BoundTextures;
use curie::reference::{ShadedQuad, clear_surface, copy_memory, scale_image};
use curie::work::{
    AlphaTest, Blend, BlendEquation, BlendFactor, Clear, ColorTarget, Compare, DepthTest, Dimensions, Dither, Filter,
    LogicOp, MemoryCopy, MipFilter, Rect, RopState, ScaledImage, ScaledImageFormat, StencilFace, StencilOp,
    SurfaceLayout, Targets, TextureState, Wrap, ZetaTarget,
};
use random::Random;

const VRAM_BYTES: u32 = 64 << 10;
const GART_BYTES: u32 = 16 << 10;

fn random_memory(random: &mut Random) -> GuestMemory {
    let mut memory = GuestMemory::new(1 << 20, 1 << 20).unwrap();
    for (space, bytes) in [(MemorySpace::Vram, VRAM_BYTES), (MemorySpace::Gart, GART_BYTES)] {
        memory.grow(space, bytes.into()).unwrap();
        for word in memory.bytes_mut(space).chunks_exact_mut(4) {
            word.copy_from_slice(&random.word().to_le_bytes());
        }
    }
    memory
}

/// The heap as the kernels engine lays it out: all of VRAM, then all of GART.
fn heap_of(memory: &GuestMemory) -> impl Fn(MemoryWindow) -> HeapWindow {
    let extents = [memory.extent(MemorySpace::Vram), memory.extent(MemorySpace::Gart)];
    move |window| {
        let extent = extents[window.space as usize];
        let bytes = window.bytes.min(extent.saturating_sub(window.start));
        let base = if window.space == MemorySpace::Gart { extents[0] } else { 0 };
        HeapWindow { start: base + window.start.min(extent), bytes }
    }
}

fn words_of(memory: &GuestMemory) -> Vec<u32> {
    let bytes = [memory.bytes(MemorySpace::Vram), memory.bytes(MemorySpace::Gart)].concat();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// Runs a dispatch over heap words.
fn run_transfer(gpu: &Gpu, heap: &mut Vec<u32>, dispatch: &TransferDispatch) {
    let mut parameters: Vec<u32> = bytemuck::pod_collect_to_vec(&dispatch.parameters);
    let mut copy = dispatch
        .source_copy
        .map_or(vec![0; 4], |range| heap[range.start as usize / 4..(range.start + range.bytes) as usize / 4].to_vec());
    let mut counters = vec![0x1234_5678, 0, 0, 0];
    let bindings: &mut [(u32, &mut Vec<u32>)] =
        &mut [(0, heap), (1, &mut copy), (14, &mut parameters), (15, &mut counters)];
    gpu.run(dispatch.label, &dispatch.source, bindings, dispatch.workgroups).unwrap();
}

/// The first byte at which two heaps differ.
fn difference(left: &[u32], right: &[u32]) -> Option<(usize, u32, u32)> {
    assert_eq!(left.len(), right.len());
    let index = left.iter().zip(right).position(|(left, right)| left != right)?;
    Some((index * 4, left[index], right[index]))
}

#[test]
fn the_comparer_sees_a_planted_difference() {
    let left = [1, 2, 3, 4];
    assert_eq!(difference(&left, &left), None);
    assert_eq!(difference(&left, &[1, 2, 7, 4]), Some((8, 3, 7)));
}

fn random_window(random: &mut Random, alignment: u32) -> MemoryWindow {
    let space = random.pick(&MemorySpace::ALL);
    let extent = if space == MemorySpace::Vram { VRAM_BYTES } else { GART_BYTES };
    // Now and then the window ends early or reaches beyond memory.
    let start = random.below(extent / alignment) * alignment;
    let bytes = if random.below(4) == 0 { random.below(8192) } else { 0x10_0000 };
    MemoryWindow { space, start, bytes }
}

fn random_layout(random: &mut Random, width: u32, bytes: u32, alignment: u32) -> SurfaceLayout {
    if random.flag() && bytes <= 4 {
        let log2 = |random: &mut Random| u8::try_from(random.below(7)).unwrap();
        SurfaceLayout::Swizzled { log2_width: log2(random), log2_height: log2(random) }
    } else {
        let padding = random.below(40);
        SurfaceLayout::Linear { pitch_bytes: (width * bytes + padding).next_multiple_of(alignment) }
    }
}

fn random_rect(random: &mut Random) -> Rect {
    Rect { x: random.below(40), y: random.below(40), width: random.below(60), height: random.below(60) }
}

#[test]
fn clears_agree() {
    let Some(gpu) = common::gpu() else { return };
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let formats: Vec<_> = ColorFormat::ALL.iter().copied().filter(|format| format.bytes() <= 4).collect();
        let color_format = random.pick(&formats);
        let format = random.pick(ZetaFormat::ALL);
        let bytes = color_format.bytes();
        let color = std::array::from_fn(|_| {
            let window = random_window(&mut random, bytes);
            let layout = random_layout(&mut random, 100, bytes, bytes);
            random.flag().then_some(ColorTarget { window, layout })
        });
        let window = random_window(&mut random, format.bytes());
        let layout = random_layout(&mut random, 100, format.bytes(), format.bytes());
        let zeta = random.flag().then_some(ZetaTarget { window, layout, format, is_float: false });
        let clear = Clear {
            targets: Targets { color_format, color, zeta, rect: Rect { x: 0, y: 0, width: 100, height: 100 } },
            rect: random_rect(&mut random),
            color: random.word(),
            zeta: random.word(),
            color_mask: u8::try_from(random.below(16)).unwrap(),
            clears_depth: random.flag(),
            clears_stencil: random.flag(),
            stencil_mask: random.word().to_le_bytes()[0],
        };
        let mut heap = words_of(&memory);
        for dispatch in transfer::clear_surfaces(&clear, &heap_of(&memory)).unwrap() {
            run_transfer(&gpu, &mut heap, &dispatch);
        }
        clear_surface::clear_surfaces(&mut memory, &clear);
        assert_eq!(difference(&heap, &words_of(&memory)), None, "seed {seed}: {clear:?}");
    }
}

#[test]
fn copies_agree() {
    let Some(gpu) = common::gpu() else { return };
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let line_length = random.below(200);
        let is_plain = random.flag();
        let pitch = |random: &mut Random| if is_plain { line_length + random.below(9) } else { random.below(300) };
        let copy = MemoryCopy {
            source_pitch: pitch(&mut random),
            destination_pitch: pitch(&mut random),
            source: random_window(&mut random, 1),
            destination: random_window(&mut random, 1),
            line_length,
            line_count: random.below(40),
            source_increment: if is_plain { 1 } else { random.pick(&[1, 2, 4]) },
            destination_increment: if is_plain { 1 } else { random.pick(&[1, 2, 4]) },
        };
        let mut heap = words_of(&memory);
        if let Some(dispatch) = transfer::copy_memory(&copy, &heap_of(&memory)).unwrap() {
            run_transfer(&gpu, &mut heap, &dispatch);
        }
        copy_memory::copy_memory(&mut memory, &copy);
        assert_eq!(difference(&heap, &words_of(&memory)), None, "seed {seed}: {copy:?}");
    }
}

#[test]
fn scaled_images_agree() {
    use ScaledImageFormat::{A1R5G5B5, A8R8G8B8, R5G6B5, X1R5G5B5, X8R8G8B8, Y8, Y16, Y32};
    let Some(gpu) = common::gpu() else { return };
    let mut executed = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let colors = [A1R5G5B5, X1R5G5B5, A8R8G8B8, X8R8G8B8, R5G6B5];
        let (source_format, destination_format) = match random.below(4) {
            0 => (random.pick(&colors), random.pick(&colors)),
            1 => [(Y8, Y8), (Y16, Y16), (Y32, Y32)][random.below(3) as usize],
            _ => [(R5G6B5, R5G6B5), (A8R8G8B8, A8R8G8B8)][random.below(2) as usize],
        };
        let bytes = destination_format.bytes();
        let signed = |random: &mut Random| random.below(40).cast_signed() - 10;
        let step = |random: &mut Random| match random.below(3) {
            0 => 1 << 20,
            1 => random.below(3 << 20).cast_signed() - (1 << 20),
            _ => random.word().cast_signed(),
        };
        let out_size = [random.below(60), random.below(60)];
        let image = ScaledImage {
            source: random_window(&mut random, 1),
            source_pitch: random.below(300),
            source_format,
            source_size: [1 + random.below(64), 1 + random.below(64)],
            origin_is_corner: random.flag(),
            is_bilinear: random.flag(),
            source_point: [random.below(1024), random.below(1024)],
            step: [step(&mut random), step(&mut random)],
            destination: random_window(&mut random, bytes),
            destination_layout: random_layout(&mut random, 100, bytes, bytes),
            destination_format,
            out_point: [signed(&mut random), signed(&mut random)],
            out_size,
            clip_point: [signed(&mut random), signed(&mut random)],
            clip_size: [random.below(100), random.below(100)],
        };
        if image.unsupported().is_some() {
            continue;
        }
        executed += 1;
        let mut heap = words_of(&memory);
        if let Some(dispatch) = transfer::scale_image(&image, &heap_of(&memory)).unwrap() {
            run_transfer(&gpu, &mut heap, &dispatch);
        }
        scale_image::scale_image(&mut memory, &image);
        assert_eq!(difference(&heap, &words_of(&memory)), None, "seed {seed}: {image:?}");
    }
    assert!(executed > 150, "only {executed} images were executed");
}

#[test]
fn zeros_fences_and_reports_agree() {
    let Some(gpu) = common::gpu() else { return };
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let mut heap = words_of(&memory);
        let [zeroed, fence, report] = std::array::from_fn(|_| random_window(&mut random, 1));
        run_transfer(&gpu, &mut heap, &transfer::zero_memory(zeroed, &heap_of(&memory)));
        clear_surface::zero_memory(&mut memory, zeroed);
        let (value, time) = (random.word(), u64::from(random.word()) << 20);
        if let Some(dispatch) = transfer::write_fence(fence, value, &heap_of(&memory)) {
            run_transfer(&gpu, &mut heap, &dispatch);
        }
        clear_surface::write_fence(&mut memory, fence, value);
        if let Some(dispatch) = transfer::write_report(report, time, &heap_of(&memory)) {
            run_transfer(&gpu, &mut heap, &dispatch);
        }
        clear_surface::write_report(&mut memory, report, time, 0x1234_5678);
        assert_eq!(difference(&heap, &words_of(&memory)), None, "seed {seed}");
    }
}

/// A float of any kind: mostly 0..1, sometimes beyond, rarely any bits at all.
fn random_float(random: &mut Random) -> u32 {
    const SPECIAL: [f32; 8] = [0.0, -0.0, 1.0, 0.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40];
    let unit = f64::from(random.word()) / f64::from(u32::MAX);
    match random.below(16) {
        0 => random.word(),
        1 => random.pick(&SPECIAL).to_bits(),
        2 => ((unit as f32) * 4.0 - 2.0).to_bits(),
        3 => ((random.below(256) as f32) / 255.0).to_bits(),
        _ => (unit as f32).to_bits(),
    }
}

const COMPARES: [Compare; 8] = [
    Compare::Never,
    Compare::Less,
    Compare::Equal,
    Compare::LessEqual,
    Compare::Greater,
    Compare::NotEqual,
    Compare::GreaterEqual,
    Compare::Always,
];

/// Comparisons that let most pixels through come more often.
fn random_compare(random: &mut Random) -> Compare {
    if random.flag() {
        random.pick(&[Compare::Always, Compare::GreaterEqual, Compare::NotEqual])
    } else {
        random.pick(&COMPARES)
    }
}

fn random_stencil_face(random: &mut Random) -> StencilFace {
    use StencilOp::{DecrementSaturate, DecrementWrap, IncrementSaturate, IncrementWrap, Invert, Keep, Replace, Zero};
    let ops = [Keep, Zero, Replace, IncrementSaturate, DecrementSaturate, Invert, IncrementWrap, DecrementWrap];
    let [reference, compare_mask, write_mask, _] = random.word().to_le_bytes();
    StencilFace {
        compare: random_compare(random),
        reference,
        compare_mask,
        write_mask,
        fail: random.pick(&ops),
        depth_fail: random.pick(&ops),
        pass: random.pick(&ops),
    }
}

fn random_blend(random: &mut Random) -> Blend {
    let factors = [
        BlendFactor::Zero,
        BlendFactor::One,
        BlendFactor::SourceColor,
        BlendFactor::OneMinusSourceColor,
        BlendFactor::SourceAlpha,
        BlendFactor::OneMinusSourceAlpha,
        BlendFactor::DestinationAlpha,
        BlendFactor::OneMinusDestinationAlpha,
        BlendFactor::DestinationColor,
        BlendFactor::OneMinusDestinationColor,
        BlendFactor::SourceAlphaSaturate,
        BlendFactor::ConstantColor,
        BlendFactor::OneMinusConstantColor,
        BlendFactor::ConstantAlpha,
        BlendFactor::OneMinusConstantAlpha,
    ];
    let equations = [
        BlendEquation::Add,
        BlendEquation::Add,
        BlendEquation::Min,
        BlendEquation::Max,
        BlendEquation::Subtract,
        BlendEquation::ReverseSubtract,
    ];
    Blend {
        source: [random.pick(&factors), random.pick(&factors)],
        destination: [random.pick(&factors), random.pick(&factors)],
        equation: [random.pick(&equations), random.pick(&equations)],
    }
}

const SIDE: u32 = 48;

/// Targets that do not overlap: each in its own part of VRAM.
fn random_targets(random: &mut Random, color_format: ColorFormat) -> Targets {
    let layout = |random: &mut Random, bytes: u32| {
        if bytes <= 4 && random.flag() {
            let log2 = |random: &mut Random| 4 + u8::try_from(random.below(2)).unwrap();
            SurfaceLayout::Swizzled { log2_width: log2(random), log2_height: log2(random) }
        } else {
            SurfaceLayout::Linear { pitch_bytes: (SIDE * bytes).next_multiple_of(64) }
        }
    };
    let window = |random: &mut Random, index: u32, limit: u32| {
        let bytes = if random.below(6) == 0 { random.below(limit) } else { limit };
        MemoryWindow { space: MemorySpace::Vram, start: index * limit, bytes }
    };
    // Wide formats leave room for a single target.
    let (count, limit) = if color_format.bytes() > 4 { (1, 0xa000) } else { (4, 0x2800) };
    let color = std::array::from_fn(|index| {
        let window = window(random, u32::try_from(index).unwrap(), limit);
        let target = ColorTarget { window, layout: layout(random, color_format.bytes()) };
        (index < count && random.below(3) != 0).then_some(target)
    });
    let format = random.pick(ZetaFormat::ALL);
    let zeta = ZetaTarget {
        window: MemoryWindow { start: 0xa000, ..window(random, 0, 0x6000) },
        layout: layout(random, format.bytes()),
        format,
        is_float: false,
    };
    let zeta = (random.below(4) != 0).then_some(zeta);
    Targets { color_format, color, zeta, rect: Rect { x: 0, y: 0, width: SIDE, height: SIDE } }
}

fn random_rop(random: &mut Random) -> RopState {
    let front = random_stencil_face(random);
    let back = if random.flag() { front } else { random_stencil_face(random) };
    RopState {
        alpha_test: (random.below(3) == 0)
            .then(|| AlphaTest { compare: random_compare(random), reference: random.below(0x10000) }),
        depth_test: random.flag().then(|| DepthTest { compare: random_compare(random), writes: random.flag() }),
        depth_bounds: (random.below(4) == 0).then(|| (0.1f32.to_bits(), random_float(random))),
        stencil: random.flag().then_some([front, back]),
        blend: random_blend(random),
        blend_enabled: std::array::from_fn(|_| random.flag()),
        blend_color: random.word(),
        blend_color2: random.word(),
        logic_op: (random.below(4) == 0).then(|| LogicOp(u8::try_from(random.below(16)).unwrap())),
        dither: Dither(random.flag()),
        color_mask: std::array::from_fn(|_| if random.flag() { 15 } else { random.word().to_le_bytes()[0] & 15 }),
        srgb_write: false,
        multisample_control: 0,
        counts_samples: random.flag(),
    }
}

/// Random quads of one tile at a time, as the kernels store them; returns (tiles, shaded, quads).
fn random_quads(random: &mut Random, shaded_colors: u8) -> (Vec<u32>, Vec<u32>, Vec<ShadedQuad>) {
    let (mut tiles, mut shaded, mut quads) = (Vec::new(), Vec::new(), Vec::new());
    for tile in 0..(SIDE / 16) * (SIDE / 16) {
        let count = random.below(40);
        tiles.extend([u32::try_from(quads.len()).unwrap(), count]);
        for _ in 0..count {
            let quad = ShadedQuad {
                x: tile % (SIDE / 16) * 16 + random.below(8) * 2,
                y: tile / (SIDE / 16) * 16 + random.below(8) * 2,
                coverage: u8::try_from(random.below(16)).unwrap(),
                is_front_facing: random.flag(),
                depth: std::array::from_fn(|_| random_float(random)),
                colors: std::array::from_fn(|_| std::array::from_fn(|_| std::array::from_fn(|_| random_float(random)))),
            };
            shaded.extend(quad.depth);
            shaded.extend([quad.coverage.into(), quad.x | quad.y << 16, quad.is_front_facing.into(), 0]);
            for color in (0..4).filter(|color| (shaded_colors >> color) & 1 != 0) {
                shaded.extend(quad.colors[color].as_flattened());
            }
            quads.push(quad);
        }
    }
    (tiles, shaded, quads)
}

#[test]
fn merging_agrees() {
    let Some(gpu) = common::gpu() else { return };
    let mut passed = 0;
    for seed in 0..140 {
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let targets = random_targets(&mut random, ColorFormat::ALL[seed as usize % ColorFormat::ALL.len()]);
        let rop = random_rop(&mut random);
        let key = MergeKey::new(&rop, &targets).unwrap();
        let (mut tiles, mut shaded, quads) = random_quads(&mut random, rop.shaded_colors(&targets));
        let tile_count = u32::try_from(tiles.len() / 2).unwrap();
        let parameters = MergeParameters::new(&rop, &targets, 0, tile_count, &heap_of(&memory));
        let mut parameters: Vec<u32> = bytemuck::pod_collect_to_vec(&[parameters]);
        let mut heap = words_of(&memory);
        let mut counters = vec![0; 4];
        let bindings: &mut [(u32, &mut Vec<u32>)] =
            &mut [(0, &mut heap), (9, &mut tiles), (13, &mut shaded), (14, &mut parameters), (15, &mut counters)];
        let source = recompiler::merge_pixels::source(&key);
        gpu.run("merge_pixels", &source, bindings, [tile_count.div_ceil(TILES_PER_GROUP), 1, 1])
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{source}"));
        let samples: u32 = quads.iter().map(|quad| merge_quad(&mut memory, &rop, &targets, quad)).sum();
        let context = || format!("seed {seed}: {rop:?}\n{targets:?}\n{source}");
        assert_eq!(difference(&heap, &words_of(&memory)), None, "{}", context());
        assert_eq!(counters[0], if rop.counts_samples { samples } else { 0 }, "{}", context());
        passed += samples;
    }
    assert!(passed > 10_000, "only {passed} samples passed");
}

const WRAPS: [Wrap; 8] = [
    Wrap::Repeat,
    Wrap::MirroredRepeat,
    Wrap::ClampToEdge,
    Wrap::ClampToBorder,
    Wrap::Clamp,
    Wrap::MirrorClampToEdge,
    Wrap::MirrorClampToBorder,
    Wrap::MirrorClamp,
];

fn random_texture(random: &mut Random, format: TextureFormat) -> TextureState {
    let dimensions =
        random.pick(&[Dimensions::One, Dimensions::Two, Dimensions::Two, Dimensions::Three, Dimensions::Cube]);
    let is_linear =
        random.flag() || format.element_bytes() != format.bytes() || (format.bytes() > 4 && !format.is_compressed());
    let side = |random: &mut Random| match is_linear || format.is_compressed() {
        true => 1 + random.below(40),
        false => 1 << random.below(6),
    };
    let width = side(random);
    let height = match dimensions {
        Dimensions::One => 1,
        Dimensions::Cube => width,
        Dimensions::Two | Dimensions::Three => side(random),
    };
    let depth = if dimensions == Dimensions::Three { side(random).min(16) } else { 1 };
    let filter = |random: &mut Random| random.pick(&[Filter::Nearest, Filter::Linear]);
    let alignment = if random.below(8) == 0 { 1 } else { format.element_bytes().min(4) };
    let is_unnormalized = random.below(6) == 0 && dimensions != Dimensions::Cube;
    let (minimum, maximum) = (random.below(0x400), random.below(0x1000));
    TextureState {
        window: random_window(random, alignment),
        format,
        dimensions,
        is_linear,
        is_unnormalized,
        has_border_texels: false,
        size: [width, height, depth],
        pitch_bytes: random.pick(&[64, 128, 192, 130, 13]),
        levels: if is_unnormalized { 1 } else { 1 + random.below(6) },
        wrap: std::array::from_fn(|_| random.pick(&WRAPS)),
        min_filter: filter(random),
        mip_filter: random.pick(&[MipFilter::None, MipFilter::Nearest, MipFilter::Linear, MipFilter::Linear]),
        mag_filter: filter(random),
        lod_bias: random.below(0x400).cast_signed() - 0x200,
        min_lod: if random.flag() { 0 } else { minimum },
        max_lod: if random.flag() { 0xfff } else { maximum },
        max_anisotropy: 1,
        border_color: random.word(),
        remap: if random.flag() { 0xaae4 } else { random.word() & 0x1_ffff },
        shadow_compare: u8::try_from(random.below(8)).unwrap(),
        signed: if random.below(4) == 0 { u8::try_from(random.below(16)).unwrap() } else { 0 },
        gamma: if random.below(8) == 0 { 7 } else { 0 },
        expand_normal: random.below(8) == 0,
        alpha_kill: false,
    }
}

/// A coordinate: mostly a smooth one near the image, sometimes far away or no number.
fn random_coordinate(random: &mut Random, base: f32, spread: f32) -> u32 {
    const SPECIAL: [f32; 8] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, -0.0, 1e-40, 16_777_217.0];
    match random.below(64) {
        0 => random.pick(&SPECIAL).to_bits(),
        1 => random.word(),
        _ => (base + spread * (random.below(1 << 16) as f32 / 65536.0 - 0.5)).to_bits(),
    }
}

type Quad = [[u32; 4]; 4];

fn random_quad(random: &mut Random, scale: f32) -> Quad {
    let spread = scale * 0.5f32.powi(random.below(9).cast_signed());
    let base: [f32; 4] = std::array::from_fn(|_| scale * (random.below(1 << 16) as f32 / 16384.0 - 2.0));
    std::array::from_fn(|_| std::array::from_fn(|component| random_coordinate(random, base[component], spread)))
}

/// Values of a quad by component, as kernels hold them.
fn by_component(quad: &Quad) -> Vec<u32> {
    (0..4).flat_map(|component| quad.iter().map(move |pixel| pixel[component])).collect()
}

const QUADS: usize = 96;

/// Samples on the device: each quad has a coordinate, a level of detail and two derivatives.
fn sample_on_device(
    gpu: &Gpu,
    memory: &GuestMemory,
    state: &TextureState,
    mode: u32,
    quads: &[(Quad, [u32; 4], Quad, Quad)],
) -> Vec<u32> {
    let call = ["sample_texture_3(a, lod)", "sample_texture_lod_3(a, lod)", "sample_texture_gradient_3(a, b, c)"];
    let source = format!(
        "import package::opaque::opaque_zero;\n{}
        @group(0) @binding(10) var<storage, read> quads: array<vec4u>;
        @group(0) @binding(13) var<storage, read_write> shaded: array<vec4u>;
        fn quad_at(i: u32) -> QuadVector {{ return QuadVector(quads[i], quads[i + 1u], quads[i + 2u], quads[i + 3u]); }}
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
            if id.x >= {QUADS}u {{ return; }}
            opaque_zero = shade_parameters.zero;
            let a = quad_at(id.x * 13u);
            let lod = quads[id.x * 13u + 4u];
            let b = quad_at(id.x * 13u + 5u);
            let c = quad_at(id.x * 13u + 9u);
            let value = {};
            shaded[id.x * 4u] = value.x;
            shaded[id.x * 4u + 1u] = value.y;
            shaded[id.x * 4u + 2u] = value.z;
            shaded[id.x * 4u + 3u] = value.w;
        }}",
        recompiler::texture_unit::source(3, &TextureKey::new(state).unwrap()),
        call[mode as usize]
    );
    let mut textures = [const { None }; 16];
    textures[3] = Some(state.clone());
    let parameters = ShadeParameters::new(&textures, &heap_of(memory));
    let mut parameters: Vec<u32> = bytemuck::pod_collect_to_vec(&[parameters]);
    let mut heap = words_of(memory);
    let mut inputs = Vec::new();
    for (coordinate, lod, x, y) in quads {
        inputs.extend(by_component(coordinate));
        inputs.extend(lod);
        inputs.extend(by_component(x));
        inputs.extend(by_component(y));
    }
    let mut outputs = vec![0; QUADS * 16];
    let bindings: &mut [(u32, &mut Vec<u32>)] =
        &mut [(0, &mut heap), (10, &mut inputs), (11, &mut parameters), (13, &mut outputs)];
    gpu.run("sample", &source, bindings, [2, 1, 1]).unwrap_or_else(|error| panic!("{error}\n{source}"));
    outputs
}

#[test]
fn sampling_agrees() {
    let Some(gpu) = common::gpu() else { return };
    let mut executed = 0;
    let seeds = std::env::var("CURIE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(150);
    let first = std::env::var("CURIE_FIRST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    for seed in first..first + seeds {
        let mut random = Random::new(seed);
        let memory = random_memory(&mut random);
        let format = TextureFormat::ALL[seed as usize % TextureFormat::ALL.len()];
        let state = random_texture(&mut random, format);
        if state.unsupported().is_some() {
            continue;
        }
        executed += 1;
        let mode = random.pick(&[0, 0, 1, 2]);
        let scale = if state.is_unnormalized { 16.0 } else { 1.0 };
        let quads: Vec<_> = (0..QUADS)
            .map(|_| {
                let lod = std::array::from_fn(|_| random_coordinate(&mut random, 1.0, 6.0));
                (random_quad(&mut random, scale), lod, random_quad(&mut random, 0.2), random_quad(&mut random, 0.2))
            })
            .collect();
        if std::env::var_os("CURIE_TIMES").is_some() {
            eprintln!("seed {seed} mode {mode} {:?}", TextureKey::new(&state));
            std::fs::write("/tmp/last.wgsl", recompiler::texture_unit::source(3, &TextureKey::new(&state).unwrap()))
                .unwrap();
        }
        let start = std::time::Instant::now();
        let outputs = sample_on_device(&gpu, &memory, &state, mode, &quads);
        if std::env::var_os("CURIE_TIMES").is_some() {
            eprintln!("seed {seed} mode {mode}: {:?} {:?}", start.elapsed(), TextureKey::new(&state));
        }
        let mut textures = [const { None }; 16];
        textures[3] = Some(state.clone());
        for (index, (coordinate, lod, x, y)) in quads.iter().enumerate() {
            let mode = match mode {
                0 => LodMode::Implicit { bias: *lod },
                1 => LodMode::Explicit(*lod),
                _ => LodMode::Gradient { x: *x, y: *y },
            };
            let expected = BoundTextures::new(&memory, &textures).sample(3, coordinate, mode).unwrap();
            let actual = &outputs[index * 16..index * 16 + 16];
            let context = || format!("seed {seed} quad {index}: {state:?}\n{mode:x?}\n{coordinate:x?}");
            assert_eq!(difference(actual, &by_component(&expected)), None, "{}", context());
        }
    }
    assert!(executed * 2 > seeds, "only {executed} of {seeds} textures were executed");
}
