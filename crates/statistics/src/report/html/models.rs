//! Writes the sections of a page that show the models' results.

use serde_json::Value;

use super::escape::escape;
use super::plot::{Bars, COLORS, curve, figure, legend};
use super::table::Table;
use super::timeline::{UNITS, timeline};
use crate::report::ReportError;
use crate::report::file::{Machine, MachineParameter, StatisticsFile};
use crate::report::models::{
    Compression, CompressionDraw, Level, Memory, Number, Parameters, Partition, Prefetch, Shader, ShaderDraw,
    TextureCache, Tiles, Time, TimeDraw, Zcull, ZcullDraw,
};
use crate::report::number::{bytes, grouped, percent, scaled};

/// Size of a plot beside another one.
const HALF: (u32, u32) = (580, 260);

/// A list of names and values.
fn list(entries: &[(String, String)]) -> String {
    let entry =
        |(name, value): &(String, String)| format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
    if entries.is_empty() {
        return String::new();
    }
    format!("<dl class=\"parameters\">{}</dl>\n", entries.iter().map(entry).collect::<String>())
}

/// A result with its unit, if there is one.
fn result(name: &str, value: Number, show: impl Fn(f64) -> String) -> Option<(String, String)> {
    Some((name.to_owned(), show(value?)))
}

fn counted(value: f64) -> String {
    grouped(value, if value.fract() == 0.0 { 0 } else { 2 })
}

/// A value as text for people.
fn plain(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), counted),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The machine parameters of the models, each with its source.
pub(super) fn machine(machine: &Machine) -> String {
    let mut table = Table::<(&str, &str, &MachineParameter)>::new();
    table
        .text("Part", |(section, ..)| section.replace('_', " "))
        .text("Parameter", |(_, name, _)| name.replace('_', " "))
        .text("Value", |(.., parameter)| plain(&parameter.value))
        .text("Unit", |(.., parameter)| parameter.unit.as_deref())
        .text("Provenance", |(.., parameter)| parameter.provenance.as_deref())
        .hint("How it is known")
        .text("Source", |(.., parameter)| parameter.source.as_deref())
        .hint("Who says so");
    let rows = machine.parameters.iter().flat_map(|(section, parameters)| {
        parameters.iter().map(move |(name, parameter)| (section.as_str(), name.as_str(), parameter))
    });
    table.render("Parameters of the machine and their sources", rows)
}

/// The parameters of a model, in a collapsed section.
pub(super) fn parameters(parameters: Option<&Parameters>) -> String {
    fn flatten(name: &str, value: &Value, entries: &mut Vec<(String, String)>) {
        match value {
            Value::Object(members) => {
                // A value with its provenance takes one line.
                let provenance = members.get("provenance").and_then(Value::as_str);
                if let (Some(value), Some(provenance)) = (members.get("value"), provenance) {
                    entries.push((name.to_owned(), format!("{} ({provenance})", plain(value))));
                    return;
                }
                members.iter().for_each(|(key, value)| flatten(&format!("{name} {key}"), value, entries));
            }
            other => entries.push((name.to_owned(), plain(other))),
        }
    }
    let mut entries = Vec::new();
    for (name, value) in parameters.into_iter().flatten() {
        flatten(name, value, &mut entries);
    }
    entries.iter_mut().for_each(|(name, _)| *name = name.replace('_', " "));
    if entries.is_empty() {
        return String::new();
    }
    format!("<details><summary>Parameters of the model</summary>{}</details>\n", list(&entries))
}

/// The timeline and the share of each unit.
pub(super) fn time(file: &StatisticsFile, time: &Time) -> Result<String, ReportError> {
    let drawing = file.frames.iter().filter(|frame| frame.draws > 0);
    let frames: Vec<_> = drawing.map(|frame| (frame.name(), frame.first_draw)).collect();
    let all: f64 = time.draws.iter().map(TimeDraw::duration).sum();
    let mut table = Table::<(&str, f64, usize, f64)>::new();
    table
        .unit("Unit", |(unit, ..)| unit)
        .number("Busy", "cycles", 0, |(_, busy, ..)| busy)
        .hint("Cycles in which the unit is busy")
        .number("Busy", "% of time", 1, |(_, busy, ..)| percent(busy, all))
        .hint("Share of the cycles of all draws in which the unit is busy")
        .number("Limits", "draws", 0, |(_, _, draws, _)| draws)
        .hint("Draws that this unit limits")
        .number("Limits", "cycles", 0, |(.., cycles)| cycles)
        .hint("Cycles of these draws")
        .number("Limits", "% of time", 1, |(.., cycles)| percent(cycles, all))
        .hint("Share of these cycles in the cycles of all draws");
    let rows = UNITS.map(|(unit, _)| {
        let busy = time.draws.iter().filter_map(|draw| draw.cycles.get(unit)).sum();
        let limited = time.draws.iter().filter(|draw| draw.bottleneck.as_deref() == Some(unit));
        (unit, busy, limited.clone().count(), limited.map(TimeDraw::duration).sum())
    });
    let mut text = timeline(time, &frames)?;
    text.push_str(&table.render("Units of the chip in pipeline order", rows));
    text.push_str(&others(time));
    text.push_str(&parameters(time.parameters.as_ref()));
    Ok(text)
}

