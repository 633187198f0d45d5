//! Viewports, primitive set-up and rasterization.

use curie::pipeline::{CullFace, PixelCenter, PolygonMode, Rect, SampleMode};

use super::super::tesla_draws::{Methods, STATE, TRIANGLE, draw};
use super::{f, notes};

#[test]
fn the_viewport_scales_moves_and_has_a_range_of_depths() {
    let viewport = draw(&[
        (0xa00, &[f(2.0), f(3.0), f(0.25), f(4.0), f(5.0), f(0.5)]),
        (0xc08, &[f(0.25), f(0.75)]),
        (0xdf8, &[3, (-2_i32).cast_unsigned()]),
    ])
    .viewport;
    assert_eq!((viewport.scale, viewport.translate), ([2.0, 3.0, 0.25].map(f), [4.0, 5.0, 0.5].map(f)));
    assert_eq!((viewport.depth_near, viewport.depth_far, viewport.window_offset), (f(0.25), f(0.75), [3, -2]));
    // Window coordinates need no transformation.
    let window = draw(&[(0x192c, &[0])]).viewport;
    assert_eq!((window.scale, window.translate), ([f(1.0); 3], [f(0.0); 3]));
}

#[test]
fn depths_are_clipped_or_clamped() {
    let depths = |control: u32| {
        let viewport = draw(&[(0x193c, &[control])]).viewport;
        (viewport.clips_depth, viewport.clamps_depth)
    };
    assert_eq!([0, 0x18, 1].map(depths), [(true, false), (false, true), (false, false)]);
    assert!(notes(&[STATE, &[(0x193c, &[8])], TRIANGLE]).contains("clamping of one end of the depths"));
}

#[test]
fn viewport_and_scissor_cut_the_targets() {
    let clip = |more: Methods<'_>| draw(more).raster.clip;
    assert_eq!(clip(&[(0xe00, &[0])]), Rect { x: 0, y: 0, width: 100, height: 60 });
    assert_eq!(clip(&[(0xe00, &[1, 50 << 16 | 20, 25 << 16 | 15])]), Rect { x: 20, y: 15, width: 30, height: 10 });
    assert_eq!(
        clip(&[(0xe00, &[0]), (0xc00, &[30 << 16 | 5, 40 << 16 | 6])]),
        Rect { x: 5, y: 6, width: 30, height: 40 }
    );
    assert_eq!(clip(&[(0xe00, &[0]), (0xff4, &[70 << 16, 50 << 16])]), Rect { x: 0, y: 0, width: 70, height: 50 });
}

#[test]
fn clip_rectangles_keep_inside_or_outside() {
    let rectangles: Methods<'_> = &[(0xd00, &[20 << 16 | 10, 8 << 16 | 5]), (0xd38, &[4 << 16 | 3, 2 << 16 | 1])];
    assert_eq!(draw(rectangles).raster.window_clip, None);
    let clip = |mode: u32| draw(&[rectangles, &[(0x194c, &[1, mode])]].concat()).raster.window_clip.unwrap();
    assert_eq!(clip(0).rects[0], Rect { x: 10, y: 5, width: 10, height: 3 });
    assert_eq!(clip(0).rects[7], Rect { x: 3, y: 1, width: 1, height: 1 });
    assert_eq!([0, 1].map(|mode| clip(mode).is_exclusive), [false, true]);
}

