//! Buffers that stages reuse between draws.

use crate::gpu::{DeviceError, Gpu};

/// Returns the buffer of a slot; recreates it if it is too small.
pub(in crate::kernels) fn grown(
    gpu: &Gpu,
    slot: &mut Option<wgpu::Buffer>,
    label: &str,
    bytes: u64,
) -> Result<wgpu::Buffer, DeviceError> {
    match slot {
        Some(buffer) if buffer.size() >= bytes => Ok(buffer.clone()),
        _ => Ok(slot.insert(gpu.buffer(label, bytes.next_power_of_two())?).clone()),
    }
}
