//! Packs the raster parameters of a draw into the block that the geometry kernels read (binding 6). Tile kernels bake a
//! part of it.
//!
//! The layout is that of `wgsl/raster/parameters.wgsl`.

use crate::pipeline::front_end::assemble_primitives::polygon_kind;
use crate::pipeline::front_end::raster_parameters::{RasterParameters, TextureCoordinate, UserClip};
use crate::pipeline::{
    Draw, Fog, FogCurve, OutputComponent, PixelCenter, RasterState, Rect, SampleMode, WindowClip, WindowOrigin,
    WindowPosition,
};

/// A register number for a result that the program does not output.
pub const NO_REGISTER: u32 = 0xff;

/// Flag: pixels outside the depth range are dropped.
pub const CLIPS_DEPTH: u32 = 1;
/// Flag: depth is clamped to the depth range.
pub const CLAMPS_DEPTH: u32 = 1 << 1;
/// Flag: positions are window coordinates.
pub const SKIPS_TRANSFORM: u32 = 1 << 2;
/// Flag: colors come from the provoking vertex.
pub const IS_FLAT: u32 = 1 << 3;
/// Flag: positive area is the front.
pub const FRONT_IS_COUNTER_CLOCKWISE: u32 = 1 << 4;
/// Flag: front faces are dropped.
pub const CULLS_FRONT: u32 = 1 << 5;
/// Flag: back faces are dropped.
pub const CULLS_BACK: u32 = 1 << 6;
/// Flag: back colors replace front colors on back faces.
pub const TWO_SIDED: u32 = 1 << 7;
/// Flag: the draw can contain lines, and they are smooth.
pub const LINE_SMOOTH: u32 = 1 << 8;
/// Flag: lines are stippled.
pub const LINE_STIPPLE: u32 = 1 << 9;
/// Flag: polygons are stippled.
pub const POLYGON_STIPPLE: u32 = 1 << 10;
/// Flag: window clip rectangles apply.
pub const WINDOW_CLIP: u32 = 1 << 11;
/// Flag: pixels inside a window clip rectangle are dropped, rather than those outside all of them.
pub const WINDOW_CLIP_EXCLUSIVE: u32 = 1 << 12;
/// Flag: points are centered on their exact position, like sprites.
pub const POINT_SPRITE: u32 = 1 << 13;
/// Flag: the program outputs the point size.
pub const PROGRAM_POINT_SIZE: u32 = 1 << 14;
/// Flag: a user clip plane is enabled.
pub const USER_CLIP: u32 = 1 << 15;
/// First of three flags: polygon offset applies to points, lines, fills.
pub const OFFSET_SHIFT: u32 = 16;
/// First bit of the polygon mode of front faces (two bits, as primitive kinds); back faces follow.
pub const MODE_SHIFT: u32 = 20;
/// First bit of the `R` mode of point sprites.
pub const SPRITE_R_SHIFT: u32 = 24;
/// First of three bits: the coverage samples of a pixel, as the index in [`SampleMode::ALL`].
pub const SAMPLES_SHIFT: u32 = 26;
/// Flag: the draw can contain filled polygons, and they are smooth.
pub const POLYGON_SMOOTH: u32 = 1 << 29;
/// Flag: some distances cull primitives.
pub const CULLS_BY_DISTANCE: u32 = 1 << 30;
/// Flag: primitives select viewports or layers.
pub const PRIMITIVES_SELECT: u32 = 1 << 31;

/// First bit in [`RasterBlock::clip_planes`] of what a distance does, above the output that it is.
pub const CLIP_MODE_SHIFT: u32 = 8;
/// Keeps pixels where it is negative.
pub const CLIP_KEEPS_NEGATIVE: u32 = 1;
/// Keeps other pixels.
pub const CLIP_KEEPS_OTHERS: u32 = 2;
/// Culls primitives all of whose vertices have negative ones.
pub const CLIP_CULLS: u32 = 3;

/// Flag in [`RasterBlock::texcoords`]: point sprites replace the coordinate.
pub const TEXCOORD_SPRITE: u32 = 1 << 8;
/// Flag in [`RasterBlock::texcoords`]: z reads 0 and w the position's w.
pub const TEXCOORD_2D: u32 = 1 << 9;
/// Flag in [`RasterBlock::texcoords`]: the coordinate is sampled at a covered position.
pub const TEXCOORD_CENTROID: u32 = 1 << 10;
/// First of four flags in [`RasterBlock::texcoords`]: x, y, z, w take the shortest way around a cylinder.
pub const TEXCOORD_WRAP_SHIFT: u32 = 12;

/// Flag in the coordinate conventions: y counts from the bottom.
pub const ORIGIN_INVERTED: u32 = 1 << 12;
/// Flag in the coordinate conventions: pixel centers are integers.
pub const CENTER_INTEGER: u32 = 1 << 16;

