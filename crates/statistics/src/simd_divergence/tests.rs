//! Compares batches with streams of known counts, and with sets on random traces.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::test_random::Random;
use crate::test_traces::random_branches;

/// The steps of a quad: place, active and taken pixels.
type Steps = Vec<(u32, u32, u32)>;

/// Adds a draw with its quads.
fn push(trace: &mut BranchTrace, blocks: usize, places: &[Option<u32>], quads: &[Steps]) {
    trace.push_draw(blocks, places).unwrap();
    for steps in quads {
        let step = |&(place, active, taken): &(u32, u32, u32)| BranchStep { place, pixels: active | taken << 4 };
        trace.push_quad(steps.iter().map(step)).unwrap();
    }
}

fn trace(blocks: usize, places: &[Option<u32>], quads: &[Steps]) -> BranchTrace {
    let mut trace = BranchTrace::default();
    push(&mut trace, blocks, places, quads);
    trace
}

#[test]
fn a_chequerboard_diverges_by_its_period() {
    // An IF with two sides, which every second run of `period` quads takes.
    for (period, batch, expected) in [(4, 4, [8, 8, 0]), (4, 1, [32, 32, 0]), (2, 4, [0, 0, 16]), (8, 4, [8, 8, 0])] {
        let steps = |quad: u32| match (quad / period).is_multiple_of(2) {
            true => vec![(0, 15, 15), (1, 15, 0)],
            false => vec![(0, 15, 0), (2, 15, 0)],
        };
        let quads: Vec<_> = (0..64).map(steps).collect();
        let flow = &simulate(&trace(3, &[None, Some(1), Some(2)], &quads), batch).unwrap()[0];
        assert_eq!([flow.uniform_taken, flow.uniform_not_taken, flow.divergent], expected, "{period} {batch}");
        let both = if flow.divergent == 0 { 32 } else { 64 };
        assert_eq!(flow.entered, [64, both, both], "{period} {batch}");
    }
}

#[test]
fn a_single_pixel_makes_the_whole_batch_go_along() {
    let mut quads = vec![vec![(0, 15, 0)]; 9];
    quads[6] = vec![(0, 15, 1), (1, 1, 0)];
    // Batches of four, four and one.
    let flow = &simulate(&trace(2, &[None, Some(1)], &quads), 4).unwrap()[0];
    assert_eq!((flow.batches, flow.divergent, flow.uniform_not_taken), (3, 1, 2));
    assert_eq!(flow.entered, [9, 4]);
}

#[test]
fn batches_end_with_their_draw() {
    let mut trace = BranchTrace::default();
    for (quads, taken) in [(3, 15), (0, 0), (6, 0)] {
        push(&mut trace, 1, &[None], &vec![vec![(0, 15, taken)]; quads]);
    }
    let flows = simulate(&trace, 4).unwrap();
    let counts: Vec<_> = flows.iter().map(|flow| (flow.batches, flow.uniform_taken, flow.uniform_not_taken)).collect();
    assert_eq!(counts, [(1, 1, 0), (0, 0, 0), (2, 0, 2)]);
    assert_eq!(flows.iter().map(|flow| flow.entered[0]).collect::<Vec<_>>(), [3, 0, 6]);
    assert_eq!(simulate(&BranchTrace::default(), 4).unwrap(), []);
}

/// Computes the counts from sets of what happened in each batch.
fn by_sets(trace: &BranchTrace, batch: usize) -> Vec<BatchFlow> {
    let mut flows = Vec::new();
    for (draw, [places, quads]) in trace.ranges() {
        let places = &trace.places[places];
        let mut flow = BatchFlow { entered: vec![0; draw.blocks as usize], ..BatchFlow::default() };
        for quads in quads.collect::<Vec<_>>().chunks(batch) {
            flow.batches += 1;
            flow.entered[0] += quads.len() as u64;
            let mut entered = HashSet::new();
            let mut outcomes: HashMap<u32, HashSet<bool>> = HashMap::new();
            for &quad in quads {
                let first = if quad == 0 { 0 } else { trace.quads[quad - 1] as usize };
                for step in &trace.steps[first..trace.quads[quad] as usize] {
                    if let Some(block) = places[step.place as usize] {
                        entered.insert((step.place, block));
                    } else {
                        let pixels = (0..4).filter(|pixel| step.pixels >> pixel & 1 != 0);
                        let taken = pixels.map(|pixel| step.pixels >> (4 + pixel) & 1 != 0);
                        outcomes.entry(step.place).or_default().extend(taken);
                    }
                }
            }
            entered.iter().for_each(|(_, block)| flow.entered[*block as usize] += quads.len() as u64);
            for outcomes in outcomes.values() {
                let count = match (outcomes.contains(&true), outcomes.contains(&false)) {
                    (true, true) => &mut flow.divergent,
                    (true, false) => &mut flow.uniform_taken,
                    _ => &mut flow.uniform_not_taken,
                };
                *count += 1;
            }
        }
        flows.push(flow);
    }
    flows
}

#[test]
fn random_traces_give_what_sets_give() {
    let mut random = Random::new(5);
    let mut divergent = 0;
    for case in 0..50 {
        let trace = random_branches(&mut random);
        let batch = random.pick(&[1, 2, 7, 64, 1000]);
        let flows = simulate(&trace, batch).unwrap();
        assert_eq!(flows, by_sets(&trace, batch as usize), "case {case}");
        divergent += flows.iter().map(|flow| flow.divergent).sum::<u64>();
    }
    assert!(divergent > 1000, "{divergent}");
    // A planted difference.
    let mut quads = vec![vec![(0, 15, 0), (1, 3, 0)]; 9];
    let expected = by_sets(&trace(2, &[None, Some(1)], &quads), 4);
    quads[4][0].2 = 2;
    assert_ne!(simulate(&trace(2, &[None, Some(1)], &quads), 4).unwrap(), expected);
}

#[test]
fn traces_that_do_not_hold_together_are_refused() {
    let good = trace(2, &[None, Some(1)], &vec![vec![(0, 15, 0), (1, 3, 0)]; 9]);
    let field = |change: &dyn Fn(&mut BranchTrace)| {
        let mut trace = good.clone();
        change(&mut trace);
        simulate(&trace, 4).unwrap_err().field
    };
    assert_eq!(field(&|trace| trace.steps[3].place = 2), "place");
    assert_eq!(field(&|trace| trace.places[1] = Some(2)), "places");
    assert_eq!(field(&|trace| trace.draws[0].place_end = 3), "place_end");
    assert_eq!(field(&|trace| trace.draws[0].quad_end = 8), "quad_end");
    assert_eq!(field(&|trace| trace.quads[2] = 19), "quads");
    assert_eq!(simulate(&good, 0).unwrap_err().field, "batch_quads");
    assert_eq!(simulate(&good, MAX_BATCH_QUADS + 1).unwrap_err().field, "batch_quads");
}
