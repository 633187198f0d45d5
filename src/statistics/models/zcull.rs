//! Runs the z-cull model over the draws of a frame.
//!
//! A clear, a copy or an image makes all bounds unknown, as does the end of a frame. Host writes are ignored.

use std::collections::HashMap;

use super::ModelRunner;
use super::units::zcull_parameters;
use crate::counters::trace::{TracedDraw, TracedQuad};
use crate::machine::DrawingMachine;
use crate::pipeline::{Compare, SampleMode, StencilOp};
use crate::statistics::ParameterError;
use crate::statistics::zcull::{DepthOrder, ZcullCounts, ZcullDraw, ZcullParameters, ZcullQuad, ZcullTrace};

/// Results of z-cull for a draw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DrawRejection {
    /// Tiles, fragments and quads.
    pub counts: ZcullCounts,
    /// Whether each quad of the trace lies in a rejected tile.
    pub rejected: Vec<bool>,
    /// Why the draw was not tested, or its bounds not kept.
    pub disabled_by: Vec<&'static str>,
}

/// Tests the draws of a frame; all bounds are unknown before it.
///
/// # Errors
/// When the machine's tiles are impossible, or the trace is longer than 2³² tiles.
pub fn frame_rejections<'machine>(
    draws: &[TracedDraw],
    machine: impl Into<DrawingMachine<'machine>>,
    runner: ModelRunner<'_>,
) -> Result<Vec<DrawRejection>, ParameterError> {
    let parameters = zcull_parameters(machine);
    parameters.check()?;
    let (trace, numbers) = zcull_trace(draws, &parameters)?;
    let result = runner.zcull(&trace, &parameters)?;
    let rejection = |(traced, counts): (&TracedDraw, &ZcullCounts)| DrawRejection {
        counts: *counts,
        rejected: vec![false; traced.trace.quads.len()],
        disabled_by: obstacles(traced),
    };
    let mut rejections: Vec<_> = draws.iter().zip(&result.draws).map(rejection).collect();
    let mut numbers = numbers.iter();
    for ((tile, quads), is_rejected) in trace.quads_of_tiles().zip(result.rejected) {
        for number in numbers.by_ref().take(quads.len()) {
            rejections[tile.draw as usize].rejected[*number as usize] = is_rejected;
        }
    }
    Ok(rejections)
}

/// The tiles of draws, and for each of their quads the index of its tile in the draw.
fn zcull_trace(draws: &[TracedDraw], parameters: &ZcullParameters) -> Result<(ZcullTrace, Vec<u32>), ParameterError> {
    let [log2_columns, log2_rows] = [parameters.tile_width, parameters.tile_height].map(u32::trailing_zeros);
    let mut trace = ZcullTrace::default();
    let mut numbers: Vec<u32> = Vec::new();
    let mut places = HashMap::new();
    for traced in draws {
        if traced.follows_writes {
            // Later draws start with unknown bounds.
            places.clear();
        }
        let draw = &traced.draw;
        let window = draw.rop.used_zeta(&draw.targets).map(|zeta| zeta.window);
        let quads = &traced.trace.quads;
        let tile = |quad: &TracedQuad| [u32::from(quad.y) >> log2_rows, u32::from(quad.x) >> log2_columns];
        let key = |number: &u32| {
            let quad = &quads[*number as usize];
            (quad.primitive, tile(quad))
        };
        let first = numbers.len();
        numbers.extend((0..).take(quads.len()));
        // The sort is stable; tiles of the size that the rasterizer traverses are already in order.
        numbers[first..].sort_by_key(key);
        trace.draws.push(zcull_draw(traced));
        for numbers in numbers[first..].chunk_by(|left, right| key(left) == key(right)) {
            let (_, tile) = key(&numbers[0]);
            let next = trace.bounds.len();
            let place = *places.entry((window, tile)).or_insert(next);
            if place == next {
                trace.bounds.push(None);
            }
            trace.push(place, numbers.iter().map(|number| zcull_quad(&quads[*number as usize])))?;
        }
    }
    Ok((trace, numbers))
}

fn zcull_quad(quad: &TracedQuad) -> ZcullQuad {
    ZcullQuad { depths: quad.depths, pixels: u32::from(quad.covered) | u32::from(quad.passed) << 4 }
}

fn zcull_draw(traced: &TracedDraw) -> ZcullDraw {
    let (draw, rop) = (&traced.draw, &traced.draw.rop);
    let Some(test) = rop.depth_test.filter(|_| rop.used_zeta(&draw.targets).is_some()) else {
        return ZcullDraw::default();
    };
    let has_order = draw.targets.samples == SampleMode::One && !draw.fragment.exports_depth();
    let order = match test.compare {
        Compare::Less | Compare::LessEqual => Some(DepthOrder::Less),
        Compare::Greater | Compare::GreaterEqual => Some(DepthOrder::Greater),
        Compare::Never | Compare::Always | Compare::Equal | Compare::NotEqual => None,
    };
    ZcullDraw {
        order: order.filter(|_| has_order),
        includes_equal: matches!(test.compare, Compare::LessEqual | Compare::GreaterEqual),
        writes: test.writes,
        is_tested: obstacles(traced).is_empty(),
    }
}

/// The names of the conditions that keep a draw from the z-cull test.
fn obstacles(traced: &TracedDraw) -> Vec<&'static str> {
    let (draw, rop) = (&traced.draw, &traced.draw.rop);
    let mut obstacles = Vec::new();
    let mut add = |holds: bool, name: &'static str| {
        if holds {
            obstacles.push(name);
        }
    };
    add(rop.used_zeta(&draw.targets).is_none(), "no depth surface");
    match rop.depth_test {
        None => add(true, "no depth test"),
        Some(test) => {
            add(matches!(test.compare, Compare::Never | Compare::Always), "depth test without an order");
            add(matches!(test.compare, Compare::Equal | Compare::NotEqual), "depth test for equality");
        }
    }
    add(draw.fragment.exports_depth(), "depth output");
    add(draw.targets.samples != SampleMode::One, "multisampling");
    let has_stencil = draw.targets.zeta.as_ref().is_some_and(|zeta| zeta.format.has_stencil());
    let updates = rop.stencil.as_ref().filter(|_| has_stencil).is_some_and(|faces| {
        faces
            .iter()
            .any(|face| face.write_mask != 0 && [face.fail, face.depth_fail].iter().any(|op| *op != StencilOp::Keep))
    });
    add(updates, "stencil written where tests fail");
    obstacles
}
