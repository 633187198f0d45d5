//! Turns shaded vertices and assembled primitives into primitive setups and tile bins, on the device.
//!
//! Large batches of filled triangles take three kernels: one transforms each vertex once, one culls triangles before it
//! sets them up, and one clips the few that need it. All other batches take one kernel that supports all kinds of
//! primitives. A last kernel bins primitives that span many tiles.

use std::sync::Arc;

use super::assembled::{Assembled, PrimitiveList};
use super::buffers::grown;
use crate::gpu::{Block, Bound, DeviceError, Gpu, Kernel, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::plan::count_places::primitive_counts;
use crate::kernels::plan::geometry_options::GeometryOptions;
use crate::kernels::plan::vertex_blocks::{PROCESSOR_BLOCK, PROCESSOR_RUN, vertex_spans};
use crate::kernels::software::adapter_choices::AdapterChoices;
use crate::kernels::workgroups::linear_workgroups;
use crate::pipeline::front_end::assemble_primitives::{KIND_LINE, KIND_POINT, KIND_TRIANGLE, Primitive};
use crate::pipeline::primitive_setup::PrimitiveSetup;
use crate::recompiler::raster_block::{
    CULLS_BY_DISTANCE, LINE_STIPPLE, OFFSET_SHIFT, POLYGON_SMOOTH, PRIMITIVES_SELECT, RasterBlock,
};
use crate::recompiler::tiles::key::TileWork;

const SET_UP_PRIMITIVES: &str = include_str!("../../../wgsl/setup/set_up_primitives.wgsl");
const TRANSFORM_VERTICES: &str = include_str!("../../../wgsl/setup/transform_vertices.wgsl");
const SET_UP_TRIANGLES: &str = include_str!("../../../wgsl/setup/set_up_triangles.wgsl");
const SET_UP_CLIPPED: &str = include_str!("../../../wgsl/setup/set_up_clipped.wgsl");
const BIN_LARGE_PRIMITIVES: &str = include_str!("../../../wgsl/setup/bin_large_primitives.wgsl");
const COUNT_STIPPLES: &str = include_str!("../../../wgsl/setup/count_stipples.wgsl");

/// Maximum number of bin words with which tiles may find large primitives themselves, as in
/// `wgsl/raster/tile_bins.wgsl`: a dispatch for them costs 60 to 140 µs on a software adapter.
const FEW_WORDS: u32 = 2;

bindings! {
    /// Bindings of `transform_vertices`.
    TransformBindings {
        4 => vertices: Bound<'a>,
        6 => raster: Bound<'a>,
        16 => corners: Bound<'a>,
    }
}

bindings! {
    /// Bindings of `set_up_primitives`, `set_up_triangles` and `set_up_clipped`.
    SetUpBindings {
        /// The number of each primitive in its draw, if fragment programs read it.
        3 => numbers: Option<Bound<'a>>,
        4 => vertices: Bound<'a>,
        5 => primitives: Bound<'a>,
        6 => raster: Bound<'a>,
        7 => setups: Bound<'a>,
        8 => bins: Bound<'a>,
        /// Workgroup counts of the kernel that bins large primitives, then of the tile kernel.
        9 => large_groups: Bound<'a>,
        /// The counter buffer, if primitives are counted.
        15 => counters: Option<Bound<'a>>,
        /// Vertices in window coordinates, for filled triangles.
        16 => corners: Option<Bound<'a>>,
        /// Runs of triangles that need clipping, for filled triangles.
        17 => clipped: Option<Bound<'a>>,
        /// The blocks of vertices that runs reference, for filled triangles.
        18 => spans: Option<Bound<'a>>,
    }
}

bindings! {
    /// Bindings of `bin_large_primitives`.
    BinBindings {
        6 => raster: Bound<'a>,
        7 => setups: Bound<'a>,
        8 => bins: Bound<'a>,
    }
}

bindings! {
    /// Bindings of `count_stipples`.
    StippleBindings {
        6 => raster: Bound<'a>,
        7 => setups: Bound<'a>,
        8 => stipple: Bound<'a>,
    }
}

/// Buffers of set-up, reused between draws.
#[derive(Debug, Default)]
pub(in crate::kernels) struct SetUpStage {
    /// Primitives that begin in the middle of another buffer.
    primitives: Option<wgpu::Buffer>,
    setups: Option<wgpu::Buffer>,
    bins: Option<wgpu::Buffer>,
    /// Workgroup counts of the kernel that bins primitives of many tiles; from byte 16 those of the tile kernel.
    large_groups: Option<wgpu::Buffer>,
    /// Vertices of the draw in window coordinates.
    corners: Option<wgpu::Buffer>,
    /// Runs of triangles that need clipping.
    clipped: Option<wgpu::Buffer>,
    stipple: Option<wgpu::Buffer>,
    saved_stipple: Option<wgpu::Buffer>,
    /// The stipple counter at the start of a part that is drawn layer by layer.
    layer_stipple: Option<wgpu::Buffer>,
}

/// A batch of primitives and its draw state.
pub(in crate::kernels) struct SetUpBatch<'a> {
    pub(in crate::kernels) parameters: &'a RasterBlock,
    /// The same parameters as a block.
    pub(in crate::kernels) block: &'a Block,
    pub(in crate::kernels) assembled: Assembled<'a>,
    /// Whether all are filled triangles, neither smooth nor stippled.
    pub(in crate::kernels) is_filled_triangles: bool,
    /// Tiles find large primitives themselves if there are few.
    pub(in crate::kernels) tiles_find_large: bool,
}

