//! Collects the elements between BEGIN and END until the primitive is finished.

use super::attribute::{decode, inline_words};
use super::{ThreeD, enums};
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::context::Context;
use crate::command::methods::three_d::{draw as methods, raster, vertex};
use crate::memory::MemoryWindow;
use crate::pipeline::{Elements, IndexType, PrimitiveType};

/// The most elements of one BEGIN/END.
const MAX_ELEMENTS: u64 = 1 << 24;

/// The most whole vertices of one BEGIN/END; each takes 256 bytes.
const MAX_IMMEDIATE: usize = 1 << 19;

/// A primitive between BEGIN and END.
#[derive(Debug)]
pub(super) struct OpenPrimitive {
    primitive: PrimitiveType,
    runs: Vec<Run>,
    elements: u64,
    immediate: usize,
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
enum Run {
    Ranges(Vec<(u32, u32)>),
    Indices(Vec<u32>),
    Buffer(Vec<(u32, u32)>),
    Vertices(Vec<[[u32; 4]; 16]>),
    /// Words of packed vertices.
    Words(Vec<u32>),
}

impl Run {
    /// Whether it only contains restarts: drivers send the restart index between packed vertices.
    fn only_restarts(&self, restart: Option<u32>) -> bool {
        matches!(self, Self::Indices(indices) if indices.iter().all(|index| Some(*index) == restart))
    }

    /// The number of elements, or of their words.
    fn len(&self) -> u64 {
        match self {
            Self::Ranges(ranges) | Self::Buffer(ranges) => ranges.iter().map(|(_, count)| u64::from(*count)).sum(),
            Self::Indices(indices) => indices.len() as u64,
            Self::Vertices(vertices) => vertices.len() as u64,
            Self::Words(words) => words.len() as u64,
        }
    }
}

impl OpenPrimitive {
    const fn new(primitive: PrimitiveType, is_edge: bool) -> Self {
        Self { primitive, runs: Vec::new(), elements: 0, immediate: 0, is_edge, edge_changes: Vec::new() }
    }

    /// Changes the edge flag for the elements that follow.
    fn set_edge_flag(&mut self, is_edge: bool) {
        let change = EdgeChange { position: self.elements, is_edge };
        match self.edge_changes.last_mut() {
            Some(last) if last.position == change.position => *last = change,
            _ => self.edge_changes.push(change),
        }
    }

