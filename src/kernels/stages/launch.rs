//! The launch stage: runs a compute launch on a buffer of the device, its blocks side by side, and if their order could matter
//! or something is wrong, once more from the start in their order.
//!
//! A dispatch lasts a bounded number of passes. What it needs to go on stays in buffers, so that neither a driver's time
//! limit nor its limit of loops ends a long launch. A dispatch of a launch that has ended does nothing, so that the host
//! submits several before it looks at the records.

use std::sync::Arc;

use crate::gpu::{Bound, DeviceError, Gpu, Kernel, Recording};
use crate::kernels::memory_mirror::{Locate, MemoryMirror, MirrorWindow};
use crate::kernels::plan::launch_parameters::{
    ElementParameters, LaunchLayout, Parameters, globals, header, output_stride, tables,
};
use crate::kernels::plan::texture_parameters::ShadeParameters;
use crate::kernels::software::adapter_choices::AdapterChoices;
use crate::kernels::software::ordered_stores::has_ordered_stores;
use crate::memory::{GuestMemory, MemorySpace, MemoryWindow};
use crate::pipeline::EngineError;
use crate::pipeline::launch::{
    Fault, Launch, LaunchError, LaunchLimits, LaunchReport, LaunchThreads, STACK_ENTRIES, TURN_INSTRUCTIONS,
    WARP_THREADS,
};
use crate::recompiler::compute::{
    BlockOrder, ComputeKernel, ComputeKernelKey, ComputeLayout, FaultRecord, SLOT_WORDS, WARP_WORDS, compute_kernel,
};

/// Finds words that one block writes and another one reads.
const CHECK_CLAIMS: &str = include_str!("../../../wgsl/compute/check_claims.wgsl");

/// The bindings of a compute kernel, and of `wgsl/compute/check_claims.wgsl`.
const PARAMETERS: u32 = 40;
const TABLES: u32 = 41;
const STACKS: u32 = 42;
const RECORDS: u32 = 43;
const SLOTS: u32 = 44;
const MEMORY: u32 = 45;
const LOCAL: u32 = 46;
const CLAIMS: u32 = 47;
const FAULTS: u32 = 48;

/// The bindings of the texture unit: its texels and its parameters.
const TEXELS: u32 = 0;
const TEXTURES: u32 = 11;

/// The buffers of a program that reads textures: those above but one, the texels, and the parameters of the texture unit.
const TEXTURE_BINDINGS: u32 = 10;

/// The passes of a dispatch.
pub const PASSES: u32 = 40_000;

/// The passes that a dispatch needs at most beyond [`PASSES`]: a full stack is unwound, local memory is cleared, faults of a turn
/// are counted.
const MORE_PASSES: u32 = 2 * STACK_ENTRIES + TURN_INSTRUCTIONS + 1024;

/// The entries of the stack of a warp while blocks run side by side. A launch that needs more runs in order.
const CONCURRENT_STACK_ENTRIES: u32 = 32;

/// The most bytes of stacks, of local memory and of registers; fewer blocks run side by side if these are not enough.
const SLOT_MEMORY: u64 = 64 << 20;

/// The most basic blocks of a program. Saved program counters have 16 bits, and faults are blocks, too.
const MAX_BLOCKS: usize = 1 << 15;

/// The words of the records that the host reads after each dispatch.
const STATUS_WORDS: usize = 16;
const NEXT_BLOCK: usize = 0;
const STOP: usize = 1;
const OPEN_BLOCKS: usize = 2;
const INSTRUCTIONS: usize = 4;
const DIVERGENT_BRANCHES: usize = 6;
const STOPPED_AT: usize = 8;

/// Reasons why a kernel stops a launch.
const STOP_TRAP: u32 = 2;
const STOP_ENDLESS: u32 = 4;

