//! Counts on the device the pixels of a draw that the scissor and window clips take away.

use super::geometry::{Assembled, GeometryStage};
use super::loop_rounds::RoundBounds;
use super::rasterize_tiles::rejects_kernel;
use super::set_up_primitives::{SetUpBatch, SetUpStage};
use crate::gpu::{Bound, DeviceError, Gpu, Recording};
use crate::pipeline::Draw;
use crate::pipeline::front_end::raster_parameters::RasterParameters;

/// Set-up of primitives over all of a surface, with buffers of its own.
#[derive(Debug, Default)]
pub(super) struct RejectStage {
    set_up: SetUpStage,
}

impl RejectStage {
    /// Records the count for the primitives of draws that are drawn as one, where anything is taken away; their counts are so many
    /// words each of a buffer (binding 15) from a first one on.
    pub(super) fn count(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        geometry: &GeometryStage,
        draw: &Draw,
        assembled: &Assembled<'_>,
        (counters, first, stride): (&wgpu::Buffer, u32, u32),
    ) -> Result<(), DeviceError> {
        let all = RasterParameters::over_surface(draw).and_then(|parameters| geometry.tiled(parameters));
        let Some((mut parameters, batch_primitives)) = all else { return Ok(()) };
        let kernel = rejects_kernel(gpu, &parameters, draw.raster.window_clip.is_some())?;
        let scissor =
            recording.store(bytemuck::cast_slice(&[RasterParameters::new(draw).clip, [first, stride, 0, 0]]))?;
        let batch_primitives = batch_primitives.min(RoundBounds::new(gpu, geometry.options(), draw).primitives);
        let kept = assembled.kept.filter(|_| assembled.primitives.len() <= batch_primitives);
        for primitives in assembled.primitives.chunks(batch_primitives) {
            let count = u32::try_from(primitives.len()).expect("a batch is at most 131072 primitives");
            (parameters.primitive_count, parameters.bin_words) = (count, count.div_ceil(32));
            parameters.round[3] = assembled.vertex_count;
            let block = recording.store(bytemuck::bytes_of(&parameters))?;
            let assembled = Assembled { primitives, kept, counted: None, ..*assembled };
            let (parameters, block) = (&parameters, &block);
            let batch = SetUpBatch { parameters, block, assembled, is_plain: false, finds_large: false };
            self.set_up.batch(gpu, recording, geometry.options(), &batch)?;
            let bindings = [
                (4, assembled.vertices.into()),
                (6, Bound::from(block)),
                (7, self.set_up.records().into()),
                (8, self.set_up.bins().into()),
                (14, (&scissor).into()),
                (15, counters.into()),
            ];
            recording.dispatch(&kernel, &bindings, [parameters.round[2].div_ceil(32), 1, 1]);
        }
        Ok(())
    }
}
