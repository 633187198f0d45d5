//! Turns shaded vertices and assembled primitives into bins or quad lists of tiles, on the device.
//!
//! Primitives are processed in batches. Each batch is set up and binned. A tile kernel reads these bins directly. For
//! other kernels its quads are counted and listed: in one round if they are sure to fit, else in rounds of whole tiles
//! after a readback of the counts.

pub use super::assembled::{Assembled, CachedPrimitives, CountedPrimitives, PrimitiveList};
use super::buffers::grown;
use super::rasterize_tiles::{self, RasterizeBindings};
use super::set_up_primitives::{SetUpBatch, SetUpStage};
use crate::gpu::{Block, Bound, DeviceError, Gpu, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::plan::filled_triangles::draws_filled_triangles;
pub use crate::kernels::plan::geometry_options::GeometryOptions;
use crate::kernels::plan::loop_bounds::LoopBounds;
use crate::pipeline::{Draw, EngineError};
use crate::recompiler::raster_block::{CULLS_BY_DISTANCE, LINE_STIPPLE, PRIMITIVES_SELECT, RasterBlock};
use crate::recompiler::selection_block::SelectionBlocks;

const COMPACT_QUADS: &str = include_str!("../../../wgsl/raster/compact_quads.wgsl");

bindings! {
    /// Bindings of `compact_quads`.
    CompactBindings {
        6 => raster: Bound<'a>,
        9 => tiles: Bound<'a>,
        10 => quads: Bound<'a>,
        15 => groups: Bound<'a>,
    }
}

/// Maximum number of bin words of one batch.
const BIN_WORDS: u32 = 1 << 22;
/// Quads that one workgroup shades; lists are padded to a multiple of it.
pub const QUADS_PER_WORKGROUP: u32 = 64;

/// The longest quad list: its workgroups fit one dimension of a dispatch.
const MAX_QUAD_CAPACITY: u32 = 65_535 * QUADS_PER_WORKGROUP;
/// Number of rounds in one submission.
const ROUNDS_PER_SUBMISSION: usize = 16;

/// The quads of one round, as input of the later stages.
#[derive(Debug)]
pub struct QuadLists<'a> {
    /// [`RasterBlock`] (binding 6).
    pub parameters: Bound<'a>,
    /// Primitive setups (binding 7).
    pub setups: &'a wgpu::Buffer,
    /// First quad and quad count of each tile of the clip rectangle, row by row (binding 9).
    pub tiles: &'a wgpu::Buffer,
    /// Primitive, position and coverage of each quad (binding 10).
    pub quads: &'a wgpu::Buffer,
    /// Workgroup counts for a kernel that shades 64 quads per workgroup, then the number of quads.
    pub groups: &'a wgpu::Buffer,
    /// The first tile of the round; others hold no quads of it.
    pub first_tile: u32,
    /// Number of tiles in the round.
    pub tile_count: u32,
    /// Maximum length of the list, padding included.
    pub max_quads: u32,
    /// The layer that they are drawn to, if primitives select layers.
    pub layer: u32,
}

/// The bins of one batch, for a tile kernel that traverses them itself.
#[derive(Debug)]
pub struct TileBins<'a> {
    /// [`RasterBlock`] (binding 6).
    pub parameters: Bound<'a>,
    /// Primitive setups (binding 7).
    pub setups: &'a wgpu::Buffer,
    /// The bins of each tile of the clip rectangle, row by row (binding 8); see `wgsl/raster/tile_bins.wgsl`.
    pub bins: &'a wgpu::Buffer,
    /// Workgroup counts for the touched tiles, from byte 16.
    pub groups: &'a wgpu::Buffer,
    /// Number of tiles of the clip rectangle; an invocation draws one.
    pub tile_count: u32,
    /// Quads per tile.
    pub tile_quads: u32,
    /// Number of primitives in the batch.
    pub primitive_count: u32,
    /// The layer that they are drawn to, if primitives select layers.
    pub layer: u32,
}

