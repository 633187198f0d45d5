//! Formats a fragment program's schedule as text for driver writers: pass by pass, and why the next operation
//! waits.

use std::fmt::{self, Display, Formatter};

use super::explanation::Explanation;
use super::fragment_schedule::{
    ClockBounds, FragmentOutputs, FragmentSchedule, Obstacle, Pass, Place, PlacedStep, SlotUsage, UnitPart,
};
use super::shader_units::ShaderUnits;
use crate::isa::nv40_fragment::disassemble::{FlowText, OperationText};
use crate::plural::counted;
use crate::shader::fragment::{FragmentNode, FragmentProgram};
use crate::shader::fragment_blocks::{BlockPart, FragmentBlocks};

/// A program with its schedule; displays as text.
#[derive(Debug, Clone, PartialEq)]
pub struct FragmentExplanation<'program> {
    program: &'program FragmentProgram,
    blocks: FragmentBlocks<'program>,
    units: ShaderUnits,
    /// The schedule.
    pub schedule: FragmentSchedule,
}

impl<'program> FragmentExplanation<'program> {
    /// Explains a program on these units.
    #[must_use]
    pub fn new(program: &'program FragmentProgram, outputs: FragmentOutputs, units: &ShaderUnits) -> Self {
        let schedule = FragmentSchedule::new(program, outputs, units);
        Self { program, blocks: program.numbered_blocks(), units: *units, schedule }
    }

    /// The slots of all passes, each run once.
    #[must_use]
    pub fn usage(&self) -> SlotUsage {
        self.schedule.usage(&vec![1; self.schedule.runs.len()])
    }

    fn statements(&self, run: usize) -> impl Iterator<Item = String> {
        let constants = &self.program.constants;
        let operations = self.blocks.runs.get(run).map_or(&[][..], Vec::as_slice);
        operations.iter().map(move |operation| statement(OperationText { operation, constants }))
    }

    fn write_parts(&self, f: &mut Formatter<'_>, parts: &[BlockPart], depth: usize) -> fmt::Result {
        let indent = depth * 4;
        for part in parts {
            match part {
                BlockPart::Run { run } => self.write_run(f, *run, depth)?,
                BlockPart::If { flow, then, otherwise } => {
                    self.write_flow(f, *flow, depth)?;
                    self.write_parts(f, then, depth + 1)?;
                    if !otherwise.is_empty() {
                        writeln!(f, "{:indent$}ELSE", "")?;
                        self.write_parts(f, otherwise, depth + 1)?;
                    }
                    writeln!(f, "{:indent$}ENDIF", "")?;
                }
                BlockPart::Loop { flow, body } => {
                    self.write_flow(f, *flow, depth)?;
                    self.write_parts(f, body, depth + 1)?;
                    let has_index =
                        matches!(self.blocks.flows.get(*flow), Some(FragmentNode::Loop { has_index: true, .. }));
                    writeln!(f, "{:indent$}{}", "", if has_index { "ENDLOOP" } else { "ENDREP" })?;
                }
                BlockPart::Call { flow, .. } | BlockPart::Break { flow } | BlockPart::Return { flow } => {
                    self.write_flow(f, *flow, depth)?;
                }
            }
        }
        Ok(())
    }

    fn write_flow(&self, f: &mut Formatter<'_>, flow: usize, depth: usize) -> fmt::Result {
        let (Some(node), Some(cost)) = (self.blocks.flows.get(flow), self.schedule.flows.get(flow)) else {
            return Ok(());
        };
        write!(
            f,
            "{:indent$}{}    # flow {flow}: {} cycles",
            "",
            statement(FlowText(node)),
            cost.each,
            indent = depth * 4
        )?;
        if cost.further_round != 0 {
            write!(f, ", {} for each further iteration", cost.further_round)?;
        }
        writeln!(f)
    }

