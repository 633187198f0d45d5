//! Turns shaded vertices and assembled primitives into set-up records and tile bins, on the device.
//!
//! Large batches of plain triangles take three kernels: vertices are transformed once each, triangles that nobody sees are
//! dropped before anything is made of them, and the few that need clipping wait for a kernel of their own. Everything
//! else takes one kernel that knows all kinds of primitives. Records that span many tiles are binned by one more.

use std::sync::Arc;

use super::counted_draws::primitive_counts;
use super::geometry::{Assembled, GeometryOptions, grown};
use super::linear_workgroups;
use super::vertex_spans::{PROCESSOR_BLOCK, PROCESSOR_RUN, vertex_spans};
use crate::gpu::{Block, Bound, DeviceError, Gpu, Kernel, Recording};
use crate::pipeline::front_end::assemble_primitives::{HAS_FACE, KIND_LINE, KIND_MASK, KIND_POINT, KIND_TRIANGLE};
use crate::pipeline::front_end::raster_parameters::{LINE_STIPPLE, OFFSET_SHIFT, POLYGON_SMOOTH, RasterParameters};
use crate::pipeline::primitive_setup::PrimitiveSetup;
use crate::pipeline::{Draw, PolygonMode, PrimitiveType};
use crate::recompiler::software::key::TILES_PER_GROUP;

const SET_UP_PRIMITIVES: &str = include_str!("../../wgsl/setup/set_up_primitives.wgsl");
const TRANSFORM_VERTICES: &str = include_str!("../../wgsl/setup/transform_vertices.wgsl");
const SET_UP_TRIANGLES: &str = include_str!("../../wgsl/setup/set_up_triangles.wgsl");
const SET_UP_CLIPPED: &str = include_str!("../../wgsl/setup/set_up_clipped.wgsl");
const BIN_LARGE_PRIMITIVES: &str = include_str!("../../wgsl/setup/bin_large_primitives.wgsl");
const COUNT_STIPPLES: &str = include_str!("../../wgsl/setup/count_stipples.wgsl");

/// Most tiles that one invocation visits for a record, on software adapters and on others.
///
/// An invocation bins up to 32 triangles one after the other, each of which may take 120 more rounds to be clipped: over six
/// planes 78 rounds of corners and planes, 25 of corners thereafter, and one for each loop's end. 32 × (384 + 121) rounds are
/// within what the software adapter runs. One invocation takes some 0.16 ms for the 1200 tiles of a screen.
const LARGE_TILES: [u32; 2] = [384, 64];

/// Most words of bins with which tiles may look for large records themselves, as in `wgsl/raster/tile_bins.wgsl`: a dispatch for them costs
/// 60 to 140 µs on a software adapter.
const FEW_WORDS: u32 = 2;

/// Buffers of set-up, kept from draw to draw.
#[derive(Debug, Default)]
pub(super) struct SetUpStage {
    records: Option<wgpu::Buffer>,
    bins: Option<wgpu::Buffer>,
    /// Workgroups that bin records of many tiles; from byte 16 those that draw whole tiles.
    large_groups: Option<wgpu::Buffer>,
    /// Vertices of the draw in window coordinates.
    corners: Option<wgpu::Buffer>,
    /// Runs of triangles that need clipping.
    clipped: Option<wgpu::Buffer>,
    stipple: Option<wgpu::Buffer>,
    saved_stipple: Option<wgpu::Buffer>,
}

/// A batch of primitives and what it is drawn with.
pub(super) struct SetUpBatch<'a> {
    pub(super) parameters: &'a RasterParameters,
    /// The parameters as binding 6.
    pub(super) block: &'a Block,
    pub(super) assembled: Assembled<'a>,
    /// All are triangles that are filled, and nothing softens or stipples them.
    pub(super) is_plain: bool,
    /// Tiles look for large records, where there are few.
    pub(super) finds_large: bool,
}

impl SetUpBatch<'_> {
    /// Whether no kernel bins large records.
    const fn leaves_large(&self) -> bool {
        self.finds_large && self.parameters.bin_words <= FEW_WORDS
    }
}

