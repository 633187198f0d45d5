//! Merged draws: runs the vertices of each draw with its own program, arrays and constants; sets up, rasterizes, shades
//! and merges the primitives of all together.

use std::ops::Range;
use std::sync::Arc;

use super::geometry_cache::GeometryBatch;
use super::pipeline_cache::{PixelKernels, SplitKernels, VertexKernel};
use super::plan::count_places::CountPlace;
use super::plan::draw_programs::{FragmentCode, VertexCode};
use super::plan::merging::{DrawSize, Separation};
use super::plan::reached_memory::ReachedMemory;
use super::plan::vec4_stages::fragment_stage;
use super::plan::vertex_sources::vertex_windows;
use crate::gpu::Kernel;
use crate::memory::MemoryWindow;
use crate::pipeline::front_end::assemble_primitives::{DRAW_SHIFT, Primitive};
use crate::pipeline::front_end::vertex_batches::VertexBatch;
use crate::pipeline::{Draw, VertexStage};

/// The vertex stage of a draw.
#[derive(Debug)]
pub(super) struct VertexRun {
    pub(super) draw: Draw,
    pub(super) program: VertexCode,
    pub(super) kernel: Arc<VertexKernel>,
    /// Not empty.
    pub(super) batches: Arc<[GeometryBatch]>,
    /// The number of counted draws between the first merged draw and this one.
    pub(super) number: u32,
}

/// Draws that are merged into one.
#[derive(Debug)]
pub(super) struct MergedDraws {
    /// The draws, at least one; the pixel state is that of the first.
    pub(super) runs: Vec<VertexRun>,
    pub(super) pixels: PixelKernels,
    /// The kernel of the geometry program; the draw is then the only one.
    pub(super) geometry: Option<Arc<Kernel>>,
    pub(super) fragment_program: FragmentCode,
    /// The count place of the first draw; the others follow.
    pub(super) counted: Option<CountPlace>,
    /// The memory that pixel writes may change.
    pub(super) written: Vec<MemoryWindow>,
    /// The memory that its draws read on the device.
    read: Vec<MemoryWindow>,
    /// The host wrote to memory meanwhile, perhaps beside theirs.
    pub(super) is_stale: bool,
    size: DrawSize,
}

impl MergedDraws {
    /// Starts with a single draw.
    pub(super) fn new(
        run: VertexRun,
        geometry: Option<Arc<Kernel>>,
        pixels: PixelKernels,
        fragment_program: FragmentCode,
        counted: Option<CountPlace>,
    ) -> Self {
        let (written, size, read) = (run.draw.written_windows(), run.size(), run.read_windows());
        Self { runs: vec![run], geometry, pixels, fragment_program, counted, written, read, is_stale: false, size }
    }

    /// The draw whose pixel state applies to all.
    pub(super) fn first(&self) -> &Draw {
        &self.runs[0].draw
    }

    /// Whether other draws may follow.
    pub(super) fn is_open(&self) -> bool {
        let draw = self.first();
        let is_fixed = match (&self.runs[0].program, &self.fragment_program) {
            (VertexCode::Vec4(_), FragmentCode::Vec4(program)) => {
                !self.writes(fragment_stage(draw).program.truncated(program.words.saturating_mul(4)))
            }
            // Draws have the words and constants of SIMT programs.
            (VertexCode::Simt, FragmentCode::Simt { .. }) => true,
            _ => false,
        };
        let copies = matches!(self.pixels, PixelKernels::Split(SplitKernels { copied_units: 1.., .. }));
        // A stipple pattern continues from line to line within one draw.
        is_fixed
            && self.geometry.is_none()
            && (self.counted.is_none() || matches!(self.pixels, PixelKernels::Fused { .. }))
            && self.runs[0].is_small()
            && draw.raster.line_stipple.is_none()
            && !copies
    }

