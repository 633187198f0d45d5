//! Writes statistics as comma-separated values (RFC 4180): one row per draw, one column per counter and element.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::counters::{Column, columns};
use super::file::StatisticsFile;
use super::models::{DrawResults, Level, Models, Processor, VertexDraw};

/// A header and one row per draw. Counters come first, then the models' results for draws in columns that begin
/// with `models.`; a field is empty if a draw does not have the value.
#[must_use]
pub fn csv(file: &StatisticsFile) -> String {
    let columns: Vec<_> = columns(file.draws.iter().map(|draw| &draw.counters)).into_iter().collect();
    let results = model_columns(&file.models);
    let results_by_draw = file.models.by_draw(file.draws.len());
    let mut header: Vec<_> = ["draw", "frame", "primitive", "target"].map(str::to_owned).into();
    header.extend(columns.iter().map(Column::title));
    header.extend(results.iter().map(|(title, _)| title.clone()));
    let mut text = record(&header);
    let frames = file.frames_of_draws();
    for (index, draw) in file.draws.iter().enumerate() {
        let frame = frames[index].and_then(|frame| file.frames[frame].frame);
        let mut row = vec![index.to_string(), optional(frame), draw.primitive.clone(), draw.target.to_string()];
        row.extend(columns.iter().map(|column| optional(draw.counters.get(column))));
        row.extend(results.iter().map(|(_, field)| field(results_by_draw[index])));
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

/// What a column shows of the models' results for a draw.
type Field<'m> = Box<dyn Fn(DrawResults<'m>) -> String + 'm>;

/// The titles and fields of the models' results.
fn model_columns(models: &Models) -> Vec<(String, Field<'_>)> {
    let mut columns = Columns { model: "", columns: Vec::new() };
    if let Some(time) = &models.time {
        columns.model = "time";
        columns.add("bottleneck", |draw| draw.time?.bottleneck.as_ref());
        let units: BTreeSet<_> = time.draws.iter().flat_map(|row| row.cycles.keys()).collect();
        for unit in units {
            columns.add(&format!("cycles.{unit}"), move |draw| draw.time?.cycles.get(unit));
        }
    }
    if models.texture_cache.is_some() {
        columns.model = "texture_cache";
        columns.add_level("first", |draw| Some(&draw.cache?.first));
        columns.add_level("second", |draw| draw.cache?.second.as_ref());
        columns.add("memory_bytes", |draw| draw.cache?.memory_bytes);
    }
    if models.zcull.is_some() {
        columns.model = "zcull";
        columns.add("tiles", |draw| draw.zcull?.tiles);
        columns.add("tiles_rejected", |draw| draw.zcull?.tiles_rejected);
        columns.add("fragments_rejected", |draw| draw.zcull?.fragments_rejected);
        columns.add("disabled_by", |draw| Some(draw.zcull?.disabled_by.join("; ")));
    }
    if let Some(vertex) = &models.vertex {
        columns.model = "vertex";
        columns.add_vertex(&vertex.draws);
    }
    if models.shader.is_some() {
        columns.model = "shader";
        columns.add("passes_per_quad", |draw| draw.shader?.passes_per_quad);
        columns.add("cycles", |draw| draw.shader?.cycles);
        columns.add("slots_used", |draw| draw.shader?.slots_used);
        columns.add("slots_idle", |draw| draw.shader?.slots_idle);
        columns.add("registers", |draw| draw.shader?.registers);
        columns.add("quads_in_flight", |draw| draw.shader?.quads_in_flight);
    }
    if let Some(processor) = &models.processor {
        columns.model = "processor";
        columns.add_processor(processor);
    }
    columns.columns
}

/// The columns of the models so far, and the model of those that follow.
struct Columns<'m> {
    model: &'static str,
    columns: Vec<(String, Field<'m>)>,
}

impl<'m> Columns<'m> {
    fn add<V: ToString>(&mut self, name: &str, field: impl Fn(DrawResults<'m>) -> Option<V> + 'm) {
        self.columns.push((format!("models.{}.{name}", self.model), Box::new(move |draw| optional(field(draw)))));
    }

    fn add_level(&mut self, name: &str, level: fn(DrawResults<'m>) -> Option<&'m Level>) {
        self.add(&format!("{name}.accesses"), move |draw| level(draw)?.accesses);
        self.add(&format!("{name}.hits"), move |draw| level(draw)?.hits);
        self.add(&format!("{name}.cold"), move |draw| level(draw)?.cold);
        self.add(&format!("{name}.capacity"), move |draw| level(draw)?.capacity);
        self.add(&format!("{name}.conflict"), move |draw| level(draw)?.conflict);
    }

    fn add_processor(&mut self, processor: &'m Processor) {
        self.add("cycles", |draw| draw.processor?.cycles);
        self.add("scalar_cycles", |draw| draw.processor?.scalar_cycles);
        self.add("special_cycles", |draw| draw.processor?.special_cycles);
        self.add("texture_cycles", |draw| draw.processor?.texture_cycles);
        let causes: BTreeSet<_> = processor.draws.iter().flat_map(|row| row.idle_cycles.keys()).collect();
        for cause in causes {
            self.add(&format!("idle_cycles.{cause}"), move |draw| draw.processor?.idle_cycles.get(cause));
        }
        let stages: BTreeSet<_> = processor.draws.iter().flat_map(|row| row.stages.keys()).collect();
        for name in stages {
            let stage = move |draw: DrawResults<'m>| draw.processor?.stages.get(name);
            self.add(&format!("stages.{name}.warps"), move |draw| stage(draw)?.warps);
            self.add(&format!("stages.{name}.scalar_cycles"), move |draw| stage(draw)?.scalar_cycles);
            self.add(&format!("stages.{name}.special_cycles"), move |draw| stage(draw)?.special_cycles);
            self.add(&format!("stages.{name}.occupancy"), move |draw| stage(draw)?.occupancy);
        }
    }

    fn add_vertex(&mut self, draws: &'m [VertexDraw]) {
        self.add("machine", |draw| draw.vertex?.machine.as_ref());
        self.add("vertex_units", |draw| draw.vertex?.vertex_units);
        self.add("cache_entries", |draw| draw.vertex?.cache_entries);
        self.add("cache_hits", |draw| draw.vertex?.cache_hits);
        self.add("vertices", |draw| draw.vertex?.vertices);
        self.add("instructions", |draw| draw.vertex?.instructions);
        self.add("cycles", |draw| draw.vertex?.cycles);
        self.add("vertices_per_clock", |draw| draw.vertex?.vertices_per_clock);
        let causes: BTreeSet<_> = draws.iter().flat_map(|row| row.cycles_by_cause.keys()).collect();
        for cause in causes {
            self.add(&format!("cycles_by_cause.{cause}"), move |draw| draw.vertex?.cycles_by_cause.get(cause));
        }
        let units: BTreeSet<_> = draws.iter().flat_map(|row| row.units.iter().map(|unit| &unit.unit)).collect();
        for name in units {
            // Of several units of a name, the last counts.
            let unit = move |draw: DrawResults<'m>| draw.vertex?.units.iter().rfind(|unit| unit.unit == *name);
            self.add(&format!("units.{name}.busy"), move |draw| unit(draw)?.busy);
            self.add(&format!("units.{name}.available"), move |draw| unit(draw)?.available);
        }
    }
}
