//! Runs the vertex programs of a frame's draws on the vertex processors of the chips that they are for.

use super::units::{timetable_parameters, vertex_cache};
use crate::counters::trace::{TracedDraw, TracedVec4};
use crate::counters::{Counter, CountingOptions, VertexCacheOptions};
use crate::machine::{DrawingMachine, FAMILIES, Machine, VertexPipeline, VertexStage, open};
use crate::pipeline::Draw;
use crate::statistics::vertex_timetable::{UnknownOperation, VertexClocks, VertexTimetable};
use crate::statistics::vertex_units::ArithmeticUnit;

/// The machines whose vertex processors may run the program of a draw. A stream may select programs of other chips than
/// the machine's; these run on the default machine of their family.
#[derive(Debug)]
pub(super) struct VertexProcessors {
    /// The machine itself, then one of each family with another instruction set.
    machines: Vec<Machine>,
}

/// The time that the vertices of a draw take on the vertex processors.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawVertices {
    /// The machine with these processors.
    pub machine: String,
    /// Whether it is the machine that the models are of.
    pub is_of_machine: bool,
    /// Its clock rate.
    pub core_mhz: f64,
    /// Its vertex processors.
    pub vertex_units: u32,
    /// Entries of its post-transform cache that this draw can hit.
    pub cache_entries: u32,
    /// Elements whose vertex was in that cache.
    pub cache_hits: u64,
    /// Vertices that were transformed.
    pub transformed: u64,
    /// Clocks of one processor over all of them.
    pub clocks: VertexClocks,
    /// The arithmetic units of processors that execute in order; otherwise empty.
    pub units: Vec<UnitOccupancy>,
}

/// The unit-clocks of a kind of arithmetic unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct UnitOccupancy {
    /// The kind.
    pub unit: ArithmeticUnit,
    /// Unit-clocks in which one was busy.
    pub busy: u64,
    /// Unit-clocks that there were.
    pub available: u64,
}

/// How draws are counted for a machine, whose draws may run vertex programs of other chips.
#[must_use]
pub fn counting_options(machine: &Machine) -> CountingOptions {
    VertexProcessors::new(machine).counting_options()
}

/// How draws are counted for a machine of any family.
#[must_use]
pub fn any_counting_options<'machine>(machine: impl Into<DrawingMachine<'machine>>) -> CountingOptions {
    match machine.into() {
        DrawingMachine::Staged(machine) => counting_options(machine),
        DrawingMachine::Unified(machine) => CountingOptions::new(VertexCacheOptions {
            entries: machine.front_end.cache_entries,
            hits_renew: false,
            needs_indices: false,
        }),
    }
}

impl VertexProcessors {
    /// Opens the machines.
    pub(super) fn new(machine: &Machine) -> Self {
        let is_other = |stage: VertexStage| stage.isa != machine.vertex_stage.isa;
        let others = FAMILIES.iter().filter(|family| family.vertex_stage.is_some_and(is_other));
        let open = |name| open(name).expect("the bundled machines are read by a test");
        let others = others.map(|family| open(family.default_machine));
        Self { machines: std::iter::once(machine.clone()).chain(others).collect() }
    }

    /// How draws are counted.
    pub(super) fn counting_options(&self) -> CountingOptions {
        self.machines.iter().fold(CountingOptions::default(), |options, machine| {
            options.with_cache(machine.vertex_stage.isa, vertex_cache(machine))
        })
    }

    /// The index of the machine that runs the vertex program of a draw.
    fn of_draw(&self, draw: &Draw) -> usize {
        let isa = draw.vertex.isa();
        self.machines.iter().position(|machine| Some(machine.vertex_stage.isa) == isa).unwrap_or(0)
    }

    /// Runs the vertices of draws.
    ///
    /// # Errors
    /// When processors do not have an operation of a program.
    pub(super) fn frame_vertices(
        &self,
        draws: &[(&TracedDraw, &TracedVec4)],
    ) -> Result<Vec<DrawVertices>, UnknownOperation> {
        let options = self.counting_options();
        draws
            .iter()
            .map(|(traced, programs)| {
                let place = self.of_draw(&traced.draw);
                let cache_entries = options.vertex_cache(&traced.draw).entries;
                draw_vertices((traced, programs), &self.machines[place], place == 0, cache_entries)
            })
            .collect()
    }
}

impl DrawVertices {
    /// Clocks of a machine that has none of these processors, in which they run the vertices; 0 if they are its own.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the count is positive; `as` saturates"
    )]
    pub fn clocks_on(&self, machine: &Machine) -> u64 {
        if self.is_of_machine {
            return 0;
        }
        let clocks = self.clocks.total() as f64 / f64::from(self.vertex_units.max(1));
        (clocks * machine.clocks.core_mhz / self.core_mhz).ceil() as u64
    }
}

