//! Expressions of scene files: evaluates to numbers, vectors and matrices that depend on the frame, a vertex, a
//! texel or an instance.
//!
//! An expression names *values*: built-in ones such as `time`, and those that the scene defines. Definitions are
//! looked up where an expression is used, innermost first, so that a scene's `mvp` uses the `model` of each draw.

mod error;
mod evaluate;
mod functions;
mod parse;
mod parsed;
mod scope;
pub(super) mod trigonometry;
mod value;

pub use error::ExpressionError;
pub use evaluate::MAX_STEPS;
pub use functions::FUNCTIONS;
pub use parsed::Expression;
pub use scope::Scope;
pub use value::{IDENTITY, Matrix, Value};
pub(in crate::scene) use value::{inverted, transposed};

#[cfg(test)]
mod tests;
