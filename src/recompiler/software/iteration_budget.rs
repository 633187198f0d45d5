//! The most loop iterations that shading a quad takes: what fetches and programs state, and tile kernels rely on.

/// The most loop iterations that shading a quad takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct QuadIterations {
    /// Those that are charged in advance, whether they are run or not.
    pub fixed: u64,
    /// Those of anisotropic filtering, which are counted one by one.
    pub ellipses: u64,
    /// User clip planes, each of which takes an iteration before it is known whether the quad is covered.
    pub clip_planes: u32,
    /// Those that counting adds to a primitive.
    pub counting: u64,
}