/// Why the adapter did not run a launch to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunLaunchError {
    /// The launch does not fit or does not end.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The program has more basic blocks than the kernels count.
    #[error("the program has {blocks} basic blocks; the kernels run at most {MAX_BLOCKS}")]
    TooManyBlocks {
        /// Those of the program.
        blocks: usize,
    },
    /// The threads run a geometry program, which kernels run only in draws.
    #[error("the kernels run geometry programs only in draws")]
    Geometry,
    /// The program reads textures, and the adapter binds too few buffers.
    #[error("a program that reads textures needs {TEXTURE_BINDINGS} storage buffers; '{adapter}' binds {bindings}")]
    TooFewBindings {
        /// The adapter.
        adapter: String,
        /// How many it binds.
        bindings: u32,
    },
    /// The program has more loops and accesses than the adapter runs at once.
    #[error("the program is too large for '{adapter}', which ends loops after {limit} iterations")]
    TooLarge {
        /// The adapter.
        adapter: String,
        /// Its limit.
        limit: u32,
    },
    /// The launch needs a buffer that the adapter cannot bind.
    #[error("{message}")]
    TooMuchMemory {
        /// Which buffer, and the limit.
        message: String,
    },
    /// The device failed.
    #[error("{message}")]
    Device {
        /// What it reports.
        message: String,
    },
}

impl From<DeviceError> for RunLaunchError {
    fn from(error: DeviceError) -> Self {
        let message = error.to_string();
        match error {
            DeviceError::TooLarge { .. } => Self::TooMuchMemory { message },
            _ => Self::Device { message },
        }
    }
}

impl From<RunLaunchError> for EngineError {
    fn from(error: RunLaunchError) -> Self {
        match error {
            RunLaunchError::Launch(error) => Self::Launch(error),
            RunLaunchError::Device { message } => Self::Device { message },
            error => Self::Unsupported { what: error.to_string() },
        }
    }
}

/// The maximum number of dispatches that are submitted before the host looks at the records.
const MAX_BATCH: u64 = 16;

/// The maximum number of bytes of records that the host reads to find out whether a launch has ended.
const STATUS_BYTES: usize = 1 << 16;

/// The alignment of a part of a buffer that kernels bind.
const PART_ALIGNMENT: u64 = 256;

/// The maximum number of kernels that a stage keeps.
const KERNEL_LIMIT: usize = 64;

/// A kernel, and where it records what.
type KnownKernel = (Arc<Kernel>, Arc<ComputeLayout>);

/// A launch that has run: its memory on the device, and what came of it.
#[derive(Debug)]
pub(in crate::kernels) struct Ran {
    pub(in crate::kernels) memory: wgpu::Buffer,
    /// Where memory has each buffer of the launch.
    pub(in crate::kernels) places: Vec<u64>,
    /// The report, or why the launch did not go on.
    pub(in crate::kernels) outcome: Result<LaunchReport, LaunchError>,
}

/// Records what the buffers of a launch hold into memory, at these places.
pub(in crate::kernels) type Load<'a> = &'a dyn Fn(&Gpu, &mut Recording, &wgpu::Buffer, &[u64]);

/// Where the texels of a launch are.
pub(in crate::kernels) enum Texels<'a> {
    /// In memory of the host, which is uploaded.
    Host(&'a GuestMemory),
    /// In the mirror of guest memory, which has them.
    Mirror(&'a MemoryMirror),
}

/// What a launch runs on.
pub(in crate::kernels) struct LaunchInputs<'a> {
    pub(in crate::kernels) launch: &'a Launch,
    pub(in crate::kernels) limits: &'a LaunchLimits,
    /// The buffers by their addresses, ascending, with their sizes in bytes.
    pub(in crate::kernels) buffers: &'a [(u32, usize)],
    pub(in crate::kernels) load: Load<'a>,
    pub(in crate::kernels) texels: Texels<'a>,
    /// The instructions that all warps together may execute.
    pub(in crate::kernels) instruction_limit: u64,
    /// The passes of a dispatch, at most [`PASSES`].
    pub(in crate::kernels) passes: u32,
}

/// The stage with the kernels of earlier launches.
#[derive(Debug, Default)]
pub(in crate::kernels) struct LaunchStage {
    kernels: Vec<(ComputeKernelKey, KnownKernel)>,
}

