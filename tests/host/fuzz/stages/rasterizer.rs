//! The target of primitive setup and rasterizer: which pixels primitives cover.

use std::collections::BTreeSet;

use curie::command::methods::three_d::raster;
use curie::pipeline::front_end::assemble_primitives::assemble_primitives;
use curie::pipeline::front_end::raster_parameters::RasterParameters;
use curie::pipeline::primitive_setup::{PrimitiveSetup, RECORD_CLIPPED, RECORD_FRONT};
use curie::pipeline::{
    ClipPlane, Draw, MAX_CLIP_DISTANCES, PolygonMode, PrimitiveType, Rect, ShadedVertex, VertexOutputs, WindowClip,
};
use curie::reference::raster::count_rejects::count_rejects;
use curie::reference::raster::rasterize_tiles::rasterize_tiles;
use curie::reference::setup::set_up_primitives::set_up_primitives;

use super::StageInput;
use crate::common::random::Random;

/// Pixels along a side of the surface, so that an input takes little time.
const SIDE: u32 = 64;

const PRIMITIVES: [PrimitiveType; 10] = [
    PrimitiveType::Points,
    PrimitiveType::Lines,
    PrimitiveType::LineLoop,
    PrimitiveType::LineStrip,
    PrimitiveType::Triangles,
    PrimitiveType::TriangleStrip,
    PrimitiveType::TriangleFan,
    PrimitiveType::Quads,
    PrimitiveType::QuadStrip,
    PrimitiveType::Polygon,
];

/// A covered sample: primitive, column, row, sample.
type Sample = (u32, u32, u32, u32);

/// Any vertices under any state of setup and rasterizer. Quads lie inside the scissor and the window clips and come once,
/// in order, whatever the tiles; what is clipped away and what remains add up; neighbors share no sample.
pub fn rasterizer(input: &[u8]) -> bool {
    let StageInput { draws, mut random, .. } = StageInput::new(input, &[raster::TABLE]);
    let Some(mut draw) = draws.into_iter().next() else { return false };
    let surface = Rect { x: 0, y: 0, width: SIDE, height: SIDE };
    draw.raster.surface = draw.raster.surface.intersection(surface);
    draw.raster.clip = draw.raster.clip.intersection(draw.raster.surface);
    draw.primitive = random.pick(&PRIMITIVES);
    draw.raster.edge_flag_changes = (0..random.below(3)).scan(0, |last, _| Some(*last + 1 + random.below(4))).collect();
    let vertices: Vec<_> = (0..3 + random.below(10)).map(|_| vertex(&mut random)).collect();
    check_quads(&draw, &vertices, 2 << random.below(6));
    check_window_clips(&draw, &vertices);
    check_clip_planes(&draw, &vertices);
    check_rejects(&draw, &vertices);
    check_neighbors(draw, &mut random);
    true
}

/// A position near the view, sometimes far away or any bits; the other outputs are small numbers or any bits.
fn vertex(random: &mut Random) -> ShadedVertex {
    let is_wild = random.below(8) == 0;
    let mut value = |scale: f32| match random.below(32) {
        0 => random.word(),
        1 => random.pick(&[0.0, -0.0, 1.0, -1.0, 1e9, -1e9, 1e-40, f32::NAN, f32::INFINITY]).to_bits(),
        _ if is_wild => random.word(),
        _ => ((random.below(1 << 12) as f32 / 1024.0 - 1.75) * scale).to_bits(),
    };
    let mut outputs: Vec<[u32; 4]> = (0..16).map(|_| std::array::from_fn(|_| value(1.0))).collect();
    outputs[0][3] = if value(1.0) & 4 == 0 { 1.0f32.to_bits() } else { value(2.0) };
    ShadedVertex { outputs }
}

fn set_up(draw: &Draw, parameters: &RasterParameters<'_>, vertices: &[ShadedVertex]) -> Vec<PrimitiveSetup> {
    let elements: Vec<u32> = (0..).take(vertices.len()).collect();
    let primitives = assemble_primitives(draw.primitive, &elements, &draw.raster);
    let setups = set_up_primitives(parameters, vertices, &primitives);
    assert_eq!(setups.len(), primitives.len());
    setups
}

/// The samples that a draw covers, each once.
fn samples(draw: &Draw, parameters: &RasterParameters<'_>, vertices: &[ShadedVertex], tile: u32) -> BTreeSet<Sample> {
    let setups = set_up(draw, parameters, vertices);
    let mut samples = BTreeSet::new();
    for tile in rasterize_tiles(parameters, vertices, &setups, tile) {
        for quad in tile.quads {
            for bit in (0..16).filter(|bit| quad.coverage >> bit & 1 != 0) {
                let sample = (quad.record, quad.x + bit % 2, quad.y + bit / 2 % 2, bit / 4);
                assert!(samples.insert(sample), "{sample:?} twice");
            }
        }
    }
    samples
}

