//! Writes the results of models as the object `models` of a statistics file.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    BalanceSlice, DrawShading, DrawVertices, DrawWarps, ModelledDraw, ModelledFrame, ModelledWork, Models,
    SurfaceTraffic, TileTraffic,
};
use crate::machine::{DrawingMachine, Machine, TeslaMachine};
use crate::statistics::json::Rows;
use crate::statistics::launch::timing::WaitCause;
use crate::statistics::memory_partitions::Client;
use crate::statistics::prefetch::PrefetchResult;
use crate::statistics::texture_cache::{CacheCounts, LevelCounts};
use crate::statistics::time::{Loads, UnitClocks};

/// The object; `R` are rows of draws, frames or maps.
#[derive(serde::Serialize)]
struct Object<C, Z, S, T, H> {
    is_cut_off: bool,
    texture_cache: C,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefetch: Option<Value>,
    memory: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    compression: Option<Value>,
    zcull: OfDraws<Z>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vertex: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shader: Option<OfDraws<S>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    processor: Option<Value>,
    time: T,
    heat_maps: H,
}

#[derive(serde::Serialize)]
struct OfDraws<D> {
    draws: D,
}

#[derive(serde::Serialize)]
struct Times<D, O, F> {
    draws: D,
    others: O,
    frames: F,
}

#[derive(serde::Serialize)]
struct TextureCache<D> {
    parameters: Option<Value>,
    levels: Value,
    memory_bytes: u64,
    units: Vec<Value>,
    draws: D,
}

impl Models {
    /// The object; rows of draws are produced as they are written.
    pub fn json<'models>(&'models self, machine: DrawingMachine<'models>) -> impl Serialize + use<'models> {
        let draws = || self.draws.iter().enumerate();
        let staged = if let DrawingMachine::Staged(machine) = machine { Some(machine) } else { None };
        let shadings = move || {
            let machine = staged?;
            let shaded = draws().filter_map(|(number, draw)| Some((number, draw.programs.shading()?)));
            Some(Rows(shaded.map(move |draw| shading(draw, machine))))
        };
        Object {
            is_cut_off: self.is_cut_off,
            texture_cache: self.texture_cache(),
            prefetch: staged.map(|_| self.prefetch()),
            memory: self.memory(machine),
            compression: staged.and_then(|machine| self.compression(machine)),
            zcull: OfDraws { draws: Rows(draws().map(rejection)) },
            vertex: self.vertex(),
            shader: shadings().map(|draws| OfDraws { draws }),
            processor: match machine {
                DrawingMachine::Staged(_) => None,
                DrawingMachine::Unified(machine) => Some(self.processor(machine)),
            },
            time: Times {
                draws: Rows(draws().map(draw_time)),
                others: Rows(self.others.iter().map(other_time)),
                frames: Rows(self.frames.iter().map(move |frame| frame_time(frame, machine))),
            },
            heat_maps: &self.heat_maps,
        }
    }

    fn texture_cache(&self) -> TextureCache<impl Serialize> {
        let mut total = LevelCounts::default();
        let mut units: [LevelCounts; 16] = Default::default();
        for frame in &self.frames {
            total += frame.textures.cache.total();
            for (unit, counts) in frame.textures.cache.by_unit(&frame.textures.streams) {
                units[(unit & 15) as usize] += counts;
            }
        }
        let used = (0..16usize).filter(|unit| units[*unit].first.accesses() != 0);
        let units: Vec<_> = used.map(|unit| with("unit", unit, levels(&units[unit]))).collect();
        let draws = self.draws.iter().enumerate().filter(|(_, draw)| draw.texture.first.accesses() != 0);
        let draws = draws.map(|(number, draw)| {
            let mut object = with("draw", number, levels(&draw.texture));
            object["memory_bytes"] = draw.loads.memory.texture.into();
            object
        });
        let parameters = self.frames.first().map(|frame| frame.textures.cache.parameters);
        TextureCache {
            parameters: parameters.map(|parameters| {
                json!({
                    "pipes": parameters.pipes,
                    "first": cache(&parameters.first),
                    "second": parameters.second.as_ref().map(cache),
                })
            }),
            levels: levels(&total),
            memory_bytes: self.draws.iter().map(|draw| draw.loads.memory.texture).sum(),
            units,
            draws: Rows(draws),
        }
    }

