//! Schedules a vertex program: what the vector and the scalar unit do in each clock, and what branches cost.
//!
//! Every bundle issues one vector and one scalar operation and takes one clock. Dependent operations cost nothing:
//! other vertices take turns until the result is there.

use super::shader_units::ShaderUnits;
use crate::arith::vertex_functions::VertexShape;
use crate::shader::condition::WriteMask;
use crate::shader::vertex::{OperationKind, VertexBundle, VertexOperation, VertexProgram};
use crate::shader::vertex_blocks::BlockExit;

/// A vertex program on a vertex unit.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct VertexSchedule {
    /// The basic blocks, by their index in [`VertexProgram::blocks`].
    pub blocks: Vec<VertexBlockSchedule>,
    /// Cycles of a taken branch, call or return.
    pub branch: u32,
}

/// Instructions that are executed one after the other.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct VertexBlockSchedule {
    /// The slot of its first instruction.
    pub first_slot: u16,
    /// What each instruction issues, in order.
    pub slots: Vec<VertexSlot>,
    /// How it ends.
    pub ends_by: VertexBlockEnd,
}

/// What one instruction issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct VertexSlot {
    /// Components in which the vector unit computes: bit 0 x … bit 3 w; `None` if it idles.
    pub vector: Option<u8>,
    /// What the scalar unit does.
    pub scalar: ScalarWork,
    /// Whether the vector operation is a texture fetch.
    pub is_texture: bool,
}

/// What the scalar unit does in a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScalarWork {
    /// Nothing.
    Idle,
    /// A special function or a move.
    Operation,
    /// A branch, call, return, push or pop.
    Flow,
}

/// How a block of a vertex program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VertexBlockEnd {
    /// The program ends.
    End,
    /// Control always continues in the next block.
    Next,
    /// A branch, call or return that costs cycles if taken.
    Branch,
}

/// Slots of a vertex program and how many of them were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct VertexUsage {
    /// Instructions, one clock each.
    pub instructions: u64,
    /// Instructions with a vector operation.
    pub vector: u64,
    /// Vector channels, by component.
    pub channels: [u64; 4],
    /// Instructions with a scalar operation other than flow.
    pub scalar: u64,
    /// Instructions with a flow operation.
    pub flow: u64,
    /// Texture fetches.
    pub texture: u64,
}

/// How often the parts of a vertex program ran.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VertexCounts {
    /// Executions of each block.
    pub blocks: Vec<u64>,
    /// Taken branches, calls and returns at the end of each block.
    pub taken: Vec<u64>,
}

impl VertexSchedule {
    /// The schedule of a program.
    #[must_use]
    pub fn new(program: &VertexProgram, units: &ShaderUnits) -> Self {
        let blocks = program.blocks().into_iter().map(|block| {
            let bundles = program.bundles.get(block.bundles).unwrap_or_default();
            VertexBlockSchedule {
                first_slot: bundles.first().map_or(0, |bundle| bundle.slot),
                slots: bundles.iter().map(slot).collect(),
                ends_by: match block.exit {
                    BlockExit::Continue { next: None } => VertexBlockEnd::End,
                    BlockExit::Continue { .. } | BlockExit::PushAddress { .. } | BlockExit::PopAddress { .. } => {
                        VertexBlockEnd::Next
                    }
                    BlockExit::Branch { .. }
                    | BlockExit::BranchToAddress { .. }
                    | BlockExit::Call { .. }
                    | BlockExit::Return { .. }
                    | BlockExit::If { .. }
                    | BlockExit::CallUntil { .. }
                    | BlockExit::Loop { .. }
                    | BlockExit::Break { .. } => VertexBlockEnd::Branch,
                },
            }
        });
        Self { blocks: blocks.collect(), branch: units.vertex_branch }
    }

    /// Clocks of one unit for these counts. Missing counts are 0.
    #[must_use]
    pub fn cycles(&self, counts: &VertexCounts) -> u64 {
        let blocks = self.blocks.iter().zip(&counts.blocks);
        let straight = blocks.map(|(block, &count)| count.saturating_mul(block.slots.len() as u64));
        let taken = counts.taken.iter().take(self.blocks.len());
        straight.chain(taken.map(|count| count.saturating_mul(u64::from(self.branch)))).fold(0, u64::saturating_add)
    }

    /// The slots of all blocks if block `i` ran `counts[i]` times.
    #[must_use]
    pub fn usage(&self, counts: &[u64]) -> VertexUsage {
        let mut usage = VertexUsage::default();
        for (block, &count) in self.blocks.iter().zip(counts) {
            block.slots.iter().for_each(|slot| usage.add(*slot, count));
        }
        usage
    }

    /// Clocks of a vertex if the program has no branches; otherwise `None`.
    #[must_use]
    pub fn straight_clocks(&self) -> Option<u64> {
        let is_straight = self.blocks.iter().all(|block| block.ends_by != VertexBlockEnd::Branch);
        is_straight.then(|| self.blocks.iter().map(|block| block.slots.len() as u64).sum())
    }
}

