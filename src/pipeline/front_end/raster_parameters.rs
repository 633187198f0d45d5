//! Derives from the state of a draw what setup, rasterizer and interpolation read, on both engines.

use crate::arith::fragment as fp;
use crate::format::ZetaFormat;
use crate::pipeline::{
    ClipPlane, Draw, Fog, MAX_CLIP_DISTANCES, OutputComponent, PolygonMode, RasterState, Rect, SampleMode,
    VertexOutputs, ViewportState, WindowClip, WindowPosition,
};

/// Columns and rows that the rasterizer can address; the viewport of chips before the Tesla generation has at most 4096.
pub const SURFACE_LIMIT: u32 = 8192;
/// Vertices farther than this many pixels from the origin are clipped geometrically.
pub const GUARD_PIXELS: i32 = 8192;

/// The state of a draw that setup, rasterizer and interpolation read, with values derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RasterParameters<'draw> {
    /// Viewport and depth range.
    pub viewport: &'draw ViewportState,
    /// State of setup and rasterization. The rectangles in effect are `clip` and `window_clip` below.
    pub raster: &'draw RasterState,
    /// The output slots that hold colors, fog coordinate and point size.
    pub outputs: &'draw VertexOutputs,
    /// The fog factor.
    pub fog: Fog,
    /// The conventions of the window position.
    pub window_position: WindowPosition,
    /// Pixels that drawing may touch, limited to those that the rasterizer can address.
    pub clip: Rect,
    /// Window clip rectangles; `None` if none removes anything.
    pub window_clip: Option<&'draw WindowClip>,
    /// Viewport translation with the window offset added; only the offset for positions in window coordinates.
    pub translate: [u32; 3],
    /// Constant polygon offset, as float bits.
    pub offset_constant: u32,
    /// The draw can contain smooth lines.
    pub has_smooth_lines: bool,
    /// The draw can contain smooth filled polygons.
    pub has_smooth_polygons: bool,
    /// User clip planes; `None` for disabled planes and those whose distance the program does not output.
    pub user_clips: [Option<UserClip>; MAX_CLIP_DISTANCES],
    /// The outputs with distances that drop whole primitives.
    pub cull_distances: [Option<OutputComponent>; MAX_CLIP_DISTANCES],
    /// How many inputs of the fragment program are interpolated.
    pub input_slots: usize,
    /// Texture coordinates.
    pub texture_coordinates: [TextureCoordinate; 10],
}

/// A user clip plane in effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserClip {
    /// The output that holds the distance from the plane.
    pub distance: OutputComponent,
    /// Keeps distances below 0; otherwise those of 0 and above.
    pub keeps_negative: bool,
}

/// How a texture coordinate is interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureCoordinate {
    /// The output slot; `None` if the program does not output it.
    pub slot: Option<u8>,
    /// Point sprites replace it.
    pub is_sprite: bool,
    /// z reads as 0 and w as the position's w.
    pub is_2d: bool,
    /// It is interpolated at a covered position of the pixel.
    pub is_centroid: bool,
    /// x, y, z, w take the shorter way around a cylinder.
    pub wraps: [bool; 4],
}

impl<'draw> RasterParameters<'draw> {
    /// Gathers the state of a draw.
    #[must_use]
    pub fn new(draw: &'draw Draw) -> Self {
        Self {
            viewport: &draw.viewport,
            raster: &draw.raster,
            outputs: &draw.outputs,
            fog: draw.interpolation.fog,
            window_position: draw.interpolation.window_position,
            clip: addressable(draw.raster.clip),
            window_clip: draw.raster.window_clip.as_ref(),
            translate: translate(&draw.viewport),
            offset_constant: offset_constant(draw),
            has_smooth_lines: draw.can_draw_smooth_lines(),
            has_smooth_polygons: draw.can_draw_smooth_polygons(),
            user_clips: user_clips(draw),
            cull_distances: cull_distances(draw),
            input_slots: draw.fragment.input_slots(),
            texture_coordinates: texture_coordinates(draw),
        }
    }

    /// The state of a draw over the whole surface, without scissor and window clips; `None` if these reject nothing.
    #[must_use]
    pub fn over_surface(draw: &'draw Draw) -> Option<Self> {
        let over_surface = || Self { clip: addressable(draw.raster.surface), window_clip: None, ..Self::new(draw) };
        draw.raster.cuts_surface().then(over_surface)
    }
}