    /// The slowest pipe of each frame, summed over frames.
    fn prefetch(&self) -> Value {
        let slowest = |of: fn(&PrefetchResult) -> u64| -> u64 {
            self.frames.iter().map(|frame| frame.textures.pipes.iter().map(of).max().unwrap_or(0)).sum()
        };
        let (cycles, without) = (slowest(|result| result.cycles), slowest(|result| result.cycles_without_latency));
        let depths = self.frames.first().map_or(&[][..], |frame| &frame.textures.curve);
        let curve = (0..depths.len()).map(|point| {
            let sums = self.frames.iter().map(|frame| frame.textures.curve[point]);
            let (cycles, without) = sums.fold((0, 0), |sum, (_, cycles, without)| (sum.0 + cycles, sum.1 + without));
            json!({ "fragment_fifo": depths[point].0, "rate": ratio(without, cycles) })
        });
        let parameters = self.frames.first().and_then(|frame| frame.textures.pipes.first());
        json!({
            "parameters": parameters.map(|result| json!({
                "fragment_fifo": result.parameters.fragment_fifo,
                "request_fifo": result.parameters.request_fifo,
                "reorder_slots": result.parameters.reorder_slots,
                "latency_clocks": result.parameters.latency,
            })),
            "cycles": cycles,
            "cycles_without_latency": without,
            "rate": ratio(without, cycles),
            "curve": curve.collect::<Vec<_>>(),
        })
    }

    fn memory(&self, machine: DrawingMachine<'_>) -> Value {
        let partitions = self.frames.first().map_or(0, |frame| frame.memory.partitions.len());
        let mut totals = Vec::new();
        let partitions = (0..partitions).map(|number| {
            let of = self.frames.iter().map(|frame| &frame.memory.partitions[number]);
            let sum = of.clone();
            let [reads, writes] = [0, 1].map(|direction: usize| -> u64 {
                sum.clone().flat_map(|partition| &partition.accesses).map(|client| client[direction]).sum()
            });
            let rows = of.clone().flat_map(|partition| &partition.banks);
            let (hits, misses) = rows.fold((0, 0), |sum, bank| (sum.0 + bank.hits, sum.1 + bank.misses));
            totals.push(reads + writes);
            let mut object = json!({
                "reads": reads, "writes": writes, "bytes": 32 * (reads + writes),
                "cycles": of.clone().map(|partition| partition.clocks).sum::<u64>(),
            });
            // The partitions of a unified chip have no model of rows.
            if matches!(machine, DrawingMachine::Staged(_)) {
                object["row_hits"] = hits.into();
                object["row_misses"] = misses.into();
                object["turns"] = of.map(|partition| partition.turns).sum::<u64>().into();
            }
            object
        });
        let partitions: Vec<_> = partitions.collect();
        let clients: Map<String, Value> = Client::ALL
            .iter()
            .map(|client| {
                let bytes: u64 = self.frames.iter().flat_map(|frame| frame.memory.bytes_of(*client)).sum();
                (client.name().replace('-', "_"), bytes.into())
            })
            .collect();
        let most = totals.iter().max().copied().unwrap_or(0) * totals.len() as u64;
        json!({
            "partitions": partitions,
            "imbalance": ratio(most, totals.iter().sum()),
            "clients": clients,
            "peak_bytes_per_second": machine.memory_bytes_per_second(),
        })
    }

    /// The draws whose vertices other processors run than those of the machine, or processors that execute in order.
    fn vertex(&self) -> Option<Value> {
        let draws = self.draws.iter().enumerate();
        let draws = draws.filter_map(|(number, draw)| Some((number, draw.programs.vertices()?)));
        let draws = draws.filter(|(_, vertices)| !vertices.is_of_machine || !vertices.units.is_empty());
        let draws: Vec<_> = draws.map(|(number, found)| with("draw", number, vertices(found))).collect();
        (!draws.is_empty()).then(|| json!({ "draws": draws }))
    }