/// Whether everything that a draw assembles is a plain triangle.
pub(super) fn draws_plain_triangles(draw: &Draw, flags: u32) -> bool {
    use PrimitiveType::{LineLoop, LineStrip, Lines, Points};
    !matches!(draw.primitive, Points | Lines | LineLoop | LineStrip)
        && draw.raster.polygon_mode == [PolygonMode::Fill; 2]
        && flags & (POLYGON_SMOOTH | LINE_STIPPLE) == 0
}

impl SetUpStage {
    /// The records (binding 7); those that no bin names hold anything.
    pub(super) const fn records(&self) -> &wgpu::Buffer {
        self.records.as_ref().expect("set-up makes the records")
    }

    /// The bins (binding 8).
    pub(super) const fn bins(&self) -> &wgpu::Buffer {
        self.bins.as_ref().expect("set-up makes the bins")
    }

    /// Workgroup counts for the cells of the tiles that anything touches, from byte 16.
    pub(super) const fn touched_groups(&self) -> &wgpu::Buffer {
        self.large_groups.as_ref().expect("set-up makes them with the bins")
    }

    /// Takes the stipple counter back to where the last batch began.
    pub(super) fn restore_stipple(&self, recording: &mut Recording) {
        if let (Some(saved), Some(stipple)) = (&self.saved_stipple, &self.stipple) {
            recording.copy((saved, 0), (stipple, 0), 16);
        }
    }

    /// Records the transformation of the vertices of a draw; its batches follow.
    pub(super) fn transform(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        options: &GeometryOptions,
        block: &Block,
        vertices: &wgpu::Buffer,
        vertex_count: u32,
    ) -> Result<(), DeviceError> {
        // As many vertices of a block, and blocks of a workgroup.
        let [block_vertices, lanes] =
            if options.run_triangles(gpu) == PROCESSOR_RUN { [PROCESSOR_BLOCK, 16] } else { [1, 64] };
        let blocks = vertex_count.div_ceil(block_vertices);
        let corners = grown(gpu, &mut self.corners, "window vertices", u64::from(vertex_count + blocks) * 16)?;
        let source =
            || format!("const BLOCK: u32 = {block_vertices}u; const LANES: u32 = {lanes}u; {TRANSFORM_VERTICES}");
        let kernel = gpu.kernel_of("transform_vertices", u64::from(block_vertices), source)?;
        let bindings = [(4, vertices.into()), (6, Bound::from(block)), (16, (&corners).into())];
        recording.dispatch(&kernel, &bindings, linear_workgroups(blocks, lanes));
        Ok(())
    }