impl LaunchStage {
    /// Runs a launch after what is recorded. Races are not looked for, and no warp is traced.
    pub(in crate::kernels) fn run(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        inputs: &LaunchInputs<'_>,
    ) -> Result<Ran, RunLaunchError> {
        let launch = inputs.launch;
        inputs.limits.check(launch).map_err(LaunchError::from)?;
        if let LaunchThreads::Primitives(_) = launch.threads {
            return Err(RunLaunchError::Geometry);
        }
        let basic_blocks = launch.stage.program.basic_blocks().len();
        if basic_blocks > MAX_BLOCKS {
            return Err(RunLaunchError::TooManyBlocks { blocks: basic_blocks });
        }
        let orders: &[_] = match launch.grid {
            [1, 1, 1] => &[BlockOrder::Ordered],
            _ => &[BlockOrder::Concurrent, BlockOrder::Ordered],
        };
        let layout = LaunchLayout::new(inputs.buffers);
        for &order in orders {
            let mut key = ComputeKernelKey::new(launch, order, has_ordered_stores(gpu)?);
            key.is_sparse = layout.is_sparse;
            if order == BlockOrder::Concurrent && self.known(&key).is_none() && key.always_faults() {
                continue;
            }
            let kernel = self.kernel(gpu, &key)?;
            let run = match Run::new(gpu, inputs, &layout, key, kernel) {
                // Side by side, blocks also need a claim for each word.
                Err(RunLaunchError::TooMuchMemory { .. }) if order == BlockOrder::Concurrent => continue,
                run => run?,
            };
            (inputs.load)(gpu, recording, &run.memory, &layout.places);
            if let Some(outcome) = run.finish(recording)? {
                return Ok(Ran { memory: run.memory, places: layout.places, outcome });
            }
            tracing::debug!("the blocks run in their order");
        }
        unreachable!("a run in order is not abandoned")
    }

    fn known(&self, key: &ComputeKernelKey) -> Option<&KnownKernel> {
        self.kernels.iter().find(|(own, _)| own == key).map(|(_, known)| known)
    }

    /// The kernel of a key on the adapter.
    fn kernel(&mut self, gpu: &Gpu, key: &ComputeKernelKey) -> Result<KnownKernel, RunLaunchError> {
        if let Some(known) = self.known(key) {
            return Ok(known.clone());
        }
        let adapter = || gpu.summary().name.clone();
        let bindings = gpu.summary().max_bindings;
        if !key.textures.is_empty() && bindings < TEXTURE_BINDINGS {
            return Err(RunLaunchError::TooFewBindings { adapter: adapter(), bindings });
        }
        let ComputeKernel { source, layout, loops } = compute_kernel(key);
        if let Some(limit) = gpu.max_loop_iterations()
            && loops.saturating_add(PASSES + MORE_PASSES) > limit
        {
            return Err(RunLaunchError::TooLarge { adapter: adapter(), limit });
        }
        let known = (gpu.kernel("run_launch", &source)?, Arc::new(layout));
        if self.kernels.len() == KERNEL_LIMIT {
            self.kernels.remove(0);
        }
        self.kernels.push((key.clone(), known.clone()));
        Ok(known)
    }
}

/// A launch on the device.
struct Run<'run> {
    gpu: &'run Gpu,
    launch: &'run Launch,
    instruction_limit: u64,
    key: ComputeKernelKey,
    layout: Arc<ComputeLayout>,
    kernel: Arc<Kernel>,
    parameters: Parameters,
    slots: u32,
    memory: wgpu::Buffer,
    /// The bytes of memory without outputs.
    memory_bytes: u64,
    /// The records, then from an offset on those of faults.
    records: wgpu::Buffer,
    faults_start: u64,
    /// The other buffers.
    buffers: Vec<(u32, wgpu::Buffer)>,
}

