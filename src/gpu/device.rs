//! Opens the adapter and device that kernels run on, and creates their buffers.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::adapter::{chosen_adapter, found_adapters, idle_adapter, plain_instance, summarize};
use super::kernel::kernel_cache;
use super::kernel_cache::KernelCache;
use super::kernel_jobs::{Compilers, Jobs};
use super::recording::Shared;
use super::stage_clock::StageClock;
use super::{AdapterChoice, AdapterSummary, DeviceError, Kernel};

/// Storage buffers that the widest kernel binds.
const REQUIRED_BINDINGS: u32 = 8;

/// The size of memory blocks that buffers share. Larger buffers have a block of their own, and leave nothing behind when they
/// move; larger blocks would stay for a few small buffers.
const MEMORY_BLOCK_BYTES: u64 = 8 << 20;

/// The size from which buffers are not kept alive by unused bind groups.
const LARGE_BUFFER: u64 = 1 << 16;

/// Kernels by a label and the inputs of their text.
type KeyedKernels = HashMap<(&'static str, u64), Arc<Kernel>>;

/// Submissions in order.
type Submissions = Arc<Mutex<VecDeque<wgpu::SubmissionIndex>>>;

/// An open device with its queue and the kernels compiled so far; clones share all of them, also on other threads.
#[derive(Debug, Clone)]
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    summary: AdapterSummary,
    pub(super) shared: Arc<Shared>,
    /// Kernels by a hash of their text.
    pub(super) kernels: Arc<Mutex<KernelCache<Kernel>>>,
    /// Kernels by a label and the inputs of their text.
    pub(super) keyed: Arc<Mutex<KeyedKernels>>,
    pub(super) in_flight: Submissions,
    failure: Arc<Mutex<Option<String>>>,
    /// The last submission, and those that ended frames which may be unfinished.
    pub(super) last_submission: Arc<Mutex<Option<wgpu::SubmissionIndex>>>,
    frames: Submissions,
    pub(super) clock: Option<Arc<StageClock>>,
    has_wide_words: bool,
    /// Whether stores of lanes to one address happen in their order, once it is known.
    ordered_stores: Arc<OnceLock<bool>>,
    adapter: wgpu::Adapter,
    /// What compiles kernels before they are submitted.
    pub(super) compilers: Option<Arc<Compilers>>,
    /// Where a device that only rehearses adds its kernels.
    pub(super) rehearsed: Option<Arc<Jobs>>,
    /// The bindings that may hold blocks, unless all may.
    pub(super) blocks_at: Option<&'static [u32]>,
}

impl Gpu {
    /// The most loop iterations of one invocation, over all its loops; `None` if they are unlimited.
    ///
    /// llvmpipe silently leaves every loop once they are used up: `LP_MAX_TGSI_LOOP_ITERATIONS` in Mesa's
    /// `src/gallium/auxiliary/gallivm/lp_bld_limits.h`, measured with 22.3. Eight invocations run in lockstep and
    /// share a count, so a loop counts the iterations of the invocation that stays in it longest, whenever it is
    /// entered.
    #[must_use]
    pub fn max_loop_iterations(&self) -> Option<u32> {
        self.summary.is_software().then_some(65_535)
    }

    /// Opens the chosen adapter.
    ///
    /// # Errors
    /// When there is none, or it lacks what the kernels need.
    pub fn open(choice: &AdapterChoice) -> Result<Self, DeviceError> {
        Self::from_adapter(&chosen_adapter(choice, found_adapters(&plain_instance()))?, None)
    }

    /// Opens the chosen adapter with support for a clock that, while running, times each kernel.
    ///
    /// # Errors
    /// As for [`Gpu::open`], and when the adapter has no timestamps.
    pub fn open_timed(choice: &AdapterChoice, clock: Arc<StageClock>) -> Result<Self, DeviceError> {
        Self::from_adapter(&chosen_adapter(choice, found_adapters(&plain_instance()))?, Some(clock))
    }

