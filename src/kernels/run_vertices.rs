//! The vertices of draws that are drawn as one into dispatches: small draws of one kernel become parts of one dispatch.
//!
//! Vertices are written to places of their own and read memory that nothing writes meanwhile, so that they can be run in
//! any order.

use std::ops::Range;
use std::sync::Arc;

use super::draw_kernels::VertexKernel;
use super::engine::Kernels;
use super::joined_draws::{JoinedDraws, VertexRun};
use super::kept_draws::KeptBatch;
use super::run_vertex_programs::{self, VertexArray, VertexParameters};
use crate::gpu::Bound;
use crate::pipeline::EngineError;
use crate::recompiler::vertex::{PART_RUN, PartVector};

/// Vertices of a workgroup of parts.
const GROUP_VERTICES: u32 = PART_RUN[0] * PART_RUN[1];
/// Most vectors that the workgroups of a part load, each in less than 0.1 µs on one core; a dispatch takes some 50 µs.
const PART_LOADS: usize = 1 << 8;

/// Vertices of a batch that have the same inputs.
struct Piece<'a> {
    run: &'a VertexRun,
    vertices: Range<u32>,
}

impl<'a> Piece<'a> {
    /// The vertices of runs whose ranges follow each other.
    fn new(alike: &[(&'a VertexRun, &Range<usize>)]) -> Self {
        let (first, last) = (alike[0].1.start, alike[alike.len() - 1].1.end);
        let [start, end] = [first, last].map(|vertex| u32::try_from(vertex).expect("a batch has few vertices"));
        Self { run: alike[0].0, vertices: start..end }
    }

    fn kernel(&self) -> &'a Arc<VertexKernel> {
        &self.run.kernel
    }

    fn workgroups(&self) -> u32 {
        (self.vertices.end - self.vertices.start).div_ceil(GROUP_VERTICES)
    }

    /// The vectors of a part, where that is what these vertices should be.
    fn part(&self) -> Option<&'a [PartVector]> {
        let vectors = self.kernel().part.as_deref()?;
        (vectors.len() * self.workgroups() as usize <= PART_LOADS).then_some(vectors)
    }
}

