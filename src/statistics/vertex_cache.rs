//! Indices of draws into hits and misses of the post-transform vertex cache.
//!
//! The cache keeps results of the vertex program by index. It is emptied between batches; an index that misses runs the
//! program once more.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};

use super::ParameterError;
use crate::counters::VertexCache;

/// Most entries that a cache may have.
pub const MAX_ENTRIES: u32 = 4096;

/// Which entry gives way to a new vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Replacement {
    /// The one that was brought first: a hit does not refresh (vendors' optimisation notes on GeForce).
    Fifo,
    /// The one that was used longest ago.
    Lru,
}

/// A post-transform vertex cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexCacheParameters {
    /// Vertices that it holds, 1 to [`MAX_ENTRIES`].
    pub entries: u32,
    /// Which of them gives way.
    pub replacement: Replacement,
}

impl Default for VertexCacheParameters {
    fn default() -> Self {
        // Unverified: 24 entries, which GeForce 3 and 4 have, are usually assumed for this chip.
        Self { entries: 24, replacement: Replacement::Fifo }
    }
}

impl VertexCacheParameters {
    /// Checks every field.
    ///
    /// # Errors
    /// With the first field that is out of its range.
    pub fn check(&self) -> Result<(), ParameterError> {
        let holds = (1..=MAX_ENTRIES).contains(&self.entries);
        ParameterError::unless(holds, "entries", self.entries, "from 1 to 4096")
    }
}

/// A batch of a trace: indices between which the cache is not emptied, mostly those of a draw.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct VertexBatch {
    /// Its first index in the trace.
    pub first_index: u32,
    /// How many indices it has.
    pub index_count: u32,
    /// The first of its unique vertices among those of all batches.
    pub first_vertex: u32,
    /// How many unique vertices it has.
    pub vertex_count: u32,
}

/// The vertices of all batches in index order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VertexTrace {
    /// The batches; their indices ascend and do not overlap, their vertices follow each other.
    pub batches: Vec<VertexBatch>,
    /// For each index the number of its vertex among the unique ones of its batch, from 0.
    pub vertices: Vec<u32>,
}

impl VertexTrace {
    /// Adds a batch of indices, whose vertices it numbers in the order of their first use.
    ///
    /// # Errors
    /// When the trace would have more than 2³² − 1 indices.
    pub fn push(&mut self, indices: &[u32]) -> Result<(), ParameterError> {
        let count = |count: usize| {
            u32::try_from(count).map_err(|_| ParameterError {
                field: "vertices",
                value: count as u64,
                expected: "fewer than 2^32 in a trace",
            })
        };
        count(self.vertices.len() + indices.len())?;
        let mut numbers = HashMap::new();
        let (first_index, index_count) = (count(self.vertices.len())?, count(indices.len())?);
        for index in indices {
            let next = count(numbers.len())?;
            self.vertices.push(*numbers.entry(*index).or_insert(next));
        }
        let first_vertex = self.vertex_count();
        let vertex_count = count(numbers.len())?;
        self.batches.push(VertexBatch { first_index, index_count, first_vertex, vertex_count });
        Ok(())
    }

    /// Unique vertices of all batches.
    #[must_use]
    pub fn vertex_count(&self) -> u32 {
        self.batches.last().map_or(0, |batch| batch.first_vertex.saturating_add(batch.vertex_count))
    }

    /// Checks that batches lie inside the trace and follow each other.
    ///
    /// # Errors
    /// With the field of a batch that does not fit.
    pub fn check(&self) -> Result<(), ParameterError> {
        check_batches(&self.batches, self.vertices.len() as u64)
    }
}

/// Checks that batches lie inside a trace of so many indices and follow each other.
pub(super) fn check_batches(batches: &[VertexBatch], indices: u64) -> Result<(), ParameterError> {
    let (mut index_end, mut vertex_end) = (0u64, 0u64);
    for batch in batches {
        let first = u64::from(batch.first_index);
        ParameterError::unless(first >= index_end, "first_index", first, "at or behind the end of the batch before")?;
        index_end = first + u64::from(batch.index_count);
        ParameterError::unless(index_end <= indices, "index_count", batch.index_count, "inside the trace")?;
        let first = u64::from(batch.first_vertex);
        ParameterError::unless(first == vertex_end, "first_vertex", first, "the end of the batch before")?;
        vertex_end = first + u64::from(batch.vertex_count);
        let holds = u32::try_from(vertex_end).is_ok() && batch.vertex_count <= batch.index_count;
        ParameterError::unless(holds, "vertex_count", batch.vertex_count, "at most the batch's indices")?;
    }
    Ok(())
}

/// Hits and misses of a batch; together they are its indices.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct VertexCacheCounts {
    /// Indices whose vertex was in the cache.
    pub hits: u32,
    /// Indices whose vertex was transformed.
    pub misses: u32,
}

/// What the cache did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VertexCacheResult {
    /// One for each batch.
    pub batches: Vec<VertexCacheCounts>,
    /// How often each unique vertex was transformed, batch after batch.
    pub transforms: Vec<u32>,
}

/// Runs the cache over a trace.
///
/// # Errors
/// When a parameter is out of its range, or a batch lies outside of the trace.
///
/// ```
/// use curie::statistics::vertex_cache::{VertexCacheParameters, VertexTrace, simulate};
/// let mut trace = VertexTrace::default();
/// trace.push(&[0, 1, 2, 2, 1, 3]).unwrap();
/// let result = simulate(&trace, &VertexCacheParameters::default()).unwrap();
/// assert_eq!((result.batches[0].hits, result.batches[0].misses), (2, 4));
/// ```
pub fn simulate(trace: &VertexTrace, parameters: &VertexCacheParameters) -> Result<VertexCacheResult, ParameterError> {
    parameters.check()?;
    trace.check()?;
    let mut transforms = vec![0; trace.vertex_count() as usize];
    let batches = trace.batches.iter().map(|batch| {
        let vertices = &trace.vertices[batch.first_index as usize..][..batch.index_count as usize];
        let transforms = &mut transforms[batch.first_vertex as usize..][..batch.vertex_count as usize];
        simulate_batch(vertices, parameters, transforms)
    });
    Ok(VertexCacheResult { batches: batches.collect(), transforms })
}

/// Numbers beyond the batch's vertices are no vertices and count as misses.
fn simulate_batch(vertices: &[u32], parameters: &VertexCacheParameters, transforms: &mut [u32]) -> VertexCacheCounts {
    let mut cache = VertexCache::new(parameters.entries, parameters.replacement == Replacement::Lru);
    let mut counts = VertexCacheCounts::default();
    for vertex in vertices {
        let transforms = transforms.get_mut(*vertex as usize);
        if transforms.is_some() && cache.use_vertex(*vertex) {
            counts.hits += 1;
        } else {
            counts.misses += 1;
            transforms.into_iter().for_each(|transforms| *transforms += 1);
        }
    }
    counts
}

#[cfg(test)]
#[path = "vertex_cache_tests.rs"]
mod tests;
