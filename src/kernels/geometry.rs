//! Turns shaded vertices and assembled primitives into quad lists per tile, on the device.
//!
//! Primitives go through in batches. A batch is set up, binned and counted; then its quads are listed, in one round when
//! they are sure to fit, else in rounds of whole tiles after the counts were read back. Nothing is ever left out.

use std::sync::Arc;

use crate::gpu::{Block, Bound, DeviceError, Gpu, Kernel, Recording};
use crate::recompiler::multisample::offset_vectors;
use crate::reference::assemble_primitives::{HAS_FACE, KIND_LINE, KIND_MASK, KIND_POINT, KIND_TRIANGLE, Primitive};
use crate::reference::raster_parameters::{
    LINE_STIPPLE, POLYGON_SMOOTH, POLYGON_STIPPLE, RasterParameters, USER_CLIP, WINDOW_CLIP,
};
use crate::reference::set_up_primitives::SetUpRecord;
use crate::work::{Draw, SampleMode};

const SET_UP_PRIMITIVES: &str = include_str!("../../wgsl/kernels/set_up_primitives.wgsl");
const COUNT_STIPPLES: &str = include_str!("../../wgsl/kernels/count_stipples.wgsl");
const BIN_PRIMITIVES: &str = include_str!("../../wgsl/kernels/bin_primitives.wgsl");
const RASTERIZE_TILES: &str = include_str!("../../wgsl/kernels/rasterize_tiles.wgsl");
const PLACE_QUADS: &str = include_str!("../../wgsl/kernels/place_quads.wgsl");

/// Most words that the bins of one batch take.
const BIN_WORDS: u32 = 1 << 22;
/// Quads that one workgroup shades; lists are padded to a multiple of it.
pub const QUADS_PER_WORKGROUP: u32 = 64;

/// The longest quad list: its workgroups fit one dimension of a dispatch.
const MAX_QUAD_CAPACITY: u32 = 65_535 * QUADS_PER_WORKGROUP;
/// Rounds that are submitted together.
const ROUNDS_PER_SUBMISSION: usize = 16;

/// Sizes that speed depends on and results do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeometryOptions {
    /// Columns and rows of a tile: 8, 16 or 32.
    pub tile_size: u32,
    /// Most primitives of a batch.
    pub batch_primitives: u32,
    /// Most quads of a round.
    pub quad_capacity: u32,
}

impl Default for GeometryOptions {
    fn default() -> Self {
        Self { tile_size: 16, batch_primitives: 1 << 14, quad_capacity: 1 << 19 }
    }
}

/// The quads of one round, for the stages that follow.
#[derive(Debug)]
pub struct QuadLists<'a> {
    /// [`RasterParameters`] (binding 6).
    pub parameters: Bound<'a>,
    /// Set-up records (binding 7).
    pub records: &'a wgpu::Buffer,
    /// First quad and quad count of every tile of the clip rectangle, row by row (binding 9).
    pub tiles: &'a wgpu::Buffer,
    /// Record, position, coverage of every quad (binding 10).
    pub quads: &'a wgpu::Buffer,
    /// Workgroup counts for a kernel that shades 64 quads in a workgroup, then the number of quads.
    pub groups: &'a wgpu::Buffer,
    /// The first tile of the round; others hold no quads of it.
    pub first_tile: u32,
    /// Tiles of the round.
    pub tile_count: u32,
    /// The list is at most this long, padding included.
    pub most_quads: u32,
}

/// The bins of one batch, for a kernel that walks them itself.
#[derive(Debug)]
pub struct TileBins<'a> {
    /// [`RasterParameters`] (binding 6).
    pub parameters: Bound<'a>,
    /// Set-up records (binding 7).
    pub records: &'a wgpu::Buffer,
    /// The bit masks of records of every tile of the clip rectangle, row by row (binding 8).
    pub bins: &'a wgpu::Buffer,
    /// Tiles of the clip rectangle.
    pub tile_count: u32,
}

/// The buffers of the geometry stages, kept from draw to draw.
#[derive(Debug)]
pub struct GeometryStage {
    options: GeometryOptions,
    records: Option<wgpu::Buffer>,
    bins: Option<wgpu::Buffer>,
    tiles: Option<wgpu::Buffer>,
    quads: Option<wgpu::Buffer>,
    groups: Option<wgpu::Buffer>,
    stipple: Option<wgpu::Buffer>,
    saved_stipple: Option<wgpu::Buffer>,
}

