//! Kernels that write pixels produce the reference's bytes.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use crate::common;
use crate::common::blend_factors::FACTORS;
use crate::common::memory::{difference, heap_of, random_blocks, random_memory, random_window, words_of};
use crate::common::nightly::cases;
use crate::common::random::Random;
use curie::format::{ColorFormat, ZetaFormat, srgb};
use curie::gpu::Gpu;
use curie::kernels::merge_pixels::{MergeParameters, TILES_PER_GROUP};
use curie::kernels::transfer::{self, SourceCopy, TransferDispatch, TransferKernel};
use curie::kernels::wide_fills::in_wide_words;
use curie::memory::block_linear::BlockLinear;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::ShadedQuad;
use curie::pipeline::host_transfer;
use curie::pipeline::{
    AlphaReference, AlphaTest, Blend, BlendEquation, Clear, ColorTarget, Compare, CounterReport, DepthTest, Dither,
    LayoutKind, LogicOp, MAX_COLOR_TARGETS, MemoryCopy, MultisampleCoverage, Rect, RopState, SampleMode, StencilFace,
    StencilOp, SurfaceLayout, Targets, ZetaTarget,
};
use curie::recompiler;
use curie::recompiler::rop::merge_pixels::MergeKey;
use curie::reference::blit::clear_surface;
use curie::reference::rop::merge_pixels::merge_quad;

/// Runs a dispatch over words of guest memory.
fn run_transfer(gpu: &Gpu, heap: &mut Vec<u32>, dispatch: &TransferDispatch) {
    let mut parameters: Vec<u32> = bytemuck::pod_collect_to_vec(&dispatch.parameters);
    let mut copy = match dispatch.source_copy {
        SourceCopy::Memory(range) => heap[range.start as usize / 4..(range.start + range.bytes) as usize / 4].to_vec(),
        _ => vec![0; 4],
    };
    let mut counters = vec![0x1234_5678, 0, 0, 0];
    // Kernels access guest memory as 32-bit or 64-bit words.
    let memory = if dispatch.kernel == TransferKernel::FillRowBlocks { 19 } else { 0 };
    let bindings: &mut [(u32, &mut Vec<u32>)] =
        &mut [(memory, heap), (1, &mut copy), (14, &mut parameters), (15, &mut counters)];
    gpu.run(dispatch.kernel.label(), &dispatch.kernel.source(), bindings, dispatch.workgroups).unwrap();
}

#[test]
fn the_comparer_sees_a_planted_difference() {
    let left = [1, 2, 3, 4];
    assert_eq!(difference(&left, &left), None);
    assert_eq!(difference(&left, &[1, 2, 7, 4]), Some((8, 3, 7)));
}

/// A layout, and how much its start is aligned.
fn random_layout(random: &mut Random, width: u32, bytes: u32, alignment: u32) -> (SurfaceLayout, u32) {
    match random.below(5) {
        0 | 1 => {
            let log2 = |random: &mut Random| u8::try_from(random.below(7)).unwrap();
            (SurfaceLayout::swizzled(log2(random), log2(random)), alignment)
        }
        2 => random_blocks(random, width * bytes, width),
        _ => {
            let padding = random.below(40);
            (SurfaceLayout::Linear { pitch_bytes: (width * bytes + padding).next_multiple_of(alignment) }, alignment)
        }
    }
}

fn random_rect(random: &mut Random) -> Rect {
    Rect { x: random.below(40), y: random.below(40), width: random.below(60), height: random.below(60) }
}

/// Memory after a clear that replaces whole words.
fn with_runs(heap: &[u32], words: &transfer::WordRuns) -> Vec<u32> {
    let mut heap = heap.to_vec();
    for &(first, bytes) in &words.runs {
        let [first, words_of_run] = [first, bytes].map(|bytes| usize::try_from(bytes / 4).unwrap());
        heap[first..][..words_of_run].fill(words.value);
    }
    heap
}

