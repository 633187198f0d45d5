//! Writes statistics as comma-separated values (RFC 4180): one row per draw, one column per counter and element.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::counters::{Column, columns};
use super::file::StatisticsFile;
use super::models::{Number, by_draw};

/// A header and one row per draw. Counters come first, then the models' results for draws in columns that begin
/// with `models.`; a field is empty if a draw does not have the value.
#[must_use]
pub fn csv(file: &StatisticsFile) -> String {
    let columns: Vec<_> = columns(file.draws.iter().map(|draw| &draw.counters)).into_iter().collect();
    let models = Models::new(file);
    let mut header: Vec<_> = ["draw", "frame", "primitive", "target"].map(str::to_owned).into();
    header.extend(columns.iter().map(Column::title));
    header.extend(models.titles());
    let mut text = record(&header);
    let frames = file.frames_of_draws();
    for (index, draw) in file.draws.iter().enumerate() {
        let frame = frames[index].and_then(|frame| file.frames[frame].frame);
        let mut row = vec![index.to_string(), optional(frame), draw.primitive.clone(), draw.target.to_string()];
        row.extend(columns.iter().map(|column| optional(draw.counters.get(column))));
        row.extend(models.fields(index));
        text.push_str(&record(&row));
    }
    text
}

fn optional(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// One line, with quotes around fields that need them.
fn record(fields: &[String]) -> String {
    let mut line = String::new();
    for (index, field) in fields.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        if field.contains([',', '"', '\r', '\n']) {
            let _ = write!(line, "{comma}\"{}\"", field.replace('"', "\"\""));
        } else {
            let _ = write!(line, "{comma}{field}");
        }
    }
    line + "\r\n"
}

/// The models' results for draws.
struct Models<'f> {
    file: &'f StatisticsFile,
    units: Vec<&'f str>,
    time: Vec<Option<&'f super::models::TimeDraw>>,
    cache: Vec<Option<&'f super::models::CacheDraw>>,
    zcull: Vec<Option<&'f super::models::ZcullDraw>>,
    vertex: Vec<Option<&'f super::models::VertexDraw>>,
    causes: BTreeSet<&'f str>,
    arithmetic_units: BTreeSet<&'f str>,
    shader: Vec<Option<&'f super::models::ShaderDraw>>,
}

const LEVEL: [&str; 5] = ["accesses", "hits", "cold", "capacity", "conflict"];
const ZCULL: [&str; 4] = ["tiles", "tiles_rejected", "fragments_rejected", "disabled_by"];
const VERTEX: [&str; 8] = [
    "machine",
    "vertex_units",
    "cache_entries",
    "cache_hits",
    "vertices",
    "instructions",
    "cycles",
    "vertices_per_clock",
];
const SHADER: [&str; 6] = ["passes_per_quad", "cycles", "slots_used", "slots_idle", "registers", "quads_in_flight"];

impl<'f> Models<'f> {
    fn new(file: &'f StatisticsFile) -> Self {
        let (models, draws) = (&file.models, file.draws.len());
        let time = models.time.as_ref().map(|time| time.draws.as_slice());
        let vertex = models.vertex.as_ref().map(|vertex| vertex.draws.as_slice());
        let vertices = || vertex.unwrap_or_default().iter();
        let units: BTreeSet<_> = time.iter().flat_map(|rows| rows.iter().flat_map(|row| row.cycles.keys())).collect();
        Self {
            file,
            units: units.into_iter().map(String::as_str).collect(),
            time: by_draw(time, draws, |row| row.draw),
            cache: by_draw(models.texture_cache.as_ref().map(|model| &*model.draws), draws, |row| row.draw),
            zcull: by_draw(models.zcull.as_ref().map(|model| &*model.draws), draws, |row| row.draw),
            vertex: by_draw(vertex, draws, |row| row.draw),
            causes: vertices().flat_map(|row| row.cycles_by_cause.keys().map(String::as_str)).collect(),
            arithmetic_units: vertices().flat_map(|row| row.units.iter().map(|unit| unit.unit.as_str())).collect(),
            shader: by_draw(models.shader.as_ref().map(|model| &*model.draws), draws, |row| row.draw),
        }
    }

