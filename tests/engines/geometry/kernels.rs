//! The kernels produce the reference's primitive setups, quads and interpolants, bit for bit.

use std::fmt::Write;

use curie::gpu::Gpu;
use curie::kernels::geometry::{Assembled, GeometryOptions, GeometryStage, PrimitiveList};
use curie::pipeline::front_end::assemble_primitives::{KIND_TRIANGLE, assemble_primitives};
use curie::pipeline::front_end::raster_parameters::RasterParameters;
use curie::pipeline::primitive_setup::{PrimitiveSetup, RECORD_CLIPPED};
use curie::pipeline::{
    ClipPlane, CullFace, Draw, Fog, FogCurve, OutputComponent, PixelCenter, PointSprite, PolygonMode, PrimitiveType,
    Rect, SpriteR, VertexOutputs, WindowClip, WindowOrigin, WindowPosition,
};
use curie::pipeline::{QuadInputs, ShadedVertex, VEC4_INPUTS};
use curie::recompiler::tiles::key::TileWork;
use curie::recompiler::vertex::{output_place, output_vectors};
use curie::reference::interp::interpolate::interpolate;
use curie::reference::raster::rasterize_tiles::rasterize_tiles;
use curie::reference::setup::set_up_primitives::set_up_primitives;

use super::scene::{Random, plain_draw, vertex};
use crate::common;

/// Number of vec4u that the kernel below writes for a quad.
const DUMP: usize = 59;

/// A kernel that writes every input of every quad.
fn dump_source() -> String {
    let mut source = String::from(
        "import package::arith::optimization_barrier::set_opaque_zero;
        import package::fragment::quad::QuadVector;
        import package::raster::parameters::{load_raster, raster};
        import package::raster::listed_quads::{load_quad, quads};
        import package::interp::interpolate::{quad_coverage, quad_position_word, quad_is_front, quad_depth};
        import package::interp::interpolate::quad_alpha_coverage;
        import package::raster::parameters::{LINE_SMOOTH, POLYGON_SMOOTH};
        import package::interp::interpolate::{input_window_position, input_color0, input_color1, input_fog};
        import package::interp::cylindrical_wrap::input_wrapped_texcoord;
        @group(0) @binding(13) var<storage, read_write> shaded: array<vec4u>;
        const IS_FAST_PATH: bool = false;
        fn dump(place: u32, value: QuadVector) {
            shaded[place] = value.x;
            shaded[place + 1u] = value.y;
            shaded[place + 2u] = value.z;
            shaded[place + 3u] = value.w;
        }
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            load_raster();
            set_opaque_zero(raster.zero);
            load_quad(id.x);
            let place = id.x * 59u;
            var shares = vec4u(0u);
            var coverage = quad_coverage();
            if (raster.flags & (LINE_SMOOTH | POLYGON_SMOOTH)) != 0u {
                shares = quad_alpha_coverage();
                coverage &= dot(select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), shares != vec4u(0u)), vec4u(1u));
            }
            shaded[place + 58u] = shares;
            shaded[place] = quad_depth();
            shaded[place + 1u] = vec4u(coverage, quad_position_word(), u32(quad_is_front()), quads[id.x].x);
            dump(place + 2u, input_window_position());
            dump(place + 6u, input_color0());
            dump(place + 10u, input_color1());
            dump(place + 14u, input_fog());
        ",
    );
    for index in 0..10 {
        writeln!(source, "dump(place + {}u, input_wrapped_texcoord({index}u));", 18 + 4 * index).unwrap();
    }
    source.push('}');
    source
}

/// The device's data after one round.
struct Round {
    tiles: wgpu::Buffer,
    shaded: wgpu::Buffer,
    records: wgpu::Buffer,
    first_tile: u32,
    tile_count: u32,
}

