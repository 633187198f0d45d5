//! Turns the state of a draw into the block of words that set-up, rasterizer and interpolation read in both engines.

use crate::arith::fragment as fp;
use crate::pipeline::{
    ClipPlane, CullFace, Draw, Fog, FogCurve, OutputComponent, PixelCenter, PolygonMode, PrimitiveType, RasterState,
    Rect, SampleMode, WindowOrigin, WindowPosition,
};

/// Columns and rows that the rasterizer can address (the viewport has at most 4096 pixels).
pub const SURFACE_LIMIT: u32 = 4096;
/// Vertices farther than this many pixels from the origin are clipped geometrically.
pub const GUARD_PIXELS: i32 = 8192;
/// A register number that stands for a result that the program does not pass on.
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
/// Flag: pixels inside a window clip rectangle are dropped, not those outside of all.
pub const WINDOW_CLIP_EXCLUSIVE: u32 = 1 << 12;
/// Flag: points lie around their exact position, as sprites do.
pub const POINT_SPRITE: u32 = 1 << 13;
/// Flag: the program outputs the point size.
pub const PROGRAM_POINT_SIZE: u32 = 1 << 14;
/// Flag: a user clip plane is enabled.
pub const USER_CLIP: u32 = 1 << 15;
/// Flag: the draw can contain filled polygons, and they are smooth.
pub const POLYGON_SMOOTH: u32 = 1 << 28;
/// First of three flags: polygon offset applies to points, lines, fills.
pub const OFFSET_SHIFT: u32 = 16;
/// First bit of the polygon mode of front faces (two bits, as primitive kinds); back faces follow.
pub const MODE_SHIFT: u32 = 20;
/// First bit of the `R` mode of point sprites.
pub const SPRITE_R_SHIFT: u32 = 24;

/// First of two bits: at which samples of a pixel coverage is found, as the place in [`SampleMode::ALL`].
pub const SAMPLES_SHIFT: u32 = 26;

/// Flag in [`RasterParameters::texcoords`]: point sprites replace the coordinate.
pub const TEXCOORD_SPRITE: u32 = 1 << 8;
/// Flag in [`RasterParameters::texcoords`]: z reads 0 and w the position's w.
pub const TEXCOORD_2D: u32 = 1 << 9;
/// Flag in [`RasterParameters::texcoords`]: the coordinate is that of a covered place.
pub const TEXCOORD_CENTROID: u32 = 1 << 10;
/// First of four flags in [`RasterParameters::texcoords`]: x, y, z, w take the shortest way around a cylinder.
pub const TEXCOORD_WRAP_SHIFT: u32 = 12;

/// Flag in the coordinate conventions: y counts from the bottom.
pub const ORIGIN_INVERTED: u32 = 1 << 12;
/// Flag in the coordinate conventions: pixel centers are integers.
pub const CENTER_INTEGER: u32 = 1 << 16;

/// Everything that the geometry stages know of a draw.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct RasterParameters {
    /// Always 0; kernels make float operations opaque with it.
    pub zero: u32,
    /// State bits.
    pub flags: u32,
    /// Primitives of the batch; the reference leaves 0.
    pub primitive_count: u32,
    /// Words of one tile's bin; the reference leaves 0.
    pub bin_words: u32,
    /// First column, first row, column after the last, row after the last that drawing may touch.
    pub clip: [u32; 4],
    /// First tile column, first tile row, tile columns, tile rows; the reference leaves 0.
    pub tiles: [u32; 4],
    /// Base-2 logarithm of the tile size, first tile and tile count of the round, vertices of the draw. Where whole tiles are
    /// drawn, there are no rounds: in place of the first tile, how often tiles are halved into cells.
    pub round: [u32; 4],
    /// Viewport scale.
    pub scale: [u32; 4],
    /// Viewport translation with the window offset added; of window positions only that offset.
    pub translate: [u32; 4],
    /// Near and far limit, polygon offset factor, constant polygon offset.
    pub depth: [u32; 4],
    /// Point size (float), line width in eighths, stipple repeat, stipple pattern.
    pub shapes: [u32; 4],
    /// Output registers of the primary, secondary, primary back, secondary back color.
    pub colors: [u32; 4],
    /// Output component (register × 4 + component) of fog and point size, fog code (bit 0 exponential, 1 squared,
    /// 2 magnitude), how far samples lie from the pixel's center in subpixels.
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
    /// First count of the draw, counts of each draw, counts of a stripe of the buffer, stripes; the reference leaves 0.
    pub counts: [u32; 4],
}