/// Work between draws, by kind: how often, and the cycles of each unit.
fn others(time: &Time) -> String {
    let kinds: std::collections::BTreeSet<&str> = time.others.iter().map(|other| other.work.as_str()).collect();
    let of_kind = |kind| time.others.iter().filter(move |other| other.work == kind);
    let mut table = Table::<&str>::new();
    table.text("Between draws", |kind| kind.replace('_', " ")).number("Times", "", 0, |kind| of_kind(kind).count());
    for (unit, _) in UNITS {
        let busy = move |kind| of_kind(kind).filter_map(|other| other.cycles.get(unit)).sum::<f64>();
        table.number("Busy cycles", &unit.replace('_', " "), 0, busy);
    }
    table.render("Clears, copies, uploads and the display", kinds)
}

/// A number of a level of a cache.
type OfLevel = fn(&Level) -> Number;

/// Outcomes of accesses to a level of a cache, with their colors.
const OUTCOMES: [(&str, OfLevel, usize); 4] = [
    ("hits", |level| level.hits, 0),
    ("cold misses", |level| level.cold, 4),
    ("capacity misses", |level| level.capacity, 1),
    ("conflict misses", |level| level.conflict, 3),
];

/// Hits and misses by level and unit.
pub(super) fn texture_cache(cache: &TextureCache) -> Result<String, ReportError> {
    let levels: Vec<_> = [("first level", Some(&cache.levels.first)), ("second level", cache.levels.second.as_ref())]
        .into_iter()
        .filter_map(|(name, level)| Some((name.to_owned(), level?)))
        .collect();
    let units: Vec<_> = cache.units.iter().map(|unit| (format!("unit {}", unit.unit), &unit.first)).collect();
    let accesses = |rows: &[(String, &Level)]| {
        let part = |(_, outcome, color): &(_, OfLevel, usize)| {
            (rows.iter().map(|(_, level)| outcome(level).unwrap_or(0.0)).collect(), COLORS[*color])
        };
        let names: Vec<_> = rows.iter().map(|(name, _)| name.clone()).collect();
        Bars { names: &names, parts: &OUTCOMES.iter().map(part).collect::<Vec<_>>(), measure: "accesses" }.render(HALF)
    };
    let legend = legend(&OUTCOMES.map(|(name, _, color)| (name, COLORS[color])));
    let mut plots = figure("Accesses by level", &legend, &accesses(&levels)?);
    if !units.is_empty() && units.len() <= 8 {
        plots.push_str(&figure("Accesses of the first level by texture unit", "", &accesses(&units)?));
    }
    let mut rows = vec![("all units".to_owned(), [Some(&cache.levels.first), cache.levels.second.as_ref()])];
    rows.extend(
        cache.units.iter().map(|unit| (format!("unit {}", unit.unit), [Some(&unit.first), unit.second.as_ref()])),
    );
    let mut table = Table::<&(String, [Option<&Level>; 2])>::new();
    table.text("", |(name, _)| name.as_str());
    for (number, title) in ["Level 1", "Level 2"].into_iter().enumerate() {
        table
            .number(title, "accesses", 0, move |(_, levels)| levels[number]?.accesses)
            .number(title, "% hits", 2, move |(_, levels)| levels[number]?.hit_rate())
            .number(title, "cold misses", 0, move |(_, levels)| levels[number]?.cold)
            .hint("Lines that were never cached before")
            .number(title, "capacity misses", 0, move |(_, levels)| levels[number]?.capacity)
            .hint("Lines that a fully associative cache of this size would also miss")
            .number(title, "conflict misses", 0, move |(_, levels)| levels[number]?.conflict)
            .hint("Lines evicted only because of limited associativity");
    }
    let read = list(&result("Read from memory", cache.memory_bytes, bytes).into_iter().collect::<Vec<_>>());
    let table = table.render("Texture units", &rows);
    Ok(format!("{read}<div class=\"pair\">\n{plots}</div>\n{table}{}", parameters(cache.parameters.as_ref())))
}

