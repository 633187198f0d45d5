//! The packed words of a draw's raster parameters, by hand from the layout in `wgsl/raster/parameters.wgsl`.

use curie::format::ZetaFormat;
use curie::gpu::module_source;
use curie::memory::MemoryWindow;
use curie::pipeline::{
    ClipPlane, CullFace, Draw, Fog, FogCurve, OutputComponent, PixelCenter, PointSprite, PolygonMode, PrimitiveType,
    Rect, SampleMode, SpriteR, SurfaceLayout, VertexOutputs, WindowClip, WindowOrigin, WindowPosition, ZetaTarget,
};
use curie::recompiler::raster_block::{self, RasterBlock};

use super::scene::plain_draw;

/// Words of the block.
const WORDS: usize = 132;

/// A block with these runs of words, each at an index; the others are 0.
fn expected(runs: &[(usize, &[u32])]) -> Vec<u32> {
    let mut words = vec![0; WORDS];
    for (first, run) in runs {
        words[*first..first + run.len()].copy_from_slice(run);
    }
    words
}

/// Index, found and expected value of each word that differs.
fn differences(block: &RasterBlock, expected: &[u32]) -> Vec<(usize, u32, u32)> {
    let found: &[u32] = bytemuck::cast_slice(std::slice::from_ref(block));
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().zip(expected).enumerate();
    pairs.filter(|(_, (found, expected))| found != expected).map(|(at, (a, b))| (at, *a, *b)).collect()
}

const CLIP: usize = 4;
const SCALE: usize = 16;
const TRANSLATE: usize = 20;
const DEPTH: usize = 24;
const SHAPES: usize = 28;
const COLORS: usize = 32;
const SCALARS: usize = 36;
const FOG: usize = 40;
const CLIP_PLANES: usize = 44;
const TEXCOORDS: usize = 52;
const WINDOW_CLIPS: usize = 64;
const STIPPLE: usize = 96;

const ONE: u32 = 0x3f80_0000;

/// The words of a draw with everything optional off.
fn plain_words() -> Vec<u32> {
    expected(&[
        // Depth clips, the front is counter-clockwise, both faces are filled.
        (1, &[0x00a0_0011]),
        (CLIP, &[0, 0, 64, 64]),
        (SCALE, &[ONE, ONE, ONE, 0]),
        (DEPTH, &[0, ONE, 0, 0]),
        (SHAPES, &[ONE, 8, 1, 0xffff]),
        (COLORS, &[1, 2, 3, 4]),
        // Fog is o5.x; the program has no point size.
        (SCALARS, &[20, 0xff, 0, 0]),
        // 1.5 and 0.25; rows count from the last.
        (FOG, &[0x3fc0_0000, 0x3e80_0000, 0x1000, 64]),
        (TEXCOORDS, &[7, 8, 9, 10, 11, 12, 13, 14, 15, 6, 0xff, 0xff]),
    ])
}

