//! Formats a vertex program's timetable as text: a row for each instruction with a letter for each clock, and why it
//! waits.

use std::fmt::{self, Display, Formatter};

use super::explanation::Explanation;
use super::vertex_schedule::VertexBlockEnd;
use super::vertex_timetable::{
    Stall, StallCause, TimedBlock, TimedInstruction, TimetableParameters, UnknownOperation, VertexClocks,
    VertexTimetable,
};
use super::vertex_units::ArithmeticUnit;
use crate::plural::counted;
use crate::shader::vertex::VertexProgram;

/// The letters of the stages, with their meanings.
const STAGES: [(char, &str); 6] = [
    (READ, "read"),
    (NO_READ, "nothing to read"),
    (EXECUTE, "execute without a unit"),
    (POST_PROCESS, "post-process"),
    (WRITE_BACK, "write back"),
    (WAIT, "wait"),
];
const READ: char = 'r';
const NO_READ: char = '-';
const EXECUTE: char = 'x';
const POST_PROCESS: char = 'p';
const WRITE_BACK: char = 'w';
const WAIT: char = '.';

/// The most clocks in the columns of a table; longer blocks have several tables.
const TABLE_CLOCKS: u32 = 40;
/// Clocks between two numbers of the header.
const TICK_CLOCKS: u32 = 5;

/// A program with its timetable; displays as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimetableExplanation {
    statements: Vec<String>,
    /// The timetable.
    pub timetable: VertexTimetable,
}

impl TimetableExplanation {
    /// Explains a program on these processors; `statements` holds each of its bundles as text.
    ///
    /// # Errors
    /// When the processors do not have an operation of the program.
    pub fn new(
        program: &VertexProgram,
        statements: Vec<String>,
        parameters: TimetableParameters,
    ) -> Result<Self, UnknownOperation> {
        Ok(Self { statements, timetable: VertexTimetable::new(program, parameters)? })
    }

    /// Vertices per clock over all processors, and over those that are left while a geometry shader takes one, if
    /// nothing branches.
    #[must_use]
    pub fn vertices_per_clock(&self) -> Option<[f64; 2]> {
        let clocks = self.timetable.straight_clocks()?.total().max(1) as f64;
        let units = self.timetable.parameters.vertex_units;
        Some([units, units.saturating_sub(1)].map(|units| f64::from(units) / clocks))
    }

    /// The busy unit-clocks of each kind of unit, and those that there are: in the clocks of a vertex, or, if the
    /// program branches, of every block once.
    #[must_use]
    pub fn occupancy(&self) -> Vec<(ArithmeticUnit, u64, u64)> {
        let of_blocks = || self.timetable.blocks.iter().map(|block| u64::from(block.clocks)).sum();
        let clocks: u64 = self.timetable.straight_clocks().map_or_else(of_blocks, |clocks| clocks.total());
        let busy = self.timetable.busy(&|_| 1);
        let units = ArithmeticUnit::ALL.iter().zip(busy);
        units.map(|(unit, busy)| (*unit, busy, clocks * u64::from(unit.row().installed))).collect()
    }

    fn instructions(&self) -> usize {
        self.timetable.blocks.iter().map(|block| block.instructions.len()).sum()
    }

    fn write_totals(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parameters = self.timetable.parameters;
        writeln!(f, "totals")?;
        writeln!(f, "    instructions        {}", self.instructions())?;
        if let (Some(clocks), Some([all, others])) = (self.timetable.straight_clocks(), self.vertices_per_clock()) {
            let VertexClocks { fill, instructions, register_stalls, unit_stalls, drain, .. } = clocks;
            writeln!(f, "    clocks per vertex   {}", clocks.total())?;
            writeln!(f, "        fill            {fill}, before the first instruction reads")?;
            writeln!(f, "        instructions    {instructions}, one clock each")?;
            writeln!(f, "        stalls          {register_stalls} for registers, {unit_stalls} for units")?;
            writeln!(f, "        drain           {drain}, until the last instruction is done")?;
            writeln!(f, "    vertices per clock  {all:.3}, {} vertex units", parameters.vertex_units)?;
            let units = parameters.vertex_units.saturating_sub(1);
            writeln!(f, "                        {others:.3}, {units} while a geometry shader takes one")?;
        } else {
            writeln!(
                f,
                "    clocks per vertex   {} to fill the pipeline, one for each instruction executed, its stalls, {} \
                 for each refetch",
                parameters.fill, parameters.refetch
            )?;
            let stalls = self.timetable.blocks.iter().flat_map(|block| &block.instructions);
            let [registers, units] = stall_clocks(stalls);
            writeln!(
                f,
                "    stalls in blocks    {registers} for registers, {units} for units; a block may also wait for the one before"
            )?;
        }
        writeln!(f, "    units")?;
        for (unit, busy, available) in self.occupancy() {
            let percent = busy as f64 * 100.0 / available.max(1) as f64;
            writeln!(f, "        {unit:<16}{busy} of {available}, {percent:.0} % busy")?;
        }
        Ok(())
    }
}