/// Called with every round, in order.
pub type Consumer<'c> = dyn FnMut(&mut Recording, &QuadLists<'_>) -> Result<(), DeviceError> + 'c;

/// Called with the bins of every batch, in order.
pub type TileConsumer<'c> = dyn FnMut(&mut Recording, &TileBins<'_>) -> Result<(), DeviceError> + 'c;

/// What all batches of a draw share.
struct Batch<'a> {
    parameters: RasterParameters,
    vertices: &'a wgpu::Buffer,
    primitives: &'a [Primitive],
}

impl GeometryStage {
    /// Makes a stage without buffers; they are made as draws need them.
    ///
    /// Tile sizes other than 8, 16 and 32 become 16; batches and rounds have a least size.
    #[must_use]
    pub fn new(options: GeometryOptions) -> Self {
        let tile_size = if matches!(options.tile_size, 8 | 16 | 32) { options.tile_size } else { 16 };
        let batch_primitives = options.batch_primitives.clamp(1, 1 << 16);
        // One primitive of one tile always fits.
        let quad_capacity = options.quad_capacity.clamp(256, MAX_QUAD_CAPACITY);
        let options = GeometryOptions { tile_size, batch_primitives, quad_capacity };
        Self {
            options,
            records: None,
            bins: None,
            tiles: None,
            quads: None,
            groups: None,
            stipple: None,
            saved_stipple: None,
        }
    }

