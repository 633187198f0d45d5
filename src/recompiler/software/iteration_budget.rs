//! How many rounds of loops shading a quad may take: what fetches and programs say, and kernels of whole tiles count on.

/// Most rounds of loops that shading a quad takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct QuadRounds {
    /// Those that are charged before, whether they are run or not.
    pub fixed: u64,
    /// Those of ellipses, which are counted one by one.
    pub ellipses: u64,
    /// User clip planes, each of which takes a round before it is known whether the quad is covered.
    pub clip_planes: u32,
    /// Those of a record besides, to be counted.
    pub counting: u64,
}
