//! Compares z-cull with all stored depths of surfaces, with a search of each tile's history, and with closed
//! forms.

use super::*;
use crate::test_random::Random;
use crate::test_traces::{random_tiles, random_zcull_draw};

const SIDES: [[u32; 2]; 5] = [[8, 8], [2, 2], [4, 8], [16, 4], [64, 64]];

fn sized([tile_width, tile_height]: [u32; 2]) -> ZcullParameters {
    ZcullParameters { tile_width, tile_height }
}

/// Whether each tile is rejected, found by searching the earlier covered tiles at its position.
fn by_walking_back(trace: &ZcullTrace, parameters: &ZcullParameters) -> Vec<bool> {
    let tiles: Vec<_> = trace.quads_of_tiles().collect();
    let mut rejected: Vec<bool> = Vec::new();
    for (number, (tile, quads)) in tiles.iter().enumerate() {
        let draw = trace.draws[tile.draw as usize];
        let earlier = (0..number).rev().filter(|other| !rejected[*other] && tiles[*other].0.place == tile.place);
        let mut writers = earlier
            .map(|other| (trace.draws[tiles[other].0.draw as usize], tiles[other].1))
            .filter(|(other, _)| other.writes);
        // The first that determines the depths of all its pixels, or that nothing is known.
        let decides = writers.find_map(|(other, quads)| {
            let passed: u32 = quads.iter().map(|quad| (quad.pixels >> 4 & 15).count_ones()).sum();
            let is_same = draw.order.is_some() && other.order == draw.order;
            match (is_same, passed == parameters.tile_pixels()) {
                (true, true) => Some(Some(quads.to_vec())),
                (true, false) => None,
                (false, _) => Some(None),
            }
        });
        let before = trace.bounds[tile.place as usize].filter(|bound| Some(bound.order) == draw.order);
        let is_less = draw.order == Some(DepthOrder::Less);
        let bound = match decides {
            Some(quads) => quads.and_then(|quads| {
                let depths = quads.iter().map(|quad| quad.depths[usize::from(is_less)]);
                if is_less { depths.max() } else { depths.min() }
            }),
            None => before.map(|bound| bound.depth),
        };
        rejected.push(bound.is_some_and(|bound| {
            let passes = |depth: u32| {
                let is_nearer = if is_less { depth < bound } else { depth > bound };
                is_nearer || draw.includes_equal && depth == bound
            };
            draw.is_tested && !quads.iter().flat_map(|quad| quad.depths).any(passes)
        }));
    }
    rejected
}

#[test]
fn random_traces_give_what_a_walk_back_gives() {
    let mut random = Random::new(21);
    let mut different = 0;
    for case in 0..60 {
        let parameters = sized(SIDES[case % SIDES.len()]);
        let trace = random_tiles(&mut random, &parameters, 300, 6);
        let result = simulate(&trace, &parameters).unwrap();
        assert_eq!(result.rejected, by_walking_back(&trace, &parameters), "case {case}");
        let rejected = result.rejected.iter().filter(|is_rejected| **is_rejected).count();
        assert!(rejected > 5 && rejected < 250, "case {case}: {rejected}");
        let sum = |of: fn(&ZcullCounts) -> u64| result.draws.iter().map(of).sum::<u64>();
        assert_eq!((sum(|counts| counts.tiles), sum(|counts| counts.tiles_rejected)), (300, rejected as u64));
        // A planted difference.
        let mut other = trace.clone();
        other.draws.iter_mut().for_each(|draw| draw.includes_equal ^= true);
        different += usize::from(simulate(&other, &parameters).unwrap().rejected != result.rejected);
    }
    assert!(different > 40, "{different}");
}

