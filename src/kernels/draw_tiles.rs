//! The stages from rasteriser to output merger as one kernel: its parameters and dispatches.

use std::sync::Arc;

use super::geometry::grown;
use super::merge_pixels::MergeParameters;
use crate::gpu::{Bound, DeviceError, Gpu, Kernel, Recording};
use crate::program::fragment::FragmentProgram;
pub use crate::recompiler::fragment::tile_key::{
    CONTINUATIONS, Interpolation, TILES_PER_GROUP, TileKernelKey, most_dispatches,
};
pub use crate::recompiler::fragment::tiles::source;

/// Where so many dispatches may be needed, the host looks after the first few whether all is done, as it mostly is: an
/// empty dispatch costs host and driver about 5 µs, a look 150.
const LEAST_LOOKED_AT: u64 = 48;
/// The dispatches before that look.
const BEFORE_LOOK: u64 = 4;

/// Where tiles go on that one dispatch does not end; buffers are kept from draw to draw.
#[derive(Debug, Default)]
pub(super) struct TileStage {
    /// Binding 9: where each tile goes on.
    progress: Option<wgpu::Buffer>,
    /// Binding 10: the workgroups of later dispatches, which are none where nothing is left to do. A dispatch whose
    /// counts come from one of these writes the next counts into the other.
    continuations: [Option<wgpu::Buffer>; 2],
}

/// The same stages with each interpolation.
#[derive(Debug, Clone)]
pub struct TileKernels {
    /// Begins tiles.
    pub plain: Arc<Kernel>,
    /// Goes on with tiles that are not plain.
    pub exact: Arc<Kernel>,
}

/// What all dispatches of a batch share.
pub(super) struct TileDispatches<'a> {
    /// Dispatched in turn.
    pub(super) kernels: [&'a Kernel; 2],
    pub(super) bindings: &'a [(u32, Bound<'a>)],
    /// [`parameters`] for whether tiles have begun.
    pub(super) parameters: &'a dyn Fn(bool) -> Vec<u32>,
    pub(super) tile_count: u32,
    /// After so many dispatches all is done.
    pub(super) most: u64,
}

impl TileStage {
    /// Records as many dispatches as a batch may need.
    ///
    /// Where they may be very many, what is recorded is submitted now and then to see whether all is done.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn dispatch(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &TileDispatches<'_>,
    ) -> Result<(), DeviceError> {
        let &TileDispatches { kernels, bindings, parameters, tile_count, most } = batch;
        let slot_bytes = 12;
        let list_bytes = u64::from(CONTINUATIONS) * slot_bytes;
        let progress = grown(gpu, &mut self.progress, "tile progress", u64::from(tile_count) * 8)?;
        let [even, odd] = &mut self.continuations;
        let lists = [even, odd].map(|list| grown(gpu, list, "continuations", list_bytes));
        let [even, odd] = lists;
        let lists = [even?, odd?];
        let groups = [tile_count.div_ceil(TILES_PER_GROUP), 1, 1];
        let parameters = [false, true].map(parameters);
        for number in 0..most {
            let parity = usize::from(!number.is_multiple_of(2));
            let slot = (number % u64::from(CONTINUATIONS)) * slot_bytes;
            if (slot == 0 && number != 0) || (number == BEFORE_LOOK && most >= LEAST_LOOKED_AT) {
                let mut left = [0u8; 4];
                gpu.read_back(recording, &lists[parity], slot, &mut left)?;
                if left == [0; 4] {
                    return Ok(());
                }
            }
            if slot == 0 {
                lists.iter().for_each(|list| recording.clear(list, 0, list_bytes));
            }
            let parameters = &parameters[usize::from(number != 0)];
            let parameters = recording.store_changed("tile parameters", bytemuck::cast_slice(parameters))?;
            let own = [(9, (&progress).into()), (10, (&lists[1 - parity]).into()), (12, (&parameters).into())];
            let bindings = [bindings, &own].concat();
            if slot == 0 {
                recording.dispatch(kernels[parity], &bindings, groups);
            } else {
                recording.dispatch_indirect(kernels[parity], &bindings, &lists[parity], slot);
            }
        }
        Ok(())
    }
}

/// Binding 12: the parameters of the output merger, whether earlier dispatches began the tiles, then the program's
/// constants.
#[must_use]
pub fn parameters(merge: &MergeParameters, has_begun: bool, program: &FragmentProgram) -> Vec<u32> {
    let mut words: Vec<u32> = bytemuck::cast_slice(std::slice::from_ref(merge)).to_vec();
    words.extend([u32::from(has_begun), 0, 0, 0]);
    words.extend(program.constants.iter().flatten());
    // A runtime array has at least one element.
    words.extend([0; 4]);
    words
}
