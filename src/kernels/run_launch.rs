//! Runs a compute launch on the adapter: its blocks side by side, and if their order could matter or something is wrong,
//! once more from the start in their order.
//!
//! A dispatch lasts a bounded number of passes. What it needs to go on stays in buffers, so that neither a driver's time
//! limit nor its limit of loops ends a long launch.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::memory_mirror::MirrorWindow;
use super::plan::texture_parameters::ShadeParameters;
use crate::gpu::{DeviceError, Gpu, Kernel};
use crate::memory::MemorySpace;
use crate::pipeline::EngineError;
use crate::pipeline::launch::{
    CONSTANT_STEP, Fault, Interpolants, Launch, LaunchError, LaunchLimits, LaunchMemory, LaunchReport, LaunchThreads,
    Plane, STACK_ENTRIES, TURN_INSTRUCTIONS, WARP_THREADS,
};
use crate::recompiler::compute::{
    BlockOrder, ComputeKernel, ComputeKernelKey, ComputeLayout, FaultRecord, SLOT_WORDS, WARP_WORDS, compute_kernel,
};

/// Finds words that one block writes and another one reads.
const CHECK_CLAIMS: &str = include_str!("../../wgsl/compute/check_claims.wgsl");

/// Finds out which lane's value stays.
const PROBE_STORES: &str = include_str!("../../wgsl/compute/probe_stores.wgsl");

/// The bindings of a compute kernel, and of `wgsl/compute/check_claims.wgsl`.
const PARAMETERS: u32 = 40;
const TABLES: u32 = 41;
const STACKS: u32 = 42;
const RECORDS: u32 = 43;
const SLOTS: u32 = 44;
const MEMORY: u32 = 45;
const LOCAL: u32 = 46;
const CLAIMS: u32 = 47;

/// The bindings of the texture unit: its texels and its parameters.
const TEXELS: u32 = 0;
const TEXTURES: u32 = 11;

/// The buffers of a program that reads textures: those above, the texels, and the parameters of the texture unit.
const TEXTURE_BINDINGS: u32 = 10;

/// The pages of global memory. Buffers begin at multiples of their size.
const PAGE_BYTES: u32 = 256;

/// Where the number of a page begins in an entry of the page table of sparse memory.
const PAGE_NUMBER_SHIFT: u32 = 9;

/// The bytes between buffers beyond which memory is sparse.
const MAX_GAP_BYTES: usize = 1 << 20;

/// Workgroups of a dispatch on software adapters, which run a few at a time, and on others.
const SOFTWARE_SLOTS: u64 = 16;
const HARDWARE_SLOTS: u64 = 2048;

/// The passes of a dispatch.
pub const PASSES: u32 = 40_000;

/// The passes that a dispatch needs at most beyond [`PASSES`]: a full stack is unwound, local memory is cleared.
const MORE_PASSES: u32 = 2 * STACK_ENTRIES + 1024;

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

/// The parameters of `wgsl/compute/parameters.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Parameters {
    zero: u32,
    dispatch: u32,
    blocks: u32,
    grid_width: u32,
    warps: u32,
    threads: u32,
    block_width: u32,
    block_height: u32,
    turn_limit: u32,
    instruction_limit: u32,
    pass_limit: u32,
    stack_entries: u32,
    local_words: u32,
    memory_start: u32,
    memory_pages: u32,
    argument_words: u32,
    slot_words: u32,
    slot_start: u32,
    header: [u32; 3],
    elements: ElementParameters,
    constants: [[u32; 2]; 16],
    globals: [[u32; 2]; 16],
}

/// Global memory as the kernels see it: all buffers with the gaps between them, or without them if they are large.
struct FlatMemory {
    start: u32,
    bytes: Vec<u8>,
    /// The bytes of each page that belong to a buffer; in sparse memory, the page's number in `bytes` above them.
    pages: Vec<u32>,
    is_sparse: bool,
    /// Where each buffer is in `bytes`.
    places: Vec<usize>,
}

