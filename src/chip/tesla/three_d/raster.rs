//! Turns registers of viewports, primitive setup and rasterization into [`ViewportState`] and [`RasterState`].

use super::Processor;
use super::targets::rect;
use crate::arith::ONE;
use crate::chip::bits::{bit, field, field16};
use crate::chip::gl_numbers;
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use crate::pipeline::{
    ClipPlane, CullFace, Fog, FogCurve, InterpolationState, PixelCenter, PointSprite, PolygonMode, RasterState, Rect,
    SampleMode, ViewportState, WindowClip, WindowOrigin, WindowPosition,
};

/// Value of `FRONT_FACE` for counterclockwise fronts.
const COUNTER_CLOCKWISE: u32 = 0x901;
/// Widest line, in eighths of a pixel.
const WIDEST_LINE: f32 = 511.0;

/// A rectangle from two registers with the first pixel in the low half and the one behind the last in the high half.
const fn spanned(horizontal: u32, vertical: u32) -> Rect {
    let [left, right] = [horizontal & 0xffff, horizontal >> 16];
    let [top, bottom] = [vertical & 0xffff, vertical >> 16];
    Rect { x: left, y: top, width: right.saturating_sub(left), height: bottom.saturating_sub(top) }
}

impl Processor {
    /// A viewport.
    // Unverified: that window coordinates, without the transformation, are divided by w as well. Mesa's driver sends w = 1.
    pub(super) fn viewport_state(&self, number: usize) -> ViewportState {
        let registers = &self.registers;
        let control = registers.get(late::VIEW_VOLUME_CLIP_CTRL);
        let clamps_depth = bit(control, 3) || bit(control, 4);
        let transforms = registers.is_set(late::VIEWPORT_TRANSFORM_EN);
        let of = |method, otherwise| if transforms { registers.element(method, 32, number) } else { otherwise };
        let enabled = registers.get(late::CLIP_DISTANCE_ENABLE);
        let culling = registers.get(late::CLIP_DISTANCE_MODE);
        ViewportState {
            scale: [early::VIEWPORT_SCALE_X, early::VIEWPORT_SCALE_Y, early::VIEWPORT_SCALE_Z]
                .map(|method| of(method, ONE)),
            translate: [early::VIEWPORT_TRANSLATE_X, early::VIEWPORT_TRANSLATE_Y, early::VIEWPORT_TRANSLATE_Z]
                .map(|method| of(method, 0)),
            skips_transform: false,
            depth_near: registers.element(early::DEPTH_RANGE_NEAR, 16, number),
            depth_far: registers.element(early::DEPTH_RANGE_FAR, 16, number),
            // Unverified: that bit 0 turns off all clipping. Mesa's driver sets it for copies.
            clips_depth: !clamps_depth && !bit(control, 0),
            clamps_depth,
            clip_planes: std::array::from_fn(|plane| match (enabled >> plane & 1, culling >> (4 * plane) & 1) {
                (0, _) => ClipPlane::Off,
                (_, 0) => ClipPlane::KeepsNonNegative,
                _ => ClipPlane::CullsNegative,
            }),
            window_offset: [early::WINDOW_OFFSET_X, early::WINDOW_OFFSET_Y]
                .map(|method| registers.get(method).cast_signed()),
        }
    }

