//! Writes the statistics of a launch: a JSON object, and a table with a row for each instruction.

use std::fmt::{Display, Formatter};

use curie_statistics::duration::duration;

use super::launch_model::{LaunchStatistics, float};
use super::timing::WaitCause;
use super::{InstructionCounts, LAUNCH_SCHEMA};
use crate::machine::TeslaMachine;
use crate::pipeline::launch::{Launch, Unit};
use crate::plural::counted;

/// The statistics of a launch with what they are about; displays as a table.
#[derive(Debug)]
pub struct LaunchReportPage<'run> {
    /// The machine.
    pub machine: &'run TeslaMachine,
    /// The launch.
    pub launch: &'run Launch,
    /// What it did.
    pub statistics: &'run LaunchStatistics,
}

impl LaunchReportPage<'_> {
    /// The object of `curie launch --statistics`.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let Self { machine, launch, statistics } = self;
        let instructions = launch.stage.program.instructions().iter().zip(&statistics.instructions).enumerate();
        let instructions = instructions.map(|(number, (found, counts))| {
            let instruction = &found.instruction;
            serde_json::json!({
                "address": instruction.address,
                "text": found.text,
                "unit": Unit::of(instruction).name(),
                "counts": counts,
                "wait_clocks": statistics.time.instruction_waits[number],
                "idle_clocks": statistics.time.instruction_idle[number],
            })
        });
        serde_json::json!({
            "schema": LAUNCH_SCHEMA,
            "machine": machine,
            "launch": {
                "grid": launch.grid,
                "block": launch.block,
                "registers": launch.stage.registers,
                "shared_bytes": launch.reserved_shared_bytes(),
                "local_bytes": launch.reserved_local_bytes(),
            },
            "occupancy": occupancy_json(statistics),
            "total": statistics.total(),
            "partition_bytes": statistics.partition_bytes,
            "time": self.time_json(),
            "instructions": instructions.collect::<Vec<_>>(),
        })
    }

    fn time_json(&self) -> serde_json::Value {
        let Self { machine, statistics, .. } = self;
        let parts = statistics.parts();
        let idle = WaitCause::ALL.map(|cause| (cause.name().to_owned(), parts.idle[cause as usize].into()));
        serde_json::json!({
            "clocks": statistics.clocks,
            "seconds": statistics.seconds(machine),
            "partition_clocks": statistics.partition_clocks,
            "busy_multiprocessors": statistics.busy_multiprocessors,
            "bottleneck": statistics.bottleneck().name(),
            "scalar": parts.scalar,
            "special": parts.special,
            "memory": parts.memory,
            "idle": serde_json::Map::from_iter(idle),
        })
    }
}

/// The occupancy as an object.
fn occupancy_json(statistics: &LaunchStatistics) -> serde_json::Value {
    let occupancy = &statistics.occupancy;
    serde_json::json!({
        "blocks": occupancy.blocks,
        "warps": occupancy.warps,
        "most_warps": occupancy.most_warps,
        "block_registers": occupancy.block_registers,
        "block_shared_bytes": occupancy.block_shared_bytes,
        "limited_by": occupancy.limiters.iter().map(|limiter| limiter.name()).collect::<Vec<_>>(),
    })
}

/// A quotient as text with two digits; a dash for none.
fn ratio(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.2}", float(part) / float(whole)) }
}

fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

/// The headings of the table of instructions.
const HEADINGS: [&str; 12] =
    ["address", "warps", "lanes", "diverg.", "stack", "shared", "const.", "coal.", "trans.", "moved", "waits", "idle"];

/// What the headings mean.
const LEGEND: &str = "\
lanes: threads that execute, of 32; shared, const.: passes of a half-warp; coal.: coalesced half-warps; trans.: transactions
moved: bytes moved for each byte asked; waits: clocks that a warp waits for operands; idle: of all idle clocks";

impl Display for LaunchReportPage<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.write_summary(f)?;
        let idle: f64 = self.statistics.time.instruction_idle.iter().sum();
        writeln!(f, "\n{LEGEND}\n")?;
        for (place, heading) in HEADINGS.iter().enumerate() {
            let width = WIDTHS[place];
            if place == 0 { write!(f, "{heading:<width$}")? } else { write!(f, " {heading:>width$}")? }
        }
        writeln!(f, "  instruction")?;
        let instructions = self.launch.stage.program.instructions().iter().zip(&self.statistics.instructions);
        for (number, (found, counts)) in instructions.enumerate() {
            let time = &self.statistics.time;
            let waits = time.instruction_waits[number] / float(counts.warps.max(1));
            let part = if idle == 0.0 { 0.0 } else { time.instruction_idle[number] / idle };
            let cells = cells(found.instruction.address, counts, waits, part);
            for (place, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
                if place == 0 { write!(f, "{cell:<width$}")? } else { write!(f, " {cell:>width$}")? }
            }
            writeln!(f, "  {}", found.text)?;
        }
        Ok(())
    }
}