impl Explanation for TimetableExplanation {
    /// The timetable as one JSON object. Blocks are numbered as in [`VertexProgram::blocks`].
    fn to_json(&self) -> serde_json::Value {
        let TimetableParameters { vertex_units, fill, refetch } = self.timetable.parameters;
        let arithmetic = ArithmeticUnit::ALL.iter().map(|unit| {
            let row = unit.row();
            serde_json::json!({ "name": row.name, "installed": row.installed, "clocks": row.clocks })
        });
        let busy = self
            .occupancy()
            .into_iter()
            .map(|(unit, busy, available)| serde_json::json!({ "unit": unit, "busy": busy, "available": available }));
        let straight = self.timetable.straight_clocks();
        let rates = self.vertices_per_clock();
        serde_json::json!({
            "schema": 1,
            "stage": "vertex",
            "units": {
                "vertex_units": vertex_units,
                "fill": fill,
                "refetch": refetch,
                "arithmetic": arithmetic.collect::<Vec<_>>(),
            },
            "instructions": self.statements,
            "schedule": { "blocks": self.timetable.blocks },
            "usage": {
                "instructions": self.instructions(),
                "clocks": straight,
                "units": busy.collect::<Vec<_>>(),
            },
            "straight_clocks": straight.map(|clocks| clocks.total()),
            "vertices_per_clock": rates.map(|[all, _]| all),
            "vertices_per_clock_beside_geometry": rates.map(|[_, others]| others),
        })
    }
}

impl Display for TimetableExplanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let stages = STAGES.iter().map(|(letter, meaning)| format!("{letter} {meaning}"));
        let units = ArithmeticUnit::ALL.iter().map(|unit| format!("{} {unit}", unit.row().symbol));
        writeln!(f, "stages: {}", stages.collect::<Vec<_>>().join(", "))?;
        writeln!(f, "execute in units: {}", units.collect::<Vec<_>>().join(", "))?;
        let mut statements = self.statements.iter();
        for (number, block) in self.timetable.blocks.iter().enumerate() {
            let end = match block.ends_by {
                VertexBlockEnd::End => "the program ends".to_owned(),
                VertexBlockEnd::Next => "the next block follows".to_owned(),
                VertexBlockEnd::Branch => {
                    format!("may jump, with {} of refetch", clocks(self.timetable.parameters.refetch))
                }
            };
            let [registers, units] = stall_clocks(&block.instructions);
            let stalls = registers + units;
            writeln!(f, "block {number}: {}, {stalls} of them stalls; {end}", clocks(block.clocks))?;
            write_block(f, block, &mut statements)?;
        }
        self.write_totals(f)
    }
}

/// Writes the tables of a block.
fn write_block<'s>(
    f: &mut Formatter<'_>,
    block: &TimedBlock,
    statements: &mut impl Iterator<Item = &'s String>,
) -> fmt::Result {
    let mut rest = block.instructions.as_slice();
    while let Some(first) = rest.first() {
        let from = first_clock(first) / TICK_CLOCKS * TICK_CLOCKS;
        let fits = |instruction: &&TimedInstruction| last_clock(instruction) < from + TABLE_CLOCKS;
        let count = rest.iter().take_while(fits).count().max(1);
        let (rows, others) = rest.split_at(count);
        rest = others;
        let to = rows.iter().map(last_clock).max().unwrap_or(from);
        let ticks = (from..=to).step_by(TICK_CLOCKS as usize).map(|clock| format!("{clock:<5}"));
        let ticks: String = ticks.collect();
        writeln!(f, "clock {}", ticks.trim_end())?;
        let columns = (to + 1 - from) as usize;
        for (instruction, statement) in rows.iter().zip(&mut *statements) {
            let indent = (first_clock(instruction) - from) as usize;
            let letters = format!("{:indent$}{}", "", letters(instruction));
            write!(f, "{:>4}  {letters:<columns$}  {statement}", instruction.slot)?;
            for stall in &instruction.stalls {
                write!(f, "; {}", stall_text(stall))?;
            }
            writeln!(f)?;
        }
    }
    Ok(())
}

/// Clocks that instructions wait: for registers, and for units.
fn stall_clocks<'i>(instructions: impl IntoIterator<Item = &'i TimedInstruction>) -> [u32; 2] {
    let mut clocks = [0; 2];
    for stall in instructions.into_iter().flat_map(|instruction| &instruction.stalls) {
        clocks[usize::from(matches!(stall.cause, StallCause::Unit { .. }))] += stall.clocks;
    }
    clocks
}

/// The first clock of an instruction's row, in which it waits if it waits.
fn first_clock(instruction: &TimedInstruction) -> u32 {
    instruction.clock - instruction.stalls.iter().map(|stall| stall.clocks).sum::<u32>()
}

/// The last clock of an instruction's row.
fn last_clock(instruction: &TimedInstruction) -> u32 {
    let [_, executed] = instruction.execute;
    instruction.write_back.or(instruction.post_process).unwrap_or(executed)
}

/// The letters of an instruction's row, from [`first_clock`] on.
pub(super) fn letters(instruction: &TimedInstruction) -> String {
    let letter = |clock: u32| {
        let [begins, ends] = instruction.execute;
        let unit = instruction.units.iter().find(|span| (span.clock..span.clock + span.clocks).contains(&clock));
        match clock {
            _ if clock < instruction.clock => WAIT,
            _ if clock == instruction.clock => {
                if instruction.reads {
                    READ
                } else {
                    NO_READ
                }
            }
            _ if (begins..=ends).contains(&clock) => unit.map_or(EXECUTE, |span| span.unit.row().symbol),
            _ if Some(clock) == instruction.post_process => POST_PROCESS,
            _ => WRITE_BACK,
        }
    };
    (first_clock(instruction)..=last_clock(instruction)).map(letter).collect()
}

/// A number of clocks as text.
fn clocks(count: u32) -> String {
    counted(count, "clock")
}

/// Why an instruction waits.
fn stall_text(stall: &Stall) -> String {
    let clocks = clocks(stall.clocks);
    match &stall.cause {
        StallCause::Read { register, written_by } => format!("waits {clocks} for {register} of slot {written_by}"),
        StallCause::Write { register, written_by } => {
            format!("waits {clocks} to write {register} after slot {written_by}")
        }
        StallCause::Unit { unit } => format!("waits {clocks} for {unit}"),
    }
}
