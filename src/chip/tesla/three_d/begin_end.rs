//! Collects the elements between `VERTEX_BEGIN_GL` or `VERTEX_BEGIN_D3D` and its end, until the primitive is finished.

use super::Processor;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field};
use crate::chip::class::Context;
use crate::chip::open_primitive::{MAX_ELEMENTS, MAX_IMMEDIATE, OpenPrimitive, Run};
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use crate::pipeline::{Elements, PrimitiveType};

/// The types of primitives, by their number.
const PRIMITIVES: [PrimitiveType; 14] = [
    PrimitiveType::Points,
    PrimitiveType::Lines,
    PrimitiveType::LineLoop,
    PrimitiveType::LineStrip,
    PrimitiveType::Triangles,
    PrimitiveType::TriangleStrip,
    PrimitiveType::TriangleFan,
    PrimitiveType::Quads,
    PrimitiveType::QuadStrip,
    PrimitiveType::Polygon,
    PrimitiveType::LinesAdjacency,
    PrimitiveType::LineStripAdjacency,
    PrimitiveType::TrianglesAdjacency,
    PrimitiveType::TriangleStripAdjacency,
];

/// The type of primitives by the number of `VERTEX_BEGIN_D3D`.
const fn direct3d_primitive(number: u32) -> Option<PrimitiveType> {
    Some(match number {
        1 => PrimitiveType::Points,
        2 => PrimitiveType::Lines,
        3 => PrimitiveType::LineStrip,
        4 => PrimitiveType::Triangles,
        5 => PrimitiveType::TriangleStrip,
        10 => PrimitiveType::LinesAdjacency,
        11 => PrimitiveType::LineStripAdjacency,
        12 => PrimitiveType::TrianglesAdjacency,
        13 => PrimitiveType::TriangleStripAdjacency,
        _ => return None,
    })
}

impl Processor {
    /// `VERTEX_BEGIN_GL`.
    pub(super) fn begin(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let primitive = PRIMITIVES.get(field(context.value, 27, 0) as usize);
        self.begin_primitive(primitive.copied(), context)
    }

    /// `VERTEX_BEGIN_D3D`.
    // Unverified: that nothing but the numbers of primitives differs.
    pub(super) fn begin_direct3d(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        self.begin_primitive(direct3d_primitive(field(context.value, 27, 0)), context)
    }

    fn begin_primitive(
        &mut self,
        primitive: Option<PrimitiveType>,
        context: &mut Context<'_>,
    ) -> Result<(), ChipError> {
        if self.primitive.is_some() {
            self.end(context)?;
        }
        // Unverified: that bit 30 alone keeps the number of the instance.
        self.instance = match () {
            () if bit(context.value, 28) => self.instance.wrapping_add(1),
            () if bit(context.value, 30) => self.instance,
            () => 0,
        };
        let Some(primitive) = primitive else {
            return context.anomaly(Reason::IllegalValue);
        };
        self.primitive = Some(OpenPrimitive::new(primitive, self.registers.is_set(late::EDGEFLAG)));
        Ok(())
    }

    /// Ranges of vertices, indices and packed vertices.
    pub(super) fn element_method(&mut self, method: u16, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let Some(open) = &mut self.primitive else {
            return context.anomaly(Reason::DroppedDraw("no primitive has begun"));
        };
        match method {
            early::VERTEX_BUFFER_COUNT => {
                open.push_range(self.registers.get(early::VERTEX_BUFFER_FIRST), value, false);
            }
            early::DRAW_TFB_BYTES => {
                let bytes = value.saturating_sub(self.registers.get(early::DRAW_TFB_BASE));
                match bytes.checked_div(self.registers.get(early::DRAW_TFB_STRIDE)) {
                    Some(count) => open.push_range(0, count, false),
                    None => return context.anomaly(Reason::IllegalValue),
                }
            }
            method => {
                self.push_elements(method, &[value]);
            }
        }
        Ok(())
    }

    /// Adds indices or packed vertices to the open primitive; false if there is none, or the method has other elements.
    pub(in crate::chip::tesla) fn push_elements(&mut self, method: u16, words: &[u32]) -> bool {
        let (Some(open), Some(last)) = (&mut self.primitive, words.last()) else { return false };
        match method {
            late::VB_ELEMENT_U16 => {
                words.iter().for_each(|word| self.packed_indices.push(&[word & 0xffff, word >> 16], open));
            }
            early::VB_ELEMENT_U8 => {
                words.iter().for_each(|word| self.packed_indices.push(&word.to_le_bytes().map(u32::from), open));
            }
            late::VB_ELEMENT_U32 => open.push_indices(words),
            late::VERTEX_DATA => open.push_words(words),
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

    /// Adds a vertex after a write of attribute 0.
    pub(super) fn emit_vertex(&mut self) {
        if let Some(open) = &mut self.primitive {
            open.push_vertex(self.attributes);
        }
    }

    /// `VERTEX_END_GL` and `VERTEX_END_D3D`.
    pub(super) fn end(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let Some(mut open) = self.primitive.take() else { return Ok(()) };
        if open.elements >= MAX_ELEMENTS || open.immediate > MAX_IMMEDIATE {
            return context.anomaly(Reason::DroppedDraw("too many elements in one primitive"));
        }
        open.join_indices(self.registers.get(late::VB_ELEMENT_BASE));
        let restart = self.restart_index();
        let are_packed = open.runs.iter().all(|run| matches!(run, Run::Words(_)) || run.only_restarts(restart));
        if open.runs.len() > 1 && !are_packed {
            context.anomaly(Reason::Unsupported("a primitive over elements of different kinds"))?;
        }
        let mut start = 0;
        for run in std::mem::take(&mut open.runs) {
            let words = if matches!(run, Run::Words(_)) { self.words_per_vertex() } else { 1 };
            let edge_flag_changes = open.edge_flag_changes(start, words);
            start += run.len();
            if run.only_restarts(restart) {
                continue;
            }
            let elements = match run {
                Run::Ranges(ranges) => Elements::Ranges(ranges),
                Run::Indices(indices) => Elements::Inline(indices),
                Run::Vertices(vertices) => Elements::Immediate(vertices),
                Run::Buffer(_) => continue,
                Run::Words(words) => match self.unpack(&words) {
                    Some(vertices) => Elements::Immediate(vertices),
                    None => {
                        context.anomaly(Reason::DroppedDraw("packed vertices do not match the attributes"))?;
                        continue;
                    }
                },
            };
            self.draw(open.primitive, elements, edge_flag_changes, context)?;
        }
        Ok(())
    }
}
