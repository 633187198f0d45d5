//! Quads of a draw into batches that take a branch together: what branches do to a batch, and what a batch executes.
//!
//! The fragment processor works on hundreds of pixels at a time; where some of them take a branch and some do not, all of
//! them go both ways and only write on their own (GPU Gems 2, section 30.3.2). A batch is so many shaded quads of one draw in
//! the order in which the rasteriser makes them; the last one of a draw may have fewer. A batch enters a block when one of its
//! quads does, and then with all of them.
// Unverified: which quads make up a batch, and that all quad pipelines share it.

use crate::counters::trace::DrawTrace;

/// What the batches of a draw did at the flow of its program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchFlow {
    /// How many batches there were.
    pub batches: u64,
    /// Conditional branches that all active pixels of a batch took.
    pub uniform_taken: u64,
    /// Those that none took.
    pub uniform_not_taken: u64,
    /// Those that some took and some did not.
    pub divergent: u64,
    /// How often quads went through each block, by number, together with the others of their batch.
    pub entered: Vec<u64>,
}

/// What happened at a place of a batch: bits.
const TAKEN: u8 = 1;
const NOT_TAKEN: u8 = 2;
const ENTERED: u8 = 4;

/// Makes batches of so many quads, at least one, of a draw whose fragment program has so many blocks.
#[must_use]
pub fn simulate(trace: &DrawTrace, blocks: usize, batch_quads: u32) -> BatchFlow {
    let mut flow = BatchFlow { entered: vec![0; blocks.max(1)], ..BatchFlow::default() };
    let mut seen = vec![0u8; trace.places.len()];
    let mut touched: Vec<usize> = Vec::new();
    let mut steps = trace.steps.iter().peekable();
    let shaded: Vec<u32> = (0..).zip(&trace.quads).filter(|(_, quad)| quad.is_shaded).map(|(quad, _)| quad).collect();
    for quads in shaded.chunks(batch_quads.max(1) as usize) {
        let last = quads.last().copied().unwrap_or(0);
        while let Some(step) = steps.next_if(|step| step.quad <= last) {
            let place = step.place as usize;
            let Some(seen) = seen.get_mut(place) else { continue };
            if *seen == 0 {
                touched.push(place);
            }
            *seen |= if trace.places[place].is_some() {
                ENTERED
            } else {
                let taken = if step.taken & step.active != 0 { TAKEN } else { 0 };
                taken | if step.active & !step.taken != 0 { NOT_TAKEN } else { 0 }
            };
        }
        let size = quads.len() as u64;
        flow.batches += 1;
        flow.entered[0] += size;
        for place in touched.drain(..) {
            match (std::mem::take(&mut seen[place]), trace.places[place]) {
                (_, Some(block)) => {
                    if let Some(entered) = flow.entered.get_mut(block as usize) {
                        *entered += size;
                    }
                }
                (TAKEN, None) => flow.uniform_taken += 1,
                (NOT_TAKEN, None) => flow.uniform_not_taken += 1,
                (_, None) => flow.divergent += 1,
            }
        }
    }
    flow
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::counters::trace::{TracedQuad, TracedStep};
    use crate::statistics::test_random::Random;

    /// The steps of a quad: place, active and taken pixels.
    type Steps = Vec<(u32, u8, u8)>;

    /// A trace of quads, those that are shaded with their steps.
    fn trace(places: Vec<Option<u32>>, quads: &[Option<Steps>]) -> DrawTrace {
        let steps = (0..).zip(quads).flat_map(|(quad, steps)| {
            let step = move |&(place, active, taken): &(u32, u8, u8)| TracedStep { quad, place, active, taken };
            steps.iter().flatten().map(step)
        });
        DrawTrace {
            quads: quads
                .iter()
                .map(|steps| TracedQuad { is_shaded: steps.is_some(), ..TracedQuad::default() })
                .collect(),
            steps: steps.collect(),
            places,
            ..DrawTrace::default()
        }
    }

    #[test]
    fn a_chequerboard_diverges_by_its_period() {
        // An IF with two sides, which every second run of `period` quads takes.
        for (period, batch, expected) in [(4, 4, [8, 8, 0]), (4, 1, [32, 32, 0]), (2, 4, [0, 0, 16]), (8, 4, [8, 8, 0])]
        {
            let side = |quad: u32| (quad / period).is_multiple_of(2);
            let steps = |quad| match side(quad) {
                true => Some(vec![(0, 15, 15), (1, 15, 0)]),
                false => Some(vec![(0, 15, 0), (2, 15, 0)]),
            };
            let quads: Vec<_> = (0..64).map(steps).collect();
            let flow = simulate(&trace(vec![None, Some(1), Some(2)], &quads), 3, batch);
            assert_eq!([flow.uniform_taken, flow.uniform_not_taken, flow.divergent], expected, "{period} {batch}");
            let both = if flow.divergent == 0 { 32 } else { 64 };
            assert_eq!(flow.entered, [64, both, both], "{period} {batch}");
        }
    }

    #[test]
    fn a_single_pixel_makes_the_whole_batch_go_along() {
        let mut quads = vec![Some(vec![(0, 15, 0)]); 10];
        quads[7] = Some(vec![(0, 15, 1), (1, 1, 0)]);
        quads[3] = None;
        let trace = trace(vec![None, Some(1)], &quads);
        // Nine quads are shaded: batches of four, four and one.
        let flow = simulate(&trace, 2, 4);
        assert_eq!((flow.batches, flow.divergent, flow.uniform_not_taken), (3, 1, 2));
        assert_eq!(flow.entered, [9, 4]);
        assert_eq!(simulate(&DrawTrace::default(), 1, 4), BatchFlow { entered: vec![0], ..BatchFlow::default() });
    }

    #[test]
    fn random_traces_give_what_sets_give() {
        let mut random = Random::new(5);
        for case in 0..50 {
            let places: Vec<Option<u32>> =
                (0..20).map(|_| (random.below(2) == 0).then(|| 1 + random.below(4))).collect();
            let quads: Vec<_> = (0..100)
                .map(|_| {
                    let mut step = |_| {
                        let mut mask = |least: u32| u8::try_from(least + random.below(16 - least)).unwrap();
                        let [active, taken] = [1, 0].map(&mut mask);
                        (random.below(20), active, taken)
                    };
                    let steps: Steps = (0..6).map(&mut step).collect();
                    (random.below(5) != 0).then_some(steps)
                })
                .collect();
            let batch = 1 + random.below(12);
            let flow = simulate(&trace(places.clone(), &quads), 5, batch);
            let mut expected = BatchFlow { entered: vec![0; 5], ..BatchFlow::default() };
            let shaded: Vec<_> = quads.iter().flatten().collect();
            for quads in shaded.chunks(batch as usize) {
                expected.batches += 1;
                expected.entered[0] += quads.len() as u64;
                let mut entered = HashSet::new();
                let mut outcomes: HashMap<u32, HashSet<bool>> = HashMap::new();
                for &(place, active, taken) in quads.iter().copied().flatten() {
                    if let Some(block) = places[place as usize] {
                        entered.insert((place, block));
                    } else {
                        let pixels = (0..4).filter(|pixel| active >> pixel & 1 != 0);
                        outcomes.entry(place).or_default().extend(pixels.map(|pixel| taken >> pixel & 1 != 0));
                    }
                }
                entered.iter().for_each(|(_, block)| expected.entered[*block as usize] += quads.len() as u64);
                for outcomes in outcomes.values() {
                    let count = match (outcomes.contains(&true), outcomes.contains(&false)) {
                        (true, true) => &mut expected.divergent,
                        (true, false) => &mut expected.uniform_taken,
                        _ => &mut expected.uniform_not_taken,
                    };
                    *count += 1;
                }
            }
            assert_eq!(flow, expected, "case {case}");
        }
    }
}