/// The state of a draw, and of a batch of its primitives, that the geometry kernels read.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct RasterBlock {
    /// Always 0; kernels make float operations opaque with it.
    pub zero: u32,
    /// State bits.
    pub flags: u32,
    /// Number of primitives in the batch.
    pub primitive_count: u32,
    /// Number of words in one tile's bin.
    pub bin_words: u32,
    /// First column, first row, column after the last, row after the last of the drawable area.
    pub clip: [u32; 4],
    /// First tile column, first tile row, tile columns, tile rows.
    pub tiles: [u32; 4],
    /// Base-2 logarithm of the tile size, first tile and tile count of the round, vertices of the draw.
    pub round: [u32; 4],
    /// Viewport scale, and the limit of the polygon offset.
    pub scale: [u32; 4],
    /// Viewport translation with the window offset added; for window positions only that offset.
    pub translate: [u32; 4],
    /// Near and far limit, polygon offset factor, constant polygon offset.
    pub depth: [u32; 4],
    /// Point size (float), line width in eighths, stipple repeat, stipple pattern.
    pub shapes: [u32; 4],
    /// Output registers of the primary, secondary, primary back, secondary back color.
    pub colors: [u32; 4],
    /// Output component (register × 4 + component) of fog and point size, fog code (bit 0 exponential, 1 squared, 2
    /// magnitude), distance of samples from the pixel's center in subpixels.
    pub scalars: [u32; 4],
    /// Fog parameters 0 and 1, flags of the window position, its height.
    pub fog: [u32; 4],
    /// Output component of clip distances 0..5, plus mode << 8 (0 off, 1 keep < 0, 2 keep ≥ 0).
    pub clip_planes: [u32; 8],
    /// Output register of texture coordinates 0..9, plus flags.
    pub texcoords: [u32; 12],
    /// Window clip rectangles: first column, first row, column after the last, row after the last.
    pub window_clips: [[u32; 4]; 8],
    /// Polygon stipple, a word per row.
    pub stipple: [[u32; 4]; 8],
    /// First count of the draw, counts per draw, counts per stripe of the buffer, stripes.
    pub counts: [u32; 4],
}

impl RasterBlock {
    /// Packs the state of a draw. The fields of batches, tiles, rounds and counts are 0.
    #[must_use]
    pub fn new(draw: &Draw) -> Self {
        let parameters = &RasterParameters::new(draw);
        let RasterParameters { viewport, raster, outputs, .. } = parameters;
        let Fog { curve: _, takes_magnitude: _, parameters: [fog0, fog1] } = parameters.fog;
        let component = |output: Option<OutputComponent>| output.map_or(NO_REGISTER, OutputComponent::number);
        let (repeat, pattern) = raster.line_stipple.unwrap_or((1, 0xffff));
        let mut texcoords = [NO_REGISTER; 12];
        for (word, coordinate) in texcoords.iter_mut().zip(&parameters.texture_coordinates) {
            *word = texture_coordinate(coordinate);
        }
        let mut clip_planes = [0; 8];
        for (word, clip) in clip_planes.iter_mut().zip(&parameters.user_clips) {
            *word = clip.as_ref().map_or(0, user_clip);
        }
        for (word, distance) in clip_planes.iter_mut().zip(parameters.cull_distances) {
            *word |= distance.map_or(0, |distance| distance.number() | CLIP_CULLS << CLIP_MODE_SHIFT);
        }
        Self {
            zero: 0,
            flags: flags(parameters) | if draw.selection.is_some() { PRIMITIVES_SELECT } else { 0 },
            primitive_count: 0,
            bin_words: 0,
            clip: corners(parameters.clip),
            tiles: [0; 4],
            round: [0; 4],
            scale: limited(viewport.scale, raster.offset_limit),
            translate: vector(parameters.translate),
            depth: [viewport.depth_near, viewport.depth_far, raster.offset_factor, parameters.offset_constant],
            shapes: [raster.point_size, raster.line_width_eighths, repeat, u32::from(pattern)],
            colors: outputs.colors.map(register),
            scalars: [
                component(outputs.fog),
                component(outputs.point_size),
                fog_code(parameters.fog),
                raster.samples.reach(),
            ],
            fog: [fog0, fog1, conventions(parameters.window_position), parameters.window_position.height],
            clip_planes,
            texcoords,
            window_clips: parameters.window_clip.map_or([[0; 4]; 8], |clip| clip.rects.map(corners)),
            stipple: raster.polygon_stipple.as_ref().map_or([[0; 4]; 8], |rows| {
                std::array::from_fn(|row| std::array::from_fn(|word| rows[row * 4 + word]))
            }),
            counts: [0; 4],
        }
    }

    /// Packs the state of a draw over the whole surface, without scissor and window clips, but keeps their rectangles;
    /// `None` if the clips reject nothing.
    #[must_use]
    pub fn over_surface(draw: &Draw) -> Option<Self> {
        let clip = corners(RasterParameters::over_surface(draw)?.clip);
        let block = Self::new(draw);
        Some(Self { clip, flags: block.flags & !WINDOW_CLIP, ..block })
    }