#[test]
fn a_trace_goes_on_where_another_ended() {
    let mut random = Random::new(22);
    let parameters = sized([8, 8]);
    let trace = random_tiles(&mut random, &parameters, 400, 5);
    let whole = simulate(&trace, &parameters).unwrap();
    assert!(whole.bounds.iter().flatten().count() > 0);
    let (mut bounds, mut rejected) = (trace.bounds.clone(), Vec::new());
    for (tile, quads) in trace.quads_of_tiles() {
        let draws = vec![trace.draws[tile.draw as usize]];
        let mut part = ZcullTrace { draws, bounds, ..ZcullTrace::default() };
        part.push(tile.place as usize, quads.to_vec()).unwrap();
        let result = simulate(&part, &parameters).unwrap();
        (bounds, rejected) = (result.bounds, [rejected, result.rejected].concat());
    }
    assert_eq!((bounds, rejected), (whole.bounds, whole.rejected));
}

/// A depth surface with its real depths.
struct Surface {
    size: [u32; 2],
    stored: Vec<u32>,
}

/// A primitive: the pixels of a rectangle, possibly with holes, their depths, and whether something besides depth
/// fails.
struct Shape {
    corners: [[u32; 2]; 2],
    hole: u32,
    killed: u32,
    depth: [u32; 3],
    exports: Option<u32>,
}

impl Shape {
    fn random(random: &mut Random, [width, height]: [u32; 2]) -> Self {
        let mut range = |most: u32| {
            let first = random.below(2 * most).saturating_sub(most);
            [first, (first + 1 + random.below(2 * most)).min(most)]
        };
        let ([left, right], [top, bottom]) = (range(width), range(height));
        let is_whole = random.below(4) == 0;
        Self {
            corners: if is_whole { [[0, 0], [width, height]] } else { [[left, top], [right, bottom]] },
            hole: random.pick(&[u32::MAX, u32::MAX, 3, 50]),
            killed: random.pick(&[u32::MAX, u32::MAX, u32::MAX, 70]),
            depth: [100 + random.below(200), random.below(2), random.below(2)],
            exports: (random.below(10) == 0).then(|| random.below(400)),
        }
    }

    fn covers(&self, x: u32, y: u32) -> bool {
        let [[left, top], [right, bottom]] = self.corners;
        (left..right).contains(&x) && (top..bottom).contains(&y) && !(x * 7 + y * 13 + 1).is_multiple_of(self.hole)
    }

    fn depth_at(&self, x: u32, y: u32) -> u32 {
        self.depth[0] + x * self.depth[1] + y * self.depth[2]
    }
}

impl Surface {
    /// Draws a shape, and appends its tiles to a trace whose last draw it belongs to.
    fn draw(&mut self, draw: &ZcullDraw, shape: &Shape, parameters: &ZcullParameters, trace: &mut ZcullTrace) {
        let [width, height] = self.size;
        let [tile_width, tile_height] = [parameters.tile_width, parameters.tile_height];
        let columns = width / tile_width;
        for (place, number) in (0..trace.bounds.len()).zip(0..) {
            let [left, top] = [number % columns * tile_width, number / columns * tile_height];
            let mut quads = Vec::new();
            for y in (top..(top + tile_height).min(height)).step_by(2) {
                for x in (left..left + tile_width).step_by(2) {
                    let mut quad = ZcullQuad { depths: [u32::MAX, 0], pixels: 0 };
                    for (pixel, [x, y]) in [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]].into_iter().enumerate() {
                        if !shape.covers(x, y) {
                            continue;
                        }
                        let depth = shape.depth_at(x, y);
                        quad.depths = [quad.depths[0].min(depth), quad.depths[1].max(depth)];
                        let stored = &mut self.stored[(y * width + x) as usize];
                        let merged = shape.exports.unwrap_or(depth);
                        let passes = match draw.order {
                            Some(DepthOrder::Less) => merged < *stored || draw.includes_equal && merged == *stored,
                            Some(DepthOrder::Greater) => merged > *stored || draw.includes_equal && merged == *stored,
                            None => true,
                        };
                        let passes = passes && !(x * 3 + y + 1).is_multiple_of(shape.killed);
                        quad.pixels |= 1 << pixel | u32::from(passes) << (4 + pixel);
                        if passes && draw.writes {
                            *stored = merged;
                        }
                    }
                    if quad.pixels != 0 {
                        quads.push(quad);
                    }
                }
            }
            if !quads.is_empty() {
                trace.push(place, quads).unwrap();
            }
        }
    }

    /// Whether no pixel of a tile is behind its bound.
    fn keeps(&self, place: u32, bound: TileBound, parameters: &ZcullParameters) -> bool {
        let [width, _] = self.size;
        let columns = width / parameters.tile_width;
        let [column, row] = [place % columns, place / columns];
        let row_of = |row: u32| {
            let first = (row * width + column * parameters.tile_width) as usize;
            &self.stored[first..first + parameters.tile_width as usize]
        };
        let mut pixels = (0..parameters.tile_height).flat_map(|line| row_of(row * parameters.tile_height + line));
        pixels.all(|stored| match bound.order {
            DepthOrder::Less => *stored <= bound.depth,
            DepthOrder::Greater => *stored >= bound.depth,
        })
    }
}

