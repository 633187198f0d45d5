//! Properties of rasterization on any engine: each pixel once, exact counts, no dependence on tiles.

use curie::pipeline::front_end::assemble_primitives::assemble_primitives;
use curie::pipeline::front_end::raster_parameters::RasterParameters;
use curie::pipeline::primitive_setup::{RECORD_FRONT, RECORD_NOT_FINITE};
use curie::pipeline::{
    ClipPlane, CullFace, Draw, PointSprite, PolygonMode, PrimitiveType, Rect, ShadedVertex, SpriteR, VertexOutputs,
    WindowClip,
};
use curie::reference::interp::interpolate::interpolate;
use curie::reference::raster::rasterize_tiles::{CoveredQuad, rasterize_tiles};
use curie::reference::setup::set_up_primitives::set_up_primitives;

use super::scene::{Random, plain_draw, vertex};

fn quads(draw: &Draw, vertices: &[ShadedVertex], tile_size: u32) -> Vec<CoveredQuad> {
    let elements: Vec<u32> = (0..vertices.len() as u32).collect();
    let primitives = assemble_primitives(draw.primitive, &elements, &draw.raster);
    let parameters = RasterParameters::new(draw);
    let records = set_up_primitives(&parameters, vertices, &primitives);
    rasterize_tiles(&parameters, vertices, &records, tile_size).into_iter().flat_map(|tile| tile.quads).collect()
}

/// How often each pixel of 64×64 is covered, after the depth test of interpolation.
fn counts(draw: &Draw, vertices: &[ShadedVertex]) -> Vec<u32> {
    let elements: Vec<u32> = (0..vertices.len() as u32).collect();
    let primitives = assemble_primitives(draw.primitive, &elements, &draw.raster);
    let parameters = RasterParameters::new(draw);
    let records = set_up_primitives(&parameters, vertices, &primitives);
    let mut counts = vec![0; 64 * 64];
    for quad in rasterize_tiles(&parameters, vertices, &records, 16).into_iter().flat_map(|tile| tile.quads) {
        let inputs = interpolate(&parameters, vertices, &records[quad.record as usize], quad);
        for pixel in 0..4 {
            if inputs.coverage >> pixel & 1 != 0 {
                counts[((inputs.y + pixel / 2) * 64 + inputs.x + pixel % 2) as usize] += 1;
            }
        }
    }
    counts
}

fn at(points: &[(f32, f32)]) -> Vec<ShadedVertex> {
    points.iter().map(|&(x, y)| vertex([x, y, 0.5, 1.0])).collect()
}

#[test]
fn pixels_of_a_fan_are_covered_exactly_once() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::TriangleFan;
    for seed in 0..40 {
        let mut random = Random(seed);
        let mut points = vec![(random.float(5.0, 60.0), random.float(5.0, 60.0))];
        let mut ring = vec![(-3.0, -3.0), (70.0, -3.0), (70.0, 70.0), (-3.0, 70.0), (-3.0, -3.0)];
        for side in (0..4).rev() {
            let (from, to) = (ring[side], ring[side + 1]);
            let share = random.float(0.1, 0.9);
            ring.insert(side + 1, (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share));
        }
        points.extend(ring);
        assert!(counts(&draw, &at(&points)).iter().all(|count| *count == 1), "seed {seed}");
    }
}

#[test]
fn clipped_triangles_share_their_edges() {
    // The same with a ground plane that extends below and behind the eye; pixels of the far half are covered once,
    // those of the sky never.
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::TriangleStrip;
    draw.viewport.scale = [32.0f32.to_bits(), 32.0f32.to_bits(), 0.5f32.to_bits()];
    draw.viewport.translate = [32.0f32.to_bits(), 32.0f32.to_bits(), 0.5f32.to_bits()];
    let ground = |x: f32, distance: f32| {
        // Near 1, far 100.
        vertex([x, 1.0, distance * 101.0 / 99.0 - 200.0 / 99.0, distance])
    };
    let vertices: Vec<_> =
        (0..20).map(|i| ground((i / 2) as f32 * 20.0 - 100.0, if i % 2 == 0 { -40.0 } else { 90.0 })).collect();
    let counts = counts(&draw, &vertices);
    for (index, count) in counts.iter().enumerate() {
        let row = index / 64;
        // Row r sees the ground at distance 32 / (r + 0.5 - 32): 64 in row 32, 1.02 in row 63, both in range.
        let expected = u32::from(row >= 32);
        assert_eq!(*count, expected, "pixel {}, {row}", index % 64);
    }
}

