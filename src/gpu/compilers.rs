//! Compiles kernels on all cores, for a driver that compiles each at its first dispatch, one after the other.
//!
//! llvmpipe does so on the thread of a device's queue, and keeps the result on disk. So each further core has a device of
//! its own and dispatches kernels there over no workgroups. The device that needs them then finds them on disk, and its
//! pipelines made. A [rehearsal](Gpu::rehearsal) of a stream tells its kernels before they are needed.

use std::sync::Arc;
use std::time::Instant;

use super::kernel::Prepared;
use super::kernel_jobs::{Compilers, Job, Jobs, State, Taken};
use super::{DeviceError, Gpu, Kernel};

impl Gpu {
    /// Starts to compile kernels that [rehearsals](Self::rehearsal) find, on all cores, if kernels compile on several.
    pub fn compile_ahead(&self) {
        if let Some(compilers) = &self.compilers {
            compilers.start_ahead(self);
        }
    }
}

impl Compilers {
    /// Waits while another thread compiles a kernel, which then makes it for `gpu`, and compiles others meanwhile; returns the
    /// kernel if it is known and nobody compiles it yet.
    pub(super) fn find(&self, gpu: &Gpu, hash: u128) -> Result<Option<Prepared>, DeviceError> {
        self.compile_while(gpu, |state| matches!(state.jobs.get(&hash), Some(Job::Taken)))?;
        Ok(self.jobs.open(hash))
    }

    /// Compiles the waiting kernels for `gpu`, and others while further threads compile some of them.
    pub(super) fn compile(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let waiting = std::mem::take(&mut *self.waiting.lock().expect("no holder panics"));
        for (hash, kernel) in &waiting {
            if self.jobs.take(*hash) {
                self.first_dispatch(gpu, *hash, kernel)?;
            }
        }
        self.compile_while(gpu, |state| {
            waiting.iter().any(|(hash, _)| !matches!(state.jobs.get(hash), Some(Job::Done)))
        })
    }

    /// Compiles open kernels for `gpu`, or waits for some, while `goes_on`.
    fn compile_while(&self, gpu: &Gpu, goes_on: impl Fn(&State) -> bool) -> Result<(), DeviceError> {
        while let Some((hash, prepared)) = self.jobs.take_largest(&goes_on) {
            let taken = Taken { jobs: &self.jobs, hash };
            let kernel = gpu.build_and_keep(hash, prepared)?;
            self.first_dispatch(gpu, hash, &kernel)?;
            drop(taken);
        }
        Ok(())
    }

    fn first_dispatch(&self, gpu: &Gpu, hash: u128, kernel: &Kernel) -> Result<(), DeviceError> {
        let started = Instant::now();
        let dispatched = gpu.dispatch_nothing(kernel);
        self.jobs.finish(hash);
        if self.jobs.note_time(started) {
            self.start(gpu, self.further);
        }
        dispatched
    }

    /// Starts to compile known kernels on all cores, for a device that does not wait for them.
    pub(super) fn start_ahead(&self, gpu: &Gpu) {
        self.start(gpu, self.further + 1);
    }

    /// Starts threads that compile for `gpu`, unless there are some.
    fn start(&self, gpu: &Gpu, count: usize) {
        let mut workers = self.workers.lock().expect("no holder panics");
        if !workers.is_empty() {
            return;
        }
        workers.extend((0..count).map(|_| {
            let (adapter, jobs) = (self.adapter.clone(), Arc::clone(&self.jobs));
            let home = gpu.of_compiler();
            std::thread::spawn(move || work(&adapter, &jobs, &home))
        }));
    }
}

/// Compiles open kernels until no more are added, and makes them for the device that needs them.
fn work(adapter: &wgpu::Adapter, jobs: &Jobs, home: &Gpu) {
    // What fails here fails on the device that needs the kernel, which reports it.
    let Ok(device) = Gpu::from_adapter(adapter, None) else { return };
    while let Some((hash, prepared)) = jobs.take_largest(|state| !state.is_closed) {
        let taken = Taken { jobs, hash };
        let started = Instant::now();
        let built = device.build(prepared.clone(), 0);
        let _ = built.and_then(|kernel| device.dispatch_nothing(&kernel));
        jobs.note_time(started);
        if let Err(error) = home.keep_if_new(hash, prepared) {
            home.report(&error);
        }
        drop(taken);
    }
}
