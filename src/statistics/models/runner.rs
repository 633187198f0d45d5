//! Runs the models on a device with their kernels, or on the host, with the same results.
//!
//! The host takes over traces that a device cannot hold, and short traces of models with few operations per event.

use crate::engine::{OpenError, open_gpu};
use crate::gpu::{AdapterChoice, Gpu};
use crate::named_enum;
use crate::statistics::ParameterError;
use crate::statistics::kernels::{self, ModelError};
use crate::statistics::memory_partitions::{self, MemoryAccess, MemoryParameters, MemoryResult};
use crate::statistics::prefetch::{self, PrefetchParameters, PrefetchResult, QuadWork};
use crate::statistics::simd_divergence::{self, BatchFlow, BranchTrace};
use crate::statistics::texture_cache::{
    self, QuadOrder, SweepCase, TextureCacheParameters, TextureCacheResult, TextureTrace,
};
use crate::statistics::tile_compression::{self, SampleSurface, TileFormat, TileMap};
use crate::statistics::zcull::{self, ZcullParameters, ZcullResult, ZcullTrace};

/// The fewest quads or steps for which models with few operations per event run on a device. Fewer take the host
/// at most two milliseconds, about the latency of a device.
// Unverified: no GPU has been measured.
const MIN_ON_DEVICE: usize = 1 << 20;

named_enum! {
    /// Where models should run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ModelsOn {
        /// On the engine's device if that is hardware, else on the host: a software adapter uses the host's processor
        /// anyway.
        #[default]
        Auto = "auto",
        /// On an adapter, which must exist.
        Device = "device",
        /// On the host.
        Host = "host",
    }
}

impl ModelsOn {
    /// The device to run on, `None` for the host. Shares the device of an engine; opens the adapter if a device is
    /// requested and the engine has none.
    ///
    /// # Errors
    /// When a device is requested and there is no such adapter, or it computes wrongly.
    pub fn device(self, engine: Option<&Gpu>, adapter: &AdapterChoice) -> Result<Option<Gpu>, OpenError> {
        match self {
            Self::Host => Ok(None),
            Self::Auto => Ok(engine.filter(|gpu| !gpu.summary().is_software()).cloned()),
            Self::Device => engine.map_or_else(|| open_gpu(adapter), |gpu| Ok(gpu.clone())).map(Some),
        }
    }
}

/// Runs models on a device or on the host.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelRunner<'g> {
    gpu: Option<&'g Gpu>,
    /// Whether the host must not replace the device.
    only_device: bool,
}

impl<'g> ModelRunner<'g> {
    /// Runs on a device.
    #[must_use]
    pub const fn on_device(gpu: &'g Gpu) -> Self {
        Self { gpu: Some(gpu), only_device: false }
    }

    /// Runs only on a device, whatever the length of a trace; for comparisons of device and host.
    ///
    /// Models panic if the device cannot run them.
    #[must_use]
    pub const fn only_on_device(gpu: &'g Gpu) -> Self {
        Self { gpu: Some(gpu), only_device: true }
    }

    /// Runs on the device if there is one and it can, else on the host.
    fn run<T>(
        self,
        on_device: impl FnOnce(&Gpu) -> Result<T, ModelError>,
        on_host: impl FnOnce() -> Result<T, ParameterError>,
    ) -> Result<T, ParameterError> {
        match self.gpu.map(on_device) {
            Some(Ok(result)) => Ok(result),
            Some(Err(error)) if self.only_device => panic!("a model does not run on the device: {error}"),
            Some(Err(error)) => {
                tracing::debug!("a model runs on the host: {error}");
                on_host()
            }
            None => on_host(),
        }
    }

    /// Runs a model with few operations per event as [`Self::run`] does, if the trace has enough events to justify
    /// a dispatch. Software adapters, which use the host's own processor, took ten times as long as the host.
    fn run_long<T>(
        self,
        records: usize,
        on_device: impl FnOnce(&Gpu) -> Result<T, ModelError>,
        on_host: impl FnOnce() -> Result<T, ParameterError>,
    ) -> Result<T, ParameterError> {
        let pays = |gpu: &&Gpu| self.only_device || (records >= MIN_ON_DEVICE && !gpu.summary().is_software());
        Self { gpu: self.gpu.filter(pays), ..self }.run(on_device, on_host)
    }

    pub(super) fn texture_caches(
        self,
        trace: &TextureTrace,
        parameters: &TextureCacheParameters,
    ) -> Result<(TextureCacheResult, Vec<u32>), ParameterError> {
        let order = QuadOrder::Recorded;
        let on_host = || {
            let mut fills = Vec::new();
            let result = texture_cache::simulate_filling(trace, parameters, order, |line| fills.push(line))?;
            Ok((result, fills))
        };
        if trace.texels.is_empty() {
            return on_host();
        }
        let case = SweepCase { parameters: *parameters, order };
        self.run(|gpu| kernels::texture_cache::fill_from_host(gpu, trace, &case), on_host)
    }

    /// Runs the lookups of a frame through each combination of caches and orders.
    ///
    /// # Errors
    /// When a combination is impossible.
    pub fn sweep(self, trace: &TextureTrace, cases: &[SweepCase]) -> Result<Vec<TextureCacheResult>, ParameterError> {
        let on_host = || texture_cache::sweep(trace, cases);
        if trace.texels.is_empty() {
            return on_host();
        }
        self.run(|gpu| kernels::texture_cache::sweep(gpu, trace, cases), on_host)
    }

    pub(super) fn prefetch(
        self,
        quads: &[QuadWork],
        shapes: &[PrefetchParameters],
    ) -> Result<Vec<PrefetchResult>, ParameterError> {
        let on_host = || shapes.iter().map(|shape| prefetch::simulate(quads, shape)).collect();
        if quads.is_empty() {
            on_host()
        } else {
            self.run(|gpu| kernels::prefetch::simulate(gpu, quads, shapes), on_host)
        }
    }

    pub(super) fn memory(
        self,
        accesses: &[MemoryAccess],
        parameters: &MemoryParameters,
    ) -> Result<MemoryResult, ParameterError> {
        let on_host = || memory_partitions::simulate(accesses, parameters);
        if accesses.is_empty() {
            return on_host();
        }
        self.run(|gpu| kernels::memory_partitions::simulate(gpu, accesses, parameters), on_host)
    }

    pub(super) fn tiles(
        self,
        words: &[u32],
        surface: &SampleSurface,
        format: TileFormat,
    ) -> Result<TileMap, ParameterError> {
        self.run(
            |gpu| kernels::tile_compression::classify(gpu, words, surface, format),
            || tile_compression::classify(words, surface, format),
        )
    }

    pub(super) fn zcull(self, trace: &ZcullTrace, parameters: &ZcullParameters) -> Result<ZcullResult, ParameterError> {
        self.run_long(
            trace.quads.len(),
            |gpu| kernels::zcull::simulate(gpu, trace, parameters),
            || zcull::simulate(trace, parameters),
        )
    }

    pub(super) fn simd_divergence(
        self,
        trace: &BranchTrace,
        batch_quads: u32,
    ) -> Result<Vec<BatchFlow>, ParameterError> {
        self.run_long(
            trace.steps.len(),
            |gpu| kernels::simd_divergence::simulate(gpu, trace, batch_quads),
            || simd_divergence::simulate(trace, batch_quads),
        )
    }
}