#[test]
fn clears_agree() {
    let Some(gpu) = common::gpu() else { return };
    let [mut runs, mut blocks, mut gobs] = [0; 3];
    for seed in 0..240 {
        // A third of them are aligned to 8 bytes, another third to 32, some of these except for their start.
        let aligned = [1, 8, 32][usize::try_from(seed % 3).unwrap()];
        let place = |random: &mut Random, bytes: u32, layout: (SurfaceLayout, u32)| {
            if layout.0.kind() != LayoutKind::BlockLinear && random.below(4) == 0 {
                return MemoryWindow { bytes: 0x2000, ..random_window(random, bytes.min(4)) };
            }
            random_window(random, bytes.min(4).max(layout.1))
        };
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let format = random.pick(ZetaFormat::ALL);
        let color = std::array::from_fn(|_| {
            let format = random.pick(ColorFormat::ALL);
            let bytes = format.bytes();
            let layout = random_layout(&mut random, 100, bytes, bytes.min(4).max(aligned));
            let target = ColorTarget { window: place(&mut random, bytes, layout), layout: layout.0, format };
            random.flag().then_some(target)
        });
        let layout = random_layout(&mut random, 100, format.bytes(), format.bytes().max(aligned));
        let window = place(&mut random, format.bytes(), layout);
        let zeta = random.flag().then_some(ZetaTarget { window, layout: layout.0, format, is_float: false });
        let rect = random_rect(&mut random);
        let whole = |value: u32| value & !(aligned / 4).saturating_sub(1);
        let rect = Rect { x: whole(rect.x), width: whole(rect.width), ..rect };
        let is_whole = random.below(3) == 0;
        let clear = Clear {
            targets: Targets {
                color,
                zeta,
                samples: SampleMode::One,
                rect: Rect { x: 0, y: 0, width: 100, height: 100 },
            },
            rect,
            // A third of them have the same value in all words.
            color: if is_whole { [random.word(); 4] } else { [(); 4].map(|()| random.word()) },
            zeta: [(); 2].map(|()| random.word()),
            color_mask: if is_whole { 15 } else { u8::try_from(random.below(16)).unwrap() },
            clears_depth: is_whole || random.flag(),
            clears_stencil: is_whole || random.flag(),
            stencil_mask: if is_whole { 0xff } else { random.word().to_le_bytes()[0] },
        };
        let mut heap = words_of(&memory);
        for dispatch in transfer::clear_surfaces(&clear, &heap_of(&memory)).unwrap() {
            let filled = transfer::word_runs(&dispatch).map(|words| with_runs(&heap, &words));
            let wide = in_wide_words(dispatch.clone());
            gobs += u32::from(dispatch.kernel == TransferKernel::FillBlocks);
            let mut other = heap.clone();
            run_transfer(&gpu, &mut heap, &dispatch);
            if wide.kernel != dispatch.kernel && gpu.has_wide_words() {
                run_transfer(&gpu, &mut other, &wide);
                assert_eq!(difference(&heap, &other), None, "wide words of seed {seed}: {clear:?}");
                blocks += 1;
            }
            if let Some(filled) = filled {
                assert_eq!(difference(&heap, &filled), None, "runs of seed {seed}: {clear:?}");
                runs += 1;
            }
        }
        clear_surface::clear_surfaces(&mut memory, &clear);
        assert_eq!(difference(&heap, &words_of(&memory)), None, "seed {seed}: {clear:?}");
    }
    assert!(gobs > 20, "only {gobs} clears fill blocks of gobs");
    assert!(runs > 5, "only {runs} clears replace whole words");
    assert!(blocks > 5 || !gpu.has_wide_words(), "only {blocks} clears fill blocks of words");
}

/// A clear of whole gobs is a few runs of bytes; one that cuts a gob, or has many runs, is none.
#[test]
fn clears_of_gobs_are_runs() {
    let mut runs = 0;
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let format = random.pick(&[ColorFormat::A8R8G8B8, ColorFormat::A16B16G16R16F, ColorFormat::A32B32G32R32F]);
        let (layout, alignment) = random_blocks(&mut random, 128 * format.bytes(), 96);
        let window = random_window(&mut random, alignment);
        let window = MemoryWindow { bytes: window.bytes & !3, ..window };
        let target = ColorTarget { window, layout, format };
        let mut color = [None; MAX_COLOR_TARGETS];
        color[0] = Some(target);
        let mut part = |step: u32, least: u32| step * (least + random.below(3));
        let mut rect = Rect { x: part(16, 0), y: part(4, 0), width: part(16, 1), height: part(4, 1) };
        let is_cut = seed % 4 == 0;
        rect.height -= u32::from(is_cut);
        let clear = Clear {
            targets: Targets {
                color,
                zeta: None,
                samples: SampleMode::One,
                rect: Rect { x: 0, y: 0, width: 128, height: 96 },
            },
            rect,
            color: [random.word(); 4],
            zeta: [0; 2],
            color_mask: 15,
            clears_depth: false,
            clears_stencil: false,
            stencil_mask: 0,
        };
        let heap = words_of(&memory);
        let dispatches = transfer::clear_surfaces(&clear, &heap_of(&memory)).unwrap();
        let [dispatch] = &dispatches[..] else { panic!("one surface: {dispatches:?}") };
        let words = transfer::word_runs(dispatch);
        assert_eq!(words.is_none(), is_cut, "seed {seed}: {clear:?}");
        if let Some(words) = words {
            clear_surface::clear_surfaces(&mut memory, &clear);
            assert_eq!(difference(&with_runs(&heap, &words), &words_of(&memory)), None, "seed {seed}: {clear:?}");
            runs += usize::from(!words.runs.is_empty());
        }
    }
    assert!(runs > 20, "only {runs} clears reach memory");
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
        host_transfer::copy_memory(&mut memory, &copy);
        assert_eq!(difference(&heap, &words_of(&memory)), None, "seed {seed}: {copy:?}");
    }
}

