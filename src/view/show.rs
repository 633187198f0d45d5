//! The render pass that shows a picture, or only the background.

use bytemuck::{Pod, Zeroable};

use super::machine::Shown;
use super::zoom::Placement;
use crate::gpu::{DeviceError, Gpu};

const SHOW_PICTURE: &str = include_str!("../../wgsl/present/show_picture.wgsl");

/// Parameters of `show_picture`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct ShowParameters {
    origin: [f32; 2],
    scale: f32,
    is_flipped: u32,
    size: [u32; 2],
    padding: [u32; 2],
}

/// The pipelines and their bindings.
#[derive(Debug)]
pub(super) struct Show {
    /// For integer zoom factors, and for others.
    pipelines: [wgpu::RenderPipeline; 2],
    layout: wgpu::BindGroupLayout,
    parameters: wgpu::Buffer,
    /// One black pixel, for windows without a picture.
    empty: wgpu::Buffer,
}

/// A picture and its position, ready to be drawn.
#[derive(Debug)]
pub(super) struct Prepared {
    group: wgpu::BindGroup,
    pipeline: usize,
}

impl Show {
    /// Compiles the pipelines for targets of a format.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Result<Self, DeviceError> {
        let device = gpu.device();
        let entry = |binding| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: true },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let label = Some("show_picture");
        let layout =
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &[entry(0), entry(1)] });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let source = wgpu::ShaderSource::Wgsl(SHOW_PICTURE.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
        let pipeline = |is_smooth: bool| {
            let constants = [
                ("IS_SMOOTH", f64::from(u8::from(is_smooth))),
                ("TAKES_LINEAR", f64::from(u8::from(format.is_srgb()))),
            ];
            let compilation_options = wgpu::PipelineCompilationOptions { constants: &constants, ..Default::default() };
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label,
                layout: Some(&pipeline_layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some("cover_window"),
                    compilation_options: compilation_options.clone(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some("show_picture"),
                    compilation_options,
                    targets: &[Some(format.into())],
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        let pipelines = [pipeline(false), pipeline(true)];
        let parameters = gpu.buffer("show parameters", size_of::<ShowParameters>() as u64)?;
        let empty = gpu.buffer("no picture", 4)?;
        gpu.check()?;
        Ok(Self { pipelines, layout, parameters, empty })
    }

    /// Prepares a picture for the next submission; without one, only the background is drawn.
    #[must_use]
    pub(super) fn prepare(&self, gpu: &Gpu, shown: Option<&Shown>, placement: Placement, is_flipped: bool) -> Prepared {
        let (buffer, size) = shown.map_or((&self.empty, [0, 0]), |shown| (&shown.buffer, [shown.width, shown.height]));
        let Placement { origin, scale } = placement;
        let parameters = ShowParameters { origin, scale, is_flipped: is_flipped.into(), size, padding: [0; 2] };
        gpu.upload(&self.parameters, 0, bytemuck::bytes_of(&parameters));
        let entries = [(0, buffer), (1, &self.parameters)];
        let entries =
            entries.map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
        let descriptor =
            wgpu::BindGroupDescriptor { label: Some("show_picture"), layout: &self.layout, entries: &entries };
        let group = gpu.device().create_bind_group(&descriptor);
        let is_whole = scale >= 1.0 && scale.fract() == 0.0;
        Prepared { group, pipeline: usize::from(!is_whole) }
    }

    /// Draws the prepared picture.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, prepared: &Prepared) {
        pass.set_pipeline(&self.pipelines[prepared.pipeline]);
        pass.set_bind_group(0, &prepared.group, &[]);
        pass.draw(0..3, 0..1);
    }
}