/// The buffers of the geometry stages, reused between draws.
#[derive(Debug)]
pub struct GeometryStage {
    options: GeometryOptions,
    set_up: SetUpStage,
    tiles: Option<wgpu::Buffer>,
    quads: Option<wgpu::Buffer>,
    groups: Option<wgpu::Buffer>,
}

/// Called with each round, in order.
pub type Consumer<'c> = dyn FnMut(&mut Recording, &QuadLists<'_>) -> Result<(), DeviceError> + 'c;

/// Called with the bins of each batch, in order.
pub type TileConsumer<'c> = dyn FnMut(&mut Recording, &TileBins<'_>) -> Result<(), EngineError> + 'c;

/// Some primitives of a draw, and the state that all its batches share.
#[derive(Clone, Copy)]
struct Batch<'a> {
    parameters: RasterBlock,
    assembled: Assembled<'a>,
    is_filled_triangles: bool,
    /// Tiles find large primitives themselves if there are few.
    tiles_find_large: bool,
    selection: &'a SelectionBlocks,
    /// The layer whose primitives are drawn.
    layer: u32,
}

impl<'a> Batch<'a> {
    /// Splits the batch into parts of at most `most` primitives.
    fn parts(self, most: usize) -> impl Iterator<Item = Self> {
        let parts = self.assembled.primitives.parts(most);
        parts.map(move |primitives| Self { assembled: Assembled { primitives, ..self.assembled }, ..self })
    }
}

impl GeometryStage {
    /// Creates a stage without buffers; they are created as draws need them.
    ///
    /// Tile sizes other than 8, 16 and 32 become 16; batches and rounds have a minimum size.
    #[must_use]
    pub fn new(options: GeometryOptions) -> Self {
        let tile_size = if matches!(options.tile_size, 8 | 16 | 32) { options.tile_size } else { 16 };
        let batch_primitives = options.batch_primitives.clamp(1, 1 << 17);
        // One primitive in one tile always fits.
        let quad_capacity = options.quad_capacity.clamp(256, MAX_QUAD_CAPACITY);
        let tile_work = options.tile_work.of_tiles(tile_size);
        let options = GeometryOptions { tile_size, batch_primitives, quad_capacity, tile_work, ..options };
        Self { options, set_up: SetUpStage::default(), tiles: None, quads: None, groups: None }
    }

    /// The sizes in effect.
    pub(in crate::kernels) const fn options(&self) -> &GeometryOptions {
        &self.options
    }

