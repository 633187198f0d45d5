//! Viewports and layers that a program selects: pixels by calculation, on both engines.

use super::geometry_programs::{copy, with_program};
use super::simt::{
    COLOR, SIDE, TARGET, block_linear, copy_words, draw, linear, memory, rectangle, run, stage, window, word,
};
use crate::common::merging::REPLACE;
use crate::common::nightly::cases;
use crate::common::random::Random;
use curie::format::ZetaFormat;
use curie::kernels::DrawPath;
use curie::memory::block_linear::BlockLinear;
use curie::pipeline::{
    AttributeWord, Blend, BlendFactor, ColorTarget, Compare, DepthTest, Draw, Elements, EmittedPrimitive, LayerStep,
    MAX_COLOR_TARGETS, OutputComponent, OutputWord, PolygonMode, PrimitiveSelection, PrimitiveType, Rect,
    SelectedViewport, SimtVertexStage, SurfaceLayout, VertexStage, ViewportState, ZetaTarget,
};

/// Bytes of a layer.
pub(super) const LAYER: u32 = SIDE * SIDE * 4;
const LAYERS: u32 = 3;
const WHITE: u32 = u32::MAX;

/// A draw of rectangles, each with the numbers of a viewport and of a layer at the last vertex of its triangles.
pub(super) fn selecting(rectangles: &[([f32; 4], [u32; 2])], layout: SurfaceLayout, step: LayerStep) -> Draw {
    let vertices: Vec<_> = rectangles.iter().flat_map(|(edges, _)| rectangle(*edges, 0.5, [1.0; 4])).collect();
    let mut draw = draw(&vertices, COLOR);
    let Elements::Immediate(attributes) = &mut draw.elements else { unreachable!() };
    for (number, attributes) in attributes.iter_mut().enumerate() {
        let [viewport, layer] = rectangles[number / 6].1;
        // Other vertices do not count.
        attributes[6] = if number % 3 == 2 { [viewport, layer, 0, 0] } else { [1, 2, 0, 0] };
    }
    let words = [2, 5, 6]
        .into_iter()
        .flat_map(|attribute| (0..4).map(move |component| AttributeWord::Component { attribute, component }));
    let (stage, attributes) = (stage(&copy_words(12), &[]), words.collect());
    draw.vertex = VertexStage::Simt(SimtVertexStage {
        stage,
        attributes,
        outputs: OutputWord::in_place(12),
        textures: Vec::new(),
    });
    draw.targets.color[0] = Some(ColorTarget { layout, ..linear(0) });
    let output = |component| Some(OutputComponent { slot: 2, component });
    // Each of half the size; number n begins in column 2n, and touches the first 16 rows alone.
    let ViewportState { scale, translate, depth_near, depth_far, .. } = draw.viewport;
    let (depth_range, surface) = ([depth_near, depth_far], draw.raster.surface);
    let first = SelectedViewport { scale, translate, depth_range, surface, clip: draw.raster.clip };
    let upper = Rect { x: 0, y: 0, width: SIDE, height: 16 };
    let others = (1..16u8).map(|number| SelectedViewport {
        scale: [0.5f32, 0.5, 1.0].map(f32::to_bits),
        translate: [2.0 * f32::from(number), 0.0, 0.0].map(f32::to_bits),
        depth_range,
        surface: upper,
        clip: upper,
    });
    draw.selection = Some(Box::new(PrimitiveSelection {
        viewport: output(0),
        viewports: std::iter::once(first).chain(others).collect(),
        layer: output(1),
        layers: LAYERS,
        color_steps: [step; MAX_COLOR_TARGETS],
        zeta_step: step,
    }));
    draw
}

/// Compares all pixels of all layers with what a function of place and layer says.
fn check(draw: Draw, offset: impl Fn(u32, u32, u32) -> u32, is_drawn: impl Fn(u32, u32, u32) -> bool) {
    let memory = memory(&[draw]);
    for layer in 0..LAYERS {
        for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
            let expected = if is_drawn(x, y, layer) { WHITE } else { 0 };
            assert_eq!(word(&memory, offset(x, y, layer)), expected, "{x}, {y}, {layer}");
        }
    }
}

