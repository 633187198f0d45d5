//! The fused stage: one kernel from rasterizer to output merger, with its parameters and dispatch.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use crate::gpu::{Block, Bound, Gpu, Kernel, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::plan::draw_path::TileKey;
use crate::kernels::plan::draw_sources::tile_source;
use crate::kernels::plan::merge_pixels::MergeParameters;
use crate::pipeline::EngineError;
use crate::recompiler::quad_program_key::QuadProgramKey;
use crate::recompiler::software::continuations::TilePath;

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
        /// The table of the sRGB curve.
        22 => srgb_table: Bound<'a>,
    }
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

    /// Whether the kernel of the exact path is compiled.
    pub(in crate::kernels) fn has_exact(&self) -> bool {
        self.exact.get().is_some()
    }

    /// The kernel of a dispatch of a batch.
    ///
    /// # Errors
    /// If there is no text for the key, or the device fails.
    pub(in crate::kernels) fn of_dispatch(&self, gpu: &Gpu, number: u64) -> Result<&Kernel, EngineError> {
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
    pub(in crate::kernels) srgb_table: &'a wgpu::Buffer,
}

impl<'a> TileInputs<'a> {
    /// The bindings of a dispatch with these parameters, without those of continuations.
    pub(in crate::kernels) fn bindings(&self, parameters: &'a Block) -> TileBindings<'a> {
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
            srgb_table: self.srgb_table.into(),
        }
    }
}

impl TileDispatches<'_> {
    /// Records the only dispatch of a batch of tiles that workgroups draw.
    ///
    /// # Errors
    /// If the device fails.
    pub(in crate::kernels) fn dispatch_once(&self, gpu: &Gpu, recording: &mut Recording) -> Result<(), EngineError> {
        let parameters = parameters(self.merge, false, self.constants);
        let parameters = recording.store_changed("tile parameters", bytemuck::cast_slice(&parameters))?;
        let kernel = self.kernels.of_dispatch(gpu, 0)?;
        recording.dispatch_indirect(kernel, &self.inputs.bindings(&parameters), self.groups, 16);
        Ok(())
    }
}

/// The parameters of the output merger, whether an earlier dispatch began the tiles, then the program's constants.
pub(in crate::kernels) fn parameters(merge: &MergeParameters, continues: bool, constants: &[[u32; 4]]) -> Vec<u32> {
    let mut words: Vec<u32> = bytemuck::cast_slice(std::slice::from_ref(merge)).to_vec();
    words.extend([u32::from(continues), 0, 0, 0]);
    words.extend(constants.iter().flatten());
    // A runtime array has at least one element.
    words.extend([0; 4]);
    words
}
