//! Runs lookups through the texture caches in the order in which a rasterizer traverses their quads: the
//! specification.

use std::collections::HashMap;

use super::{
    CacheCounts, CacheParameters, LevelCounts, LookupStream, QuadLookup, QuadOrder, TextureCacheParameters,
    TextureCacheResult, TextureTrace,
};
use crate::ParameterError;
use crate::lru::{EMPTY, LruLists};

/// The indices of lookups in an order; lookups of one quad keep their recorded order.
#[must_use]
pub fn order_of(lookups: &[QuadLookup], streams: &[LookupStream], order: QuadOrder) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..).take(lookups.len()).collect();
    let quads = match order {
        QuadOrder::Recorded => return numbers,
        QuadOrder::Tiled { quads } => quads.max(1),
        // A tile as wide as any picture.
        QuadOrder::Scanline => 1 << 16,
    };
    numbers.sort_by_cached_key(|number| {
        let lookup = &lookups[*number as usize];
        let draw = streams.get(lookup.stream as usize).map(|stream| stream.draw);
        let (column, row) = (lookup.position & 0xffff, lookup.position >> 16);
        (draw, lookup.primitive, row / quads, column / quads, row, column)
    });
    numbers
}

/// Outcome of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Hit,
    Cold,
    Capacity,
    Conflict,
}

impl CacheCounts {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Hit => self.hits += 1,
            Outcome::Cold => self.cold += 1,
            Outcome::Capacity => self.capacity += 1,
            Outcome::Conflict => self.conflict += 1,
        }
    }
}

/// The position of a touched line: its slot in its set and in the fully associative cache, 0 for none.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    in_set: u32,
    in_full: u32,
}

/// A cache and the fully associative cache of the same size.
#[derive(Debug)]
struct Cache {
    line_shift: u32,
    set_count: u32,
    sets: LruLists,
    full: LruLists,
    places: HashMap<u32, Place>,
}

impl Cache {
    fn new(parameters: &CacheParameters) -> Self {
        Self {
            line_shift: parameters.line_bytes.trailing_zeros(),
            set_count: parameters.sets(),
            sets: LruLists::new(parameters.sets(), parameters.ways),
            full: LruLists::new(1, parameters.lines()),
            places: HashMap::new(),
        }
    }

    fn access(&mut self, address: u32) -> Outcome {
        let line = address >> self.line_shift;
        let set = line % self.set_count;
        let known = self.places.get(&line).copied();
        let mut place = known.unwrap_or_default();
        if place.in_set == 0 {
            let (slot, held) = self.sets.replace(set, line);
            if held != EMPTY {
                self.places.entry(held).or_default().in_set = 0;
            }
            place.in_set = slot;
        } else {
            self.sets.refresh(set, place.in_set);
        }
        if place.in_full == 0 {
            let (slot, held) = self.full.replace(0, line);
            if held != EMPTY {
                self.places.entry(held).or_default().in_full = 0;
            }
            place.in_full = slot;
        } else {
            self.full.refresh(0, place.in_full);
        }
        self.places.insert(line, place);
        match known {
            None => Outcome::Cold,
            Some(Place { in_set: 0, in_full: 0 }) => Outcome::Capacity,
            Some(Place { in_set: 0, .. }) => Outcome::Conflict,
            Some(_) => Outcome::Hit,
        }
    }
}

/// Runs the caches over a trace.
///
/// # Errors
/// When a parameter is out of range, or a lookup lies outside the trace.
pub fn simulate(
    trace: &TextureTrace,
    parameters: &TextureCacheParameters,
    order: QuadOrder,
) -> Result<TextureCacheResult, ParameterError> {
    simulate_filling(trace, parameters, order, |_| ())
}

/// Runs the caches over a trace; calls `fill` with the first byte of each line fetched from memory, in order.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_filling(
    trace: &TextureTrace,
    parameters: &TextureCacheParameters,
    order: QuadOrder,
    mut fill: impl FnMut(u32),
) -> Result<TextureCacheResult, ParameterError> {
    parameters.check()?;
    trace.check(parameters.pipes)?;
    let mut pipes: Vec<_> = (0..parameters.pipes).map(|_| Cache::new(&parameters.first)).collect();
    let mut second = parameters.second.as_ref().map(Cache::new);
    let mut streams = vec![LevelCounts::default(); trace.streams.len()];
    let mut lookup_misses = vec![0; trace.lookups.len()];
    let line_mask = !(parameters.memory_line_bytes() - 1);
    for number in order_of(&trace.lookups, &trace.streams, order) {
        let lookup = &trace.lookups[number as usize];
        let counts = &mut streams[lookup.stream as usize];
        let first = &mut pipes[usize::from(lookup.pipe)];
        for address in &trace.texels[lookup.first_texel as usize..][..lookup.texel_count as usize] {
            let outcome = first.access(*address);
            counts.first.count(outcome);
            if outcome == Outcome::Hit {
                continue;
            }
            lookup_misses[number as usize] += 1;
            let is_filled = second.as_mut().is_none_or(|second| {
                let outcome = second.access(*address);
                counts.second.count(outcome);
                outcome != Outcome::Hit
            });
            if is_filled {
                fill(*address & line_mask);
            }
        }
    }
    Ok(TextureCacheResult { parameters: *parameters, order, streams, lookup_misses })
}