impl RasterParameters {
    /// Where coverage is found.
    #[must_use]
    pub fn samples(&self) -> SampleMode {
        SampleMode::ALL[(self.flags >> SAMPLES_SHIFT & 3) as usize]
    }

    /// How many user clip planes there are up to the last that is on.
    #[must_use]
    pub fn user_clip_planes(&self) -> u32 {
        self.clip_planes.iter().zip(1..).filter(|(plane, _)| **plane != 0).map(|(_, count)| count).max().unwrap_or(0)
    }

    /// The state of a draw over all of the surface, without scissor and window clips, of which the rectangles are kept; nothing
    /// where these take nothing away.
    #[must_use]
    pub fn over_surface(draw: &Draw) -> Option<Self> {
        let parameters = || Self { clip: corners(draw.raster.surface), ..Self::new(draw) };
        draw.raster.cuts_surface().then(parameters).map(|all| Self { flags: all.flags & !WINDOW_CLIP, ..all })
    }

    /// Gathers the state of a draw.
    #[must_use]
    pub fn new(draw: &Draw) -> Self {
        let (raster, viewport) = (&draw.raster, &draw.viewport);
        // Window positions move with the window's origin only.
        let mut translate = if viewport.skips_transform { [0; 4] } else { viewport.translate };
        for (value, offset) in translate.iter_mut().zip(viewport.window_offset) {
            *value = fp::add(*value, fp::int_to_float(offset.clamp(-4096, 4095)));
        }
        let outputs = &draw.vertex.outputs;
        let component = |output: Option<OutputComponent>| output.map_or(NO_REGISTER, OutputComponent::number);
        let Fog { curve, takes_magnitude, parameters: [fog0, fog1] } = draw.fragment.fog;
        let fog_code = match curve {
            FogCurve::Linear => 0,
            FogCurve::Exponential => 1,
            FogCurve::ExponentialSquared => 3,
        } | u32::from(takes_magnitude) << 2;
        let WindowPosition { origin, height, pixel_center } = draw.fragment.window_position;
        let conventions = if origin == WindowOrigin::LowerLeft { ORIGIN_INVERTED } else { 0 }
            | if pixel_center == PixelCenter::Integer { CENTER_INTEGER } else { 0 };
        Self {
            zero: 0,
            flags: flags(draw),
            primitive_count: 0,
            bin_words: 0,
            clip: corners(raster.clip),
            tiles: [0; 4],
            round: [0; 4],
            scale: viewport.scale,
            translate,
            depth: [viewport.depth_near, viewport.depth_far, raster.offset_factor, offset_constant(draw)],
            shapes: shapes(raster),
            colors: outputs.colors.map(|register| register.map_or(NO_REGISTER, u32::from)),
            scalars: [component(outputs.fog), component(outputs.point_size), fog_code, raster.samples.reach()],
            fog: [fog0, fog1, conventions, height],
            clip_planes: clip_planes(draw),
            texcoords: texcoords(draw),
            window_clips: window_clips(raster),
            stipple: raster.polygon_stipple.as_ref().map_or([[0; 4]; 8], |rows| {
                std::array::from_fn(|row| std::array::from_fn(|word| rows[row * 4 + word]))
            }),
            counts: [0; 4],
        }
    }
}

