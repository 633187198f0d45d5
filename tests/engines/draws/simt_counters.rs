//! Counters of draws with SIMT programs: numbers by calculation, the same on both engines, and bytes that do not depend on
//! counting.

use std::sync::Arc;

use super::geometry_programs::{copy, with_program};
use super::selection::{LAYER, selecting};
use super::simt::{
    COLOR, MEMORY_BYTES, PATHS, SIDE, TARGET, corner_triangle, draw, execute, rectangle, texture, window,
};
use super::simt_flow::by_place;
use super::stream_out::{row, stream_out, streamed};
use crate::common;
use crate::common::nightly::cases;
use crate::common::random::Random;
use curie::counters::Counter::{
    Assembled, CacheHits, CacheMisses, ColorWritten, DivergentWarps, EarlyDepth, EmittedVertices, Fragments, Indices,
    Killed, LateDepth, Lookups, Passed, Quads, Rejected, Scissor, SetUp, ShadedFragments, ShadedQuads, StreamedBytes,
    StreamedPrimitives, StreamedVertices, Texels, TextureInstructions, TextureSamples, ThreadFetches,
    ThreadInstructions, Threads, UnitInstructions, VertexInstructions, WarpInstructions, Warps,
};
use curie::counters::{Counter, Counters, CountingOptions};
use curie::counting::CountingEngine;
use curie::format::ZetaFormat;
use curie::gpu::{AdapterChoice, Gpu, StageClock};
use curie::kernels::{DrawPath, KernelOptions, Kernels};
use curie::pipeline::{
    Compare, DepthTest, Draw, EmittedPrimitive, Filter, FragmentStage, LayerStep, MipFilter, PrimitiveType, StreamOut,
    SurfaceLayout, ZetaTarget,
};
use curie::reference::Reference;

/// The quads of a rectangle over the target: both triangles have those on the diagonal.
const RECTANGLE_QUADS: u64 = 2 * (32 * 33 / 2);

/// The counters of draws, the same on both engines and on all paths of kernels. Counting leaves memory as it is without.
fn counted(draws: &[Draw]) -> Vec<Counters> {
    counted_with_paths(draws).0
}

/// The same of draws that kernels count.
fn counted_by_kernels(draws: &[Draw]) -> Vec<Counters> {
    let (counters, paths) = counted_with_paths(draws);
    assert!(!paths.contains(&DrawPath::Host), "{paths:?}");
    counters
}

/// The same with the paths of draws.
fn counted_with_paths(draws: &[Draw]) -> (Vec<Counters>, Vec<DrawPath>) {
    let reference = || Reference::new(MEMORY_BYTES.into(), 0).unwrap();
    let plain = execute(&mut reference(), draws).unwrap();
    let count = |engine: &mut dyn CountingEngine| {
        engine.start_counting(CountingOptions::default()).unwrap();
        assert!(execute(engine, draws).unwrap() == plain, "counting changes memory");
        engine.take_counters().unwrap()
    };
    let (expected, mut taken) = (count(&mut reference()), Vec::new());
    for path in PATHS {
        if common::gpu().is_none() {
            continue;
        }
        let gpu = Gpu::open_timed(&AdapterChoice::Best, Arc::new(StageClock::default())).unwrap();
        let options = KernelOptions { path, tile_size: 8, ..KernelOptions::default() };
        let mut kernels = Kernels::new(gpu, options, MEMORY_BYTES.into(), 0).unwrap();
        kernels.start_profile().unwrap();
        assert_eq!(count(&mut kernels), expected, "{path:?}");
        taken.extend(kernels.profiled_draws().iter().map(|draw| draw.path));
    }
    (expected, taken)
}

/// Compares counters with the values of their elements.
fn check(counters: &Counters, expected: &[(Counter, &[u64])]) {
    for (counter, values) in expected {
        let found = counters.elements(*counter);
        assert_eq!(&found[..values.len()], *values, "{counter:?}");
        assert!(found[values.len()..].iter().all(|value| *value == 0), "{counter:?} {found:?}");
    }
}

