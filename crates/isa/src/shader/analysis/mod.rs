//! Analyses of typed programs: pure functions from a program to a value, each in a file of its own.
//!
//! Passes over fragment programs take a [`ProgramView`]. Passes that track registers follow [`execution_order`],
//! which inlines calls; their results are lists in that order.

pub mod execution_bounds;
pub mod execution_order;
pub mod nan_and_denormals;
pub mod resource_usage;
pub mod underflow;
pub mod value_ranges;
pub mod vertex_normal_range;
pub mod vertex_resources;

use super::fragment::{Block, FragmentOperation, FragmentOutputs};
use super::fragment_blocks::operations;

/// A program with its draw's inputs and outputs.
#[derive(Debug, Clone, Copy)]
pub struct ProgramView<'p> {
    /// The main block.
    pub body: &'p Block,
    /// Subroutines.
    pub subroutines: &'p [Block],
    /// The outputs stored at its end.
    pub outputs: FragmentOutputs,
    /// Whether inputs are interpolated, which is arithmetic; otherwise they may have any bits.
    pub interpolates: bool,
    /// Bit i: fetches from texture unit i return values in 0..1.
    pub unit_range_fetches: u16,
}

/// How a kernel computes sums and products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArithmeticPath {
    /// As the chip does, for all values.
    Exact,
    /// With single float operations over multiples of 2⁻¹²⁶, infinities and NaN.
    Fast,
}

impl<'p> ProgramView<'p> {
    /// The main block and the subroutines.
    pub fn blocks(&self) -> impl Iterator<Item = &'p Block> {
        std::iter::once(self.body).chain(self.subroutines)
    }

    /// Every operation once, in program order.
    #[must_use]
    pub fn operations(&self) -> Vec<&'p FragmentOperation> {
        operations(self.blocks()).collect()
    }
}

#[cfg(test)]
mod test_programs {
    //! Programs from microcode, for the tests of the passes.

    use super::ProgramView;
    use crate::isa::nv40_fragment::FragmentWord;
    use crate::isa::test_words::ended;
    use crate::shader::fragment::{FragmentOutputs, FragmentProgram};

    /// Decodes a program without flow.
    pub(super) fn straight(words: Vec<FragmentWord>) -> FragmentProgram {
        FragmentProgram::decode(&ended(words)).unwrap()
    }

    /// Views a program that outputs R0 and interpolates its inputs.
    pub(super) fn view(program: &FragmentProgram) -> ProgramView<'_> {
        ProgramView {
            body: &program.body,
            subroutines: &program.subroutines,
            outputs: FragmentOutputs { has_full_outputs: true, exports_depth: false, targets: 1 },
            interpolates: true,
            unit_range_fetches: 1,
        }
    }
}