#[test]
fn rectangles_cover_exact_counts() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Quads;
    // Pixel centers lie at halves; a center on the left or upper edge is inside, on the right or lower edge outside.
    for (low, high, expected) in [
        ((3.0, 5.0), (10.0, 9.0), 28),
        ((3.5, 5.5), (10.5, 9.5), 28),
        ((3.5625, 5.0), (10.5, 9.0), 24),
        ((3.5, 5.0), (10.5625, 9.0), 32),
        ((3.25, 3.25), (3.5, 3.5), 0),
        ((3.5, 3.5), (3.5625, 3.5625), 1),
        ((-10.0, -10.0), (100.0, 100.0), 64 * 64),
    ] {
        let corners = [low, (high.0, low.1), high, (low.0, high.1)];
        let total: u32 = counts(&draw, &at(&corners)).iter().sum();
        assert_eq!(total, expected, "{low:?} to {high:?}");
        let reversed: Vec<_> = corners.into_iter().rev().collect();
        assert_eq!(counts(&draw, &at(&reversed)).iter().sum::<u32>(), expected, "reversed");
    }
}

#[test]
fn tiles_do_not_matter() {
    let mut random = Random(7);
    let points: Vec<_> = (0..90).map(|_| (random.float(-20.0, 90.0), random.float(-20.0, 90.0))).collect();
    let mut draw = plain_draw();
    draw.raster.clip = Rect { x: 3, y: 5, width: 50, height: 41 };
    let vertices = at(&points);
    let sorted = |tile_size| {
        let mut quads = quads(&draw, &vertices, tile_size);
        quads.sort_unstable();
        quads
    };
    let expected = sorted(64);
    assert!(!expected.is_empty());
    for tile_size in [2, 8, 16, 32] {
        assert_eq!(sorted(tile_size), expected, "tile size {tile_size}");
    }
}

#[test]
fn order_inside_tiles_is_submission_order() {
    let mut random = Random(8);
    let points: Vec<_> = (0..90).map(|_| (random.float(0.0, 64.0), random.float(0.0, 64.0))).collect();
    let draw = plain_draw();
    let parameters = RasterParameters::new(&draw);
    let vertices = at(&points);
    let elements: Vec<u32> = (0..90).collect();
    let primitives = assemble_primitives(PrimitiveType::Triangles, &elements, &draw.raster);
    let records = set_up_primitives(&parameters, &vertices, &primitives);
    for tile in rasterize_tiles(&parameters, &vertices, &records, 16) {
        assert!(tile.quads.is_sorted_by_key(|quad| (quad.record, quad.y, quad.x)));
    }
}

#[test]
fn window_positions_move_with_the_window_origin() {
    let at_origin = at(&[(8.0, 8.0), (24.0, 8.0), (8.0, 24.0)]);
    let moved = at(&[(13.0, 5.0), (29.0, 5.0), (13.0, 21.0)]);
    let mut draw = plain_draw();
    draw.viewport.skips_transform = true;
    let expected = counts(&draw, &moved);
    assert_eq!(expected.iter().sum::<u32>(), 15 * 16 / 2, "the slope's pixels belong to the other side");
    assert_ne!(counts(&draw, &at_origin), expected);
    draw.viewport.window_offset = [5, -3];
    assert_eq!(counts(&draw, &at_origin), expected);
}

#[test]
fn facing_follows_the_sign_of_the_area() {
    // To the lower left, to the right, and back up: rows count downward.
    let counter_clockwise = at(&[(0.0, 0.0), (0.0, 20.0), (20.0, 0.0)]);
    let elements = [0, 1, 2];
    for front_is_ccw in [true, false] {
        let mut draw = plain_draw();
        draw.raster.front_is_counter_clockwise = front_is_ccw;
        let primitives = assemble_primitives(PrimitiveType::Triangles, &elements, &draw.raster);
        let records = set_up_primitives(&RasterParameters::new(&draw), &counter_clockwise, &primitives);
        assert_eq!(records[0].has(RECORD_FRONT), front_is_ccw);
        draw.raster.cull = Some(if front_is_ccw { CullFace::Front } else { CullFace::Back });
        assert!(quads(&draw, &counter_clockwise, 16).is_empty());
        draw.raster.cull = Some(if front_is_ccw { CullFace::Back } else { CullFace::Front });
        assert!(!quads(&draw, &counter_clockwise, 16).is_empty());
    }
}

