//! Kernels: linked and validated modules, the compiled ones, and the cache that keeps these.

use std::sync::{Arc, Mutex};

use super::AdapterSummary;
use super::kernel_cache::KernelCache;

/// Kernels per generation of the cache, so that a stream of ever-new kernels cannot fill memory.
const CACHED_KERNELS: usize = 2048;

/// The same for software adapters. llvmpipe (Mesa 22.3) holds five to six megabytes for each kernel of a draw, and loads
/// one that it has compiled before from its disk cache.
const CACHED_SOFTWARE_KERNELS: usize = 128;

/// The target of diagnostics about kernels: their text, and how long they took.
pub(super) const DIAGNOSTICS: &str = "curie::gpu::kernel";

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
    /// Binding numbers that the kernel uses, ascending.
    pub bindings: Vec<u32>,
    /// Which of them hold blocks, whose offsets each dispatch supplies.
    pub(super) moving: Vec<bool>,
    /// What it binds.
    pub(super) resources: Vec<BoundResource>,
    /// Identifies the kernel on its device.
    pub number: u64,
}

/// A kernel whose text is validated.
#[derive(Debug, Clone, Default)]
pub(super) struct Prepared {
    pub(super) label: String,
    pub(super) module: naga::Module,
    pub(super) bindings: Vec<BoundResource>,
    pub(super) moving: Vec<bool>,
}

impl Prepared {
    /// How many expressions its functions have: a measure of the work to compile it.
    pub(super) fn size(&self) -> usize {
        let functions = self.module.functions.iter().map(|(_, function)| function);
        let entries = self.module.entry_points.iter().map(|entry| &entry.function);
        functions.chain(entries).map(|function| function.expressions.len()).sum()
    }
}

/// What a kernel binds.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundResource {
    pub(super) binding: u32,
    pub(super) access: Access,
    /// The size of a buffer with at least one element.
    pub(super) bytes: u64,
}

/// How a kernel uses a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// It reads a buffer.
    Read,
    /// It reads and writes a buffer.
    Write,
    /// It reads an image of words.
    Image,
}

impl Access {
    pub(super) fn binding_type(self, moves: bool) -> wgpu::BindingType {
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
