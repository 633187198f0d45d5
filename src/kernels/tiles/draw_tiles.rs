//! The fused stage of software adapters: one kernel from rasterizer to output merger, with its parameters and dispatches.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use crate::gpu::{Block, Bound, Gpu, Kernel, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::plan::draw_path::TileKey;
use crate::kernels::plan::draw_sources::tile_source;
use crate::kernels::plan::merge_pixels::MergeParameters;
use crate::kernels::stages::buffers::grown;
use crate::pipeline::EngineError;
use crate::recompiler::quad_program_key::QuadProgramKey;
use crate::recompiler::tiles::key::{CONTINUATIONS, TilePath};

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
const MIN_LOOKED_AT: u64 = 48;
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

/// The kernel on its fast path and on its exact path; each is compiled when it is needed first.
#[derive(Debug)]
pub(in crate::kernels) struct TileKernels {
    key: TileKey,
    /// Starts tiles, if there is a fast path, once its state is used often enough.
    fast: OnceLock<Arc<Kernel>>,
    /// Continues tiles that the fast path leaves.
    exact: OnceLock<Arc<Kernel>>,
    /// How often the kernels were requested.
    uses: AtomicU32,
}

impl TileKernels {
    /// The kernels of a key, which are not compiled yet.
    pub(in crate::kernels) const fn new(key: TileKey) -> Self {
        Self { key, fast: OnceLock::new(), exact: OnceLock::new(), uses: AtomicU32::new(0) }
    }

    /// Compiles the kernel that starts tiles: that of the fast path from the use after `exact_uses` on.
    ///
    /// # Errors
    /// If there is no text for the key, or the device fails.
    pub(in crate::kernels) fn begin_use(&self, gpu: &Gpu, exact_uses: u32) -> Result<(), EngineError> {
        let uses = self.uses.fetch_add(1, Ordering::Relaxed);
        if self.has_fast_path() && uses >= exact_uses {
            self.compiled(gpu, TilePath::Fast)?;
        } else if self.fast().is_none() {
            self.compiled(gpu, TilePath::Exact)?;
        }
        Ok(())
    }

    /// Whether there is a fast path, compiled or not.
    pub(in crate::kernels) fn has_fast_path(&self) -> bool {
        self.key.0.has_fast_path()
    }

    /// Whether a SIMT program shades the quads.
    pub(in crate::kernels) const fn runs_threads(&self) -> bool {
        matches!(self.key.1.0, QuadProgramKey::Simt(_))
    }

    /// The kernel of the fast path, once it is compiled.
    pub(in crate::kernels) fn fast(&self) -> Option<&Arc<Kernel>> {
        self.fast.get()
    }

    /// The kernel of a dispatch of a batch.
    fn of_dispatch(&self, gpu: &Gpu, number: u64) -> Result<&Kernel, EngineError> {
        match (TilePath::of_dispatch(number), self.fast()) {
            (TilePath::Fast, Some(kernel)) => Ok(kernel),
            (TilePath::Fast, None) | (TilePath::Exact, _) => self.compiled(gpu, TilePath::Exact),
        }
    }

    fn compiled(&self, gpu: &Gpu, path: TilePath) -> Result<&Kernel, EngineError> {
        let place = match path {
            TilePath::Fast => &self.fast,
            TilePath::Exact => &self.exact,
        };
        if let Some(kernel) = place.get() {
            return Ok(kernel);
        }
        let kernel = gpu.kernel_from::<EngineError>("draw_tiles", || tile_source(&self.key, path))?;
        Ok(place.get_or_init(|| kernel))
    }
}

/// The state that all dispatches of a batch share.
pub(in crate::kernels) struct TileDispatches<'a> {
    pub(in crate::kernels) kernels: &'a TileKernels,
    pub(in crate::kernels) inputs: TileInputs<'a>,
    pub(in crate::kernels) merge: &'a MergeParameters,
    /// The constants of the program.
    pub(in crate::kernels) constants: &'a [[u32; 4]],
    /// Workgroup counts of the first dispatch, at byte 16.
    pub(in crate::kernels) groups: &'a wgpu::Buffer,
    pub(in crate::kernels) tile_count: u32,
    /// How many dispatches suffice if invocations draw tiles; workgroups need one.
    pub(in crate::kernels) max_dispatches: Option<u64>,
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
    ) -> Result<(), EngineError> {
        let &TileDispatches { kernels, inputs, merge, constants, groups, tile_count, max_dispatches } = batch;
        let Some(most) = max_dispatches else {
            let parameters = parameters(merge, false, constants);
            let parameters = recording.store_changed("tile parameters", bytemuck::cast_slice(&parameters))?;
            recording.dispatch_indirect(kernels.of_dispatch(gpu, 0)?, &inputs.bindings(&parameters), groups, 16);
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
            // A look is cheaper than the exact path's kernel, which most draws do without.
            let would_compile = number == 1 && kernels.exact.get().is_none();
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

/// The parameters of the output merger, whether an earlier dispatch began the tiles, then the program's constants.
fn parameters(merge: &MergeParameters, continues: bool, constants: &[[u32; 4]]) -> Vec<u32> {
    let mut words: Vec<u32> = bytemuck::cast_slice(std::slice::from_ref(merge)).to_vec();
    words.extend([u32::from(continues), 0, 0, 0]);
    words.extend(constants.iter().flatten());
    // A runtime array has at least one element.
    words.extend([0; 4]);
    words
}