    /// Records set-up and binning of a batch.
    pub(super) fn batch(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        options: &GeometryOptions,
        batch: &SetUpBatch<'_>,
    ) -> Result<(), DeviceError> {
        let parameters = batch.parameters;
        let count = parameters.primitive_count;
        let [_, _, columns, rows] = parameters.tiles;
        let tile_count = u64::from(columns * rows);
        let (bin_words, summary_words) =
            (u64::from(parameters.bin_words), u64::from(parameters.bin_words.div_ceil(32)));
        // `wgsl/setup/bin_layout.wgsl`: the mask of large records and its summary, then the summaries of all tiles, then how many
        // and which of them are touched.
        let summary_bytes = (bin_words + (tile_count + 1) * summary_words + 1 + tile_count.div_ceil(32)) * 4;
        let bin_bytes = summary_bytes + tile_count * (1 + bin_words) * 4;
        grown(gpu, &mut self.records, "set-up records", u64::from(count) * size_of::<PrimitiveSetup>() as u64)?;
        grown(gpu, &mut self.bins, "bins", bin_bytes)?;
        let large_groups = grown(gpu, &mut self.large_groups, "workgroups of large records", 32)?;
        let none: [u32; 8] = [0, 0, 0, 0, 0, 1, 1, 0];
        recording.upload_repeated("no workgroups", &large_groups, bytemuck::cast_slice(&none))?;
        let list = batch.assembled.primitives;
        let stored;
        let primitives = if let Some(kept) = batch.assembled.kept {
            Bound::from(kept.primitives)
        } else {
            stored = recording.store(bytemuck::cast_slice(list))?;
            Bound::from(&stored)
        };
        if batch.is_plain {
            let run = options.run_triangles(gpu);
            // Words of bins that one invocation owns need not be cleared.
            let keeps_words = run == PROCESSOR_RUN && !batch.leaves_large();
            recording.clear(self.bins(), 0, if keeps_words { summary_bytes } else { bin_bytes });
            self.plain_triangles(gpu, recording, batch, primitives, (run, options.large_tiles(gpu)))?;
            return self.bin_large_primitives(gpu, recording, batch);
        }
        recording.clear(self.bins(), 0, bin_bytes);
        grown(gpu, &mut self.stipple, "stipple counter", 16)?;
        grown(gpu, &mut self.saved_stipple, "saved stipple counter", 16)?;
        let kernel = set_up_kernel(gpu, batch, options.large_tiles(gpu))?;
        let block = Bound::from(batch.block);
        let records = self.records().into();
        let bindings = [
            (4, batch.assembled.vertices.into()),
            (5, primitives),
            (6, block),
            (7, records),
            (8, self.bins().into()),
            (9, (&large_groups).into()),
        ];
        let bindings = with_counters(&bindings, batch);
        recording.dispatch(&kernel, &bindings, [count.div_ceil(64), 1, 1]);
        self.bin_large_primitives(gpu, recording, batch)?;
        if parameters.flags & LINE_STIPPLE != 0 {
            let (stipple, saved) = (self.stipple.as_ref(), self.saved_stipple.as_ref());
            let (stipple, saved) = stipple.zip(saved).expect("made above");
            recording.copy((stipple, 0), (saved, 0), 16);
            let kernel = gpu.kernel_of("count_stipples", 0, || COUNT_STIPPLES.to_owned())?;
            recording.dispatch(&kernel, &[(6, block), (7, records), (8, stipple.into())], [1, 1, 1]);
        }
        Ok(())
    }

    fn plain_triangles(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &SetUpBatch<'_>,
        primitives: Bound<'_>,
        (run, large_tiles): (u32, u32),
    ) -> Result<(), DeviceError> {
        let runs = batch.parameters.primitive_count.div_ceil(run);
        let clipped = grown(gpu, &mut self.clipped, "runs to clip", (u64::from(runs) + 2) * 8)?;
        recording.clear(&clipped, 0, 16);
        let stored;
        let spans = match batch.assembled.kept {
            Some(kept) => Bound::from(kept.spans),
            None => {
                // Runs of one triangle have none.
                let spans = if run == PROCESSOR_RUN { vertex_spans(batch.assembled.primitives) } else { vec![0] };
                stored = recording.store(bytemuck::cast_slice(&spans))?;
                Bound::from(&stored)
            }
        };
        let large_groups = self.large_groups.as_ref().expect("set-up makes them with the bins");
        let corners = self.corners.as_ref().expect("the draw's vertices are transformed");
        let has_offset = batch.parameters.flags >> (OFFSET_SHIFT + KIND_TRIANGLE) & 1 != 0;
        let prefix = format!("const RUN: u32 = {run}u; {}", bin_constants(large_tiles));
        let counts = batch.assembled.counted.is_some();
        let key = u64::from(large_tiles) << 9 | u64::from(run) << 2 | u64::from(counts) << 1;
        let suffix = primitive_counts(counts);
        let source = || {
            let flags = format!("const HAS_DEPTH_OFFSET: bool = {has_offset}; const COUNTS: bool = {counts};");
            format!("{prefix} {flags} {SET_UP_TRIANGLES}{suffix}")
        };
        let kernel = gpu.kernel_of("set_up_triangles", key | u64::from(has_offset), source)?;
        let bindings = [
            (4, batch.assembled.vertices.into()),
            (5, primitives),
            (6, Bound::from(batch.block)),
            (7, self.records().into()),
            (8, self.bins().into()),
            (9, large_groups.into()),
            (16, corners.into()),
            (17, (&clipped).into()),
            (18, spans),
        ];
        let bindings = with_counters(&bindings, batch);
        recording.dispatch(&kernel, &bindings, linear_workgroups(runs, 32));
        let kernel = gpu.kernel_of("set_up_clipped", key, || format!("{prefix} {SET_UP_CLIPPED}{suffix}"))?;
        recording.dispatch_indirect(&kernel, &bindings, &clipped, 0);
        Ok(())
    }

