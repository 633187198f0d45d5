//! Draws that follow each other and send pixels through the same state become one: the vertices of each are run with its
//! own program, arrays and constants, the primitives of all are set up, rasterised, shaded and merged together.
//!
//! A draw waits until work arrives that does not join it. Meanwhile nothing else is recorded and memory stays as it is.

use std::ops::Range;
use std::sync::Arc;

use super::counted_draws::CountPlace;
use super::draw_kernels::{PixelKernels, VertexKernel};
use super::engine::Kernels;
use super::kept_draws::KeptBatch;
use super::run_vertex_programs::draw_fetch;
use crate::format::element_bytes;
use crate::memory::MemoryWindow;
use crate::pipeline::front_end::assemble_primitives::{DRAW_SHIFT, Primitive};
use crate::pipeline::front_end::decode_programs::decode_vertex_program;
use crate::pipeline::front_end::vertex_batches::VertexBatch;
use crate::pipeline::{Draw, Elements, EngineError, IndexType, VertexAttribute, VertexTexture};
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

/// Most vertices, and most primitives, of draws that join others: larger ones are worth dispatches of their own, and
/// find their primitives on the device where they come again.
const SMALL_DRAW: usize = 1 << 12;
/// Most vertices, and most primitives, of all draws that are joined.
const JOINED: usize = 1 << 15;
/// Most draws that are joined.
const JOINED_DRAWS: usize = 1 << 9;
/// How many draws before one are looked at for its program.
const LATEST_RUNS: usize = 8;

/// A draw as far as its vertices.
#[derive(Debug)]
pub(super) struct VertexRun {
    pub(super) draw: Draw,
    pub(super) program: Arc<VertexProgram>,
    pub(super) kernel: Arc<VertexKernel>,
    /// Not empty.
    pub(super) batches: Arc<[KeptBatch]>,
    /// How many draws are counted between the first of those that are drawn as one and this one.
    pub(super) number: u32,
}

/// Draws that are drawn as one.
#[derive(Debug)]
pub(super) struct JoinedDraws {
    /// The draws, at least one; the state of pixels is that of the first.
    pub(super) runs: Vec<VertexRun>,
    pub(super) pixels: PixelKernels,
    pub(super) fragment_program: FragmentProgram,
    /// Where what the first draw does is counted; the others follow.
    pub(super) counted: Option<CountPlace>,
    /// The memory that pixels may change.
    pub(super) written: Vec<MemoryWindow>,
    vertices: usize,
    primitives: usize,
}

impl JoinedDraws {
    /// A draw alone.
    pub(super) fn new(
        run: VertexRun,
        pixels: PixelKernels,
        fragment_program: FragmentProgram,
        counted: Option<CountPlace>,
    ) -> Self {
        let written = run.draw.written_windows();
        let [vertices, primitives] = run.size();
        Self { runs: vec![run], pixels, fragment_program, counted, written, vertices, primitives }
    }

    /// The draw whose pixel state is that of all.
    pub(super) fn first(&self) -> &Draw {
        &self.runs[0].draw
    }

    /// Whether other draws may join.
    pub(super) fn is_open(&self) -> bool {
        let draw = self.first();
        let program = draw.fragment.program.truncated(self.fragment_program.words.saturating_mul(4));
        let copies = matches!(self.pixels, PixelKernels::Split { copied_units: 1.., .. });
        // A stipple runs on from line to line of one draw.
        (self.counted.is_none() || matches!(self.pixels, PixelKernels::Fused { .. }))
            && self.runs[0].is_small()
            && draw.raster.line_stipple.is_none()
            && !copies
            && !self.writes(program)
    }

    /// Whether pixels may change bytes of a window.
    fn writes(&self, window: MemoryWindow) -> bool {
        self.written.iter().any(|written| written.overlaps(window))
    }

    /// Whether a draw is small enough to join, and its vertices come from memory that pixels do not change.
    fn admits(&self, draw: &Draw, batches: &[KeptBatch]) -> bool {
        let [batch] = batches else { return false };
        batch.is_small()
            && self.vertices + batch.vertices.len() <= JOINED
            && self.primitives + batch.primitives.len() <= JOINED
            && self.runs.len() < JOINED_DRAWS
            && !vertex_windows(draw, &batch.vertices).any(|window| self.writes(window))
    }

    fn push(&mut self, run: VertexRun) {
        let [vertices, primitives] = run.size();
        self.vertices += vertices;
        self.primitives += primitives;
        self.runs.push(run);
    }

    /// The vertices and primitives of all draws, in order, and which vertices are whose.
    pub(super) fn joined_batch(&self) -> (KeptBatch, Vec<Range<usize>>) {
        let mut joined = VertexBatch {
            vertices: Vec::with_capacity(self.vertices),
            primitives: Vec::with_capacity(self.primitives),
        };
        let mut ranges = Vec::with_capacity(self.runs.len());
        for (batch, number) in self.runs.iter().flat_map(|run| run.batches.iter().map(|batch| (batch, run.number))) {
            let first = joined.vertices.len();
            let offset = u32::try_from(first).expect("joined draws have few vertices");
            joined.vertices.extend(&batch.vertices);
            ranges.push(first..joined.vertices.len());
            joined.primitives.extend(batch.primitives.iter().map(|primitive| Primitive {
                vertices: primitive.vertices.map(|vertex| vertex + offset),
                provoking: primitive.provoking + offset,
                face: primitive.face.map(|vertex| vertex + offset),
                flags: primitive.flags | number << DRAW_SHIFT,
            }));
        }
        (joined.into(), ranges)
    }
}

