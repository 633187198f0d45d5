//! Runs the models on a device as dispatches over traces in storage buffers; the results equal those of the
//! functions on the host.
//!
//! Each model has a function that uploads a trace; some also have one over buffers, for traces on the device.

pub mod memory_partitions;
pub mod prefetch;
pub mod simd_divergence;
pub mod texture_cache;
mod texture_lines;
pub mod tile_compression;
pub mod zcull;

use bytemuck::Pod;

use super::ParameterError;
use crate::gpu::{DeviceError, Gpu};

/// Loop iterations of an invocation in one dispatch, half of what software adapters allow. Longer traces continue
/// in further dispatches, which keeps each dispatch short on every adapter.
const ROUNDS: u32 = 32_768;

/// Invocations per workgroup of the kernels that replay a trace.
const GROUP: u32 = 8;

/// Why a model has no result on a device.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A parameter, or the trace, is out of its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The device failed, or a buffer exceeds what it can bind.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Reads the first elements of a buffer back.
fn read_back<T: Pod>(gpu: &Gpu, buffer: &wgpu::Buffer, count: usize) -> Result<Vec<T>, DeviceError> {
    let mut records = vec![T::zeroed(); count];
    gpu.download(buffer, 0, bytemuck::cast_slice_mut(&mut records))?;
    Ok(records)
}

/// Returns the number of dispatches that an invocation needs for a number of loop iterations.
fn dispatches(rounds: u64) -> u32 {
    u32::try_from(rounds.div_ceil(ROUNDS.into())).expect("traces have fewer than 2^32 records of few rounds")
}

#[cfg(test)]
fn test_gpu() -> Option<Gpu> {
    match Gpu::open(&crate::gpu::AdapterChoice::Best) {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var_os("CURIE_REQUIRE_ADAPTER").is_some() => panic!("an adapter is required: {error}"),
        Err(error) => {
            eprintln!("SKIPPED, no adapter: {error}");
            None
        }
    }
}
