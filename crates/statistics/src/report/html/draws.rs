//! Writes the sections of a page that every file has: draws, frames, targets, and all counters of the run.

use std::fmt::Write;

use super::escape::escape;
use super::plot::{Bars, COLORS, Steps, figure, legend};
use super::table::{Cell, Kind, Table};
use crate::report::ReportError;
use crate::report::counters::Column;
use crate::report::counters::{Counters, columns};
use crate::report::file::{Draw, StatisticsFile, count, quad_instructions, surface_bytes};
use crate::report::models::{CacheDraw, ShaderDraw, TimeDraw, ZcullDraw, by_draw};
use crate::report::number::whole;

/// Most columns of a plot over draws.
const COLUMNS: usize = 900;

/// The most frames drawn as bars; more are drawn as steps.
const BARS: usize = 24;

/// Size of a plot over the whole width.
const WIDE: (u32, u32) = (1180, 220);

/// The plot of fragments over draws and the table of draws.
pub(super) fn draws(file: &StatisticsFile) -> Result<String, ReportError> {
    if file.draws.is_empty() {
        return Ok(String::new());
    }
    let work = file.draws.iter().map(|draw| fragments(&draw.counters));
    let plot = fragment_plot("draw", 0.0, work)?;
    let (_, unit) = file.costs();
    let caption = format!("Draws, those with the most {unit} first. A click on a title sorts.");
    Ok(plot + &draw_table(file).render(&caption))
}

/// Shaded fragments, and those that were not shaded.
fn fragments(counters: &Counters) -> [f64; 2] {
    let shaded = count(counters, "shading", "fragments");
    let rejected = count(counters, "raster", "fragments").saturating_sub(shaded);
    [shaded as f64, rejected as f64]
}

fn fragment_plot(axis: &str, first: f64, work: impl ExactSizeIterator<Item = [f64; 2]>) -> Result<String, ReportError> {
    let each = work.len().div_ceil(COLUMNS).max(1);
    let mut parts = [Vec::new(), Vec::new()];
    for (index, values) in work.enumerate() {
        for (part, value) in parts.iter_mut().zip(values) {
            match part.last_mut() {
                Some(sum) if index % each != 0 => *sum += value,
                _ => part.push(value),
            }
        }
    }
    let [shaded, rejected] = parts;
    let measure = if each == 1 { "fragments".to_owned() } else { format!("fragments of {each} {axis}s") };
    let steps = Steps {
        parts: &[(shaded, COLORS[0]), (rejected, COLORS[7])],
        axis: (axis, first, each as f64),
        measure: &measure,
    };
    Ok(figure(&format!("Fragments by {axis}"), &fragment_legend(), &steps.render(WIDE)?))
}

fn fragment_legend() -> String {
    legend(&[("shaded", COLORS[0]), ("rejected before shading", COLORS[7])])
}

/// Columns that draws, frames and targets share.
fn counter_columns(table: &mut Table) {
    table
        .column("Vertices", "transformed", Kind::Number(0), "Elements whose vertex was fetched and transformed")
        .column("Primitives", "set up", Kind::Number(0), "Primitives set up for the rasterizer")
        .column("Fragments", "", Kind::Number(0), "Covered pixels of primitives")
        .column("Shaded", "fragments", Kind::Number(0), "Fragments that fragment programs ran on")
        .column("Instructions", "of quads", Kind::Number(0), "Instructions that quads executed, of all classes")
        .column("Lookups", "of pixels", Kind::Number(0), "Texture lookups of pixels, helpers included")
        .column("Passed", "samples", Kind::Number(0), "Samples that passed all tests")
        .column("Traffic", "bytes", Kind::Number(0), "Bytes of color, depth and stencil, read and written");
}

fn counter_cells(counters: &Counters) -> [Cell; 8] {
    [
        count(counters, "vertices", "cache_misses").into(),
        count(counters, "primitives", "set_up").into(),
        count(counters, "raster", "fragments").into(),
        count(counters, "shading", "fragments").into(),
        quad_instructions(counters).into(),
        count(counters, "shading", "texture_lookups").into(),
        count(counters, "tests", "passed_samples").into(),
        surface_bytes(counters).into(),
    ]
}

