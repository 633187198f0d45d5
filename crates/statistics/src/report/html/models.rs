//! Writes the sections of a page that show the models' results.

use serde_json::Value;

use super::escape::escape;
use super::plot::{Bars, COLORS, curve, figure, legend};
use super::table::{Cell, Kind, Table};
use super::timeline::{UNITS, timeline};
use crate::report::ReportError;
use crate::report::file::{Machine, StatisticsFile};
use crate::report::models::{
    Compression, Level, Memory, Number, Parameters, Prefetch, Shader, TextureCache, Tiles, Time, Zcull,
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
    let mut table = Table::new();
    table
        .column("Part", "", Kind::Text, "")
        .column("Parameter", "", Kind::Text, "")
        .column("Value", "", Kind::Text, "")
        .column("Unit", "", Kind::Text, "")
        .column("Provenance", "", Kind::Text, "How it is known")
        .column("Source", "", Kind::Text, "Who says so");
    for (section, parameters) in &machine.parameters {
        for (name, parameter) in parameters {
            table.row(vec![
                section.replace('_', " ").into(),
                name.replace('_', " ").into(),
                plain(&parameter.value).into(),
                parameter.unit.as_deref().into(),
                parameter.provenance.as_deref().into(),
                parameter.source.as_deref().into(),
            ]);
        }
    }
    if table.is_empty() { String::new() } else { table.render("Parameters of the machine and their sources") }
}

/// The parameters of a model, in a collapsed section.
fn parameters(parameters: Option<&Parameters>) -> String {
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
    let all: f64 = time.draws.iter().map(super::super::models::TimeDraw::duration).sum();
    let mut table = Table::new();
    table
        .column("Unit", "", Kind::Unit, "")
        .column("Busy", "cycles", Kind::Number(0), "Cycles in which the unit is busy")
        .column("Busy", "% of time", Kind::Number(1), "Share of the cycles of all draws in which the unit is busy")
        .column("Limits", "draws", Kind::Number(0), "Draws that this unit limits")
        .column("Limits", "cycles", Kind::Number(0), "Cycles of these draws")
        .column("Limits", "% of time", Kind::Number(1), "Share of these cycles in the cycles of all draws");
    for (unit, _) in UNITS {
        let busy: f64 = time.draws.iter().filter_map(|draw| draw.cycles.get(unit)).sum();
        let limited = || time.draws.iter().filter(|draw| draw.bottleneck.as_deref() == Some(unit));
        let cycles: f64 = limited().map(super::super::models::TimeDraw::duration).sum();
        table.row(vec![
            unit.into(),
            busy.into(),
            percent(busy, all).into(),
            limited().count().into(),
            cycles.into(),
            percent(cycles, all).into(),
        ]);
    }
    let mut text = timeline(time, &frames)?;
    text.push_str(&table.render("Units of the chip in pipeline order"));
    text.push_str(&others(time));
    text.push_str(&parameters(time.parameters.as_ref()));
    Ok(text)
}