fn words(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u32> {
    let mut words = vec![0u32; (buffer.size() / 4) as usize];
    gpu.download(buffer, 0, bytemuck::cast_slice_mut(&mut words)).unwrap();
    words
}

fn inputs(dump: &[u32], has_alpha_coverage: bool) -> QuadInputs {
    let vector = |place: usize| -> [[u32; 4]; 4] {
        std::array::from_fn(|pixel| std::array::from_fn(|component| dump[(place + component) * 4 + pixel]))
    };
    QuadInputs {
        x: dump[5] & 0xffff,
        y: dump[5] >> 16,
        coverage: dump[4] as u8,
        samples: None,
        alpha_coverage: has_alpha_coverage.then(|| std::array::from_fn(|pixel| dump[58 * 4 + pixel])),
        is_front_facing: dump[6] != 0,
        depth: [dump[0], dump[1], dump[2], dump[3]],
        slots: (0..VEC4_INPUTS).map(|slot| vector(2 + 4 * slot)).collect(),
    }
}

/// The quads of every tile according to the kernels, and the primitive setups of the first batch.
fn run(
    gpu: &Gpu,
    draw: &Draw,
    vertices: &[ShadedVertex],
    elements: &[u32],
    options: GeometryOptions,
) -> (Vec<Vec<QuadInputs>>, Vec<PrimitiveSetup>) {
    let primitives = assemble_primitives(draw.primitive, elements, &draw.raster);
    let has_alpha_coverage = draw.has_alpha_coverage();
    let mut outputs = vec![[0u32; 4]; output_vectors(vertices.len())];
    for (index, vertex) in vertices.iter().enumerate() {
        (0..16).for_each(|number| outputs[output_place(index, number)] = vertex.outputs[number]);
    }
    let buffer = gpu.buffer("vertices", outputs.len() as u64 * 16).unwrap();
    gpu.upload(&buffer, 0, bytemuck::cast_slice(&outputs));
    let dump = gpu.kernel("dump_inputs", &dump_source()).unwrap();
    let mut rounds = Vec::new();
    let mut recording = gpu.record();
    let mut stage = GeometryStage::new(options);
    let vertex_count = vertices.len() as u32;
    let primitives = PrimitiveList::Host { list: &primitives, numbers: &[], cached: None };
    let assembled = Assembled { vertices: &buffer, vertex_count, primitives, counted: None };
    let copy = |recording: &mut curie::gpu::Recording, source: &wgpu::Buffer| {
        let copy = gpu.buffer("copy", source.size()).unwrap();
        recording.copy((source, 0), (&copy, 0), source.size());
        copy
    };
    stage
        .draw(gpu, &mut recording, draw, &assembled, &mut |recording, lists| {
            let shaded = gpu.buffer("shaded", u64::from(lists.max_quads) * DUMP as u64 * 16)?;
            let bindings = [
                (4, (&buffer).into()),
                (6, lists.parameters),
                (7, lists.setups.into()),
                (10, lists.quads.into()),
                (13, (&shaded).into()),
            ];
            recording.dispatch_indirect(&dump, &bindings, lists.groups, 0);
            rounds.push(Round {
                tiles: copy(recording, lists.tiles),
                records: copy(recording, lists.setups),
                shaded,
                first_tile: lists.first_tile,
                tile_count: lists.tile_count,
            });
            Ok(())
        })
        .unwrap();
    gpu.submit(recording).unwrap();
    let mut found: Vec<Vec<QuadInputs>> = Vec::new();
    let mut records = Vec::new();
    for (index, round) in rounds.iter().enumerate() {
        let (tiles, shaded) = (words(gpu, &round.tiles), words(gpu, &round.shaded));
        if index == 0 {
            let words = words(gpu, &round.records);
            let whole = words.len() / 56 * 56;
            records = bytemuck::cast_slice(&words[..whole]).to_vec();
        }
        for tile in round.first_tile as usize..(round.first_tile + round.tile_count) as usize {
            if found.len() <= tile {
                found.resize(tile + 1, Vec::new());
            }
            let (first, count) = (tiles[2 * tile] as usize, tiles[2 * tile + 1] as usize);
            let dumps = (first..first + count).map(|quad| &shaded[quad * DUMP * 4..][..DUMP * 4]);
            found[tile].extend(dumps.map(|dump| inputs(dump, has_alpha_coverage)));
        }
    }
    (found, records)
}

/// The part of a primitive setup that later stages read: without weights if nothing was clipped, without a triangle's span.
fn read_part(record: &PrimitiveSetup, has_smooth_polygons: bool) -> PrimitiveSetup {
    let shares = if record.has(RECORD_CLIPPED) { record.shares } else { Default::default() };
    let is_triangle = record.kind() == KIND_TRIANGLE;
    let span = if is_triangle && !has_smooth_polygons { [0; 4] } else { record.span };
    PrimitiveSetup { shares, span, ..*record }
}

/// Compares a draw on both engines; returns how many quads it has.
pub(crate) fn compare(
    gpu: &Gpu,
    what: &str,
    draw: &Draw,
    vertices: &[ShadedVertex],
    options: GeometryOptions,
) -> usize {
    let elements: Vec<u32> = (0..vertices.len() as u32).collect();
    let primitives = assemble_primitives(draw.primitive, &elements, &draw.raster);
    let parameters = RasterParameters::new(draw);
    let expected_records = set_up_primitives(&parameters, vertices, &primitives);
    let expected: Vec<Vec<QuadInputs>> = rasterize_tiles(&parameters, vertices, &expected_records, options.tile_size)
        .iter()
        .map(|tile| {
            let record = |quad: u32| &expected_records[quad as usize];
            tile.quads.iter().map(|quad| interpolate(&parameters, vertices, record(quad.record), *quad)).collect()
        })
        .collect();
    let (found, records) = run(gpu, draw, vertices, &elements, options);
    let is_one_batch = primitives.len() <= options.batch_primitives as usize && options.max_loop_iterations.is_none();
    if is_one_batch && options.quad_capacity > 10_000 {
        let pairs = records.iter().zip(&expected_records).enumerate();
        for (index, (found, expected)) in pairs.filter(|(_, (_, expected))| expected.is_valid()) {
            let [found, expected] = [found, expected].map(|record| read_part(record, parameters.has_smooth_polygons));
            assert_eq!(found, expected, "{what}: record {index} of {:?}", primitives[index]);
        }
    }
    check_quads(what, found, &expected);
    expected.iter().map(Vec::len).sum()
}

/// Fails if the quads of a tile differ.
fn check_quads(what: &str, mut found: Vec<Vec<QuadInputs>>, expected: &[Vec<QuadInputs>]) {
    found.resize(found.len().max(expected.len()), Vec::new());
    for (tile, found) in found.iter().enumerate() {
        let expected = expected.get(tile).map_or(&[][..], Vec::as_slice);
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert_eq!(found, expected, "{what}: quad {index} of tile {tile}");
        }
        assert_eq!(found.len(), expected.len(), "{what}: quads of tile {tile}");
    }
}

