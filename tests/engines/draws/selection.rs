//! Viewports and layers that a program selects: pixels by calculation, on both engines.

use super::simt::{COLOR, SIDE, TARGET, copy_words, draw, linear, rectangle, run, stage, window, word};
use curie::kernels::DrawPath;
use curie::memory::block_linear::BlockLinear;
use curie::pipeline::{
    AttributeWord, ColorTarget, Draw, Elements, LayerStep, MAX_COLOR_TARGETS, OutputComponent, OutputWord,
    PrimitiveSelection, Rect, SelectedViewport, SimtVertexStage, SurfaceLayout, VertexStage, ViewportState,
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
    let (memory, paths) = run(&[draw]);
    assert!(paths.iter().all(|path| *path == DrawPath::Host), "{paths:?}");
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
