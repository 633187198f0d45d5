//! The adapter and device that kernels run on, their pipelines and buffers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use super::link::{LinkError, Linked, link};
use super::modules::module_source;

/// Which adapter to take.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AdapterChoice {
    /// The fastest: discrete, then integrated, then virtual, then software.
    #[default]
    Best,
    /// A software adapter.
    Software,
    /// The first whose name contains this text, whatever its case.
    Named(String),
}

/// Why kernels cannot run.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// No adapter fits the choice.
    #[error("no adapter {choice}; found: {found}")]
    NoAdapter {
        /// What was asked for.
        choice: String,
        /// What there is.
        found: String,
    },
    /// The adapter gives no device.
    #[error("adapter '{adapter}' gives no device: {message}")]
    NoDevice {
        /// The adapter.
        adapter: String,
        /// What the driver said.
        message: String,
    },
    /// Modules cannot be joined.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A kernel is not valid WGSL.
    #[error("kernel '{kernel}' at {file}:{line}: {message}")]
    InvalidKernel {
        /// The kernel.
        kernel: String,
        /// The file of the error.
        file: String,
        /// The line in it, from 1.
        line: usize,
        /// What naga said.
        message: String,
    },
    /// The device or the driver reports an error.
    #[error("{0}")]
    Driver(String),
}

/// What there is to know about an adapter before opening it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AdapterSummary {
    /// The name that its driver gives.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: &'static str,
    /// The API that it is reached through.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// The largest storage buffer that one binding can hold, in bytes.
    pub max_binding_bytes: u64,
    /// The most storage buffers that one kernel can bind.
    pub max_bindings: u32,
}

/// Most compiled kernels that are kept; a stream of ever new ones must not fill memory.
const KERNEL_LIMIT: usize = 4096;

/// Storage buffers that the widest kernel binds.
const REQUIRED_BINDINGS: u32 = 8;

/// All adapters of this machine, best first.
#[must_use]
pub fn adapters() -> Vec<AdapterSummary> {
    found_adapters(&instance()).iter().map(summarize).collect()
}

fn instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle())
}

fn found_adapters(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    adapters.sort_by_key(|adapter| kind_of(adapter.get_info().device_type).0);
    adapters
}

fn kind_of(device_type: wgpu::DeviceType) -> (u32, &'static str) {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => (0, "discrete"),
        wgpu::DeviceType::IntegratedGpu => (1, "integrated"),
        wgpu::DeviceType::VirtualGpu => (2, "virtual"),
        wgpu::DeviceType::Cpu => (3, "software"),
        wgpu::DeviceType::Other => (4, "other"),
    }
}

fn summarize(adapter: &wgpu::Adapter) -> AdapterSummary {
    let info = adapter.get_info();
    let limits = adapter.limits();
    AdapterSummary {
        name: info.name,
        kind: kind_of(info.device_type).1,
        backend: info.backend.to_string(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        max_bindings: limits.max_storage_buffers_per_shader_stage,
    }
}

/// Takes the first adapter that fits the choice.
fn chosen_adapter(choice: &AdapterChoice, mut adapters: Vec<wgpu::Adapter>) -> Result<wgpu::Adapter, DeviceError> {
    let chosen = adapters.iter().position(|adapter| match choice {
        AdapterChoice::Best => true,
        AdapterChoice::Software => adapter.get_info().device_type == wgpu::DeviceType::Cpu,
        AdapterChoice::Named(text) => adapter.get_info().name.to_lowercase().contains(&text.to_lowercase()),
    });
    let Some(chosen) = chosen else {
        let names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
        let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let choice = match choice {
            AdapterChoice::Best => "that wgpu can reach".to_owned(),
            AdapterChoice::Software => "that renders in software".to_owned(),
            AdapterChoice::Named(text) => format!("named '{text}'"),
        };
        return Err(DeviceError::NoAdapter { choice, found });
    };
    Ok(adapters.swap_remove(chosen))
}

/// An open device with its queue and the kernels compiled so far.
#[derive(Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    summary: AdapterSummary,
    kernels: Rc<RefCell<HashMap<String, Arc<Kernel>>>>,
    failure: Arc<Mutex<Option<String>>>,
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
}

impl Gpu {
    /// Opens the chosen adapter.
    ///
    /// # Errors
    /// When there is none, or it lacks what the kernels need.
    pub fn open(choice: &AdapterChoice) -> Result<Self, DeviceError> {
        Self::from_adapter(&chosen_adapter(choice, found_adapters(&instance()))?)
    }