    /// The coverage samples.
    #[must_use]
    pub fn samples(&self) -> SampleMode {
        const { assert!(SampleMode::ALL.len() <= 8, "three bits") };
        SampleMode::ALL.get((self.flags >> SAMPLES_SHIFT & 7) as usize).copied().unwrap_or_default()
    }

    /// The number of user clip planes up to the last enabled one.
    #[must_use]
    pub fn user_clip_planes(&self) -> u32 {
        let clips = |plane: u32| !matches!(plane >> CLIP_MODE_SHIFT, 0 | CLIP_CULLS);
        self.clip_planes.iter().zip(1..).filter(|(plane, _)| clips(**plane)).map(|(_, count)| count).max().unwrap_or(0)
    }
}

/// First column, first row, column after the last, row after the last.
const fn corners(rect: Rect) -> [u32; 4] {
    [rect.x, rect.y, rect.right(), rect.bottom()]
}

fn vector(components: [u32; 3]) -> [u32; 4] {
    limited(components, 0)
}

const fn limited([x, y, z]: [u32; 3], last: u32) -> [u32; 4] {
    [x, y, z, last]
}

fn register(register: Option<u8>) -> u32 {
    register.map_or(NO_REGISTER, u32::from)
}

/// The flags whose conditions hold.
fn set<const COUNT: usize>(flags: [(bool, u32); COUNT]) -> u32 {
    flags.into_iter().filter(|(is_set, _)| *is_set).fold(0, |word, (_, flag)| word | flag)
}

fn flags(parameters: &RasterParameters<'_>) -> u32 {
    let RasterParameters { viewport, raster, .. } = parameters;
    let culls = |is_front| raster.cull.is_some_and(|face| face.culls(is_front));
    let is_exclusive = |clip: &WindowClip| clip.is_exclusive;
    set([
        (viewport.clips_depth, CLIPS_DEPTH),
        (viewport.clamps_depth, CLAMPS_DEPTH),
        (viewport.skips_transform, SKIPS_TRANSFORM),
        (raster.is_flat, IS_FLAT),
        (raster.front_is_counter_clockwise, FRONT_IS_COUNTER_CLOCKWISE),
        (culls(true), CULLS_FRONT),
        (culls(false), CULLS_BACK),
        (raster.two_sided_color, TWO_SIDED),
        (parameters.has_smooth_lines, LINE_SMOOTH),
        (raster.line_stipple.is_some(), LINE_STIPPLE),
        (raster.polygon_stipple.is_some(), POLYGON_STIPPLE),
        (parameters.window_clip.is_some(), WINDOW_CLIP),
        (parameters.window_clip.is_some_and(is_exclusive), WINDOW_CLIP_EXCLUSIVE),
        (raster.centers_points_exactly(), POINT_SPRITE),
        (parameters.outputs.point_size.is_some(), PROGRAM_POINT_SIZE),
        (parameters.user_clips.iter().any(Option::is_some), USER_CLIP),
        (parameters.has_smooth_polygons, POLYGON_SMOOTH),
        (parameters.cull_distances.iter().any(Option::is_some), CULLS_BY_DISTANCE),
    ]) | packed_modes(raster)
}

/// The modes that take more than one bit of the flags.
fn packed_modes(raster: &RasterState) -> u32 {
    let [points, lines, fills] = raster.offset_enabled.map(u32::from);
    let [front, back] = raster.polygon_mode.map(polygon_kind);
    (points | lines << 1 | fills << 2) << OFFSET_SHIFT
        | (front | back << 2) << MODE_SHIFT
        | (raster.point_sprite.r as u32) << SPRITE_R_SHIFT
        | (raster.samples as u32) << SAMPLES_SHIFT
}

fn fog_code(fog: Fog) -> u32 {
    let curve = match fog.curve {
        FogCurve::Linear => 0,
        FogCurve::Exponential => 1,
        FogCurve::ExponentialSquared => 3,
    };
    curve | u32::from(fog.takes_magnitude) << 2
}

fn conventions(position: WindowPosition) -> u32 {
    set([
        (position.origin == WindowOrigin::LowerLeft, ORIGIN_INVERTED),
        (position.pixel_center == PixelCenter::Integer, CENTER_INTEGER),
    ])
}

fn user_clip(clip: &UserClip) -> u32 {
    let mode = if clip.keeps_negative { CLIP_KEEPS_NEGATIVE } else { CLIP_KEEPS_OTHERS };
    clip.distance.number() | mode << CLIP_MODE_SHIFT
}

fn texture_coordinate(coordinate: &TextureCoordinate) -> u32 {
    let [x, y, z, w] = coordinate.wraps.map(u32::from);
    register(coordinate.slot)
        | (x | y << 1 | z << 2 | w << 3) << TEXCOORD_WRAP_SHIFT
        | set([
            (coordinate.is_sprite, TEXCOORD_SPRITE),
            (coordinate.is_2d, TEXCOORD_2D),
            (coordinate.is_centroid, TEXCOORD_CENTROID),
        ])
}
