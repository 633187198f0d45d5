//! Removes code that a module's constants disable, because drivers keep everything that they are given.

use naga::{BinaryOperator, Block, Constant, Expression, Function, Handle, Literal, Module, Statement, UnaryOperator};

/// Replaces branches on constants by the side that runs. Drops what follows a side that leaves its block.
pub(super) fn fold_branches(module: &mut Module) {
    let truths: Vec<_> = (module.constants.iter())
        .map(|(handle, constant)| (handle, truth_of_literal(&module.global_expressions[constant.init])))
        .collect();
    let constant = |wanted: Handle<Constant>| truths[wanted.index()].1;
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter_mut().map(|entry| &mut entry.function)) {
        let body = std::mem::take(&mut function.body);
        function.body = folded(body, &|condition| truth(function, condition, &constant));
        // Names would keep expressions that are no longer used.
        function.named_expressions.clear();
    }
}

fn truth_of_literal(expression: &Expression) -> Option<bool> {
    if let Expression::Literal(Literal::Bool(value)) = expression { Some(*value) } else { None }
}

/// The value of a condition, if it is constant.
fn truth(
    function: &Function,
    condition: Handle<Expression>,
    constant: &dyn Fn(Handle<Constant>) -> Option<bool>,
) -> Option<bool> {
    let of = |condition| truth(function, condition, constant);
    match function.expressions[condition] {
        Expression::Constant(handle) => constant(handle),
        Expression::Unary { op: UnaryOperator::LogicalNot, expr } => of(expr).map(|value| !value),
        Expression::Binary { op: BinaryOperator::LogicalAnd | BinaryOperator::And, left, right } => {
            match [of(left), of(right)] {
                [Some(false), _] | [_, Some(false)] => Some(false),
                [left, right] => left.and(right),
            }
        }
        Expression::Binary { op: BinaryOperator::LogicalOr | BinaryOperator::InclusiveOr, left, right } => {
            match [of(left), of(right)] {
                [Some(true), _] | [_, Some(true)] => Some(true),
                [left, right] => left.and(right),
            }
        }
        ref expression => truth_of_literal(expression),
    }
}

fn folded(block: Block, truth: &dyn Fn(Handle<Expression>) -> Option<bool>) -> Block {
    let mut result = Block::with_capacity(block.len());
    for (statement, span) in block.span_into_iter() {
        let statement = match statement {
            Statement::If { condition, accept, reject } => match truth(condition) {
                Some(value) => {
                    let side = folded(if value { accept } else { reject }, truth);
                    let ends = side.last().is_some_and(Statement::is_terminator);
                    result.extend_block(side);
                    if ends {
                        return result;
                    }
                    continue;
                }
                None => Statement::If { condition, accept: folded(accept, truth), reject: folded(reject, truth) },
            },
            Statement::Block(inner) => Statement::Block(folded(inner, truth)),
            Statement::Loop { body, continuing, break_if } => {
                Statement::Loop { body: folded(body, truth), continuing: folded(continuing, truth), break_if }
            }
            Statement::Switch { selector, mut cases } => {
                for case in &mut cases {
                    case.body = folded(std::mem::take(&mut case.body), truth);
                }
                Statement::Switch { selector, cases }
            }
            other => other,
        };
        result.push(statement, span);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    /// Folds a body with two constants; returns how many branches are left, and the numbers that it stores.
    fn left_of(body: &str) -> (usize, Vec<u32>) {
        let text = format!(
            "const YES: bool = true; const NO: bool = false;\n\
             @group(0) @binding(0) var<storage, read_write> words: array<u32>;\n\
             @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) local: u32) {{ {body} }}"
        );
        let mut module = naga::front::wgsl::parse_str(&text).expect("it is WGSL");
        fold_branches(&mut module);
        naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::default());
        validator.validate(&module).expect("what is left is valid");
        let function = &module.entry_points[0].function;
        let (mut branches, mut stored) = (0, Vec::new());
        count(function, &function.body, &mut branches, &mut stored);
        (branches, stored)
    }

    fn count(function: &Function, block: &Block, branches: &mut usize, stored: &mut Vec<u32>) {
        for statement in block.iter() {
            match statement {
                Statement::If { accept, reject, .. } => {
                    *branches += 1;
                    for side in [accept, reject] {
                        count(function, side, branches, stored);
                    }
                }
                Statement::Loop { body, continuing, .. } => {
                    for part in [body, continuing] {
                        count(function, part, branches, stored);
                    }
                }
                Statement::Switch { cases, .. } => {
                    cases.iter().for_each(|case| count(function, &case.body, branches, stored));
                }
                Statement::Block(inner) => count(function, inner, branches, stored),
                Statement::Store { value, .. } => {
                    if let Expression::Literal(Literal::U32(number)) = function.expressions[*value] {
                        stored.push(number);
                    }
                }
                _ => (),
            }
        }
    }

    #[test]
    fn the_side_of_a_constant_is_left() {
        assert_eq!(left_of("if YES { words[0] = 1u; } else { words[0] = 2u; }"), (0, vec![1]));
        assert_eq!(left_of("if NO { words[0] = 1u; } else { words[0] = 2u; } words[1] = 3u;"), (0, vec![2, 3]));
        assert_eq!(left_of("if !NO { words[0] = 1u; } words[1] = 3u;"), (0, vec![1, 3]));
        assert_eq!(left_of("if NO { words[0] = 1u; }"), (0, vec![]));
    }

    #[test]
    fn what_follows_a_side_that_leaves_is_dropped() {
        assert_eq!(left_of("if YES { words[0] = 1u; return; } words[1] = 2u;"), (0, vec![1]));
        assert_eq!(left_of("if NO { words[0] = 1u; return; } words[1] = 2u;"), (0, vec![2]));
        let body = "loop { words[0] = 1u; if YES { break; } words[1] = 2u; } words[2] = 3u;";
        assert_eq!(left_of(body), (0, vec![1, 3]));
    }

    #[test]
    fn branches_on_values_stay_and_are_folded_inside() {
        let body =
            "let x = local; if x == 3u { if YES { words[0] = 1u; } else { words[0] = 2u; } } else { words[1] = x; }";
        assert_eq!(left_of(body), (1, vec![1]));
        let body = "switch local { case 0u: { if NO { words[0] = 1u; } } default: { words[0] = 2u; } }";
        assert_eq!(left_of(body), (0, vec![2]));
        assert_eq!(left_of("if YES == (local == 1u) { words[0] = 1u; }").0, 1);
        // Only one side of each is a constant.
        assert_eq!(left_of("if (local == 1u) & NO { words[0] = 1u; }"), (0, vec![]));
        assert_eq!(left_of("if (local == 1u) | YES { words[0] = 1u; }"), (0, vec![1]));
        assert_eq!(left_of("if (local == 1u) & YES { words[0] = 1u; }"), (1, vec![1]));
        assert_eq!(left_of("if (local == 1u) | NO { words[0] = 1u; }"), (1, vec![1]));
    }
}
