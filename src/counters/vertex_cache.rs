//! The post-transform vertex cache: the results of the vertex program, by vertex.

use std::collections::VecDeque;

/// A cache that begins empty.
#[derive(Debug, Clone)]
pub struct VertexCache {
    entries: usize,
    hits_renew: bool,
    /// What it holds; the first makes room.
    held: VecDeque<u32>,
}

impl VertexCache {
    /// A cache of so many entries, of which the oldest makes room; where hits renew an entry, the one used longest ago.
    #[must_use]
    pub const fn new(entries: u32, hits_renew: bool) -> Self {
        Self { entries: entries as usize, hits_renew, held: VecDeque::new() }
    }

    /// Uses a vertex, which is held then; whether it was before.
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
