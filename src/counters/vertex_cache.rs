//! The post-transform vertex cache, which holds results of the vertex program by vertex index.

use std::collections::VecDeque;

/// A post-transform vertex cache.
#[derive(Debug, Clone)]
pub struct VertexCache {
    entries: usize,
    hits_renew: bool,
    /// The cached vertices; the first is evicted next.
    held: VecDeque<u32>,
}

impl VertexCache {
    /// Creates a cache that evicts the oldest entry (FIFO), or, if hits renew entries, the least recently used one
    /// (LRU).
    #[must_use]
    pub const fn new(entries: u32, hits_renew: bool) -> Self {
        Self { entries: entries as usize, hits_renew, held: VecDeque::new() }
    }

    /// Uses a vertex; returns whether the cache held it.
    pub fn use_vertex(&mut self, vertex: u32) -> bool {
        let place = self.held.iter().position(|held| *held == vertex);
        match place {
            Some(_) if !self.hits_renew => return true,
            Some(place) => drop(self.held.remove(place)),
            None if self.held.len() >= self.entries => drop(self.held.pop_front()),
            None => {}
        }
        if self.entries > 0 {
            self.held.push_back(vertex);
        }
        place.is_some()
    }
}