#[test]
fn lines_cover_one_pixel_a_column_and_points_a_square() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Lines;
    let total = |draw: &Draw, points: &[(f32, f32)]| counts(draw, &at(points)).iter().sum::<u32>();
    assert_eq!(total(&draw, &[(2.5, 3.5), (12.5, 8.25)]), 10);
    assert_eq!(total(&draw, &[(12.5, 8.25), (2.5, 3.5)]), 10);
    assert_eq!(total(&draw, &[(4.5, 30.5), (8.0, 2.5)]), 28);
    draw.raster.line_width_eighths = 24;
    assert_eq!(total(&draw, &[(2.5, 13.5), (12.5, 8.25)]), 30);
    draw.raster.line_stipple = Some((1, 0x00ff));
    assert_eq!(total(&draw, &[(2.5, 13.5), (22.5, 13.5)]), 3 * (8 + 4));
    draw.raster.line_stipple = None;
    draw.primitive = PrimitiveType::Points;
    draw.raster.point_size = 7.0f32.to_bits();
    assert_eq!(total(&draw, &[(20.3, 20.9)]), 49);
    draw.raster.point_size = 40.0f32.to_bits();
    assert_eq!(total(&draw, &[(0.0, 0.0)]), 400);
    // OpenGL 2.1, section 3.3.1: an odd point is centered on the pixel that contains its position.
    draw.raster.point_size = 7.0f32.to_bits();
    let row: Vec<u32> = counts(&draw, &at(&[(20.0, 20.0)]))[20 * 64..21 * 64].to_vec();
    let expected: Vec<u32> = (0..64).map(|x| u32::from((17..24).contains(&x))).collect();
    assert_eq!(row, expected);
}

/// OpenGL 2.1, section 3.4.2: a wide line covers as many pixels as it is wide in each column, here 3 to 16. The center of
/// column 3 lies before the line's start, where its upper side is a row higher than anywhere along the line.
#[test]
fn wide_lines_keep_their_width_at_their_ends() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Lines;
    draw.raster.line_width_eighths = 12 * 8;
    for row in [0.0, 1.0] {
        let covered = counts(&draw, &at(&[(3.8125, 26.625 + row), (17.1875, 35.875 + row)]));
        let columns: Vec<u32> = (0..64).map(|x| (0..64).map(|y| covered[y * 64 + x]).sum()).collect();
        let expected: Vec<u32> = (0..64).map(|x| if (3..17).contains(&x) { 12 } else { 0 }).collect();
        assert_eq!(columns, expected, "{row}");
    }
}

#[test]
fn stipple_counts_on_through_a_strip() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::LineStrip;
    draw.raster.line_stipple = Some((1, 0x0f0f));
    let pieces = counts(&draw, &at(&[(2.5, 9.5), (9.5, 9.5), (31.5, 9.5)]));
    let whole = counts(&draw, &at(&[(2.5, 9.5), (31.5, 9.5)]));
    assert_eq!(pieces, whole);
    assert_eq!(whole[9 * 64 + 2..9 * 64 + 12], [1, 1, 1, 1, 0, 0, 0, 0, 1, 1]);
}

/// OpenGL 2.1, sections 3.4.2 and 4.1.2: lines are stippled as they are rasterized, the scissor test comes later.
#[test]
fn lines_outside_the_scissor_count_in_the_stipple() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::LineStrip;
    draw.raster.line_stipple = Some((1, 0x0f0f));
    let strip = at(&[(2.5, 9.5), (9.5, 9.5), (31.5, 9.5)]);
    draw.raster.clip = Rect { x: 14, y: 0, width: 50, height: 64 };
    // Columns 2 to 8 and 9 to 30 are pixels 0 to 6 and 7 to 28. The pattern leaves out pixels 12 to 15.
    assert_eq!(counts(&draw, &strip)[9 * 64 + 13..9 * 64 + 19], [0, 0, 0, 0, 0, 1]);
}