/// Work between draws, by kind: how often, and the cycles of each unit.
fn others(time: &Time) -> String {
    let kinds: std::collections::BTreeSet<&str> = time.others.iter().map(|other| other.work.as_str()).collect();
    let mut table = Table::new();
    table.column("Between draws", "", Kind::Text, "").column("Times", "", Kind::Number(0), "");
    for (unit, _) in UNITS {
        table.column("Busy cycles", &unit.replace('_', " "), Kind::Number(0), "");
    }
    for kind in kinds {
        let of_kind = || time.others.iter().filter(|other| other.work == kind);
        let mut row: Vec<Cell> = vec![kind.replace('_', " ").into(), of_kind().count().into()];
        row.extend(
            UNITS
                .iter()
                .map(|(unit, _)| Cell::from(of_kind().filter_map(|other| other.cycles.get(*unit)).sum::<f64>())),
        );
        table.row(row);
    }
    if table.is_empty() { String::new() } else { table.render("Clears, copies, uploads and the display") }
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

fn level_columns(table: &mut Table, name: &str) {
    table
        .column(name, "accesses", Kind::Number(0), "")
        .column(name, "% hits", Kind::Number(2), "")
        .column(name, "cold misses", Kind::Number(0), "Lines that were never cached before")
        .column(
            name,
            "capacity misses",
            Kind::Number(0),
            "Lines that a fully associative cache of this size would also miss",
        )
        .column(name, "conflict misses", Kind::Number(0), "Lines evicted only because of limited associativity");
}

fn level_cells(level: Option<&Level>) -> [Cell; 5] {
    let number = |number: OfLevel| level.and_then(number).into();
    [
        number(|l| l.accesses),
        number(Level::hit_rate),
        number(|l| l.cold),
        number(|l| l.capacity),
        number(|l| l.conflict),
    ]
}

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
    let mut table = Table::new();
    table.column("", "", Kind::Text, "");
    level_columns(&mut table, "Level 1");
    level_columns(&mut table, "Level 2");
    let mut all: Vec<Cell> = vec!["all units".into()];
    all.extend(level_cells(Some(&cache.levels.first)).into_iter().chain(level_cells(cache.levels.second.as_ref())));
    table.row(all);
    for unit in &cache.units {
        let mut row: Vec<Cell> = vec![format!("unit {}", unit.unit).into()];
        row.extend(level_cells(Some(&unit.first)).into_iter().chain(level_cells(unit.second.as_ref())));
        table.row(row);
    }
    let read = list(&result("Read from memory", cache.memory_bytes, bytes).into_iter().collect::<Vec<_>>());
    let table = table.render("Texture units");
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
    let mut table = Table::new();
    table
        .column("Partition", "", Kind::Number(0), "")
        .column("Reads", "", Kind::Number(0), "")
        .column("Writes", "", Kind::Number(0), "")
        .column("Traffic", "bytes", Kind::Number(0), "")
        .column("Rows", "hit", Kind::Number(0), "Accesses to an open row")
        .column("Rows", "missed", Kind::Number(0), "Accesses that opened a row")
        .column("Turns", "", Kind::Number(0), "Turnarounds between reads and writes")
        .column("Time", "cycles", Kind::Number(0), "");
    for (index, partition) in memory.partitions.iter().enumerate() {
        table.row(vec![
            index.into(),
            partition.reads.into(),
            partition.writes.into(),
            partition.bytes.into(),
            partition.row_hits.into(),
            partition.row_misses.into(),
            partition.turns.into(),
            partition.cycles.into(),
        ]);
    }
    let table = if table.is_empty() { String::new() } else { table.render("Partitions of the memory") };
    let parameters = parameters(memory.parameters.as_ref());
    Ok(format!("{}<div class=\"pair\">\n{plots}</div>\n{table}{parameters}", list(&results)))
}