pub(crate) const SMALL: GeometryOptions = GeometryOptions {
    tile_size: 16,
    batch_primitives: 4096,
    quad_capacity: 1 << 17,
    least_culled: 0,
    run_triangles: None,
    large_tiles: None,
    max_loop_iterations: None,
    tile_work: TileWork::Invocation,
};

/// Random vertices in front of, across and behind the eye.
pub(crate) fn perspective(random: &mut Random, count: u32, spread: f32) -> Vec<ShadedVertex> {
    (0..count)
        .map(|_| {
            let w = random.float(-0.5, 2.0);
            let position = [random.float(-spread, spread), random.float(-spread, spread), random.float(-1.5, 1.5), w];
            let mut vertex = vertex(position);
            for output in &mut vertex.outputs[1..] {
                *output = std::array::from_fn(|_| random.float(-1.0, 2.0).to_bits());
            }
            vertex
        })
        .collect()
}

pub(crate) fn flat_positions(random: &mut Random, count: u32) -> Vec<ShadedVertex> {
    (0..count)
        .map(|_| vertex([random.float(-20.0, 90.0), random.float(-20.0, 90.0), random.float(-0.2, 1.2), 1.0]))
        .collect()
}

pub(crate) fn perspective_draw(primitive: PrimitiveType) -> Draw {
    let mut draw = plain_draw();
    draw.primitive = primitive;
    draw.viewport.scale = [32.0f32.to_bits(), (-32.0f32).to_bits(), 0.5f32.to_bits()];
    draw.viewport.translate = [32.0f32.to_bits(), 32.0f32.to_bits(), 0.5f32.to_bits()];
    draw
}

#[test]
fn flat_triangles_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random(1);
    let mut draw = plain_draw();
    for tile_size in [8, 16, 32] {
        let vertices = flat_positions(&mut random, 90);
        let options = GeometryOptions { tile_size, ..SMALL };
        assert!(compare(&gpu, &format!("tiles of {tile_size}"), &draw, &vertices, options) > 1000);
    }
    draw.raster.clip = Rect { x: 13, y: 7, width: 31, height: 22 };
    draw.raster.is_flat = true;
    draw.raster.cull = Some(CullFace::Back);
    assert!(compare(&gpu, "small clip", &draw, &flat_positions(&mut random, 90), SMALL) > 100);
    draw.raster.clip = Rect { x: 0, y: 0, width: 4096, height: 4096 };
    draw.raster.clip.width = 300;
    draw.raster.clip.height = 170;
    assert!(compare(&gpu, "large clip", &draw, &flat_positions(&mut random, 30), SMALL) > 100);
}

