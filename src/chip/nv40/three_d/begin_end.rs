//! Collects the elements between BEGIN and END until the primitive is finished.

use super::attribute::{decode, inline_words};
use super::{ThreeD, enums};
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::class::Context;
use crate::chip::open_primitive::{MAX_ELEMENTS, MAX_IMMEDIATE, OpenPrimitive, Run};
use crate::command::methods::three_d::{draw as methods, raster, vertex};
use crate::memory::MemoryWindow;
use crate::pipeline::{Elements, IndexType};

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
            methods::VB_VERTEX_BATCH | methods::VB_INDEX_BATCH => {
                let is_indexed = context.method == methods::VB_INDEX_BATCH;
                open.push_range(value & 0x00ff_ffff, (value >> 24) + 1, is_indexed);
            }
            method => {
                self.push_elements(method, &[value]);
            }
        }
        Ok(())
    }

    /// Adds indices or packed vertices to the open primitive; false if there is none, or the method has other elements.
    pub(super) fn push_elements(&mut self, method: u16, words: &[u32]) -> bool {
        let (Some(open), Some(last)) = (&mut self.primitive, words.last()) else { return false };
        match method {
            methods::VB_ELEMENT_U16 => {
                words.iter().for_each(|word| open.push_indices(&[word & 0xffff, word >> 16]));
            }
            methods::VB_ELEMENT_U32 => open.push_indices(words),
            methods::VERTEX_DATA => open.push_words(words),
            _ => return false,
        }
        self.registers.set(method, *last);
        true
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