impl Draw {
    /// Whether it can contain smooth lines. With multisampling, samples determine the coverage of lines instead.
    #[must_use]
    pub fn can_draw_smooth_lines(&self) -> bool {
        let is_lines = match self.rasterized_primitive().corners() {
            1 => false,
            2 => true,
            _ => self.raster.polygon_mode.contains(&PolygonMode::Line),
        };
        self.raster.line_smooth && self.raster.samples == SampleMode::One && is_lines
    }

    /// Whether it can contain smooth filled polygons. With multisampling, samples determine their coverage instead.
    #[must_use]
    pub fn can_draw_smooth_polygons(&self) -> bool {
        let is_filled =
            self.rasterized_primitive().corners() == 3 && self.raster.polygon_mode.contains(&PolygonMode::Fill);
        self.raster.polygon_smooth && self.raster.samples == SampleMode::One && is_filled
    }

    /// Whether alpha is multiplied by coverage.
    #[must_use]
    pub fn has_alpha_coverage(&self) -> bool {
        self.can_draw_smooth_lines() || self.can_draw_smooth_polygons()
    }
}

/// The part of a rectangle that the rasterizer can address.
fn addressable(rect: Rect) -> Rect {
    rect.intersection(Rect { x: 0, y: 0, width: SURFACE_LIMIT, height: SURFACE_LIMIT })
}

fn translate(viewport: &ViewportState) -> [u32; 3] {
    let mut translate = if viewport.skips_transform { [0; 3] } else { viewport.translate };
    for (value, offset) in translate.iter_mut().zip(viewport.window_offset) {
        *value = fp::add(*value, fp::int_to_float(offset.clamp(-4096, 4095)));
    }
    translate
}

/// Constant polygon offset counts steps of the depth format; without one, or for float depth, those of 24 bits.
///
/// For offsets in units of the depth range, Mesa's drivers of later chips write 2^24 units, 2^16 for 16-bit depth. xemu adds
/// the units of the GeForce 3 to depths in steps. OpenGL programs get two steps a unit, because the drivers double units.
// Unverified: that this chip's unit is the same.
fn offset_constant(draw: &Draw) -> u32 {
    let is_16_bit = draw.targets.zeta.is_some_and(|zeta| zeta.format == ZetaFormat::Z16);
    let step = if is_16_bit { 2.0f32.powi(-16) } else { 2.0f32.powi(-24) };
    fp::mul(draw.raster.offset_units, step.to_bits())
}

fn user_clips(draw: &Draw) -> [Option<UserClip>; MAX_CLIP_DISTANCES] {
    std::array::from_fn(|plane| {
        let keeps_negative = match draw.viewport.clip_planes[plane] {
            ClipPlane::Off | ClipPlane::CullsNegative => return None,
            ClipPlane::KeepsNegative => true,
            ClipPlane::KeepsNonNegative => false,
        };
        draw.outputs.clip_distances[plane].map(|distance| UserClip { distance, keeps_negative })
    })
}

fn cull_distances(draw: &Draw) -> [Option<OutputComponent>; MAX_CLIP_DISTANCES] {
    std::array::from_fn(|plane| {
        draw.outputs.clip_distances[plane].filter(|_| draw.viewport.clip_planes[plane] == ClipPlane::CullsNegative)
    })
}

fn texture_coordinates(draw: &Draw) -> [TextureCoordinate; 10] {
    let raster = &draw.raster;
    std::array::from_fn(|index| TextureCoordinate {
        slot: draw.outputs.texture_coordinates[index],
        is_sprite: raster.point_sprite.replaces(index),
        is_2d: raster.flat_2d_coordinates >> index & 1 != 0,
        is_centroid: raster.samples != SampleMode::One && raster.centroid_coordinates >> index & 1 != 0,
        wraps: std::array::from_fn(|component| raster.cylindrical_wrap >> (4 * index + component) & 1 != 0),
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
            first_vertex_of_quads_provokes: false,
            front_is_counter_clockwise: true,
            cull: None,
            polygon_mode: [PolygonMode::Fill; 2],
            offset_enabled: [false; 3],
            offset_factor: 0,
            offset_units: 0,
            offset_limit: 0,
            line_width_eighths: 8,
            line_smooth: false,
            line_stipple: None,
            polygon_smooth: false,
            polygon_stipple: None,
            point_size: 1.0f32.to_bits(),
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