#[test]
fn zeros_fences_and_reports_agree() {
    let Some(gpu) = common::gpu() else { return };
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let mut heap = words_of(&memory);
        let [zeroed, fence, report, notifier] = std::array::from_fn(|_| random_window(&mut random, 1));
        run_transfer(&gpu, &mut heap, &transfer::zero_memory(zeroed, &heap_of(&memory)));
        host_transfer::zero_memory(&mut memory, zeroed);
        let (value, time) = (random.word(), u64::from(random.word()) << 20);
        if let Some(dispatch) = transfer::write_known_words(fence, &[value], &heap_of(&memory)) {
            run_transfer(&gpu, &mut heap, &dispatch);
        }
        host_transfer::write_words(&mut memory, fence, &[value]);
        let counted = match seed % 2 {
            0 => CounterReport::after_time(time),
            _ => CounterReport::offset(random.word(), [random.word(), random.word()], time),
        };
        if let Some(dispatch) = transfer::write_report(report, counted, &heap_of(&memory)) {
            run_transfer(&gpu, &mut heap, &dispatch);
        }
        host_transfer::write_words(&mut memory, report, &counted.with_value(0x1234_5678));
        if let Some(dispatch) =
            transfer::write_known_words(notifier, &CounterReport::after_time(time).words, &heap_of(&memory))
        {
            run_transfer(&gpu, &mut heap, &dispatch);
        }
        host_transfer::write_words(&mut memory, notifier, &CounterReport::after_time(time).words);
        assert_eq!(difference(&heap, &words_of(&memory)), None, "seed {seed}");
    }
}

/// A float of any kind: mostly 0..1, sometimes outside, rarely any bits at all.
pub(super) fn random_float(random: &mut Random) -> u32 {
    const SPECIAL: [f32; 8] = [0.0, -0.0, 1.0, 0.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40];
    let unit = random.below(1 << 24) as f32 / 16_777_215.0;
    match random.below(16) {
        0 => random.word(),
        1 => random.pick(&SPECIAL).to_bits(),
        2 => (unit * 4.0 - 2.0).to_bits(),
        3 => ((random.below(256) as f32) / 255.0).to_bits(),
        _ => unit.to_bits(),
    }
}