/// The widths of the columns.
const WIDTHS: [usize; 12] = [7, 9, 5, 7, 5, 6, 6, 6, 8, 6, 7, 7];

/// The cells of an instruction's row.
fn cells(address: u32, counts: &InstructionCounts, waits: f64, idle: f64) -> [String; 12] {
    let shown = |count: u64| if count == 0 { "-".to_owned() } else { count.to_string() };
    let waits = if waits < 0.05 { "-".to_owned() } else { format!("{waits:.1}") };
    let idle = if idle < 0.0005 { "-".to_owned() } else { percent(idle) };
    let coalesced = match counts.memory_half_warps {
        0 => "-".to_owned(),
        half_warps => format!("{:.0} %", 100.0 * float(counts.coalesced) / float(half_warps)),
    };
    [
        format!("{address:06x}"),
        shown(counts.warps),
        if counts.warps == 0 {
            "-".to_owned()
        } else {
            format!("{:.1}", float(counts.executing) / float(counts.warps))
        },
        shown(counts.divergent),
        shown(counts.stack_entries as u64),
        ratio(counts.shared_passes, counts.shared_half_warps),
        ratio(counts.constant_passes, counts.constant_half_warps),
        coalesced,
        shown(counts.transactions),
        ratio(counts.bytes_moved, counts.bytes_asked),
        waits,
        idle,
    ]
}

impl LaunchReportPage<'_> {
    fn write_summary(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { machine, launch, statistics } = self;
        let (total, occupancy, parts) = (statistics.total(), &statistics.occupancy, statistics.parts());
        let seconds = statistics.seconds(machine);
        writeln!(f, "{} ({})", machine.title, machine.chip)?;
        writeln!(
            f,
            "occupancy: {} and {} of {} on a multiprocessor ({}), limited by {}; {} of a thread, {} bytes of shared memory",
            counted(occupancy.blocks, "block"),
            counted(occupancy.warps, "warp"),
            occupancy.most_warps,
            percent(occupancy.fraction()),
            occupancy.limited_by(),
            counted(launch.stage.registers, "register"),
            launch.reserved_shared_bytes(),
        )?;
        writeln!(
            f,
            "time: {:.0} clocks, {}, on {} of {} multiprocessors; limited by {}",
            statistics.clocks,
            duration(seconds),
            statistics.busy_multiprocessors,
            machine.multiprocessors(),
            statistics.bottleneck().name(),
        )?;
        let (scalar, special, memory) = (percent(parts.scalar), percent(parts.special), percent(parts.memory));
        writeln!(f, "occupied: scalar processors {scalar}, special function units {special}, memory bus {memory}")?;
        let waits = WaitCause::ALL.into_iter().filter(|cause| parts.idle[*cause as usize] >= 0.0005);
        let waits: Vec<_> =
            waits.map(|cause| format!("{} {}", cause.name(), percent(parts.idle[cause as usize]))).collect();
        writeln!(
            f,
            "idle, by what is waited for: {}",
            if waits.is_empty() { "never".to_owned() } else { waits.join(", ") }
        )?;
        writeln!(
            f,
            "warps: {} with {} of 32 threads, {}, at most {} on the stack",
            counted(total.warps, "instruction"),
            ratio(total.executing, total.warps),
            counted(total.divergent, "divergent branch"),
            counted(total.stack_entries, "entry"),
        )?;
        writeln!(
            f,
            "shared memory: {} for {}; constants: {} for {}, {}",
            counted(total.shared_passes, "pass"),
            counted(total.shared_half_warps, "half-warp"),
            counted(total.constant_passes, "pass"),
            counted(total.constant_half_warps, "half-warp"),
            counted(total.constant_misses, "missed line"),
        )?;
        writeln!(
            f,
            "memory: {} of {} half-warps coalesced, {}, {} asked, {} moved, {:.1} GB/s",
            total.coalesced,
            total.memory_half_warps,
            counted(total.transactions, "transaction"),
            counted(total.bytes_asked, "byte"),
            total.bytes_moved,
            if seconds == 0.0 { 0.0 } else { float(total.bytes_moved) / seconds / 1e9 },
        )?;
        let partitions: Vec<_> = statistics.partition_bytes.iter().map(u64::to_string).collect();
        let imbalance = statistics.partition_imbalance();
        writeln!(f, "partitions: {} bytes; the busiest has {imbalance:.2} times the mean", partitions.join(" "))
    }
}