    fn titles(&self) -> Vec<String> {
        let models = &self.file.models;
        let mut titles = Vec::new();
        if models.time.is_some() {
            titles.push("models.time.bottleneck".to_owned());
            titles.extend(self.units.iter().map(|unit| format!("models.time.cycles.{unit}")));
        }
        if models.texture_cache.is_some() {
            for level in ["first", "second"] {
                titles.extend(LEVEL.map(|name| format!("models.texture_cache.{level}.{name}")));
            }
            titles.push("models.texture_cache.memory_bytes".to_owned());
        }
        if models.zcull.is_some() {
            titles.extend(ZCULL.map(|name| format!("models.zcull.{name}")));
        }
        if models.vertex.is_some() {
            titles.extend(VERTEX.map(|name| format!("models.vertex.{name}")));
            titles.extend(self.causes.iter().map(|cause| format!("models.vertex.cycles_by_cause.{cause}")));
            for unit in &self.arithmetic_units {
                titles.extend(["busy", "available"].map(|name| format!("models.vertex.units.{unit}.{name}")));
            }
        }
        if models.shader.is_some() {
            titles.extend(SHADER.map(|name| format!("models.shader.{name}")));
        }
        titles
    }

    /// As many as there are titles.
    fn fields(&self, draw: usize) -> Vec<String> {
        let models = &self.file.models;
        let mut fields = Vec::new();
        if models.time.is_some() {
            let row = self.time[draw];
            fields.push(optional(row.and_then(|row| row.bottleneck.as_ref())));
            fields.extend(self.units.iter().map(|unit| optional(row.and_then(|row| row.cycles.get(*unit)))));
        }
        if models.texture_cache.is_some() {
            let row = self.cache[draw];
            for level in [row.map(|row| &row.first), row.and_then(|row| row.second.as_ref())] {
                let number = |number: fn(&super::models::Level) -> Number| optional(level.and_then(number));
                fields.extend([number(|l| l.accesses), number(|l| l.hits), number(|l| l.cold)]);
                fields.extend([number(|l| l.capacity), number(|l| l.conflict)]);
            }
            fields.push(optional(row.and_then(|row| row.memory_bytes)));
        }
        if models.zcull.is_some() {
            let row = self.zcull[draw];
            let number = |number: fn(&super::models::ZcullDraw) -> Number| optional(row.and_then(number));
            fields.extend([number(|r| r.tiles), number(|r| r.tiles_rejected), number(|r| r.fragments_rejected)]);
            fields.push(optional(row.map(|row| row.disabled_by.join("; "))));
        }
        if models.vertex.is_some() {
            let row = self.vertex[draw];
            let number = |number: fn(&super::models::VertexDraw) -> Number| optional(row.and_then(number));
            fields.push(optional(row.and_then(|row| row.machine.as_ref())));
            fields.extend([number(|r| r.vertex_units), number(|r| r.cache_entries), number(|r| r.cache_hits)]);
            fields.extend([number(|r| r.vertices), number(|r| r.instructions), number(|r| r.cycles)]);
            fields.push(number(|r| r.vertices_per_clock));
            let cause = |cause: &&str| optional(row.and_then(|row| row.cycles_by_cause.get(*cause)));
            fields.extend(self.causes.iter().map(cause));
            let units = row.map_or(&[][..], |row| &row.units);
            let units: BTreeMap<_, _> = units.iter().map(|unit| (unit.unit.as_str(), unit)).collect();
            for name in &self.arithmetic_units {
                let unit = units.get(name);
                fields.extend([unit.and_then(|unit| unit.busy), unit.and_then(|unit| unit.available)].map(optional));
            }
        }
        if models.shader.is_some() {
            let row = self.shader[draw];
            let number = |number: fn(&super::models::ShaderDraw) -> Number| optional(row.and_then(number));
            fields.extend([number(|r| r.passes_per_quad), number(|r| r.cycles), number(|r| r.slots_used)]);
            fields.extend([number(|r| r.slots_idle), number(|r| r.registers), number(|r| r.quads_in_flight)]);
        }
        fields
    }
}
