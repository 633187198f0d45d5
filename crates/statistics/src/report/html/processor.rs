//! Writes the section of a page about the threads of SIMT programs, and their warps on a unified processor.

use super::models::parameters;
use super::plot::{COLORS, Steps, figure, legend};
use super::table::Table;
use crate::report::ReportError;
use crate::report::counters::{Column, Counters};
use crate::report::file::{StatisticsFile, count, frame_name};
use crate::report::models::{Processor, ProcessorDraw, ProcessorFrame, StageWarps};

/// The group of their counters.
const GROUP: &str = "processor";

/// The stages whose programs run threads.
const STAGES: [&str; 3] = ["vertex", "geometry", "fragment"];

/// Whether a run had such programs.
pub(super) fn has_threads(counters: &Counters) -> bool {
    count(counters, GROUP, "threads") != 0
}

/// An element of a counter.
fn element(counters: &Counters, name: &str, element: &str) -> u64 {
    let [group, name, element] = [GROUP, name, element].map(str::to_owned);
    counters.get(&Column { group, name, element }).unwrap_or(0)
}

/// A quotient; nothing without a divisor.
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole != 0).then(|| part as f64 / whole as f64)
}

/// Threads that execute an instruction of a warp, on average; nothing without instructions.
pub(super) fn lanes(counters: &Counters) -> Option<f64> {
    ratio(count(counters, GROUP, "thread_instructions"), count(counters, GROUP, "warp_instructions"))
}

/// Threads and warps by stage, instructions by unit, and the model of the processor if there is one.
pub(super) fn processor(file: &StatisticsFile) -> Result<String, ReportError> {
    if !has_threads(&file.counters) {
        return Ok(String::new());
    }
    let modeled = file.models.processor.as_ref().map(modeled).transpose()?;
    Ok(threads(&file.counters) + &modeled.unwrap_or_default())
}

/// The balance of the processor's work in the last frames, and the warps of each draw.
fn modeled(processor: &Processor) -> Result<String, ReportError> {
    let mut text = String::new();
    let first = processor.frames.len().saturating_sub(BALANCE_FRAMES);
    for frame in &processor.frames[first..] {
        text.push_str(&balance(frame)?);
    }
    let mut table = Table::<(&ProcessorDraw, &str, &StageWarps)>::new();
    table
        .number("Draw", "", 0, |(draw, ..)| draw.draw)
        .text("Program", |(_, name, _)| name)
        .number("Warps", "", 0, |(.., stage)| stage.warps)
        .number("Busy cycles", "scalar", 0, |(.., stage)| stage.scalar_cycles)
        .hint("Cycles in which the warps occupy the scalar processors, over all multiprocessors")
        .number("Busy cycles", "special", 0, |(.., stage)| stage.special_cycles)
        .hint("Cycles in which they occupy the special function units")
        .number("Busy cycles", "interpolation", 0, |(.., stage)| stage.interpolation_cycles)
        .hint("The part of these that interpolates attributes")
        .number("Registers", "of a thread", 0, |(.., stage)| stage.registers)
        .number("Resident", "warps", 0, |(.., stage)| stage.resident_warps)
        .hint("Warps that a multiprocessor holds")
        .number("Occupancy", "%", 0, |(.., stage)| stage.occupancy.map(|part| 100.0 * part));
    let rows = |draw| stages_of(draw).map(move |(name, stage)| (draw, name, stage));
    text.push_str(&table.render("Warps by draw and program", processor.draws.iter().flat_map(rows)));
    let mut table = Table::<&ProcessorDraw>::new();
    table
        .number("Draw", "", 0, |draw| draw.draw)
        .number("Time", "cycles", 0, |draw| draw.cycles)
        .hint("Cycles of the processor from the first instruction to the last")
        .number("Occupied", "scalar", 0, |draw| draw.scalar_cycles)
        .number("Occupied", "special", 0, |draw| draw.special_cycles)
        .number("Occupied", "texture", 0, |draw| draw.texture_cycles)
        .hint("Cycles of all multiprocessors together")
        .number("Idle", "cycles", 0, |draw| draw.idle_cycles.values().sum::<f64>())
        .hint("Cycles of all multiprocessors together in which all warps wait")
        .text("Waits for", |draw| {
            let most = draw.idle_cycles.iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
            most.map(|(cause, _)| cause.as_str())
        });
    text.push_str(&table.render("Multiprocessors by draw", &processor.draws));
    Ok(text + &parameters(processor.parameters.as_ref()))
}

/// The most frames whose balance is drawn, the last ones.
const BALANCE_FRAMES: usize = 4;

/// The stages of a draw in the order of the pipeline.
fn stages_of(draw: &ProcessorDraw) -> impl Iterator<Item = (&'static str, &StageWarps)> {
    STAGES.into_iter().filter_map(|name| Some((name, draw.stages.get(name)?)))
}

/// The shares of the processor that programs of each kind take over a frame.
fn balance(frame: &ProcessorFrame) -> Result<String, ReportError> {
    let part = |name: &str| -> Vec<f64> {
        let parts = frame.balance.get(name).map(Vec::as_slice).unwrap_or_default();
        parts.iter().map(|part| 100.0 * part).collect()
    };
    let parts = STAGES.map(part);
    let columns = parts.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return Ok(String::new());
    }
    let colors = [COLORS[2], COLORS[1], COLORS[0]];
    let legend = legend(&std::array::from_fn::<_, 3, _>(|stage| (STAGES[stage], colors[stage])));
    let parts: Vec<_> = parts.into_iter().zip(colors).collect();
    let axis = ("% of the time of the frame", 0.0, 100.0 / columns as f64);
    let plot = Steps { parts: &parts, axis, measure: "% of the processor" }.render((780, 220))?;
    Ok(figure(&format!("Work of the processor over frame {}", frame_name(frame.frame)), &legend, &plot))
}

/// Threads and warps by stage, and instructions by unit.
fn threads(counters: &Counters) -> String {
    let of = move |name: &'static str| move |stage: &str| element(counters, name, stage);
    let mut table = Table::<&str>::new();
    table
        .text("Stage", |stage| stage)
        .number("Threads", "", 0, of("threads"))
        .number("Warps", "", 0, of("warps"))
        .hint("Warps of 32 threads")
        .number("Instructions", "of warps", 0, of("warp_instructions"))
        .number("Instructions", "of threads", 0, of("thread_instructions"))
        .number("Lanes", "of 32", 2, |stage| {
            ratio(element(counters, "thread_instructions", stage), element(counters, "warp_instructions", stage))
        })
        .hint("Threads that execute an instruction of a warp, on average")
        .number("Divergent branches", "", 0, of("divergent_branches"))
        .hint("Branches whose threads took both ways")
        .number("Texture fetches", "of threads", 0, of("texture_fetches"));
    let stages = table.render("Threads of programs", STAGES);
    let all = count(counters, GROUP, "unit_instructions");
    let mut table = Table::<&str>::new();
    table.text("Unit", |unit| unit).number("Instructions", "of warps", 0, of("unit_instructions")).number(
        "Share",
        "%",
        1,
        |unit| ratio(element(counters, "unit_instructions", unit), all).map(|share| 100.0 * share),
    );
    let units = table.render("Instructions by unit", ["scalar", "special", "memory", "flow"]);
    stages + &units
}