    /// Records the geometry stages of a draw and hands every round of quads to `consume`, which records what follows.
    ///
    /// `vertices` holds 16 output registers a vertex. Where quads may not fit one list, what is recorded so far is
    /// submitted and counts are read back.
    ///
    /// # Errors
    /// When the device fails, or `consume` does.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        draw: &Draw,
        vertices: &wgpu::Buffer,
        primitives: &[Primitive],
        consume: &mut Consumer<'_>,
    ) -> Result<(), DeviceError> {
        let Some((parameters, batch_primitives)) = self.parameters(draw) else { return Ok(()) };
        for primitives in primitives.chunks(batch_primitives) {
            let batch = Batch { parameters, vertices, primitives };
            self.batch(gpu, recording, &batch, consume)?;
        }
        Ok(())
    }

    /// Records set-up and binning of a draw and hands the bins of every batch to `consume`, which records what follows.
    ///
    /// # Errors
    /// When the device fails, or `consume` does.
    pub fn draw_tiles(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        draw: &Draw,
        vertices: &wgpu::Buffer,
        primitives: &[Primitive],
        consume: &mut TileConsumer<'_>,
    ) -> Result<(), DeviceError> {
        let Some((mut parameters, batch_primitives)) = self.parameters(draw) else { return Ok(()) };
        for primitives in primitives.chunks(batch_primitives) {
            parameters.primitive_count = u32::try_from(primitives.len()).expect("a batch is at most 65536 primitives");
            parameters.bin_words = parameters.primitive_count.div_ceil(32);
            let block = recording.store(bytemuck::bytes_of(&parameters))?;
            let batch = Batch { parameters, vertices, primitives };
            self.set_up(gpu, recording, &batch, &parameters, &block)?;
            let bins = TileBins {
                parameters: (&block).into(),
                records: self.records.as_ref().expect("set-up makes the records"),
                bins: self.bins.as_ref().expect("set-up makes the bins"),
                tile_count: parameters.round[2],
            };
            consume(recording, &bins)?;
        }
        Ok(())
    }

    /// The parameters that all batches of a draw share, and the primitives of a batch; `None` when nothing can be drawn.
    fn parameters(&self, draw: &Draw) -> Option<(RasterParameters, usize)> {
        let mut parameters = RasterParameters::new(draw);
        let [left, top, right, bottom] = parameters.clip;
        if left >= right || top >= bottom {
            return None;
        }
        let shift = self.options.tile_size.trailing_zeros();
        let (first_column, first_row) = (left >> shift, top >> shift);
        let (columns, rows) = (((right - 1) >> shift) + 1 - first_column, ((bottom - 1) >> shift) + 1 - first_row);
        parameters.tiles = [first_column, first_row, columns, rows];
        parameters.round = [shift, 0, columns * rows, 0];
        let most_words = (BIN_WORDS / (columns * rows)).max(1);
        Some((parameters, self.options.batch_primitives.min(most_words.saturating_mul(32)) as usize))
    }

    fn batch(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &Batch<'_>,
        consume: &mut Consumer<'_>,
    ) -> Result<(), DeviceError> {
        let mut parameters = batch.parameters;
        let count = u32::try_from(batch.primitives.len()).expect("a batch is at most 65536 primitives");
        parameters.primitive_count = count;
        parameters.bin_words = count.div_ceil(32);
        let tile_count = parameters.round[2];
        let block = recording.store(bytemuck::bytes_of(&parameters))?;
        self.set_up(gpu, recording, batch, &parameters, &block)?;
        self.count_quads(gpu, recording, batch, &parameters, &block)?;
        let [left, top, right, bottom] = parameters.clip.map(u64::from);
        let clip_quads = (right.div_ceil(2) - left / 2) * (bottom.div_ceil(2) - top / 2);
        let bound = clip_quads * u64::from(count);
        if bound <= u64::from(self.options.quad_capacity) {
            let most = u32::try_from(bound).expect("the bound is within the capacity");
            return self.round(gpu, recording, batch, &parameters, &block, most, consume);
        }
        let mut counts = vec![[0u32; 2]; tile_count as usize];
        let tiles = self.tiles.as_ref().expect("set-up makes the tiles");
        gpu.read_back(recording, tiles, 0, bytemuck::cast_slice_mut(&mut counts))?;
        let counts: Vec<u32> = counts.iter().map(|tile| tile[1]).collect();
        if count > 1 && counts.iter().any(|count| *count > self.options.quad_capacity) {
            let saved = self.saved_stipple.as_ref().expect("set-up makes it");
            recording.copy((saved, 0), (self.stipple.as_ref().expect("set-up makes it"), 0), 16);
            let (first, second) = batch.primitives.split_at(batch.primitives.len() / 2);
            for primitives in [first, second] {
                let half = Batch { parameters: batch.parameters, vertices: batch.vertices, primitives };
                self.batch(gpu, recording, &half, consume)?;
            }
            return Ok(());
        }
        for (number, (first, tiles, quads)) in rounds(&counts, self.options.quad_capacity).into_iter().enumerate() {
            // Drivers take offence at work that runs for seconds, and what a recording holds is freed only after it.
            if number % ROUNDS_PER_SUBMISSION == ROUNDS_PER_SUBMISSION - 1 {
                gpu.flush(recording)?;
                gpu.wait()?;
            }
            parameters.round[1] = first;
            parameters.round[2] = tiles;
            let block = recording.store(bytemuck::bytes_of(&parameters))?;
            self.round(gpu, recording, batch, &parameters, &block, quads, consume)?;
        }
        Ok(())
    }

    /// Records set-up and binning.
    fn set_up(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &Batch<'_>,
        parameters: &RasterParameters,
        block: &Block,
    ) -> Result<(), DeviceError> {
        let count = parameters.primitive_count;
        let tile_count = parameters.round[2];
        let bin_bytes = u64::from(tile_count) * u64::from(parameters.bin_words) * 4;
        let record_bytes = u64::from(count) * size_of::<SetUpRecord>() as u64;
        let records = grown(gpu, &mut self.records, "set-up records", record_bytes)?;
        let bins = grown(gpu, &mut self.bins, "bins", bin_bytes)?;
        let primitives = recording.store(bytemuck::cast_slice(batch.primitives))?;
        let block = Bound::from(block);
        let kernel = set_up_kernel(gpu, batch.primitives, parameters.flags)?;
        let bindings = [(4, batch.vertices.into()), (5, (&primitives).into()), (6, block), (7, (&records).into())];
        recording.dispatch(&kernel, &bindings, [count.div_ceil(64), 1, 1]);
        let stipple = grown(gpu, &mut self.stipple, "stipple counter", 16)?;
        let saved = grown(gpu, &mut self.saved_stipple, "saved stipple counter", 16)?;
        if parameters.flags & LINE_STIPPLE != 0 {
            recording.copy((&stipple, 0), (&saved, 0), 16);
            let kernel = gpu.kernel_of("count_stipples", 0, || COUNT_STIPPLES.to_owned())?;
            recording.dispatch(&kernel, &[(6, block), (7, (&records).into()), (8, (&stipple).into())], [1, 1, 1]);
        }
        recording.clear(&bins, 0, bin_bytes);
        let kernel = gpu.kernel_of("bin_primitives", 0, || BIN_PRIMITIVES.to_owned())?;
        let bindings = [(6, block), (7, (&records).into()), (8, (&bins).into())];
        recording.dispatch(&kernel, &bindings, [count.div_ceil(64), 1, 1]);
        Ok(())
    }

    /// Records the counts of tiles.
    fn count_quads(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &Batch<'_>,
        parameters: &RasterParameters,
        block: &Block,
    ) -> Result<(), DeviceError> {
        let tile_count = parameters.round[2];
        let tiles = grown(gpu, &mut self.tiles, "tiles", u64::from(tile_count) * 8)?;
        let records = self.records.as_ref().expect("set-up makes the records");
        let bins = self.bins.as_ref().expect("set-up makes the bins");
        let quads = grown(gpu, &mut self.quads, "quads", u64::from(QUADS_PER_WORKGROUP) * 16)?;
        let kernel = rasterize_kernel(gpu, parameters, false)?;
        let bindings = [
            (4, batch.vertices.into()),
            (6, Bound::from(block)),
            (7, records.into()),
            (8, bins.into()),
            (9, (&tiles).into()),
            (10, (&quads).into()),
        ];
        recording.dispatch(&kernel, &bindings, [tile_count.div_ceil(32), 1, 1]);
        Ok(())
    }

    /// Records the listing of the quads of a range of tiles, then what follows.
    #[expect(clippy::too_many_arguments, reason = "a batch, its round and where to record it")]
    fn round(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &Batch<'_>,
        parameters: &RasterParameters,
        block: &Block,
        most_quads: u32,
        consume: &mut Consumer<'_>,
    ) -> Result<(), DeviceError> {
        let most_quads = most_quads.next_multiple_of(QUADS_PER_WORKGROUP);
        let quads = grown(gpu, &mut self.quads, "quads", u64::from(most_quads) * 16)?;
        let groups = grown(gpu, &mut self.groups, "quad workgroups", 16)?;
        let records = self.records.as_ref().expect("set-up makes the records");
        let bins = self.bins.as_ref().expect("set-up makes the bins");
        let tiles = self.tiles.as_ref().expect("set-up makes the tiles");
        let [_, first_tile, tile_count, _] = parameters.round;
        let block = Bound::from(block);
        let kernel = gpu.kernel_of("place_quads", 0, || PLACE_QUADS.to_owned())?;
        let bindings = [(6, block), (9, tiles.into()), (10, (&quads).into()), (15, (&groups).into())];
        recording.dispatch(&kernel, &bindings, [1, 1, 1]);
        let kernel = rasterize_kernel(gpu, parameters, true)?;
        let bindings = [
            (4, batch.vertices.into()),
            (6, block),
            (7, records.into()),
            (8, bins.into()),
            (9, tiles.into()),
            (10, (&quads).into()),
        ];
        recording.dispatch(&kernel, &bindings, [tile_count.div_ceil(32), 1, 1]);
        let lists = QuadLists {
            parameters: block,
            records,
            tiles,
            quads: &quads,
            groups: &groups,
            first_tile,
            tile_count,
            most_quads,
        };
        consume(recording, &lists)
    }
}