    /// The elements of a run before which the edge flag changes. `start` elements precede the run; an element has
    /// `words` words.
    fn edge_flag_changes(&self, start: u64, words: usize) -> Vec<u32> {
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

    /// Counts elements; returns false if there are too many to keep.
    const fn admit(&mut self, count: u32) -> bool {
        self.elements = self.elements.saturating_add(count as u64);
        self.elements < MAX_ELEMENTS
    }

    fn push_range(&mut self, first: u32, count: u32, is_indexed: bool) {
        if !self.admit(count) {
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

    fn push_index(&mut self, index: u32) {
        if !self.admit(1) {
            return;
        }
        match self.runs.last_mut() {
            Some(Run::Indices(indices)) => indices.push(index),
            _ => self.runs.push(Run::Indices(vec![index])),
        }
    }

    fn push_word(&mut self, word: u32) {
        if !self.admit(1) {
            return;
        }
        match self.runs.last_mut() {
            Some(Run::Words(words)) => words.push(word),
            _ => self.runs.push(Run::Words(vec![word])),
        }
    }

    fn push_vertex(&mut self, attributes: [[u32; 4]; 16]) {
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
    fn join_indices(&mut self, base: u32) {
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

impl ThreeD {
    /// `VERTEX_BEGIN_END`.
    pub(super) fn begin_end(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        if self.primitive.is_some() {
            self.end(context)?;
        }
        let is_edge = self.registers.is_set(raster::EDGEFLAG);
        self.primitive = enums::primitive(context.value).map(|primitive| OpenPrimitive::new(primitive, is_edge));
        if self.primitive.is_none() && context.value != 0 {
            return context.anomaly(Reason::IllegalValue);
        }
        Ok(())
    }

    /// Batches, indices and packed vertices.
    pub(super) fn element_method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let Some(open) = &mut self.primitive else {
            return context.anomaly(Reason::DroppedDraw("no primitive has begun"));
        };
        match context.method {
            methods::VB_ELEMENT_U16 => {
                open.push_index(value & 0xffff);
                open.push_index(value >> 16);
            }
            methods::VB_ELEMENT_U32 => open.push_index(value),
            methods::VERTEX_DATA => open.push_word(value),
            method => open.push_range(value & 0x00ff_ffff, (value >> 24) + 1, method == methods::VB_INDEX_BATCH),
        }
        Ok(())
    }

    /// `EDGEFLAG`.
    pub(super) fn edge_flag(&mut self, value: u32) {
        if let Some(open) = &mut self.primitive {
            open.set_edge_flag(value & 1 != 0);
        }
    }

    /// Emits a vertex after a write of attribute 0.
    pub(super) fn emit_vertex(&mut self) {
        if let Some(open) = &mut self.primitive {
            open.push_vertex(self.attributes.values);
        }
    }

    fn end(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let Some(mut open) = self.primitive.take() else { return Ok(()) };
        if open.elements >= MAX_ELEMENTS || open.immediate > MAX_IMMEDIATE {
            return context.anomaly(Reason::DroppedDraw("too many elements in one primitive"));
        }
        open.join_indices(self.registers.get(vertex::VB_ELEMENT_BASE));
        let restart = self.restart_index();
        let are_packed = open.runs.iter().all(|run| matches!(run, Run::Words(_)) || run.only_restarts(restart));
        if open.runs.len() > 1 && !are_packed {
            context.anomaly(Reason::Unsupported("a primitive over elements of different kinds"))?;
        }
        let buffer = self.index_buffer();
        let mut start = 0;
        for run in std::mem::take(&mut open.runs) {
            let words = if matches!(run, Run::Words(_)) { self.words_per_vertex() } else { 1 };
            let edge_flag_changes = open.edge_flag_changes(start, words);
            start += run.len();
            if run.only_restarts(restart) {
                continue;
            }
            let elements = match self.elements(run, buffer) {
                Some(elements) => elements,
                None => {
                    context.anomaly(Reason::DroppedDraw("packed vertices do not match the enabled arrays"))?;
                    continue;
                }
            };
            self.draw(open.primitive, elements, edge_flag_changes, context)?;
        }
        Ok(())
    }

    fn elements(&self, run: Run, buffer: (MemoryWindow, IndexType)) -> Option<Elements> {
        Some(match run {
            Run::Ranges(ranges) => Elements::Ranges(ranges),
            Run::Indices(indices) => Elements::Inline(indices),
            Run::Buffer(ranges) => Elements::Buffer { window: buffer.0, index_type: buffer.1, ranges },
            Run::Vertices(vertices) => Elements::Immediate(vertices),
            Run::Words(words) => Elements::Immediate(self.unpack(&words)?),
        })
    }

    /// The number of words of a packed vertex.
    fn words_per_vertex(&self) -> usize {
        (0..16).filter_map(|index| self.array_format(index)).map(|(format, size)| inline_words(format, size)).sum()
    }

    /// Unpacks vertices: the components of each enabled array in order, where each array starts a new word.
    fn unpack(&self, words: &[u32]) -> Option<Vec<[[u32; 4]; 16]>> {
        let arrays: Vec<_> = (0..16).filter_map(|index| Some((index, self.array_format(index)?))).collect();
        let per_vertex = self.words_per_vertex();
        if per_vertex == 0 || words.len() / per_vertex > MAX_IMMEDIATE {
            return None;
        }
        let vertex = |words: &[u32]| {
            let mut attributes = self.attributes.values;
            let mut rest = words;
            for (index, (format, size)) in &arrays {
                let (own, others) = rest.split_at(inline_words(*format, *size));
                attributes[*index] = decode(*format, *size, own);
                rest = others;
            }
            attributes
        };
        Some(words.chunks_exact(per_vertex).map(vertex).collect())
    }
}
