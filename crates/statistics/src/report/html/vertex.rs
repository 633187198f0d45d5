//! Writes the section of a page that shows how vertices occupy the processors of other chips.

use std::collections::BTreeMap;

use super::table::{Kind, Table};
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
    let mut table = Table::new();
    table
        .column("Draw", "", Kind::Number(0), "")
        .column("Machine", "", Kind::Text, "The machine with the processors")
        .column("Processors", "", Kind::Number(0), "")
        .column("Vertex cache", "entries", Kind::Number(0), "Entries of the post-transform cache that the draw can hit")
        .column("Vertex cache", "% hits", Kind::Number(1), "")
        .column("Vertices", "transformed", Kind::Number(0), "")
        .column("Rate", "vertices/clock", Kind::Number(3), "Vertices of all processors per clock")
        .column(
            "Cycles",
            "all",
            Kind::Number(0),
            "Cycles of one processor over all vertices, at the clock rate of the machine",
        );
    for (cause, hint) in CAUSES {
        table.column("Cycles", &cause.replace('_', " "), Kind::Number(0), hint);
    }
    for draw in &vertex.draws {
        let mut row = vec![
            draw.draw.into(),
            draw.machine.as_deref().into(),
            draw.vertex_units.into(),
            draw.cache_entries.into(),
            draw.cache_hits.zip(draw.vertices).and_then(|(hits, misses)| percent(hits, hits + misses)).into(),
            draw.vertices.into(),
            draw.vertices_per_clock.into(),
            draw.cycles.into(),
        ];
        row.extend(CAUSES.map(|(cause, _)| draw.cycles_by_cause.get(cause).copied().into()));
        table.row(row);
    }
    let table = if table.is_empty() { String::new() } else { table.render("Vertex processors by draw") };
    table + &arithmetic_units(&vertex.draws)
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
    let mut table = Table::new();
    table
        .column("Machine", "", Kind::Text, "")
        .column("Arithmetic unit", "", Kind::Text, "")
        .column("Busy", "unit-cycles", Kind::Number(0), "Cycles in which a unit of the kind is busy")
        .column("Busy", "%", Kind::Number(1), "Share of the cycles of all units of the kind");
    for ((machine, unit), [busy, available]) in kinds {
        table.row(vec![machine.into(), unit.into(), busy.into(), percent(busy, available).into()]);
    }
    if table.is_empty() { String::new() } else { table.render("Arithmetic units of vertex processors") }
}