impl FlatMemory {
    fn new(memory: &LaunchMemory) -> Self {
        let buffers = memory.buffers();
        let start = buffers.first().map_or(0, |buffer| buffer.address);
        let end = buffers.last().map_or(0, |last| (last.address - start) as usize + last.bytes.len());
        let used: usize = buffers.iter().map(|buffer| buffer.bytes.len()).sum();
        let is_sparse = end - used > MAX_GAP_BYTES;
        let mut flat = Self { start, bytes: Vec::new(), pages: Vec::new(), is_sparse, places: Vec::new() };
        for buffer in buffers {
            let gap_end = if is_sparse { flat.bytes.len() } else { (buffer.address - start) as usize };
            flat.bytes.resize(gap_end.next_multiple_of(PAGE_BYTES as usize), 0);
            flat.places.push(flat.bytes.len());
            let first = flat.bytes.len() / PAGE_BYTES as usize;
            flat.bytes.extend_from_slice(&buffer.bytes);
            flat.pages.resize((buffer.address - start).div_ceil(PAGE_BYTES) as usize, 0);
            let pages = buffer.bytes.chunks(PAGE_BYTES as usize).enumerate();
            flat.pages.extend(pages.map(|(number, page)| {
                let number = if is_sparse { (first + number) << PAGE_NUMBER_SHIFT } else { 0 };
                u32::try_from(number | page.len()).unwrap_or(0)
            }));
        }
        flat.bytes.resize(flat.bytes.len().next_multiple_of(4), 0);
        flat
    }

    /// Writes back what the buffers hold afterwards.
    fn write_to(&self, memory: &mut LaunchMemory) {
        for (buffer, &place) in memory.buffers_mut().iter_mut().zip(&self.places) {
            let size = buffer.bytes.len();
            buffer.bytes.copy_from_slice(&self.bytes[place..place + size]);
        }
    }
}

/// How a run ends.
enum Outcome {
    /// All blocks have ended.
    Ended(LaunchReport),
    /// The launch cannot go on.
    Failed(LaunchError),
    /// Side by side, the blocks do not have the result that they have in their order, or something is wrong.
    Abandoned,
}

/// Runs a launch on memory. Races are not looked for, and no warp is traced. `passes` are those of a dispatch, at most
/// [`PASSES`].
///
/// # Errors
/// When the launch does not fit on the processor or does not end, or the adapter cannot run it.
pub fn run_launch(
    gpu: &Gpu,
    launch: &Launch,
    limits: &LaunchLimits,
    memory: &mut LaunchMemory,
    instruction_limit: u64,
    passes: u32,
) -> Result<LaunchReport, RunLaunchError> {
    limits.check(launch).map_err(LaunchError::from)?;
    let basic_blocks = launch.program.basic_blocks().len();
    if basic_blocks > MAX_BLOCKS {
        return Err(RunLaunchError::TooManyBlocks { blocks: basic_blocks });
    }
    let orders: &[_] = match launch.grid {
        [1, 1, 1] => &[BlockOrder::Ordered],
        _ => &[BlockOrder::Concurrent, BlockOrder::Ordered],
    };
    for &order in orders {
        let mut flat = FlatMemory::new(memory);
        let run = match Run::new(gpu, launch, &flat, (order, passes.min(PASSES))) {
            // Side by side, blocks also need a claim for each word.
            Err(RunLaunchError::TooMuchMemory { .. }) if order == BlockOrder::Concurrent => continue,
            run => run?,
        };
        let outcome = run.finish(&mut flat, instruction_limit)?;
        match outcome {
            Outcome::Ended(report) => {
                flat.write_to(memory);
                return Ok(report);
            }
            Outcome::Failed(error) => {
                flat.write_to(memory);
                return Err(error.into());
            }
            Outcome::Abandoned => tracing::debug!("the blocks run in their order"),
        }
    }
    unreachable!("a run in order is not abandoned")
}

/// The kernel of a key on the adapter, and where it records what.
fn translate(gpu: &Gpu, key: &ComputeKernelKey) -> Result<(Arc<Kernel>, ComputeLayout), RunLaunchError> {
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
    Ok((gpu.kernel("run_launch", &source)?, layout))
}

/// A launch on the device.
struct Run<'run> {
    gpu: &'run Gpu,
    launch: &'run Launch,
    key: ComputeKernelKey,
    layout: ComputeLayout,
    kernel: Arc<Kernel>,
    parameters: Parameters,
    slots: u32,
    buffers: Vec<(u32, wgpu::Buffer)>,
}