/// The share of each pixel of 64×64 that a smooth line covers; 0 if it draws nothing.
fn shares(draw: &Draw, points: &[(f32, f32)]) -> Vec<f32> {
    let vertices = at(points);
    let elements: Vec<u32> = (0..vertices.len() as u32).collect();
    let parameters = RasterParameters::new(draw);
    let primitives = assemble_primitives(draw.primitive, &elements, &draw.raster);
    let records = set_up_primitives(&parameters, &vertices, &primitives);
    let mut shares = vec![0.0; 64 * 64];
    for quad in rasterize_tiles(&parameters, &vertices, &records, 16).into_iter().flat_map(|tile| tile.quads) {
        let inputs = interpolate(&parameters, &vertices, &records[quad.record as usize], quad);
        let alpha = inputs.alpha_coverage.expect("the draw has smooth lines");
        for (pixel, share) in (0..4).zip(alpha) {
            let share = f32::from_bits(share);
            assert_eq!(inputs.coverage >> pixel & 1 != 0, share > 0.0);
            shares[((inputs.y + pixel / 2) * 64 + inputs.x + pixel % 2) as usize] += share;
        }
    }
    shares
}

/// The square root and its reciprocal are not exact.
#[track_caller]
fn assert_share(shares: &[f32], (x, y): (usize, usize), expected: f32) {
    let share = shares[y * 64 + x];
    assert!((share - expected).abs() < 1e-4, "({x}, {y}): {share}, expected {expected}");
}

fn smooth_lines(width_eighths: u32) -> Draw {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Lines;
    draw.raster.line_smooth = true;
    draw.raster.line_width_eighths = width_eighths;
    draw
}

#[test]
fn smooth_lines_fade_over_a_pixel() {
    // Three wide: 2 − distance across, and 0.5 + distance to the nearer end.
    let covered = shares(&smooth_lines(24), &[(10.25, 20.75), (20.125, 20.75)]);
    for (row, across) in [(18, 0.0), (19, 0.75), (20, 1.0), (21, 1.0), (22, 0.25), (23, 0.0)] {
        for (column, along) in [(9, 0.0), (10, 0.75), (11, 1.0), (19, 1.0), (20, 0.125), (21, 0.0)] {
            assert_share(&covered, (column, row), across * along);
        }
    }
    // A 3-4-5 direction, two wide. (13.5, 13.5) is 4.9 along and 0.7 across, (9.5, 10.5) is 0.1 along and 0.7 across.
    let covered = shares(&smooth_lines(16), &[(10.0, 10.0), (16.0, 18.0)]);
    assert_share(&covered, (13, 13), 0.8);
    assert_share(&covered, (9, 10), 0.6 * 0.8);
    // The minimum width is 1.
    let covered = shares(&smooth_lines(1), &[(10.5, 20.5), (20.5, 20.5)]);
    assert_share(&covered, (15, 20), 1.0);
    assert_share(&covered, (15, 21), 0.0);
    // As long as it is wide: both ends remove their half.
    let covered = shares(&smooth_lines(8), &[(10.0, 20.5), (10.5, 20.5)]);
    assert_share(&covered, (10, 20), 0.5);
    assert_share(&covered, (9, 20), 0.0);
}

#[test]
fn runs_of_stippled_smooth_lines_end_like_lines() {
    let mut draw = smooth_lines(8);
    draw.raster.line_stipple = Some((1, 0x0f0f));
    // On from 10.25 to 14.25 and from 18.25 to 22.25.
    let covered = shares(&draw, &[(10.25, 20.5), (25.25, 20.5)]);
    let expected =
        [(9, 0.0), (10, 0.75), (11, 1.0), (13, 1.0), (14, 0.25), (15, 0.0), (17, 0.0), (18, 0.75), (19, 1.0)];
    for (column, share) in expected {
        assert_share(&covered, (column, 20), share);
    }
    // A step that would start at the end of the line is outside it.
    let covered = shares(&draw, &[(10.25, 20.5), (18.25, 20.5)]);
    assert_share(&covered, (18, 20), 0.0);
    // A 3-4-5 direction: steps are units of length. (14.5, 16.5) is 7.9 along, (16.5, 18.5) is 10.7.
    draw.raster.line_stipple = Some((1, 0x00ff));
    let covered = shares(&draw, &[(10.0, 10.0), (19.0, 22.0)]);
    assert_share(&covered, (14, 16), 0.6 * (1.0 - 0.3));
    assert_share(&covered, (16, 18), 0.0);
}

