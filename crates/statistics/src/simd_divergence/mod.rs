//! Groups the quads of a draw into SIMD batches, and counts where the pixels of a batch diverge and what a batch executes.
//!
//! The fragment processor processes hundreds of pixels at a time. If some of them take a branch and some do not,
//! all of them execute both sides and write only on their own (GPU Gems 2, section 30.3.2). A batch is a fixed
//! number of shaded quads of one draw in rasterization order; the last batch of a draw may have fewer. If one quad
//! of a batch enters a block, all of them execute it.
// Unverified: which quads form a batch, and that all quad pipelines share it.

#[cfg(test)]
mod tests;

use bytemuck::{Pod, Zeroable};

use super::ParameterError;

/// The most quads of a batch.
pub const MAX_BATCH_QUADS: u32 = 1 << 16;

/// A trace event: a quad reached a branch or entered a block of its program.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct BranchStep {
    /// The branch or block, as numbered in the draw.
    pub place: u32,
    /// Bit i: pixel i is active; bit 4 + i: it takes the branch.
    pub pixels: u32,
}

/// The part of a trace that belongs to a draw; each list starts where that of the previous draw ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BranchDraw {
    /// Blocks of its program; a program without flow is one.
    pub blocks: u32,
    /// The end of its places.
    pub place_end: u32,
    /// The end of its quads.
    pub quad_end: u32,
}

/// The branches and blocks that the shaded quads of draws reached.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BranchTrace {
    /// The draws.
    pub draws: Vec<BranchDraw>,
    /// The number of the block that begins at each place of a draw; `None` for branches.
    pub places: Vec<Option<u32>>,
    /// The end of each quad's steps, which begin where those of the previous quad end.
    pub quads: Vec<u32>,
    /// What quads did, in order.
    pub steps: Vec<BranchStep>,
}

/// The quads of a batch.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct QuadBatch {
    /// The draw.
    pub draw: u32,
    /// How many quads it has.
    pub quads: u32,
    /// The end of its steps, which begin where those of the previous batch end.
    pub step_end: u32,
}

impl BranchTrace {
    /// Adds a draw with its places and the number of blocks of its program, at least one; its quads follow.
    ///
    /// # Errors
    /// When the trace would have 2³² events or more.
    pub fn push_draw(&mut self, blocks: usize, places: &[Option<u32>]) -> Result<(), ParameterError> {
        self.places.extend(places);
        let draw = BranchDraw {
            blocks: ParameterError::word("blocks", blocks.max(1))?,
            place_end: ParameterError::word("places", self.places.len())?,
            quad_end: ParameterError::word("quads", self.quads.len())?,
        };
        self.draws.push(draw);
        Ok(())
    }

    /// Adds a quad to the last draw.
    ///
    /// # Errors
    /// As [`BranchTrace::push_draw`].
    pub fn push_quad(&mut self, steps: impl IntoIterator<Item = BranchStep>) -> Result<(), ParameterError> {
        self.steps.extend(steps);
        self.quads.push(ParameterError::word("steps", self.steps.len())?);
        if let Some(draw) = self.draws.last_mut() {
            draw.quad_end = ParameterError::word("quads", self.quads.len())?;
        }
        Ok(())
    }

    /// Each draw with the ranges of its places and quads.
    pub fn ranges(&self) -> impl Iterator<Item = (&BranchDraw, [std::ops::Range<usize>; 2])> {
        let mut first = [0; 2];
        self.draws.iter().map(move |draw| {
            let end = [draw.place_end, draw.quad_end].map(|end| end as usize);
            let [places, quads] = [0, 1].map(|list| first[list]..end[list]);
            first = end;
            (draw, [places, quads])
        })
    }

    /// The batches of all draws, in order.
    pub fn batches(&self, batch_quads: u32) -> impl Iterator<Item = QuadBatch> {
        (0..).zip(self.ranges()).flat_map(move |(draw, (_, [_, quads]))| {
            self.quads[quads].chunks(batch_quads as usize).map(move |quads| QuadBatch {
                draw,
                quads: u32::try_from(quads.len()).expect("at most those of a batch"),
                step_end: quads.last().copied().unwrap_or(0),
            })
        })
    }

