//! The elements between BEGIN and END: batches, indices, vertices and packed vertices in order.

use crate::pipeline::PrimitiveType;

/// The most elements of one BEGIN/END.
pub(super) const MAX_ELEMENTS: u64 = 1 << 24;

/// The most whole vertices of one BEGIN/END; each takes 256 bytes.
pub(super) const MAX_IMMEDIATE: usize = 1 << 19;

/// A primitive between BEGIN and END.
#[derive(Debug)]
pub(super) struct OpenPrimitive {
    pub(super) primitive: PrimitiveType,
    pub(super) runs: Vec<Run>,
    pub(super) elements: u64,
    pub(super) immediate: usize,
    /// The edge flag at BEGIN.
    is_edge: bool,
    edge_changes: Vec<EdgeChange>,
}

/// A change of the edge flag between elements.
#[derive(Debug, Clone, Copy)]
struct EdgeChange {
    /// The number of preceding elements; for packed vertices, of their words.
    position: u64,
    is_edge: bool,
}

/// Elements of one kind, in order.
#[derive(Debug)]
pub(super) enum Run {
    Ranges(Vec<(u32, u32)>),
    Indices(Vec<u32>),
    Buffer(Vec<(u32, u32)>),
    Vertices(Vec<[[u32; 4]; 16]>),
    /// Words of packed vertices.
    Words(Vec<u32>),
}

impl Run {
    /// Whether it only contains restarts: drivers send the restart index between packed vertices.
    pub(super) fn only_restarts(&self, restart: Option<u32>) -> bool {
        matches!(self, Self::Indices(indices) if indices.iter().all(|index| Some(*index) == restart))
    }

    /// The number of elements, or of their words.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Ranges(ranges) | Self::Buffer(ranges) => ranges.iter().map(|(_, count)| u64::from(*count)).sum(),
            Self::Indices(indices) => indices.len() as u64,
            Self::Vertices(vertices) => vertices.len() as u64,
            Self::Words(words) => words.len() as u64,
        }
    }
}

impl OpenPrimitive {
    pub(super) const fn new(primitive: PrimitiveType, is_edge: bool) -> Self {
        Self { primitive, runs: Vec::new(), elements: 0, immediate: 0, is_edge, edge_changes: Vec::new() }
    }

    /// Changes the edge flag for the elements that follow.
    pub(super) fn set_edge_flag(&mut self, is_edge: bool) {
        let change = EdgeChange { position: self.elements, is_edge };
        match self.edge_changes.last_mut() {
            Some(last) if last.position == change.position => *last = change,
            _ => self.edge_changes.push(change),
        }
    }

    /// The elements of a run before which the edge flag changes. `start` elements precede the run; an element has
    /// `words` words.
    pub(super) fn edge_flag_changes(&self, start: u64, words: usize) -> Vec<u32> {
        let (before, within) = self.edge_changes.split_at(self.edge_changes.partition_point(|c| c.position <= start));
        let first = EdgeChange { position: start, is_edge: before.last().map_or(self.is_edge, |last| last.is_edge) };
        let mut changes = Vec::new();
        let mut is_edge = true;
        for change in std::iter::once(&first).chain(within) {
            if change.is_edge != is_edge {
                is_edge = change.is_edge;
                changes.push(u32::try_from((change.position - start) / words.max(1) as u64).unwrap_or(u32::MAX));
            }
        }
        changes
    }

    /// Counts elements; returns false if there are too many to keep. Such a draw is dropped at its end.
    const fn admit(&mut self, count: u64) -> bool {
        self.elements = self.elements.saturating_add(count);
        self.elements < MAX_ELEMENTS
    }

    pub(super) fn push_range(&mut self, first: u32, count: u32, is_indexed: bool) {
        if !self.admit(count.into()) {
            return;
        }
        let ranges = match (self.runs.last_mut(), is_indexed) {
            (Some(Run::Ranges(ranges)), false) | (Some(Run::Buffer(ranges)), true) => ranges,
            _ => {
                let run = vec![(first, count)];
                self.runs.push(if is_indexed { Run::Buffer(run) } else { Run::Ranges(run) });
                return;
            }
        };
        // Drivers split long draws into batches of 256 elements.
        match ranges.last_mut() {
            Some((start, length)) if *start + *length == first => *length += count,
            _ => ranges.push((first, count)),
        }
    }

    pub(super) fn push_indices(&mut self, indices: &[u32]) {
        if !self.admit(indices.len() as u64) {
            return;
        }
        match self.runs.last_mut() {
            Some(Run::Indices(run)) => run.extend_from_slice(indices),
            _ => self.runs.push(Run::Indices(indices.to_vec())),
        }
    }

    /// Adds words of packed vertices.
    pub(super) fn push_words(&mut self, words: &[u32]) {
        if !self.admit(words.len() as u64) {
            return;
        }
        match self.runs.last_mut() {
            Some(Run::Words(run)) => run.extend_from_slice(words),
            _ => self.runs.push(Run::Words(words.to_vec())),
        }
    }

    pub(super) fn push_vertex(&mut self, attributes: [[u32; 4]; 16]) {
        self.immediate += 1;
        if self.immediate > MAX_IMMEDIATE || !self.admit(1) {
            return;
        }
        match self.runs.last_mut() {
            Some(Run::Vertices(vertices)) => vertices.push(attributes),
            _ => self.runs.push(Run::Vertices(vec![attributes])),
        }
    }

    /// Turns consecutive batches and indices of one primitive into indices.
    pub(super) fn join_indices(&mut self, base: u32) {
        let is_joinable =
            self.runs.len() > 1 && self.runs.iter().all(|run| matches!(run, Run::Ranges(_) | Run::Indices(_)));
        if !is_joinable {
            return;
        }
        let mut joined = Vec::new();
        for run in self.runs.drain(..) {
            match run {
                Run::Indices(indices) => joined.extend(indices),
                Run::Ranges(ranges) => {
                    let vertices = ranges.iter().flat_map(|(first, count)| *first..first.saturating_add(*count));
                    joined.extend(vertices.map(|vertex| vertex.wrapping_sub(base)));
                }
                Run::Buffer(_) | Run::Vertices(_) | Run::Words(_) => {}
            }
        }
        self.runs.push(Run::Indices(joined));
    }
}
