//! Calls a fuzz target with seeds: a number of them, or new ones for `CURIE_FUZZ_SECONDS`, from `CURIE_FUZZ_SEED` on. A failure
//! prints its seed.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// Number of inputs for a target without a time limit.
pub(crate) const INPUTS: u64 = 200;

/// Calls a target with seeds, as many as given if there is no time limit. It says whether the input of the seed was valid.
#[expect(clippy::print_stdout, reason = "a failure must name its seed")]
pub(crate) fn seeds(inputs: u64, mut target: impl FnMut(u64) -> bool) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    let (start, time) = (Instant::now(), number("CURIE_FUZZ_SECONDS").map(Duration::from_secs));
    let first = number("CURIE_FUZZ_SEED").unwrap_or(0);
    let mut accepted = 0;
    for seed in first.. {
        let tried = seed - first;
        if time.map_or(tried == inputs, |time| start.elapsed() >= time) {
            println!("{accepted} of {tried} inputs were valid");
            // A target that rejects all inputs tests nothing.
            assert!(accepted * 10 >= tried, "only {accepted} of {tried} inputs were valid");
            return;
        }
        match catch_unwind(AssertUnwindSafe(|| target(seed))) {
            Ok(is_valid) => accepted += u64::from(is_valid),
            Err(panic) => {
                println!("the input of seed {seed} failed");
                resume_unwind(panic);
            }
        }
    }
}