/// Draws shapes one by one and tests them. Returns how many tiles were rejected, how many bounds were known, and
/// how often something visible was rejected or a bound did not hold. `change` alters the draw state that the test
/// sees.
fn check_stream(seed: u64, sides: [u32; 2], change: impl Fn(&mut ZcullDraw)) -> [usize; 3] {
    let mut random = Random::new(seed);
    let parameters = sized(sides);
    let size = [64, 64];
    let stored = random.pick(&[0, 1 << 20]);
    let mut surface = Surface { size, stored: vec![stored; 64 * 64] };
    let mut bounds = vec![None; (64 * 64 / parameters.tile_pixels()) as usize];
    let mut found = [0; 3];
    for _ in 0..80 {
        let shape = Shape::random(&mut random, size);
        let mut draw = random_zcull_draw(&mut random);
        draw.order = if stored == 0 { Some(DepthOrder::Greater) } else { Some(DepthOrder::Less) };
        if random.below(16) == 0 {
            draw.order = random_zcull_draw(&mut random).order;
        }
        let mut trace = ZcullTrace { bounds, ..ZcullTrace::default() };
        surface.draw(&draw, &shape, &parameters, &mut trace);
        if shape.exports.is_some() {
            (draw.order, draw.is_tested) = (None, false);
        }
        change(&mut draw);
        trace.draws.push(draw);
        let result = simulate(&trace, &parameters).unwrap();
        for ((_, quads), is_rejected) in trace.quads_of_tiles().zip(&result.rejected) {
            found[0] += usize::from(*is_rejected);
            found[2] += usize::from(*is_rejected && quads.iter().any(|quad| quad.pixels >> 4 != 0));
        }
        for (place, bound) in (0..).zip(&result.bounds) {
            found[1] += usize::from(bound.is_some());
            found[2] += usize::from(bound.is_some_and(|bound| !surface.keeps(place, bound, &parameters)));
        }
        bounds = result.bounds;
    }
    found
}

#[test]
fn nothing_visible_is_rejected_and_no_stored_depth_lies_behind_a_bound() {
    for sides in SIDES {
        let streams = |change: fn(&mut ZcullDraw)| {
            let found = (0..60).map(|seed| check_stream(seed, sides, change));
            found.fold([0; 3], |sum, found| [sum[0] + found[0], sum[1] + found[1], sum[2] + found[2]])
        };
        let [rejected, known, wrong] = streams(|_| {});
        assert!(rejected > 40 && known > 150, "{sides:?}: {rejected} {known}");
        assert_eq!(wrong, 0, "{sides:?}");
        // Planted differences.
        let [.., wrong] = streams(|draw| draw.order = draw.order.or(Some(DepthOrder::Less)));
        assert!(wrong > 0, "{sides:?}: orders");
        let [.., wrong] = streams(|draw| draw.writes = draw.writes && draw.order.is_some());
        assert!(wrong > 0, "{sides:?}: writes");
    }
}