/// First column, first row, column after the last, row after the last of a rectangle, as far as the rasterizer can address it.
fn corners(rect: Rect) -> [u32; 4] {
    let rect = rect.intersection(Rect { x: 0, y: 0, width: SURFACE_LIMIT, height: SURFACE_LIMIT });
    [rect.x, rect.y, rect.x + rect.width, rect.y + rect.height]
}

fn flags(draw: &Draw) -> u32 {
    let (raster, viewport) = (&draw.raster, &draw.viewport);
    let culls = |face| raster.cull == Some(face) || raster.cull == Some(CullFace::Both);
    let planes = clip_planes(draw).iter().any(|plane| *plane != 0);
    let mut flags = 0;
    for (condition, flag) in [
        (viewport.clips_depth, CLIPS_DEPTH),
        (viewport.clamps_depth, CLAMPS_DEPTH),
        (viewport.skips_transform, SKIPS_TRANSFORM),
        (raster.is_flat, IS_FLAT),
        (raster.front_is_counter_clockwise, FRONT_IS_COUNTER_CLOCKWISE),
        (culls(CullFace::Front), CULLS_FRONT),
        (culls(CullFace::Back), CULLS_BACK),
        (raster.two_sided_color, TWO_SIDED),
        (can_draw_smooth_lines(draw), LINE_SMOOTH),
        (raster.line_stipple.is_some(), LINE_STIPPLE),
        (raster.polygon_stipple.is_some(), POLYGON_STIPPLE),
        (raster.window_clip.is_some(), WINDOW_CLIP),
        (raster.window_clip.as_ref().is_some_and(|clip| clip.is_exclusive), WINDOW_CLIP_EXCLUSIVE),
        (
            raster.point_sprite.enabled || raster.point_sprite.replaced != 0 || raster.has_exact_point_centers,
            POINT_SPRITE,
        ),
        (raster.program_point_size && draw.vertex.outputs.point_size.is_some(), PROGRAM_POINT_SIZE),
        (planes, USER_CLIP),
        (can_draw_smooth_polygons(draw), POLYGON_SMOOTH),
    ] {
        flags |= if condition { flag } else { 0 };
    }
    for (index, enabled) in (0..).zip(&raster.offset_enabled) {
        flags |= u32::from(*enabled) << (OFFSET_SHIFT + index);
    }
    for (index, mode) in (0..).zip(&raster.polygon_mode) {
        let kind = match mode {
            PolygonMode::Point => 0,
            PolygonMode::Line => 1,
            PolygonMode::Fill => 2,
        };
        flags |= kind << (MODE_SHIFT + 2 * index);
    }
    flags | u32::from(raster.point_sprite.r_mode & 3) << SPRITE_R_SHIFT | (raster.samples as u32) << SAMPLES_SHIFT
}

/// Whether a draw can contain smooth lines. With multisampling lines are covered by samples instead.
#[must_use]
pub fn can_draw_smooth_lines(draw: &Draw) -> bool {
    let is_lines = match draw.primitive {
        PrimitiveType::Points => false,
        PrimitiveType::Lines | PrimitiveType::LineLoop | PrimitiveType::LineStrip => true,
        _ => draw.raster.polygon_mode.contains(&PolygonMode::Line),
    };
    draw.raster.line_smooth && draw.raster.samples == SampleMode::One && is_lines
}

/// Whether a draw can contain smooth filled polygons. With multisampling they are covered by samples instead.
#[must_use]
pub fn can_draw_smooth_polygons(draw: &Draw) -> bool {
    use PrimitiveType::{LineLoop, LineStrip, Lines, Points};
    let is_polygons = !matches!(draw.primitive, Points | Lines | LineLoop | LineStrip);
    let is_filled = is_polygons && draw.raster.polygon_mode.contains(&PolygonMode::Fill);
    draw.raster.polygon_smooth && draw.raster.samples == SampleMode::One && is_filled
}

/// Whether alpha is multiplied with coverage in a draw.
#[must_use]
pub fn has_alpha_coverage(draw: &Draw) -> bool {
    can_draw_smooth_lines(draw) || can_draw_smooth_polygons(draw)
}

