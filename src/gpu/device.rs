//! The adapter and device that kernels run on, their pipelines and buffers.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use super::link::{LinkError, Linked, link};
use super::modules::module_source;
use super::recording::Shared;

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

/// Bindings that hold blocks of parameters where a kernel only reads them.
const BLOCK_BINDINGS: [u32; 8] = [1, 2, 3, 5, 6, 11, 12, 14];

/// Submissions that may wait for the device; more would only take memory.
const MAX_IN_FLIGHT: usize = 4;

/// Buffers from this size on are not kept alive by bind groups that nothing uses any more.
const LARGE_BUFFER: u64 = 1 << 16;

/// Most bytes that are read back at once.
const READ_BACK_BYTES: usize = 16 << 20;

/// All adapters of this machine, best first.
#[must_use]
pub fn adapters() -> Vec<AdapterSummary> {
    found_adapters().iter().map(summarize).collect()
}

fn found_adapters() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    // It costs a dispatch for each indirect one. Counts come from our own kernels, which keep to the limits.
    descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    let instance = wgpu::Instance::new(descriptor);
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

/// An open device with its queue and the kernels compiled so far.
#[derive(Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    summary: AdapterSummary,
    shared: Arc<Shared>,
    /// By a hash of their text.
    kernels: RefCell<HashMap<u128, Arc<Kernel>>>,
    /// By a label and what their text is made from.
    keyed: RefCell<HashMap<(&'static str, u64), Arc<Kernel>>>,
    in_flight: RefCell<VecDeque<wgpu::SubmissionIndex>>,
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
    /// Which of them hold blocks, whose place is given with each dispatch.
    pub(super) moving: Vec<bool>,
    /// Tells kernels apart.
    pub(super) number: u64,
}

impl Gpu {
    /// Opens the chosen adapter.
    ///
    /// # Errors
    /// When there is none, or it lacks what the kernels need.
    pub fn open(choice: &AdapterChoice) -> Result<Self, DeviceError> {
        let mut adapters = found_adapters();
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
        Self::from_adapter(&adapters.swap_remove(chosen))
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
            max_dynamic_storage_buffers_per_pipeline_layout: available.max_dynamic_storage_buffers_per_pipeline_layout,
            min_storage_buffer_offset_alignment: available.min_storage_buffer_offset_alignment,
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
        let shared = Arc::new(Shared {
            device: device.clone(),
            pool: Mutex::default(),
            groups: Mutex::default(),
            max_binding_bytes: summary.max_binding_bytes,
            block_alignment: device.limits().min_storage_buffer_offset_alignment.max(16) as usize,
            kernels: AtomicU64::new(0),
        });
        let (kernels, keyed, in_flight) = (RefCell::default(), RefCell::default(), RefCell::default());
        Ok(Self { device, queue, summary, shared, kernels, keyed, in_flight, failure })
    }

    /// What this device runs on.
    #[must_use]
    pub const fn summary(&self) -> &AdapterSummary {
        &self.summary
    }

    /// Compiles a kernel, or finds it where the same key was given before; `source` is called for new keys only.
    ///
    /// # Errors
    /// As [`Gpu::kernel`].
    pub fn kernel_of(
        &self,
        label: &'static str,
        key: u64,
        source: impl FnOnce() -> String,
    ) -> Result<Arc<Kernel>, DeviceError> {
        if let Some(kernel) = self.keyed.borrow().get(&(label, key)) {
            return Ok(Arc::clone(kernel));
        }
        let kernel = self.kernel(label, &source())?;
        let mut keyed = self.keyed.borrow_mut();
        if keyed.len() >= KERNEL_LIMIT {
            keyed.clear();
        }
        keyed.insert((label, key), Arc::clone(&kernel));
        Ok(kernel)
    }

