//! Writes the statistics of a kernel launch as one page.

use std::fmt::Write;

use super::escape::escape;
use super::table::{Cell, Kind, Table};
use super::{Section, assemble, models};
use crate::duration::duration;
use crate::report::launch_file::{LaunchFile, LaunchInstruction};
use crate::report::number::{grouped, whole};

/// The page of a launch; `name` says what was run.
#[must_use]
pub fn launch_page(file: &LaunchFile, name: &str) -> String {
    let sections = [
        Section { id: "time", title: "Time", body: time(file) },
        Section { id: "instructions", title: "Instructions", body: instructions(&file.instructions) },
        Section { id: "partitions", title: "Memory partitions", body: partitions(&file.partition_bytes) },
        Section { id: "machine", title: "Machine", body: models::machine(&file.machine) },
    ];
    let machine = file.machine.title.as_ref().unwrap_or(&file.machine.name);
    assemble([name, machine], &summary(file), &sections)
}

/// Cards with the main figures: what was launched, and what it did.
fn summary(file: &LaunchFile) -> String {
    let (launch, held, total, time) = (&file.launch, &file.occupancy, &file.total, &file.time);
    let sizes = |sizes: [u32; 3]| sizes.map(|size| size.to_string()).join(" × ");
    let cards = [
        ("Time", duration(time.seconds), format!("{} clocks", grouped(time.clocks, 0))),
        ("Limited by", time.bottleneck.clone(), String::new()),
        ("Blocks", sizes(launch.grid), format!("of {} threads", sizes(launch.block))),
        (
            "Warps on a multiprocessor",
            format!("{} of {}", held.warps, held.most_warps),
            format!("{} blocks, limited by {}", held.blocks, held.limited_by.join(", ")),
        ),
        (
            "Registers of a thread",
            launch.registers.to_string(),
            format!("{} bytes of local memory", launch.local_bytes),
        ),
        ("Shared memory of a block", format!("{} bytes", whole(launch.shared_bytes.into())), String::new()),
        ("Instructions of warps", whole(total.warps), format!("{} of threads", whole(total.executing))),
        ("Divergent branches", whole(total.divergent), format!("at most {} on the stack", total.stack_entries)),
        (
            "Bytes moved",
            whole(total.bytes_moved),
            format!(
                "{} asked; {} of {} half-warps coalesced",
                whole(total.bytes_asked),
                whole(total.coalesced),
                whole(total.memory_half_warps)
            ),
        ),
    ];
    let mut text = "<div class=\"overview\"><dl class=\"cards\">\n".to_owned();
    for (title, value, note) in cards {
        let note = if note.is_empty() { note } else { format!("<small>{}</small>", escape(&note)) };
        let _ = writeln!(text, "<div><dt>{title}</dt><dd>{}{note}</dd></div>", escape(&value));
    }
    text + "</dl>\n</div>\n"
}

fn time(file: &LaunchFile) -> String {
    let mut table = Table::new();
    table.column("part of the time", "", Kind::Text, "").column(
        "share",
        "%",
        Kind::Number(1),
        "of the multiprocessors' clocks",
    );
    let time = &file.time;
    let occupied =
        [("scalar processors", time.scalar), ("special function units", time.special), ("memory bus", time.memory)];
    for (unit, part) in occupied {
        table.row(vec![format!("{unit} occupied").into(), (100.0 * part).into()]);
    }
    for (cause, part) in &time.idle {
        table.row(vec![format!("idle, waiting for: {cause}").into(), (100.0 * part).into()]);
    }
    table.render("Units work side by side; the multiprocessor idles while no unit is occupied.")
}

/// A quotient; nothing without a divisor.
fn ratio(part: u64, whole: u64) -> Cell {
    if whole == 0 { Cell::Empty } else { (part as f64 / whole as f64).into() }
}

fn instructions(rows: &[LaunchInstruction]) -> String {
    let mut table = Table::new();
    table
        .column("address", "", Kind::Text, "")
        .column("instruction", "", Kind::Text, "")
        .column("unit", "", Kind::Text, "")
        .column("warps", "", Kind::Number(0), "executions by warps")
        .column("lanes", "", Kind::Number(1), "threads that execute it, of 32")
        .column("divergent", "", Kind::Number(0), "branches whose threads took both ways")
        .column("shared", "passes", Kind::Number(2), "passes of a half-warp in shared memory")
        .column("constant", "passes", Kind::Number(2), "passes of a half-warp in the cache of constants")
        .column("coalesced", "%", Kind::Number(0), "half-warps whose accesses are coalesced")
        .column("transactions", "", Kind::Number(0), "with the board's memory")
        .column("moved", "bytes", Kind::Number(0), "by transactions")
        .column("waits", "clocks", Kind::Number(1), "of a warp for operands")
        .column("idle", "clocks", Kind::Number(0), "of all multiprocessors before it");
    for row in rows {
        let counts = &row.counts;
        let coalesced = ratio(counts.coalesced.saturating_mul(100), counts.memory_half_warps);
        table.row(vec![
            format!("{:06x}", row.address).into(),
            row.text.as_str().into(),
            row.unit.as_str().into(),
            counts.warps.into(),
            ratio(counts.executing, counts.warps),
            counts.divergent.into(),
            ratio(counts.shared_passes, counts.shared_half_warps),
            ratio(counts.constant_passes, counts.constant_half_warps),
            coalesced,
            counts.transactions.into(),
            counts.bytes_moved.into(),
            (row.wait_clocks / counts.warps.max(1) as f64).into(),
            row.idle_clocks.into(),
        ]);
    }
    table.render("Counts of all executions; a click on a title sorts.")
}

fn partitions(bytes: &[u64]) -> String {
    let mut table = Table::new();
    table.column("partition", "", Kind::Text, "").column("moved", "bytes", Kind::Number(0), "without local memory");
    for (number, bytes) in bytes.iter().enumerate() {
        table.row(vec![number.to_string().into(), (*bytes).into()]);
    }
    table.render("Partitions take blocks of 256 bytes in turn.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction_counts::InstructionCounts;

    #[test]
    fn counts_of_any_size_have_a_page() {
        let counts = InstructionCounts { coalesced: u64::MAX, memory_half_warps: 1, ..InstructionCounts::default() };
        let (text, unit) = ("ld".to_owned(), "memory".to_owned());
        let row = LaunchInstruction { address: 0, text, unit, counts, wait_clocks: 0.0, idle_clocks: 0.0 };
        assert!(instructions(&[row]).contains("ld"));
    }
}