/// The models' results for draws; missing models have no columns.
struct Modelled<'f> {
    time: Option<Vec<Option<&'f TimeDraw>>>,
    cache: Option<Vec<Option<&'f CacheDraw>>>,
    zcull: Option<Vec<Option<&'f ZcullDraw>>>,
    shader: Option<Vec<Option<&'f ShaderDraw>>>,
}

impl<'f> Modelled<'f> {
    fn new(file: &'f StatisticsFile) -> Self {
        let (models, draws) = (&file.models, file.draws.len());
        Self {
            time: models.time.as_ref().map(|model| by_draw(Some(&model.draws), draws, |row| row.draw)),
            cache: models.texture_cache.as_ref().map(|model| by_draw(Some(&model.draws), draws, |row| row.draw)),
            zcull: models.zcull.as_ref().map(|model| by_draw(Some(&model.draws), draws, |row| row.draw)),
            shader: models.shader.as_ref().map(|model| by_draw(Some(&model.draws), draws, |row| row.draw)),
        }
    }

    fn columns(&self, table: &mut Table) {
        if self.time.is_some() {
            table.column("Limited by", "", Kind::Unit, "The unit with the most cycles").column(
                "Time",
                "cycles",
                Kind::Number(0),
                "Cycles of the busiest unit",
            );
        }
        if self.cache.is_some() {
            table
                .column("Texture hits", "% of level 1", Kind::Number(1), "Hits of the first level of the texture cache")
                .column("Texels", "bytes", Kind::Number(0), "Bytes that the texture cache read from memory");
        }
        if self.zcull.is_some() {
            table.column("Z-culled", "fragments", Kind::Number(0), "Fragments of tiles that z-cull rejected");
        }
        if self.shader.is_some() {
            table.column("Passes", "per quad", Kind::Number(2), "Passes of a quad through the shader units");
        }
    }

    fn cells(&self, draw: usize) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::new();
        if let Some(rows) = &self.time {
            let row = rows[draw];
            cells.extend([row.and_then(|row| row.bottleneck.as_deref()).into(), row.map(TimeDraw::duration).into()]);
        }
        if let Some(rows) = &self.cache {
            let row = rows[draw];
            cells.push(row.and_then(|row| row.first.hit_rate()).into());
            cells.push(row.and_then(|row| row.memory_bytes).into());
        }
        if let Some(rows) = &self.zcull {
            cells.push(rows[draw].and_then(|row| row.fragments_rejected).into());
        }
        if let Some(rows) = &self.shader {
            cells.push(rows[draw].and_then(|row| row.passes_per_quad).into());
        }
        cells
    }
}

fn draw_table(file: &StatisticsFile) -> Table {
    let mut table = Table::new();
    let modelled = Modelled::new(file);
    table
        .column("Draw", "", Kind::Number(0), "In stream order, from 0")
        .column("Frame", "", Kind::Text, "")
        .column("Primitive", "", Kind::Text, "")
        .column("Target", "", Kind::Number(0), "A row of the table of targets");
    modelled.columns(&mut table);
    counter_columns(&mut table);
    let frames = file.frames_of_draws();
    for index in file.costliest() {
        let Draw { primitive, target, counters, .. } = &file.draws[index];
        let frame = frames[index].map(|frame| file.frames[frame].name());
        let mut row = vec![index.into(), frame.into(), primitive.as_str().into(), (*target).into()];
        row.extend(modelled.cells(index));
        row.extend(counter_cells(counters));
        table.row(row);
    }
    table
}

/// The plot of fragments over frames and the table of frames.
pub(super) fn frames(file: &StatisticsFile) -> Result<String, ReportError> {
    if file.frames.is_empty() {
        return Ok(String::new());
    }
    let numbered = || file.frames.iter().filter(|frame| frame.frame.is_some());
    let work = || numbered().map(|frame| fragments(&frame.counters));
    let plot = match numbered().count() {
        0..=2 => String::new(),
        3..=BARS => {
            let names: Vec<_> = numbered().map(super::super::file::Frame::name).collect();
            let (shaded, rejected) = work().map(|[shaded, rejected]| (shaded, rejected)).unzip();
            let parts = [(shaded, COLORS[0]), (rejected, COLORS[7])];
            let bars = Bars { names: &names, parts: &parts, measure: "fragments" };
            figure("Fragments by frame", &fragment_legend(), &bars.render(WIDE)?)
        }
        _ => {
            let first = numbered().find_map(|frame| frame.frame).unwrap_or(0) as f64;
            fragment_plot("frame", first, work().collect::<Vec<_>>().into_iter())?
        }
    };
    Ok(plot + &frame_table(file).render("Frames"))
}