/// A draw that changes everything that a single-sample draw can change.
fn rich_draw() -> Draw {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::QuadStrip;
    let outputs = &mut draw.outputs;
    *outputs = VertexOutputs::ALL;
    outputs.colors = [Some(15), None, Some(3), None];
    outputs.fog = None;
    outputs.clip_distances[4] = Some(OutputComponent { slot: 6, component: 2 });
    outputs.clip_distances[5] = None;
    outputs.texture_coordinates[5] = None;
    let viewport = &mut draw.viewport;
    viewport.skips_transform = true;
    viewport.translate = [ONE; 3];
    viewport.window_offset = [5, -3];
    (viewport.clips_depth, viewport.clamps_depth) = (false, true);
    (viewport.depth_near, viewport.depth_far) = (0.25f32.to_bits(), 0.5f32.to_bits());
    viewport.clip_planes[0] = ClipPlane::KeepsNegative;
    viewport.clip_planes[4] = ClipPlane::KeepsNonNegative;
    viewport.clip_planes[5] = ClipPlane::KeepsNegative;
    let raster = &mut draw.raster;
    raster.clip = Rect { x: 1, y: 2, width: 60, height: 9000 };
    let mut rects = [Rect::default(); 8];
    rects[1] = Rect { x: 3, y: 4, width: 10, height: 20 };
    raster.window_clip = Some(WindowClip { rects, is_exclusive: true });
    (raster.is_flat, raster.two_sided_color, raster.front_is_counter_clockwise) = (true, true, false);
    raster.cull = Some(CullFace::Both);
    raster.polygon_mode = [PolygonMode::Line, PolygonMode::Fill];
    raster.offset_enabled = [true, false, true];
    (raster.offset_factor, raster.offset_units) = (2.0f32.to_bits(), 8.0f32.to_bits());
    (raster.line_smooth, raster.polygon_smooth) = (true, true);
    (raster.line_width_eighths, raster.line_stipple) = (29, Some((3, 0x35f1)));
    raster.polygon_stipple = Some(Box::new(std::array::from_fn(|row| row as u32 * 0x0101_0101)));
    raster.point_size = 7.0f32.to_bits();
    raster.point_sprite = PointSprite { enabled: true, r: SpriteR::S, replaced: 0b1_0000_0101 };
    raster.flat_2d_coordinates = 0b10_0000_0100;
    // No effect without multisampling.
    raster.centroid_coordinates = 0x3ff;
    // Coordinate 1 wraps in x and w, coordinate 9 in y.
    raster.cylindrical_wrap = 0b1001 << 4 | 0b0010 << 36;
    let interpolation = &mut draw.interpolation;
    interpolation.fog = Fog { curve: FogCurve::ExponentialSquared, takes_magnitude: true, ..interpolation.fog };
    interpolation.window_position =
        WindowPosition { origin: WindowOrigin::UpperLeft, height: 480, pixel_center: PixelCenter::Integer };
    draw
}

fn rich_words() -> Vec<u32> {
    let stipple: Vec<u32> = (0..32).map(|row| row << 24 | row << 16 | row << 8 | row).collect();
    expected(&[
        // From the highest bit: smooth polygons; r is s; front 1 and back 2; offset of points and fills; all of bits 15:5,
        // that is user clip, point size, sprites, both of window clip, both stipples, smooth lines, two sides, both culls; no
        // counter-clockwise front; flat, no transform, clamped and not clipped depth.
        (1, &[0x2295_ffee]),
        // The rasterizer addresses 8192 rows.
        (CLIP, &[1, 2, 61, 8192]),
        (SCALE, &[ONE, ONE, ONE, 0]),
        // 5 and -3.
        (TRANSLATE, &[0x40a0_0000, 0xc040_0000, 0, 0]),
        // 0.25, 0.5, 2, 8 steps of 24 bits: 2^-21.
        (DEPTH, &[0x3e80_0000, 0x3f00_0000, 0x4000_0000, 0x3500_0000]),
        (SHAPES, &[0x40e0_0000, 29, 3, 0x35f1]),
        (COLORS, &[15, 0xff, 3, 0xff]),
        // The point size is o6.x.
        (SCALARS, &[0xff, 24, 7, 0]),
        (FOG, &[0x3fc0_0000, 0x3e80_0000, 0x1_0000, 480]),
        // o5.y below 0, o6.z at least 0; plane 5 has no distance.
        (CLIP_PLANES, &[0x115, 0, 0, 0, 0x21a, 0, 0, 0]),
        (TEXCOORDS, &[0x107, 0x9008, 0x309, 10, 11, 0xff, 13, 14, 0x10f, 0x2206, 0xff, 0xff]),
        (WINDOW_CLIPS, &[0, 0, 0, 0, 3, 4, 13, 24]),
        (STIPPLE, &stipple),
    ])
}

#[test]
fn words_are_those_of_the_layout() {
    assert_eq!(differences(&RasterBlock::new(&plain_draw()), &plain_words()), []);
    assert_eq!(differences(&RasterBlock::new(&rich_draw()), &rich_words()), []);
}

