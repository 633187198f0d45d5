//! Finds kernels by their text, or by the inputs of the text; compiles those that are new.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::kernel::DIAGNOSTICS;
use super::stage_clock::HostWork;
use super::{DeviceError, Gpu, Kernel};

/// The most kernels by the inputs of their text that are kept.
const KERNEL_LIMIT: usize = 4096;

impl Gpu {
    /// Compiles a kernel, or returns the cached one for the same key; `source` is called for new keys only.
    ///
    /// # Errors
    /// As [`Gpu::kernel`].
    pub fn kernel_of(
        &self,
        label: &'static str,
        key: u64,
        source: impl FnOnce() -> String,
    ) -> Result<Arc<Kernel>, DeviceError> {
        if let Some(kernel) = self.keyed.lock().expect("no holder panics").get(&(label, key)) {
            return Ok(Arc::clone(kernel));
        }
        let kernel = self.kernel_from::<DeviceError>(label, || Ok(source()))?;
        let mut keyed = self.keyed.lock().expect("no holder panics");
        if keyed.len() >= KERNEL_LIMIT {
            keyed.clear();
        }
        keyed.insert((label, key), Arc::clone(&kernel));
        Ok(kernel)
    }

    /// Like [`Gpu::kernel`], with a text that `source` generates. While a clock is running, it times both; a new kernel
    /// is then dispatched over no workgroups, because some drivers compile it at its first dispatch.
    ///
    /// # Errors
    /// Those of `source`, and as [`Gpu::kernel`].
    pub fn kernel_from<E: From<DeviceError>>(
        &self,
        label: &str,
        source: impl FnOnce() -> Result<String, E>,
    ) -> Result<Arc<Kernel>, E> {
        let Some((clock, begin)) = self.begin_span() else { return Ok(self.kernel(label, &source()?)?) };
        let next = self.shared.kernels.load(Ordering::Relaxed);
        let kernel = self.kernel(label, &source()?)?;
        let is_compiled = kernel.number >= next;
        if is_compiled {
            self.dispatch_nothing(&kernel)?;
        }
        let work = HostWork::Kernel { kernel: label.to_owned(), number: kernel.number, is_compiled };
        clock.add_span(work, begin);
        Ok(kernel)
    }

    /// Compiles a kernel, or returns the cached one for the same text.
    ///
    /// `source` is WGSL with import lines and one entry point `main`.
    ///
    /// # Errors
    /// When the text does not link or is not valid; the error names file and line.
    pub fn kernel(&self, label: &str, source: &str) -> Result<Arc<Kernel>, DeviceError> {
        let hash = hash_of(source);
        if let Some(kernel) = self.kernels.lock().expect("no holder panics").find(hash) {
            return Ok(kernel);
        }
        let started = std::time::Instant::now();
        let known = match &self.compilers {
            Some(compilers) => compilers.find(self, hash)?,
            None => None,
        };
        if let Some(kernel) = self.kernels.lock().expect("no holder panics").find(hash) {
            return Ok(kernel);
        }
        let prepared = match known {
            Some(prepared) => prepared,
            None => self.prepare(label, source)?,
        };
        if let Some(jobs) = &self.rehearsed {
            jobs.add(hash, prepared.clone());
        }
        let later = self.compilers.as_ref().map(|compilers| (compilers, prepared.clone()));
        let kernel = self.build_and_keep(hash, prepared)?;
        if let Some((compilers, prepared)) = later {
            compilers.add(hash, Arc::clone(&kernel), prepared);
        }
        tracing::debug!(target: DIAGNOSTICS, kernel = label, elapsed = ?started.elapsed(), "compiled");
        Ok(kernel)
    }
}

/// A hash long enough that different texts have different hashes.
fn hash_of(text: &str) -> u128 {
    let [low, high] = [0u8, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        (seed, text).hash(&mut hasher);
        u128::from(hasher.finish())
    });
    low | high << 64
}
