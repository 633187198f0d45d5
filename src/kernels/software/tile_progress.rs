//! Dispatches of a kernel whose invocations draw tiles: each continues the tiles that the one before left.

use crate::gpu::{Gpu, Recording};
use crate::kernels::stages::buffers::grown;
use crate::kernels::tiles::draw_tiles::{TileBindings, TileDispatches, parameters};
use crate::pipeline::EngineError;
use crate::recompiler::software::continuations::CONTINUATIONS;

/// From this many dispatches on, the host checks after the first few whether all work is done, as it usually is. An
/// empty dispatch costs host and driver about 5 µs, a check 150.
const MIN_LOOKED_AT: u64 = 48;
/// The dispatches before that check.
const BEFORE_LOOK: u64 = 4;

/// Progress of the tiles that one dispatch does not finish; the buffers are reused between draws.
#[derive(Debug, Default)]
pub(in crate::kernels) struct TileProgress {
    /// The position at which each tile continues.
    progress: Option<wgpu::Buffer>,
    /// The workgroup counts of later dispatches, zero if no work is left. A dispatch that takes its counts from one of
    /// these writes the next counts into the other.
    continuations: [Option<wgpu::Buffer>; 2],
}

impl TileProgress {
    /// Records `most` dispatches, as many as a batch may need.
    ///
    /// If they may be very many, submits the recording now and then to check whether all work is done.
    ///
    /// # Errors
    /// If the device fails.
    pub(in crate::kernels) fn dispatch(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &TileDispatches<'_>,
        most: u64,
    ) -> Result<(), EngineError> {
        let &TileDispatches { kernels, inputs, merge, constants, groups, tile_count } = batch;
        let slot_bytes = 12;
        let list_bytes = u64::from(CONTINUATIONS) * slot_bytes;
        let progress = grown(gpu, &mut self.progress, "tile progress", u64::from(tile_count) * 8)?;
        let [even, odd] = &mut self.continuations;
        let lists = [even, odd].map(|list| grown(gpu, list, "continuations", list_bytes));
        let [even, odd] = lists;
        let lists = [even?, odd?];
        for number in 0..most {
            let parity = usize::from(!number.is_multiple_of(2));
            let slot = (number % u64::from(CONTINUATIONS)) * slot_bytes;
            let mut left = [0u32; 3];
            // A look is cheaper than the exact path's kernel, which most draws do without.
            let would_compile = number == 1 && !kernels.has_exact();
            if (slot == 0 && number != 0) || (number == BEFORE_LOOK && most >= MIN_LOOKED_AT) || would_compile {
                gpu.read_back(recording, &lists[parity], slot, bytemuck::cast_slice_mut(&mut left))?;
                if left.contains(&0) {
                    return Ok(());
                }
            }
            if slot == 0 {
                let used = list_bytes.min((most - number + 1) * slot_bytes);
                lists.iter().for_each(|list| recording.clear(list, 0, used));
            }
            let parameters = parameters(merge, number != 0, constants);
            let parameters = recording.store_changed("tile parameters", bytemuck::cast_slice(&parameters))?;
            let bindings = TileBindings {
                progress: Some((&progress).into()),
                continuations: Some((&lists[1 - parity]).into()),
                ..inputs.bindings(&parameters)
            };
            let kernel = kernels.of_dispatch(gpu, number)?;
            match (number, slot) {
                (0, _) => recording.dispatch_indirect(kernel, &bindings, groups, 16),
                (_, 0) => recording.dispatch(kernel, &bindings, left),
                _ => recording.dispatch_indirect(kernel, &bindings, &lists[parity], slot),
            }
        }
        Ok(())
    }
}
