//! The maximum number of loop iterations for shading a quad: fetches and programs declare it, and tile kernels rely on it.

/// Loop iterations that counting a primitive may take: one for every 32 counts, and for carries.
pub(crate) const ENTER_ITERATIONS: u64 = 4;

/// Maximum numbers of loop iterations for shading a quad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct QuadIterations {
    /// Iterations that are charged in advance, whether they run or not.
    pub fixed: u64,
    /// Iterations of an anisotropic filter's samples after the first, which are counted as they run.
    pub samples: u64,
    /// User clip planes; each takes an iteration before it is known whether the quad is covered.
    pub clip_planes: u32,
    /// Iterations that counting adds to a primitive.
    pub counting: u64,
}