fn frame_table(file: &StatisticsFile) -> Table {
    let times = file.models.time.as_ref().map(|time| &time.frames);
    let mut table = Table::new();
    table.column("Frame", "", Kind::Text, "'before' precedes the first frame");
    table.column("Draws", "", Kind::Number(0), "");
    if times.is_some() {
        table.column("Time", "cycles", Kind::Number(0), "Cycles that the chip takes for the frame");
        table
            .column("Time", "ms", Kind::Number(3), "If draws overlap as far as units are free")
            .column("Apart", "ms", Kind::Number(3), "If each draw waits for the previous one")
            .column("Rate", "frames/s", Kind::Number(1), "");
    }
    counter_columns(&mut table);
    table.column("Methods", "", Kind::Number(0), "").column("State", "changes", Kind::Number(0), "");
    table.column("Uploads", "bytes", Kind::Number(0), "Bytes that the host wrote");
    for frame in &file.frames {
        let mut row = vec![frame.name().into(), frame.draws.into()];
        if let Some(times) = times {
            let time = times.iter().find(|time| time.frame == frame.frame);
            row.push(time.and_then(|time| time.cycles).into());
            row.push(time.and_then(|time| time.milliseconds).into());
            row.push(time.and_then(|time| time.milliseconds_apart).into());
            row.push(time.and_then(|time| time.frames_per_second).into());
        }
        row.extend(counter_cells(&frame.counters));
        let stream = ["methods", "state_changes", "uploaded_bytes"];
        row.extend(stream.map(|name| count(&frame.counters, "stream", name).into()));
        table.row(row);
    }
    table
}

/// The table of targets.
pub(super) fn targets(file: &StatisticsFile) -> String {
    let mut table = Table::new();
    table
        .column("Target", "", Kind::Number(0), "In the order of their first use")
        .column("Surfaces", "", Kind::Text, "Surfaces that draws bound together")
        .column("Draws", "", Kind::Number(0), "");
    counter_columns(&mut table);
    for (index, target) in file.targets.iter().enumerate() {
        let mut row = vec![index.into(), target.surfaces.join(", ").into(), target.draws.into()];
        row.extend(counter_cells(&target.counters));
        table.row(row);
    }
    if table.is_empty() { String::new() } else { table.render("Surfaces that draws bound together") }
}

/// All counters of the run by group. Elements that are 0 are left out.
pub(super) fn counters(file: &StatisticsFile) -> String {
    let mut text = String::new();
    // A file of another program may have names without a letter.
    let (mut group, mut name) = (None, None);
    for column in columns([&file.counters]) {
        if group.as_ref() != Some(&column.group) {
            let close = if group.is_none() { "" } else { "</dl></section>\n" };
            let _ = write!(text, "{close}<section><h3>{}</h3><dl>", escape(&column.group));
            (group, name) = (Some(column.group.clone()), None);
        }
        let value = file.counters.get(&column).unwrap_or(0);
        let hint = column.summary().map(|summary| format!(" title=\"{}\"", escape(summary))).unwrap_or_default();
        let Column { element, .. } = &column;
        if name.as_ref() != Some(&column.name) {
            let sum = count(&file.counters, &column.group, &column.name);
            let _ = write!(text, "<dt{hint}>{}</dt><dd>{}</dd>", escape(&column.name.replace('_', " ")), whole(sum));
            name = Some(column.name.clone());
        }
        if !element.is_empty() && value > 0 {
            let _ = write!(text, "<dt class=\"part\">{}</dt><dd class=\"part\">{}</dd>", escape(element), whole(value));
        }
    }
    if text.is_empty() { text } else { format!("<div class=\"counters\">\n{text}</dl></section>\n</div>\n") }
}
