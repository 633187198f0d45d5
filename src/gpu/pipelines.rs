//! Makes pipelines of kernels: links and validates their text, and gives the module to the device.

use std::sync::Arc;

use super::fold_branches::fold_branches;
use super::kernel::{Access, BoundResource, DIAGNOSTICS, Kernel, Prepared};
use super::link::{Linked, link};
use super::modules::{module_source, variant_source};
use super::{DeviceError, Gpu};

impl Gpu {
    /// Makes the pipeline of a kernel, and keeps it by the hash of its text.
    pub(super) fn build_and_keep(&self, hash: u128, prepared: Prepared) -> Result<Arc<Kernel>, DeviceError> {
        let kernel = Arc::new(self.build(prepared, self.shared.next_kernel())?);
        self.kernels.lock().expect("no holder panics").insert(hash, Arc::clone(&kernel));
        Ok(kernel)
    }

    /// Makes the pipeline of a kernel and keeps it, unless it is there.
    pub(super) fn keep_if_new(&self, hash: u128, prepared: Prepared) -> Result<(), DeviceError> {
        let is_new = self.kernels.lock().expect("no holder panics").find(hash).is_none();
        if is_new {
            self.build_and_keep(hash, prepared)?;
        }
        Ok(())
    }

    /// The module that the device is given for a kernel.
    ///
    /// # Errors
    /// When the text does not link or is not valid; the error names file and line.
    pub fn module(&self, label: &str, source: &str) -> Result<naga::Module, DeviceError> {
        Ok(self.prepare(label, source)?.module)
    }

    /// Links, parses and validates the text of a kernel.
    pub(super) fn prepare(&self, label: &str, source: &str) -> Result<Prepared, DeviceError> {
        let variants = [("wide", self.has_wide_words()), ("llvmpipe", self.summary().is_llvmpipe())];
        let resolve = |name: &str| {
            let mut variants = variants.iter().filter(|(_, applies)| *applies);
            variants.find_map(|(variant, _)| variant_source(name, variant)).or_else(|| module_source(name))
        };
        let linked = link(label, source, &resolve)?;
        tracing::trace!(target: DIAGNOSTICS, "joined {label}\n{}\n// end of {label}", linked.source);
        let (module, bindings) = validate(label, &linked, self.has_wide_words())?;
        let mut places = self.device.limits().max_dynamic_storage_buffers_per_pipeline_layout;
        let moving = bindings
            .iter()
            .map(|bound| {
                let moves = bound.access == Access::Read
                    && self.blocks_at.is_none_or(|blocks| blocks.contains(&bound.binding))
                    && places > 0;
                places -= u32::from(moves);
                moves
            })
            .collect();
        Ok(Prepared { label: label.to_owned(), module, bindings, moving })
    }

    /// Makes the pipeline of a kernel.
    pub(super) fn build(&self, prepared: Prepared, number: u64) -> Result<Kernel, DeviceError> {
        let Prepared { label, module, bindings, moving } = prepared;
        let entries: Vec<_> = bindings
            .iter()
            .zip(&moving)
            .map(|(bound, &moves)| wgpu::BindGroupLayoutEntry {
                binding: bound.binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: bound.access.binding_type(moves),
                count: None,
            })
            .collect();
        let layout = self
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(&label), entries: &entries });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(&label),
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(&label),
            source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
        });
        let in_creation = self.shared.begin_pipeline();
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&label),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        drop(in_creation);
        self.check()?;
        let numbers = bindings.iter().map(|bound| bound.binding).collect();
        Ok(Kernel { label, pipeline, layout, bindings: numbers, moving, resources: bindings, number })
    }

    /// Dispatches a kernel over no workgroups, and waits. Some drivers compile it then.
    pub(super) fn dispatch_nothing(&self, kernel: &Kernel) -> Result<(), DeviceError> {
        let (_, image) = self.word_image("nothing", [1, 1])?;
        let buffers: Vec<_> =
            kernel.resources.iter().map(|bound| self.buffer("nothing", bound.bytes)).collect::<Result<_, _>>()?;
        let entries: Vec<_> = kernel
            .resources
            .iter()
            .zip(&buffers)
            .map(|(bound, buffer)| wgpu::BindGroupEntry {
                binding: bound.binding,
                resource: match bound.access {
                    Access::Image => wgpu::BindingResource::TextureView(&image),
                    Access::Read | Access::Write => buffer.as_entire_binding(),
                },
            })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&kernel.label),
            layout: &kernel.layout,
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&kernel.pipeline);
        let offsets = vec![0; kernel.moving.iter().filter(|moves| **moves).count()];
        pass.set_bind_group(0, &group, &offsets);
        pass.dispatch_workgroups(0, 1, 1);
        drop(pass);
        self.queue().submit([encoder.finish()]);
        self.wait()
    }
}

/// Parses and validates joined WGSL; returns the used parts, its bindings and their uses.
fn validate(
    label: &str,
    linked: &Linked,
    has_wide_words: bool,
) -> Result<(naga::Module, Vec<BoundResource>), DeviceError> {
    let located = |line: u32, message: String| {
        let (file, line) = linked.locate(line as usize);
        DeviceError::InvalidKernel { kernel: label.to_owned(), file: file.to_owned(), line, message }
    };
    let mut module = naga::front::wgsl::parse_str(&linked.source).map_err(|error| {
        let line = error.location(&linked.source).map_or(1, |location| location.line_number);
        located(line, error.message().to_owned())
    })?;
    let mut capabilities = naga::valid::Capabilities::default();
    capabilities.set(naga::valid::Capabilities::SHADER_INT64, has_wide_words);
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    validator.validate(&module).map_err(|error| {
        let line = error.location(&linked.source).map_or(1, |location| location.line_number);
        located(line, error.emit_to_string(&linked.source))
    })?;
    // A pipeline keeps its module, and drivers keep what they compile from it. What only branches use that never run is not
    // bound.
    fold_branches(&mut module);
    naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
    let mut bindings: Vec<_> = module
        .global_variables
        .iter()
        .filter_map(|(_, variable)| {
            let access = match variable.space {
                naga::AddressSpace::Storage { access } if access.contains(naga::StorageAccess::STORE) => Access::Write,
                naga::AddressSpace::Storage { .. } => Access::Read,
                naga::AddressSpace::Handle => Access::Image,
                _ => return None,
            };
            let bytes = u64::from(module.types[variable.ty].inner.size(module.to_ctx()));
            Some(BoundResource { binding: variable.binding?.binding, access, bytes })
        })
        .collect();
    bindings.sort_unstable_by_key(|bound| bound.binding);
    Ok((module, bindings))
}
