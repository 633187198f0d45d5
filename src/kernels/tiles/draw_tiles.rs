//! The fused stage of software adapters: one kernel from rasterizer to output merger, with its parameters and dispatches.

use std::sync::Arc;

use crate::gpu::{Block, Bound, DeviceError, Gpu, Kernel, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::plan::merge_pixels::MergeParameters;
use crate::kernels::stages::buffers::grown;
use crate::recompiler::tiles::key::CONTINUATIONS;
pub(in crate::kernels) use crate::recompiler::tiles::key::TilePath;
use crate::shader::fragment::FragmentProgram;

bindings! {
    /// Bindings of `draw_tiles`.
    TileBindings {
        /// Guest memory, as 32-bit words and, on devices that have them, 64-bit words.
        0 | 19 => memory: Bound<'a>,
        4 => vertices: Bound<'a>,
        6 => raster: Bound<'a>,
        7 => setups: Bound<'a>,
        8 => bins: Bound<'a>,
        /// The position at which each tile continues, if invocations draw tiles.
        9 => progress: Option<Bound<'a>>,
        /// Workgroup counts of the later dispatches, likewise.
        10 => continuations: Option<Bound<'a>>,
        11 => textures: Bound<'a>,
        /// Parameters of the output merger and of the dispatch, then the program's constants.
        12 => parameters: Bound<'a>,
        15 => counters: Bound<'a>,
        /// A copy of the memory that units sample, if the kernel reads one.
        20 => texel_image: Option<Bound<'a>>,
        /// The thresholds of the sRGB curve.
        22 => srgb_thresholds: Bound<'a>,
    }
}

/// From this many dispatches on, the host checks after the first few whether all work is done, as it usually is. An
/// empty dispatch costs host and driver about 5 µs, a check 150.
const LEAST_LOOKED_AT: u64 = 48;
/// The dispatches before that check.
const BEFORE_LOOK: u64 = 4;

/// Progress of the tiles that one dispatch does not finish; the buffers are reused between draws.
#[derive(Debug, Default)]
pub(in crate::kernels) struct TileStage {
    /// The position at which each tile continues.
    progress: Option<wgpu::Buffer>,
    /// The workgroup counts of later dispatches, zero if no work is left. A dispatch that takes its counts from one of
    /// these writes the next counts into the other.
    continuations: [Option<wgpu::Buffer>; 2],
}

/// The kernel on its fast path and on its exact path.
#[derive(Debug, Clone)]
pub(in crate::kernels) struct TileKernels {
    /// Starts tiles, once it is compiled.
    pub(in crate::kernels) fast: Option<Arc<Kernel>>,
    /// Continues tiles that the fast path leaves.
    pub(in crate::kernels) exact: Arc<Kernel>,
    /// How often the kernels were requested.
    pub(in crate::kernels) uses: u32,
}

/// The state that all dispatches of a batch share.
pub(in crate::kernels) struct TileDispatches<'a> {
    pub(in crate::kernels) kernels: &'a TileKernels,
    pub(in crate::kernels) inputs: TileInputs<'a>,
    pub(in crate::kernels) merge: &'a MergeParameters,
    pub(in crate::kernels) program: &'a FragmentProgram,
    /// Workgroup counts of the first dispatch, at byte 16.
    pub(in crate::kernels) groups: &'a wgpu::Buffer,
    pub(in crate::kernels) tile_count: u32,
    /// How many dispatches suffice if invocations draw tiles; workgroups need one.
    pub(in crate::kernels) most_dispatches: Option<u64>,
}

/// The buffers that all dispatches of a batch share.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct TileInputs<'a> {
    pub(in crate::kernels) memory: &'a wgpu::Buffer,
    pub(in crate::kernels) vertices: &'a wgpu::Buffer,
    pub(in crate::kernels) raster: Bound<'a>,
    pub(in crate::kernels) setups: &'a wgpu::Buffer,
    pub(in crate::kernels) bins: &'a wgpu::Buffer,
    pub(in crate::kernels) textures: Bound<'a>,
    pub(in crate::kernels) counters: &'a wgpu::Buffer,
    pub(in crate::kernels) texel_image: Option<&'a wgpu::TextureView>,
    pub(in crate::kernels) srgb_thresholds: &'a wgpu::Buffer,
}

impl<'a> TileInputs<'a> {
    /// The bindings of a dispatch with these parameters, without those of continuations.
    fn bindings(&self, parameters: &'a Block) -> TileBindings<'a> {
        TileBindings {
            memory: self.memory.into(),
            vertices: self.vertices.into(),
            raster: self.raster,
            setups: self.setups.into(),
            bins: self.bins.into(),
            progress: None,
            continuations: None,
            textures: self.textures,
            parameters: parameters.into(),
            counters: self.counters.into(),
            texel_image: self.texel_image.map(Bound::from),
            srgb_thresholds: self.srgb_thresholds.into(),
        }
    }
}

impl TileStage {
    /// Records as many dispatches as a batch may need.
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
    ) -> Result<(), DeviceError> {
        let &TileDispatches { kernels, inputs, merge, program, groups, tile_count, most_dispatches } = batch;
        let Some(most) = most_dispatches else {
            let parameters = parameters(merge, false, program);
            let parameters = recording.store_changed("tile parameters", bytemuck::cast_slice(&parameters))?;
            recording.dispatch_indirect(&kernels.exact, &inputs.bindings(&parameters), groups, 16);
            return Ok(());
        };
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
            let parameters = parameters(merge, number != 0, program);
            let parameters = recording.store_changed("tile parameters", bytemuck::cast_slice(&parameters))?;
            let bindings = TileBindings {
                progress: Some((&progress).into()),
                continuations: Some((&lists[1 - parity]).into()),
                ..inputs.bindings(&parameters)
            };
            let kernel = match TilePath::of_dispatch(number) {
                TilePath::Fast => kernels.fast.as_ref().unwrap_or(&kernels.exact),
                TilePath::Exact => &kernels.exact,
            };
            match (number, slot) {
                (0, _) => recording.dispatch_indirect(kernel, &bindings, groups, 16),
                (_, 0) => recording.dispatch(kernel, &bindings, left),
                _ => recording.dispatch_indirect(kernel, &bindings, &lists[parity], slot),
            }
        }
        Ok(())
    }
}

/// The parameters of the output merger, whether an earlier dispatch began the tiles, then the program's constants.
fn parameters(merge: &MergeParameters, continues: bool, program: &FragmentProgram) -> Vec<u32> {
    let mut words: Vec<u32> = bytemuck::cast_slice(std::slice::from_ref(merge)).to_vec();
    words.extend([u32::from(continues), 0, 0, 0]);
    words.extend(program.constants.iter().flatten());
    // A runtime array has at least one element.
    words.extend([0; 4]);
    words
}