/// Numbers that do not exist are 0.
#[test]
fn primitives_reach_viewports_and_layers() {
    let rectangles = [
        ([0.0, 0.0, 8.0, 8.0], [0, 0]),
        ([0.0, 20.0, 8.0, 64.0], [1, 1]),
        ([0.0, 0.0, 16.0, 16.0], [15, 2]),
        ([40.0, 40.0, 48.0, 48.0], [16, 3]),
    ];
    let is_drawn = |x: u32, y: u32, layer: u32| match layer {
        0 => x < 8 && y < 8 || (40..48).contains(&x) && (40..48).contains(&y),
        1 => (2..6).contains(&x) && (10..16).contains(&y),
        _ => (30..38).contains(&x) && y < 8,
    };
    let rows = SurfaceLayout::Linear { pitch_bytes: SIDE * 4 };
    assert!(LAYER * LAYERS <= TARGET && window(0).bytes == TARGET);
    check(
        selecting(&rectangles, rows, LayerStep::Bytes(LAYER)),
        |x, y, layer| layer * LAYER + (y * SIDE + x) * 4,
        is_drawn,
    );
    let blocks = BlockLinear { size: [SIDE * 4, SIDE, LAYERS], log2_block: [0, 2, 1] };
    let slices = |slice| SurfaceLayout::BlockLinear { blocks, slice };
    check(
        selecting(&rectangles, slices(0), LayerStep::Slice),
        |x, y, layer| slices(layer).pixel_offset(x, y, 4),
        is_drawn,
    );
}

/// What programs select in layers that share bytes, or in one image for all layers, is drawn by the reference.
#[test]
fn layers_that_share_memory_are_drawn_in_order() {
    let rectangles =
        [([0.0, 0.0, 40.0, 40.0], [0, 1]), ([0.0, 0.0, 64.0, 64.0], [0, 0]), ([8.0, 8.0, 24.0, 24.0], [2, 2])];
    let rows = SurfaceLayout::Linear { pitch_bytes: SIDE * 4 };
    for (step, is_apart) in
        [(LayerStep::Bytes(LAYER), true), (LayerStep::Bytes(LAYER / 2), false), (LayerStep::Slice, false)]
    {
        let (memory, paths) = run(&[selecting(&rectangles, rows, step)]);
        assert!(paths.iter().all(|path| (*path == DrawPath::Host) != is_apart), "{step:?}: {paths:?}");
        // Inside of the second rectangle alone.
        assert_eq!(word(&memory, (50 * SIDE + 50) * 4), WHITE);
    }
}

/// A geometry program emits its triangle for each layer and the viewport of the same number.
#[test]
fn geometry_programs_select() {
    let vertex =
        |vertex: u32| copy(vertex).replace("    emit", "    mov b32 o[0x20] $r0\n    mov b32 o[0x24] $r0\n    emit");
    let triangle: String = (0..3).map(vertex).collect();
    let text: String =
        (0..LAYERS).map(|layer| format!("    mov b32 $r0 {layer:#x}\n{triangle}    restart\n")).collect();
    let rows = SurfaceLayout::Linear { pitch_bytes: SIDE * 4 };
    let draw = selecting(&[([0.0, 0.0, 32.0, 64.0], [0, 0])], rows, LayerStep::Bytes(LAYER));
    let mut draw = with_program(draw, &text, EmittedPrimitive::TriangleStrip, 3 * LAYERS);
    draw.geometry.as_mut().unwrap().outputs = OutputWord::in_place(12);
    let is_drawn = |x: u32, y: u32, layer: u32| match layer {
        0 => x < 32,
        _ => (2 * layer..2 * layer + 16).contains(&x) && y < 16,
    };
    check(draw, |x, y, layer| layer * LAYER + (y * SIDE + x) * 4, is_drawn);
}

/// A rectangle that may be empty, with odd sides.
fn part(random: &mut Random, of: Rect) -> Rect {
    let [x, y] = [of.width, of.height].map(|side| random.below(side.max(1)) / (1 + random.below(3)));
    let [width, height] = [of.width.saturating_sub(x), of.height.saturating_sub(y)].map(|side| random.below(side + 1));
    Rect { x: of.x + x, y: of.y + y, width, height }
}

/// Viewports that differ in all that viewports may differ in.
fn viewports(random: &mut Random, count: u32, all: Rect) -> Vec<SelectedViewport> {
    let number = |random: &mut Random, from: f32, to: f32| from + (to - from) * random.below(64) as f32 / 64.0;
    (0..count)
        .map(|_| {
            let surface = if random.below(3) == 0 { part(random, all) } else { all };
            let clip = if random.flag() { part(random, surface) } else { surface };
            SelectedViewport {
                scale: [0, 1, 2].map(|_| number(random, 0.25, 1.5).to_bits()),
                translate: [0, 1, 2].map(|axis| number(random, 0.0, if axis == 2 { 0.25 } else { 24.0 }).to_bits()),
                depth_range: [number(random, 0.0, 0.4), number(random, 0.5, 1.0)].map(f32::to_bits),
                surface,
                clip,
            }
        })
        .collect()
}

