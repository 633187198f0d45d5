//! Writes statistics as a short table for a terminal: one line per frame, and the most expensive draws.

use std::fmt::Write;

use super::counters::Counters;
use super::file::{CUT_OFF, StatisticsFile, count, surface_bytes};
use super::models::TimeDraw;
use super::number::{grouped, printable, whole};
use crate::plural::counted;

/// The most frames listed.
const FRAMES: usize = 24;

/// Draws that are listed.
const DRAWS: usize = 10;

/// The table.
#[must_use]
pub fn text(file: &StatisticsFile) -> String {
    let (draws, frames) = (whole(file.draws.len() as u64), whole(file.frame_count() as u64));
    let modeled = if file.models.time.is_some() { "; times are modeled, not measured" } else { "" };
    let mut text = format!("{}: draws {draws}, frames {frames}{modeled}\n\n", printable(&file.machine.name));
    text.push_str(&frame_table(file));
    let (_, unit) = file.costs();
    let _ = write!(text, "\nDraws with the most {unit}\n\n");
    text.push_str(&draw_table(file));
    if file.models.is_cut_off {
        let _ = writeln!(text, "\n{CUT_OFF}");
    }
    let differing = file.differing_sums();
    if !differing.is_empty() {
        let _ = writeln!(text, "\nThe sum over draws differs from the run: {}", printable(&differing.join(", ")));
    }
    text
}

const COUNTERS: [&str; 6] = ["vertices", "primitives", "fragments", "shaded", "lookups", "surface bytes"];

fn counters(counters: &Counters) -> [u64; 6] {
    [
        count(counters, "vertices", "cache_misses"),
        count(counters, "primitives", "set_up"),
        count(counters, "raster", "fragments"),
        count(counters, "shading", "fragments"),
        count(counters, "shading", "texture_lookups"),
        surface_bytes(counters),
    ]
}

fn frame_table(file: &StatisticsFile) -> String {
    let times = file.models.time.as_ref().map(|time| time.frames.as_slice());
    let mut rows = vec![titles(&["frame", "draws"], times.map_or(&[], |_| &["ms", "frames/s"]))];
    for frame in file.frames.iter().take(FRAMES) {
        let mut row = vec![frame.name(), whole(frame.draws as u64)];
        row.extend(counters(&frame.counters).map(whole));
        if let Some(times) = times {
            let time = times.iter().find(|time| time.frame == frame.frame);
            row.push(decimal(time.and_then(|time| time.milliseconds), 3));
            row.push(decimal(time.and_then(|time| time.frames_per_second), 1));
        }
        rows.push(row);
    }
    let mut run = vec!["run".to_owned(), whole(file.draws.len() as u64)];
    run.extend(counters(&file.counters).map(whole));
    if let Some(times) = times {
        run.extend([decimal(times.iter().map(|time| time.milliseconds).sum(), 3), String::new()]);
    }
    rows.push(run);
    let mut text = aligned(&rows, 0);
    if file.frames.len() > FRAMES {
        let _ = writeln!(text, "({})", counted(whole((file.frames.len() - FRAMES) as u64), "more frame"));
    }
    text
}

fn draw_table(file: &StatisticsFile) -> String {
    let has_times = file.models.time.is_some();
    let (frames, results) = (file.frames_of_draws(), file.models.by_draw(file.draws.len()));
    let after: &[&str] = if has_times { &["cycles", "bottleneck"] } else { &[] };
    let mut rows = vec![titles(&["draw", "frame", "primitive"], after)];
    for index in file.costliest().into_iter().take(DRAWS) {
        let draw = &file.draws[index];
        let frame = frames[index].map(|frame| file.frames[frame].name()).unwrap_or_default();
        let mut row = vec![index.to_string(), frame, printable(&draw.primitive)];
        row.extend(counters(&draw.counters).map(whole));
        if has_times {
            let time = results[index].time;
            row.push(decimal(time.map(TimeDraw::duration), 0));
            row.push(printable(time.and_then(|time| time.bottleneck.as_deref()).unwrap_or_default()));
        }
        rows.push(row);
    }
    aligned(&rows, 2)
}

fn titles(before: &[&str], after: &[&str]) -> Vec<String> {
    [before, &COUNTERS, after].concat().into_iter().map(str::to_owned).collect()
}

fn decimal(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| grouped(value, digits))
}

/// A table of rows in right-aligned columns, except for the column `words`, which is left-aligned.
#[must_use]
pub fn aligned(rows: &[Vec<String>], words: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<_> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if column == 0 { "" } else { "  " };
            let _ = match column == words {
                true => write!(line, "{gap}{cell:<width$}"),
                false => write!(line, "{gap}{cell:>width$}"),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
