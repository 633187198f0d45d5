//! Writes the sections of a page that every file has: draws, frames, targets, and all counters of the run.

use std::fmt::Write;

use super::escape::escape;
use super::plot::{Bars, COLORS, Steps, figure, legend};
use super::processor::{has_threads, lanes};
use super::table::Table;
use crate::report::ReportError;
use crate::report::counters::{Column, Counters, columns};
use crate::report::file::{Draw, Frame, StatisticsFile, Target, count, quad_instructions, surface_bytes};
use crate::report::models::{DrawResults, TimeDraw, TimeFrame};
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
    Ok(plot + &draw_table(file, &caption))
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

/// Adds the columns that draws, frames and targets share; warps execute the instructions of a run that has threads.
fn counter_columns<'table, 'f, R: Copy + 'f>(
    table: &'table mut Table<'f, R>,
    has_threads: bool,
    counters: impl Fn(R) -> &'f Counters + Copy + 'f,
) -> &'table mut Table<'f, R> {
    let sum = |group, name| move |row| count(counters(row), group, name);
    table
        .number("Vertices", "transformed", 0, sum("vertices", "cache_misses"))
        .hint("Elements whose vertex was fetched and transformed")
        .number("Primitives", "set up", 0, sum("primitives", "set_up"))
        .hint("Primitives set up for the rasterizer")
        .number("Fragments", "", 0, sum("raster", "fragments"))
        .hint("Covered pixels of primitives")
        .number("Shaded", "fragments", 0, sum("shading", "fragments"))
        .hint("Fragments that fragment programs ran on");
    if has_threads {
        table
            .number("Instructions", "of warps", 0, sum("processor", "warp_instructions"))
            .hint("Instructions that warps of all stages executed")
            .number("Lanes", "of 32", 2, move |row| lanes(counters(row)))
            .hint("Threads that execute an instruction of a warp, on average");
    } else {
        table
            .number("Instructions", "of quads", 0, move |row| quad_instructions(counters(row)))
            .hint("Instructions that quads executed, of all classes");
    }
    table
        .number("Lookups", "of pixels", 0, sum("shading", "texture_lookups"))
        .hint("Texture lookups of pixels, helpers included")
        .number("Passed", "samples", 0, sum("tests", "passed_samples"))
        .hint("Samples that passed all tests")
        .number("Traffic", "bytes", 0, move |row| surface_bytes(counters(row)))
        .hint("Bytes of color, depth and stencil, read and written")
}

/// A draw with its frame and the models' results for it.
#[derive(Clone, Copy)]
struct DrawRow<'f> {
    index: usize,
    frame: Option<&'f Frame>,
    draw: &'f Draw,
    results: DrawResults<'f>,
}

fn draw_table(file: &StatisticsFile, caption: &str) -> String {
    let models = &file.models;
    let mut table = Table::<DrawRow<'_>>::new();
    table
        .number("Draw", "", 0, |row| row.index)
        .hint("In stream order, from 0")
        .text("Frame", |row| row.frame.map(Frame::name))
        .text("Primitive", |row| row.draw.primitive.as_str())
        .number("Target", "", 0, |row| row.draw.target)
        .hint("A row of the table of targets");
    if models.time.is_some() {
        table
            .unit("Limited by", |row| row.results.time?.bottleneck.as_deref())
            .hint("The unit with the most cycles")
            .number("Time", "cycles", 0, |row| row.results.time.map(TimeDraw::duration))
            .hint("Cycles of the busiest unit");
    }
    if models.texture_cache.is_some() {
        table
            .number("Texture hits", "% of level 1", 1, |row| row.results.cache?.first.hit_rate())
            .hint("Hits of the first level of the texture cache")
            .number("Texels", "bytes", 0, |row| row.results.cache?.memory_bytes)
            .hint("Bytes that the texture cache read from memory");
    }
    if models.zcull.is_some() {
        table
            .number("Z-culled", "fragments", 0, |row| row.results.zcull?.fragments_rejected)
            .hint("Fragments of tiles that z-cull rejected");
    }
    if models.shader.is_some() {
        table
            .number("Passes", "per quad", 2, |row| row.results.shader?.passes_per_quad)
            .hint("Passes of a quad through the shader units");
    }
    counter_columns(&mut table, has_threads(&file.counters), |row| &row.draw.counters);
    let (frames, results) = (file.frames_of_draws(), models.by_draw(file.draws.len()));
    let rows = file.costliest().into_iter().map(|index| DrawRow {
        index,
        frame: frames[index].map(|frame| &file.frames[frame]),
        draw: &file.draws[index],
        results: results[index],
    });
    table.render(caption, rows)
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
            let names: Vec<_> = numbered().map(Frame::name).collect();
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
    Ok(plot + &frame_table(file))
}

fn frame_table(file: &StatisticsFile) -> String {
    let times = file.models.time.as_ref().map(|time| &time.frames);
    let mut table = Table::<(&Frame, Option<&TimeFrame>)>::new();
    table.text("Frame", |(frame, _)| frame.name()).hint("'before' precedes the first frame").number(
        "Draws",
        "",
        0,
        |(frame, _)| frame.draws,
    );
    if times.is_some() {
        table
            .number("Time", "cycles", 0, |(_, time)| time?.cycles)
            .hint("Cycles that the chip takes for the frame")
            .number("Time", "ms", 3, |(_, time)| time?.milliseconds)
            .hint("If draws overlap as far as units are free")
            .number("Apart", "ms", 3, |(_, time)| time?.milliseconds_apart)
            .hint("If each draw waits for the previous one")
            .number("Rate", "frames/s", 1, |(_, time)| time?.frames_per_second);
    }
    counter_columns(&mut table, has_threads(&file.counters), |(frame, _)| &frame.counters)
        .number("Methods", "", 0, |(frame, _)| count(&frame.counters, "stream", "methods"))
        .number("State", "changes", 0, |(frame, _)| count(&frame.counters, "stream", "state_changes"))
        .number("Uploads", "bytes", 0, |(frame, _)| count(&frame.counters, "stream", "uploaded_bytes"))
        .hint("Bytes that the host wrote");
    let time = |frame: &Frame| times?.iter().find(|time| time.frame == frame.frame);
    table.render("Frames", file.frames.iter().map(|frame| (frame, time(frame))))
}

/// The table of targets.
pub(super) fn targets(file: &StatisticsFile) -> String {
    let mut table = Table::<(usize, &Target)>::new();
    table
        .number("Target", "", 0, |(index, _)| index)
        .hint("In the order of their first use")
        .text("Surfaces", |(_, target)| target.surfaces.join(", "))
        .hint("Surfaces that draws bound together")
        .number("Draws", "", 0, |(_, target)| target.draws);
    counter_columns(&mut table, has_threads(&file.counters), |(_, target)| &target.counters);
    table.render("Surfaces that draws bound together", file.targets.iter().enumerate())
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