    /// Records the binning of records that span many tiles; nothing runs where set-up marks none, or tiles look for them.
    fn bin_large_primitives(
        &self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &SetUpBatch<'_>,
    ) -> Result<(), DeviceError> {
        if batch.leaves_large() {
            return Ok(());
        }
        let groups = self.large_groups.as_ref().expect("set-up makes them with the bins");
        let kernel = gpu.kernel_of("bin_large_primitives", 0, || BIN_LARGE_PRIMITIVES.to_owned())?;
        let bindings = [(6, Bound::from(batch.block)), (7, self.records().into()), (8, self.bins().into())];
        recording.dispatch_indirect(&kernel, &bindings, groups, 0);
        Ok(())
    }
}

impl GeometryOptions {
    /// Most tiles that an invocation of set-up visits for a record.
    fn large_tiles(&self, gpu: &Gpu) -> u32 {
        let [software, other] = LARGE_TILES;
        self.large_tiles.unwrap_or(if gpu.summary().is_software() { software } else { other })
    }

    /// Triangles that one invocation culls.
    fn run_triangles(&self, gpu: &Gpu) -> u32 {
        match self.run_triangles {
            Some(1) => 1,
            Some(_) => PROCESSOR_RUN,
            None if gpu.summary().is_software() => PROCESSOR_RUN,
            None => 1,
        }
    }
}

/// The set-up kernel for the kinds of primitives at hand.
fn set_up_kernel(gpu: &Gpu, batch: &SetUpBatch<'_>, large_tiles: u32) -> Result<Arc<Kernel>, DeviceError> {
    let (flags, counts) = (batch.parameters.flags, batch.assembled.counted.is_some());
    let kinds = batch.assembled.primitives.iter().fold([false; 3], |mut kinds, primitive| {
        kinds[(primitive.flags & KIND_MASK).min(2) as usize] = true;
        kinds[KIND_TRIANGLE as usize] |= primitive.flags & HAS_FACE != 0;
        kinds
    });
    let key = kinds.iter().fold(u64::from(flags & POLYGON_SMOOTH != 0), |key, kind| key << 1 | u64::from(*kind));
    let key = u64::from(large_tiles) << 8 | key << 1 | u64::from(counts);
    let suffix = primitive_counts(counts);
    gpu.kernel_of("set_up_primitives", key, || format!("{}{suffix}", set_up_source(kinds, flags, large_tiles)))
}

/// Bindings, and that of the counters where primitives are counted.
fn with_counters<'a>(bindings: &[(u32, Bound<'a>)], batch: &SetUpBatch<'a>) -> Vec<(u32, Bound<'a>)> {
    let counters = batch.assembled.counted.map(|counted| (15, counted.counters.into()));
    bindings.iter().copied().chain(counters).collect()
}

fn set_up_source(kinds: [bool; 3], flags: u32, large_tiles: u32) -> String {
    let [points, lines, triangles] = [KIND_POINT, KIND_LINE, KIND_TRIANGLE].map(|kind| kinds[kind as usize]);
    let is_smooth = flags & POLYGON_SMOOTH != 0;
    // On one line with the text's first, so that line numbers hold.
    format!(
        "{} \
         const HAS_TRIANGLES: bool = {triangles}; const HAS_SMOOTH_POLYGONS: bool = {is_smooth}; \
         const HAS_LINES: bool = {lines}; const HAS_POINTS: bool = {points}; {SET_UP_PRIMITIVES}",
        bin_constants(large_tiles)
    )
}

/// What `wgsl/setup/bin_primitive.wgsl` wants of its kernel.
fn bin_constants(large_tiles: u32) -> String {
    format!("const LARGE_TILES: u32 = {large_tiles}u; const TILES_PER_GROUP: u32 = {TILES_PER_GROUP}u;")
}