#[test]
fn draws_without_smooth_lines_have_no_shares() {
    let mut draw = plain_draw();
    draw.raster.line_smooth = true;
    let vertices = at(&[(2.0, 2.0), (30.0, 2.0), (2.0, 30.0)]);
    let share = |draw: &Draw| {
        let parameters = RasterParameters::new(draw);
        let primitives = assemble_primitives(draw.primitive, &[0, 1, 2], &draw.raster);
        let records = set_up_primitives(&parameters, &vertices, &primitives);
        interpolate(&parameters, &vertices, &records[0], quads(draw, &vertices, 16)[0]).alpha_coverage
    };
    assert_eq!(share(&draw), None);
    // The other face could be outlined.
    draw.raster.polygon_mode[1] = PolygonMode::Line;
    assert_eq!(share(&draw), Some([1.0f32.to_bits(); 4]));
}

#[test]
fn lines_leave_out_the_pixel_whose_diamond_they_end_in() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Lines;
    let columns = |from: (f32, f32), to: (f32, f32)| -> Vec<usize> {
        let covered = counts(&draw, &at(&[from, to]));
        (0..64 * 64).filter(|pixel| covered[*pixel] != 0).map(|pixel| pixel % 64).collect()
    };
    // Starts past the center inside the diamond, ends past the center inside the diamond.
    assert_eq!(columns((10.75, 20.5), (14.75, 20.5)), [10, 11, 12, 13]);
    assert_eq!(columns((14.25, 20.5), (10.25, 20.5)), [11, 12, 13, 14]);
    // The same outside the diamond: |0.25| + |0.375| is more than a half.
    assert_eq!(columns((10.75, 20.875), (14.75, 20.875)), [11, 12, 13, 14]);
    assert_eq!(columns((14.25, 20.875), (10.25, 20.875)), [10, 11, 12, 13]);
    // Ends before the center count as not reached.
    assert_eq!(columns((10.125, 20.875), (14.125, 20.875)), [10, 11, 12, 13]);
    // A line within one diamond draws nothing.
    assert_eq!(columns((10.25, 20.5), (10.75, 20.5)), [0usize; 0]);
}

/// Whether an aliased line covers a pixel, by exact arithmetic: whether it leaves the pixel's diamond.
///
/// Points are in sixteenths of a pixel. The diamond contains its lower edges and its bottom corner, for y-major lines also
/// its right corner (US patent 8,482,567, claim 4).
fn leaves_diamond([start, end]: [[i64; 2]; 2], pixel: [i64; 2]) -> bool {
    let delta = [end[0] - start[0], end[1] - start[1]];
    let is_y_major = delta[1].abs() > delta[0].abs();
    // A place on the line is numerator / denominator of the way; x and y are times the denominator, relative to the center.
    let is_inside = |(numerator, denominator): (i64, i64)| {
        let at = |axis: usize| (start[axis] - 16 * pixel[axis] - 8) * denominator + delta[axis] * numerator;
        let (x, y, half) = (at(0), at(1), 8 * denominator);
        let is_within = x + y <= half && y - x <= half && x - y < half && -x - y < half;
        is_within || (is_y_major && x == half && y == 0)
    };
    // The line can enter or leave only where it crosses the lines of the four edges.
    let mut places = vec![(0, 1), (1, 1)];
    for [a, b] in [[1, 1], [-1, 1], [1, -1], [-1, -1]] {
        let value = |point: [i64; 2]| a * (point[0] - 16 * pixel[0] - 8) + b * (point[1] - 16 * pixel[1] - 8) - 8;
        let (first, last) = (value(start), value(end));
        if first != last && (first < 0) != (last < 0) || first == 0 {
            let (numerator, denominator) = (first, first - last);
            places.extend((denominator != 0).then(|| (numerator * denominator.signum(), denominator.abs())));
        }
    }
    places.sort_unstable_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    let between =
        places.windows(2).map(|pair| (pair[0].0 * pair[1].1 + pair[1].0 * pair[0].1, 2 * pair[0].1 * pair[1].1));
    let touches = places.iter().copied().chain(between).any(is_inside);
    touches && !is_inside((1, 1))
}