    fn write_run(&self, f: &mut Formatter<'_>, run: usize, depth: usize) -> fmt::Result {
        let Some(schedule) = self.schedule.runs.get(run) else { return Ok(()) };
        let statements: Vec<String> = self.statements(run).collect();
        let indent = depth * 4;
        let passes = schedule.passes.len();
        writeln!(
            f,
            "{:indent$}run {run}: {} in {}",
            "",
            counted(schedule.operations, "operation"),
            counted(passes, "pass")
        )?;
        for (number, pass) in schedule.passes.iter().enumerate() {
            let next = schedule.passes.get(number + 1).and_then(|next| next.steps.first());
            write_pass(f, indent, number, pass, next, &statements)?;
        }
        for &fence in &schedule.fences {
            let statement = statements.get(fence).map_or("", String::as_str);
            writeln!(f, "{:indent$}      fence                 {statement}", "")?;
        }
        Ok(())
    }

    fn write_totals(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let schedule = &self.schedule;
        let usage = self.usage();
        let operations: usize = schedule.runs.iter().map(|run| run.operations).sum();
        writeln!(f, "totals")?;
        writeln!(f, "    operations          {operations}")?;
        let once = if schedule.is_straight() { "" } else { ", each run once" };
        writeln!(f, "    passes              {}{once}", schedule.passes())?;
        let ClockBounds { fewest, most } = schedule.clocks;
        let (slowest, fastest) = (self.units.pixels_per_clock(most), self.units.pixels_per_clock(fewest));
        if fewest == most {
            writeln!(f, "    clocks per quad     {most}")?;
            writeln!(f, "    pixels per clock    {fastest:.2}, {}", counted(self.units.quad_pipes, "quad pipe"))?;
        } else {
            writeln!(
                f,
                "    clocks per quad     {fewest} on the shortest path, {most} with every branch and iteration"
            )?;
            let pipes = counted(self.units.quad_pipes, "quad pipe");
            writeln!(f, "    pixels per clock    {fastest:.2} and {slowest:.2}, {pipes}")?;
        }
        write_usage(f, &usage)?;
        let registers = schedule.registers;
        writeln!(
            f,
            "    registers           {} named, {} live at once (fp32x4; a half register is 0.5)",
            f64::from(registers.named_halves) / 2.0,
            f64::from(registers.live_halves) / 2.0
        )?;
        write!(f, "    quads in flight     {} of {} per pipe", schedule.quads_in_flight, self.units.quads_in_flight)?;
        if schedule.quads_if_packed != schedule.quads_in_flight {
            write!(f, "; {} with the live registers only", schedule.quads_if_packed)?;
        }
        writeln!(f)?;
        match schedule.hidden_latency() {
            Some(clocks) => writeln!(f, "    texture latency     hidden up to {clocks} clocks"),
            None => writeln!(f, "    texture latency     no fetch"),
        }
    }
}

impl Explanation for FragmentExplanation<'_> {
    /// The schedule as one JSON object. Runs, flow instructions and operations are numbered as in
    /// [`FragmentProgram::numbered_blocks`].
    fn to_json(&self) -> serde_json::Value {
        let operations: Vec<Vec<String>> =
            (0..self.blocks.runs.len()).map(|run| self.statements(run).collect()).collect();
        let flows: Vec<String> = self.blocks.flows.iter().map(|node| statement(FlowText(node))).collect();
        let ClockBounds { fewest, most } = self.schedule.clocks;
        serde_json::json!({
            "schema": 1,
            "stage": "fragment",
            "units": self.units,
            "operations": operations,
            "flows": flows,
            "body": self.blocks.body,
            "subroutines": self.blocks.subroutines,
            "schedule": self.schedule,
            "passes": self.schedule.passes(),
            "usage": self.usage(),
            "hidden_latency_clocks": self.schedule.hidden_latency(),
            "pixels_per_clock": {
                "fewest_clocks": self.units.pixels_per_clock(fewest),
                "most_clocks": self.units.pixels_per_clock(most),
            },
        })
    }
}

impl Display for FragmentExplanation<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_parts(f, &self.blocks.body, 0)?;
        for (number, parts) in self.blocks.subroutines.iter().enumerate() {
            writeln!(f, "subroutine_{number}:")?;
            self.write_parts(f, parts, 1)?;
        }
        self.write_totals(f)
    }
}