impl VertexRun {
    /// Vertices and primitives.
    fn size(&self) -> [usize; 2] {
        self.batches.iter().fold([0; 2], |[vertices, primitives], batch| {
            [vertices + batch.vertices.len(), primitives + batch.primitives.len()]
        })
    }

    fn is_small(&self) -> bool {
        matches!(&*self.batches, [batch] if batch.is_small())
    }

    /// Whether vertices of both runs become the same by the same index.
    pub(super) fn has_inputs_of(&self, other: &Self) -> bool {
        self.draw.input == other.draw.input && self.draw.vertex == other.draw.vertex
    }

    /// Whether the vertices of another draw go through the same program.
    fn shares_program(&self, draw: &Draw) -> bool {
        let (own, other) = (&self.draw.vertex, &draw.vertex);
        (own.start, own.rules) == (other.start, other.rules) && own.instructions == other.instructions
    }
}

impl KeptBatch {
    fn is_small(&self) -> bool {
        self.vertices.len() <= SMALL_DRAW && self.primitives.len() <= SMALL_DRAW
    }
}

impl Kernels {
    /// Lets a draw join those that wait; false where it cannot.
    pub(super) fn join(&mut self, draw: &Draw) -> Result<bool, EngineError> {
        let Some(mut waiting) = self.waiting.take() else { return Ok(false) };
        let has_joined = self.join_to(&mut waiting, draw);
        self.waiting = Some(waiting);
        has_joined
    }

    fn join_to(&mut self, waiting: &mut JoinedDraws, draw: &Draw) -> Result<bool, EngineError> {
        if !shares_pixel_state(waiting.first(), draw)
            || reached_indices(&draw.elements).is_some_and(|indices| waiting.writes(indices))
        {
            return Ok(false);
        }
        let resolved = self.resolved(draw)?;
        let is_empty = resolved.batches.is_empty();
        if !(is_empty || waiting.admits(draw, &resolved.batches))
            || waiting.counted.is_some_and(|first| !self.has_count_room(first))
        {
            return Ok(false);
        }
        if is_empty && waiting.counted.is_none() {
            return Ok(true);
        }
        let (program, kernel) = self.joined_program(waiting, draw)?;
        let place = self.begin_count(draw, (&program, &waiting.fragment_program), &resolved, true)?;
        let number = place.zip(waiting.counted).map_or(0, |(place, first)| (place.first - first.first) / first.stride);
        if !is_empty {
            waiting.push(VertexRun { draw: draw.clone(), program, kernel, batches: resolved.batches, number });
        }
        Ok(true)
    }

    /// The program and kernel of a draw that joins: those of one shortly before, where they are the same.
    fn joined_program(
        &mut self,
        waiting: &JoinedDraws,
        draw: &Draw,
    ) -> Result<(Arc<VertexProgram>, Arc<VertexKernel>), EngineError> {
        let mut latest = waiting.runs.iter().rev().take(LATEST_RUNS).filter(|run| run.shares_program(draw));
        let Some(last) = latest.next() else {
            let program = Arc::new(decode_vertex_program(draw)?);
            let kernel = self.vertex_kernel(draw, &program)?;
            return Ok((program, kernel));
        };
        let locate = |window| self.heap.locate(window);
        let fetch = draw_fetch(draw, last.kernel.traits.attributes, self.gpu.has_wide_words(), &locate);
        let kernel = match std::iter::once(last).chain(latest).find(|run| run.kernel.fetch == fetch) {
            Some(run) => Arc::clone(&run.kernel),
            None => self.vertex_kernel(draw, &last.program)?,
        };
        Ok((Arc::clone(&last.program), kernel))
    }
}

/// Whether what follows the vertex stage is the same for both draws.
fn shares_pixel_state(first: &Draw, second: &Draw) -> bool {
    let Draw { primitive, elements, input: _, vertex, viewport, raster, fragment, textures, rop, targets } = first;
    let is_immediate = |elements: &Elements| matches!(elements, Elements::Immediate(_));
    *primitive == second.primitive
        && is_immediate(elements) == is_immediate(&second.elements)
        && vertex.outputs == second.vertex.outputs
        && *viewport == second.viewport
        && *raster == second.raster
        && *fragment == second.fragment
        && *rop == second.rop
        && *targets == second.targets
        && *textures == second.textures
}

/// The memory that the vertices of a draw may come from.
pub(super) fn vertex_windows<'a>(draw: &'a Draw, vertices: &[u32]) -> impl Iterator<Item = MemoryWindow> + use<'a> {
    let last = vertices.iter().map(|vertex| vertex.wrapping_add(draw.input.base_index)).max().unwrap_or(0);
    let arrays = draw.input.attributes.iter().filter_map(move |attribute| match *attribute {
        VertexAttribute::Constant(_) => None,
        // A divider only takes the element closer to the first.
        VertexAttribute::Array { window, format, size, stride, .. } => {
            let end = u64::from(last) * u64::from(stride) + u64::from(element_bytes(format, size));
            Some(window.truncated(u32::try_from(end).unwrap_or(u32::MAX)))
        }
    });
    let texture_window = |texture: &VertexTexture| texture.window;
    arrays.chain(draw.vertex.textures.iter().flatten().map(texture_window))
}

/// The index buffer as far as a draw reaches.
pub(super) fn reached_indices(elements: &Elements) -> Option<MemoryWindow> {
    let Elements::Buffer { window, index_type, ranges } = elements else { return None };
    let bytes = match index_type {
        IndexType::U16 => 2,
        IndexType::U32 => 4,
    };
    let ends = ranges.iter().map(|&(first, count)| (u64::from(first) + u64::from(count)) * bytes);
    Some(window.truncated(u32::try_from(ends.max().unwrap_or(0)).unwrap_or(u32::MAX)))
}