impl Kernels {
    /// Records the vertex programs of draws over their ranges of a batch; what came before is submitted where one may take
    /// long.
    pub(super) fn run_vertices(
        &mut self,
        draws: &JoinedDraws,
        batch: &KeptBatch,
        ranges: &[Range<usize>],
    ) -> Result<(), EngineError> {
        self.vertices_run += batch.vertices.len() as u64;
        let bytes = batch.vertices.len() as u64 * 256;
        if self.vertices.size() < bytes {
            let limit = self.gpu.summary().max_binding_bytes;
            self.vertices = self.gpu.buffer("vertices", bytes.next_power_of_two().min(limit))?;
        }
        let stored;
        let stream = if let Some(kept) = batch.kept_vertices() {
            Bound::from(kept)
        } else {
            let stream: Vec<u32> = (draws.runs.iter().zip(ranges))
                .flat_map(|(run, range)| run_vertex_programs::vertex_stream(&run.draw, &batch.vertices[range.clone()]))
                .collect();
            stored = self.recording.store_changed("vertex stream", bytemuck::cast_slice(&stream))?;
            Bound::from(&stored)
        };
        let runs: Vec<_> = draws.runs.iter().zip(ranges).collect();
        let mut dispatches: Vec<(&[PartVector], Vec<Piece<'_>>)> = Vec::new();
        for alike in runs.chunk_by(|(run, _), (next, _)| run.has_inputs_of(next)) {
            let piece = Piece::new(alike);
            let Some(part) = piece.part() else {
                self.run_alone(&piece, stream)?;
                continue;
            };
            match dispatches.iter_mut().find(|(_, pieces)| Arc::ptr_eq(pieces[0].kernel(), piece.kernel())) {
                Some((_, pieces)) => pieces.push(piece),
                None => dispatches.push((part, vec![piece])),
            }
        }
        dispatches.iter().try_for_each(|(part, pieces)| self.run_parts(part, pieces, stream))
    }

    fn run_alone(&mut self, piece: &Piece<'_>, stream: Bound<'_>) -> Result<(), EngineError> {
        let kernel = self.kernel_alone(piece.run)?;
        let (gpu, heap, recording) = (&self.gpu, &self.heap, &mut self.recording);
        let (draw, traits) = (&piece.run.draw, &piece.kernel().traits);
        let Range { start, end } = piece.vertices;
        let constants = run_vertex_programs::constant_store(&draw.vertex.constants);
        let parameters = VertexParameters::new(draw, traits, end, &|window| heap.locate(window));
        for range in run_vertex_programs::dispatch_ranges(traits, end - start) {
            if range.start != 0 {
                gpu.flush(recording)?;
            }
            let constants = recording.store_changed("vertex constants", bytemuck::cast_slice(&constants))?;
            let parameters =
                VertexParameters { first_vertex: start + range.start, vertex_count: start + range.end, ..parameters };
            let parameters = recording.store_changed("vertex parameters", bytemuck::bytes_of(&parameters))?;
            let bindings = [
                (0, heap.buffer().into()),
                (1, Bound::from(&parameters)),
                (2, (&constants).into()),
                (3, stream),
                (4, (&self.vertices).into()),
                (19, heap.buffer().into()),
            ];
            let workgroups = run_vertex_programs::linear_workgroups(range.end - range.start, traits.run_and_workgroup);
            recording.dispatch(&kernel, &bindings, workgroups);
        }
        Ok(())
    }

    /// Records vertices that go through one kernel as one dispatch; `part` is what each holds.
    fn run_parts(&mut self, part: &[PartVector], pieces: &[Piece<'_>], stream: Bound<'_>) -> Result<(), EngineError> {
        let kernel = self.kernel_of_parts(pieces[0].run, part)?;
        let (heap, recording) = (&self.heap, &mut self.recording);
        let ranges: Vec<_> = pieces.iter().map(|piece| piece.vertices.clone()).collect();
        let (mut vectors, workgroups) = part_spans(&ranges, part.len());
        for Piece { run: VertexRun { draw, kernel, .. }, .. } in pieces {
            let parameters = VertexParameters::new(draw, &kernel.traits, 0, &|window| heap.locate(window));
            vectors.extend(part.iter().map(|vector| part_vector(*vector, &parameters, &draw.vertex.constants)));
        }
        let parts = recording.store_changed("vertex parts", bytemuck::cast_slice(&vectors))?;
        let bindings = [
            (0, heap.buffer().into()),
            (1, Bound::from(&parts)),
            (3, stream),
            (4, (&self.vertices).into()),
            (19, heap.buffer().into()),
        ];
        recording.dispatch(&kernel, &bindings, [workgroups, 1, 1]);
        Ok(())
    }
}

/// The zeros, then for each workgroup the place of its part, its first vertex and the one behind its last; and how many
/// workgroups there are.
fn part_spans(ranges: &[Range<u32>], part_vectors: usize) -> (Vec<[u32; 4]>, u32) {
    let place = |vectors: usize| u32::try_from(vectors).expect("few draws are joined, of few vectors each");
    let workgroups = ranges.iter().map(|range| (range.end - range.start).div_ceil(GROUP_VERTICES)).sum();
    let mut vectors = Vec::with_capacity(1 + workgroups as usize + ranges.len() * part_vectors);
    vectors.push([0; 4]);
    for (number, range) in ranges.iter().enumerate() {
        let part = 1 + workgroups + place(number * part_vectors);
        let firsts = range.clone().step_by(GROUP_VERTICES as usize);
        vectors.extend(firsts.map(|first| [part, first, range.end.min(first + GROUP_VERTICES), 0]));
    }
    (vectors, workgroups)
}

/// A vector of a part, from the parameters and constants of its draw.
fn part_vector(vector: PartVector, parameters: &VertexParameters, constants: &[[u32; 4]]) -> [u32; 4] {
    match vector {
        PartVector::Limits => [parameters.base_index, parameters.instruction_limit, 0, 0],
        PartVector::Value(attribute) => parameters.arrays[usize::from(attribute)].value,
        PartVector::Array(attribute) => {
            let VertexArray { start, element_count, stride, divider, .. } = parameters.arrays[usize::from(attribute)];
            [start, element_count, stride, divider]
        }
        PartVector::Constant(constant) => constants.get(usize::from(constant)).copied().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workgroup_is_of_one_part() {
        let (vectors, workgroups) = part_spans(&[7..8, 8..300, 300..556], 5);
        assert_eq!(workgroups, 4);
        assert_eq!(vectors, [[0, 0, 0, 0], [5, 7, 8, 0], [10, 8, 264, 0], [10, 264, 300, 0], [15, 300, 556, 0]]);
    }
}
