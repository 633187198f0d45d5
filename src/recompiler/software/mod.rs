//! Text that serves only software adapters: kernels with an invocation per tile (`walk_tile`), within the loop iterations
//! that these adapters run ([`iteration_budget`], [`continuations`]), vertices of several draws in one dispatch ([`multi_draw`]),
//! and pixels in pairs.

pub mod continuations;
pub(crate) mod hidden_primitives;
pub mod iteration_budget;
pub mod multi_draw;
pub(crate) mod pixel_pairs;
pub(crate) mod quad_traversal;
pub(crate) mod walk_tile;
pub(crate) mod zcull;