#[test]
fn culling_before_set_up_does_not_matter() {
    let Some(gpu) = common::gpu() else { return };
    for (least_culled, run_triangles) in [(0, Some(1)), (0, Some(32)), (u32::MAX, None)] {
        let options = GeometryOptions { least_culled, run_triangles, ..SMALL };
        let mut draw = perspective_draw(PrimitiveType::Triangles);
        let what = format!("{run_triangles:?} triangles a run from {least_culled} on");
        assert!(compare(&gpu, &what, &draw, &perspective(&mut Random(21), 300, 3.0), options) > 1000);
        draw.raster.cull = Some(CullFace::Front);
        draw.raster.offset_enabled = [true; 3];
        draw.raster.offset_factor = 2.0f32.to_bits();
        let options = GeometryOptions { batch_primitives: 45, ..options };
        assert!(compare(&gpu, &what, &draw, &perspective(&mut Random(22), 300, 30.0), options) > 100);
    }
}

#[test]
fn runs_of_triangles_out_of_view_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random(23);
    // Sixteen triangles each in view, left of it, behind the far plane, and left or right of it; then an unbounded run.
    let spans = [(-1.2, 1.2, 0.0), (-9.0, -2.0, 0.0), (-1.0, 1.0, 4.0), (-9.0, 9.0, 0.0)];
    let pieces = [0, 0, 1, 1, 1, 1, 2, 2, 2, 1, 3, 3, 1, 0, 2, 2, 1, 1, 1, 0];
    let mut vertices = Vec::new();
    for piece in pieces {
        let (low, high, depth) = spans[piece];
        for _ in 0..48 {
            let x = random.float(low, high);
            let x = if piece == 3 && x.abs() < 2.0 { 5.0 } else { x };
            vertices.push(vertex([x, random.float(-1.2, 1.2), depth + random.float(-0.9, 0.9), 1.0]));
        }
    }
    vertices.truncate(vertices.len() - 5 * 3);
    for run_triangles in [1, 32] {
        let options = GeometryOptions { run_triangles: Some(run_triangles), ..SMALL };
        let draw = perspective_draw(PrimitiveType::Triangles);
        let what = format!("{run_triangles} triangles a run");
        assert!(compare(&gpu, &what, &draw, &vertices, options) > 1000);
        let options = GeometryOptions { batch_primitives: 64, ..options };
        assert!(compare(&gpu, &what, &draw, &vertices, options) > 1000);
    }
}

#[test]
fn clipped_triangles_agree() {
    let Some(gpu) = common::gpu() else { return };
    for (seed, spread) in [(1, 2.0), (2, 20.0), (3, 3000.0), (4, 1e9)] {
        let vertices = perspective(&mut Random(seed), 150, spread);
        let mut draw = perspective_draw(PrimitiveType::Triangles);
        draw.raster.two_sided_color = true;
        draw.viewport.clamps_depth = seed % 2 == 0;
        compare(&gpu, &format!("spread {spread}"), &draw, &vertices, SMALL);
        draw.viewport.clips_depth = false;
        draw.raster.offset_enabled = [true; 3];
        draw.raster.offset_factor = 1.5f32.to_bits();
        draw.raster.offset_units = 4.0f32.to_bits();
        for limit in [0.0f32, 1.0e-3, -0.25] {
            draw.raster.offset_limit = limit.to_bits();
            compare(&gpu, &format!("spread {spread}, no depth clip, limit {limit}"), &draw, &vertices, SMALL);
        }
    }
}

#[test]
fn batches_and_rounds_do_not_matter() {
    let Some(gpu) = common::gpu() else { return };
    let vertices = flat_positions(&mut Random(5), 180);
    let mut draw = plain_draw();
    for (batch_primitives, quad_capacity) in [(1, 1 << 17), (7, 1 << 17), (4096, 256), (4096, 1500), (33, 3000)] {
        let options = GeometryOptions { batch_primitives, quad_capacity, ..SMALL };
        compare(&gpu, &format!("{options:?}"), &draw, &vertices, options);
    }
    draw.primitive = PrimitiveType::LineStrip;
    draw.raster.line_stipple = Some((3, 0x35f1));
    draw.raster.line_width_eighths = 40;
    for (batch_primitives, quad_capacity) in [(7, 1 << 17), (4096, 256)] {
        let options = GeometryOptions { batch_primitives, quad_capacity, ..SMALL };
        compare(&gpu, &format!("stipple, {options:?}"), &draw, &vertices, options);
    }
}