/// The vertex program has 8 instructions. The fragment program has 7; the special function units execute 6 of them.
#[test]
fn a_rectangle_fills_warps_of_its_own() {
    let rectangle = draw(&rectangle([0.0, 0.0, 64.0, 64.0], 0.5, [1.0; 4]), COLOR);
    let warps = RECTANGLE_QUADS / 8;
    let expected: &[(Counter, &[u64])] = &[
        (Indices, &[6]),
        (CacheMisses, &[6]),
        (VertexInstructions, &[48]),
        (Assembled, &[2]),
        (SetUp, &[2]),
        (Quads, &[RECTANGLE_QUADS]),
        (Fragments, &[4096]),
        (ShadedQuads, &[RECTANGLE_QUADS]),
        (ShadedFragments, &[4096]),
        (ColorWritten, &[4096]),
        (Threads, &[6, 0, 4 * RECTANGLE_QUADS]),
        (Warps, &[1, 0, warps]),
        (WarpInstructions, &[8, 0, 7 * warps]),
        (UnitInstructions, &[8 + warps, 6 * warps]),
        (ThreadInstructions, &[48, 0, 7 * 4 * RECTANGLE_QUADS]),
        (DivergentWarps, &[]),
    ];
    // Draws do not share warps.
    let counters = counted_by_kernels(&[rectangle.clone(), rectangle]);
    assert_eq!(counters.len(), 2);
    counters.iter().for_each(|counters| check(counters, expected));
}

/// One instruction more leaves memory as it is, and changes these counters of fragments.
#[test]
fn a_planted_instruction_is_counted() {
    let longer = COLOR.replace("    exit nop", "    nop\n    exit nop");
    let draws = [COLOR, &longer].map(|program| draw(&corner_triangle(0.5, [1.0; 3]), program));
    let [plain, planted] = draws.map(|draw| counted_by_kernels(&[draw])[0]);
    let differing = Counter::ALL.iter().filter(|counter| plain.elements(**counter) != planted.elements(**counter));
    let expected = [WarpInstructions, UnitInstructions, ThreadInstructions];
    assert_eq!(differing.copied().collect::<Vec<_>>(), expected);
}

/// 100 triangles of one quad each share the warps of their draw; each has three vertices.
#[test]
fn warps_hold_quads_of_several_primitives() {
    let corner = |x: f32, y: f32| ([x, y, 0.5, 1.0], [1.0; 4]);
    let triangles: Vec<_> = (0..100u8)
        .flat_map(|number| {
            let [x, y] = [number % 32, number / 32].map(|place| f32::from(place) * 2.0);
            [corner(x, y), corner(x + 1.5, y), corner(x, y + 1.5)]
        })
        .collect();
    let counters = counted_by_kernels(&[draw(&triangles, COLOR)]);
    let warps = u64::div_ceil(100, 8);
    check(
        &counters[0],
        &[
            (Quads, &[100]),
            (Threads, &[300, 0, 400]),
            (Warps, &[10, 0, warps]),
            (WarpInstructions, &[80, 0, 7 * warps]),
            (ThreadInstructions, &[2400, 0, 7 * 400]),
        ],
    );
}

/// In all warps the threads of odd columns branch over two instructions, to the last one.
#[test]
fn diverged_warps_execute_both_ways() {
    let text = "    and b32 $r6 $r4 0x1\n    mov b32 $r7 0x0\n    set $c0 # lg u32 $r6 $r7\n    (lg $c0) bra odd
    add b32 $r0 $r0 0x1\n    add b32 $r0 $r0 0x1\nodd:\n";
    let (before, between, after) = (8 + 4, 2, 1);
    let counters = counted(&[by_place(text)]);
    let warps = RECTANGLE_QUADS / 8;
    check(
        &counters[0],
        &[
            (DivergentWarps, &[0, 0, warps]),
            (WarpInstructions, &[8, 0, warps * (before + between + 2 * after)]),
            // The predicate of the branch holds for half of them.
            (ThreadInstructions, &[48, 0, warps * (32 * (before - 1) + 16 + 16 * between + 32 * after)]),
        ],
    );
}

fn with_depth(mut draw: Draw, compare: Compare) -> Draw {
    let layout = SurfaceLayout::Linear { pitch_bytes: SIDE * 4 };
    draw.targets.zeta = Some(ZetaTarget { window: window(2), layout, format: ZetaFormat::Z24S8, is_float: false });
    draw.rop.depth_test = Some(DepthTest { compare, writes: true });
    draw
}