/// Runs the vertices of a draw on the processors of a machine.
fn draw_vertices(
    (traced, programs): (&TracedDraw, &TracedVec4),
    machine: &Machine,
    is_of_machine: bool,
    cache_entries: u32,
) -> Result<DrawVertices, UnknownOperation> {
    let (clocks, units) = match machine.vertex_stage.pipeline {
        VertexPipeline::Interleaved => {
            let vertices = &programs.vertex_instructions;
            let refetch = u64::from(machine.vertex.branch_clocks) * vertices.taken;
            (VertexClocks { instructions: vertices.instructions, refetch, ..VertexClocks::default() }, Vec::new())
        }
        VertexPipeline::InOrder => {
            let timetable = VertexTimetable::new(&programs.vertex_program, timetable_parameters(machine))?;
            let clocks = timetable.clocks(&programs.vertex_edges);
            let busy = timetable.busy(&|block| programs.vertex_edges.entered(block));
            let units = ArithmeticUnit::ALL.iter().zip(busy).map(|(&unit, busy)| UnitOccupancy {
                unit,
                busy,
                available: clocks.total().saturating_mul(unit.row().installed.into()),
            });
            (clocks, units.collect())
        }
    };
    Ok(DrawVertices {
        machine: machine.name.clone(),
        is_of_machine,
        core_mhz: machine.clocks.core_mhz,
        vertex_units: machine.vertex.units,
        cache_entries,
        cache_hits: traced.counters.total(Counter::CacheHits),
        transformed: traced.counters.total(Counter::CacheMisses),
        clocks,
        units,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::asm::pica::{PicaOptions, assemble};
    use crate::capture::Capture;
    use crate::counters::trace::TracedPrograms;
    use crate::counters::{VertexCacheOptions, VertexEdges};
    use crate::isa::VertexMicrocode;
    use crate::pipeline::Elements;
    use crate::replay::ReplayOptions;
    use crate::statistics::models::TracedFrames;

    /// A draw of a capture with another vertex program, whose vertices pass its first block alone.
    fn traced(text: &str, vertices: u64) -> TracedDraw {
        let capture = Capture::open("scenes/captures/flat.nvcap").unwrap();
        let mut frames = TracedFrames::new(&capture, &Machine::default(), &ReplayOptions::default()).unwrap();
        let mut traced = frames.find_map(|frame| frame.unwrap().draws.pop()).unwrap();
        let shader = Arc::new(assemble("test", text, PicaOptions::default()).unwrap().shader());
        let vertex = traced.draw.vertex.vec4_mut().unwrap();
        vertex.microcode = VertexMicrocode::Pica200 { shader, entry: 0 };
        let vertex_program = vertex.microcode.decode().unwrap();
        let TracedPrograms::Vec4(programs) = &mut traced.programs else { panic!("programs of NV40") };
        programs.vertex_program = vertex_program;
        programs.vertex_edges = VertexEdges::default();
        programs.vertex_edges.add_path(&[0], vertices);
        traced
    }

    /// Its vertices on processors.
    fn vertices_on(processors: &VertexProcessors, traced: &TracedDraw) -> DrawVertices {
        processors.frame_vertices(&[(traced, traced.vec4().unwrap())]).unwrap().remove(0)
    }

    #[test]
    fn a_program_of_another_chip_runs_on_its_processors() {
        let machine = Machine::default();
        let processors = VertexProcessors::new(&machine);
        let mut traced = traced(".proc main\nmul r0, c0, v0\nadd o0, c1, r0\nend\n.end", 7);
        traced.draw.elements = Elements::Inline(vec![0]);
        let vertices = vertices_on(&processors, &traced);
        // Fill 3, three instructions, one stall, one clock of drain; four processors at 268 MHz beside 400 MHz.
        assert_eq!((vertices.machine.as_str(), vertices.clocks.total()), ("pica200", 7 * 8));
        assert_eq!((vertices.clocks.register_stalls, vertices.clocks.fill), (7, 3 * 7));
        assert_eq!(vertices.clocks_on(&machine), 21, "14 · 400 / 268, rounded up");
        let multiplier = UnitOccupancy { unit: ArithmeticUnit::Multiplier, busy: 4 * 7, available: 4 * 56 };
        assert_eq!(vertices.units[0], multiplier);
        assert_eq!(vertices.cache_entries, 32);
        // Without indices, nothing is cached.
        traced.draw.elements = Elements::Ranges(vec![(0, 3)]);
        let cache = processors.counting_options().vertex_cache(&traced.draw);
        assert_eq!(cache, VertexCacheOptions { entries: 0, hits_renew: true, needs_indices: true });
        // On a PICA200, they are the machine's own.
        let own = VertexProcessors::new(&open("pica200").unwrap());
        let vertices = vertices_on(&own, &traced);
        assert!(vertices.is_of_machine && vertices.clocks_on(&machine) == 0);
    }

    #[test]
    fn a_geforce_3_issues_an_instruction_a_clock() {
        let machine = open("geforce-3").unwrap();
        // Lindholm et al., figure 5 and section 4.3: one unit, one instruction a clock, no branches.
        assert_eq!((machine.vertex.units, machine.vertex.vector_clocks, machine.vertex.branch_clocks), (1, 1.0, 0));
        assert_eq!(machine.vertex_stage.pipeline, VertexPipeline::Interleaved);
        // 18 of 24 entries are effective.
        let expected = VertexCacheOptions { entries: 18, hits_renew: false, needs_indices: false };
        assert_eq!(vertex_cache(&machine), expected);
    }
}
