//! Condition tests into WGSL over the codes of `wgsl/arith/condition.wgsl`.

use super::text::COMPONENTS;
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

/// `expression.swizzle`, or the expression itself when nothing moves.
pub(super) fn swizzled(expression: &str, swizzle: Swizzle) -> String {
    if swizzle == Swizzle::IDENTITY {
        expression.to_owned()
    } else {
        format!("{expression}.{}", swizzle_letters(swizzle))
    }
}