    /// Opens the adapter chosen among those that can present to a surface of this instance.
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
        Ok((Self::from_adapter(&adapter, None)?, adapter))
    }

    /// The clock that times its kernels while it is running, if it was opened with one.
    #[must_use]
    pub const fn clock(&self) -> Option<&Arc<StageClock>> {
        self.clock.as_ref()
    }

    /// The device, for work other than kernels.
    #[must_use]
    pub const fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue that all work goes through.
    #[must_use]
    pub const fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Opens an adapter, with support for a clock that, while running, times each kernel.
    ///
    /// # Errors
    /// When it lacks what the kernels need, or has no timestamps for the clock.
    pub fn from_adapter(adapter: &wgpu::Adapter, clock: Option<Arc<StageClock>>) -> Result<Self, DeviceError> {
        Self::with_summary(adapter, summarize(adapter), clock)
    }

    /// The same for an adapter that counts as one with this summary.
    fn with_summary(
        adapter: &wgpu::Adapter,
        summary: AdapterSummary,
        clock: Option<Arc<StageClock>>,
    ) -> Result<Self, DeviceError> {
        let no_device = |message: String| DeviceError::NoDevice { adapter: summary.name.clone(), message };
        if summary.max_bindings < REQUIRED_BINDINGS {
            let bindings = summary.max_bindings;
            return Err(no_device(format!("it binds {bindings} storage buffers, {REQUIRED_BINDINGS} are needed")));
        }
        let mut required_features =
            if clock.is_some() { wgpu::Features::TIMESTAMP_QUERY } else { wgpu::Features::empty() };
        if !adapter.features().contains(required_features) {
            return Err(no_device("it has no timestamps to time stages with".to_owned()));
        }
        // A software adapter processes a 64-bit word as fast as a 32-bit word.
        let has_wide_words = summary.is_software() && adapter.features().contains(wgpu::Features::SHADER_INT64);
        required_features.set(wgpu::Features::SHADER_INT64, has_wide_words);
        let available = adapter.limits();
        let limits = wgpu::Limits {
            max_storage_buffer_binding_size: available.max_storage_buffer_binding_size,
            max_buffer_size: available.max_buffer_size,
            max_storage_buffers_per_shader_stage: available.max_storage_buffers_per_shader_stage,
            max_dynamic_storage_buffers_per_pipeline_layout: available.max_dynamic_storage_buffers_per_pipeline_layout,
            min_storage_buffer_offset_alignment: available.min_storage_buffer_offset_alignment,
            // Thread blocks have up to 16 KiB of shared memory, and their kernels a little more.
            max_compute_workgroup_storage_size: available.max_compute_workgroup_storage_size,
            // Windows may be larger than the textures that every adapter supports.
            max_texture_dimension_2d: available.max_texture_dimension_2d,
            ..wgpu::Limits::downlevel_defaults()
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("curie"),
            required_features,
            required_limits: limits,
            memory_hints: wgpu::MemoryHints::Manual {
                suballocated_device_memory_block_size: MEMORY_BLOCK_BYTES..MEMORY_BLOCK_BYTES,
            },
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
            pipelines_in_creation: AtomicUsize::new(0),
        });
        let kernels = kernel_cache(&summary);
        Ok(Self {
            device,
            queue,
            summary,
            shared,
            kernels,
            keyed: Arc::default(),
            in_flight: Arc::default(),
            failure,
            last_submission: Arc::default(),
            frames: Arc::default(),
            clock,
            has_wide_words,
            ordered_stores: Arc::default(),
            adapter: adapter.clone(),
            compilers: None,
            rehearsed: None,
            blocks_at: None,
        })
    }

    /// The adapter of this device.
    #[must_use]
    pub const fn summary(&self) -> &AdapterSummary {
        &self.summary
    }

    /// Whether kernels may use 64-bit words: on software adapters that support them, as these process either size
    /// equally fast.
    #[must_use]
    pub const fn has_wide_words(&self) -> bool {
        self.has_wide_words
    }

    /// Whether stores of lanes to one address happen in their order; `find` finds it out the first time.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn ordered_stores(&self, find: impl FnOnce() -> Result<bool, DeviceError>) -> Result<bool, DeviceError> {
        if let Some(known) = self.ordered_stores.get() {
            return Ok(*known);
        }
        let found = find()?;
        Ok(*self.ordered_stores.get_or_init(|| found))
    }

    /// The same device for kernels that do not rely on the order of stores, as on hardware adapters.
    #[must_use]
    pub fn without_ordered_stores(mut self) -> Self {
        self.ordered_stores = Arc::new(OnceLock::from(false));
        self
    }

    /// The same device for kernels without 64-bit words, as on adapters that have none; compiled kernels are not
    /// shared.
    #[must_use]
    pub fn without_wide_words(self) -> Self {
        let kernels = kernel_cache(&self.summary);
        Self { has_wide_words: false, kernels, keyed: Arc::default(), ..self }
    }

    /// The same device, which binds at most this many bytes of a buffer.
    #[must_use]
    pub fn binding_at_most(mut self, bytes: u64) -> Self {
        self.summary.max_binding_bytes = self.summary.max_binding_bytes.min(bytes);
        self
    }

    /// The same device, which compiles the kernels of a submission on all cores before it, where the driver compiles them
    /// one after the other.
    #[must_use]
    pub fn compiling_on_all_cores(self) -> Self {
        Self { compilers: Compilers::new(&self.adapter, &self.summary), ..self }
    }

    /// The same device for one of its compilers, which end with the last device that has them.
    pub(super) fn of_compiler(&self) -> Self {
        Self { compilers: None, ..self.clone() }
    }

    /// Whether kernels compile on several cores, and one of them was not on disk.
    #[must_use]
    pub fn compiles_slowly(&self) -> bool {
        self.compilers.as_ref().is_some_and(|compilers| compilers.is_slow())
    }

    /// How many kernels are being compiled, or wait for it. A driver that compiles at the first dispatch does so unseen on a
    /// machine with one core.
    #[must_use]
    pub fn compiling(&self) -> usize {
        let waiting = self.compiled().map_or(0, |(done, known)| known - done);
        waiting.max(self.shared.pipelines_in_creation.load(Ordering::Relaxed))
    }

    /// How many kernels are compiled, and how many are known so far, if they compile on several cores.
    #[must_use]
    pub fn compiled(&self) -> Option<(usize, usize)> {
        Some(self.compilers.as_ref()?.progress())
    }

    /// Forgets the kernels of rehearsals that nobody has begun to compile.
    pub fn forget_rehearsed(&self) {
        if let Some(compilers) = &self.compilers {
            compilers.forget_open();
        }
    }

    /// A device that computes nothing and returns zeros, with the properties of this one: what is submitted to it tells the
    /// compilers of this device which kernels to compile. `None` if this device has no compilers.
    #[must_use]
    pub fn rehearsal(&self) -> Option<Self> {
        let compilers = self.compilers.as_ref()?;
        let adapter = idle_adapter(&self.adapter)?;
        let device = Self::with_summary(&adapter, self.summary.clone(), None).ok()?;
        let rehearsed = Some(Arc::clone(compilers.jobs()));
        Some(Self { has_wide_words: self.has_wide_words, blocks_at: self.blocks_at, rehearsed, ..device })
    }

    /// Returns the same device for kernels whose blocks are at these bindings only. Each dispatch supplies their
    /// offsets. Devices allow few such bindings, so other kernels must not use them up. Compiled kernels stay
    /// valid.
    #[must_use]
    pub fn with_blocks_at(self, bindings: &'static [u32]) -> Self {
        Self { blocks_at: Some(bindings), ..self }
    }

    /// Creates a zeroed storage buffer of at least `bytes` bytes.
    ///
    /// # Errors
    /// When it is larger than one binding can hold.
    pub fn buffer(&self, label: &str, bytes: u64) -> Result<wgpu::Buffer, DeviceError> {
        let size = bytes.max(16).next_multiple_of(16);
        if size > self.summary.max_binding_bytes {
            let (limit, adapter) = (self.summary.max_binding_bytes, self.summary.name.clone());
            return Err(DeviceError::TooLarge { label: label.to_owned(), bytes: size, limit, adapter });
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

    /// The greatest height of an image with rows of this many words; `None` if kernels read buffers as fast.
    #[must_use]
    pub fn image_rows(&self, row_words: u32) -> Option<u32> {
        let most = self.device.limits().max_texture_dimension_2d;
        (self.summary.is_software() && most >= row_words).then_some(most)
    }

    /// Creates a zeroed image of words that kernels can read.
    ///
    /// # Errors
    /// When the device fails.
    pub fn word_image(&self, label: &str, size: [u32; 2]) -> Result<(wgpu::Texture, wgpu::TextureView), DeviceError> {
        let image = self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::R32Uint,
            usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let view = image.create_view(&wgpu::TextureViewDescriptor::default());
        self.shared.groups.lock().expect("no holder panics").clear();
        self.check()?;
        Ok((image, view))
    }

    /// Writes bytes to a buffer before the next submission, and so before everything recorded but not submitted;
    /// offset and length are multiples of 4.
    pub fn upload(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        self.queue.write_buffer(buffer, offset, bytes);
    }

    /// Sends pending uploads, so that they do not wait for the next submission.
    pub fn send(&self) {
        self.queue.submit([]);
    }

    /// The clock, if it is running, and the beginning of a span of the host.
    pub(super) fn begin_span(&self) -> Option<(&StageClock, f64)> {
        let clock = self.clock.as_deref().filter(|clock| clock.is_running());
        clock.map(|clock| (clock, clock.now()))
    }

    /// Waits for the oldest of these submissions until at most `unfinished` are left.
    pub(super) fn keep(
        &self,
        submissions: &Mutex<VecDeque<wgpu::SubmissionIndex>>,
        unfinished: usize,
    ) -> Result<(), DeviceError> {
        let mut submissions = submissions.lock().expect("no holder panics");
        while submissions.len() > unfinished {
            let poll = wgpu::PollType::Wait { submission_index: submissions.pop_front(), timeout: None };
            self.device.poll(poll).map_err(|error| DeviceError::Driver(error.to_string()))?;
        }
        Ok(())
    }

    /// Ends a frame, which consists of the submissions since the last end. Waits until at most `unfinished` frames
    /// are in flight.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn end_frame(&self, unfinished: usize) -> Result<(), DeviceError> {
        let last = self.last_submission.lock().expect("no holder panics").take();
        self.frames.lock().expect("no holder panics").extend(last);
        self.keep(&self.frames, unfinished)?;
        self.check()
    }

    /// Waits for all submitted work.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.frames.lock().expect("no holder panics").clear();
        self.in_flight.lock().expect("no holder panics").clear();
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| DeviceError::Driver(error.to_string()))?;
        self.check()
    }

    /// Reports the first error that the device raised since the last check.
    ///
    /// # Errors
    /// When there was an error.
    pub fn check(&self) -> Result<(), DeviceError> {
        match self.failure.lock().expect("no holder panics").take() {
            Some(message) => Err(DeviceError::Driver(message)),
            None => Ok(()),
        }
    }

    /// Makes the next check report this error, unless there is another.
    pub(super) fn report(&self, error: &DeviceError) {
        self.failure.lock().expect("no holder panics").get_or_insert_with(|| error.to_string());
    }
}