#[test]
fn polygons_have_modes_and_offsets() {
    let raster = draw(&[
        (0xdac, &[0x1b00, 0x1b01]),
        (0x1918, &[1, 0x901, 0x404]),
        (0x156c, &[f(1.5)]),
        (0x15bc, &[f(4.0)]),
        (0x187c, &[f(0.125)]),
        (0xdc0, &[1, 0, 1]),
        (0xdb4, &[1]),
    ])
    .raster;
    assert_eq!(raster.polygon_mode, [PolygonMode::Point, PolygonMode::Line]);
    assert_eq!((raster.cull, raster.front_is_counter_clockwise), (Some(CullFace::Front), true));
    // Mesa's driver sends twice OpenGL's units.
    assert_eq!((raster.offset_factor, raster.offset_units, raster.offset_limit), (f(1.5), f(4.0), f(0.125)));
    assert_eq!((raster.offset_enabled, raster.polygon_smooth), ([true, false, true], true));
    assert_eq!(draw(&[(0xdc4, &[1])]).raster.offset_enabled, [false, true, false]);
    let plain = draw(&[]).raster;
    assert_eq!((plain.cull, plain.polygon_mode), (None, [PolygonMode::Fill; 2]));
}

#[test]
fn lines_and_stipples() {
    let raster = draw(&[
        (0x13b0, &[f(2.5)]),
        (0x1570, &[1]),
        (0x166c, &[1]),
        (0x1680, &[0xa5f0 << 8 | 2]),
        (0x168c, &[1]),
        (0x1700 + 4 * 31, &[0x8000_0001]),
    ])
    .raster;
    assert_eq!((raster.line_width_eighths, raster.line_smooth), (20, true));
    assert_eq!(raster.line_stipple, Some((3, 0xa5f0)));
    // The first byte of a row has its left pixels, the left one highest.
    let stipple = raster.polygon_stipple.unwrap();
    assert_eq!((stipple[0], stipple[31]), (0, 0x0100_0080));
    let plain = draw(&[]).raster;
    assert_eq!((plain.line_width_eighths, plain.line_stipple, plain.polygon_stipple), (8, None, None));
}

#[test]
fn points_and_pixel_centers() {
    let points = draw(&[(0x1518, &[f(3.0)]), (0x1520, &[1]), (0x1924, &[1])]);
    assert_eq!((points.raster.point_size, points.raster.point_sprite.enabled), (f(3.0), true));
    assert_eq!(points.interpolation.window_position.pixel_center, PixelCenter::Integer);
    assert_eq!(draw(&[]).interpolation.window_position.pixel_center, PixelCenter::Half);
    assert!(notes(&[&[(0x1658, &[1])]]).contains("smooth points"));
    assert!(notes(&[&[(0x165c, &[1])]]).contains("points by the rules of Direct3D"));
}

#[test]
fn sprites_count_rows_from_above_or_below() {
    use curie::pipeline::{SpriteValue, WindowOrigin};
    let sprite = |origin: u32| {
        let draw = draw(&[(0x1520, &[1]), (0x13c0, &[0x0002_0000]), (0x1660, &[origin << 4])]);
        super::super::tesla_draws::fragment(&draw).interpolants[&1].sprite
    };
    let origins = [WindowOrigin::LowerLeft, WindowOrigin::UpperLeft];
    assert_eq!([0, 1].map(sprite), origins.map(|origin| Some(SpriteValue::T(origin))));
}

#[test]
fn the_first_or_the_last_vertex_provokes() {
    let of = |last: u32| draw(&[(0x1684, &[last])]).raster;
    assert_eq!([0, 1].map(|last| of(last).first_vertex_provokes), [true, false]);
    assert_eq!([0, 1].map(|last| of(last).first_vertex_of_quads_provokes), [true, false]);
}

/// Texels of four samples: a pixel is two texels wide and high.
#[test]
fn pixels_have_samples() {
    let draw = draw(&[(0x15d0, &[2]), (0x1534, &[1])]);
    assert_eq!((draw.targets.samples, draw.raster.samples), (SampleMode::FourRotated, SampleMode::FourRotated));
    assert_eq!(draw.targets.rect, Rect { x: 0, y: 0, width: 50, height: 30 });
    let single = super::super::tesla_draws::draw(&[(0x15d0, &[2])]);
    assert_eq!((single.targets.samples, single.raster.samples), (SampleMode::FourRotated, SampleMode::One));
}