impl<'run> Run<'run> {
    fn new(
        gpu: &'run Gpu,
        launch: &'run Launch,
        flat: &FlatMemory,
        (order, passes): (BlockOrder, u32),
    ) -> Result<Self, RunLaunchError> {
        let mut key = ComputeKernelKey::new(launch, order, has_ordered_stores(gpu)?);
        key.is_sparse = flat.is_sparse;
        let (kernel, layout) = translate(gpu, &key)?;
        let (mut tables, constants) = tables(launch, flat);
        let elements = ElementParameters::of(launch, flat.bytes.len() / 4, &mut tables);
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
        let most = if gpu.summary().is_software() { SOFTWARE_SLOTS } else { HARDWARE_SLOTS };
        let fitting = SLOT_MEMORY / stack_bytes.max(local_bytes).max(slot_bytes);
        let slots = if order == BlockOrder::Ordered { 1 } else { most.min(fitting).min(blocks).max(1) };
        let memory_bytes = flat.bytes.len() as u64;
        let output_bytes = u64::from(launch.threads.count().unwrap_or(0)) * u64::from(elements.output_stride) * 4;
        let memory = gpu.buffer("memory of a launch", memory_bytes + output_bytes)?;
        gpu.upload(&memory, 0, &flat.bytes);
        let mut buffers = vec![
            (PARAMETERS, gpu.buffer("parameters of a launch", size_of::<Parameters>() as u64)?),
            (TABLES, gpu.buffer_with("tables of a launch", bytemuck::cast_slice(&tables))?),
            (STACKS, gpu.buffer("stacks of warps", slots * stack_bytes)?),
            (RECORDS, gpu.buffer("records of a launch", u64::from(layout.record_words()) * 4)?),
            (SLOTS, gpu.buffer("slots of blocks", slots * slot_bytes)?),
            (MEMORY, memory),
            (LOCAL, gpu.buffer("local memory of threads", slots * local_bytes)?),
        ];
        if order == BlockOrder::Concurrent {
            buffers.push((CLAIMS, gpu.buffer("claims of blocks", memory_bytes * 2)?));
        }
        if !key.textures.is_empty() {
            let (parameters, texels) = (texture_parameters(launch), texels(launch));
            buffers.push((TEXTURES, gpu.buffer_with("textures of a launch", bytemuck::bytes_of(&parameters))?));
            buffers.push((TEXELS, gpu.buffer_with("texels of a launch", texels)?));
        }
        let header = launch.shared_start([0; 3]);
        let word =
            |place: usize| u32::from_le_bytes([header[place], header[place + 1], header[place + 2], header[place + 3]]);
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
            pass_limit: passes + key.shared_bytes / 64 + 16,
            stack_entries,
            local_words,
            memory_start: flat.start,
            memory_pages: u32::try_from(flat.pages.len()).unwrap_or(u32::MAX),
            argument_words: u32::try_from(launch.parameters.len().div_ceil(4)).unwrap_or(u32::MAX),
            slot_words,
            slot_start,
            header: [word(0), word(4), word(8)],
            elements,
            constants,
            globals: std::array::from_fn(|number| {
                let space = u8::try_from(number).ok().and_then(|number| launch.globals.get(&number));
                space.map_or([0; 2], |space| [space.start, space.last])
            }),
        };
        let slots = u32::try_from(slots).unwrap_or(u32::MAX);
        Ok(Self { gpu, launch, key, layout, kernel, parameters, slots, buffers })
    }

    fn buffer(&self, binding: u32) -> &wgpu::Buffer {
        let found = self.buffers.iter().find(|(own, _)| *own == binding);
        &found.expect("the buffer of each binding was created").1
    }

    fn words(&self, binding: u32, count: usize) -> Result<Vec<u32>, DeviceError> {
        let mut words = vec![0; count];
        self.gpu.download(self.buffer(binding), 0, bytemuck::cast_slice_mut(&mut words))?;
        Ok(words)
    }

    /// Dispatches until all blocks have ended or the launch stops, then reads memory back.
    fn finish(mut self, flat: &mut FlatMemory, instruction_limit: u64) -> Result<Outcome, RunLaunchError> {
        let bound: Vec<_> = self.buffers.iter().map(|(binding, buffer)| (*binding, buffer)).collect();
        let mut status = vec![0; STATUS_WORDS];
        loop {
            let left = instruction_limit - wide(&status, INSTRUCTIONS).min(instruction_limit);
            self.parameters.instruction_limit = u32::try_from(left).unwrap_or(u32::MAX);
            self.gpu.upload(self.buffer(PARAMETERS), 0, bytemuck::bytes_of(&self.parameters));
            self.gpu.upload(self.buffer(RECORDS), 4 * OPEN_BLOCKS as u64, &[0; 4]);
            let mut recording = self.gpu.record();
            recording.dispatch(&self.kernel, &bound, [self.slots, 1, 1]);
            self.gpu.submit(recording)?;
            status = self.words(RECORDS, STATUS_WORDS)?;
            let has_ended = status[NEXT_BLOCK] >= self.parameters.blocks && status[OPEN_BLOCKS] == 0;
            if status[STOP] != 0 || has_ended {
                break;
            }
            self.parameters.dispatch += 1;
            // Blocks that wait for each other would else run until the limit.
            let is_checked = self.key.order == BlockOrder::Concurrent && self.parameters.dispatch.is_power_of_two();
            if is_checked && !self.claims_are_in_order(flat)? {
                return Ok(Outcome::Abandoned);
            }
        }
        if self.key.order == BlockOrder::Concurrent {
            let is_over_limit = wide(&status, INSTRUCTIONS) >= instruction_limit;
            if status[STOP] != 0 || is_over_limit || !self.claims_are_in_order(flat)? {
                return Ok(Outcome::Abandoned);
            }
        }
        self.gpu.download(self.buffer(MEMORY), 0, &mut flat.bytes)?;
        let place = || self.launch.place(status[STOPPED_AT + 1].into(), status[STOPPED_AT + 2]);
        if status[STOP] & STOP_TRAP != 0 {
            return Ok(Outcome::Failed(LaunchError::Trap { instruction: status[STOPPED_AT], place: place() }));
        }
        if status[STOP] & STOP_ENDLESS != 0 {
            let instruction = self.layout.address_at(status[STOPPED_AT]);
            return Ok(Outcome::Failed(LaunchError::Endless { limit: instruction_limit, instruction, place: place() }));
        }
        let records = self.words(RECORDS, self.layout.record_words() as usize)?;
        let outputs = self.outputs(flat.bytes.len() as u64)?;
        Ok(Outcome::Ended(LaunchReport { outputs, ..self.report(&records) }))
    }

    /// The results of vertices or fragments, which memory holds from an offset on.
    fn outputs(&self, offset: u64) -> Result<Vec<Option<Vec<u32>>>, DeviceError> {
        let (threads, stride) = (&self.launch.threads, output_stride(self.launch) as usize);
        let count = threads.count().unwrap_or(0);
        let mut words = vec![0; count as usize * stride];
        if !words.is_empty() {
            self.gpu.download(self.buffer(MEMORY), offset, bytemuck::cast_slice_mut(&mut words))?;
        }
        let output = |thread: u32| {
            let words = &words[thread as usize * stride..][..stride];
            match threads {
                LaunchThreads::Grid | LaunchThreads::Vertices(_) => Some(words.to_vec()),
                LaunchThreads::Fragments(fragments) => {
                    let (is_discarded, results) = words.split_last()?;
                    (*is_discarded == 0 && fragments.is_covered(thread)).then(|| results.to_vec())
                }
            }
        };
        Ok((0..count).map(output).collect())
    }

    /// Whether no block reads what another one has written.
    fn claims_are_in_order(&self, flat: &FlatMemory) -> Result<bool, DeviceError> {
        const LANES: u32 = 64;
        if flat.bytes.is_empty() {
            return Ok(true);
        }
        let kernel = self.gpu.kernel("check_claims", CHECK_CLAIMS)?;
        let words = u32::try_from(flat.bytes.len() / 4).unwrap_or(u32::MAX);
        // Each invocation has few words, so that no driver ends its loop.
        let groups = words.div_ceil(LANES * 1024).clamp(1, 32768);
        let parameters =
            self.gpu.buffer_with("parameters of claims", bytemuck::cast_slice(&[words, groups * LANES]))?;
        let bound = [(CLAIMS, self.buffer(CLAIMS)), (RECORDS, self.buffer(RECORDS)), (PARAMETERS, &parameters)];
        let mut recording = self.gpu.record();
        recording.dispatch(&kernel, &bound, [groups, 1, 1]);
        self.gpu.submit(recording)?;
        Ok(self.words(RECORDS, STATUS_WORDS)?[STOP] == 0)
    }

    fn report(&self, records: &[u32]) -> LaunchReport {
        let instructions = self.layout.instruction_counts(&self.key, records);
        let faults = self.layout.faults().filter_map(|FaultRecord { instruction, kind, word }| {
            let word = word as usize;
            let count = wide(records, word);
            let lane = !records[word + 3] % WARP_THREADS;
            let [address, block, thread] = [0, 1, 2].map(|part| records[word + 4 + lane as usize * 3 + part]);
            let first = self.launch.place(block.into(), thread);
            let address = kind.memory().map(|_| address);
            (count != 0).then_some(Fault { instruction, kind, count, first, address })
        });
        LaunchReport {
            warp_instructions: instructions.iter().map(|count| count.warps).sum(),
            thread_instructions: instructions.iter().map(|count| count.threads).sum(),
            divergent_branches: wide(records, DIVERGENT_BRANCHES),
            faults: faults.collect(),
            races: Vec::new(),
            outputs: Vec::new(),
            instructions,
        }
    }
}