    /// The warps of draws on a unified processor, and the balance of its work over each frame.
    fn processor(&self, machine: &TeslaMachine) -> Value {
        let draws = self.draws.iter().enumerate();
        let draws =
            draws.filter_map(|(number, draw)| Some(with("draw", number, warps(draw.programs.warps()?, machine))));
        let frames = self.frames.iter().map(|frame| {
            let part =
                |stage: usize| frame.balance.iter().map(|BalanceSlice { stages }| stages[stage]).collect::<Vec<_>>();
            let balance: Map<String, Value> =
                STAGE_KEYS.iter().zip(0..).map(|(key, stage)| ((*key).to_owned(), part(stage).into())).collect();
            json!({ "frame": frame.number, "balance": balance })
        });
        json!({
            "parameters": {
                "multiprocessors": machine.multiprocessors(),
                "clusters": machine.processor.clusters,
                "warps_of_a_multiprocessor": machine.multiprocessor.warps,
                "processor_mhz": machine.clocks.processor_mhz,
            },
            "draws": draws.collect::<Vec<_>>(),
            "frames": frames.collect::<Vec<_>>(),
        })
    }

    /// The tiles that frames leave, with depth surfaces separate, and those that draws and clears move.
    fn compression(&self, machine: &Machine) -> Option<Value> {
        let mut left = SurfaceTraffic::default();
        self.frames.iter().for_each(|frame| left.add(&frame.left));
        let moved = |traffic: &SurfaceTraffic, key: &str, number: usize| {
            let mut object = json!({ key: number });
            for (surface, traffic) in [("depth", traffic.depth), ("color", traffic.color)] {
                if let Some(traffic) = traffic {
                    object[surface] = tiles(&traffic);
                }
            }
            object
        };
        let draws = self.draws.iter().enumerate().filter(|(_, draw)| !draw.compression.is_empty());
        let draws: Vec<_> = draws.map(|(number, draw)| moved(&draw.compression, "draw", number)).collect();
        let clears = self.others.iter().filter(|other| !other.compression.is_empty());
        let clears: Vec<_> = clears.map(|other| moved(&other.compression, "before_draw", other.before_draw)).collect();
        if left.is_empty() && draws.is_empty() && clears.is_empty() {
            return None;
        }
        let mut compression = tiles(&left.depth.unwrap_or_default());
        if let Some(color) = left.color {
            compression["color"] = tiles(&color);
        }
        compression["draws"] = draws.into();
        compression["clears"] = clears.into();
        compression["assumed_ratio"] = machine.compression.assumed_ratio.into();
        Some(compression)
    }
}

fn tiles(traffic: &TileTraffic) -> Value {
    let uncompressed = traffic.bytes_uncompressed();
    json!({
        "tiles": traffic.tiles, "compressed": traffic.compressed, "bytes": traffic.bytes,
        "bytes_uncompressed": uncompressed, "bytes_saved": uncompressed - traffic.bytes,
        "ratio": ratio(uncompressed, traffic.bytes),
    })
}

/// A quotient; 1 if the denominator is zero.
fn ratio(numerator: u64, denominator: u64) -> f64 {
    if denominator == 0 { 1.0 } else { numerator as f64 / denominator as f64 }
}

fn with(key: &str, number: usize, mut object: Value) -> Value {
    object[key] = number.into();
    object
}

fn levels(counts: &LevelCounts) -> Value {
    json!({ "first": level(&counts.first), "second": level(&counts.second) })
}

fn level(counts: &CacheCounts) -> Value {
    json!({
        "accesses": counts.accesses(), "hits": counts.hits, "cold": counts.cold, "capacity": counts.capacity,
        "conflict": counts.conflict,
    })
}

fn cache(parameters: &super::super::texture_cache::CacheParameters) -> Value {
    json!({ "size_bytes": parameters.size_bytes, "line_bytes": parameters.line_bytes, "ways": parameters.ways })
}

fn rejection((number, draw): (usize, &ModelledDraw)) -> Value {
    let rejection = &draw.rejection;
    json!({
        "draw": number, "tiles": rejection.counts.tiles, "tiles_rejected": rejection.counts.tiles_rejected,
        "fragments_rejected": rejection.counts.fragments_rejected, "disabled_by": rejection.disabled_by,
    })
}

fn vertices(vertices: &DrawVertices) -> Value {
    let cycles = vertices.clocks.total();
    json!({
        "machine": vertices.machine,
        "vertex_units": vertices.vertex_units,
        "cache_entries": vertices.cache_entries,
        "cache_hits": vertices.cache_hits,
        "vertices": vertices.transformed,
        "instructions": vertices.clocks.instructions,
        "cycles": cycles,
        "cycles_by_cause": vertices.clocks,
        "vertices_per_clock": ratio(vertices.transformed * u64::from(vertices.vertex_units), cycles),
        "units": vertices.units,
    })
}

