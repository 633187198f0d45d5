//! Eight distances from planes, of vertices of SIMT programs: pixels by calculation, on both engines.

use super::simt::{COLOR, SIDE, copy_words, draw, memory, pixel, rectangle, stage};
use curie::pipeline::{
    AttributeWord, ClipPlane, Draw, Elements, MAX_CLIP_DISTANCES, OutputComponent, OutputWord, PolygonMode,
    PrimitiveType, SimtVertexStage, VertexStage,
};

/// A draw of vertices with these distances.
fn with_distances(
    vertices: &[([f32; 4], [f32; 4])],
    distances: impl Fn([f32; 4]) -> [f32; MAX_CLIP_DISTANCES],
    planes: [ClipPlane; MAX_CLIP_DISTANCES],
) -> Draw {
    let mut draw = draw(vertices, COLOR);
    let Elements::Immediate(attributes) = &mut draw.elements else { unreachable!() };
    for (attributes, (position, _)) in attributes.iter_mut().zip(vertices) {
        let [first, last] = [0, 4].map(|first| std::array::from_fn(|place| first + place));
        let distances = distances(*position);
        attributes[6] = first.map(|plane: usize| distances[plane].to_bits());
        attributes[7] = last.map(|plane: usize| distances[plane].to_bits());
    }
    let words = [2, 5, 6, 7]
        .into_iter()
        .flat_map(|attribute| (0..4).map(move |component| AttributeWord::Component { attribute, component }));
    let (stage, attributes) = (stage(&copy_words(16), &[]), words.collect());
    draw.vertex = VertexStage::Simt(SimtVertexStage {
        stage,
        attributes,
        outputs: OutputWord::in_place(16),
        textures: Vec::new(),
    });
    let output = |plane: usize| OutputComponent { slot: 2 + plane as u8 / 4, component: plane as u8 % 4 };
    draw.outputs.clip_distances = std::array::from_fn(|plane| Some(output(plane)));
    draw.viewport.clip_planes = planes;
    draw
}

fn drawn(memory: &[u8]) -> Vec<[u32; 2]> {
    let places = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| [x, y]));
    places.filter(|[x, y]| pixel(memory, 0, *x, *y) != [0; 4]).collect()
}

fn pixels(keeps: impl Fn(u32, u32) -> bool) -> Vec<[u32; 2]> {
    (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| [x, y])).filter(|[x, y]| keeps(*x, *y)).collect()
}

/// No center of a pixel is on a plane.
#[test]
fn eight_planes_clip() {
    let distances = |[x, y, ..]: [f32; 4]| {
        [x - 3.0, y - 5.0, 60.0 - x, 56.0 - y, x + y - 20.5, 90.5 - x - y, x - y + 30.5, 25.5 - x + y]
    };
    let all = rectangle([0.0, 0.0, 64.0, 64.0], 0.5, [1.0; 4]);
    let clipped = |planes| drawn(&memory(&[with_distances(&all, distances, planes)]));
    let kept = |x: u32, y: u32| distances([x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0]).map(|distance| distance > 0.0);
    let found = clipped([ClipPlane::KeepsNonNegative; MAX_CLIP_DISTANCES]);
    assert_eq!(found, pixels(|x, y| kept(x, y) == [true; MAX_CLIP_DISTANCES]));
    for plane in [6, 7] {
        let mut planes = [ClipPlane::Off; MAX_CLIP_DISTANCES];
        planes[plane] = ClipPlane::KeepsNonNegative;
        assert_eq!(clipped(planes), pixels(|x, y| kept(x, y)[plane]), "{plane}");
    }
}

/// Lines are culled by both ends, points by their own distance.
#[test]
fn planes_cull_lines_and_points() {
    let vertices = [[10.0, 10.5], [20.0, 10.5], [10.0, 20.5], [40.0, 20.5]].map(|[x, y]| ([x, y, 0.5, 1.0], [1.0; 4]));
    let distances = |[x, ..]: [f32; 4]| std::array::from_fn(|plane| if plane == 2 { x - 32.0 } else { -1.0 });
    let mut planes = [ClipPlane::Off; MAX_CLIP_DISTANCES];
    planes[2] = ClipPlane::CullsNegative;
    let of_kind = |primitive| drawn(&memory(&[Draw { primitive, ..with_distances(&vertices, distances, planes) }]));
    assert_eq!(of_kind(PrimitiveType::Lines), pixels(|x, y| y == 20 && (10..40).contains(&x)));
    assert_eq!(of_kind(PrimitiveType::Points).len(), 1);
}

/// A plane through column 32 culls what lies on its left side, and leaves what it cuts.
#[test]
fn planes_cull_whole_primitives() {
    let boxes = [[0.0, 0.0, 16.0, 64.0], [20.0, 0.0, 40.0, 64.0], [48.0, 0.0, 64.0, 64.0]];
    let vertices: Vec<_> = boxes.into_iter().flat_map(|edges| rectangle(edges, 0.5, [1.0; 4])).collect();
    for (plane, outside) in [(0, None), (7, None), (3, Some(f32::NAN))] {
        let distances = |[x, ..]: [f32; 4]| {
            let mut distances = [-1.0; MAX_CLIP_DISTANCES];
            distances[plane] = if x < 32.0 { outside.unwrap_or(x - 32.0) } else { 0.0 };
            distances
        };
        let mut planes = [ClipPlane::Off; MAX_CLIP_DISTANCES];
        planes[plane] = ClipPlane::CullsNegative;
        let culling = with_distances(&vertices, distances, planes);
        let outlines = |mut draw: Draw| {
            draw.raster.polygon_mode = [PolygonMode::Line; 2];
            draw
        };
        assert_eq!(
            drawn(&memory(std::slice::from_ref(&culling))),
            pixels(|x, _| (20..40).contains(&x) || x >= 48),
            "{plane}"
        );
        // The edges at the left of the second rectangle have only outer vertices.
        let whole = with_distances(&vertices[6..], distances, [ClipPlane::Off; MAX_CLIP_DISTANCES]);
        assert_eq!(memory(&[outlines(culling)]), memory(&[outlines(whole)]), "{plane}");
    }
}
