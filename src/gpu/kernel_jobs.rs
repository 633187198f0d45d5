//! The kernels that compile on all cores: which are known, which are compiled, and what waits for them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::kernel::Prepared;
use super::{AdapterSummary, Kernel};

/// The most further devices; each takes some ten megabytes while it is open.
const MAX_DEVICES: usize = 7;

/// Longer than it takes to load a kernel from disk.
const LOADING: Duration = Duration::from_millis(30);

/// The threads that compile kernels besides the one that needs them; they start once a kernel takes longer than loading.
#[derive(Debug)]
pub(super) struct Compilers {
    pub(super) adapter: wgpu::Adapter,
    /// How many cores compile besides the one of the device that needs the kernels.
    pub(super) further: usize,
    /// Kernels of the device that wait for their first dispatch.
    pub(super) waiting: Mutex<Vec<(u128, Arc<Kernel>)>>,
    pub(super) jobs: Arc<Jobs>,
    pub(super) workers: Mutex<Vec<JoinHandle<()>>>,
}

/// All known kernels, by the hash of their text.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    state: Mutex<State>,
    changed: Condvar,
    /// Whether a kernel took longer than loading.
    is_slow: AtomicBool,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) jobs: HashMap<u128, Job>,
    pub(super) is_closed: bool,
}

#[derive(Debug)]
pub(super) enum Job {
    /// Nobody compiles it yet; the size of its text.
    Open(usize, Box<Prepared>),
    /// A thread compiles it.
    Taken,
    /// It is on disk.
    Done,
}

impl Jobs {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }

    /// Adds a kernel, if it is new.
    pub(super) fn add(&self, hash: u128, prepared: Prepared) {
        self.state().jobs.entry(hash).or_insert_with(|| Job::Open(prepared.size(), Box::new(prepared)));
        self.changed.notify_all();
    }

    /// Takes a kernel, unless another thread did.
    pub(super) fn take(&self, hash: u128) -> bool {
        let mut state = self.state();
        let is_open = matches!(state.jobs.get(&hash), Some(Job::Open(..)));
        if is_open {
            state.jobs.insert(hash, Job::Taken);
        }
        is_open
    }

    /// A kernel that nobody compiles yet.
    pub(super) fn open(&self, hash: u128) -> Option<Prepared> {
        match self.state().jobs.get(&hash) {
            Some(Job::Open(_, prepared)) => Some((**prepared).clone()),
            _ => None,
        }
    }

    /// Marks a kernel that this thread took.
    pub(super) fn finish(&self, hash: u128) {
        self.state().jobs.insert(hash, Job::Done);
        self.changed.notify_all();
    }

    /// Notes how long a kernel took that was begun at this time; returns whether it is the first that took longer than loading.
    pub(super) fn note_time(&self, started: Instant) -> bool {
        started.elapsed() > LOADING && !self.is_slow.swap(true, Ordering::Relaxed)
    }

    /// Takes the largest open kernel; waits for one while `goes_on`.
    pub(super) fn take_largest(&self, goes_on: impl Fn(&State) -> bool) -> Option<(u128, Prepared)> {
        let mut state = self.state();
        while goes_on(&state) {
            let open = state.jobs.iter().filter_map(|(hash, job)| match job {
                Job::Open(size, _) => Some((*size, *hash)),
                Job::Taken | Job::Done => None,
            });
            if let Some((_, hash)) = open.max() {
                let Some(Job::Open(_, prepared)) = state.jobs.insert(hash, Job::Taken) else { return None };
                return Some((hash, *prepared));
            }
            state = self.changed.wait(state).expect("no holder panics");
        }
        None
    }
}

impl Compilers {
    /// Compilers for the cores of this machine; `None` if there is one core, or the driver does not need them.
    pub(super) fn new(adapter: &wgpu::Adapter, summary: &AdapterSummary) -> Option<Arc<Self>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let further = (cores - 1).min(MAX_DEVICES);
        (summary.is_llvmpipe() && keeps_kernels_on_disk() && further > 0).then(|| {
            Arc::new(Self {
                adapter: adapter.clone(),
                further,
                waiting: Mutex::default(),
                jobs: Arc::default(),
                workers: Mutex::default(),
            })
        })
    }

    /// All known kernels.
    pub(super) const fn jobs(&self) -> &Arc<Jobs> {
        &self.jobs
    }

    /// Whether a kernel took longer than loading, so that kernels are not on disk.
    pub(super) fn is_slow(&self) -> bool {
        self.jobs.is_slow.load(Ordering::Relaxed)
    }

    /// How many kernels are compiled, and how many are known.
    pub(super) fn progress(&self) -> (usize, usize) {
        let state = self.jobs.state();
        (state.jobs.values().filter(|job| matches!(job, Job::Done)).count(), state.jobs.len())
    }

    /// Adds a kernel that was not dispatched yet.
    pub(super) fn add(&self, hash: u128, kernel: Arc<Kernel>, prepared: Prepared) {
        self.jobs.add(hash, prepared);
        self.waiting.lock().expect("no holder panics").push((hash, kernel));
    }

    /// Forgets the kernels that nobody compiles yet; the device adds those that it needs.
    pub(super) fn forget_open(&self) {
        self.jobs.state().jobs.retain(|_, job| !matches!(job, Job::Open(..)));
    }
}

impl Drop for Compilers {
    fn drop(&mut self) {
        self.jobs.state().is_closed = true;
        self.jobs.changed.notify_all();
        for worker in self.workers.get_mut().expect("no holder panics").drain(..) {
            // A worker that panicked has printed why.
            let _ = worker.join();
        }
    }
}

/// A kernel that a thread took; others no longer wait for it once the thread is done with it, or panics.
pub(super) struct Taken<'a> {
    pub(super) jobs: &'a Jobs,
    pub(super) hash: u128,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.jobs.finish(self.hash);
    }
}

/// Whether Mesa's cache is on.
fn keeps_kernels_on_disk() -> bool {
    let is_off = |name| std::env::var(name).is_ok_and(|value| matches!(value.as_str(), "1" | "true" | "yes" | "y"));
    !is_off("MESA_SHADER_CACHE_DISABLE") && !is_off("MESA_GLSL_CACHE_DISABLE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_takes_the_largest_kernel_that_no_other_has() {
        let jobs = Jobs::default();
        let add = |hash, size| {
            jobs.state().jobs.entry(hash).or_insert_with(|| Job::Open(size, Box::default()));
        };
        [(1, 10), (2, 30), (3, 20), (2, 99)].into_iter().for_each(|(hash, size)| add(hash, size));
        assert!(jobs.open(3).is_some());
        assert!(jobs.take(3) && !jobs.take(3) && !jobs.take(4));
        assert!([3, 4].iter().all(|hash| jobs.open(*hash).is_none()));
        let largest = || jobs.take_largest(|state| !state.is_closed).map(|(hash, _)| hash);
        assert_eq!([largest(), largest()], [Some(2), Some(1)]);
        drop(Taken { jobs: &jobs, hash: 3 });
        assert!(!jobs.take(3), "it is compiled");
        jobs.state().is_closed = true;
        assert_eq!(largest(), None);
    }
}
