//! Counts on the device the pixels of a draw that the scissor and window clips reject.

use super::assembled::Assembled;
use super::geometry::GeometryStage;
use super::rasterize_tiles::rejects_kernel;
use super::set_up_primitives::{SetUpBatch, SetUpStage};
use crate::gpu::{Bound, DeviceError, Gpu, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::plan::loop_bounds::LoopBounds;
use crate::pipeline::Draw;
use crate::recompiler::raster_block::RasterBlock;
use crate::recompiler::selection_block::SelectionBlocks;

bindings! {
    /// Bindings of `count_rejects`.
    RejectBindings {
        4 => vertices: Bound<'a>,
        6 => raster: Bound<'a>,
        7 => setups: Bound<'a>,
        8 => bins: Bound<'a>,
        14 => scissor: Bound<'a>,
        15 => counters: Bound<'a>,
    }
}

/// Sets up primitives over the whole surface, with its own buffers.
#[derive(Debug, Default)]
pub(in crate::kernels) struct RejectStage {
    set_up: SetUpStage,
}

impl RejectStage {
    /// Records the count for the primitives of merged draws, if anything is rejected; each draw has `stride` counts,
    /// from the first one on.
    pub(in crate::kernels) fn count(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        geometry: &GeometryStage,
        draw: &Draw,
        assembled: &Assembled<'_>,
        (counters, first, stride): (&wgpu::Buffer, u32, u32),
    ) -> Result<(), DeviceError> {
        let all = RasterBlock::over_surface(draw).and_then(|parameters| geometry.tiled(parameters));
        let Some((mut parameters, batch_primitives)) = all else { return Ok(()) };
        let kernel = rejects_kernel(gpu, &parameters, draw.raster.window_clip.is_some())?;
        let scissor = recording.store(bytemuck::cast_slice(&[RasterBlock::new(draw).clip, [first, stride, 0, 0]]))?;
        let batch_primitives =
            batch_primitives.min(LoopBounds::new(gpu.max_loop_iterations(), geometry.options(), draw).primitives);
        for primitives in assembled.primitives.parts(batch_primitives) {
            let count = u32::try_from(primitives.len()).expect("a batch is at most 131072 primitives");
            (parameters.primitive_count, parameters.bin_words) = (count, count.div_ceil(32));
            parameters.round[3] = assembled.vertex_count;
            let block = recording.store(&SelectionBlocks::default().bytes(&parameters, 0))?;
            let assembled = Assembled { primitives, counted: None, ..*assembled };
            let (parameters, block) = (&parameters, &block);
            let batch =
                SetUpBatch { parameters, block, assembled, is_filled_triangles: false, tiles_find_large: false };
            self.set_up.batch(gpu, recording, geometry.options(), &batch)?;
            let bindings = RejectBindings {
                vertices: assembled.vertices.into(),
                raster: block.into(),
                setups: self.set_up.setups().into(),
                bins: self.set_up.bins().into(),
                scissor: (&scissor).into(),
                counters: counters.into(),
            };
            recording.dispatch(&kernel, &bindings, [parameters.round[2].div_ceil(32), 1, 1]);
        }
        Ok(())
    }
}