impl SetUpBatch<'_> {
    /// Whether no kernel bins large primitives.
    const fn leaves_large(&self) -> bool {
        self.tiles_find_large && self.parameters.bin_words <= FEW_WORDS
    }
}

impl SetUpStage {
    /// The primitive setups; the contents of those that no bin references are undefined.
    pub(in crate::kernels) const fn setups(&self) -> &wgpu::Buffer {
        self.setups.as_ref().expect("set-up makes them")
    }

    /// The bins (binding 8).
    pub(in crate::kernels) const fn bins(&self) -> &wgpu::Buffer {
        self.bins.as_ref().expect("set-up makes the bins")
    }

    /// Workgroup counts for the touched tiles, from byte 16.
    pub(in crate::kernels) const fn touched_groups(&self) -> &wgpu::Buffer {
        self.large_groups.as_ref().expect("set-up makes them with the bins")
    }

    /// Resets the stipple counter to its value at the start of the last batch.
    pub(in crate::kernels) fn restore_stipple(&self, recording: &mut Recording) {
        if let (Some(saved), Some(stipple)) = (&self.saved_stipple, &self.stipple) {
            recording.copy((saved, 0), (stipple, 0), 16);
        }
    }

    /// Begins a layer of some primitives with the stipple counter with which the first one begins.
    pub(in crate::kernels) fn begin_layer(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        layer: u32,
    ) -> Result<(), DeviceError> {
        let stipple = grown(gpu, &mut self.stipple, "stipple counter", 16)?;
        let kept = grown(gpu, &mut self.layer_stipple, "stipple counter of layers", 16)?;
        let (from, to) = if layer == 0 { (&stipple, &kept) } else { (&kept, &stipple) };
        recording.copy((from, 0), (to, 0), 16);
        Ok(())
    }

    /// Records the transformation of the vertices of a draw; its batches follow.
    pub(in crate::kernels) fn transform(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        options: &GeometryOptions,
        block: &Block,
        vertices: &wgpu::Buffer,
        vertex_count: u32,
    ) -> Result<(), DeviceError> {
        // Vertices per block, and blocks per workgroup.
        let [block_vertices, lanes] =
            if options.run_triangles(gpu) == PROCESSOR_RUN { [PROCESSOR_BLOCK, 16] } else { [1, 64] };
        let blocks = vertex_count.div_ceil(block_vertices);
        let corners = grown(gpu, &mut self.corners, "window vertices", u64::from(vertex_count + blocks) * 16)?;
        let source =
            || format!("const BLOCK: u32 = {block_vertices}u; const LANES: u32 = {lanes}u; {TRANSFORM_VERTICES}");
        let kernel = gpu.kernel_of("transform_vertices", u64::from(block_vertices), source)?;
        let bindings =
            TransformBindings { vertices: vertices.into(), raster: block.into(), corners: (&corners).into() };
        recording.dispatch(&kernel, &bindings, linear_workgroups(blocks, lanes));
        Ok(())
    }