    /// Compiles a kernel, or finds it where the same text was compiled before.
    ///
    /// `source` is WGSL with import lines and one entry point `main`.
    ///
    /// # Errors
    /// When the text does not link or is not valid; the error names file and line.
    pub fn kernel(&self, label: &str, source: &str) -> Result<Arc<Kernel>, DeviceError> {
        let hash = hash_of(source);
        if let Some(kernel) = self.kernels.borrow().get(&hash) {
            return Ok(Arc::clone(kernel));
        }
        let started = std::time::Instant::now();
        let linked = link(label, source, &module_source)?;
        let bindings = validate(label, &linked)?;
        let mut places = self.device.limits().max_dynamic_storage_buffers_per_pipeline_layout;
        let moving: Vec<_> = bindings
            .iter()
            .map(|(binding, read_only)| {
                let moves = *read_only && BLOCK_BINDINGS.contains(binding) && places > 0;
                places -= u32::from(moves);
                moves
            })
            .collect();
        let entries: Vec<_> = bindings
            .iter()
            .zip(&moving)
            .map(|(&(binding, read_only), &moves)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only },
                    has_dynamic_offset: moves,
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
        let number = self.shared.next_kernel();
        let kernel = Arc::new(Kernel { label: label.to_owned(), pipeline, layout, bindings, moving, number });
        let mut kernels = self.kernels.borrow_mut();
        if kernels.len() >= KERNEL_LIMIT {
            kernels.clear();
        }
        kernels.insert(hash, Arc::clone(&kernel));
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
        if size >= LARGE_BUFFER {
            self.shared.groups.lock().expect("no holder panics").clear();
        }
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

    /// Writes bytes into a buffer before the next submission, and so before all that is recorded and not submitted;
    /// offset and length are multiples of 4.
    pub fn upload(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        self.queue.write_buffer(buffer, offset, bytes);
    }

    /// Sends what was uploaded, so that no more of it waits for the next submission.
    pub fn send(&self) {
        self.queue.submit([]);
    }

    /// Starts a recording of dispatches.
    #[must_use]
    pub fn record(&self) -> super::Recording {
        super::Recording::new(Arc::clone(&self.shared))
    }

    /// Submits a recording; waits where too many have not run yet.
    ///
    /// # Errors
    /// When the device reports an error.
    pub fn submit(&self, recording: super::Recording) -> Result<(), DeviceError> {
        let (commands, chunks) = recording.finish();
        let Some(commands) = commands else {
            self.shared.pool.lock().expect("no holder panics").put_back(chunks);
            return self.check();
        };
        for chunk in &chunks {
            self.queue.write_buffer(&chunk.buffer, 0, &chunk.staged);
        }
        let submitted = self.queue.submit([commands]);
        self.shared.pool.lock().expect("no holder panics").put_back(chunks);
        let mut in_flight = self.in_flight.borrow_mut();
        in_flight.push_back(submitted);
        if in_flight.len() > MAX_IN_FLIGHT {
            let poll = wgpu::PollType::Wait { submission_index: in_flight.pop_front(), timeout: None };
            self.device.poll(poll).map_err(|error| DeviceError::Driver(error.to_string()))?;
        }
        self.check()
    }

    /// Submits what is recorded and starts anew.
    ///
    /// # Errors
    /// When the device reports an error.
    pub fn flush(&self, recording: &mut super::Recording) -> Result<(), DeviceError> {
        self.submit(std::mem::replace(recording, self.record()))
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
        self.read_back(&mut self.record(), buffer, offset, bytes)
    }

    /// Submits what is recorded, waits for it and reads bytes back; offset and length are multiples of 4.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read_back(
        &self,
        recording: &mut super::Recording,
        buffer: &wgpu::Buffer,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        for (number, bytes) in (0..).zip(bytes.chunks_mut(READ_BACK_BYTES)) {
            let size = bytes.len() as u64;
            let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("readback"),
                size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            recording.copy((buffer, offset + number * READ_BACK_BYTES as u64), (&staging, 0), size);
            self.flush(recording)?;
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
        }
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
    fn check(&self) -> Result<(), DeviceError> {
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

/// A hash that is long enough for texts that differ to have different ones.
fn hash_of(text: &str) -> u128 {
    let [low, high] = [0u8, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        (seed, text).hash(&mut hasher);
        u128::from(hasher.finish())
    });
    low | high << 64
}