#[test]
fn lines_cover_the_pixels_whose_diamonds_they_leave() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Lines;
    let covered = |line: [[i64; 2]; 2]| {
        let points = line.map(|[x, y]| (x as f32 / 16.0, y as f32 / 16.0));
        let counts = counts(&draw, &at(&points));
        let covered = (0..64 * 64).filter(|pixel| counts[*pixel as usize] != 0);
        covered.map(|pixel| [pixel % 64, pixel / 64]).collect::<Vec<[i64; 2]>>()
    };
    // By hand: a horizontal line through pixel centers touches corners only at its ends, which x-major diamonds exclude.
    let row = |columns: std::ops::Range<i64>| -> Vec<_> { columns.map(|x| [x, 20]).collect() };
    assert_eq!(covered([[320, 328], [480, 328]]), row(20..30));
    assert_eq!(covered([[480, 328], [320, 328]]), row(20..30));
    // A vertical one touches bottom corners, which belong to the diamond: downward the last pixel is not left.
    let column = |rows: std::ops::Range<i64>| -> Vec<_> { rows.map(|y| [20, y]).collect() };
    assert_eq!(covered([[328, 320], [328, 480]]), column(19..29));
    assert_eq!(covered([[328, 480], [328, 320]]), column(20..30));
    // All octants, with most ends on centers, corners and edges of diamonds.
    let mut random = Random(11);
    let mut octants = [0; 8];
    for case in 0..400 {
        let step = [1, 2, 4, 4, 8, 8][case % 6];
        let mut point = |low: u32| [0; 2].map(|_| i64::from(low + random.below(320 / step as u32) * step as u32));
        let line = [point(160), point(160)];
        if line[0] == line[1] {
            continue;
        }
        let delta = [line[1][0] - line[0][0], line[1][1] - line[0][1]];
        let octant = usize::from(delta[0] < 0) + 2 * usize::from(delta[1] < 0);
        octants[octant + 4 * usize::from(delta[0].abs() < delta[1].abs())] += 1;
        let mut expected = Vec::new();
        for y in 8..40 {
            expected.extend((8..40).map(|x| [x, y]).filter(|pixel| leaves_diamond(line, *pixel)));
        }
        assert_eq!(covered(line), expected, "{line:?}");
    }
    assert!(octants.iter().all(|count| *count > 20), "{octants:?}");
}

#[test]
fn clip_rectangles_and_stipples_take_pixels_away() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Quads;
    let full = at(&[(0.0, 0.0), (64.0, 0.0), (64.0, 64.0), (0.0, 64.0)]);
    let mut rects = [Rect::default(); 8];
    rects[0] = Rect { x: 1, y: 2, width: 3, height: 5 };
    rects[5] = Rect { x: 2, y: 2, width: 3, height: 5 };
    draw.raster.window_clip = Some(WindowClip { rects, is_exclusive: false });
    assert_eq!(counts(&draw, &full).iter().sum::<u32>(), 20);
    draw.raster.window_clip = Some(WindowClip { rects, is_exclusive: true });
    assert_eq!(counts(&draw, &full).iter().sum::<u32>(), 64 * 64 - 20);
    draw.raster.window_clip = None;
    let mut stipple = Box::new([0; 32]);
    stipple[3] = 0xe000_0001;
    draw.raster.polygon_stipple = Some(stipple);
    let stippled = counts(&draw, &full);
    assert_eq!(stippled.iter().sum::<u32>(), 4 * 2 * 2);
    assert_eq!(stippled[3 * 64..3 * 64 + 4], [1, 1, 1, 0]);
}