impl<'run> Run<'run> {
    fn new(
        gpu: &'run Gpu,
        inputs: &LaunchInputs<'run>,
        place: &LaunchLayout,
        key: ComputeKernelKey,
        (kernel, layout): KnownKernel,
    ) -> Result<Self, RunLaunchError> {
        let (launch, order) = (inputs.launch, key.order);
        let (mut tables, constants) = tables(launch, place);
        let elements = ElementParameters::of(launch, place.bytes / 4, &mut tables);
        let register_words = WARP_WORDS + layout.register_words();
        let slot_start = SLOT_WORDS + key.shared_bytes / 4;
        let slot_words = slot_start + launch.block_warps() * register_words * WARP_THREADS;
        let max_entries =
            if order == BlockOrder::Ordered { STACK_ENTRIES } else { CONCURRENT_STACK_ENTRIES.min(STACK_ENTRIES) };
        let stack_entries = launch.stack_entries.min(max_entries);
        let local_words = launch.reserved_local_bytes() / 4;
        let warps = u64::from(launch.block_warps());
        let stack_bytes = warps * u64::from(stack_entries * WARP_THREADS) * 8;
        let local_bytes = if layout.uses_local() { warps * u64::from(local_words * WARP_THREADS) * 4 } else { 0 };
        let slot_bytes = u64::from(slot_words) * 4;
        let blocks: u64 = launch.grid.into_iter().map(u64::from).product();
        let most = AdapterChoices::of(gpu.summary()).launch_slots;
        let fitting = SLOT_MEMORY / stack_bytes.max(local_bytes).max(slot_bytes);
        let slots = if order == BlockOrder::Ordered { 1 } else { most.min(fitting).min(blocks).max(1) };
        let memory_bytes = place.bytes;
        let output_bytes = u64::from(launch.threads.count().unwrap_or(0)) * u64::from(elements.output_stride) * 4;
        let memory = gpu.buffer("memory of a launch", memory_bytes + output_bytes)?;
        let faults_start = (u64::from(layout.record_words()) * 4).next_multiple_of(PART_ALIGNMENT);
        let fault_bytes = if order == BlockOrder::Ordered { layout.fault_words().max(4) as u64 * 4 } else { 0 };
        let records = gpu.buffer("records of a launch", faults_start + fault_bytes)?;
        let mut buffers = vec![
            (TABLES, gpu.buffer_with("tables of a launch", bytemuck::cast_slice(&tables))?),
            (STACKS, gpu.buffer("stacks of warps", slots * stack_bytes)?),
            (SLOTS, gpu.buffer("slots of blocks", slots * slot_bytes)?),
            (LOCAL, gpu.buffer("local memory of threads", slots * local_bytes)?),
        ];
        if order == BlockOrder::Concurrent {
            buffers.push((CLAIMS, gpu.buffer("claims of blocks", memory_bytes * 2)?));
        }
        if !key.textures.is_empty() {
            buffers.extend(inputs.texels.buffers(gpu, launch)?);
        }
        let parameters = Parameters {
            zero: 0,
            dispatch: 0,
            // A grid has at most 65535 blocks in x and in y.
            blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
            grid_width: launch.grid[0],
            warps: launch.block_warps(),
            threads: launch.block_threads(),
            block_width: launch.block[0],
            block_height: launch.block[1],
            turn_limit: TURN_INSTRUCTIONS,
            instruction_limit: 0,
            // A slot is opened and a block begun before anything runs.
            pass_limit: inputs.passes.min(PASSES) + key.shared_bytes / 64 + 16,
            stack_entries,
            local_words,
            memory_start: place.start,
            memory_pages: u32::try_from(place.pages.len()).unwrap_or(u32::MAX),
            argument_words: u32::try_from(launch.parameters.len().div_ceil(4)).unwrap_or(u32::MAX),
            slot_words,
            slot_start,
            header: header(launch),
            elements,
            constants,
            globals: globals(launch),
        };
        let slots = u32::try_from(slots).unwrap_or(u32::MAX);
        let instruction_limit = inputs.instruction_limit;
        Ok(Self {
            gpu,
            launch,
            instruction_limit,
            key,
            layout,
            kernel,
            parameters,
            slots,
            memory,
            memory_bytes,
            records,
            faults_start,
            buffers,
        })
    }

    /// What kernels bind besides parameters.
    fn bound(&self) -> Vec<(u32, Bound<'_>)> {
        let mut bound: Vec<_> = self.buffers.iter().map(|(binding, buffer)| (*binding, Bound::from(buffer))).collect();
        let Self { records: buffer, faults_start, .. } = self;
        bound.push((MEMORY, Bound::from(&self.memory)));
        bound.push((RECORDS, Bound::Buffer { buffer, offset: 0, bytes: *faults_start }));
        if self.is_ordered() {
            let bytes = buffer.size() - faults_start;
            bound.push((FAULTS, Bound::Buffer { buffer, offset: *faults_start, bytes }));
        }
        bound
    }