/// Quads are in the tile, the scissor and the window clips, in submission order, and the same for another tile size.
fn check_quads(draw: &Draw, vertices: &[ShadedVertex], tile_size: u32) {
    let parameters = RasterParameters::new(draw);
    let setups = set_up(draw, &parameters, vertices);
    for tile in rasterize_tiles(&parameters, vertices, &setups, tile_size) {
        assert!(tile.quads.is_sorted_by(|a, b| (a.record, a.y, a.x) < (b.record, b.y, b.x)), "{tile:?}");
        for quad in tile.quads {
            assert!(quad.coverage != 0 && quad.x % 2 == 0 && quad.y % 2 == 0, "{quad:?}");
            assert!((quad.x - tile.x).max(quad.y - tile.y) < tile_size, "{quad:?}");
            assert!(setups[quad.record as usize].is_valid(), "{quad:?}");
        }
    }
    let samples = samples(draw, &parameters, vertices, SIDE);
    for &(primitive, x, y, sample) in &samples {
        assert!(draw.raster.clip.contains(x, y), "{x} {y}");
        assert!(draw.raster.window_clip.as_ref().is_none_or(|clip| clip.keeps(x, y)), "{x} {y}");
        assert!(sample < draw.raster.samples.count());
        // Interpolation drops pixels beyond the depth range, where clipping cut, and those of smooth polygons that are covered
        // by 0: softened edges meet far outside an acute corner.
        let setup = &setups[primitive as usize];
        let [[x0, y0], [x1, y1]] = setup.bounds();
        let is_inside = (x0..=x1).contains(&x) && (y0..=y1).contains(&y);
        let may_reach_beyond = setup.has(RECORD_CLIPPED) || parameters.has_smooth_polygons;
        assert!(is_inside || may_reach_beyond, "{x} {y} of {setup:?}");
    }
    assert_eq!(self::samples(draw, &parameters, vertices, tile_size), samples);
}

/// The samples inside the window clips and those outside are all samples.
fn check_window_clips(draw: &Draw, vertices: &[ShadedVertex]) {
    let rects = draw.raster.window_clip.as_ref().map_or_else(
        || [0, 1, 2, 3, 4, 5, 6, 7].map(|index| Rect { x: 5 * index, y: 3, width: 7, height: 4 * index }),
        |clip| clip.rects,
    );
    let covered = |window_clip| {
        let mut draw = draw.clone();
        draw.raster.window_clip = window_clip;
        samples(&draw, &RasterParameters::new(&draw), vertices, SIDE)
    };
    let inside = covered(Some(WindowClip { rects, is_exclusive: false }));
    let outside = covered(Some(WindowClip { rects, is_exclusive: true }));
    assert!(inside.is_disjoint(&outside));
    assert_eq!(&inside | &outside, covered(None));
}

/// The two modes of a user clip plane share no sample, and add none.
fn check_clip_planes(draw: &Draw, vertices: &[ShadedVertex]) {
    let covered = |plane| {
        let mut draw = draw.clone();
        draw.outputs.clip_distances = VertexOutputs::ALL.clip_distances;
        draw.viewport.clip_planes = [ClipPlane::Off; MAX_CLIP_DISTANCES];
        draw.viewport.clip_planes[0] = plane;
        samples(&draw, &RasterParameters::new(&draw), vertices, SIDE)
    };
    let [negative, rest] = [ClipPlane::KeepsNegative, ClipPlane::KeepsNonNegative].map(covered);
    assert!(negative.is_disjoint(&rest));
    assert!((&negative | &rest).is_subset(&covered(ClipPlane::Off)));
}

/// Without scissor and window clips, the same pixels are covered inside them, and the others count as rejected. Clipped and
/// smooth primitives may cover pixels beyond their bounds, in quads that the scissor can remove.
fn check_rejects(draw: &Draw, vertices: &[ShadedVertex]) {
    let parameters = RasterParameters::new(draw);
    if parameters.has_smooth_polygons {
        return;
    }
    let Some(surface) = RasterParameters::over_surface(draw) else { return };
    let mut setups = set_up(draw, &surface, vertices);
    let is_whole: Vec<_> = setups.iter().map(|setup| !setup.has(RECORD_CLIPPED)).collect();
    let pixels = |parameters: &RasterParameters<'_>| -> BTreeSet<_> {
        let samples = samples(draw, parameters, vertices, SIDE).into_iter();
        samples.filter(|sample| is_whole[sample.0 as usize]).map(|(primitive, x, y, _)| (primitive, x, y)).collect()
    };
    let is_kept = |&(_, x, y): &(u32, u32, u32)| {
        draw.raster.clip.contains(x, y) && draw.raster.window_clip.as_ref().is_none_or(|clip| clip.keeps(x, y))
    };
    let (kept, rejected): (BTreeSet<_>, BTreeSet<_>) = pixels(&surface).into_iter().partition(is_kept);
    let found = pixels(&parameters);
    let changed: Vec<_> = found.symmetric_difference(&kept).collect();
    assert!(changed.is_empty(), "{changed:?} {:?} {:?} {vertices:x?}", draw.raster, draw.viewport);
    setups.retain(|setup| !setup.has(RECORD_CLIPPED));
    let rejects = count_rejects(&parameters, &surface, vertices, &setups);
    assert_eq!(rejects.scissor + rejects.window_clip, rejected.len() as u64);
}

/// Two triangles on both sides of an edge cover no sample twice.
fn check_neighbors(mut draw: Draw, random: &mut Random) {
    draw.primitive = PrimitiveType::Triangles;
    draw.raster.polygon_mode = [PolygonMode::Fill; 2];
    (draw.raster.cull, draw.raster.polygon_smooth) = (None, false);
    let [a, b, c, d] = std::array::from_fn(|_| vertex(random));
    let vertices = [a.clone(), b.clone(), c, b, a, d];
    let parameters = RasterParameters::new(&draw);
    let setups = set_up(&draw, &parameters, &vertices);
    let [first, second] = [&setups[0], &setups[1]];
    // Of triangles that run along the edge in opposite directions, those with the same winding lie on both sides.
    let are_neighbors = first.is_valid()
        && second.is_valid()
        && first.has(RECORD_FRONT) == second.has(RECORD_FRONT)
        && !first.has(RECORD_CLIPPED)
        && !second.has(RECORD_CLIPPED);
    if are_neighbors {
        let samples = samples(&draw, &parameters, &vertices, SIDE);
        let places: BTreeSet<_> = samples.iter().map(|&(_, x, y, sample)| (x, y, sample)).collect();
        assert_eq!(places.len(), samples.len(), "a sample belongs to both triangles");
    }
}