/// A draw with anything beside selection that set-up, rasterizer and output merger may have.
fn random_draw(random: &mut Random) -> Draw {
    let edge = |random: &mut Random| random.below(10 * SIDE) as f32 / 8.0 - 8.0;
    let count = 1 + random.below(14);
    let rectangles: Vec<_> = (0..count)
        .map(|_| {
            let edges = [0; 4].map(|_| edge(random));
            (edges, [random.below(18), random.below(LAYERS + 1)])
        })
        .collect();
    let in_rows = random.flag();
    let blocks = BlockLinear { size: [SIDE * 4, SIDE, LAYERS], log2_block: [0, 2, 1] };
    let (layout, step) = match in_rows {
        true => (SurfaceLayout::Linear { pitch_bytes: SIDE * 4 }, LayerStep::Bytes(LAYER)),
        false => (SurfaceLayout::BlockLinear { blocks, slice: 0 }, LayerStep::Slice),
    };
    let mut draw = selecting(&rectangles, layout, step);
    let Elements::Immediate(vertices) = &mut draw.elements else { unreachable!() };
    for attributes in vertices {
        attributes[2][2] = (random.below(64) as f32 / 48.0 - 0.1).to_bits();
        attributes[5] = [0; 4].map(|_| (random.below(256) as f32 / 255.0).to_bits());
    }
    draw.primitive =
        [PrimitiveType::Triangles, PrimitiveType::TriangleStrip, PrimitiveType::Lines, PrimitiveType::Points]
            [random.below(4) as usize];
    let has_viewports = random.below(4) != 0;
    let all = draw.raster.surface;
    let selection = draw.selection.as_mut().unwrap();
    selection.viewports = viewports(random, if has_viewports { 16 } else { 1 }, all);
    let SelectedViewport { scale, translate, depth_range: [depth_near, depth_far], .. } = selection.viewports[0];
    draw.viewport = ViewportState { scale, translate, depth_near, depth_far, ..draw.viewport };
    selection.viewport = selection.viewport.filter(|_| has_viewports);
    selection.layer = selection.layer.filter(|_| random.below(4) != 0);
    [draw.raster.surface, draw.raster.clip] = selection.reach();
    (draw.viewport.clips_depth, draw.viewport.clamps_depth) =
        [(true, false), (false, true), (false, false)][random.below(3) as usize];
    draw.raster.first_vertex_provokes = random.flag();
    draw.raster.point_size = (1.0 + random.below(40) as f32 / 4.0).to_bits();
    draw.raster.line_width_eighths = 8 + random.below(40);
    draw.raster.line_stipple = (random.below(3) == 0).then_some((1 + random.below(3), 0x3f19));
    if random.below(3) == 0 {
        draw.raster.polygon_mode = [PolygonMode::Line, PolygonMode::Fill];
    }
    if random.flag() {
        let zeta_layout = match in_rows {
            true => block_linear(),
            false => SurfaceLayout::BlockLinear { blocks, slice: 0 },
        };
        draw.targets.zeta =
            Some(ZetaTarget { window: window(2), layout: zeta_layout, format: ZetaFormat::Z24S8, is_float: false });
        let compare = [Compare::Always, Compare::Greater, Compare::GreaterEqual][random.below(3) as usize];
        draw.rop.depth_test = Some(DepthTest { compare, writes: true });
    }
    if random.below(3) == 0 {
        let blend = Blend { destination: [BlendFactor::One; 2], ..REPLACE };
        draw.rop.blend = [Some(blend); MAX_COLOR_TARGETS];
    }
    draw
}

#[test]
fn random_selections_are_the_same_on_both_engines() {
    for seed in 0..cases(12, 600) {
        let mut random = Random::new(0x5e1e ^ seed);
        let mut draws = vec![random_draw(&mut random)];
        if random.flag() {
            // A draw of the same state, which merges.
            let other = random_draw(&mut random);
            draws.push(Draw { elements: other.elements, ..draws[0].clone() });
        }
        memory(&draws);
    }
}