    fn is_ordered(&self) -> bool {
        self.key.order == BlockOrder::Ordered
    }

    /// Dispatches until all blocks have ended or the launch stops. `None` if the blocks, side by side, do not have the result
    /// that they have in their order, or something is wrong.
    fn finish(&self, recording: &mut Recording) -> Result<Option<Result<LaunchReport, LaunchError>>, RunLaunchError> {
        let size = usize::try_from(self.records.size()).unwrap_or(usize::MAX);
        let mut records = vec![0_u32; if size <= STATUS_BYTES { size / 4 } else { STATUS_WORDS }];
        let mut dispatch = 0;
        let mut batch = 1;
        loop {
            let left = self.instruction_limit - wide(&records, INSTRUCTIONS).min(self.instruction_limit);
            // All dispatches of a batch have the same limit, which they must not reach together.
            let dispatches = batch.min(left / self.max_instructions()).max(1);
            for _ in 0..dispatches {
                self.dispatch(recording, dispatch, left)?;
                dispatch += 1;
            }
            batch = (batch * 2).min(MAX_BATCH);
            if !self.is_ordered() {
                self.check_claims(recording)?;
            }
            self.gpu.read_back(recording, &self.records, 0, bytemuck::cast_slice_mut(&mut records))?;
            let is_ended = records[NEXT_BLOCK] >= self.parameters.blocks && records[OPEN_BLOCKS] == 0;
            if records[STOP] != 0 || is_ended {
                break;
            }
        }
        if !self.is_ordered() {
            let is_over_limit = wide(&records, INSTRUCTIONS) >= self.instruction_limit;
            if records[STOP] != 0 || is_over_limit {
                return Ok(None);
            }
        }
        let place = || self.launch.place(records[STOPPED_AT + 1].into(), records[STOPPED_AT + 2]);
        if records[STOP] & STOP_TRAP != 0 {
            return Ok(Some(Err(LaunchError::Trap { instruction: records[STOPPED_AT], place: place() })));
        }
        if records[STOP] & STOP_ENDLESS != 0 {
            let instruction = self.layout.address_at(records[STOPPED_AT]);
            let limit = self.instruction_limit;
            return Ok(Some(Err(LaunchError::Endless { limit, instruction, place: place() })));
        }
        if size > STATUS_BYTES {
            records = vec![0; size / 4];
            self.gpu.download(&self.records, 0, bytemuck::cast_slice_mut(&mut records))?;
        }
        let outputs = self.outputs()?;
        Ok(Some(Ok(LaunchReport { outputs, ..self.report(&records) })))
    }

    /// The maximum number of instructions that a dispatch executes: in a pass, a slot runs each basic block once at most.
    fn max_instructions(&self) -> u64 {
        let in_pass = self.launch.stage.program.instructions().len() as u64 + 1;
        in_pass * u64::from(self.parameters.pass_limit + MORE_PASSES) * u64::from(self.slots)
    }

    /// Submits a dispatch, which ends after a number of instructions.
    fn dispatch(&self, recording: &mut Recording, dispatch: u32, instructions: u64) -> Result<(), DeviceError> {
        let instruction_limit = u32::try_from(instructions).unwrap_or(u32::MAX);
        let parameters = Parameters { dispatch, instruction_limit, ..self.parameters };
        let parameters = recording.store(bytemuck::bytes_of(&parameters))?;
        let mut bound = self.bound();
        bound.push((PARAMETERS, Bound::from(&parameters)));
        recording.clear(&self.records, 4 * OPEN_BLOCKS as u64, 4);
        recording.dispatch(&self.kernel, &bound, [self.slots, 1, 1]);
        self.gpu.flush(recording)
    }