fn write_pass(
    f: &mut Formatter<'_>,
    indent: usize,
    number: usize,
    pass: &Pass,
    next: Option<&PlacedStep>,
    statements: &[String],
) -> fmt::Result {
    let mut label = number.to_string();
    for place in [Place::UnitOne, Place::UnitTwo, Place::Normalizer, Place::BranchUnit] {
        for step in pass.at(place) {
            let channels = channels_text(step);
            writeln!(
                f,
                "{:indent$}{label:>4}  {:<10}  {channels:<8}  {}",
                "",
                place_name(place),
                step_text(step, statements)
            )?;
            label.clear();
        }
    }
    let Some(next) = next.filter(|_| !pass.closed_by.is_empty()) else { return Ok(()) };
    let reasons: Vec<String> = pass
        .closed_by
        .iter()
        .map(|&(place, obstacle)| format!("{}: {}", place_name(place), obstacle_text(obstacle)))
        .collect();
    writeln!(f, "{:indent$}      -- not {}", "", step_text(next, statements))?;
    writeln!(f, "{:indent$}         {}", "", reasons.join("; "))
}

/// The statement of a step's operation, and which part of the operation the step does.
fn step_text(step: &PlacedStep, statements: &[String]) -> String {
    let statement = statements.get(step.operation).map_or("", String::as_str);
    if step.parts < 2 {
        return statement.to_owned();
    }
    format!("{statement}  [{} of {}: {}]", step.part + 1, step.parts, step.name)
}

/// A statement without its semicolon.
fn statement(text: impl Display) -> String {
    let mut text = text.to_string();
    text.truncate(text.trim_end_matches(';').len());
    text
}

const fn place_name(place: Place) -> &'static str {
    match place {
        Place::UnitOne => "unit 1",
        Place::UnitTwo => "unit 2",
        Place::Normalizer => "normalize",
        Place::BranchUnit => "branch",
    }
}

/// The part of the unit that a step occupies.
fn channels_text(step: &PlacedStep) -> String {
    let channels: String =
        "xyzw".chars().enumerate().map(|(bit, name)| if step.channels >> bit & 1 != 0 { name } else { '-' }).collect();
    match step.work {
        UnitPart::Multiply | UnitPart::Add => channels,
        UnitPart::Reciprocal | UnitPart::Special => format!("sfu {channels}"),
        UnitPart::Texture => "tex".to_owned(),
        UnitPart::Normalize | UnitPart::Kill | UnitPart::Nothing => String::new(),
    }
}

fn obstacle_text(obstacle: Obstacle) -> String {
    match obstacle {
        Obstacle::Busy => "taken".to_owned(),
        Obstacle::Channels => "no free channels".to_owned(),
        Obstacle::Result { register: Some(register) } => format!("needs {register} of this pass"),
        Obstacle::Result { register: None } => "needs its own earlier step in this pass".to_owned(),
        Obstacle::Order => "writes a register that this pass writes later".to_owned(),
        Obstacle::Condition => "needs the condition of this pass".to_owned(),
        Obstacle::HandsOver => "a unit only forwards data".to_owned(),
        Obstacle::Interpolants => "another interpolant".to_owned(),
        Obstacle::RegisterReads => "reads too many registers".to_owned(),
        Obstacle::Fence => "behind a fence".to_owned(),
    }
}

fn write_usage(f: &mut Formatter<'_>, usage: &SlotUsage) -> fmt::Result {
    let row = |f: &mut Formatter<'_>, name: &str, used: u64, of: u64| {
        // Without passes, nothing is idle.
        let idle = (of.saturating_sub(used)) as f64 * 100.0 / of.max(1) as f64;
        writeln!(f, "        {name:<16}{used} of {of}, {idle:.0} % idle")
    };
    writeln!(f, "    slots")?;
    row(f, "instructions", usage.issued, usage.passes.saturating_mul(4))?;
    for (unit, channels) in [("unit 1", usage.unit_one), ("unit 2", usage.unit_two)] {
        for (name, used) in ["x", "y", "z", "w"].into_iter().zip(channels) {
            row(f, &format!("{unit} {name}"), used, usage.passes)?;
        }
        let parts = if unit == "unit 1" {
            [("unit 1 RCP, RSQ", usage.reciprocal), ("texture", usage.texture)]
        } else {
            [("unit 2 special", usage.special), ("normalize", usage.normalizer)]
        };
        for (name, used) in parts {
            row(f, name, used, usage.passes)?;
        }
    }
    Ok(())
}
