//! Runs random programs: any words end in a report or an error, the same each time.

use std::sync::Arc;

use super::test_programs::Test;
use crate::isa::tesla::TeslaRow;
use crate::isa::test_words::Random;
use crate::pipeline::launch::{LaunchError, LaunchReport};

fn random_word(random: &mut Random) -> u32 {
    u32::try_from(random.word() >> 32).unwrap()
}

/// A program of random instructions whose targets are mostly inside.
fn program(random: &mut Random) -> Vec<u32> {
    let rows: Vec<_> = TeslaRow::all().collect();
    let mut words = Vec::new();
    while words.len() < 64 {
        let row = rows[usize::try_from(random.word() % rows.len() as u64).unwrap()];
        let mut word = random.word();
        if !random_word(random).is_multiple_of(4) {
            // A target below 64 words, and a predicate that always holds.
            word = word & !(0x3ff << 17) & !(0x3f << 46) & !(0x1f << 39) | 0xf << 39;
        }
        let word = word & !row.mask | row.bits;
        words.extend([word & 0xffff_ffff, word >> 32].map(|half| u32::try_from(half).unwrap()));
    }
    words
}

fn outcome(words: &[u32]) -> (Result<LaunchReport, LaunchError>, Vec<u8>) {
    let mut test = Test::of_words(words, 40);
    test.launch.grid = [2, 1, 1];
    test.launch.stage.local_bytes = 64;
    test.launch.stage.constants = Arc::new([(0, vec![0x55; 256]), (1, vec![0; 0x1_0000])].into());
    test.options.instruction_limit = 2000;
    test.options.traced_warp = Some(1);
    let mut memory = test.memory.clone();
    let run = super::run_launch(
        &test.launch,
        &crate::pipeline::launch::LaunchLimits::G200,
        &mut memory,
        &test.options,
        &mut |step| test.steps.push(step),
    );
    (run, memory.buffers()[0].bytes.clone())
}

#[test]
fn random_programs_end_the_same_way_each_time() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut executed, mut kinds) = (0, std::collections::BTreeSet::new());
    for _ in 0..400 {
        let words = program(&mut random);
        let first = outcome(&words);
        assert_eq!(first, outcome(&words), "{words:x?}");
        if let Ok(report) = first.0 {
            executed += report.warp_instructions;
            kinds.extend(report.faults.iter().map(|fault| fault.kind));
        }
    }
    assert!(executed > 2000 && kinds.len() > 8, "{executed} instructions, {kinds:?}");
}

#[test]
fn raw_words_end_too() {
    let mut random = Random(99);
    for _ in 0..400 {
        let words: Vec<u32> = (0..32).map(|_| random_word(&mut random)).collect();
        assert_eq!(outcome(&words), outcome(&words), "{words:x?}");
    }
}