    /// Checks that draws partition places and quads, that quads partition the steps, and that steps name places,
    /// which name blocks.
    ///
    /// # Errors
    /// With the size of a batch if it is out of range, or with the field that does not fit.
    pub fn check(&self, batch_quads: u32) -> Result<(), ParameterError> {
        let holds = (1..=MAX_BATCH_QUADS).contains(&batch_quads);
        ParameterError::unless(holds, "batch_quads", batch_quads, "from 1 to 65536")?;
        check_ends(self.draws.iter().map(|draw| draw.place_end), "place_end", self.places.len())?;
        check_ends(self.draws.iter().map(|draw| draw.quad_end), "quad_end", self.quads.len())?;
        check_ends(self.quads.iter().copied(), "quads", self.steps.len())?;
        for (draw, [places, quads]) in self.ranges() {
            let most = self.places[places.clone()].iter().flatten().max().copied().unwrap_or(0);
            ParameterError::unless(most < draw.blocks, "places", most, "blocks of the draw")?;
            let first = quads.start.checked_sub(1).map_or(0, |quad| self.quads[quad] as usize);
            let end = quads.end.checked_sub(1).map_or(0, |quad| self.quads[quad] as usize);
            let most = self.steps[first..end].iter().map(|step| step.place).max();
            let holds = most.is_none_or(|most| (most as usize) < places.len());
            ParameterError::unless(holds, "place", most.unwrap_or(0), "a place of the draw")?;
        }
        Ok(())
    }
}

/// Checks that ends ascend, and that the last is the end of a list of `count` elements.
fn check_ends(ends: impl Iterator<Item = u32>, field: &'static str, count: usize) -> Result<(), ParameterError> {
    let mut first = 0;
    for end in ends {
        let holds = first <= end && end as usize <= count;
        ParameterError::unless(holds, field, end, "at or behind the one before, inside the list")?;
        first = end;
    }
    ParameterError::unless(first as usize == count, field, first, "at last the end of the list")
}

/// Counts of the batches of a draw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchFlow {
    /// Number of batches.
    pub batches: u64,
    /// Conditional branches that all active pixels of a batch took.
    pub uniform_taken: u64,
    /// Conditional branches that no active pixel took.
    pub uniform_not_taken: u64,
    /// Conditional branches that some active pixels took and some did not.
    pub divergent: u64,
    /// How often quads entered each block, by number, together with the others of their batch.
    pub entered: Vec<u64>,
}

/// Bits: what the quads of a batch did at a place.
const TAKEN: u8 = 1;
const NOT_TAKEN: u8 = 2;
const BOTH: u8 = TAKEN | NOT_TAKEN;
const REACHED: u8 = 4;

/// Groups quads into batches of 1 to [`MAX_BATCH_QUADS`]; returns the counts of each draw.
///
/// # Errors
/// When the size is out of range, or the trace is inconsistent.
pub fn simulate(trace: &BranchTrace, batch_quads: u32) -> Result<Vec<BatchFlow>, ParameterError> {
    trace.check(batch_quads)?;
    let flow = |draw: &BranchDraw| BatchFlow { entered: vec![0; draw.blocks as usize], ..BatchFlow::default() };
    let mut flows: Vec<_> = trace.draws.iter().map(flow).collect();
    let places: Vec<_> = trace.ranges().map(|(_, [places, _])| &trace.places[places]).collect();
    let mut seen = vec![0u8; places.iter().map(|places| places.len()).max().unwrap_or(0)];
    let mut reached: Vec<usize> = Vec::new();
    let mut first = 0;
    for batch in trace.batches(batch_quads) {
        let (flow, places) = (&mut flows[batch.draw as usize], places[batch.draw as usize]);
        for step in &trace.steps[first..batch.step_end as usize] {
            let seen = &mut seen[step.place as usize];
            if *seen == 0 {
                reached.push(step.place as usize);
            }
            let (active, taken) = (step.pixels & 15, step.pixels >> 4 & 15);
            *seen |= REACHED;
            *seen |= if active & taken != 0 { TAKEN } else { 0 };
            *seen |= if active & !taken != 0 { NOT_TAKEN } else { 0 };
        }
        first = batch.step_end as usize;
        let quads = u64::from(batch.quads);
        flow.batches += 1;
        flow.entered[0] += quads;
        for place in reached.drain(..) {
            let seen = std::mem::take(&mut seen[place]);
            match (places[place], seen & BOTH) {
                (Some(block), _) => flow.entered[block as usize] += quads,
                (None, TAKEN) => flow.uniform_taken += 1,
                (None, BOTH) => flow.divergent += 1,
                (None, _) => flow.uniform_not_taken += 1,
            }
        }
    }
    Ok(flows)
}