#[test]
fn a_multisampled_draw_has_samples_and_centroids_but_nothing_smooth() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Lines;
    draw.raster.samples = SampleMode::FourRotated;
    (draw.raster.line_smooth, draw.raster.polygon_smooth) = (true, true);
    draw.raster.centroid_coordinates = 0b1_0010;
    draw.raster.cull = Some(CullFace::Front);
    draw.raster.point_sprite = PointSprite { enabled: true, r: SpriteR::R, replaced: 0 };
    draw.raster.offset_units = 4.0f32.to_bits();
    draw.viewport.translate = [32.0f32.to_bits(), 0, ONE];
    draw.viewport.window_offset = [-5000, 1];
    draw.interpolation.fog.curve = FogCurve::Exponential;
    let layout = SurfaceLayout::Linear { pitch_bytes: 256 };
    draw.targets.zeta =
        Some(ZetaTarget { window: MemoryWindow::EMPTY, layout, format: ZetaFormat::Z16, is_float: false });
    let mut words = plain_words();
    // Sample mode 3, r unchanged, sprites, front faces culled.
    words[1] = 0x0da0_2031;
    // 32 - 4096, because offsets have 13 bits.
    words[TRANSLATE..][..3].copy_from_slice(&[0xc57e_0000, ONE, ONE]);
    // Four steps of 16 bits: 2^-14.
    words[DEPTH + 3] = 0x3880_0000;
    words[SCALARS + 2..][..2].copy_from_slice(&[1, 6]);
    words[TEXCOORDS + 1] = 0x408;
    words[TEXCOORDS + 4] = 0x40b;
    assert_eq!(differences(&RasterBlock::new(&draw), &words), []);
}

#[test]
fn over_the_surface_only_the_clip_and_a_flag_differ() {
    assert_eq!(RasterBlock::over_surface(&plain_draw()), None, "nothing is taken away");
    let mut words = rich_words();
    words[1] = 0x2295_f7ee;
    words[CLIP..][..4].copy_from_slice(&[0, 0, 64, 64]);
    assert_eq!(differences(&RasterBlock::over_surface(&rich_draw()).unwrap(), &words), []);
}

#[test]
fn the_comparison_of_words_sees_a_planted_difference() {
    let mut draw = rich_draw();
    draw.raster.cylindrical_wrap ^= 1 << 38;
    assert_eq!(differences(&RasterBlock::new(&draw), &rich_words()), [(TEXCOORDS + 9, 0x6206, 0x2206)]);
    let mut words = plain_words();
    words[WORDS - 1] = 1;
    assert_eq!(differences(&RasterBlock::new(&plain_draw()), &words), [(WORDS - 1, 0, 1)]);
}

/// The constants of a WGSL module, as name and value.
fn constants(text: &str) -> Vec<(&str, u32)> {
    let value = |text: &str| {
        let digits = text.trim_end_matches("u;");
        digits.strip_prefix("0x").map_or_else(|| digits.parse(), |hex| u32::from_str_radix(hex, 16)).unwrap()
    };
    let lines = text.lines().filter_map(|line| line.strip_prefix("const ")?.split_once(": u32 = "));
    lines.map(|(name, text)| (name, value(text))).collect()
}

macro_rules! named {
    ($($name:ident),* $(,)?) => { [$((stringify!($name), raster_block::$name)),*] };
}

#[test]
fn flags_have_one_value_in_rust_and_wgsl() {
    let expected = named![
        CLIPS_DEPTH,
        CLAMPS_DEPTH,
        SKIPS_TRANSFORM,
        IS_FLAT,
        FRONT_IS_COUNTER_CLOCKWISE,
        CULLS_FRONT,
        CULLS_BACK,
        TWO_SIDED,
        LINE_SMOOTH,
        LINE_STIPPLE,
        POLYGON_STIPPLE,
        WINDOW_CLIP,
        WINDOW_CLIP_EXCLUSIVE,
        POINT_SPRITE,
        PROGRAM_POINT_SIZE,
        USER_CLIP,
        POLYGON_SMOOTH,
        CULLS_BY_DISTANCE,
        CLIP_MODE_SHIFT,
        CLIP_KEEPS_NEGATIVE,
        CLIP_CULLS,
        OFFSET_SHIFT,
        MODE_SHIFT,
        SPRITE_R_SHIFT,
        SAMPLES_SHIFT,
        NO_REGISTER,
        TEXCOORD_SPRITE,
        TEXCOORD_2D,
        TEXCOORD_CENTROID,
        TEXCOORD_WRAP_SHIFT,
        ORIGIN_INVERTED,
        CENTER_INTEGER,
    ];
    assert_eq!(constants(module_source("raster::parameters").unwrap()), expected);
    assert_eq!(constants("const A: u32 = 0x10u;\nconst B: u32 = 16u;"), [("A", 16), ("B", 16)]);
}