/// Splits tiles into ranges that hold at most `capacity` quads, or a single tile: (first tile, tiles, quads). Ranges
/// without quads are left out.
fn rounds(counts: &[u32], capacity: u32) -> Vec<(u32, u32, u32)> {
    let mut rounds = Vec::new();
    let mut current = (0, 0, 0);
    for (tile, &count) in (0..).zip(counts) {
        if count > capacity - capacity.min(current.2) && current.2 > 0 {
            rounds.push(current);
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

/// The buffer of a slot, made anew when it is too small.
fn grown(gpu: &Gpu, slot: &mut Option<wgpu::Buffer>, label: &str, bytes: u64) -> Result<wgpu::Buffer, DeviceError> {
    match slot {
        Some(buffer) if buffer.size() >= bytes => Ok(buffer.clone()),
        _ => Ok(slot.insert(gpu.buffer(label, bytes.next_power_of_two())?).clone()),
    }
}

/// The set-up kernel for the kinds of primitives at hand.
fn set_up_kernel(gpu: &Gpu, primitives: &[Primitive], flags: u32) -> Result<Arc<Kernel>, DeviceError> {
    let kinds = primitives.iter().fold([false; 3], |mut kinds, primitive| {
        kinds[(primitive.flags & KIND_MASK).min(2) as usize] = true;
        kinds[KIND_TRIANGLE as usize] |= primitive.flags & HAS_FACE != 0;
        kinds
    });
    let key = kinds.iter().fold(u64::from(flags & POLYGON_SMOOTH != 0), |key, kind| key << 1 | u64::from(*kind));
    gpu.kernel_of("set_up_primitives", key, || set_up_source(kinds, flags))
}

/// The rasteriser for the tests and samples that a draw needs.
fn rasterize_kernel(gpu: &Gpu, parameters: &RasterParameters, lists_quads: bool) -> Result<Arc<Kernel>, DeviceError> {
    let flags = parameters.flags & (WINDOW_CLIP | LINE_STIPPLE | POLYGON_STIPPLE | USER_CLIP);
    let key = u64::from(flags) << 8 | u64::from(parameters.samples() as u8) << 1 | u64::from(lists_quads);
    gpu.kernel_of("rasterize_tiles", key, || rasterize_source(parameters, lists_quads))
}

fn set_up_source(kinds: [bool; 3], flags: u32) -> String {
    let [points, lines, triangles] = [KIND_POINT, KIND_LINE, KIND_TRIANGLE].map(|kind| kinds[kind as usize]);
    let is_smooth = flags & POLYGON_SMOOTH != 0;
    // On one line with the text's first, so that line numbers hold.
    format!(
        "const HAS_TRIANGLES: bool = {triangles}; const HAS_SMOOTH_POLYGONS: bool = {is_smooth}; \
         const HAS_LINES: bool = {lines}; const HAS_POINTS: bool = {points}; {SET_UP_PRIMITIVES}"
    )
}

fn rasterize_source(parameters: &RasterParameters, lists_quads: bool) -> String {
    let flags = parameters.flags;
    let window_clip = flags & WINDOW_CLIP != 0;
    let stipple = flags & (LINE_STIPPLE | POLYGON_STIPPLE) != 0;
    let user_clip = flags & USER_CLIP != 0;
    let samples = parameters.samples();
    let (module, positions) = if samples == SampleMode::One {
        ("coverage_at_centers", String::new())
    } else {
        let [columns, rows] = offset_vectors(samples);
        let count = samples.count();
        let positions =
            format!("const SAMPLE_COUNT: u32 = {count}u; const SAMPLE_X = {columns}; const SAMPLE_Y = {rows}; ");
        ("coverage_at_samples", positions)
    };
    format!(
        "import package::{module}::covered_bits;\nconst LISTS_QUADS: bool = {lists_quads}; \
         const HAS_WINDOW_CLIP: bool = {window_clip}; const HAS_STIPPLE: bool = {stipple}; \
         const HAS_USER_CLIP: bool = {user_clip}; {positions}{RASTERIZE_TILES}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::raster_parameters::SURFACE_LIMIT;

    #[test]
    fn rounds_hold_whole_tiles_up_to_the_capacity() {
        assert_eq!(rounds(&[0, 5, 5, 0, 1, 30, 0, 9], 10), [(0, 4, 10), (4, 1, 1), (5, 2, 30), (7, 1, 9)]);
        assert_eq!(rounds(&[0, 0], 10), []);
        assert_eq!(rounds(&[4], 10), [(0, 1, 4)]);
    }

    #[test]
    fn surfaces_of_the_largest_size_have_bins() {
        assert!(BIN_WORDS / (SURFACE_LIMIT / 8).pow(2) >= 1);
    }
}