/// The cost of latency, and the depth of the fragment FIFO that hides it.
pub(super) fn prefetch(prefetch: &Prefetch) -> Result<String, ReportError> {
    let results: Vec<_> = [
        result("Cycles", prefetch.cycles, counted),
        result("Cycles without memory latency", prefetch.cycles_without_latency, counted),
        result("Share of the rate without latency", prefetch.rate, |rate| format!("{} %", grouped(100.0 * rate, 2))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut text = list(&results);
    if !prefetch.curve.is_empty() {
        let points: Vec<_> = prefetch.curve.iter().map(|point| (point.fragment_fifo, 100.0 * point.rate)).collect();
        let measures = ["entries of the fragment FIFO, on a logarithmic scale", "% of rate without latency"];
        let plot = curve(&points, 100.0, measures, (780, 280))?;
        text.push_str(&figure("Rate by depth of the fragment FIFO", "", &plot));
    }
    Ok(text + &parameters(prefetch.parameters.as_ref()))
}

/// Load of the partitions and their clients.
pub(super) fn memory(memory: &Memory) -> Result<String, ReportError> {
    let results: Vec<_> = [
        result("Busiest partition relative to the mean", memory.imbalance, |value| grouped(value, 3)),
        result("Peak rate", memory.peak_bytes_per_second, |value| format!("{}/s", bytes(value))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut plots = String::new();
    if !memory.partitions.is_empty() && memory.partitions.len() <= 16 {
        let names: Vec<_> = (0..memory.partitions.len()).map(|index| format!("partition {index}")).collect();
        let loads = memory.partitions.iter().map(|partition| partition.bytes.unwrap_or(0.0)).collect();
        let bars = Bars { names: &names, parts: &[(loads, COLORS[4])], measure: "bytes" };
        plots.push_str(&figure("Bytes by partition", "", &bars.render(HALF)?));
    }
    if !memory.clients.is_empty() && memory.clients.len() <= 16 {
        let names: Vec<_> = memory.clients.keys().map(|name| name.replace('_', " ")).collect();
        let loads = memory.clients.values().copied().collect();
        let bars = Bars { names: &names, parts: &[(loads, COLORS[0])], measure: "bytes" };
        plots.push_str(&figure("Bytes by client", "", &bars.render(HALF)?));
    }
    let mut table = Table::<(usize, &Partition)>::new();
    table
        .number("Partition", "", 0, |(index, _)| index)
        .number("Reads", "", 0, |(_, partition)| partition.reads)
        .number("Writes", "", 0, |(_, partition)| partition.writes)
        .number("Traffic", "bytes", 0, |(_, partition)| partition.bytes)
        .number("Rows", "hit", 0, |(_, partition)| partition.row_hits)
        .hint("Accesses to an open row")
        .number("Rows", "missed", 0, |(_, partition)| partition.row_misses)
        .hint("Accesses that opened a row")
        .number("Turns", "", 0, |(_, partition)| partition.turns)
        .hint("Turnarounds between reads and writes")
        .number("Time", "cycles", 0, |(_, partition)| partition.cycles);
    let table = table.render("Partitions of the memory", memory.partitions.iter().enumerate());
    let parameters = parameters(memory.parameters.as_ref());
    Ok(format!("{}<div class=\"pair\">\n{plots}</div>\n{table}{parameters}", list(&results)))
}

/// The tiles of one surface of a draw.
type SurfaceTiles = fn(&CompressionDraw) -> Option<&Tiles>;

/// Savings by compression of depth and color: of the surfaces that frames leave, and of what draws move.
pub(super) fn compression(compression: &Compression) -> String {
    let mut text = list(&tiles(&compression.depth, compression.assumed_ratio));
    if let Some(color) = &compression.color {
        text.push_str("<h3>Color of several samples</h3>\n");
        text.push_str(&list(&tiles(color, compression.assumed_ratio)));
    }
    let surfaces: [(&str, SurfaceTiles); 2] =
        [("Depth", |draw| draw.depth.as_ref()), ("Color", |draw| draw.color.as_ref())];
    let mut table = Table::<&CompressionDraw>::new();
    table.number("Draw", "", 0, |draw| draw.draw);
    for (surface, tiles) in surfaces {
        table
            .number(surface, "tiles", 0, move |draw| tiles(draw)?.tiles)
            .hint("Tiles of the surface that were read or written")
            .number(surface, "% compressed", 1, move |draw| percent(tiles(draw)?.compressed?, tiles(draw)?.tiles?))
            .number(surface, "bytes saved", 0, move |draw| tiles(draw)?.bytes_saved)
            .hint("Bytes saved by compression")
            .number(surface, "ratio", 2, move |draw| tiles(draw)?.ratio)
            .hint("Uncompressed bytes per compressed byte");
    }
    text + &table.render("Tiles that draws move", &compression.draws)
}

fn tiles(tiles: &Tiles, assumed: Number) -> Vec<(String, String)> {
    let share = |part: Number, all: Number| {
        part.zip(all).and_then(|(part, all)| percent(part, all)).map(|share| grouped(share, 1))
    };
    let of_tiles = share(tiles.compressed, tiles.tiles);
    let assumed = assumed.map(|assumed| format!(", {} : 1 assumed", grouped(assumed, 0))).unwrap_or_default();
    [
        result("Tiles", tiles.tiles, counted),
        result("Of these, compressed", tiles.compressed, |value| {
            of_tiles.as_ref().map_or_else(|| counted(value), |share| format!("{} ({share} %)", counted(value)))
        }),
        result("Without compression", tiles.bytes_uncompressed, bytes),
        result("With compression", tiles.bytes, bytes),
        result("Ratio", tiles.ratio, |value| format!("{} : 1{assumed}", grouped(value, 2))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What z-cull rejected, and what disabled it.
pub(super) fn zcull(zcull: &Zcull) -> String {
    let sum = |number: fn(&ZcullDraw) -> Number| zcull.draws.iter().filter_map(number).sum::<f64>();
    let (tiles, rejected) = (sum(|draw| draw.tiles), sum(|draw| draw.tiles_rejected));
    let share = percent(rejected, tiles).map(|share| format!(" ({} %)", grouped(share, 1))).unwrap_or_default();
    let disabled = zcull.draws.iter().filter(|draw| !draw.disabled_by.is_empty()).count();
    let results = [
        ("Tiles visited".to_owned(), counted(tiles)),
        ("Tiles rejected".to_owned(), format!("{}{share}", counted(rejected))),
        ("Fragments rejected".to_owned(), counted(sum(|draw| draw.fragments_rejected))),
        ("Draws in which it was disabled".to_owned(), format!("{} of {}", scaled(disabled as f64), zcull.draws.len())),
    ];
    let mut table = Table::<&ZcullDraw>::new();
    table
        .number("Draw", "", 0, |draw| draw.draw)
        .number("Tiles", "visited", 0, |draw| draw.tiles)
        .number("Tiles", "rejected", 0, |draw| draw.tiles_rejected)
        .number("Tiles", "% rejected", 1, |draw| percent(draw.tiles_rejected?, draw.tiles?))
        .number("Fragments", "rejected", 0, |draw| draw.fragments_rejected)
        .text("Disabled by", |draw| draw.disabled_by.join(", "));
    list(&results) + &table.render("Z-cull by draw", &zcull.draws)
}

/// How fragment programs use the shader units.
pub(super) fn shader(shader: &Shader) -> String {
    let used = |draw: &ShaderDraw| percent(draw.slots_used?, draw.slots_used? + draw.slots_idle?);
    let mut table = Table::<&ShaderDraw>::new();
    table
        .number("Draw", "", 0, |draw| draw.draw)
        .number("Passes", "per quad", 2, |draw| draw.passes_per_quad)
        .hint("Passes of a quad through the shader units")
        .number("Time", "cycles", 0, |draw| draw.cycles)
        .number("Divergence", "cycles", 0, |draw| draw.divergence_cycles)
        .hint("Additional cycles, as the quads of a batch execute all sides of its branches")
        .number("Batch branches", "all take", 0, |draw| draw.batches.branches_uniform_taken)
        .hint("Branches that all active pixels of a batch take")
        .number("Batch branches", "none takes", 0, |draw| draw.batches.branches_uniform_not_taken)
        .number("Batch branches", "diverge", 0, |draw| draw.batches.branches_divergent)
        .hint("Branches at which pixels of a batch diverge")
        .number("Slots", "used", 0, |draw| draw.slots_used)
        .hint("Operation slots in use")
        .number("Slots", "idle", 0, |draw| draw.slots_idle)
        .hint("Idle operation slots")
        .number("Slots", "% used", 1, used)
        .number("Registers", "fp32×4", 1, |draw| draw.registers)
        .number("In flight", "quads", 0, |draw| draw.quads_in_flight)
        .hint("Quads for which the registers suffice");
    table.render("Fragment programs by draw", &shader.draws)
}