    /// Records the geometry stages of a draw and passes each round of quads to `consume`, which records the later
    /// stages.
    ///
    /// If the quads may not fit one list, submits the recording and reads back counts.
    ///
    /// # Errors
    /// If the device or `consume` fails.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        draw: &Draw,
        assembled: &Assembled<'_>,
        consume: &mut Consumer<'_>,
    ) -> Result<(), DeviceError> {
        let mut bounds = LoopBounds::new(gpu.max_loop_iterations(), &self.options, draw);
        if let Some(counted) = assembled.counted {
            bounds.capacity = bounds.capacity.min(counted.max_quads);
        }
        let selection = SelectionBlocks::new(draw);
        for batch in self.batches(gpu, recording, draw, (assembled, &selection))? {
            for part in batch.parts(bounds.primitives) {
                for layer in selection.layers() {
                    self.begin_layer(gpu, recording, &part, layer)?;
                    self.batch(gpu, recording, &Batch { layer, ..part }, &bounds, consume)?;
                }
            }
        }
        Ok(())
    }

    /// Records set-up and binning of a draw in batches of at most this many primitives, and passes the bins of each to
    /// `consume`, which records the later stages.
    ///
    /// # Errors
    /// If the device or `consume` fails.
    pub fn draw_tiles(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        draw: &Draw,
        (assembled, max_primitives): (&Assembled<'_>, usize),
        consume: &mut TileConsumer<'_>,
    ) -> Result<(), EngineError> {
        let selection = SelectionBlocks::new(draw);
        for batch in self.batches(gpu, recording, draw, (assembled, &selection))? {
            let parts = batch.parts(max_primitives);
            for (part, layer) in parts.flat_map(|part| selection.layers().map(move |layer| (part, layer))) {
                let [tile_shift, _, tile_count, _] = part.parameters.round;
                self.begin_layer(gpu, recording, &part, layer)?;
                let part = Batch { tiles_find_large: true, layer, ..part };
                let (parameters, block) = self.set_up(gpu, recording, &part)?;
                let bins = TileBins {
                    parameters: (&block).into(),
                    setups: self.set_up.setups(),
                    bins: self.set_up.bins(),
                    groups: self.set_up.touched_groups(),
                    tile_count,
                    tile_quads: 1 << (2 * (tile_shift - 1)),
                    primitive_count: parameters.primitive_count,
                    layer,
                };
                consume(recording, &bins)?;
            }
        }
        Ok(())
    }

    /// Begins a layer of primitives whose lines are stippled, if there are several.
    fn begin_layer(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        part: &Batch<'_>,
        layer: u32,
    ) -> Result<(), DeviceError> {
        if part.selection.layers().len() > 1 && part.parameters.flags & LINE_STIPPLE != 0 {
            self.set_up.begin_layer(gpu, recording, layer)?;
        }
        Ok(())
    }

    /// Splits a draw into batches, and records the work that they share.
    fn batches<'a>(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        draw: &Draw,
        (assembled, selection): (&Assembled<'a>, &'a SelectionBlocks),
    ) -> Result<Vec<Batch<'a>>, DeviceError> {
        let Some((mut parameters, batch_primitives)) = self.tiled(RasterBlock::new(draw)) else {
            return Ok(Vec::new());
        };
        let &Assembled { vertices, vertex_count, primitives, counted } = assembled;
        parameters.round[3] = vertex_count;
        parameters.counts = counted.map_or([0; 4], |counted| counted.places);
        // The kernels of filled triangles do not distinguish draws.
        let is_filled_triangles = matches!(primitives, PrimitiveList::Host { numbers: [], .. })
            && counted.is_none_or(|counted| counted.draws == 1)
            && primitives.len() >= self.options.least_culled as usize
            && parameters.flags & (CULLS_BY_DISTANCE | PRIMITIVES_SELECT) == 0
            && draws_filled_triangles(draw);
        if is_filled_triangles {
            let block = recording.store(&selection.bytes(&parameters, 0))?;
            self.set_up.transform(gpu, recording, &self.options, &block, vertices, vertex_count)?;
        }
        let batch = |primitives| Batch {
            parameters,
            assembled: Assembled { primitives, ..*assembled },
            is_filled_triangles,
            tiles_find_large: false,
            selection,
            layer: 0,
        };
        Ok(primitives.parts(batch_primitives).map(batch).collect())
    }

    /// The tile parameters that all batches of a draw share, and the number of primitives in a batch; `None` if nothing
    /// can be drawn.
    pub(in crate::kernels) fn tiled(&self, mut parameters: RasterBlock) -> Option<(RasterBlock, usize)> {
        let [left, top, right, bottom] = parameters.clip;
        if left >= right || top >= bottom {
            return None;
        }
        let shift = self.options.tile_size.trailing_zeros();
        let (first_column, first_row) = (left >> shift, top >> shift);
        let (columns, rows) = (((right - 1) >> shift) + 1 - first_column, ((bottom - 1) >> shift) + 1 - first_row);
        parameters.tiles = [first_column, first_row, columns, rows];
        parameters.round = [shift, 0, columns * rows, 0];
        let max_words = (BIN_WORDS / (columns * rows)).max(1);
        Some((parameters, self.options.batch_primitives.min(max_words.saturating_mul(32)) as usize))
    }

    fn batch(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &Batch<'_>,
        bounds: &LoopBounds,
        consume: &mut Consumer<'_>,
    ) -> Result<(), DeviceError> {
        let (mut parameters, block) = self.set_up(gpu, recording, batch)?;
        self.count_quads(gpu, recording, batch, &parameters, &block)?;
        let count = parameters.primitive_count;
        let tile_count = parameters.round[2];
        let [left, top, right, bottom] = parameters.clip.map(u64::from);
        let clip_quads = (right.div_ceil(2) - left / 2) * (bottom.div_ceil(2) - top / 2);
        let bound = clip_quads * u64::from(count);
        let max_of_tile = self.options.tile_size.pow(2) / 4 * count;
        if bound <= u64::from(bounds.capacity) && tile_count <= bounds.tiles && max_of_tile <= bounds.quads {
            let most = u32::try_from(bound).expect("the bound is within the capacity");
            return self.round(gpu, recording, batch, &parameters, &block, most, consume);
        }
        let mut counts = vec![[0u32; 2]; tile_count as usize];
        let tiles = self.tiles.as_ref().expect("set-up makes the tiles");
        gpu.read_back(recording, tiles, 0, bytemuck::cast_slice_mut(&mut counts))?;
        let counts: Vec<u32> = counts.iter().map(|tile| tile[1]).collect();
        let max_quads = bounds.capacity.min(bounds.quads);
        if count > 1 && counts.iter().any(|count| *count > max_quads) {
            self.set_up.restore_stipple(recording);
            for primitives in batch.assembled.primitives.halves() {
                // They are counted already.
                let assembled = Assembled { primitives, counted: None, ..batch.assembled };
                self.batch(gpu, recording, &Batch { assembled, ..*batch }, bounds, consume)?;
            }
            return Ok(());
        }
        for (number, (first, tiles, quads)) in rounds(&counts, [bounds.capacity, bounds.tiles]).into_iter().enumerate()
        {
            // Drivers may reset after work of several seconds, and the resources of a recording are freed only after it.
            if number % ROUNDS_PER_SUBMISSION == ROUNDS_PER_SUBMISSION - 1 {
                gpu.flush(recording)?;
                gpu.wait()?;
            }
            parameters.round[1] = first;
            parameters.round[2] = tiles;
            let block = recording.store(&batch.selection.bytes(&parameters, batch.layer))?;
            self.round(gpu, recording, batch, &parameters, &block, quads, consume)?;
        }
        Ok(())
    }

    /// Records set-up and binning of a batch; returns its parameters, also as binding 6.
    fn set_up(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &Batch<'_>,
    ) -> Result<(RasterBlock, Block), DeviceError> {
        let mut parameters = batch.parameters;
        let count = batch.assembled.primitives.len();
        parameters.primitive_count = u32::try_from(count).expect("a batch is at most 131072 primitives");
        parameters.bin_words = parameters.primitive_count.div_ceil(32);
        let &Batch { assembled, is_filled_triangles, tiles_find_large, selection, layer, .. } = batch;
        let block = recording.store(&selection.bytes(&parameters, layer))?;
        let set_up =
            SetUpBatch { parameters: &parameters, block: &block, assembled, is_filled_triangles, tiles_find_large };
        self.set_up.batch(gpu, recording, &self.options, &set_up)?;
        Ok((parameters, block))
    }

    /// Records the quad counts of tiles.
    fn count_quads(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &Batch<'_>,
        parameters: &RasterBlock,
        block: &Block,
    ) -> Result<(), DeviceError> {
        let tile_count = parameters.round[2];
        let tiles = grown(gpu, &mut self.tiles, "tiles", u64::from(tile_count) * 8)?;
        let (setups, bins) = (self.set_up.setups(), self.set_up.bins());
        let quads = grown(gpu, &mut self.quads, "quads", u64::from(QUADS_PER_WORKGROUP) * 16)?;
        let kernel = rasterize_tiles::kernel(gpu, parameters, false)?;
        let bindings = RasterizeBindings {
            vertices: batch.assembled.vertices.into(),
            raster: block.into(),
            setups: setups.into(),
            bins: bins.into(),
            tiles: (&tiles).into(),
            quads: (&quads).into(),
        };
        recording.dispatch(&kernel, &bindings, [tile_count.div_ceil(32), 1, 1]);
        Ok(())
    }

    /// Records the listing of the quads in a range of tiles, then the later stages.
    #[expect(clippy::too_many_arguments, reason = "a batch, its round and where to record it")]
    fn round(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &Batch<'_>,
        parameters: &RasterBlock,
        block: &Block,
        max_quads: u32,
        consume: &mut Consumer<'_>,
    ) -> Result<(), DeviceError> {
        let max_quads = max_quads.next_multiple_of(QUADS_PER_WORKGROUP);
        let quads = grown(gpu, &mut self.quads, "quads", u64::from(max_quads) * 16)?;
        let groups = grown(gpu, &mut self.groups, "quad workgroups", 16)?;
        let (setups, bins) = (self.set_up.setups(), self.set_up.bins());
        let tiles = self.tiles.as_ref().expect("set-up makes the tiles");
        let [_, first_tile, tile_count, _] = parameters.round;
        let block = Bound::from(block);
        let kernel = gpu.kernel_of("compact_quads", 0, || COMPACT_QUADS.to_owned())?;
        let bindings =
            CompactBindings { raster: block, tiles: tiles.into(), quads: (&quads).into(), groups: (&groups).into() };
        recording.dispatch(&kernel, &bindings, [1, 1, 1]);
        let kernel = rasterize_tiles::kernel(gpu, parameters, true)?;
        let bindings = RasterizeBindings {
            vertices: batch.assembled.vertices.into(),
            raster: block,
            setups: setups.into(),
            bins: bins.into(),
            tiles: tiles.into(),
            quads: (&quads).into(),
        };
        recording.dispatch(&kernel, &bindings, [tile_count.div_ceil(32), 1, 1]);
        let lists = QuadLists {
            parameters: block,
            setups,
            tiles,
            quads: &quads,
            groups: &groups,
            first_tile,
            tile_count,
            max_quads,
            layer: batch.layer,
        };
        consume(recording, &lists)
    }
}