/// The names of stages in files, in the order of [`STAGES`](super::STAGES).
const STAGE_KEYS: [&str; 3] = ["vertex", "geometry", "fragment"];

/// The warps of a draw. Clocks are those of the processor, summed over multiprocessors but for `cycles`.
fn warps(warps: &DrawWarps, machine: &TeslaMachine) -> Value {
    let stages = STAGE_KEYS.iter().zip(&warps.stages).filter(|(_, stage)| stage.warps != 0);
    let stages: Map<String, Value> = stages
        .map(|(key, stage)| {
            let value = json!({
                "warps": stage.warps,
                "threads": stage.threads,
                "scalar_cycles": stage.scalar_clocks,
                "special_cycles": stage.special_clocks,
                "interpolation_cycles": stage.interpolation_clocks,
                "registers": stage.registers,
                "resident_warps": stage.resident_warps,
                "occupancy": f64::from(stage.resident_warps) / f64::from(machine.multiprocessor.warps),
            });
            ((*key).to_owned(), value)
        })
        .collect();
    let idle = WaitCause::ALL.iter().zip(warps.time.idle).filter(|(_, clocks)| *clocks > 0.0);
    let idle: Map<String, Value> = idle.map(|(cause, clocks)| (cause.name().to_owned(), clocks.into())).collect();
    let least = warps.busy.iter().copied().fold(f64::INFINITY, f64::min);
    let most = warps.busy.iter().copied().fold(0.0, f64::max);
    json!({
        "cycles": warps.clocks,
        "stages": stages,
        "scalar_cycles": warps.time.scalar,
        "special_cycles": warps.time.special,
        "texture_cycles": warps.time.texture,
        "idle_cycles": idle,
        "busy_multiprocessor": { "least": if least.is_finite() { least } else { 0.0 }, "most": most },
    })
}

fn shading((number, shading): (usize, &DrawShading), machine: &Machine) -> Value {
    let slots = &shading.slots;
    json!({
        "draw": number,
        "passes_per_quad": if shading.quads == 0 { 0.0 } else { slots.passes as f64 / shading.quads as f64 },
        "cycles": shading.clocks,
        "divergence_cycles": shading.divergence_clocks,
        "batches": {
            "quads": machine.fragment.batch_quads,
            "count": shading.batches.batches,
            "branches_uniform_taken": shading.batches.uniform_taken,
            "branches_uniform_not_taken": shading.batches.uniform_not_taken,
            "branches_divergent": shading.batches.divergent,
        },
        "slots_used": slots.issued,
        "slots_idle": (4 * slots.passes).saturating_sub(slots.issued),
        "registers": f64::from(shading.half_registers) / 2.0,
        "quads_in_flight": shading.quads_in_flight,
    })
}

fn draw_time((number, draw): (usize, &ModelledDraw)) -> Value {
    with("draw", number, unit_time(&draw.loads, &draw.clocks))
}

fn other_time(other: &ModelledWork) -> Value {
    let mut object = with("before_draw", other.before_draw, unit_time(&other.loads, &other.clocks));
    object["frame"] = other.frame.into();
    object["work"] = other.work.into();
    object
}

fn unit_time(loads: &Loads, clocks: &UnitClocks) -> Value {
    let cycles: Map<String, Value> =
        clocks.iter().map(|(unit, clocks)| (unit.key().to_owned(), clocks.into())).collect();
    json!({
        "methods": loads.methods,
        "packets": loads.packets,
        "bytes_from_host": loads.bytes_from_host(),
        "bytes_to_host": loads.host_bytes,
        "memory_bytes": loads.memory.total(),
        "cycles": cycles,
        "bottleneck": clocks.bottleneck().map(|unit| unit.key()),
    })
}

/// A frame whose draws overlap completely; without any overlap it takes `cycles_apart`.
fn frame_time(frame: &ModelledFrame, machine: DrawingMachine<'_>) -> Value {
    let [together, apart] = frame.time.seconds(machine);
    let rate = |seconds: f64| if seconds > 0.0 { 1.0 / seconds } else { 0.0 };
    json!({
        "frame": frame.number,
        "cycles": frame.time.together(),
        "cycles_apart": frame.time.apart,
        "milliseconds": together * 1e3,
        "milliseconds_apart": apart * 1e3,
        "frames_per_second": rate(together),
        "frames_per_second_apart": rate(apart),
    })
}
