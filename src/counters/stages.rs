//! What the stages of a draw add up while it runs; kernels add to words in the same order.

use super::blocks::FlowCounts;

/// What is counted while a draw runs, numbered as its words on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum StageCount {
    /// Primitives dropped for the face they show.
    Culled,
    /// Primitives dropped for another reason.
    Rejected,
    /// Primitives that were set up.
    SetUp,
    /// Of these, primitives that were clipped.
    Clipped,
    /// Quads with a covered pixel.
    Quads,
    /// Covered pixels.
    Fragments,
    /// Covered samples, where samples are covered one by one.
    Samples,
    /// Fragments that shading discarded.
    Killed,
    /// Fragments that failed the alpha test.
    Alpha,
    /// Samples beyond the depth bounds.
    DepthBounds,
    /// Samples of front faces that failed the stencil test. Where [`tells_faces`](super::tells_faces) is false, those of all faces may
    /// stand here, and so below.
    StencilFront,
    /// Samples of back faces that failed the stencil test.
    StencilBack,
    /// Samples of front faces that failed the depth test alone.
    DepthFront,
    /// Samples of back faces that failed the depth test alone.
    DepthBack,
    /// Samples of front faces that passed.
    PassedFront,
    /// Samples of back faces that passed.
    PassedBack,
    /// Quads with a fragment of which a sample passed.
    PassingQuads,
    /// Fragments of which a sample passed.
    PassingFragments,
    /// Conditional branches that all active pixels of a quad took.
    UniformTaken,
    /// Conditional branches that none took.
    UniformNotTaken,
    /// Conditional branches that some took.
    Divergent,
}

impl StageCount {
    /// How many there are; the blocks of the fragment program but for the main block follow.
    pub const COUNT: usize = Self::Divergent as usize + 1;
}

/// The counts of one draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageCounts {
    words: Vec<u64>,
}

impl StageCounts {
    /// Zeros, for a fragment program of so many blocks.
    #[must_use]
    pub fn new(blocks: usize) -> Self {
        Self { words: vec![0; Self::words(blocks)] }
    }

    /// How many words there are for a program of so many blocks.
    #[must_use]
    pub const fn words(blocks: usize) -> usize {
        StageCount::COUNT + blocks.saturating_sub(1)
    }

    /// The counts that words of a device hold.
    #[must_use]
    pub const fn from_words(words: Vec<u64>) -> Self {
        Self { words }
    }

    /// A count.
    #[must_use]
    pub fn get(&self, count: StageCount) -> u64 {
        self.words.get(count as usize).copied().unwrap_or(0)
    }

    /// Adds to a count.
    pub fn add(&mut self, count: StageCount, amount: u64) {
        self.words[count as usize] += amount;
    }

    /// How often quads entered a block other than the main one, which every shaded quad enters once.
    #[must_use]
    pub fn block(&self, block: usize) -> u64 {
        self.words.get(StageCount::COUNT + block - 1).copied().unwrap_or(0)
    }

    /// Adds what a quad did at the flow of the program.
    pub fn add_flow(&mut self, flow: &FlowCounts) {
        let branches = [StageCount::UniformTaken, StageCount::UniformNotTaken, StageCount::Divergent];
        for (count, amount) in branches.into_iter().zip(flow.branches) {
            self.add(count, amount.into());
        }
        for (word, entered) in self.words[StageCount::COUNT..].iter_mut().zip(flow.entered.iter().skip(1)) {
            *word += u64::from(*entered);
        }
    }
}
