//! The stages from rasteriser to output merger as one kernel: its parameters and dispatches.

use std::sync::Arc;

use super::geometry::grown;
use super::merge_pixels::MergeParameters;
use crate::gpu::{Bound, DeviceError, Gpu, Kernel, Recording};
use crate::recompiler::software::continuations::{Turn, Turns};
pub use crate::recompiler::software::draw_tiles::source;
pub use crate::recompiler::software::key::{CONTINUATIONS, Interpolation, TileKernelKey};
use crate::shader::fragment::FragmentProgram;

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
    /// Begins tiles, once it is compiled.
    pub plain: Option<Arc<Kernel>>,
    /// Goes on with tiles that are not plain.
    pub exact: Arc<Kernel>,
    /// How often they were asked for.
    pub uses: u32,
}

/// What all dispatches of a batch share.
pub(super) struct TileDispatches<'a> {
    /// Plain and exact.
    pub(super) kernels: [&'a Kernel; 2],
    pub(super) bindings: &'a [(u32, Bound<'a>)],
    /// [`parameters`] with those of a dispatch.
    pub(super) parameters: &'a dyn Fn([u32; 4]) -> Vec<u32>,
    /// Workgroup counts of the first dispatch, at byte 16.
    pub(super) groups: &'a wgpu::Buffer,
    pub(super) cell_count: u32,
    pub(super) turns: Turns,
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
        let &TileDispatches { kernels, bindings, parameters, groups, cell_count, turns } = batch;
        let most = turns.count();
        let slot_bytes = 12;
        let list_bytes = u64::from(CONTINUATIONS) * slot_bytes;
        let progress = grown(gpu, &mut self.progress, "tile progress", u64::from(cell_count) * 8)?;
        let [even, odd] = &mut self.continuations;
        let lists = [even, odd].map(|list| grown(gpu, list, "continuations", list_bytes));
        let [even, odd] = lists;
        let lists = [even?, odd?];
        for number in 0..most {
            let parity = usize::from(!number.is_multiple_of(2));
            let slot = (number % u64::from(CONTINUATIONS)) * slot_bytes;
            let mut left = [0u32; 3];
            if (slot == 0 && number != 0) || (number == BEFORE_LOOK && most >= LEAST_LOOKED_AT) {
                gpu.read_back(recording, &lists[parity], slot, bytemuck::cast_slice_mut(&mut left))?;
                if left.contains(&0) {
                    return Ok(());
                }
            }
            if slot == 0 {
                let used = list_bytes.min((most - number + 1) * slot_bytes);
                lists.iter().for_each(|list| recording.clear(list, 0, used));
            }
            let Turn { interpolation, spread } = turns.turn(number);
            let parameters = parameters([u32::from(number != 0), spread, turns.turn(number + 1).spread, 0]);
            let parameters = recording.store_changed("tile parameters", bytemuck::cast_slice(&parameters))?;
            let own = [(9, (&progress).into()), (10, (&lists[1 - parity]).into()), (12, (&parameters).into())];
            let bindings = [bindings, &own].concat();
            let kernel = kernels[usize::from(interpolation == Interpolation::Exact)];
            match (number, slot) {
                (0, _) => recording.dispatch_indirect(kernel, &bindings, groups, 16),
                (_, 0) => recording.dispatch(kernel, &bindings, left),
                _ => recording.dispatch_indirect(kernel, &bindings, &lists[parity], slot),
            }
        }
        Ok(())
    }
}

/// Binding 12: the parameters of the output merger, those of the walk (see `src/recompiler/software/draw_tiles.rs`), then the
/// program's constants.
#[must_use]
pub fn parameters(merge: &MergeParameters, walk: [u32; 4], program: &FragmentProgram) -> Vec<u32> {
    let mut words: Vec<u32> = bytemuck::cast_slice(std::slice::from_ref(merge)).to_vec();
    words.extend(walk);
    words.extend(program.constants.iter().flatten());
    // A runtime array has at least one element.
    words.extend([0; 4]);
    words
}
