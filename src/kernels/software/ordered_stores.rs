//! Finds out whether the lanes of a software adapter access memory one after the other.

use super::adapter_choices::AdapterChoices;
use crate::gpu::{DeviceError, Gpu};
use crate::pipeline::launch::WARP_THREADS;

/// Finds out which lane's value stays.
const PROBE_STORES: &str = include_str!("../../../wgsl/software/probe_stores.wgsl");

/// The bindings of the probe.
const RESULT: u32 = 43;
const STORED: u32 = 45;

/// Whether of several lanes that store to an address, the highest one's value stays, and whether atomic operations of lanes
/// happen in their order. Software adapters are asked, which carry out the accesses of lanes one after the other; others do
/// not promise it.
pub(in crate::kernels) fn has_ordered_stores(gpu: &Gpu) -> Result<bool, DeviceError> {
    if !AdapterChoices::of(gpu.summary()).may_order_lanes {
        return Ok(false);
    }
    gpu.ordered_stores(|| {
        let (mut result, mut stored) = (vec![0; WARP_THREADS as usize], vec![0; 2 * WARP_THREADS as usize]);
        gpu.run("probe_stores", PROBE_STORES, &mut [(RESULT, &mut result), (STORED, &mut stored)], [1, 1, 1])?;
        Ok(result.iter().all(|is_lost| *is_lost == 0))
    })
}