    /// Records set-up and binning of a batch.
    pub(in crate::kernels) fn batch(
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
        // `wgsl/setup/bin_layout.wgsl`: the mask of large primitives and its summary, then the summaries of all tiles,
        // then the number and the list of touched tiles.
        let summary_bytes = (bin_words + (tile_count + 1) * summary_words + 1 + tile_count.div_ceil(32)) * 4;
        let bin_bytes = summary_bytes + tile_count * (1 + bin_words) * 4;
        grown(gpu, &mut self.setups, "primitive setups", u64::from(count) * size_of::<PrimitiveSetup>() as u64)?;
        grown(gpu, &mut self.bins, "bins", bin_bytes)?;
        let large_groups = grown(gpu, &mut self.large_groups, "workgroups of large primitives", 32)?;
        let none: [u32; 8] = [0, 0, 0, 0, 0, 1, 1, 0];
        recording.upload_repeated("no workgroups", &large_groups, bytemuck::cast_slice(&none))?;
        let (stored, copied);
        let primitives = match batch.assembled.primitives {
            PrimitiveList::Host { cached: Some(cached), .. } => Bound::from(cached.primitives),
            PrimitiveList::Host { list, .. } => {
                stored = recording.store(bytemuck::cast_slice(list))?;
                Bound::from(&stored)
            }
            PrimitiveList::Device { buffer, first: 0, .. } => Bound::from(buffer),
            PrimitiveList::Device { buffer, first, .. } => {
                let bytes = |count: u32| u64::from(count) * size_of::<Primitive>() as u64;
                copied = grown(gpu, &mut self.primitives, "part of the primitives", bytes(count))?;
                recording.copy((buffer, bytes(first)), (&copied, 0), bytes(count));
                Bound::from(&copied)
            }
        };
        if batch.is_filled_triangles {
            let run = options.run_triangles(gpu);
            // Bin words that one invocation owns need no clear.
            let keeps_words = run == PROCESSOR_RUN && !batch.leaves_large();
            recording.clear(self.bins(), 0, if keeps_words { summary_bytes } else { bin_bytes });
            self.filled_triangles(gpu, recording, options, batch, primitives)?;
            return self.bin_large_primitives(gpu, recording, batch);
        }
        recording.clear(self.bins(), 0, bin_bytes);
        let stored_numbers = match batch.assembled.primitives.numbers() {
            [] => None,
            numbers => Some(recording.store(bytemuck::cast_slice(numbers))?),
        };
        grown(gpu, &mut self.stipple, "stipple counter", 16)?;
        grown(gpu, &mut self.saved_stipple, "saved stipple counter", 16)?;
        let kernel = set_up_kernel(gpu, batch, options.large_tiles(gpu), options.tile_work)?;
        let block = Bound::from(batch.block);
        let bindings = SetUpBindings {
            numbers: stored_numbers.as_ref().map(Into::into),
            ..self.set_up_bindings(batch, primitives, &large_groups)
        };
        recording.dispatch(&kernel, &bindings, [count.div_ceil(64), 1, 1]);
        self.bin_large_primitives(gpu, recording, batch)?;
        if parameters.flags & LINE_STIPPLE != 0 {
            let (stipple, saved) = (self.stipple.as_ref(), self.saved_stipple.as_ref());
            let (stipple, saved) = stipple.zip(saved).expect("made above");
            recording.copy((stipple, 0), (saved, 0), 16);
            let kernel = gpu.kernel_of("count_stipples", 0, || COUNT_STIPPLES.to_owned())?;
            let bindings = StippleBindings { raster: block, setups: self.setups().into(), stipple: stipple.into() };
            recording.dispatch(&kernel, &bindings, [1, 1, 1]);
        }
        Ok(())
    }

    fn set_up_bindings<'b>(
        &'b self,
        batch: &SetUpBatch<'b>,
        primitives: Bound<'b>,
        large_groups: &'b wgpu::Buffer,
    ) -> SetUpBindings<'b> {
        SetUpBindings {
            numbers: None,
            vertices: batch.assembled.vertices.into(),
            primitives,
            raster: batch.block.into(),
            setups: self.setups().into(),
            bins: self.bins().into(),
            large_groups: large_groups.into(),
            counters: batch.assembled.counted.map(|counted| counted.counters.into()),
            corners: None,
            clipped: None,
            spans: None,
        }
    }

    fn filled_triangles(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        options: &GeometryOptions,
        batch: &SetUpBatch<'_>,
        primitives: Bound<'_>,
    ) -> Result<(), DeviceError> {
        let (run, large_tiles) = (options.run_triangles(gpu), options.large_tiles(gpu));
        let runs = batch.parameters.primitive_count.div_ceil(run);
        let clipped = grown(gpu, &mut self.clipped, "runs to clip", (u64::from(runs) + 2) * 8)?;
        recording.clear(&clipped, 0, 16);
        let stored;
        let spans = match batch.assembled.primitives {
            PrimitiveList::Host { cached: Some(cached), .. } => Bound::from(cached.spans),
            primitives => {
                // Runs of one triangle have no spans.
                let spans = match primitives {
                    PrimitiveList::Host { list, .. } if run == PROCESSOR_RUN => vertex_spans(list),
                    _ => vec![0],
                };
                stored = recording.store(bytemuck::cast_slice(&spans))?;
                Bound::from(&stored)
            }
        };
        let large_groups = self.large_groups.as_ref().expect("set-up makes them with the bins");
        let corners = self.corners.as_ref().expect("the draw's vertices are transformed");
        let has_offset = batch.parameters.flags >> (OFFSET_SHIFT + KIND_TRIANGLE) & 1 != 0;
        let prefix = format!("const RUN: u32 = {run}u; {}", bin_constants(large_tiles, options.tile_work));
        let counts = batch.assembled.counted.is_some();
        let key =
            work_key(options.tile_work) | u64::from(large_tiles) << 9 | u64::from(run) << 2 | u64::from(counts) << 1;
        let suffix = primitive_counts(counts);
        let source = || {
            let flags = format!("const HAS_DEPTH_OFFSET: bool = {has_offset}; const COUNTS: bool = {counts};");
            format!("{prefix} {flags} {SET_UP_TRIANGLES}{suffix}")
        };
        let kernel = gpu.kernel_of("set_up_triangles", key | u64::from(has_offset), source)?;
        let bindings = SetUpBindings {
            corners: Some(corners.into()),
            clipped: Some((&clipped).into()),
            spans: Some(spans),
            ..self.set_up_bindings(batch, primitives, large_groups)
        };
        recording.dispatch(&kernel, &bindings, linear_workgroups(runs, 32));
        let kernel = gpu.kernel_of("set_up_clipped", key, || format!("{prefix} {SET_UP_CLIPPED}{suffix}"))?;
        recording.dispatch_indirect(&kernel, &bindings, &clipped, 0);
        Ok(())
    }

    /// Records the binning of primitives that span many tiles; nothing runs if set-up marks none, or tiles find them
    /// themselves.
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
        let bindings =
            BinBindings { raster: batch.block.into(), setups: self.setups().into(), bins: self.bins().into() };
        recording.dispatch_indirect(&kernel, &bindings, groups, 0);
        Ok(())
    }
}

