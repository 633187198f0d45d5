//! The counts that the stages of a draw add up while it runs; kernels add to words in the same order.

use super::blocks::ProgramCounts;
use super::lookups::LookupCounts;

/// A count that stages increment while a draw runs, numbered like its words on a device.
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
    /// Samples of front faces that failed the stencil test. If [`tells_faces`](super::tells_faces) is false, this
    /// and the following front counts may contain the samples of all faces.
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
    /// Quads with a fragment that has a passing sample.
    PassingQuads,
    /// Fragments with a passing sample.
    PassingFragments,
    /// Pixels outside the scissor.
    ScissorRejects,
    /// Pixels removed by window clips.
    WindowClipRejects,
    /// Conditional branches that all active pixels of a quad took.
    UniformTaken,
    /// Conditional branches that no active pixel took.
    UniformNotTaken,
    /// Conditional branches that some but not all active pixels took.
    Divergent,
}

impl StageCount {
    /// The number of these counts. The other counts of the fragment program follow, as [`ProgramWords`] describes.
    pub const COUNT: usize = Self::Divergent as usize + 1;
}

/// The words that count what a fragment program did besides branches: one per block except the main one, then
/// those of [`LookupCounts`] for each unit whose fetches are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramWords {
    /// Blocks of the program.
    pub blocks: usize,
    /// Bit i: the fetches of texture unit i are counted.
    pub units: u16,
}

impl ProgramWords {
    /// The number of words.
    #[must_use]
    pub const fn count(self) -> usize {
        self.blocks.saturating_sub(1) + LookupCounts::WORDS * self.units.count_ones() as usize
    }

    /// The first word of the units.
    const fn first_lookup(self) -> usize {
        StageCount::COUNT + self.blocks.saturating_sub(1)
    }

    /// The units in order.
    fn units(self) -> impl Iterator<Item = usize> {
        (0..16).filter(move |unit| self.units >> unit & 1 != 0)
    }
}

/// The counts of one draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageCounts {
    words: Vec<u64>,
    program: ProgramWords,
}

impl StageCounts {
    /// Zeros.
    #[must_use]
    pub fn new(program: ProgramWords) -> Self {
        Self { words: vec![0; Self::words(program)], program }
    }

    /// The number of words.
    #[must_use]
    pub const fn words(program: ProgramWords) -> usize {
        StageCount::COUNT + program.count()
    }

    /// Reads the counts from a device's words.
    #[must_use]
    pub const fn from_words(words: Vec<u64>, program: ProgramWords) -> Self {
        Self { words, program }
    }

    /// Returns a count.
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

    /// The fetch counts of each counted unit, as [`LookupCounts::words`].
    pub fn lookups(&self) -> impl Iterator<Item = (usize, [u64; LookupCounts::WORDS])> {
        let words = self.words.get(self.program.first_lookup()..).unwrap_or_default().as_chunks().0;
        self.program.units().zip(words.iter().copied())
    }

    /// Adds samples and texels to a counted unit.
    pub fn add_lookups(&mut self, unit: usize, [samples, texels]: [u64; 2]) {
        if let Some(place) = self.program.units().position(|counted| counted == unit) {
            let first = self.program.first_lookup() + LookupCounts::WORDS * place;
            self.words[first] += samples;
            self.words[first + 1] += texels;
        }
    }

    /// Adds what the program did for a quad.
    pub fn add_program(&mut self, counts: &ProgramCounts) {
        let branches = [StageCount::UniformTaken, StageCount::UniformNotTaken, StageCount::Divergent];
        for (count, amount) in branches.into_iter().zip(counts.branches) {
            self.add(count, amount.into());
        }
        let entered = counts.entered.iter().skip(1).copied();
        let taken = self.program.units().flat_map(|unit| counts.lookups[unit].words());
        for (word, amount) in self.words[StageCount::COUNT..].iter_mut().zip(entered.chain(taken)) {
            *word += u64::from(amount);
        }
    }
}
