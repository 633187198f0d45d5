//! Evaluates the tree of an expression.

use super::error::ExpressionError;
use super::functions::call;
use super::parse::{Node, NodeKind, Operator};
use super::parsed::Expression;
use super::scope::Scope;
use super::value::{Value, componentwise, product, transformed};
use crate::scene::suggest::suggestion;

/// The most steps that all expressions of one frame may take together.
pub const MAX_STEPS: u64 = 200_000_000;

/// The deepest nesting of parts and definitions together.
const MAX_DEPTH: usize = 400;

impl Expression {
    /// The value in a scope.
    ///
    /// # Errors
    /// When a name is unknown, a function does not accept its arguments, or the scope's steps are used up.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, ExpressionError> {
        evaluate(self, &self.root, scope, 0)
    }
}

/// The value of a part of an expression.
fn evaluate(expression: &Expression, node: &Node, scope: &Scope<'_>, depth: usize) -> Result<Value, ExpressionError> {
    let error = |message: String, hint: String| {
        let span = expression.start + node.span.start..expression.start + node.span.end;
        Err(ExpressionError { message, hint, span })
    };
    let steps = scope.steps.get() + 1;
    scope.steps.set(steps);
    if steps > MAX_STEPS {
        return error(
            "the expressions of the scene compute too much".to_owned(),
            "use fewer texels or vertices".into(),
        );
    }
    if depth > MAX_DEPTH {
        return error("this value is defined by itself, or nested too deeply".to_owned(), String::new());
    }
    let part = |node: &Node| evaluate(expression, node, scope, depth + 1);
    let result = match &node.kind {
        NodeKind::Number(number) => Ok(Value::from(*number)),
        NodeKind::Name(name) => match scope.constant(name) {
            Some(value) => Ok(value),
            None => match scope.definition(name) {
                Some(definition) => return evaluate(definition, &definition.root, scope, depth + 1),
                None => {
                    let hint = suggestion(name, scope.names().into_iter());
                    return error(format!("there is no value `{name}` here"), hint.unwrap_or_default());
                }
            },
        },
        NodeKind::Vector(parts) => joined(&parts.iter().map(part).collect::<Result<Vec<_>, _>>()?),
        NodeKind::Call(name, arguments) => {
            let arguments = arguments.iter().map(part).collect::<Result<Vec<_>, _>>()?;
            call(name, &arguments)
        }
        NodeKind::Negate(inner) => multiply(&Value::from(-1.0), &part(inner)?),
        NodeKind::Operation(operator, left, right) => operate(*operator, &part(left)?, &part(right)?),
        NodeKind::Swizzle(inner, components) => swizzled(&part(inner)?, components),
    };
    result.or_else(|hint| error(format!("{} cannot be computed", described(node)), hint))
}

fn described(node: &Node) -> String {
    match &node.kind {
        NodeKind::Call(name, _) => format!("`{name}`"),
        _ => "this".to_owned(),
    }
}

fn operate(operator: Operator, left: &Value, right: &Value) -> Result<Value, String> {
    match operator {
        Operator::Multiply => multiply(left, right),
        Operator::Add => componentwise(left, right, |a, b| a + b),
        Operator::Subtract => componentwise(left, right, |a, b| a - b),
        Operator::Divide => componentwise(left, right, |a, b| if b == 0.0 { 0.0 } else { a / b }),
    }
}

/// Multiplies matrices, a matrix and a column vector, or components. A vector of three components is a point: its
/// fourth component is 1.
fn multiply(left: &Value, right: &Value) -> Result<Value, String> {
    match (left, right) {
        (Value::Matrix(a), Value::Matrix(b)) => Ok(Value::Matrix(product(a, b))),
        (Value::Matrix(m), Value::Vector { components: v, size: 4 }) => {
            Ok(Value::Vector { components: transformed(m, *v), size: 4 })
        }
        (Value::Matrix(m), Value::Vector { components: [x, y, z, _], size: 3 }) => {
            Ok(Value::Vector { components: transformed(m, [*x, *y, *z, 1.0]), size: 4 })
        }
        (Value::Matrix(m), Value::Vector { components, size: 1 })
        | (Value::Vector { components, size: 1 }, Value::Matrix(m)) => {
            Ok(Value::Matrix(m.map(|row| row.map(|value| value * components[0]))))
        }
        _ => componentwise(left, right, |a, b| a * b),
    }
}

/// Concatenates the components of all parts.
fn joined(parts: &[Value]) -> Result<Value, String> {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Value::Vector { components, size } => all.extend_from_slice(&components[..*size]),
            Value::Matrix(_) => return Err("a matrix cannot be a part of a vector".to_owned()),
        }
    }
    if all.len() > 4 {
        return Err(format!("a vector of {} components; there are at most four", all.len()));
    }
    Ok(Value::vector(&all))
}

fn swizzled(value: &Value, components: &[usize]) -> Result<Value, String> {
    match value {
        Value::Vector { components: all, size } => {
            if components.iter().any(|component| component >= size) {
                return Err(format!("{} has fewer components", value.kind()));
            }
            Ok(Value::vector(&components.iter().map(|&component| all[component]).collect::<Vec<_>>()))
        }
        Value::Matrix(rows) => match components {
            [row] => Ok(Value::Vector { components: rows[*row], size: 4 }),
            _ => Err("a matrix gives one row: x, y, z or w".to_owned()),
        },
    }
}