impl VertexUsage {
    fn add(&mut self, slot: VertexSlot, count: u64) {
        let add = |total: &mut u64, is_used: bool| {
            if is_used {
                *total = total.saturating_add(count);
            }
        };
        add(&mut self.instructions, true);
        add(&mut self.vector, slot.vector.is_some());
        for (channel, total) in self.channels.iter_mut().enumerate() {
            add(total, slot.vector.is_some_and(|channels| channels >> channel & 1 != 0));
        }
        add(&mut self.scalar, slot.scalar == ScalarWork::Operation);
        add(&mut self.flow, slot.scalar == ScalarWork::Flow);
        add(&mut self.texture, slot.is_texture);
    }
}

fn slot(bundle: &VertexBundle) -> VertexSlot {
    let VertexBundle { vector, scalar, flow, .. } = bundle;
    VertexSlot {
        vector: (vector.kind != OperationKind::Idle).then(|| channels(vector, bundle.vector_components())),
        scalar: match (flow, scalar.kind) {
            (Some(_), _) => ScalarWork::Flow,
            (None, OperationKind::Idle) => ScalarWork::Idle,
            (None, _) => ScalarWork::Operation,
        },
        is_texture: matches!(vector.kind, OperationKind::FetchTexture { .. }),
    }
}

/// The channels of a vector operation: those that it multiplies in, and those that any register receives.
fn channels(operation: &VertexOperation, written: WriteMask) -> u8 {
    let computed = match operation.kind {
        OperationKind::Arithmetic(function) => match function.shape {
            VertexShape::DotProduct { reads: [a, b], .. } => a | b,
            _ => 0,
        },
        _ => 0,
    };
    computed | written.0 & 15
}

#[cfg(test)]
mod tests {
    use super::{ScalarWork, ShaderUnits, VertexBlockEnd, VertexCounts, VertexSchedule};
    use crate::arith::vertex_functions::MUL;
    use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode, VertexField, VertexMicroprogram, VertexWord};
    use crate::isa::test_words::{VERTEX_NOP, vertex_branch};
    use crate::shader::condition::WriteMask;
    use crate::shader::test_programs::{attribute, bundle, operation, program};
    use crate::shader::vertex::{OperationKind, Unit, VertexOutput};

    fn schedule(words: &[VertexWord]) -> VertexSchedule {
        let slots: Vec<[u32; 4]> = words.iter().map(|word| word.words()).collect();
        VertexSchedule::new(&VertexMicroprogram::decode(&slots, 0).unwrap().lower(), &ShaderUnits::default())
    }

    fn vector(opcode: VectorOpcode, mask: u32) -> VertexWord {
        VERTEX_NOP.with(VertexField::OP_VEC, u32::from(opcode.code())).with(VertexField::WM_VEC, mask)
    }

    #[test]
    fn both_units_work_in_one_clock() {
        // Write masks hold x in their highest bit. DP3 to y; MUL to xy beside RCP; the last word does nothing.
        let words = [
            vector(VectorOpcode::Dp3, 0b0100),
            vector(VectorOpcode::Mul, 0b1100).with(VertexField::OP_SCA, u32::from(ScalarOpcode::Rcp.code())),
            vector(VectorOpcode::Txl, 0b1111),
            VERTEX_NOP.with(VertexField::END, 1),
        ];
        let schedule = schedule(&words);
        assert_eq!(schedule.straight_clocks(), Some(4));
        let usage = schedule.usage(&[10]);
        assert_eq!((usage.instructions, usage.vector, usage.scalar, usage.flow, usage.texture), (40, 30, 10, 0, 10));
        assert_eq!(usage.channels, [30, 30, 20, 10]);
    }

    #[test]
    fn an_output_that_alone_is_written_uses_its_channels() {
        let mut multiply = bundle(operation(OperationKind::Arithmetic(&MUL), &[attribute(0), attribute(0)], None));
        multiply.vector.mask = WriteMask(0);
        multiply.output = Some(VertexOutput { index: 3, relative: None, unit: Unit::Vector, mask: WriteMask(0b0101) });
        let schedule = VertexSchedule::new(&program(vec![multiply]), &ShaderUnits::default());
        assert_eq!(schedule.blocks[0].slots[0].vector, Some(0b0101));
    }

    #[test]
    fn a_taken_branch_costs_two_cycles() {
        let back = vertex_branch(u32::from(ScalarOpcode::Bra.code()), 1)
            .with(VertexField::COND_TEST, 1)
            .with(VertexField::COND, 1);
        let words = [VERTEX_NOP, vector(VectorOpcode::Add, 15), back, VERTEX_NOP.with(VertexField::END, 1)];
        let schedule = schedule(&words);
        let ends: Vec<VertexBlockEnd> = schedule.blocks.iter().map(|block| block.ends_by).collect();
        assert_eq!(ends, [VertexBlockEnd::Next, VertexBlockEnd::Branch, VertexBlockEnd::End]);
        assert_eq!(schedule.blocks[1].slots[1].scalar, ScalarWork::Flow);
        assert_eq!(schedule.straight_clocks(), None);
        // One vertex with three loop iterations: 1 + 3 · 2 + 1 words, two branches taken.
        let counts = VertexCounts { blocks: vec![1, 3, 1], taken: vec![0, 2, 0] };
        assert_eq!(schedule.cycles(&counts), 8 + 2 * 2);
        assert_eq!(schedule.cycles(&VertexCounts::default()), 0);
    }
}