/// Constant polygon offset counts half steps of the depth format; without one, or for float depth, those of 24 bits.
fn offset_constant(draw: &Draw) -> u32 {
    let is_16_bit = draw.targets.zeta.is_some_and(|zeta| zeta.format == crate::format::ZetaFormat::Z16);
    let half_step = if is_16_bit { 2.0f32.powi(-17) } else { 2.0f32.powi(-25) };
    fp::mul(draw.raster.offset_units, half_step.to_bits())
}

fn shapes(raster: &RasterState) -> [u32; 4] {
    let (repeat, pattern) = raster.line_stipple.unwrap_or((1, 0xffff));
    [raster.point_size, raster.line_width_eighths.min(0x1ff), repeat.clamp(1, 256), u32::from(pattern)]
}

fn clip_planes(draw: &Draw) -> [u32; 8] {
    std::array::from_fn(|plane| {
        let mode = match draw.viewport.clip_planes.get(plane) {
            None | Some(ClipPlane::Off) => return 0,
            Some(ClipPlane::KeepsNegative) => 1,
            Some(ClipPlane::KeepsNonNegative) => 2,
        };
        draw.vertex.outputs.clip_distances[plane].map_or(0, |distance| distance.number() | mode << 8)
    })
}

fn texcoords(draw: &Draw) -> [u32; 12] {
    let (raster, vertex) = (&draw.raster, &draw.vertex);
    std::array::from_fn(|index| {
        let Some(output) = vertex.outputs.texture_coordinates.get(index) else { return NO_REGISTER };
        let register = output.map_or(NO_REGISTER, u32::from);
        // Mesa's driver sets the enable bit only for programs that name the point coordinate, and the bits of replaced
        // coordinates without it. Unverified: that they work alone.
        let replaced = raster.point_sprite.replaced >> index & 1 != 0;
        let is_2d = raster.flat_2d_coordinates >> index & 1 != 0;
        let is_centroid = raster.samples != SampleMode::One && raster.centroid_coordinates >> index & 1 != 0;
        let wrap = (raster.cylindrical_wrap >> (4 * index) & 15) as u32;
        [(replaced, TEXCOORD_SPRITE), (is_2d, TEXCOORD_2D), (is_centroid, TEXCOORD_CENTROID)]
            .into_iter()
            .fold(register | wrap << TEXCOORD_WRAP_SHIFT, |word, (is_set, flag)| word | if is_set { flag } else { 0 })
    })
}

fn window_clips(raster: &RasterState) -> [[u32; 4]; 8] {
    raster.window_clip.as_ref().map_or([[0; 4]; 8], |clip| {
        clip.rects.map(|r| [r.x, r.y, r.x.saturating_add(r.width), r.y.saturating_add(r.height)])
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::pipeline::PointSprite;

    /// Rasterizer state with everything optional off.
    pub(crate) fn plain_raster() -> RasterState {
        RasterState {
            surface: Rect { x: 0, y: 0, width: 64, height: 64 },
            clip: Rect { x: 0, y: 0, width: 64, height: 64 },
            window_clip: None,
            is_flat: false,
            first_vertex_provokes: false,
            front_is_counter_clockwise: true,
            cull: None,
            polygon_mode: [PolygonMode::Fill; 2],
            offset_enabled: [false; 3],
            offset_factor: 0,
            offset_units: 0,
            line_width_eighths: 8,
            line_smooth: false,
            line_stipple: None,
            polygon_smooth: false,
            polygon_stipple: None,
            point_size: 1.0f32.to_bits(),
            program_point_size: false,
            point_sprite: PointSprite::default(),
            two_sided_color: false,
            flat_2d_coordinates: 0,
            centroid_coordinates: 0,
            has_exact_point_centers: false,
            edge_flag_changes: Vec::new(),
            cylindrical_wrap: 0,
            samples: SampleMode::One,
        }
    }
}