/// Comparisons that let most pixels pass are more frequent.
fn random_compare(random: &mut Random) -> Compare {
    if random.flag() {
        random.pick(&[Compare::Always, Compare::GreaterEqual, Compare::NotEqual])
    } else {
        random.pick(&Compare::ALL)
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
    let equations = [
        BlendEquation::Add,
        BlendEquation::Add,
        BlendEquation::Min,
        BlendEquation::Max,
        BlendEquation::Subtract,
        BlendEquation::ReverseSubtract,
        BlendEquation::ReverseSubtractSigned,
        BlendEquation::AddSigned,
        BlendEquation::ReverseAddSigned,
    ];
    Blend {
        source: [random.pick(&FACTORS), random.pick(&FACTORS)],
        destination: [random.pick(&FACTORS), random.pick(&FACTORS)],
        equation: [random.pick(&equations), random.pick(&equations)],
    }
}

const SIDE: u32 = 48;

/// Targets without overlap: each in its own part of VRAM.
fn random_targets(random: &mut Random, color_format: ColorFormat) -> Targets {
    let layout = |random: &mut Random, bytes: u32| match random.below(3) {
        0 => {
            let log2 = |random: &mut Random| 4 + u8::try_from(random.below(2)).unwrap();
            SurfaceLayout::swizzled(log2(random), log2(random))
        }
        1 => {
            let log2_block = [1, 3, 2].map(|limit| u8::try_from(random.below(limit)).unwrap());
            let blocks = BlockLinear { size: [SIDE * bytes, SIDE, 2], log2_block };
            SurfaceLayout::BlockLinear { blocks, slice: random.below(2) }
        }
        _ => SurfaceLayout::Linear { pitch_bytes: (SIDE * bytes).next_multiple_of(64) },
    };
    let window = |random: &mut Random, index: u32, limit: u32| {
        let bytes = if random.below(6) == 0 { random.below(limit) } else { limit };
        MemoryWindow { space: MemorySpace::Vram, start: index * limit, bytes }
    };
    // Wide formats leave room for only one target.
    let (count, limit) = if color_format.bytes() > 4 { (1, 0xa000) } else { (4, 0x2800) };
    let color = std::array::from_fn(|index| {
        let window = window(random, u32::try_from(index).unwrap(), limit);
        let target = ColorTarget { window, layout: layout(random, color_format.bytes()), format: color_format };
        (index < count && random.below(3) != 0).then_some(target)
    });
    let format = random.pick(ZetaFormat::ALL);
    let zeta = ZetaTarget {
        window: MemoryWindow { start: 0xa000, ..window(random, 0, 0x6000) },
        layout: layout(random, format.bytes()),
        format,
        is_float: random.flag(),
    };
    let zeta = (random.below(4) != 0).then_some(zeta);
    let rect = Rect { x: 0, y: 0, width: SIDE, height: SIDE };
    Targets { color, zeta, samples: SampleMode::One, rect }
}

fn random_reference(random: &mut Random) -> AlphaReference {
    let [byte, ..] = random.word().to_le_bytes();
    if random.flag() { AlphaReference::Float(random_float(random)) } else { AlphaReference::Byte(byte) }
}

pub(super) fn random_rop(random: &mut Random) -> RopState {
    let front = random_stencil_face(random);
    let back = if random.flag() { front } else { random_stencil_face(random) };
    RopState {
        alpha_test: (random.below(3) == 0)
            .then(|| AlphaTest { compare: random_compare(random), reference: random_reference(random) }),
        depth_test: random.flag().then(|| DepthTest { compare: random_compare(random), writes: random.flag() }),
        depth_bounds: (random.below(4) == 0).then(|| (0.1f32.to_bits(), random_float(random))),
        stencil: random.flag().then_some([front, back]),
        blend: std::array::from_fn(|_| random.flag().then(|| random_blend(random))),
        blend_color: random.word().to_le_bytes(),
        float_blend_color: std::array::from_fn(|_| random_float(random)),
        logic_op: (random.below(4) == 0).then(|| LogicOp::ALL[random.below(16) as usize]),
        dither: Dither(random.flag()),
        broadcasts_first_color: random.below(4) == 0,
        color_mask: std::array::from_fn(|_| if random.flag() { 15 } else { random.word().to_le_bytes()[0] & 15 }),
        clamped_colors: random.word().to_le_bytes()[0],
        srgb_write: random.below(3) == 0,
        multisample: MultisampleCoverage::DISABLED,
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
                samples: None,
                is_front_facing: random.flag(),
                depth: std::array::from_fn(|_| random_float(random)),
                colors: std::array::from_fn(|_| std::array::from_fn(|_| std::array::from_fn(|_| random_float(random)))),
            };
            shaded.extend(quad.depth);
            shaded.extend([quad.coverage.into(), quad.x | quad.y << 16, quad.is_front_facing.into(), 0]);
            for color in (0..MAX_COLOR_TARGETS).filter(|color| (shaded_colors >> color) & 1 != 0) {
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
    // Each state is a separate pipeline, so more of them run only on request.
    let states = std::env::var("CURIE_MERGE_STATES").ok().and_then(|states| states.parse().ok());
    let states = states.unwrap_or_else(|| cases(66, 264));
    for (seed, &color_format) in (0..states).zip(ColorFormat::ALL.iter().cycle()) {
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let targets = random_targets(&mut random, color_format);
        let rop = random_rop(&mut random);
        let key = MergeKey::new(&rop, &targets).unwrap();
        let (mut tiles, mut shaded, quads) = random_quads(&mut random, rop.shaded_colors(&targets));
        let tile_count = u32::try_from(tiles.len() / 2).unwrap();
        let parameters = MergeParameters::new(&rop, &targets, 0, tile_count, &heap_of(&memory));
        let mut parameters: Vec<u32> = bytemuck::pod_collect_to_vec(&[parameters]);
        let mut heap = words_of(&memory);
        let mut counters = vec![0; 4];
        let mut curve = srgb::curve();
        let bindings: &mut [(u32, &mut Vec<u32>)] = &mut [
            (0, &mut heap),
            (9, &mut tiles),
            (22, &mut curve),
            (13, &mut shaded),
            (14, &mut parameters),
            (15, &mut counters),
        ];
        let source = recompiler::rop::merge_pixels::source(&key);
        gpu.run("merge_pixels", &source, bindings, [tile_count.div_ceil(TILES_PER_GROUP), 1, 1])
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{source}"));
        let samples: u32 = quads.iter().map(|quad| merge_quad(&mut memory, &rop, &targets, quad).passed).sum();
        let context = || format!("seed {seed}: {rop:?}\n{targets:?}\n{source}");
        assert_eq!(difference(&heap, &words_of(&memory)), None, "{}", context());
        assert_eq!(counters[0], if rop.counts_samples { samples } else { 0 }, "{}", context());
        passed += samples;
    }
    assert!(u64::from(passed) > 80 * states, "only {passed} samples passed");
}