#[test]
fn lines_and_points_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random(6);
    for (width, smooth) in [(8, false), (29, false), (21, true)] {
        let mut draw = perspective_draw(PrimitiveType::Lines);
        draw.raster.line_width_eighths = width;
        draw.raster.line_smooth = smooth;
        for stipple in [None, Some((2, 0xf0f0)), Some((1, 0x5b35))] {
            draw.raster.line_stipple = stipple;
            for spread in [2.0, 5000.0] {
                let what = format!("lines of {width}, {stipple:x?}");
                compare(&gpu, &what, &draw, &perspective(&mut random, 120, spread), SMALL);
            }
        }
    }
    let mut draw = perspective_draw(PrimitiveType::LineStrip);
    draw.raster.clip = Rect { x: 20, y: 20, width: 20, height: 20 };
    draw.raster.line_stipple = Some((1, 0x5b35));
    compare(&gpu, "stippled lines outside the scissor", &draw, &perspective(&mut random, 120, 2.0), SMALL);
    // Ends on the centers, corners and edges of diamonds.
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Lines;
    let mut quarter = || random.below(256) as f32 / 4.0;
    let vertices: Vec<_> = (0..400).map(|_| vertex([quarter(), quarter(), 0.5, 1.0])).collect();
    compare(&gpu, "lines between quarters of pixels", &draw, &vertices, SMALL);
    let mut draw = perspective_draw(PrimitiveType::Quads);
    draw.raster.line_smooth = true;
    draw.raster.polygon_mode = [PolygonMode::Line, PolygonMode::Fill];
    draw.raster.line_stipple = Some((3, 0x35f1));
    compare(&gpu, "smooth outlines beside fills", &draw, &perspective(&mut random, 80, 2.0), SMALL);
    let mut draw = perspective_draw(PrimitiveType::Points);
    draw.raster.point_size = 5.3f32.to_bits();
    compare(&gpu, "points", &draw, &perspective(&mut random, 60, 2.0), SMALL);
    for r in [SpriteR::Zero, SpriteR::R, SpriteR::S] {
        draw.raster.point_sprite = PointSprite { enabled: true, r, replaced: 0x105 };
        draw.raster.flat_2d_coordinates = 0x204;
        compare(&gpu, "sprites", &draw, &perspective(&mut random, 60, 2.0), SMALL);
    }
    draw.outputs.point_size = VertexOutputs::ALL.point_size;
    let mut vertices = perspective(&mut random, 60, 2.0);
    for vertex in &mut vertices {
        vertex.outputs[6][0] = random.float(-3.0, 30.0).to_bits();
    }
    compare(&gpu, "program sizes", &draw, &vertices, SMALL);
}

#[test]
fn modes_and_per_pixel_tests_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random(7);
    let mut draw = perspective_draw(PrimitiveType::Quads);
    draw.raster.polygon_mode = [PolygonMode::Line, PolygonMode::Point];
    draw.raster.point_size = 6.0f32.to_bits();
    draw.raster.two_sided_color = true;
    draw.raster.offset_enabled = [true; 3];
    draw.raster.offset_factor = (-0.5f32).to_bits();
    compare(&gpu, "outlines", &draw, &perspective(&mut random, 80, 2.0), SMALL);
    draw.raster.polygon_mode = [PolygonMode::Fill, PolygonMode::Line];
    compare(&gpu, "one face outlined", &draw, &perspective(&mut random, 80, 2.0), SMALL);
    draw.raster.polygon_mode = [PolygonMode::Fill; 2];
    draw.raster.polygon_stipple = Some(Box::new(std::array::from_fn(|_| random.bits())));
    let rects = std::array::from_fn(|i| Rect { x: 7 * i as u32, y: 5 * i as u32, width: 9, height: 8 });
    draw.raster.window_clip = Some(WindowClip { rects, is_exclusive: false });
    compare(&gpu, "stipple and window clip", &draw, &perspective(&mut random, 80, 2.0), SMALL);
    draw.raster.window_clip = Some(WindowClip { rects, is_exclusive: true });
    let (off, negative, rest) = (ClipPlane::Off, ClipPlane::KeepsNegative, ClipPlane::KeepsNonNegative);
    draw.viewport.clip_planes = [rest, off, negative, off, rest, rest, off, off];
    compare(&gpu, "user planes", &draw, &perspective(&mut random, 80, 2.0), SMALL);
}

