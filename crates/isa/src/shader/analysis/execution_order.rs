//! Lists a program's operations in execution order, with calls inlined, and the points where paths diverge or
//! join.

use super::ProgramView;
use super::execution_bounds::executed_bound;
use crate::shader::condition::Relation;
use crate::shader::fragment::{Block, EXECUTION_LIMIT, FragmentNode, FragmentOperation};
use crate::shader::fragment_blocks::nodes;

/// How pixels can leave a program before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlyEnds {
    /// Whether the instruction limit may end the program, so that kernels must count instructions.
    pub counts_instructions: bool,
    /// Whether pixels can end before the program does.
    pub can_end: bool,
}

impl EarlyEnds {
    /// Examines returns of the main block and the length of loops.
    #[must_use]
    pub fn of(view: &ProgramView<'_>) -> Self {
        let counts_instructions = executed_bound(view) >= u64::from(EXECUTION_LIMIT);
        Self { counts_instructions, can_end: has_return(view.body) || counts_instructions }
    }
}

/// One step of the execution order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'p> {
    /// An operation; listed once for each call that inlines it, and once for all iterations of a loop.
    Operation {
        /// The operation.
        operation: &'p FragmentOperation,
        /// Whether some pixels may be inactive.
        is_masked: bool,
    },
    /// Paths diverge or join: earlier facts about registers no longer hold.
    Join,
}

/// The steps of a program whose calls nest no deeper than [`super::execution_bounds::inlined_operations`] allows.
#[must_use]
pub fn execution_order<'p>(view: &ProgramView<'p>) -> Vec<Step<'p>> {
    let mut order = Order { subroutines: view.subroutines, steps: Vec::new() };
    order.block(view.body, EarlyEnds::of(view).can_end);
    order.steps
}

struct Order<'p> {
    subroutines: &'p [Block],
    steps: Vec<Step<'p>>,
}

impl<'p> Order<'p> {
    fn block(&mut self, block: &'p Block, is_masked: bool) {
        for node in block {
            match node {
                FragmentNode::Operation(operation) => self.steps.push(Step::Operation { operation, is_masked }),
                FragmentNode::If { condition, then, otherwise } => match condition.relation {
                    Relation::Always => self.block(then, is_masked),
                    _ => [then, otherwise].into_iter().filter(|block| !block.is_empty()).for_each(|block| {
                        self.block(block, true);
                        self.steps.push(Step::Join);
                    }),
                },
                FragmentNode::Loop { condition, body, .. } => {
                    if condition.relation != Relation::Never {
                        let is_masked = is_masked || condition.relation != Relation::Always || has_break(body);
                        self.steps.push(Step::Join);
                        self.block(body, is_masked);
                        self.steps.push(Step::Join);
                    }
                }
                FragmentNode::Call { condition, subroutine } => {
                    if let Some(body) = self.subroutines.get(*subroutine) {
                        let is_masked = is_masked || condition.relation != Relation::Always || has_return(body);
                        self.block(body, is_masked);
                    }
                }
                FragmentNode::Break { .. } | FragmentNode::Return { .. } => {}
            }
        }
    }
}

/// Whether pixels can leave a loop with this body before its last iteration.
#[must_use]
pub fn has_break(block: &Block) -> bool {
    block.iter().any(|node| match node {
        FragmentNode::Break { .. } => true,
        FragmentNode::If { then, otherwise, .. } => has_break(then) || has_break(otherwise),
        FragmentNode::Operation(_)
        | FragmentNode::Loop { .. }
        | FragmentNode::Call { .. }
        | FragmentNode::Return { .. } => false,
    })
}

/// Whether pixels can leave a routine with this body before its end.
#[must_use]
pub fn has_return(block: &Block) -> bool {
    nodes([block]).into_iter().any(|node| matches!(node, FragmentNode::Return { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op};
    use crate::isa::test_words::{flow, fragment, full, words};
    use crate::shader::analysis::test_programs::view;
    use crate::shader::fragment::FragmentProgram;

    #[test]
    fn calls_are_inlined_and_paths_join() {
        let copy = |register| fragment(Op::Mov, register, &[full(0)]);
        let program = [
            copy(1),
            flow(Op::If, 12, 16).with(Field::CONDITION, 4),
            copy(2),
            copy(3),
            flow(Op::Rep, 2 << 2 | 2 << 10 | 2 << 19, 24),
            copy(4),
            flow(Op::Cal, 36, 0),
            flow(Op::Cal, 36, 0),
            flow(Op::Ret, 0, 0),
            copy(5),
            flow(Op::Ret, 0, 0),
        ];
        let program = FragmentProgram::decode(&words(&program)).unwrap();
        // The written register, with a mark if pixels may be inactive; a bar where paths join.
        let text: Vec<String> = execution_order(&view(&program))
            .into_iter()
            .map(|step| match step {
                Step::Operation { operation, is_masked } => {
                    format!("{}{}", operation.destination.unwrap().index, if is_masked { "?" } else { "" })
                }
                Step::Join => "|".to_owned(),
            })
            .collect();
        assert_eq!(text.join(" "), "1 2? | 3? | | 4 | 5 5");
    }
}