/// Whether of several lanes that store to an address, the highest one's value stays. Software adapters are asked, which
/// carry out the stores of lanes one after the other; others do not promise it.
fn has_ordered_stores(gpu: &Gpu) -> Result<bool, DeviceError> {
    if !gpu.summary().is_software() {
        return Ok(false);
    }
    gpu.ordered_stores(|| {
        let (mut result, mut stored) = (vec![0; WARP_THREADS as usize], vec![0; WARP_THREADS as usize]);
        gpu.run("probe_stores", PROBE_STORES, &mut [(RECORDS, &mut result), (MEMORY, &mut stored)], [1, 1, 1])?;
        Ok(result.iter().all(|is_lost| *is_lost == 0))
    })
}

/// The number of result words of a thread. A fragment has one more, which tells whether it is discarded.
fn output_stride(launch: &Launch) -> u32 {
    match &launch.threads {
        LaunchThreads::Grid => 0,
        LaunchThreads::Vertices(vertices) => vertices.output_words,
        LaunchThreads::Fragments(fragments) => fragments.results + 1,
    }
}

/// The part of the parameters about vertices and fragments.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct ElementParameters {
    last_threads: u32,
    input_words: u32,
    inputs_start: u32,
    fragments_start: u32,
    has_planes: u32,
    output_words: u32,
    output_stride: u32,
    outputs_start: u32,
    reserved: u32,
}

