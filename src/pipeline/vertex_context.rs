//! Derives from the vertex stage of a draw what its program reads besides the vertex.

use super::Vec4VertexStage;
use crate::arith::vertex::VertexRuleSet;

/// What a vertex program reads besides its vertex.
#[derive(Debug, Clone, Copy)]
pub struct VertexContext<'stage> {
    /// The constant store; constants beyond it read zero.
    pub constants: &'stage [[u32; 4]],
    /// The rule set of the arithmetic.
    pub rules: VertexRuleSet,
    /// The booleans of BRB and CLB.
    pub booleans: u32,
    /// Limit of instructions that one vertex executes; checked at the start of a basic block.
    pub instruction_limit: u32,
    /// Lowest and highest constant that indexed reads can access; the others read zero.
    pub indexed_constants: (u16, u16),
}

impl<'stage> VertexContext<'stage> {
    /// The context for a draw.
    #[must_use]
    pub fn new(stage: &'stage Vec4VertexStage) -> Self {
        Self {
            constants: &stage.constants,
            rules: stage.rules,
            booleans: stage.booleans,
            instruction_limit: stage.instruction_limit,
            indexed_constants: stage.indexed_constants,
        }
    }
}
