//! A block: its memory, and what else the instructions of its warps reach.

use super::races::Races;
use super::records::Records;
use super::warp::{Warp, lanes_of};
use crate::memory::GuestMemory;
use crate::pipeline::launch::{
    EmittedVertex, FaultKind, Launch, LaunchMemory, LaunchOptions, LaunchThreads, MemoryKind, WarpAccess,
};
use crate::reference::observer::DrawObserver;

/// What the instructions of a block reach besides its warps.
pub(super) struct BlockContext<'run> {
    /// The launch.
    pub(super) launch: &'run Launch,
    /// Where the texels of its textures are.
    pub(super) texels: &'run GuestMemory,
    /// What observes fetches from them.
    pub(super) fetches: &'run dyn DrawObserver,
    /// The constant spaces.
    pub(super) constants: &'run mut [Vec<u8>; 16],
    /// Global memory.
    pub(super) memory: &'run mut LaunchMemory,
    /// The counts of the launch.
    pub(super) records: &'run mut Records,
    /// The accesses of the block, if races are looked for.
    pub(super) races: Option<Races>,
    /// The accesses to memory of the current instruction, if they are traced.
    pub(super) accesses: Option<Vec<WarpAccess>>,
    /// The number of the block.
    pub(super) block: u64,
    /// The instructions that the block's warps have executed.
    pub(super) instructions: u64,
    shared: Vec<u8>,
    local: Vec<u8>,
    /// The output spaces of the block's threads.
    outputs: Vec<u8>,
    /// What the block's threads have emitted.
    emitted: Vec<Vec<EmittedVertex>>,
    /// The bytes of an input that is read.
    input: [u8; 4],
}

