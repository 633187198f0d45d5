//! The output merger's stage: merges shaded quads into the targets, tile by tile.

use super::geometry::QuadLists;
use crate::format::srgb;
use crate::gpu::{Bound, DeviceError, Gpu, Kernel, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::plan::merge_pixels::{MergeParameters, TILES_PER_GROUP};

bindings! {
    /// Bindings of `merge_pixels`.
    MergeBindings {
        0 => memory: Bound<'a>,
        9 => tiles: Bound<'a>,
        13 => shaded: Bound<'a>,
        14 => parameters: Bound<'a>,
        15 => counters: Bound<'a>,
        /// The table of the sRGB curve.
        22 => srgb_table: Bound<'a>,
    }
}

/// The state of the stage.
#[derive(Debug)]
pub(in crate::kernels) struct MergeStage {
    srgb_table: wgpu::Buffer,
}

/// The buffers that merging reads and writes.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct MergeBuffers<'a> {
    pub(in crate::kernels) memory: &'a wgpu::Buffer,
    pub(in crate::kernels) shaded: &'a wgpu::Buffer,
    pub(in crate::kernels) counters: &'a wgpu::Buffer,
}

impl MergeStage {
    /// Creates a stage with the table of the sRGB curve on the device.
    pub(in crate::kernels) fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let srgb_table = gpu.buffer_with("srgb table", bytemuck::cast_slice(&srgb::curve()))?;
        Ok(Self { srgb_table })
    }

    /// The table of the sRGB curve.
    pub(in crate::kernels) const fn srgb_table(&self) -> &wgpu::Buffer {
        &self.srgb_table
    }

    /// Records the merging of a round of quads.
    pub(in crate::kernels) fn merge(
        &self,
        recording: &mut Recording,
        kernel: &Kernel,
        parameters: &MergeParameters,
        buffers: MergeBuffers<'_>,
        quads: &QuadLists<'_>,
    ) -> Result<(), DeviceError> {
        let parameters = recording.store_changed("merge parameters", bytemuck::bytes_of(parameters))?;
        let bindings = MergeBindings {
            memory: buffers.memory.into(),
            tiles: quads.tiles.into(),
            srgb_table: (&self.srgb_table).into(),
            shaded: buffers.shaded.into(),
            parameters: (&parameters).into(),
            counters: buffers.counters.into(),
        };
        recording.dispatch(kernel, &bindings, [quads.tile_count.div_ceil(TILES_PER_GROUP), 1, 1]);
        Ok(())
    }
}
