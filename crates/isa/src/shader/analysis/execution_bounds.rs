//! Bounds the instructions and loop iterations that a program can execute, and its size once calls are inlined.

use super::ProgramView;
use crate::shader::fragment::{Block, FragmentNode, FragmentOperation};

/// The deepest nesting of calls that is inlined; beyond it a program is refused as too large.
const CALL_LIMIT: usize = 16;

/// Weights of the parts of a program.
struct Weights<'a> {
    /// Each instruction.
    node: u64,
    /// The additional weight of each operation.
    operation: &'a dyn Fn(&FragmentOperation) -> u64,
    /// The additional weight of each loop iteration; `None` counts a loop's body once.
    iteration: Option<u64>,
}

/// The number of operations after inlining all calls.
#[must_use]
pub fn inlined_operations(view: &ProgramView<'_>) -> u64 {
    weight(view, view.body, 0, &Weights { node: 1, operation: &|_| 0, iteration: None })
}

/// The most instructions that a quad can execute.
#[must_use]
pub fn executed_bound(view: &ProgramView<'_>) -> u64 {
    weight(view, view.body, 0, &Weights { node: 1, operation: &|_| 0, iteration: Some(0) })
}

/// The most loop iterations that a quad can execute, including those of operations.
#[must_use]
pub fn iterations_bound(view: &ProgramView<'_>, iteration: u64, operation: &dyn Fn(&FragmentOperation) -> u64) -> u64 {
    weight(view, view.body, 0, &Weights { node: 0, operation, iteration: Some(iteration) })
}

fn weight(view: &ProgramView<'_>, block: &Block, calls: usize, weights: &Weights<'_>) -> u64 {
    block.iter().fold(0u64, |sum, node| {
        let inner = match node {
            FragmentNode::Operation(operation) => (weights.operation)(operation),
            FragmentNode::Break { .. } | FragmentNode::Return { .. } => 0,
            FragmentNode::If { then, otherwise, .. } => {
                weight(view, then, calls, weights).saturating_add(weight(view, otherwise, calls, weights))
            }
            FragmentNode::Loop { count, body, .. } => {
                let body = weight(view, body, calls, weights);
                match weights.iteration {
                    // Leaving a loop at its top also takes an iteration, in which everything runs masked.
                    Some(iteration) => body.saturating_add(iteration).saturating_mul(u64::from(*count) + iteration),
                    None => body,
                }
            }
            FragmentNode::Call { subroutine, .. } => match view.subroutines.get(*subroutine) {
                Some(body) if calls < CALL_LIMIT => weight(view, body, calls + 1, weights),
                _ => u64::MAX,
            },
        };
        sum.saturating_add(weights.node).saturating_add(inner)
    })
}

#[cfg(test)]
mod tests {
    use super::{executed_bound, inlined_operations, iterations_bound};
    use crate::isa::nv40_fragment::FragmentOpcode as Op;
    use crate::isa::test_words::{flow, fragment, full, words};
    use crate::shader::analysis::test_programs::view;
    use crate::shader::fragment::{FragmentNode, FragmentProgram};

    #[test]
    fn a_loop_weighs_its_body_and_the_way_out() {
        // Five iterations of one operation, then a call of a subroutine of one.
        let copy = fragment(Op::Mov, 1, &[full(0)]);
        let program = [
            flow(Op::Rep, 5 << 2 | 5 << 10 | 5 << 19, 8),
            copy,
            flow(Op::Cal, 16, 0),
            flow(Op::Ret, 0, 0),
            copy,
            flow(Op::Ret, 0, 0),
        ];
        let program = FragmentProgram::decode(&words(&program)).unwrap();
        let view = view(&program);
        let FragmentNode::Loop { count, .. } = program.body[0] else { panic!("a loop was expected") };
        let count = u64::from(count);
        assert_eq!(count, 5);
        assert_eq!(inlined_operations(&view), 4);
        assert_eq!(executed_bound(&view), 1 + count + 2);
        assert_eq!(iterations_bound(&view, 1, &|_| 0), count + 1);
        assert_eq!(iterations_bound(&view, 0, &|_| 3), 3 * count + 3);
    }
}
