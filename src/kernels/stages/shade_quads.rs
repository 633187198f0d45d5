//! The shading stage: runs the fragment program over listed quads.

use super::geometry::QuadLists;
use crate::gpu::{Bound, DeviceError, Gpu, Kernel, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::context::Context;
use crate::kernels::plan::shade_quads::{ShadeHeader, constants};
use crate::kernels::plan::texture_parameters::ShadeParameters;
use crate::pipeline::Draw;

bindings! {
    /// Bindings of `shade_quads`.
    ShadeBindings {
        /// The memory that units sample: guest memory, or a copy from before the draw.
        0 => texels: Bound<'a>,
        4 => vertices: Bound<'a>,
        6 => raster: Bound<'a>,
        7 => setups: Bound<'a>,
        10 => quads: Bound<'a>,
        11 => textures: Bound<'a>,
        12 => constants: Bound<'a>,
        13 => shaded: Bound<'a>,
    }
}

/// Buffers of the stage, reused between draws.
#[derive(Debug)]
pub(in crate::kernels) struct ShadeStage {
    shaded: wgpu::Buffer,
    /// The sampled memory of draws that write the same memory, copied to the same offsets.
    texels_before: wgpu::Buffer,
}

/// The inputs of shading besides the quads.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct ShadeInputs<'a> {
    pub(in crate::kernels) kernel: &'a Kernel,
    /// Vectors that the kernel stores per quad.
    pub(in crate::kernels) stride: u32,
    /// The constants of the program.
    pub(in crate::kernels) constants: &'a [[u32; 4]],
    pub(in crate::kernels) textures: &'a ShadeParameters,
    pub(in crate::kernels) vertices: &'a wgpu::Buffer,
    /// Guest memory, unless the draw samples memory that it writes.
    pub(in crate::kernels) memory: Option<&'a wgpu::Buffer>,
}

impl ShadeStage {
    /// Creates a stage without quads.
    pub(in crate::kernels) fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let texels_before = gpu.buffer("texels before a draw", 0)?;
        Ok(Self { shaded: gpu.buffer("shaded quads", 0)?, texels_before })
    }

    /// The most recently shaded quads.
    pub(in crate::kernels) const fn shaded(&self) -> &wgpu::Buffer {
        &self.shaded
    }

    /// Copies the sampled memory to the same offsets, so that a draw does not read its own writes there.
    pub(in crate::kernels) fn copy_texels(
        &mut self,
        context: &mut Context,
        draw: &Draw,
        units: u16,
    ) -> Result<(), DeviceError> {
        let Context { gpu, recording, memory, .. } = context;
        let mirror = memory.buffer();
        let ranges: Vec<_> = draw
            .fetched_windows(units)
            .map(|window| {
                let window = memory.locate(window);
                let end = u64::from(window.start) + u64::from(window.bytes);
                u64::from(window.start) & !3..end.next_multiple_of(4).min(mirror.size())
            })
            .collect();
        let end = ranges.iter().map(|range| range.end).max().unwrap_or(0);
        if self.texels_before.size() < end {
            self.texels_before = gpu.buffer("texels before a draw", end)?;
        }
        for range in ranges {
            recording.copy((mirror, range.start), (&self.texels_before, range.start), range.end - range.start);
        }
        Ok(())
    }

    /// Records the shading of a round of quads.
    pub(in crate::kernels) fn shade(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        inputs: &ShadeInputs<'_>,
        quads: &QuadLists<'_>,
    ) -> Result<(), DeviceError> {
        let bytes = u64::from(quads.max_quads) * u64::from(inputs.stride) * 16;
        if self.shaded.size() < bytes {
            self.shaded = gpu.buffer("shaded quads", bytes.next_power_of_two())?;
        }
        let header = ShadeHeader { quad_count: quads.max_quads, ..ShadeHeader::default() };
        let constants = constants(header, inputs.constants);
        let constants = recording.store_changed("fragment constants", bytemuck::cast_slice(&constants))?;
        let textures = recording.store_changed("shade parameters", bytemuck::bytes_of(inputs.textures))?;
        let bindings = ShadeBindings {
            texels: inputs.memory.unwrap_or(&self.texels_before).into(),
            vertices: inputs.vertices.into(),
            raster: quads.parameters,
            setups: quads.setups.into(),
            quads: quads.quads.into(),
            textures: (&textures).into(),
            constants: (&constants).into(),
            shaded: (&self.shaded).into(),
        };
        recording.dispatch_indirect(inputs.kernel, &bindings, quads.groups, 0);
        Ok(())
    }
}
