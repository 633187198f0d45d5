//! Turns condition tests, over the codes of `wgsl/arith/condition.wgsl`, and comparisons of integers into WGSL.

use super::text::COMPONENTS;
use crate::pipeline::Compare;
use crate::shader::condition::{Relation, Swizzle};

/// The codes (1 less, 2 equal, 4 greater, 8 unordered) for which a relation holds.
pub(super) const fn passing_codes(relation: Relation) -> u32 {
    match relation {
        Relation::Never => 0,
        Relation::Less => 1,
        Relation::Equal => 2,
        Relation::LessEqual => 3,
        Relation::Greater => 4,
        // NaN counts as not equal.
        Relation::NotEqual => 13,
        Relation::GreaterEqual => 6,
        Relation::Always => 15,
    }
}

/// Four component letters, for example `wzyx`.
pub(super) fn swizzle_letters(swizzle: Swizzle) -> String {
    swizzle.0.iter().map(|component| COMPONENTS[usize::from(component & 3)]).collect()
}

/// `expression.swizzle`, or the expression itself if the swizzle is the identity.
pub(super) fn swizzled(expression: &str, swizzle: Swizzle) -> String {
    if swizzle == Swizzle::IDENTITY {
        expression.to_owned()
    } else {
        format!("{expression}.{}", swizzle_letters(swizzle))
    }
}

/// The comparison of four values with four others.
pub(crate) fn comparison(compare: Compare, first: &str, second: &str) -> String {
    let operator = match compare {
        Compare::Never => return "vec4<bool>(false)".to_owned(),
        Compare::Always => return "vec4<bool>(true)".to_owned(),
        Compare::Less => "<",
        Compare::Equal => "==",
        Compare::LessEqual => "<=",
        Compare::Greater => ">",
        Compare::NotEqual => "!=",
        Compare::GreaterEqual => ">=",
    };
    format!("(({first}) {operator} ({second}))")
}
