//! Writes the section of a page that shows how vertices occupy the processors of other chips.

use std::collections::BTreeMap;

use super::table::Table;
use crate::report::models::{Vertex, VertexDraw};
use crate::report::number::percent;

/// Why a processor takes cycles, in pipeline order.
const CAUSES: [(&str, &str); 6] = [
    ("fill", "Cycles in which the pipeline fills at the start of programs"),
    ("instructions", "Instructions that vertices execute, a cycle each"),
    ("register_stalls", "Cycles in which instructions wait for registers"),
    ("unit_stalls", "Cycles in which instructions wait for arithmetic units"),
    ("refetch", "Cycles to fetch again where execution does not go on at the next instruction"),
    ("drain", "Cycles in which the last instructions of programs finish"),
];

/// The time of vertices by draw, and how busy the arithmetic units are.
pub(super) fn vertex_processors(vertex: &Vertex) -> String {
    let mut table = Table::<&VertexDraw>::new();
    table
        .number("Draw", "", 0, |draw| draw.draw)
        .text("Machine", |draw| draw.machine.as_deref())
        .hint("The machine with the processors")
        .number("Processors", "", 0, |draw| draw.vertex_units)
        .number("Vertex cache", "entries", 0, |draw| draw.cache_entries)
        .hint("Entries of the post-transform cache that the draw can hit")
        .number("Vertex cache", "% hits", 1, |draw| percent(draw.cache_hits?, draw.cache_hits? + draw.vertices?))
        .number("Vertices", "transformed", 0, |draw| draw.vertices)
        .number("Rate", "vertices/clock", 3, |draw| draw.vertices_per_clock)
        .hint("Vertices of all processors per clock")
        .number("Cycles", "all", 0, |draw| draw.cycles)
        .hint("Cycles of one processor over all vertices, at the clock rate of the machine");
    for (cause, hint) in CAUSES {
        let cycles = move |draw: &VertexDraw| draw.cycles_by_cause.get(cause).copied();
        table.number("Cycles", &cause.replace('_', " "), 0, cycles).hint(hint);
    }
    table.render("Vertex processors by draw", &vertex.draws) + &arithmetic_units(&vertex.draws)
}

/// The arithmetic units of each machine, over its draws.
fn arithmetic_units(draws: &[VertexDraw]) -> String {
    let mut kinds: BTreeMap<(Option<&str>, &str), [f64; 2]> = BTreeMap::new();
    for draw in draws {
        for unit in &draw.units {
            let [busy, available] = kinds.entry((draw.machine.as_deref(), &unit.unit)).or_default();
            *busy += unit.busy.unwrap_or(0.0);
            *available += unit.available.unwrap_or(0.0);
        }
    }
    let mut table = Table::<((Option<&str>, &str), [f64; 2])>::new();
    table
        .text("Machine", |((machine, _), _)| machine)
        .text("Arithmetic unit", |((_, unit), _)| unit)
        .number("Busy", "unit-cycles", 0, |(_, [busy, _])| busy)
        .hint("Cycles in which a unit of the kind is busy")
        .number("Busy", "%", 1, |(_, [busy, available])| percent(busy, available))
        .hint("Share of the cycles of all units of the kind");
    table.render("Arithmetic units of vertex processors", kinds)
}
