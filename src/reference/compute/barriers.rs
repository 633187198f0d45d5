//! The sixteen barriers of a block: counters of the warps that arrive.

use super::warp::{Warp, WarpState};
use crate::pipeline::launch::WARP_THREADS;

/// How many barriers a block has.
pub(super) const BARRIERS: usize = 16;

/// The barriers of a block.
///
/// Source: envytools `docs/hw/graph/tesla/cuda/isa.rst`.
#[derive(Debug, Default)]
pub(super) struct Barriers {
    /// The warps that have arrived at each.
    arrived: [u32; BARRIERS],
    /// The warps that each waits for; `None` for all.
    needed: [Option<u32>; BARRIERS],
    /// How many times a barrier has let its warps go.
    epoch: u32,
}

impl Barriers {
    /// A warp executes the barrier instruction at an address, with a count of threads or `None` for all of the block.
    ///
    /// A count is one of threads, in units of whole warps.
    // Unverified: the unit of the count. Compilers for the first generation write the largest count for all threads.
    pub(super) fn reach(
        &mut self,
        (number, at): (u8, u32),
        threads: Option<u32>,
        (arrives, waits): (bool, bool),
        (warp, others): (usize, &mut [Warp]),
    ) {
        let barrier = usize::from(number) % BARRIERS;
        if arrives {
            self.arrived[barrier] += 1;
            self.needed[barrier] = threads.map(|threads| threads.div_ceil(WARP_THREADS).max(1));
        }
        if waits && self.arrived[barrier] != 0 {
            others[warp].state = WarpState::Waiting { barrier: number, at };
        }
        self.release(barrier, others, arrives.then_some(warp));
    }

    /// Lets the warps go that wait for one that has ended.
    // Unverified: that a barrier does not wait for ended warps.
    pub(super) fn leave(&mut self, warps: &mut [Warp]) {
        for barrier in 0..BARRIERS {
            self.release(barrier, warps, None);
        }
    }

    /// Lets the warps of a barrier go if enough have arrived.
    fn release(&mut self, barrier: usize, warps: &mut [Warp], arriving: Option<usize>) {
        let running = warps.iter().filter(|warp| warp.state != WarpState::Ended).count();
        let running = u32::try_from(running).unwrap_or(u32::MAX);
        let needed = self.needed[barrier].map_or(running, |needed| needed.min(running));
        if self.arrived[barrier] == 0 || self.arrived[barrier] < needed {
            return;
        }
        self.arrived[barrier] = 0;
        self.epoch += 1;
        for (number, warp) in warps.iter_mut().enumerate() {
            let waits =
                matches!(warp.state, WarpState::Waiting { barrier: at, .. } if usize::from(at) % BARRIERS == barrier);
            if waits {
                warp.state = WarpState::Ready;
            }
            if waits || arriving == Some(number) {
                warp.epoch = self.epoch;
            }
        }
    }
}