#[test]
fn depth_and_user_planes_clip_per_pixel() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Quads;
    // Depth grows from -1 at column 0 to 2.2 at column 64: inside if (x + 0.5) / 20 - 1 is in 0..1.
    let mut quad: Vec<_> = [(0.0, 0.0), (64.0, 0.0), (64.0, 64.0), (0.0, 64.0)]
        .iter()
        .map(|&(x, y)| vertex([x, y, x / 20.0 - 1.0, 1.0]))
        .collect();
    let row: Vec<u32> = counts(&draw, &quad)[..64].to_vec();
    let expected: Vec<u32> = (0..64).map(|x| u32::from((20..40).contains(&x))).collect();
    assert_eq!(row, expected);
    draw.viewport.clips_depth = false;
    assert_eq!(counts(&draw, &quad).iter().sum::<u32>(), 64 * 64);
    // Clip distance 4 is output register 6, component z.
    for (corner, distance) in [-10.0f32, 54.0, 54.0, -10.0].into_iter().enumerate() {
        quad[corner].outputs[6][2] = distance.to_bits();
    }
    draw.viewport.clip_planes[4] = ClipPlane::KeepsNonNegative;
    assert_eq!(counts(&draw, &quad).iter().sum::<u32>(), 64 * 54);
    draw.viewport.clip_planes[4] = ClipPlane::KeepsNegative;
    assert_eq!(counts(&draw, &quad).iter().sum::<u32>(), 64 * 10);
}

/// A plane is not an edge: a pixel is kept by its own distance. US patent 7,719,545, claim 1: what is not rasterized is
/// where the interpolated distance is negative.
#[test]
fn user_planes_through_pixel_centers_keep_them() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Quads;
    // Distance 0 is at the center of column 20; it grows to the right, then to the left.
    for (sign, kept) in [(1.0, 20..64), (-1.0, 0..21)] {
        let quad: Vec<_> = [(0.0, 0.0), (64.0, 0.0), (64.0, 64.0), (0.0, 64.0)]
            .iter()
            .map(|&(x, y)| {
                let mut vertex = vertex([x, y, 0.5, 1.0]);
                vertex.outputs[5][1] = (sign * (x - 20.5)).to_bits();
                vertex
            })
            .collect();
        let row = |plane: ClipPlane| -> Vec<u32> {
            let mut draw = draw.clone();
            draw.viewport.clip_planes[0] = plane;
            counts(&draw, &quad)[32 * 64..33 * 64].to_vec()
        };
        let expected: Vec<u32> = (0..64).map(|x| u32::from(kept.contains(&x))).collect();
        assert_eq!(row(ClipPlane::KeepsNonNegative), expected, "{sign}");
        // The other comparison keeps the rest, so that the two halves of a primitive cover each pixel once.
        let rest: Vec<u32> = expected.iter().map(|count| 1 - count).collect();
        assert_eq!(row(ClipPlane::KeepsNegative), rest, "{sign}");
    }
}

#[test]
fn positions_that_are_no_numbers_drop_the_primitive() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Triangles;
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut vertices = at(&[(0.0, 0.0), (20.0, 0.0), (0.0, 20.0)]);
        vertices[1].outputs[0][2] = wrong.to_bits();
        let primitives = assemble_primitives(draw.primitive, &[0, 1, 2], &draw.raster);
        let records = set_up_primitives(&RasterParameters::new(&draw), &vertices, &primitives);
        assert!(records[0].has(RECORD_NOT_FINITE) && !records[0].is_valid());
    }
}

#[test]
fn any_bits_are_survived() {
    let mut random = Random(99);
    for primitive in [PrimitiveType::Triangles, PrimitiveType::Lines, PrimitiveType::Points] {
        let mut draw = plain_draw();
        draw.primitive = primitive;
        draw.outputs.point_size = VertexOutputs::ALL.point_size;
        draw.raster.offset_enabled = [true; 3];
        draw.raster.offset_factor = 1.0f32.to_bits();
        for _ in 0..40 {
            let vertices: Vec<_> = (0..6)
                .map(|_| {
                    let mut vertex = vertex([0.0; 4]);
                    vertex.outputs = (0..16).map(|_| std::array::from_fn(|_| random.bits())).collect();
                    vertex
                })
                .collect();
            let _ = counts(&draw, &vertices);
        }
    }
}

