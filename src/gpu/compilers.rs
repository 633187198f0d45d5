//! Compiles kernels on all cores, for a driver that compiles each at its first dispatch, one after the other.
//!
//! llvmpipe does so on the thread of a device's queue, and keeps the result on disk. So each further core has a device of
//! its own and dispatches kernels there over no workgroups. The device that needs them then finds them on disk.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::kernel::Prepared;
use super::{AdapterSummary, DeviceError, Gpu, Kernel};

/// The most further devices; each takes some ten megabytes while it is open.
const MOST_DEVICES: usize = 7;

/// Longer than it takes to load a kernel from disk.
const LOADING: Duration = Duration::from_millis(30);

/// The kernels that wait for their first dispatch, and the adapter that compiles them.
#[derive(Debug)]
pub(super) struct Compilers {
    adapter: wgpu::Adapter,
    /// How many cores compile besides the one of the device that needs the kernels.
    further: usize,
    waiting: Mutex<Vec<(Arc<Kernel>, Prepared)>>,
}

impl Compilers {
    /// Compilers for the cores of this machine; `None` if there is one core, or the driver does not need them.
    pub(super) fn new(adapter: &wgpu::Adapter, summary: &AdapterSummary) -> Option<Arc<Self>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let further = (cores - 1).min(MOST_DEVICES);
        let is_lazy = summary.is_software() && summary.name.starts_with("llvmpipe");
        (is_lazy && keeps_kernels_on_disk() && further > 0)
            .then(|| Arc::new(Self { adapter: adapter.clone(), further, waiting: Mutex::default() }))
    }

    /// Adds a kernel that was not dispatched yet.
    pub(super) fn add(&self, kernel: Arc<Kernel>, prepared: Prepared) {
        self.waiting.lock().expect("no holder panics").push((kernel, prepared));
    }

    /// Compiles the waiting kernels for `gpu`, the largest first. A single one compiles at its first dispatch.
    pub(super) fn compile(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let mut waiting = std::mem::take(&mut *self.waiting.lock().expect("no holder panics"));
        if waiting.len() < 2 {
            return Ok(());
        }
        let started = std::time::Instant::now();
        waiting.sort_by_key(|(_, prepared)| Reverse(prepared.size()));
        let next = AtomicUsize::new(0);
        let take = || waiting.get(next.fetch_add(1, Ordering::Relaxed));
        let (progress, receiver) = channel();
        let receiver = Mutex::new(receiver);
        std::thread::scope(|scope| {
            // Its end tells the other threads.
            let progress = progress;
            for _ in 0..self.further.min(waiting.len() - 1) {
                scope.spawn(|| {
                    if !is_compiling(&receiver) {
                        return;
                    }
                    // What fails here fails on the device that needs the kernel, which reports it.
                    let Ok(device) = Gpu::from_adapter(&self.adapter, None) else { return };
                    while let Some((_, prepared)) = take() {
                        let built = device.build(prepared.clone(), 0);
                        let _ = built.and_then(|kernel| device.dispatch_nothing(&kernel));
                    }
                });
            }
            while let Some((kernel, _)) = take() {
                gpu.dispatch_nothing(kernel)?;
                let _ = progress.send(());
            }
            Ok::<_, DeviceError>(())
        })?;
        tracing::debug!(kernels = waiting.len(), elapsed = ?started.elapsed(), "compiled on all cores");
        Ok(())
    }
}

/// Waits until a kernel takes so long that it is not on disk; false if all kernels are done before.
fn is_compiling(progress: &Mutex<Receiver<()>>) -> bool {
    let progress = progress.lock().expect("no holder panics");
    loop {
        match progress.recv_timeout(LOADING) {
            Ok(()) => (),
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
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
    fn other_cores_help_only_while_a_kernel_takes_long() {
        let progress = || {
            let (sender, receiver) = channel();
            (sender, Mutex::new(receiver))
        };
        let (loaded, receiver) = progress();
        loaded.send(()).unwrap();
        drop(loaded);
        assert!(!is_compiling(&receiver), "all kernels were on disk");
        let (busy, receiver) = progress();
        busy.send(()).unwrap();
        assert!(is_compiling(&receiver), "the second one was not");
    }
}
