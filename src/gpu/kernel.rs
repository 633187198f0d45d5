//! Compiles kernels from WGSL with imports, and caches the pipelines by text or by the inputs of the text.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use super::fold_branches::fold_branches;
use super::kernel_cache::KernelCache;
use super::link::{Linked, link};
use super::modules::{module_source, wide_module_source};
use super::{AdapterSummary, DeviceError, Gpu};

/// The most kernels by the inputs of their text that are kept.
const KERNEL_LIMIT: usize = 4096;

/// Kernels per generation of the cache, so that a stream of ever-new kernels cannot fill memory.
const CACHED_KERNELS: usize = 2048;

/// The same for software adapters. llvmpipe (Mesa 22.3) holds five to six megabytes for each kernel of a draw, and loads
/// one that it has compiled before from its disk cache.
const CACHED_SOFTWARE_KERNELS: usize = 128;

/// An empty cache for kernels of an adapter.
pub(super) fn kernel_cache(summary: &AdapterSummary) -> Arc<Mutex<KernelCache<Kernel>>> {
    let limit = if summary.is_software() { CACHED_SOFTWARE_KERNELS } else { CACHED_KERNELS };
    Arc::new(Mutex::new(KernelCache::new(limit)))
}

/// A compiled kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name.
    pub label: String,
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
    /// Binding numbers that the kernel declares, ascending.
    pub bindings: Vec<u32>,
    /// Which of them hold blocks, whose offsets each dispatch supplies.
    pub(super) moving: Vec<bool>,
    /// Identifies the kernel.
    pub(super) number: u64,
}

impl Gpu {
    /// Compiles a kernel, or returns the cached one for the same key; `source` is called for new keys only.
    ///
    /// # Errors
    /// As [`Gpu::kernel`].
    pub fn kernel_of(
        &self,
        label: &'static str,
        key: u64,
        source: impl FnOnce() -> String,
    ) -> Result<Arc<Kernel>, DeviceError> {
        if let Some(kernel) = self.keyed.lock().expect("no holder panics").get(&(label, key)) {
            return Ok(Arc::clone(kernel));
        }
        let kernel = self.kernel(label, &source())?;
        let mut keyed = self.keyed.lock().expect("no holder panics");
        if keyed.len() >= KERNEL_LIMIT {
            keyed.clear();
        }
        keyed.insert((label, key), Arc::clone(&kernel));
        Ok(kernel)
    }

    /// Compiles a kernel, or returns the cached one for the same text.
    ///
    /// `source` is WGSL with import lines and one entry point `main`.
    ///
    /// # Errors
    /// When the text does not link or is not valid; the error names file and line.
    pub fn kernel(&self, label: &str, source: &str) -> Result<Arc<Kernel>, DeviceError> {
        let hash = hash_of(source);
        if let Some(kernel) = self.kernels.lock().expect("no holder panics").find(hash) {
            return Ok(kernel);
        }
        let started = std::time::Instant::now();
        let resolve = |name: &str| match wide_module_source(name) {
            Some(text) if self.has_wide_words() => Some(text),
            _ => module_source(name),
        };
        let linked = link(label, source, &resolve)?;
        tracing::trace!("joined {label}\n{}\n// end of {label}", linked.source);
        let (module, bindings) = validate(label, &linked, self.has_wide_words())?;
        let mut places = self.device.limits().max_dynamic_storage_buffers_per_pipeline_layout;
        let moving: Vec<_> = bindings
            .iter()
            .map(|(binding, access)| {
                let moves = *access == Access::Read
                    && self.blocks_at.is_none_or(|blocks| blocks.contains(binding))
                    && places > 0;
                places -= u32::from(moves);
                moves
            })
            .collect();
        let entries: Vec<_> = bindings
            .iter()
            .zip(&moving)
            .map(|(&(binding, access), &moves)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: access.binding_type(moves),
                count: None,
            })
            .collect();
        let layout = self
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        self.check()?;
        let bindings = bindings.iter().map(|&(binding, _)| binding).collect();
        let number = self.shared.next_kernel();
        let kernel = Arc::new(Kernel { label: label.to_owned(), pipeline, layout, bindings, moving, number });
        self.kernels.lock().expect("no holder panics").insert(hash, Arc::clone(&kernel));
        tracing::debug!(kernel = label, elapsed = ?started.elapsed(), "compiled");
        Ok(kernel)
    }
}

/// How a kernel uses a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// It reads a buffer.
    Read,
    /// It reads and writes a buffer.
    Write,
    /// It reads an image of words.
    Image,
}

impl Access {
    fn binding_type(self, moves: bool) -> wgpu::BindingType {
        let buffer = |read_only| wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only },
            has_dynamic_offset: moves,
            min_binding_size: None,
        };
        match self {
            Self::Read => buffer(true),
            Self::Write => buffer(false),
            Self::Image => wgpu::BindingType::StorageTexture {
                access: wgpu::StorageTextureAccess::ReadOnly,
                format: wgpu::TextureFormat::R32Uint,
                view_dimension: wgpu::TextureViewDimension::D2,
            },
        }
    }
}

/// Parses and validates joined WGSL; returns the used parts, its bindings and their uses.
fn validate(
    label: &str,
    linked: &Linked,
    has_wide_words: bool,
) -> Result<(naga::Module, Vec<(u32, Access)>), DeviceError> {
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
    let mut bindings: Vec<_> = module
        .global_variables
        .iter()
        .filter_map(|(_, variable)| match (variable.space, variable.binding) {
            (naga::AddressSpace::Storage { access }, Some(binding)) => {
                let writes = access.contains(naga::StorageAccess::STORE);
                Some((binding.binding, if writes { Access::Write } else { Access::Read }))
            }
            (naga::AddressSpace::Handle, Some(binding)) => Some((binding.binding, Access::Image)),
            _ => None,
        })
        .collect();
    bindings.sort_unstable_by_key(|(binding, _)| *binding);
    // A pipeline keeps its module, and drivers keep what they compile from it.
    fold_branches(&mut module);
    naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
    Ok((module, bindings))
}

/// A hash long enough that different texts have different hashes.
fn hash_of(text: &str) -> u128 {
    let [low, high] = [0u8, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        (seed, text).hash(&mut hasher);
        u128::from(hasher.finish())
    });
    low | high << 64
}