/// Behind another rectangle no quad is shaded, unless the program discards: then all are, and half of the fragments go on to
/// the depth test.
#[test]
fn quads_that_fail_the_depth_test_run_no_threads() {
    let colored = |z, program: &str| draw(&rectangle([0.0, 0.0, 64.0, 64.0], z, [1.0; 4]), program);
    let discards = COLOR.replace(
        "    interp $r0",
        "    interp $r5 v[0x4] $r4\n    mov b32 $r6 0x3f000000\n    set $c0 # l f32 $r5 $r6\n    (lg $c0) discard\n    interp $r0",
    );
    let mut half = colored(0.9, &discards);
    // Red is 0 to the left and 1 to the right.
    let vertices: Vec<_> = [0.0, 1.0]
        .into_iter()
        .flat_map(|red| rectangle([32.0 * red, 0.0, 32.0 * red + 32.0, 64.0], 0.9, [red, 1.0, 1.0, 1.0]))
        .collect();
    half.elements = draw(&vertices, COLOR).elements;
    let counters = counted(&[
        with_depth(colored(0.5, COLOR), Compare::Always),
        with_depth(colored(0.75, COLOR), Compare::Less),
        with_depth(half, Compare::Less),
    ]);
    check(&counters[0], &[(Passed, &[4096]), (Threads, &[6, 0, 4 * RECTANGLE_QUADS])]);
    check(&counters[1], &[(EarlyDepth, &[4096]), (Passed, &[]), (ShadedQuads, &[]), (Threads, &[6]), (Warps, &[1])]);
    check(
        &counters[2],
        &[(Killed, &[2048]), (LateDepth, &[2048]), (EarlyDepth, &[]), (Passed, &[]), (DivergentWarps, &[])],
    );
    assert_eq!(counters[2].total(ShadedQuads), counters[2].total(Quads));
    // Half of the threads end with the sixth instruction; the others leave it out and execute five more.
    assert_eq!(counters[2].elements(ThreadInstructions)[2], 4 * (6 + 5 + 5) * counters[2].total(Quads) / 2);
}

/// The program copies three vertices with 10 instructions each, and ends.
#[test]
fn a_geometry_program_runs_a_thread_for_each_primitive() {
    let plain = draw(&rectangle([0.0, 0.0, 64.0, 64.0], 0.5, [1.0; 4]), COLOR);
    let text: String = (0..3).map(copy).collect();
    let counters = counted(&[with_program(plain, &text, EmittedPrimitive::TriangleStrip, 3)]);
    check(
        &counters[0],
        &[
            (Threads, &[6, 2, 4 * RECTANGLE_QUADS]),
            (Warps, &[1, 1, RECTANGLE_QUADS / 8]),
            (WarpInstructions, &[8, 31, 7 * RECTANGLE_QUADS / 8]),
            (EmittedVertices, &[6]),
            (Assembled, &[2]),
            (SetUp, &[2]),
        ],
    );
}

/// The triangles of one rectangle select a viewport without pixels, those of another one a viewport of 16 rows.
#[test]
fn primitives_count_in_the_viewport_that_they_select() {
    let layout = SurfaceLayout::Linear { pitch_bytes: SIDE * 4 };
    let whole = [0.0, 0.0, 64.0, 64.0];
    let mut draw = selecting(&[(whole, [1, 0]), (whole, [2, 1]), (whole, [0, 2])], layout, LayerStep::Bytes(LAYER));
    let selection = draw.selection.as_mut().unwrap();
    selection.viewports[1].surface.width = 0;
    selection.viewports[1].clip.width = 0;
    let counters = counted(&[draw]);
    // Viewport 2 has half of the size and begins in column 4.
    check(
        &counters[0],
        &[(Assembled, &[6]), (Rejected, &[2]), (SetUp, &[4]), (Fragments, &[4096 + 32 * 16]), (Scissor, &[])],
    );
    assert_eq!(counters[0].elements(Threads)[0], 18);
}