impl<'run> BlockContext<'run> {
    /// The context of a launch before its first block.
    pub(super) fn new(
        (launch, (texels, fetches)): (&'run Launch, (&'run GuestMemory, &'run dyn DrawObserver)),
        constants: &'run mut [Vec<u8>; 16],
        memory: &'run mut LaunchMemory,
        records: &'run mut Records,
        options: &LaunchOptions,
    ) -> Self {
        let races = options.finds_races.then(Races::default);
        let accesses = options.traces_accesses.then(Vec::new);
        Self {
            launch,
            texels,
            fetches,
            constants,
            memory,
            records,
            races,
            accesses,
            block: 0,
            instructions: 0,
            shared: Vec::new(),
            local: Vec::new(),
            outputs: Vec::new(),
            emitted: Vec::new(),
            input: [0; 4],
        }
    }

    /// Gives a block its memory: zeros but for the start of shared memory.
    // Unverified: what shared memory, local memory and outputs hold when a block begins.
    pub(super) fn begin_block(&mut self, block: u64) {
        (self.block, self.instructions) = (block, 0);
        let launch = self.launch;
        self.shared.clear();
        self.shared.extend_from_slice(&launch.shared_start(launch.block_coordinates(block)));
        self.shared.resize(launch.reserved_shared_bytes() as usize, 0);
        self.local.clear();
        self.local.resize(launch.reserved_local_bytes() as usize * launch.block_threads() as usize, 0);
        self.outputs.clear();
        self.outputs.resize(4 * launch.threads.output_words() as usize * launch.block_threads() as usize, 0);
        self.emitted.clear();
        self.emitted.resize(launch.block_threads() as usize, Vec::new());
        if let Some(races) = &mut self.races {
            races.begin_block();
        }
    }

    /// Emits the outputs of a thread as a vertex, and clears them.
    ///
    /// Source: envytools, for the clear.
    // Unverified: that it makes them zero, and that vertices beyond the maximum are lost.
    pub(super) fn emit(&mut self, thread: u32) {
        let LaunchThreads::Primitives(primitives) = &self.launch.threads else { return };
        let bytes = 4 * primitives.output_words as usize;
        let outputs = &mut self.outputs[thread as usize * bytes..][..bytes];
        let emitted = &mut self.emitted[thread as usize];
        if emitted.len() < primitives.max_vertices as usize {
            let words = outputs.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            emitted.push(EmittedVertex { words, ends_strip: false });
        }
        outputs.fill(0);
    }

    /// Ends the strip of a thread.
    pub(super) fn restart_strip(&mut self, thread: u32) {
        if let Some(last) = self.emitted.get_mut(thread as usize).and_then(|emitted| emitted.last_mut()) {
            last.ends_strip = true;
        }
    }

    /// Adds the results of a warp of vertices, primitives or fragments that has ended to the records.
    pub(super) fn record_outputs(&mut self, warp: &Warp) {
        for lane in lanes_of(warp.threads()) {
            let output = match &self.launch.threads {
                LaunchThreads::Grid => return,
                LaunchThreads::Primitives(_) => {
                    self.records.emit(std::mem::take(&mut self.emitted[lane]));
                    continue;
                }
                LaunchThreads::Vertices(vertices) => {
                    let words = vertices.output_words as usize;
                    let outputs = self.outputs[4 * words * lane..].as_chunks::<4>().0;
                    Some(outputs[..words].iter().map(|word| u32::from_le_bytes(*word)).collect())
                }
                LaunchThreads::Fragments(fragments) => {
                    #[expect(clippy::cast_possible_truncation, reason = "there are 32 lanes")]
                    let fragment = self.launch.element(self.block, warp.thread(lane as u32));
                    let has_results = fragments.is_covered(fragment) && warp.discarded() >> lane & 1 == 0;
                    let registers = (0..=u8::MAX).take(fragments.results as usize);
                    has_results.then(|| registers.map(|number| warp.register(number)[lane]).collect())
                }
            };
            self.records.output(output);
        }
    }

    /// Counts a fault of the lowest of these threads of a warp.
    pub(super) fn fault(&mut self, at: u32, kind: FaultKind, warp: &Warp, threads: u32, address: Option<u32>) {
        let (launch, block) = (self.launch, self.block);
        let thread = warp.thread(threads.trailing_zeros() % 32);
        self.records.fault(at, kind, || launch.place(block, thread), address);
    }

    /// The bytes that a thread accesses, if the memory has them all.
    pub(super) fn bytes(&mut self, memory: MemoryKind, thread: u32, address: u32, size: u32) -> Option<&mut [u8]> {
        let (start, size) = (address as usize, size as usize);
        match memory {
            MemoryKind::Shared => self.shared.get_mut(start..start + size),
            MemoryKind::Local => {
                let own = self.launch.reserved_local_bytes() as usize;
                let first = thread as usize * own;
                self.local.get_mut(first..first + own)?.get_mut(start..start + size)
            }
            MemoryKind::Constant(number) => self.constants.get_mut(usize::from(number))?.get_mut(start..start + size),
            MemoryKind::Global(number) => {
                let size = u32::try_from(size).ok()?;
                self.memory.write(self.launch.globals.get(&number)?.place(address, size)?, size)
            }
            MemoryKind::Attribute => {
                let inputs = match &self.launch.threads {
                    LaunchThreads::Vertices(vertices) => &vertices.attributes,
                    LaunchThreads::Primitives(primitives) => &primitives.inputs,
                    LaunchThreads::Grid | LaunchThreads::Fragments(_) => return None,
                };
                let words = self.launch.threads.input_words() as usize;
                let first = self.launch.element(self.block, thread) as usize * words;
                let word = inputs.get(first..first + words)?.get(start / 4)?;
                self.input = word.to_le_bytes();
                self.input.get_mut(start % 4..start % 4 + size)
            }
            MemoryKind::Primitive => {
                let LaunchThreads::Primitives(primitives) = &self.launch.threads else { return None };
                let word = primitives.vertex_word(self.launch.element(self.block, thread), address);
                self.input = word.to_le_bytes();
                self.input.get_mut(start % 4..start % 4 + size)
            }
            MemoryKind::Output => {
                let own = 4 * self.launch.threads.output_words() as usize;
                let first = thread as usize * own;
                self.outputs.get_mut(first..first + own)?.get_mut(start..start + size)
            }
            // Interpolants are computed.
            MemoryKind::Interpolant => None,
        }
    }
}
