//! The key of a vertex kernel: everything that is baked into it.

use crate::arith::vertex::VertexRuleSet;
use crate::format::AttributeFormat;
use crate::pipeline::OutputMap;
use crate::shader::analysis::vertex_normal_range::NormalRangePlan;
use crate::shader::vertex::VertexProgram;

/// Vertices per invocation, and invocations per workgroup, if an invocation is one lane of a processor.
pub(in crate::recompiler) const PROCESSOR_RUN: [u32; 2] = [16, 16];
/// The same otherwise.
pub(in crate::recompiler) const SINGLE: [u32; 2] = [1, 64];

/// How the index of an array element follows from the vertex index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Advance {
    /// Element = index.
    Every,
    /// Element = index / divider.
    Divide,
    /// Element = index modulo divider.
    Modulo,
}

/// The baked state of one attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttributeLayout {
    /// A constant value from the parameters.
    Constant,
    /// An array in memory.
    Array {
        /// The format of its elements.
        format: AttributeFormat,
        /// How elements are indexed.
        advance: Advance,
        /// Alignment of the elements.
        alignment: ElementAlignment,
    },
}

/// The alignment of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementAlignment {
    /// At any byte.
    Bytes,
    /// At multiples of four bytes.
    Words,
}

/// The source of a vertex's attributes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum VertexFetch {
    /// Arrays in guest memory and constant values.
    Arrays(Box<[AttributeLayout; 16]>),
    /// Sixteen converted attributes per vertex at binding 3.
    Immediate,
}

/// Everything that is baked into one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VertexKernelKey {
    /// The program.
    pub program: VertexProgram,
    /// The rule set of the arithmetic.
    pub rules: VertexRuleSet,
    /// The source of attributes.
    pub fetch: VertexFetch,
    /// Bit i: output register i is stored.
    pub outputs: u16,
    /// How the stored registers come from those of the program; `None` stores them as they are.
    pub output_map: Option<OutputMap>,
    /// Whether an invocation may process several vertices in sequence.
    pub has_runs: bool,
}

impl VertexKernelKey {
    /// Bit i: output register i of the program is stored, or mapped to one that is.
    pub(super) fn kept_outputs(&self) -> u16 {
        self.output_map.map_or(self.outputs, |map| map.sources(self.outputs))
    }
}

/// Vertices per invocation, and invocations per workgroup, for a kernel whose key has this program and `has_runs`.
#[must_use]
pub fn run_and_workgroup(program: &VertexProgram, has_runs: bool) -> [u32; 2] {
    if has_runs && NormalRangePlan::is_worthwhile(program) { PROCESSOR_RUN } else { SINGLE }
}