    /// The rasterization state for pixels of targets, those of them that drawing may touch, and the mode of the targets.
    pub(super) fn raster_state(&self, [surface, clip]: [Rect; 2], samples: SampleMode) -> RasterState {
        let registers = &self.registers;
        let mode = |method| gl_numbers::polygon_mode(registers.get(method)).unwrap_or(PolygonMode::Fill);
        let face = gl_numbers::cull_face(registers.get(late::CULL_FACE)).unwrap_or(CullFace::Back);
        let stipple = registers.get(late::LINE_STIPPLE);
        RasterState {
            surface,
            clip,
            window_clip: self.window_clip(clip),
            is_flat: false,
            first_vertex_provokes: !registers.is_set(late::PROVOKING_VERTEX_LAST),
            // Mesa's driver reports that they follow, and a G92 passes piglit's arb-provoking-vertex-render.
            first_vertex_of_quads_provokes: !registers.is_set(late::PROVOKING_VERTEX_LAST),
            front_is_counter_clockwise: registers.get(late::FRONT_FACE) == COUNTER_CLOCKWISE,
            cull: registers.is_set(late::CULL_FACE_ENABLE).then_some(face),
            polygon_mode: [mode(early::POLYGON_MODE_FRONT), mode(early::POLYGON_MODE_BACK)],
            offset_enabled: [
                early::POLYGON_OFFSET_POINT_ENABLE,
                early::POLYGON_OFFSET_LINE_ENABLE,
                early::POLYGON_OFFSET_FILL_ENABLE,
            ]
            .map(|method| registers.is_set(method)),
            offset_factor: registers.get(late::POLYGON_OFFSET_FACTOR),
            // Mesa's driver doubles OpenGL's units, here and for the GeForce 6800: one step of the format is too little for piglit's
            // gl-1.4-polygon-offset, which a G92 passes.
            offset_units: registers.get(late::POLYGON_OFFSET_UNITS),
            offset_limit: registers.get(late::POLYGON_OFFSET_CLAMP),
            line_width_eighths: eighths(registers.get(early::LINE_WIDTH)),
            line_smooth: registers.is_set(late::LINE_SMOOTH_ENABLE),
            line_stipple: registers
                .is_set(late::LINE_STIPPLE_ENABLE)
                .then_some((field(stipple, 7, 0) + 1, field16(stipple, 23, 8))),
            polygon_smooth: registers.is_set(early::POLYGON_SMOOTH_ENABLE),
            polygon_stipple: registers.is_set(late::POLYGON_STIPPLE_ENABLE).then(|| {
                // Each byte is eight pixels with the left one highest.
                let row = |row| registers.element(late::POLYGON_STIPPLE_PATTERN, 4, row).swap_bytes();
                Box::new(std::array::from_fn(row))
            }),
            point_size: registers.get(late::POINT_SIZE),
            point_sprite: PointSprite {
                enabled: registers.is_set(late::POINT_SPRITE_ENABLE),
                ..PointSprite::default()
            },
            two_sided_color: registers.is_set(late::VERTEX_TWO_SIDE_ENABLE),
            flat_2d_coordinates: 0,
            centroid_coordinates: 0,
            has_exact_point_centers: false,
            edge_flag_changes: Vec::new(),
            cylindrical_wrap: 0,
            samples: if registers.is_set(late::MULTISAMPLE_ENABLE) { samples } else { SampleMode::One },
        }
    }

    /// The pixels of targets inside a viewport, and those inside its scissor as well.
    pub(super) fn clips(&self, target: Rect, number: usize) -> [Rect; 2] {
        let of = |method| self.registers.element(method, 16, number);
        let surface = target.intersection(rect(of(early::VIEWPORT_HORIZ), of(early::VIEWPORT_VERT)));
        let scissor = spanned(of(early::SCISSOR_HORIZ), of(early::SCISSOR_VERT));
        let has_scissor = bit(of(early::SCISSOR_ENABLE), 0);
        [surface, if has_scissor { surface.intersection(scissor) } else { surface }]
    }

    /// The window clip rectangles; `None` if they do not restrict `clip`.
    fn window_clip(&self, clip: Rect) -> Option<WindowClip> {
        let registers = &self.registers;
        if !registers.is_set(late::CLIP_RECTS_EN) {
            return None;
        }
        let rects: [Rect; 8] = std::array::from_fn(|number| {
            spanned(
                registers.element(early::CLIP_RECT_HORIZ, 8, number),
                registers.element(early::CLIP_RECT_VERT, 8, number),
            )
        });
        let is_exclusive = registers.is_set(late::CLIP_RECTS_MODE);
        (!clip.is_empty()).then_some(WindowClip { rects, is_exclusive })
    }

    /// The window position as programs read it. There is no fog unit.
    pub(super) fn interpolation_state(&self) -> InterpolationState {
        let is_integer = self.registers.is_set(late::PIXEL_CENTER_INTEGER);
        InterpolationState {
            window_position: WindowPosition {
                origin: WindowOrigin::UpperLeft,
                height: 0,
                pixel_center: if is_integer { PixelCenter::Integer } else { PixelCenter::Half },
            },
            fog: Fog { curve: FogCurve::Linear, takes_magnitude: false, parameters: [0; 2] },
        }
    }
}

/// A line width in eighths of a pixel.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value lies in 0 to 511")]
fn eighths(width: u32) -> u32 {
    (f32::from_bits(width) * 8.0).clamp(0.0, WIDEST_LINE) as u32
}