    /// Opens the chosen one of the adapters that can show pictures on a surface of this instance.
    ///
    /// # Errors
    /// When there is none, or it lacks what the kernels need.
    pub fn open_for(
        choice: &AdapterChoice,
        instance: &wgpu::Instance,
        surface: &wgpu::Surface<'_>,
    ) -> Result<(Self, wgpu::Adapter), DeviceError> {
        let mut adapters = found_adapters(instance);
        adapters.retain(|adapter| adapter.is_surface_supported(surface));
        let adapter = chosen_adapter(choice, adapters)?;
        Ok((Self::from_adapter(&adapter)?, adapter))
    }

    /// The same device and the kernels compiled so far, for a second owner.
    #[must_use]
    pub fn share(&self) -> Self {
        Self {
            device: self.device.clone(),
            queue: self.queue.clone(),
            summary: self.summary.clone(),
            kernels: Rc::clone(&self.kernels),
            failure: Arc::clone(&self.failure),
        }
    }

    /// The device, for what is no kernel.
    #[must_use]
    pub const fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue that all work goes through.
    #[must_use]
    pub const fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    fn from_adapter(adapter: &wgpu::Adapter) -> Result<Self, DeviceError> {
        let summary = summarize(adapter);
        let no_device = |message: String| DeviceError::NoDevice { adapter: summary.name.clone(), message };
        if summary.max_bindings < REQUIRED_BINDINGS {
            let bindings = summary.max_bindings;
            return Err(no_device(format!("it binds {bindings} storage buffers, {REQUIRED_BINDINGS} are needed")));
        }
        let available = adapter.limits();
        let limits = wgpu::Limits {
            max_storage_buffer_binding_size: available.max_storage_buffer_binding_size,
            max_buffer_size: available.max_buffer_size,
            max_storage_buffers_per_shader_stage: available.max_storage_buffers_per_shader_stage,
            // Windows may be larger than the textures that every adapter has.
            max_texture_dimension_2d: available.max_texture_dimension_2d,
            ..wgpu::Limits::downlevel_defaults()
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("curie"),
            required_features: wgpu::Features::empty(),
            required_limits: limits,
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| no_device(error.to_string()))?;
        tracing::debug!(adapter = summary.name, driver = summary.driver, "opened");
        let failure = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error| {
            slot.lock().expect("no holder panics").get_or_insert_with(|| error.to_string());
        }));
        Ok(Self { device, queue, summary, kernels: Rc::default(), failure })
    }

    /// What this device runs on.
    #[must_use]
    pub const fn summary(&self) -> &AdapterSummary {
        &self.summary
    }

    /// Compiles a kernel, or finds it where the same text was compiled before.
    ///
    /// `source` is WGSL with import lines and one entry point `main`.
    ///
    /// # Errors
    /// When the text does not link or is not valid; the error names file and line.
    pub fn kernel(&self, label: &str, source: &str) -> Result<Arc<Kernel>, DeviceError> {
        if let Some(kernel) = self.kernels.borrow().get(source) {
            return Ok(Arc::clone(kernel));
        }
        let started = std::time::Instant::now();
        let linked = link(label, source, &module_source)?;
        let bindings = validate(label, &linked)?;
        let entries: Vec<_> = bindings
            .iter()
            .map(|&(binding, read_only)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
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
            source: wgpu::ShaderSource::Wgsl(linked.source.into()),
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
        let kernel = Arc::new(Kernel { label: label.to_owned(), pipeline, layout, bindings });
        let mut kernels = self.kernels.borrow_mut();
        if kernels.len() >= KERNEL_LIMIT {
            kernels.clear();
        }
        kernels.insert(source.to_owned(), Arc::clone(&kernel));
        tracing::debug!(kernel = label, elapsed = ?started.elapsed(), "compiled");
        Ok(kernel)
    }

    /// Creates a zeroed storage buffer of at least `bytes` bytes.
    ///
    /// # Errors
    /// When it is larger than one binding can hold.
    pub fn buffer(&self, label: &str, bytes: u64) -> Result<wgpu::Buffer, DeviceError> {
        let size = bytes.max(16).next_multiple_of(16);
        if size > self.summary.max_binding_bytes {
            let limit = self.summary.max_binding_bytes;
            return Err(DeviceError::Driver(format!(
                "buffer '{label}' of {size} bytes is beyond the {limit} that '{}' can bind",
                self.summary.name
            )));
        }
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::INDIRECT;
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        self.check()?;
        Ok(buffer)
    }

    /// Creates a storage buffer that holds these bytes.
    ///
    /// # Errors
    /// When it is larger than one binding can hold.
    pub fn buffer_with(&self, label: &str, bytes: &[u8]) -> Result<wgpu::Buffer, DeviceError> {
        let buffer = self.buffer(label, bytes.len() as u64)?;
        if bytes.len().is_multiple_of(4) {
            self.upload(&buffer, 0, bytes);
        } else {
            let mut padded = bytes.to_vec();
            padded.resize(bytes.len().next_multiple_of(4), 0);
            self.upload(&buffer, 0, &padded);
        }
        Ok(buffer)
    }

    /// Writes bytes into a buffer before the next submission; offset and length are multiples of 4.
    pub fn upload(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        self.queue.write_buffer(buffer, offset, bytes);
    }

    /// Starts a recording of dispatches.
    #[must_use]
    pub fn record(&self) -> super::Recording {
        super::Recording::new(&self.device)
    }

    /// Submits a recording.
    ///
    /// # Errors
    /// When the device reports an error.
    pub fn submit(&self, recording: super::Recording) -> Result<(), DeviceError> {
        self.queue.submit([recording.finish()]);
        self.check()
    }

    /// Waits for all submitted work.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| DeviceError::Driver(error.to_string()))?;
        self.check()
    }

    /// Waits for all submitted work and reads bytes back; offset and length are multiples of 4.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let size = bytes.len() as u64;
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(buffer, offset, &staging, 0, size);
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = futures_intrusive::channel::shared::oneshot_channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver outlives the poll below, so the send cannot fail.
            let _ = sender.send(result);
        });
        self.wait()?;
        pollster::block_on(receiver.receive())
            .ok_or_else(|| DeviceError::Driver("readback was dropped".to_owned()))?
            .map_err(|error| DeviceError::Driver(error.to_string()))?;
        let view = staging.get_mapped_range(..).map_err(|error| DeviceError::Driver(error.to_string()))?;
        bytes.copy_from_slice(&view);
        Ok(())
    }

    /// Runs a kernel once over words: uploads each binding, dispatches, and reads every binding back.
    ///
    /// For tests and small jobs; `bindings` are (binding number, words).
    ///
    /// # Errors
    /// When the kernel is not valid or the device fails.
    pub fn run(
        &self,
        label: &str,
        source: &str,
        bindings: &mut [(u32, &mut Vec<u32>)],
        workgroups: [u32; 3],
    ) -> Result<(), DeviceError> {
        let kernel = self.kernel(label, source)?;
        let mut buffers = Vec::new();
        for (binding, words) in bindings.iter() {
            let buffer = self.buffer(label, words.len() as u64 * 4)?;
            self.upload(&buffer, 0, bytemuck::cast_slice(words));
            buffers.push((*binding, buffer));
        }
        let bound: Vec<_> = buffers.iter().map(|(binding, buffer)| (*binding, buffer)).collect();
        let mut recording = self.record();
        recording.dispatch(&kernel, &bound, workgroups);
        self.submit(recording)?;
        for ((_, words), (_, buffer)) in bindings.iter_mut().zip(&buffers) {
            self.download(buffer, 0, bytemuck::cast_slice_mut(words))?;
        }
        Ok(())
    }

    /// Reports the first error that the device raised since the last check.
    ///
    /// # Errors
    /// When there is one.
    pub fn check(&self) -> Result<(), DeviceError> {
        match self.failure.lock().expect("no holder panics").take() {
            Some(message) => Err(DeviceError::Driver(message)),
            None => Ok(()),
        }
    }
}

/// Parses and validates joined WGSL; returns its storage bindings and whether each is read-only.
fn validate(label: &str, linked: &Linked) -> Result<Vec<(u32, bool)>, DeviceError> {
    let located = |line: u32, message: String| {
        let (file, line) = linked.locate(line as usize);
        DeviceError::InvalidKernel { kernel: label.to_owned(), file: file.to_owned(), line, message }
    };
    let module = naga::front::wgsl::parse_str(&linked.source).map_err(|error| {
        let line = error.location(&linked.source).map_or(1, |location| location.line_number);
        located(line, error.message().to_owned())
    })?;
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::default());
    validator.validate(&module).map_err(|error| {
        let line = error.location(&linked.source).map_or(1, |location| location.line_number);
        located(line, error.emit_to_string(&linked.source))
    })?;
    let mut bindings: Vec<_> = module
        .global_variables
        .iter()
        .filter_map(|(_, variable)| match (variable.space, variable.binding) {
            (naga::AddressSpace::Storage { access }, Some(binding)) => {
                Some((binding.binding, !access.contains(naga::StorageAccess::STORE)))
            }
            _ => None,
        })
        .collect();
    bindings.sort_unstable();
    Ok(bindings)
}