/// Random results, each from any output register.
fn random_outputs(random: &mut Random) -> VertexOutputs {
    let mut register = || {
        let bits = random.bits().to_le_bytes();
        (bits[3] & 1 != 0).then_some((bits[0] & 15, bits[1] & 3))
    };
    let mut component = || register().map(|(register, component)| OutputComponent { slot: register, component });
    let (fog, point_size) = (component(), component());
    let clip_distances = std::array::from_fn(|_| component());
    let mut whole = || register().map(|(register, _)| register);
    let colors = std::array::from_fn(|_| whole());
    VertexOutputs { colors, fog, point_size, clip_distances, texture_coordinates: std::array::from_fn(|_| whole()) }
}

#[test]
fn routing_fog_and_conventions_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random(8);
    let vertices = perspective(&mut random, 30, 2.0);
    let origins = [WindowOrigin::LowerLeft, WindowOrigin::LowerLeft, WindowOrigin::UpperLeft, WindowOrigin::UpperLeft];
    let centers = [PixelCenter::Half, PixelCenter::Integer, PixelCenter::Integer, PixelCenter::Half];
    let curves = [FogCurve::Linear, FogCurve::Exponential, FogCurve::ExponentialSquared];
    for (index, (curve, takes_magnitude)) in
        curves.into_iter().flat_map(|curve| [(curve, false), (curve, true)]).enumerate()
    {
        let mut draw = perspective_draw(PrimitiveType::Triangles);
        draw.interpolation.fog = Fog { curve, takes_magnitude, ..draw.interpolation.fog };
        draw.interpolation.window_position =
            WindowPosition { origin: origins[index % 4], height: 64, pixel_center: centers[index % 4] };
        draw.outputs = random_outputs(&mut random);
        draw.viewport.window_offset = [random.below(9) as i32 - 4, random.below(9) as i32 - 4];
        compare(&gpu, &format!("fog {curve:?}, magnitude {takes_magnitude}"), &draw, &vertices, SMALL);
    }
}

#[test]
fn window_positions_and_any_bits_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random(9);
    let mut draw = plain_draw();
    draw.viewport.skips_transform = true;
    compare(&gpu, "window positions", &draw, &flat_positions(&mut random, 60), SMALL);
    draw.viewport.window_offset = [5, -3];
    compare(&gpu, "moved window positions", &draw, &flat_positions(&mut random, 60), SMALL);
    for primitive in [PrimitiveType::Triangles, PrimitiveType::Lines, PrimitiveType::Points] {
        let mut draw = perspective_draw(primitive);
        draw.outputs.point_size = VertexOutputs::ALL.point_size;
        draw.raster.line_stipple = Some((1, 0xaaaa));
        draw.viewport.clips_depth = false;
        let mut vertices = perspective(&mut random, 300, 2.0);
        for vertex in &mut vertices {
            if random.below(2) == 0 {
                vertex.outputs = (0..16).map(|_| std::array::from_fn(|_| random.bits())).collect();
            } else if random.below(8) == 0 {
                vertex.outputs[0][random.below(4) as usize] =
                    [0x7fc0_0000, 0x7f80_0000, 1, 0][random.below(4) as usize];
            }
        }
        compare(&gpu, &format!("any bits, {primitive:?}"), &draw, &vertices, SMALL);
    }
}

#[test]
#[should_panic(expected = "planted: quad 0 of tile")]
fn a_planted_difference_is_found() {
    let Some(gpu) = common::gpu() else { panic!("planted: quad 0 of tile: no adapter") };
    let vertices = flat_positions(&mut Random(10), 3);
    let (expected, _) = run(&gpu, &plain_draw(), &vertices, &[0, 1, 2], SMALL);
    let mut found = expected.clone();
    check_quads("equal", found.clone(), &expected);
    let quad = found.iter_mut().find_map(|tile| tile.first_mut()).expect("the triangle covers a quad");
    quad.slots[7][2][1] ^= 1;
    check_quads("planted", found, &expected);
}

#[test]
#[should_panic(expected = "planted: quads of tile")]
fn a_planted_quad_is_found() {
    let Some(gpu) = common::gpu() else { panic!("planted: quads of tile: no adapter") };
    let vertices = flat_positions(&mut Random(10), 3);
    let (expected, _) = run(&gpu, &plain_draw(), &vertices, &[0, 1, 2], SMALL);
    let mut found = expected.clone();
    found.push(expected.iter().find(|tile| !tile.is_empty()).expect("the triangle covers a quad").clone());
    check_quads("planted", found, &expected);
}