impl GeometryOptions {
    /// Maximum number of tiles that an invocation of set-up visits for a primitive.
    fn large_tiles(&self, gpu: &Gpu) -> u32 {
        self.large_tiles.unwrap_or_else(|| AdapterChoices::of(gpu.summary()).large_tiles)
    }

    /// How many triangles one invocation culls.
    fn run_triangles(&self, gpu: &Gpu) -> u32 {
        match self.run_triangles {
            Some(1) => 1,
            Some(_) => PROCESSOR_RUN,
            None if AdapterChoices::of(gpu.summary()).has_runs => PROCESSOR_RUN,
            None => 1,
        }
    }
}

/// The set-up kernel for the kinds of primitives at hand.
fn set_up_kernel(
    gpu: &Gpu,
    batch: &SetUpBatch<'_>,
    large_tiles: u32,
    work: TileWork,
) -> Result<Arc<Kernel>, DeviceError> {
    let (flags, counts) = (batch.parameters.flags, batch.assembled.counted.is_some());
    let kinds = batch.assembled.primitives.kinds();
    let has_numbers = !batch.assembled.primitives.numbers().is_empty();
    let traits = [POLYGON_SMOOTH, CULLS_BY_DISTANCE, PRIMITIVES_SELECT].map(|flag| flags & flag != 0);
    let key = kinds.iter().chain(&traits).chain(&[has_numbers]).fold(0, |key, is_set| key << 1 | u64::from(*is_set));
    let key = work_key(work) | u64::from(large_tiles) << 8 | key << 1 | u64::from(counts);
    let suffix = primitive_counts(counts);
    gpu.kernel_of("set_up_primitives", key, || {
        let numbers = format!("const HAS_NUMBERS: bool = {has_numbers};");
        format!("{numbers} {}{suffix}", set_up_source(kinds, flags, &bin_constants(large_tiles, work)))
    })
}

fn set_up_source(kinds: [bool; 3], flags: u32, bin_constants: &str) -> String {
    let [points, lines, triangles] = [KIND_POINT, KIND_LINE, KIND_TRIANGLE].map(|kind| kinds[kind as usize]);
    let [is_smooth, culls, selects] =
        [POLYGON_SMOOTH, CULLS_BY_DISTANCE, PRIMITIVES_SELECT].map(|flag| flags & flag != 0);
    // The constants share a line with the start of the text, so that line numbers hold.
    format!(
        "{bin_constants} \
         const HAS_TRIANGLES: bool = {triangles}; const HAS_SMOOTH_POLYGONS: bool = {is_smooth}; \
         const HAS_LINES: bool = {lines}; const HAS_POINTS: bool = {points}; \
         const HAS_CULL_DISTANCES: bool = {culls}; const HAS_SELECTION: bool = {selects}; {SET_UP_PRIMITIVES}"
    )
}

/// The part of the keys of set-up kernels that distinguishes how tile kernels work.
fn work_key(work: TileWork) -> u64 {
    u64::from(work.tiles_per_group()) << 48
}

/// The constants that `wgsl/setup/bin_primitive.wgsl` expects from its kernel.
fn bin_constants(large_tiles: u32, work: TileWork) -> String {
    let tiles = work.tiles_per_group();
    format!("const LARGE_TILES: u32 = {large_tiles}u; const TILES_PER_GROUP: u32 = {tiles}u;")
}