/// Splits tiles into ranges of at most `max_tiles` with at most `capacity` quads, or a single tile: (first tile,
/// tiles, quads). Ranges without quads are skipped.
fn rounds(counts: &[u32], [capacity, max_tiles]: [u32; 2]) -> Vec<(u32, u32, u32)> {
    let mut rounds = Vec::new();
    let mut current = (0, 0, 0);
    for (tile, &count) in (0..).zip(counts) {
        let is_full = current.1 == max_tiles || count > capacity - capacity.min(current.2);
        if is_full && current.2 > 0 {
            rounds.push(current);
        }
        // Skips the tiles so far if they have no quads.
        if is_full {
            current = (tile, 0, 0);
        }
        current.1 += 1;
        current.2 += count;
    }
    if current.2 > 0 {
        rounds.push(current);
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::front_end::raster_parameters::SURFACE_LIMIT;

    #[test]
    fn rounds_hold_whole_tiles_up_to_the_capacity() {
        let counts = [0, 5, 5, 0, 1, 30, 0, 9];
        assert_eq!(rounds(&counts, [10, 99]), [(0, 4, 10), (4, 1, 1), (5, 2, 30), (7, 1, 9)]);
        assert_eq!(rounds(&counts, [10, 2]), [(0, 2, 5), (2, 2, 5), (4, 1, 1), (5, 2, 30), (7, 1, 9)]);
        assert_eq!(rounds(&counts, [99, 3]), [(0, 3, 10), (3, 3, 31), (6, 2, 9)]);
        assert_eq!(rounds(&[0, 0, 0, 2], [10, 2]), [(2, 2, 2)]);
        assert_eq!(rounds(&[0, 0], [10, 99]), []);
        assert_eq!(rounds(&[4], [10, 99]), [(0, 1, 4)]);
    }

    #[test]
    fn surfaces_of_the_largest_size_have_bins() {
        assert!(BIN_WORDS / (SURFACE_LIMIT / 8).pow(2) >= 1);
    }
}