    /// Whether the host may access memory while they wait. Draws over registers of four components share a program in memory.
    pub(super) fn lets_pass(&self, window: MemoryWindow, writes: bool) -> bool {
        let reads = |window| self.read.iter().any(|read: &MemoryWindow| read.overlaps(window));
        matches!(self.fragment_program, FragmentCode::Simt { .. }) && !self.writes(window) && !(writes && reads(window))
    }

    /// The memory that they reach.
    pub(super) fn reached(&self) -> ReachedMemory {
        ReachedMemory { read: self.read.clone(), written: self.written.clone() }
    }

    /// Whether pixel writes may change bytes of a window.
    pub(super) fn writes(&self, window: MemoryWindow) -> bool {
        self.written.iter().any(|written| written.overlaps(window))
    }

    /// Why a draw cannot follow: it is too large, or its vertices come from memory that pixel writes change.
    pub(super) fn separation(&self, draw: &Draw, batches: &[GeometryBatch]) -> Option<Separation> {
        let [batch] = batches else { return Some(Separation::Large) };
        self.size.separation(self.runs.len(), batch.size()).or_else(|| {
            let is_written = vertex_windows(draw, &batch.vertices).any(|window| self.writes(window));
            is_written.then_some(Separation::WrittenGeometry)
        })
    }

    /// Appends a draw without a separation from the earlier ones.
    pub(super) fn push(&mut self, run: VertexRun) {
        self.size = self.size.with(run.size());
        self.read.extend(run.read_windows());
        self.runs.push(run);
    }

    /// The vertices and primitives of all draws in order, and the vertex range of each draw.
    pub(super) fn merged_batch(&self) -> (GeometryBatch, Vec<Range<usize>>) {
        let mut merged = VertexBatch {
            vertices: Vec::with_capacity(self.size.vertices),
            primitives: Vec::with_capacity(self.size.primitives),
        };
        let (mut ranges, mut numbers) = (Vec::with_capacity(self.runs.len()), Vec::new());
        for (batch, number) in self.runs.iter().flat_map(|run| run.batches.iter().map(|batch| (batch, run.number))) {
            let first = merged.vertices.len();
            let offset = u32::try_from(first).expect("merged draws have few vertices");
            merged.vertices.extend(&batch.vertices);
            ranges.push(first..merged.vertices.len());
            numbers.extend(&batch.numbers);
            merged.primitives.extend(batch.primitives.iter().map(|primitive| Primitive {
                vertices: primitive.vertices.map(|vertex| vertex + offset),
                provoking: primitive.provoking + offset,
                face: primitive.face.map(|vertex| vertex + offset),
                flags: primitive.flags | number << DRAW_SHIFT,
            }));
        }
        let mut batch = GeometryBatch::from(merged);
        batch.numbers = numbers;
        (batch, ranges)
    }
}

impl VertexRun {
    fn size(&self) -> DrawSize {
        self.batches.iter().fold(DrawSize::default(), |size, batch| size.with(batch.size()))
    }

    /// The memory that the draw reads on the device.
    fn read_windows(&self) -> Vec<MemoryWindow> {
        ReachedMemory::of_draw(&self.draw, self.batches.iter().map(|batch| batch.vertices.as_slice())).read
    }

    fn is_small(&self) -> bool {
        matches!(&*self.batches, [batch] if batch.size().is_small())
    }

    /// Whether both runs compute the same vertex from the same index.
    pub(super) fn has_inputs_of(&self, other: &Self) -> bool {
        self.draw.input == other.draw.input && self.draw.vertex == other.draw.vertex
    }

    /// Whether another draw runs the same vertex program.
    pub(super) fn shares_program(&self, draw: &Draw) -> bool {
        match (&self.draw.vertex, &draw.vertex) {
            (VertexStage::Vec4(own), VertexStage::Vec4(other)) => {
                own.rules == other.rules && own.microcode == other.microcode && own.output_map == other.output_map
            }
            (own, other) => own == other,
        }
    }
}
