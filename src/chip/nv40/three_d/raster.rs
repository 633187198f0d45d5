//! Turns registers of primitive setup and rasterization into [`RasterState`].

use super::ThreeD;
use crate::chip::bits::{bit, field, field16, signed_high, signed_low};
use crate::chip::gl_numbers;
use crate::command::methods::three_d::{raster as methods, targets};
use crate::pipeline::{CullFace, PointSprite, PolygonMode, RasterState, Rect, SampleMode, SpriteR, WindowClip};

/// Value of `FRONT_FACE` for counterclockwise fronts.
const COUNTER_CLOCKWISE: u32 = 0x901;
/// Value of `SHADE_MODEL` for flat shading.
const FLAT: u32 = 0x1d00;
/// Widest line, in eighths of a pixel.
const WIDEST_LINE: u32 = 0x1ff;
/// Number of texture coordinates.
const COORDINATES: usize = 10;

/// A rectangle from two registers with the origin in the low and the size in the high half.
pub(super) const fn rect(horizontal: u32, vertical: u32) -> Rect {
    Rect { x: horizontal & 0xffff, y: vertical & 0xffff, width: horizontal >> 16, height: vertical >> 16 }
}

/// A rectangle from two registers with the first pixel in the low and the last in the high half.
pub(super) const fn inclusive_rect(horizontal: u32, vertical: u32) -> Rect {
    let [left, right] = [field(horizontal, 11, 0), field(horizontal, 27, 16)];
    let [top, bottom] = [field(vertical, 11, 0), field(vertical, 27, 16)];
    Rect { x: left, y: top, width: (right + 1).saturating_sub(left), height: (bottom + 1).saturating_sub(top) }
}

/// A rectangle moved by an offset, without the part before the first pixel.
fn moved(rect: Rect, offset: [i32; 2]) -> Rect {
    let edge = |pixel: u32, by: i32| pixel.saturating_add_signed(by);
    let [x, y] = [edge(rect.x, offset[0]), edge(rect.y, offset[1])];
    let [right, bottom] = [edge(rect.x + rect.width, offset[0]), edge(rect.y + rect.height, offset[1])];
    Rect { x, y, width: right - x, height: bottom - y }
}

impl ThreeD {
    /// The scissor rectangle.
    pub(super) fn scissor(&self) -> Rect {
        rect(self.registers.get(methods::SCISSOR_HORIZ), self.registers.get(methods::SCISSOR_VERT))
    }

