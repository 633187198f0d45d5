//! Formats a vertex program's schedule as text: what both units do in each clock, and what stays idle.

use std::fmt::{self, Display, Formatter};

use super::explanation::Explanation;
use super::shader_units::ShaderUnits;
use super::vertex_schedule::{ScalarWork, VertexBlockEnd, VertexSchedule, VertexSlot, VertexUsage};
use crate::shader::vertex::VertexProgram;

/// A program with its schedule; displays as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexExplanation {
    /// The slot and the text of each bundle.
    statements: Vec<(u16, String)>,
    units: ShaderUnits,
    /// The schedule.
    pub schedule: VertexSchedule,
}

impl VertexExplanation {
    /// Explains a program on these units; `statements` holds each of its bundles as text.
    #[must_use]
    pub fn new(program: &VertexProgram, statements: Vec<String>, units: &ShaderUnits) -> Self {
        let slots = program.bundles.iter().map(|bundle| bundle.slot);
        Self {
            statements: slots.zip(statements).collect(),
            units: *units,
            schedule: VertexSchedule::new(program, units),
        }
    }

    /// The slots of all blocks, each once.
    #[must_use]
    pub fn usage(&self) -> VertexUsage {
        self.schedule.usage(&vec![1; self.schedule.blocks.len()])
    }

    /// Vertices per clock over all units, if nothing branches.
    #[must_use]
    pub fn vertices_per_clock(&self) -> Option<f64> {
        let clocks = self.schedule.straight_clocks()?;
        Some(f64::from(self.units.vertex_units) / clocks.max(1) as f64)
    }

    fn write_totals(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let usage = self.usage();
        writeln!(f, "totals")?;
        writeln!(f, "    instructions        {}", usage.instructions)?;
        match (self.schedule.straight_clocks(), self.vertices_per_clock()) {
            (Some(clocks), Some(rate)) => {
                writeln!(f, "    clocks per vertex   {clocks}")?;
                writeln!(f, "    vertices per clock  {rate:.3}, {} vertex units", self.units.vertex_units)?;
            }
            _ => writeln!(
                f,
                "    clocks per vertex   one for each instruction executed, {} for each branch taken",
                self.schedule.branch
            )?,
        }
        let row = |f: &mut Formatter<'_>, name: &str, used: u64| {
            let idle = usage.instructions.saturating_sub(used) as f64 * 100.0 / usage.instructions.max(1) as f64;
            writeln!(f, "        {name:<16}{used} of {}, {idle:.0} % idle", usage.instructions)
        };
        writeln!(f, "    slots")?;
        row(f, "vector", usage.vector)?;
        for (name, used) in ["vector x", "vector y", "vector z", "vector w"].into_iter().zip(usage.channels) {
            row(f, name, used)?;
        }
        row(f, "scalar", usage.scalar)?;
        row(f, "flow", usage.flow)?;
        writeln!(f, "    texture fetches     {}", usage.texture)
    }
}

impl Explanation for VertexExplanation {
    /// The schedule as one JSON object. Blocks are numbered as in [`VertexProgram::blocks`].
    fn to_json(&self) -> serde_json::Value {
        let instructions: Vec<&String> = self.statements.iter().map(|(_, statement)| statement).collect();
        serde_json::json!({
            "schema": 1,
            "stage": "vertex",
            "units": self.units,
            "instructions": instructions,
            "schedule": self.schedule,
            "usage": self.usage(),
            "straight_clocks": self.schedule.straight_clocks(),
            "vertices_per_clock": self.vertices_per_clock(),
        })
    }
}

impl Display for VertexExplanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut statements = self.statements.iter();
        for (number, block) in self.schedule.blocks.iter().enumerate() {
            let end = match block.ends_by {
                VertexBlockEnd::End => "the program ends".to_owned(),
                VertexBlockEnd::Next => "the next block follows".to_owned(),
                VertexBlockEnd::Branch => format!("branches; {} cycles when taken", self.schedule.branch),
            };
            writeln!(f, "block {number}: {} clocks; {end}", block.slots.len())?;
            for (slot, (number, statement)) in block.slots.iter().zip(&mut statements) {
                writeln!(f, "{number:>4}  {}  {statement}", slot_text(*slot))?;
            }
        }
        self.write_totals(f)
    }
}

/// The used part of a clock: the vector unit's channels, and the scalar unit.
fn slot_text(slot: VertexSlot) -> String {
    let channels: String = match slot.vector {
        Some(used) => {
            "xyzw".chars().enumerate().map(|(bit, name)| if used >> bit & 1 != 0 { name } else { '-' }).collect()
        }
        None => "    ".to_owned(),
    };
    let scalar = match slot.scalar {
        ScalarWork::Idle => "      ",
        ScalarWork::Operation => "scalar",
        ScalarWork::Flow => "flow  ",
    };
    let vector = if slot.vector.is_some() { "vector" } else { "      " };
    let texture = if slot.is_texture { "tex" } else { "   " };
    format!("{vector} {channels}  {texture}  {scalar}")
}
