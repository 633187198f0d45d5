//! Finds parameters of a machine that are legal individually but contradict each other.

use super::error::{Fault, FaultKind};
use super::parameters::Machine;

/// The most lines of a modeled cache.
const MAX_LINES: u32 = 32_768;

/// Finds all contradictions. A fault points at the last of its keys in `file`.
pub(super) fn contradictions(machine: &Machine, file: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut demand = |holds: bool, section: &str, keys: &[&str], message: String| {
        if !holds {
            faults.push(fault(machine, file, (section, keys), message));
        }
    };
    let texture = &machine.texture;
    for (keys, bytes, line, ways) in [
        (["l1_bytes", "l1_line_bytes", "l1_ways"], texture.l1_bytes, texture.l1_line_bytes, texture.l1_ways),
        (["l2_bytes", "l2_line_bytes", "l2_ways"], texture.l2_bytes, texture.l2_line_bytes, texture.l2_ways),
    ] {
        // A set has at most 4096 × 4096 bytes.
        let set = line * ways;
        let holds = bytes.is_multiple_of(set) && (bytes / set).is_power_of_two();
        let message = format!(
            "{bytes} bytes are not a power of two of sets: {ways} lines of {line} bytes make a set of {set} bytes"
        );
        demand(holds, "texture", &keys, message);
        let message = format!("{} lines exceed the limit of {MAX_LINES}", bytes / line);
        demand(bytes / line <= MAX_LINES, "texture", &keys, message);
    }
    let message = format!(
        "lines of the second level ({} bytes) are shorter than those of the first ({} bytes)",
        texture.l2_line_bytes, texture.l1_line_bytes
    );
    demand(texture.l2_line_bytes >= texture.l1_line_bytes, "texture", &["l1_line_bytes", "l2_line_bytes"], message);
    let vertex = &machine.vertex;
    let message = format!(
        "{} vertices in flight leave none of {} entries to hit",
        vertex.vertices_in_flight, vertex.cache_entries
    );
    let holds = vertex.vertices_in_flight < vertex.cache_entries;
    demand(holds, "vertex", &["cache_entries", "vertices_in_flight"], message);
    let memory = &machine.memory;
    let message = format!(
        "the data of a write comes later ({} clocks) than the data of a read ({} clocks)",
        memory.write_clocks, memory.read_clocks
    );
    demand(memory.write_clocks <= memory.read_clocks, "memory", &["read_clocks", "write_clocks"], message);
    faults
}

fn fault(machine: &Machine, file: &str, (section, keys): (&str, &[&str]), message: String) -> Fault {
    let involved = machine.parameters.iter().filter(|parameter| {
        let row = parameter.row;
        row.section == section && keys.contains(&row.key)
    });
    let last = involved.max_by_key(|parameter| (parameter.file == file, parameter.line, parameter.column));
    let last = last.expect("the keys are rows of the table");
    Fault {
        file: last.file.clone(),
        line: last.line,
        column: last.column,
        key: format!("{section}.{}", last.row.key),
        kind: FaultKind::Contradiction(message),
    }
}