/// Savings by compression of depth and color: of the surfaces that frames leave, and of what draws move.
pub(super) fn compression(compression: &Compression) -> String {
    let mut text = list(&tiles(&compression.depth, compression.assumed_ratio));
    if let Some(color) = &compression.color {
        text.push_str("<h3>Color of several samples</h3>\n");
        text.push_str(&list(&tiles(color, compression.assumed_ratio)));
    }
    let mut table = Table::new();
    table.column("Draw", "", Kind::Number(0), "");
    for surface in ["Depth", "Color"] {
        table
            .column(surface, "tiles", Kind::Number(0), "Tiles of the surface that were read or written")
            .column(surface, "% compressed", Kind::Number(1), "")
            .column(surface, "bytes saved", Kind::Number(0), "Bytes saved by compression")
            .column(surface, "ratio", Kind::Number(2), "Uncompressed bytes per compressed byte");
    }
    for draw in &compression.draws {
        let mut row: Vec<Cell> = vec![draw.draw.into()];
        for tiles in [&draw.depth, &draw.color] {
            let of = |number: fn(&Tiles) -> Number| tiles.as_ref().and_then(number);
            let compressed = of(|tiles| tiles.compressed).zip(of(|tiles| tiles.tiles));
            row.push(of(|tiles| tiles.tiles).into());
            row.push(compressed.and_then(|(part, all)| percent(part, all)).into());
            row.push(of(|tiles| tiles.bytes_saved).into());
            row.push(of(|tiles| tiles.ratio).into());
        }
        table.row(row);
    }
    text + &if table.is_empty() { String::new() } else { table.render("Tiles that draws move") }
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
    let sum =
        |number: fn(&super::super::models::ZcullDraw) -> Number| zcull.draws.iter().filter_map(number).sum::<f64>();
    let (tiles, rejected) = (sum(|draw| draw.tiles), sum(|draw| draw.tiles_rejected));
    let share = percent(rejected, tiles).map(|share| format!(" ({} %)", grouped(share, 1))).unwrap_or_default();
    let disabled = zcull.draws.iter().filter(|draw| !draw.disabled_by.is_empty()).count();
    let results = [
        ("Tiles visited".to_owned(), counted(tiles)),
        ("Tiles rejected".to_owned(), format!("{}{share}", counted(rejected))),
        ("Fragments rejected".to_owned(), counted(sum(|draw| draw.fragments_rejected))),
        ("Draws in which it was disabled".to_owned(), format!("{} of {}", scaled(disabled as f64), zcull.draws.len())),
    ];
    let mut table = Table::new();
    table
        .column("Draw", "", Kind::Number(0), "")
        .column("Tiles", "visited", Kind::Number(0), "")
        .column("Tiles", "rejected", Kind::Number(0), "")
        .column("Tiles", "% rejected", Kind::Number(1), "")
        .column("Fragments", "rejected", Kind::Number(0), "")
        .column("Disabled by", "", Kind::Text, "");
    for draw in &zcull.draws {
        table.row(vec![
            draw.draw.into(),
            draw.tiles.into(),
            draw.tiles_rejected.into(),
            draw.tiles_rejected.zip(draw.tiles).and_then(|(part, all)| percent(part, all)).into(),
            draw.fragments_rejected.into(),
            draw.disabled_by.join(", ").into(),
        ]);
    }
    list(&results) + &if table.is_empty() { String::new() } else { table.render("Z-cull by draw") }
}

/// How fragment programs use the shader units.
pub(super) fn shader(shader: &Shader) -> String {
    let mut table = Table::new();
    table
        .column("Draw", "", Kind::Number(0), "")
        .column("Passes", "per quad", Kind::Number(2), "Passes of a quad through the shader units")
        .column("Time", "cycles", Kind::Number(0), "")
        .column(
            "Divergence",
            "cycles",
            Kind::Number(0),
            "Additional cycles, as the quads of a batch execute all sides of its branches",
        )
        .column("Batch branches", "all take", Kind::Number(0), "Branches that all active pixels of a batch take")
        .column("Batch branches", "none takes", Kind::Number(0), "")
        .column("Batch branches", "diverge", Kind::Number(0), "Branches at which pixels of a batch diverge")
        .column("Slots", "used", Kind::Number(0), "Operation slots in use")
        .column("Slots", "idle", Kind::Number(0), "Idle operation slots")
        .column("Slots", "% used", Kind::Number(1), "")
        .column("Registers", "fp32×4", Kind::Number(1), "")
        .column("In flight", "quads", Kind::Number(0), "Quads for which the registers suffice");
    for draw in &shader.draws {
        let used = draw.slots_used.zip(draw.slots_idle).and_then(|(used, idle)| percent(used, used + idle));
        table.row(vec![
            draw.draw.into(),
            draw.passes_per_quad.into(),
            draw.cycles.into(),
            draw.divergence_cycles.into(),
            draw.batches.branches_uniform_taken.into(),
            draw.batches.branches_uniform_not_taken.into(),
            draw.batches.branches_divergent.into(),
            draw.slots_used.into(),
            draw.slots_idle.into(),
            used.into(),
            draw.registers.into(),
            draw.quads_in_flight.into(),
        ]);
    }
    if table.is_empty() { String::new() } else { table.render("Fragment programs by draw") }
}
