//! Runs the lookups of a frame's draws through texture caches and prefetching pipes.

use super::lookup_loads::texture_loads;
use super::runner::ModelRunner;
use super::units::{prefetch_parameters, texture_cache_parameters};
use super::warps::cluster_of;
use crate::counters::trace::{TEXEL_LIMIT, TracedDraw, TracedLookup};
use crate::machine::{DrawingMachine, Machine};
use crate::pipeline::Draw;
use crate::statistics::ParameterError;
use crate::statistics::prefetch::{self, PrefetchParameters, PrefetchResult};
use crate::statistics::texture_cache::{LookupStream, QuadLookup, TextureCacheResult, TextureTrace};

/// Texture caches and pipes over a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameTextures {
    /// Hits and misses.
    pub cache: TextureCacheResult,
    /// The streams of its lookups.
    pub streams: Vec<LookupStream>,
    /// Each prefetching pipe, if the chip has such.
    pub pipes: Vec<PrefetchResult>,
    /// The results for other depths of the fragment FIFO, over all pipes: depth, clocks, clocks without latency.
    pub curve: Vec<(u32, u64, u64)>,
}

/// Depths of the curve.
const DEPTHS: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// The trace of all lookups of some draws; the flag says whether some were left out.
#[must_use]
pub fn texture_trace<'machine>(
    draws: &[TracedDraw],
    machine: impl Into<DrawingMachine<'machine>>,
) -> (TextureTrace, bool) {
    let machine = machine.into();
    let mut trace = TextureTrace::default();
    let mut is_cut_off = false;
    for (draw, traced) in (0u32..).zip(draws) {
        let recorded = &traced.trace;
        is_cut_off |= recorded.is_cut_off;
        if trace.texels.len() + recorded.texels.len() > TEXEL_LIMIT {
            is_cut_off = true;
            continue;
        }
        let mut streams = [None; 16];
        for lookup in &recorded.lookups {
            let unit = lookup.unit & 15;
            let stream = *streams[usize::from(unit)].get_or_insert_with(|| {
                trace.streams.push(LookupStream { draw, unit: unit.into() });
                u32::try_from(trace.streams.len() - 1).expect("draws have few units")
            });
            let quad = &recorded.quads[lookup.quad as usize];
            let base = u32::try_from(trace.texels.len()).expect("the limit is below");
            let [column, row] = [u32::from(quad.x) / 2, u32::from(quad.y) / 2];
            trace.lookups.push(QuadLookup {
                first_texel: base + lookup.first_texel,
                texel_count: lookup.texels,
                pipe: match machine {
                    DrawingMachine::Staged(machine) => pipe_of(column, row, machine.fragment.quad_pipes),
                    DrawingMachine::Unified(machine) => {
                        u16::try_from(cluster_of(machine, [2 * column, 2 * row])).expect("there are few clusters")
                    }
                },
                clocks: match machine {
                    DrawingMachine::Staged(machine) => filter_clocks(&traced.draw, lookup, machine),
                    // Only the model of prefetching reads them.
                    DrawingMachine::Unified(_) => 0,
                },
                stream,
                primitive: quad.primitive,
                position: column | row << 16,
            });
        }
        trace.texels.extend(&recorded.texels);
    }
    (trace, is_cut_off)
}

/// The pipe that shades a quad, by the quad's position.
// Unverified: that neighbors go to different pipes by position rather than by turn.
fn pipe_of(column: u32, row: u32, pipes: u32) -> u16 {
    let along = if pipes >= 2 { 2 } else { 1 };
    u16::try_from((column % along + along * row) % pipes).expect("there are few pipes")
}

/// Whole clocks that one pipe's units take for a lookup.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and casts saturate")]
fn filter_clocks(draw: &Draw, lookup: &TracedLookup, machine: &Machine) -> u16 {
    let units = f64::from(machine.texture.lookups_per_clock) / f64::from(machine.fragment.quad_pipes);
    texture_loads(draw, lookup).clocks(&machine.texture, units).ceil() as u16
}

/// Runs a frame's lookups through caches and pipes; also returns the lines fetched from memory, in order.
///
/// # Errors
/// When the machine's caches are impossible.
pub fn frame_textures<'machine>(
    trace: &TextureTrace,
    machine: impl Into<DrawingMachine<'machine>>,
    runner: ModelRunner<'_>,
) -> Result<(FrameTextures, Vec<u32>), ParameterError> {
    let machine = machine.into();
    let parameters = texture_cache_parameters(machine);
    let (cache, fills) = runner.texture_caches(trace, &parameters)?;
    let streams = trace.streams.clone();
    let DrawingMachine::Staged(machine) = machine else {
        // Its texture units stream hits mixed with misses without stalling (Lindholm et al., IEEE Micro 28(2)).
        return Ok((FrameTextures { cache, streams, pipes: Vec::new(), curve: Vec::new() }, fills));
    };
    let base = prefetch_parameters(machine);
    let mut pipes = Vec::new();
    let mut curve: Vec<(u32, u64, u64)> = DEPTHS.iter().map(|depth| (*depth, 0, 0)).collect();
    for pipe in 0..parameters.pipes {
        let quads = prefetch::quads_of_pipe(trace, &cache, u16::try_from(pipe).expect("there are few pipes"));
        let depths = DEPTHS.iter().map(|&fragment_fifo| PrefetchParameters { fragment_fifo, ..base });
        let shapes: Vec<_> = std::iter::once(base).chain(depths).collect();
        let results = runner.prefetch(&quads, &shapes)?;
        pipes.push(results[0]);
        for (sum, result) in curve.iter_mut().zip(&results[1..]) {
            sum.1 = sum.1.max(result.cycles);
            sum.2 = sum.2.max(result.cycles_without_latency);
        }
    }
    Ok((FrameTextures { cache, streams, pipes, curve }, fills))
}