#[test]
fn interpolation_is_perspective_correct() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Quads;
    draw.raster.is_flat = true;
    // The right side is twice as far away; texture coordinate 0 (register 7) goes from 0 to 1.
    let corner = |x: f32, y: f32, w: f32, s: f32| {
        let mut vertex = vertex([x * w, y * w, 0.25 * w, w]);
        vertex.outputs[7] = [s, 1.0, w, 0.5].map(f32::to_bits);
        vertex
    };
    let vertices = [
        corner(0.0, 0.0, 1.0, 0.0),
        corner(64.0, 0.0, 2.0, 1.0),
        corner(64.0, 64.0, 2.0, 1.0),
        corner(0.0, 64.0, 1.0, 0.0),
    ];
    let parameters = RasterParameters::new(&draw);
    let primitives = assemble_primitives(draw.primitive, &[0, 1, 2, 3], &draw.raster);
    let records = set_up_primitives(&parameters, &vertices, &primitives);
    for quad in rasterize_tiles(&parameters, &vertices, &records, 16).into_iter().flat_map(|tile| tile.quads) {
        let inputs = interpolate(&parameters, &vertices, &records[quad.record as usize], quad);
        assert_eq!(inputs.depth, [0.25f32.to_bits(); 4]);
        assert_eq!(inputs.slots[1][0], vertices[3].outputs[1].map(|v| f32::from_bits(v).clamp(0.0, 1.0).to_bits()));
        for pixel in 0..4usize {
            let x = f64::from(quad.x) + (pixel % 2) as f64 + 0.5;
            let share = x / 64.0;
            let reciprocal_w = (1.0 - share) + share * 0.5;
            let [s, t, w, constant] = inputs.slots[4][pixel].map(|v| f64::from(f32::from_bits(v)));
            assert!((s - share * 0.5 / reciprocal_w).abs() < 1e-6, "s {s} at {x}");
            assert!((w - 1.0 / reciprocal_w).abs() < 1e-6);
            assert_eq!((t, constant), (1.0, 0.5));
            let position = inputs.slots[0][pixel].map(|v| f64::from(f32::from_bits(v)));
            assert_eq!(position[0], x);
            assert_eq!(position[1], 64.0 - (f64::from(quad.y) + (pixel / 2) as f64 + 0.5));
            assert!((position[3] - reciprocal_w).abs() < 1e-6);
        }
    }
}

#[test]
fn point_sprites_replace_coordinates() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Points;
    draw.raster.point_size = 8.0f32.to_bits();
    draw.raster.point_sprite = PointSprite { enabled: true, r: SpriteR::Zero, replaced: 2 };
    let vertices = at(&[(16.0, 32.0)]);
    let parameters = RasterParameters::new(&draw);
    let primitives = assemble_primitives(draw.primitive, &[0], &draw.raster);
    let records = set_up_primitives(&parameters, &vertices, &primitives);
    let quads: Vec<_> =
        rasterize_tiles(&parameters, &vertices, &records, 16).into_iter().flat_map(|t| t.quads).collect();
    assert_eq!(quads.len(), 16);
    let inputs =
        interpolate(&parameters, &vertices, &records[0], CoveredQuad { record: 0, x: 12, y: 30, coverage: 15 });
    let floats = inputs.slots[5].map(|texcoord| texcoord.map(f32::from_bits));
    assert_eq!(floats[0], [0.0625, 0.3125, 0.0, 1.0]);
    assert_eq!(floats[3], [0.1875, 0.4375, 0.0, 1.0]);
    assert_eq!(inputs.slots[4][0], vertices[0].outputs[7]);
}

#[test]
fn polygon_mode_line_draws_the_outline() {
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Quads;
    draw.raster.polygon_mode = [PolygonMode::Line, PolygonMode::Fill];
    let square = [(10.5, 10.5), (10.5, 20.5), (20.5, 20.5), (20.5, 10.5)];
    // Each side starts at the end of the previous one, and skips its own last pixel.
    assert_eq!(counts(&draw, &at(&square)).iter().sum::<u32>(), 40);
    let back: Vec<_> = square.into_iter().rev().collect();
    assert_eq!(counts(&draw, &at(&back)).iter().sum::<u32>(), 100);
}