    /// Records the search for words that a block reads and another one has written. It stops the launch.
    fn check_claims(&self, recording: &mut Recording) -> Result<(), DeviceError> {
        const LANES: u32 = 64;
        let words = u32::try_from(self.memory_bytes / 4).unwrap_or(u32::MAX);
        if words == 0 {
            return Ok(());
        }
        let kernel = self.gpu.kernel("check_claims", CHECK_CLAIMS)?;
        // Each invocation has few words, so that no driver ends its loop.
        let groups = words.div_ceil(LANES * 1024).clamp(1, 32768);
        let parameters = recording.store(bytemuck::cast_slice(&[words, groups * LANES]))?;
        let mut bound = self.bound();
        bound.push((PARAMETERS, Bound::from(&parameters)));
        recording.dispatch(&kernel, &bound, [groups, 1, 1]);
        Ok(())
    }

    /// The results of vertices or fragments, which follow the launch's memory.
    fn outputs(&self) -> Result<Vec<Option<Vec<u32>>>, DeviceError> {
        let (threads, stride) = (&self.launch.threads, output_stride(self.launch) as usize);
        let count = threads.count().unwrap_or(0);
        let mut words = vec![0; count as usize * stride];
        if !words.is_empty() {
            self.gpu.download(&self.memory, self.memory_bytes, bytemuck::cast_slice_mut(&mut words))?;
        }
        let output = |thread: u32| {
            let words = &words[thread as usize * stride..][..stride];
            match threads {
                LaunchThreads::Grid | LaunchThreads::Vertices(_) | LaunchThreads::Primitives(_) => Some(words.to_vec()),
                LaunchThreads::Fragments(fragments) => {
                    let (is_discarded, results) = words.split_last()?;
                    (*is_discarded == 0 && fragments.is_covered(thread)).then(|| results.to_vec())
                }
            }
        };
        Ok((0..count).map(output).collect())
    }

    fn report(&self, records: &[u32]) -> LaunchReport {
        let instructions = self.layout.instruction_counts(&self.key, records);
        let fault_words = usize::try_from(self.faults_start / 4).unwrap_or(usize::MAX);
        let found = if self.is_ordered() { self.layout.faults(&records[fault_words..]).collect() } else { Vec::new() };
        let faults =
            found.into_iter().map(|FaultRecord { instruction, kind, count, first: [block, thread, address] }| {
                let address = kind.memory().map(|_| address);
                Fault { instruction, kind, count, first: self.launch.place(block.into(), thread), address }
            });
        LaunchReport {
            warp_instructions: instructions.iter().map(|count| count.warps).sum(),
            thread_instructions: instructions.iter().map(|count| count.threads).sum(),
            divergent_branches: wide(records, DIVERGENT_BRANCHES),
            faults: faults.collect(),
            races: Vec::new(),
            outputs: Vec::new(),
            emitted: Vec::new(),
            instructions,
        }
    }
}

impl Texels<'_> {
    /// The buffers of the textures of a launch.
    fn buffers(&self, gpu: &Gpu, launch: &Launch) -> Result<[(u32, wgpu::Buffer); 2], DeviceError> {
        let (parameters, texels) = match self {
            Self::Host(memory) => {
                let locate = |window: MemoryWindow| MirrorWindow { start: window.start, bytes: window.bytes };
                let texels = gpu.buffer_with("texels of a launch", memory.bytes(MemorySpace::Vram))?;
                (texture_parameters(launch, &locate), texels)
            }
            Self::Mirror(mirror) => {
                (texture_parameters(launch, &|window| mirror.locate(window)), mirror.buffer().clone())
            }
        };
        let parameters = gpu.buffer_with("textures of a launch", bytemuck::bytes_of(&parameters))?;
        Ok([(TEXTURES, parameters), (TEXELS, texels)])
    }
}

/// The parameters of the texture unit, by the places of the textures in the key of the kernel.
fn texture_parameters(launch: &Launch, locate: Locate<'_>) -> ShadeParameters {
    let mut units = std::array::from_fn(|_| None);
    for (unit, bound) in units.iter_mut().zip(launch.bound_textures()) {
        *unit = Some(bound.state);
    }
    ShadeParameters::new(&units, locate)
}

/// A count of two words.
fn wide(records: &[u32], word: usize) -> u64 {
    u64::from(records[word]) | u64::from(records[word + 1]) << 32
}