/// A strip of three triangles with two words of a vertex in each of two buffers.
#[test]
fn stream_output_writes_vertices_and_rasterizes_none() {
    let strip = || row(5, PrimitiveType::TriangleStrip);
    let both = StreamOut { rasterizes: true, ..stream_out(TARGET) };
    let counters = counted(&[streamed(strip(), stream_out(TARGET)), streamed(strip(), both)]);
    for counters in &counters {
        check(
            counters,
            &[
                (StreamedPrimitives, &[3]),
                (StreamedVertices, &[9]),
                (StreamedBytes, &[9 * 4 * 4]),
                (CacheMisses, &[5]),
                (CacheHits, &[]),
            ],
        );
        assert_eq!(counters.elements(Threads)[0], 5, "the vertices are transformed once");
    }
    check(&counters[0], &[(Assembled, &[]), (SetUp, &[]), (Quads, &[]), (Threads, &[5])]);
    assert_eq!((counters[1].total(Assembled), counters[1].total(SetUp)), (3, 3));
    assert!(counters[1].total(Passed) > 0);
}

/// Each thread of the 528 quads fetches once: a nearest texel.
#[test]
fn fetches_are_those_of_threads() {
    let text = ".kind fragment\n    interp $r4 v[0x0]\n    rcp f32 $r4 $r4\n    interp $r0 v[0x4] $r4\n    interp $r1 v[0x8] $r4
    texauto all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n    exit nop\n";
    let mut sampled = draw(&corner_triangle(0.5, [1.0; 3]), text);
    sampled.textures[0] = Some(texture());
    let FragmentStage::Simt(fragment) = &mut sampled.fragment else { unreachable!() };
    fragment.units = vec![[3, 2]];
    let counters = counted_by_kernels(&[sampled]);
    let quads = RECTANGLE_QUADS / 2;
    check(
        &counters[0],
        &[
            (ThreadFetches, &[0, 0, 4 * quads]),
            (TextureInstructions, &[quads]),
            (Lookups, &[4 * quads]),
            (TextureSamples, &[4 * quads]),
            (Texels, &[4 * quads]),
            (UnitInstructions, &[8 + quads / 8, 4 * quads / 8, quads / 8]),
        ],
    );
}

/// Textures with all filters, and depth tests, over triangles that may be clipped: kernels count what the
/// reference counts.
#[test]
fn random_straight_draws_are_counted_by_kernels() {
    let fetches = [("texauto", "$r0:$r1", 2), ("texbias", "$r0:$r1:$r2", 3), ("texlod", "$r0:$r1:$r2", 3)];
    for seed in 0..cases(10, 400) {
        let mut random = Random::new(0xc047 ^ seed);
        let (name, coordinates, count) = fetches[random.below(3) as usize];
        let places: String =
            (0..count).map(|place| format!("    interp $r{place} v[{:#x}] $r4\n", 4 + 4 * place)).collect();
        let text = format!(
            ".kind fragment\n    interp $r4 v[0x0]\n    rcp f32 $r4 $r4\n{places}    {name} all $r0:$r1:$r2:$r3 $t3 $s2 {coordinates} 0x0 0x0 0x0\n    exit nop\n"
        );
        let vertices: Vec<_> = (0..3 * (1 + random.below(6)))
            .map(|_| {
                let [x, y] = [0, 1].map(|_| random.below(12 * SIDE) as f32 / 8.0 - SIDE as f32 / 4.0);
                let (z, w) = (random.below(16) as f32 / 12.0 - 0.1, [1.0, 2.0, 0.5, -1.0][random.below(4) as usize]);
                ([x, y, z, w], [0; 4].map(|_| random.below(64) as f32 / 16.0 - 1.0))
            })
            .collect();
        let mut sampled = draw(&vertices, &text);
        let mut state = texture();
        state.sampler.min_filter = [Filter::Nearest, Filter::Linear][random.below(2) as usize];
        state.sampler.mag_filter = [Filter::Nearest, Filter::Linear][random.below(2) as usize];
        state.sampler.mip_filter = [MipFilter::None, MipFilter::Nearest, MipFilter::Linear][random.below(3) as usize];
        state.sampler.max_anisotropy = [1, 4, 16][random.below(3) as usize];
        sampled.textures[0] = Some(state);
        let FragmentStage::Simt(fragment) = &mut sampled.fragment else { unreachable!() };
        fragment.units = vec![[3, 2]];
        if random.flag() {
            sampled = with_depth(sampled, [Compare::Always, Compare::GreaterEqual][random.below(2) as usize]);
        }
        counted_by_kernels(&[sampled.clone(), sampled]);
    }
}
