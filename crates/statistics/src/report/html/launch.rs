//! Writes the statistics of a kernel launch as one page.

use super::summary::Card;
use super::table::Table;
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
    let cards: String = cards.map(|(title, value, note)| Card { title, value, note }.render()).concat();
    format!("<div class=\"overview\"><dl class=\"cards\">\n{cards}</dl>\n</div>\n")
}

fn time(file: &LaunchFile) -> String {
    let time = &file.time;
    let occupied =
        [("scalar processors", time.scalar), ("special function units", time.special), ("memory bus", time.memory)];
    let occupied = occupied.map(|(unit, share)| (format!("{unit} occupied"), share));
    let idle = time.idle.iter().map(|(cause, share)| (format!("idle, waiting for: {cause}"), *share));
    let rows: Vec<_> = occupied.into_iter().chain(idle).collect();
    let mut table = Table::<&(String, f64)>::new();
    table
        .text("part of the time", |(part, _)| part.as_str())
        .number("share", "%", 1, |(_, share)| 100.0 * share)
        .hint("of the multiprocessors' clocks");
    table.render("Units work side by side; the multiprocessor idles while no unit is occupied.", &rows)
}

/// A quotient; nothing without a divisor.
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole != 0).then(|| part as f64 / whole as f64)
}

fn instructions(rows: &[LaunchInstruction]) -> String {
    let mut table = Table::<&LaunchInstruction>::new();
    table
        .text("address", |row| format!("{:06x}", row.address))
        .text("instruction", |row| row.text.as_str())
        .text("unit", |row| row.unit.as_str())
        .number("warps", "", 0, |row| row.counts.warps)
        .hint("executions by warps")
        .number("lanes", "", 1, |row| ratio(row.counts.executing, row.counts.warps))
        .hint("threads that execute it, of 32")
        .number("divergent", "", 0, |row| row.counts.divergent)
        .hint("branches whose threads took both ways")
        .number("shared", "passes", 2, |row| ratio(row.counts.shared_passes, row.counts.shared_half_warps))
        .hint("passes of a half-warp in shared memory")
        .number("constant", "passes", 2, |row| ratio(row.counts.constant_passes, row.counts.constant_half_warps))
        .hint("passes of a half-warp in the cache of constants")
        .number("coalesced", "%", 0, |row| {
            ratio(row.counts.coalesced.saturating_mul(100), row.counts.memory_half_warps)
        })
        .hint("half-warps whose accesses are coalesced")
        .number("transactions", "", 0, |row| row.counts.transactions)
        .hint("with the board's memory")
        .number("moved", "bytes", 0, |row| row.counts.bytes_moved)
        .hint("by transactions")
        .number("waits", "clocks", 1, |row| row.wait_clocks / row.counts.warps.max(1) as f64)
        .hint("of a warp for operands")
        .number("idle", "clocks", 0, |row| row.idle_clocks)
        .hint("of all multiprocessors before it");
    table.render("Counts of all executions; a click on a title sorts.", rows)
}

fn partitions(bytes: &[u64]) -> String {
    let mut table = Table::<(usize, &u64)>::new();
    table
        .text("partition", |(number, _)| number.to_string())
        .number("moved", "bytes", 0, |(_, bytes)| *bytes)
        .hint("without local memory");
    table.render("Partitions take blocks of 256 bytes in turn.", bytes.iter().enumerate())
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