#[test]
fn layers_that_touch_are_hidden_where_equal_depths_fail() {
    // The depths that a layer may have beside a stored depth of 100, and whether it is then rejected.
    let parameters = sized([8, 8]);
    for (order, includes_equal, expected) in [
        (DepthOrder::Less, false, [false, true, true]),
        (DepthOrder::Less, true, [false, false, true]),
        (DepthOrder::Greater, false, [true, true, false]),
        (DepthOrder::Greater, true, [true, false, false]),
    ] {
        let draw = ZcullDraw { order: Some(order), includes_equal, writes: false, is_tested: true };
        let bounds = vec![Some(TileBound { order, depth: 100 })];
        let mut trace = ZcullTrace { draws: vec![draw], bounds: bounds.clone(), ..ZcullTrace::default() };
        for depth in [99, 100, 101] {
            trace.push(0, [ZcullQuad { depths: [depth; 2], pixels: 0x11 }]).unwrap();
        }
        let result = simulate(&trace, &parameters).unwrap();
        assert_eq!((result.rejected, result.bounds), (expected.to_vec(), bounds), "{order:?} {includes_equal}");
    }
}

#[test]
fn eight_layers_are_hidden_from_front_to_back() {
    for sides in SIDES {
        let parameters = sized(sides);
        let places = 64 * 64 / parameters.tile_pixels() as usize;
        let tiles = places as u64;
        for (order, nearest, farthest) in [(DepthOrder::Less, 0, 7), (DepthOrder::Greater, 7, 0)] {
            let rejected = |first: u32, last: u32| {
                let draw = ZcullDraw { order: Some(order), includes_equal: true, writes: true, is_tested: true };
                let stored = if order == DepthOrder::Less { u32::MAX } else { 0 };
                let mut surface = Surface { size: [64, 64], stored: vec![stored; 64 * 64] };
                let mut trace = ZcullTrace { bounds: vec![None; places], ..ZcullTrace::default() };
                for layer in 0..8 {
                    trace.draws.push(draw);
                    let depth = [100 + if first < last { layer } else { 7 - layer }, 0, 0];
                    let corners = [[0, 0], [64, 64]];
                    let shape = Shape { corners, hole: u32::MAX, killed: u32::MAX, depth, exports: None };
                    surface.draw(&draw, &shape, &parameters, &mut trace);
                }
                let result = simulate(&trace, &parameters).unwrap();
                result
                    .draws
                    .into_iter()
                    .map(|counts| [counts.tiles_rejected, counts.fragments_rejected])
                    .collect::<Vec<_>>()
            };
            let all = [tiles, 64 * 64];
            assert_eq!(rejected(nearest, farthest), [[0; 2], all, all, all, all, all, all, all], "{sides:?} {order:?}");
            assert_eq!(rejected(farthest, nearest), [[0; 2]; 8], "{sides:?} {order:?}");
        }
    }
}

#[test]
fn traces_that_do_not_hold_together_are_refused() {
    let parameters = sized([4, 4]);
    let good = random_tiles(&mut Random::new(1), &parameters, 9, 3);
    let field = |change: &dyn Fn(&mut ZcullTrace)| {
        let mut trace = good.clone();
        change(&mut trace);
        simulate(&trace, &parameters).unwrap_err().field
    };
    assert_eq!(field(&|trace| trace.tiles[4].place = 3), "place");
    assert_eq!(field(&|trace| trace.tiles[4].draw = u32::MAX), "draw");
    assert_eq!(field(&|trace| trace.tiles[4].quad_end = trace.tiles[3].quad_end), "quad_end");
    assert_eq!(field(&|trace| trace.quads.push(ZcullQuad::default())), "quad_end");
    assert_eq!(field(&|trace| trace.push(0, [ZcullQuad::default(); 5]).unwrap()), "quad_end");
    assert_eq!(simulate(&good, &sized([4, 3])).unwrap_err().field, "tile_height");
    assert_eq!(simulate(&good, &sized([128, 4])).unwrap_err().field, "tile_width");
    assert_eq!(simulate(&ZcullTrace::default(), &parameters).unwrap(), ZcullResult::default());
}
