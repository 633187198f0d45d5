//! Writes the section of a page about the threads of SIMT programs.

use super::table::Table;
use crate::report::counters::{Column, Counters};
use crate::report::file::{StatisticsFile, count};

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

/// Threads and warps by stage, instructions by unit, and what models leave out.
pub(super) fn processor(file: &StatisticsFile) -> String {
    let counters = &file.counters;
    if !has_threads(counters) {
        return String::new();
    }
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
    let note = "<p class=\"note\">The models of texture caches, z-cull, shader units, memory and time are of chips without this \
        processor; they are left out.</p>\n";
    stages + &units + note
}