impl ElementParameters {
    /// Those of a launch with this many words of memory; appends the inputs to the tables.
    fn of(launch: &Launch, memory_words: usize, tables: &mut Vec<u32>) -> Self {
        let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let mut parameters = Self {
            last_threads: launch.last_block_threads(),
            input_words: launch.threads.input_words(),
            inputs_start: word(tables.len()),
            fragments_start: 0,
            has_planes: 0,
            output_words: launch.threads.output_words(),
            output_stride: output_stride(launch),
            outputs_start: word(memory_words),
            reserved: 0,
        };
        match &launch.threads {
            LaunchThreads::Grid => {}
            LaunchThreads::Vertices(vertices) => tables.extend(&vertices.attributes),
            LaunchThreads::Fragments(fragments) => {
                match &fragments.interpolants {
                    Interpolants::Values(values) => tables.extend(values),
                    Interpolants::Planes(planes) => {
                        parameters.has_planes = 1;
                        let words = |plane: &Plane| [plane.origin, plane.dx, plane.dy, plane.flat];
                        tables.extend(planes.iter().flat_map(words));
                    }
                }
                parameters.fragments_start = word(tables.len());
                for quad in &fragments.quads {
                    for fragment in 0..4 {
                        let places = [false, true].map(|is_centroid| quad.place(fragment, is_centroid));
                        tables.push(quad.primitive);
                        tables.extend(places.as_flattened());
                    }
                }
            }
        }
        // An index of zero is always inside.
        tables.push(0);
        parameters
    }
}

/// The parameters of the texture unit, by the places of the textures in the key of the kernel.
fn texture_parameters(launch: &Launch) -> ShadeParameters {
    let mut units = std::array::from_fn(|_| None);
    for (unit, bound) in units.iter_mut().zip(launch.bound_textures()) {
        *unit = Some(bound.state);
    }
    ShadeParameters::new(&units, &|window| MirrorWindow { start: window.start, bytes: window.bytes })
}

/// The texels of all textures.
fn texels(launch: &Launch) -> &[u8] {
    launch.textures.memory().bytes(MemorySpace::Vram)
}

/// A count of two words.
fn wide(records: &[u32], word: usize) -> u64 {
    u64::from(records[word]) | u64::from(records[word + 1]) << 32
}

/// The tables of a launch, and the first word and the bytes of each constant space.
fn tables(launch: &Launch, flat: &FlatMemory) -> (Vec<u32>, [[u32; 2]; 16]) {
    let mut tables = flat.pages.clone();
    let words_of = |bytes: &[u8]| -> Vec<u32> {
        let word = |part: &[u8]| {
            let mut word = [0; 4];
            word[..part.len()].copy_from_slice(part);
            u32::from_le_bytes(word)
        };
        bytes.chunks(4).map(word).collect()
    };
    tables.extend(words_of(&launch.parameters));
    let mut constants = [[0; 2]; 16];
    for (space, bytes) in &launch.constants {
        let Some(constant) = constants.get_mut(usize::from(*space)) else { continue };
        let size = bytes.len().next_multiple_of(CONSTANT_STEP);
        *constant = [tables.len(), size].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let end = tables.len() + size / 4;
        tables.extend(words_of(bytes));
        tables.resize(end, 0);
    }
    (tables, constants)
}