    /// The rasterization state for targets of this rectangle.
    pub(super) fn raster_state(&self, target: Rect) -> RasterState {
        let registers = &self.registers;
        let viewport = rect(registers.get(methods::VIEWPORT_HORIZ), registers.get(methods::VIEWPORT_VERT));
        // A driver draws small mip levels at an origin, with the viewport and scissor of the level alone; the
        // origin moves both.
        let origin = registers.get(targets::VIEWPORT_TX_ORIGIN);
        let moved = |rect| target.intersection(moved(rect, [signed_low(origin), signed_high(origin)]));
        let (surface, clip) = (moved(viewport), moved(viewport.intersection(self.scissor())));
        let mode = |method| gl_numbers::polygon_mode(registers.get(method)).unwrap_or(PolygonMode::Fill);
        let face = gl_numbers::cull_face(registers.get(methods::CULL_FACE)).unwrap_or(CullFace::Back);
        let stipple = registers.get(methods::LINE_STIPPLE_PATTERN);
        let sprite = registers.get(methods::POINT_SPRITE);
        // An open GL of a console with this chip sets bit 0 for two-dimensional coordinates and bit 4 for centroids.
        let coordinates = |flag: u32| {
            (0..COORDINATES).fold(0, |flags, index| {
                flags | ((registers.element(methods::TEX_COORD_CONTROL, 4, index) >> flag & 1) as u16) << index
            })
        };
        let wrap = |index| u64::from(registers.element(methods::CYLINDRICAL_WRAP, 4, index));
        RasterState {
            surface,
            clip,
            window_clip: self.window_clip(clip),
            is_flat: registers.get(methods::SHADE_MODEL) == FLAT,
            first_vertex_provokes: registers.is_set(methods::FLATSHADE_FIRST),
            // `EXT_provoking_vertex` leaves quadrilaterals to the chip, and Mesa's driver reports that they do not follow.
            // Unverified: the same on the chip.
            first_vertex_of_quads_provokes: false,
            front_is_counter_clockwise: registers.get(methods::FRONT_FACE) == COUNTER_CLOCKWISE,
            cull: registers.is_set(methods::CULL_FACE_ENABLE).then_some(face),
            polygon_mode: [mode(methods::POLYGON_MODE_FRONT), mode(methods::POLYGON_MODE_BACK)],
            offset_enabled: [
                methods::POLYGON_OFFSET_POINT_ENABLE,
                methods::POLYGON_OFFSET_LINE_ENABLE,
                methods::POLYGON_OFFSET_FILL_ENABLE,
            ]
            .map(|method| registers.is_set(method)),
            offset_factor: registers.get(methods::POLYGON_OFFSET_FACTOR),
            offset_units: registers.get(methods::POLYGON_OFFSET_UNITS),
            offset_limit: 0,
            line_width_eighths: registers.get(methods::LINE_WIDTH).min(WIDEST_LINE),
            line_smooth: registers.is_set(methods::LINE_SMOOTH_ENABLE),
            line_stipple: registers
                .is_set(methods::LINE_STIPPLE_ENABLE)
                .then_some((field(stipple, 7, 0) + 1, (stipple >> 16) as u16)),
            polygon_smooth: registers.is_set(methods::POLYGON_SMOOTH_ENABLE),
            polygon_stipple: registers.is_set(methods::POLYGON_STIPPLE_ENABLE).then(|| {
                Box::new(std::array::from_fn(|row| {
                    // The words count from below, and each of their bytes is eight pixels with the left one highest.
                    registers.element(methods::POLYGON_STIPPLE_PATTERN, 4, 31 - row).swap_bytes()
                }))
            }),
            point_size: registers.get(methods::POINT_SIZE),
            point_sprite: PointSprite {
                enabled: bit(sprite, 0),
                r: match field(sprite, 2, 1) {
                    1 => SpriteR::R,
                    2 => SpriteR::S,
                    _ => SpriteR::Zero,
                },
                replaced: field16(sprite, 17, 8),
            },
            two_sided_color: registers.is_set(methods::VERTEX_TWO_SIDE_ENABLE),
            flat_2d_coordinates: coordinates(0),
            centroid_coordinates: coordinates(4),
            // Unverified: the values are those of later chips, 0 for OpenGL and 1 for Direct3D.
            has_exact_point_centers: registers.is_set(methods::POINT_CENTER_MODE),
            edge_flag_changes: Vec::new(),
            cylindrical_wrap: wrap(0) | wrap(1) << 32,
            samples: if registers.get(methods::MULTISAMPLE_CONTROL) & 1 != 0 {
                self.sample_mode()
            } else {
                SampleMode::One
            },
        }
    }

    /// The window clip rectangles; `None` if they do not restrict `clip`.
    fn window_clip(&self, clip: Rect) -> Option<WindowClip> {
        let registers = &self.registers;
        let rects: [Rect; 8] = std::array::from_fn(|index| {
            inclusive_rect(
                registers.element(targets::VIEWPORT_CLIP_HORIZ, 8, index),
                registers.element(targets::VIEWPORT_CLIP_VERT, 8, index),
            )
        });
        let is_exclusive = registers.is_set(targets::VIEWPORT_CLIP_MODE);
        let cuts_nothing = if is_exclusive {
            rects.iter().all(|rect| rect.intersection(clip).is_empty())
        } else {
            rects.iter().any(|rect| rect.intersection(clip) == clip)
        };
        (!cuts_nothing && !clip.is_empty()).then_some(WindowClip { rects, is_exclusive })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewport_moves_with_the_origin() {
        // The last level of a texture of 32-bit texels: the driver's 16x2 target at a multiple of 64 bytes, origin
        // (2, 0).
        let mut three_d = ThreeD::new();
        for (method, value) in
            [(methods::VIEWPORT_HORIZ, 1 << 16), (methods::VIEWPORT_VERT, 1 << 16), (targets::VIEWPORT_TX_ORIGIN, 2)]
        {
            three_d.registers.set(method, value);
        }
        let target = Rect { x: 0, y: 0, width: 16, height: 2 };
        assert_eq!(three_d.raster_state(target).clip, Rect { x: 2, y: 0, width: 1, height: 1 });
        three_d.registers.set(methods::SCISSOR_VERT, 0);
        let state = three_d.raster_state(target);
        assert!(state.clip.is_empty());
        assert_eq!(state.surface, Rect { x: 2, y: 0, width: 1, height: 1 }, "the scissor does not count");
        // Moved up and to the left, nothing of it remains.
        three_d.registers.set(targets::VIEWPORT_TX_ORIGIN, 0xffff_ffff);
        assert!(three_d.raster_state(target).clip.is_empty());
    }
}
