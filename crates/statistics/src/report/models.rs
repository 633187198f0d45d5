//! The models' results in a statistics file. A report omits missing models and shows missing numbers as dashes.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ReportError;
use super::place::wrong;

/// A number that a model may leave out.
pub(super) type Number = Option<f64>;

/// Parameters of a model by name, each a value or an object of values.
pub(super) type Parameters = BTreeMap<String, serde_json::Value>;

/// Most cells of a heat map: a tile of one pixel each, on the largest surface that the chip can draw to.
const MAX_CELLS: usize = 4096 * 4096;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Models {
    /// Whether traces were longer than the models could hold.
    pub(super) is_cut_off: bool,
    pub(super) texture_cache: Option<TextureCache>,
    pub(super) prefetch: Option<Prefetch>,
    pub(super) memory: Option<Memory>,
    pub(super) compression: Option<Compression>,
    pub(super) zcull: Option<Zcull>,
    pub(super) vertex: Option<Vertex>,
    pub(super) shader: Option<Shader>,
    pub(super) processor: Option<Processor>,
    pub(super) time: Option<Time>,
    pub(super) heat_maps: Vec<HeatMap>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TextureCache {
    pub(super) parameters: Option<Parameters>,
    pub(super) levels: Levels,
    pub(super) memory_bytes: Number,
    #[serde(default)]
    pub(super) units: Vec<CacheUnit>,
    #[serde(default)]
    pub(super) draws: Vec<CacheDraw>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Levels {
    pub(super) first: Level,
    pub(super) second: Option<Level>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Level {
    pub(super) accesses: Number,
    pub(super) hits: Number,
    pub(super) cold: Number,
    pub(super) capacity: Number,
    pub(super) conflict: Number,
}

impl Level {
    /// The hit rate in percent.
    pub(super) fn hit_rate(&self) -> Number {
        super::number::percent(self.hits?, self.accesses?)
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct CacheUnit {
    pub(super) unit: u32,
    pub(super) first: Level,
    pub(super) second: Option<Level>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CacheDraw {
    pub(super) draw: usize,
    pub(super) first: Level,
    pub(super) second: Option<Level>,
    pub(super) memory_bytes: Number,
}

#[derive(Debug, Deserialize)]
pub(super) struct Prefetch {
    pub(super) parameters: Option<Parameters>,
    pub(super) cycles: Number,
    pub(super) cycles_without_latency: Number,
    pub(super) rate: Number,
    #[serde(default)]
    pub(super) curve: Vec<CurvePoint>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CurvePoint {
    pub(super) fragment_fifo: f64,
    pub(super) rate: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Memory {
    pub(super) parameters: Option<Parameters>,
    #[serde(default)]
    pub(super) partitions: Vec<Partition>,
    pub(super) imbalance: Number,
    #[serde(default)]
    pub(super) clients: BTreeMap<String, f64>,
    pub(super) peak_bytes_per_second: Number,
}

#[derive(Debug, Deserialize)]
pub(super) struct Partition {
    pub(super) reads: Number,
    pub(super) writes: Number,
    pub(super) bytes: Number,
    pub(super) row_hits: Number,
    pub(super) row_misses: Number,
    pub(super) turns: Number,
    pub(super) cycles: Number,
}

#[derive(Debug, Deserialize)]
pub(super) struct Compression {
    /// Of depth surfaces.
    #[serde(flatten)]
    pub(super) depth: Tiles,
    pub(super) color: Option<Tiles>,
    #[serde(default)]
    pub(super) draws: Vec<CompressionDraw>,
    pub(super) assumed_ratio: Number,
}

/// The tiles of a draw that were moved, by surface.
#[derive(Debug, Deserialize)]
pub(super) struct CompressionDraw {
    pub(super) draw: usize,
    pub(super) depth: Option<Tiles>,
    pub(super) color: Option<Tiles>,
}

/// Tiles, and the effect of compression on them.
#[derive(Debug, Deserialize)]
pub(super) struct Tiles {
    pub(super) tiles: Number,
    pub(super) compressed: Number,
    pub(super) bytes: Number,
    pub(super) bytes_uncompressed: Number,
    pub(super) bytes_saved: Number,
    pub(super) ratio: Number,
}

#[derive(Debug, Deserialize)]
pub(super) struct Zcull {
    pub(super) draws: Vec<ZcullDraw>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ZcullDraw {
    pub(super) draw: usize,
    pub(super) tiles: Number,
    pub(super) tiles_rejected: Number,
    pub(super) fragments_rejected: Number,
    #[serde(default)]
    pub(super) disabled_by: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Vertex {
    pub(super) draws: Vec<VertexDraw>,
}

/// A draw on the vertex processors of another chip, or on ones that execute in program order.
#[derive(Debug, Deserialize)]
pub(super) struct VertexDraw {
    pub(super) draw: usize,
    /// The machine with the processors.
    pub(super) machine: Option<String>,
    pub(super) vertex_units: Number,
    pub(super) cache_entries: Number,
    pub(super) cache_hits: Number,
    /// Vertices that missed the cache.
    pub(super) vertices: Number,
    pub(super) instructions: Number,
    /// Cycles of one processor over all vertices.
    pub(super) cycles: Number,
    #[serde(default)]
    pub(super) cycles_by_cause: BTreeMap<String, f64>,
    pub(super) vertices_per_clock: Number,
    #[serde(default)]
    pub(super) units: Vec<UnitOccupancy>,
}

/// The unit-cycles of a kind of arithmetic unit.
#[derive(Debug, Deserialize)]
pub(super) struct UnitOccupancy {
    pub(super) unit: String,
    pub(super) busy: Number,
    pub(super) available: Number,
}

#[derive(Debug, Deserialize)]
pub(super) struct Shader {
    pub(super) draws: Vec<ShaderDraw>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ShaderDraw {
    pub(super) draw: usize,
    pub(super) passes_per_quad: Number,
    pub(super) cycles: Number,
    pub(super) slots_used: Number,
    pub(super) slots_idle: Number,
    pub(super) registers: Number,
    pub(super) quads_in_flight: Number,
    /// Additional cycles because the quads of a batch execute all sides of its branches.
    pub(super) divergence_cycles: Number,
    #[serde(default)]
    pub(super) batches: Batches,
}

/// Branches of batches of quads.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Batches {
    pub(super) branches_uniform_taken: Number,
    pub(super) branches_uniform_not_taken: Number,
    pub(super) branches_divergent: Number,
}

/// The warps of draws on a unified processor.
#[derive(Debug, Deserialize)]
pub(super) struct Processor {
    pub(super) parameters: Option<Parameters>,
    pub(super) draws: Vec<ProcessorDraw>,
    #[serde(default)]
    pub(super) frames: Vec<ProcessorFrame>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ProcessorDraw {
    pub(super) draw: usize,
    /// Cycles of the processor from the first instruction to the last.
    pub(super) cycles: Number,
    /// By the kind of the program.
    #[serde(default)]
    pub(super) stages: BTreeMap<String, StageWarps>,
    /// Cycles of all multiprocessors together in which their units are occupied.
    pub(super) scalar_cycles: Number,
    pub(super) special_cycles: Number,
    pub(super) texture_cycles: Number,
    /// Those in which all warps wait, by cause.
    #[serde(default)]
    pub(super) idle_cycles: BTreeMap<String, f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StageWarps {
    pub(super) warps: Number,
    pub(super) scalar_cycles: Number,
    pub(super) special_cycles: Number,
    pub(super) interpolation_cycles: Number,
    pub(super) registers: Number,
    pub(super) resident_warps: Number,
    /// Of the most warps of a multiprocessor, from 0 to 1.
    pub(super) occupancy: Number,
}

#[derive(Debug, Deserialize)]
pub(super) struct ProcessorFrame {
    pub(super) frame: Option<u64>,
    /// For each part of the frame's time, the share of the processor's cycles that programs of a kind take.
    #[serde(default)]
    pub(super) balance: BTreeMap<String, Vec<f64>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Time {
    pub(super) parameters: Option<Parameters>,
    pub(super) draws: Vec<TimeDraw>,
    /// Clears, copies and similar work.
    #[serde(default)]
    pub(super) others: Vec<TimeOther>,
    #[serde(default)]
    pub(super) frames: Vec<TimeFrame>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TimeDraw {
    pub(super) draw: usize,
    /// Cycles that each unit is busy.
    pub(super) cycles: BTreeMap<String, f64>,
    /// None if no unit has anything to do.
    pub(super) bottleneck: Option<String>,
}

impl TimeDraw {
    /// Cycles from its start to its end: units work in parallel, and the busiest determines the duration.
    pub(super) fn duration(&self) -> f64 {
        self.cycles.values().copied().fold(0.0, f64::max)
    }
}

/// Work between draws.
#[derive(Debug, Deserialize)]
pub(super) struct TimeOther {
    pub(super) work: String,
    /// Cycles that each unit is busy.
    pub(super) cycles: BTreeMap<String, f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TimeFrame {
    pub(super) frame: Option<u64>,
    pub(super) cycles: Number,
    pub(super) milliseconds: Number,
    pub(super) frames_per_second: Number,
    /// The time if draws followed each other without overlap.
    pub(super) milliseconds_apart: Number,
}

/// A value for each square tile of a target.
#[derive(Debug, Deserialize)]
pub(super) struct HeatMap {
    /// The number of its frame; none before the first mark.
    pub(super) frame: Option<u64>,
    pub(super) name: String,
    /// Edge of a tile in pixels.
    pub(super) tile: u32,
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// Row by row.
    pub(super) values: Vec<f64>,
    #[serde(default)]
    pub(super) unit: String,
}

impl Models {
    /// Checks that indices are in range and sizes agree.
    pub(super) fn check(&self, draws: usize) -> Result<(), ReportError> {
        let named: [(&str, Vec<usize>); 7] = [
            ("texture_cache", self.texture_cache.iter().flat_map(|m| m.draws.iter().map(|draw| draw.draw)).collect()),
            ("compression", self.compression.iter().flat_map(|m| m.draws.iter().map(|draw| draw.draw)).collect()),
            ("zcull", self.zcull.iter().flat_map(|m| m.draws.iter().map(|draw| draw.draw)).collect()),
            ("vertex", self.vertex.iter().flat_map(|m| m.draws.iter().map(|draw| draw.draw)).collect()),
            ("shader", self.shader.iter().flat_map(|m| m.draws.iter().map(|draw| draw.draw)).collect()),
            ("processor", self.processor.iter().flat_map(|m| m.draws.iter().map(|draw| draw.draw)).collect()),
            ("time", self.time.iter().flat_map(|m| m.draws.iter().map(|draw| draw.draw)).collect()),
        ];
        for (model, numbers) in named {
            if let Some(index) = numbers.iter().position(|draw| *draw >= draws) {
                let message = format!("there is no draw {}", numbers[index]);
                return wrong(format!("models.{model}.draws[{index}].draw"), message);
            }
        }
        for (index, map) in self.heat_maps.iter().enumerate() {
            let cells = map.columns.checked_mul(map.rows).filter(|cells| (1..=MAX_CELLS).contains(cells));
            if cells != Some(map.values.len()) {
                let (columns, rows, values) = (map.columns, map.rows, map.values.len());
                let message = format!("{values} values, but {columns} columns and {rows} rows");
                return wrong(format!("models.heat_maps[{index}].values"), message);
            }
        }
        Ok(())
    }

    /// The results for each draw.
    pub(super) fn by_draw(&self, draws: usize) -> Vec<DrawResults<'_>> {
        let mut found = vec![DrawResults::default(); draws];
        let rows = self.time.iter().flat_map(|model| &model.draws);
        rows.for_each(|row| found[row.draw].time = Some(row));
        let rows = self.texture_cache.iter().flat_map(|model| &model.draws);
        rows.for_each(|row| found[row.draw].cache = Some(row));
        let rows = self.zcull.iter().flat_map(|model| &model.draws);
        rows.for_each(|row| found[row.draw].zcull = Some(row));
        let rows = self.vertex.iter().flat_map(|model| &model.draws);
        rows.for_each(|row| found[row.draw].vertex = Some(row));
        let rows = self.shader.iter().flat_map(|model| &model.draws);
        rows.for_each(|row| found[row.draw].shader = Some(row));
        let rows = self.processor.iter().flat_map(|model| &model.draws);
        rows.for_each(|row| found[row.draw].processor = Some(row));
        found
    }
}

/// The results of the models for a draw.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DrawResults<'m> {
    pub(super) time: Option<&'m TimeDraw>,
    pub(super) cache: Option<&'m CacheDraw>,
    pub(super) zcull: Option<&'m ZcullDraw>,
    pub(super) vertex: Option<&'m VertexDraw>,
    pub(super) shader: Option<&'m ShaderDraw>,
    pub(super) processor: Option<&'m ProcessorDraw>,
}
