//! What a compute kernel's text and its host agree on: basic blocks, variables, and the words of the records.

use std::collections::BTreeMap;

use super::basic_blocks::{Block, executed};
use super::kernel_key::{BlockOrder, ComputeKernelKey};
use super::liveness;
use super::regions::{self, Region};
use super::resources::Resources;
use crate::pipeline::launch::{FaultKind, InstructionCount, WARP_THREADS};
use crate::shader::simt::{CodeError, Operation, Predicate, SimtProgram};

/// The words of the records in front of those of basic blocks.
const FIRST_RECORDS: u32 = 16;

/// The words of the record of a fault in one lane, and in all.
const LANE_FAULT_WORDS: usize = 8;
const FAULT_WORDS: usize = LANE_FAULT_WORDS * WARP_THREADS as usize;

/// A fault that a launch has had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultRecord {
    /// The address of the instruction.
    pub instruction: u32,
    /// The kind.
    pub kind: FaultKind,
    /// How often threads had it.
    pub count: u64,
    /// The block and the thread in it that had it first, and the address that it accessed.
    pub first: [u32; 3],
}

/// The layout of a kernel.
#[derive(Debug, Clone)]
pub struct ComputeLayout {
    /// The basic blocks with their addresses in bytes.
    pub(super) blocks: Vec<(u32, Block)>,
    numbers: BTreeMap<u32, usize>,
    /// The basic blocks in the order of their text.
    pub(super) regions: Vec<Region>,
    /// The place of each basic block in that order, by which the warp knows it.
    places: Vec<u32>,
    /// The basic blocks that a warp can reach, which alone are in the text.
    is_reached: Vec<bool>,
    /// The counter of the threads that execute an instruction, for those with a predicate.
    thread_counts: BTreeMap<usize, u32>,
    /// What the program uses.
    pub(super) resources: Resources,
    /// The variables, by their numbers, that may be read after a barrier before they are written.
    read_after_barriers: Vec<bool>,
    faults: BTreeMap<(u32, FaultKind), u32>,
}

impl ComputeKernelKey {
    /// Whether each warp that begins comes to a fault, so that blocks need not run side by side.
    #[must_use]
    pub fn always_faults(&self) -> bool {
        ComputeLayout::new(self).always_faults(self)
    }
}

impl ComputeLayout {
    pub(super) fn new(key: &ComputeKernelKey) -> Self {
        let mut layout = Self {
            blocks: Vec::new(),
            numbers: BTreeMap::new(),
            regions: Vec::new(),
            places: Vec::new(),
            is_reached: Vec::new(),
            thread_counts: BTreeMap::new(),
            resources: Resources::of([], key.registers),
            read_after_barriers: Vec::new(),
            faults: BTreeMap::new(),
        };
        layout.find_blocks(key);
        layout.is_reached = layout.find_reached(key);
        let reached = layout.reached_instructions(key);
        let instruction = |number: &usize| &key.program.instructions()[*number].instruction;
        layout.resources = Resources::of(reached.iter().map(instruction), key.registers);
        let successors: Vec<Vec<usize>> = (0..layout.blocks.len()).map(|block| layout.successors(key, block)).collect();
        let mut regions = regions::order(&successors);
        regions::begin_after_pauses(&mut regions, &|block| layout.pauses(key, block));
        layout.regions = regions;
        layout.places = vec![0; layout.blocks.len()];
        let mut place = 0;
        number_regions(&layout.regions, &mut place, &mut layout.places);
        for number in reached {
            if matches!(instruction(&number).predicate, Predicate::If { .. }) {
                let count = u32::try_from(layout.thread_counts.len()).unwrap_or(u32::MAX);
                layout.thread_counts.insert(number, count);
            }
        }
        // A warp that diverges at a barrier is a fault, and what its other threads read is not followed.
        layout.read_after_barriers = match key.order {
            BlockOrder::Concurrent if key.results == 0 => {
                liveness::read_after_barriers(key, &layout.blocks, &layout.resources, &successors)
            }
            // The results of fragments are read when they have ended.
            BlockOrder::Concurrent | BlockOrder::Ordered => vec![true; layout.resources.variables().len()],
        };
        layout
    }

    /// Finds the basic blocks, and the addresses to which a warp can go without finding one.
    fn find_blocks(&mut self, key: &ComputeKernelKey) {
        let program = &key.program;
        let mut open = vec![program.entry()];
        for range in program.basic_blocks() {
            let address = program.instructions()[range.start].instruction.address;
            let fault = !key.executes(&program.instructions()[range.start]);
            let block =
                if fault { Block::Fault(FaultKind::InvalidInstruction) } else { Block::Instructions(range.clone()) };
            self.numbers.insert(address, self.blocks.len());
            self.blocks.push((address, block));
            let executed = executed(key, range);
            let last = &program.instructions()[executed.end - 1];
            open.push(last.next);
            if let Some(target) = last.instruction.target() {
                open.push(target);
                if let Ok(target) = program.at(target) {
                    open.push(program.instructions()[target].next);
                }
            }
        }
        for address in open {
            let kind = match program.at(address) {
                // The next instruction of the block cannot be executed, or that of an earlier generation begins here.
                Ok(_) => FaultKind::InvalidInstruction,
                Err(CodeError::Outside) => FaultKind::OutsideCode,
                Err(CodeError::Invalid) => FaultKind::InvalidInstruction,
            };
            if !self.numbers.contains_key(&address) {
                self.numbers.insert(address, self.blocks.len());
                self.blocks.push((address, Block::Fault(kind)));
            }
        }
    }

    /// The basic blocks after one; where a branch leads comes first.
    fn successors(&self, key: &ComputeKernelKey, block: usize) -> Vec<usize> {
        let Block::Instructions(range) = &self.blocks[block].1 else { return Vec::new() };
        let last = &key.program.instructions()[executed(key, range.clone()).end - 1];
        let instruction = &last.instruction;
        let next = self.number(last.next);
        let target = instruction.target().map_or(next, |target| self.number(target));
        match (instruction.operation, instruction.predicate) {
            (Operation::Branch, Predicate::Always) => vec![target],
            (Operation::Branch, Predicate::Never) => vec![next],
            (Operation::Branch | Operation::Call { .. }, _) => vec![target, next],
            (Operation::Return | Operation::Break, Predicate::Always) => Vec::new(),
            (Operation::PushReturn { .. } | Operation::PushBreak | Operation::PushJoin, _) => vec![next, target],
            _ if instruction.exits => Vec::new(),
            _ => vec![next],
        }
    }

    /// Whether a warp can reach each basic block. Besides its successors, a block may push the place behind a join.
    fn find_reached(&self, key: &ComputeKernelKey) -> Vec<bool> {
        let mut is_reached = vec![false; self.blocks.len()];
        let mut open = vec![self.number(key.program.entry())];
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut is_reached[block], true) {
                continue;
            }
            open.extend(self.successors(key, block));
            let Block::Instructions(range) = &self.blocks[block].1 else { continue };
            let last = &key.program.instructions()[executed(key, range.clone()).end - 1].instruction;
            if let (Operation::PushJoin, Some(Ok(join))) = (last.operation, last.target().map(|at| key.program.at(at)))
            {
                open.push(self.number(key.program.instructions()[join].next));
            }
        }
        is_reached
    }

    /// Whether each warp that begins comes to a fault, as far as that is seen without its values.
    fn always_faults(&self, key: &ComputeKernelKey) -> bool {
        let mut block = self.number(key.program.entry());
        for _ in 0..self.blocks.len() {
            let Block::Instructions(range) = &self.blocks[block].1 else { return true };
            let last = &key.program.instructions()[executed(key, range.clone()).end - 1].instruction;
            let has_choice = last.operation.changes_flow() && matches!(last.predicate, Predicate::If { .. });
            match self.successors(key, block).first() {
                Some(next) if !has_choice && !last.joins => block = *next,
                _ => return false,
            }
        }
        false
    }

    /// The instructions that a warp can reach.
    fn reached_instructions(&self, key: &ComputeKernelKey) -> Vec<usize> {
        let blocks = self.blocks.iter().zip(&self.is_reached).filter(|(_, is_reached)| **is_reached);
        let ranges = blocks.filter_map(|((_, block), _)| match block {
            Block::Instructions(range) => Some(executed(key, range.clone())),
            Block::Fault(_) => None,
        });
        ranges.flatten().collect()
    }

    /// Whether a warp can reach a basic block of a region.
    pub(super) fn is_reached(&self, region: &Region) -> bool {
        match region {
            Region::Block(block) => self.is_reached[*block],
            Region::Loop(regions) => regions.iter().any(|region| self.is_reached(region)),
        }
    }

    /// Whether a basic block ends with a barrier.
    fn pauses(&self, key: &ComputeKernelKey, block: usize) -> bool {
        let Block::Instructions(range) = &self.blocks[block].1 else { return false };
        let last = &key.program.instructions()[executed(key, range.clone()).end - 1];
        matches!(last.instruction.operation, Operation::Barrier { .. })
    }

    /// The number of what begins at an address.
    fn number(&self, address: u32) -> usize {
        self.numbers.get(&address).copied().unwrap_or_default()
    }

    /// By which number a warp knows what begins at an address.
    pub(super) fn place_of(&self, address: u32) -> u32 {
        self.places[self.number(address)]
    }

    /// By which number a warp knows a basic block.
    pub(super) fn place(&self, block: usize) -> u32 {
        self.places[block]
    }

    /// Where warps begin.
    pub(super) fn entry(&self, program: &SimtProgram) -> u32 {
        self.place_of(program.entry())
    }

    /// The address of the basic block that a warp knows by a number.
    #[must_use]
    pub fn address_at(&self, place: u32) -> u32 {
        self.places.iter().position(|own| *own == place).map_or(0, |block| self.blocks[block].0)
    }

    /// How many basic blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The counter of the threads that execute an instruction; `None` for those without a predicate.
    pub(super) fn thread_count(&self, instruction: usize) -> Option<u32> {
        self.thread_counts.get(&instruction).copied()
    }

    pub(super) fn thread_counts(&self) -> u32 {
        u32::try_from(self.thread_counts.len()).unwrap_or(u32::MAX)
    }

    /// Whether a variable may be read after a barrier before it is written.
    pub(super) fn is_read_after_barriers(&self, variable: usize) -> bool {
        self.read_after_barriers[variable]
    }

    /// How many words of registers each lane of a warp has.
    #[must_use]
    pub fn register_words(&self) -> u32 {
        self.resources.register_words()
    }

    /// Whether the program accesses local memory.
    #[must_use]
    pub const fn uses_local(&self) -> bool {
        self.resources.uses_local()
    }

    /// The record of a basic block: how often it was executed, and by how many threads, in two words each.
    pub(super) fn block_record(&self, block: usize) -> u32 {
        FIRST_RECORDS + 4 * u32::try_from(block).unwrap_or(u32::MAX)
    }

    /// The record of a counter of threads, in two words.
    pub(super) fn thread_record(&self, count: u32) -> u32 {
        self.block_record(self.blocks.len()) + 2 * count
    }

    /// The number of a fault.
    pub(super) fn fault(&mut self, instruction: u32, kind: FaultKind) -> u32 {
        let number = u32::try_from(self.faults.len()).unwrap_or(u32::MAX);
        *self.faults.entry((instruction, kind)).or_insert(number)
    }

    /// The words of the records of all faults.
    #[must_use]
    pub fn fault_words(&self) -> usize {
        FAULT_WORDS * self.faults.len()
    }

    /// The faults that a launch has had by their records, in the order of their instructions and kinds.
    /// `wgsl/compute/records.wgsl` tells what a record holds.
    pub fn faults(&self, records: &[u32]) -> impl Iterator<Item = FaultRecord> {
        self.faults.iter().filter_map(|((instruction, kind), number)| {
            let words = &records[*number as usize * FAULT_WORDS..][..FAULT_WORDS];
            let lanes = || (0..).zip(words.as_chunks::<LANE_FAULT_WORDS>().0).filter(|(_, lane)| lane[..2] != [0, 0]);
            let count = lanes().map(|(_, lane)| u64::from(lane[0]) | u64::from(lane[1]) << 32).sum();
            // Of lanes that had it in the same basic block of a dispatch, the lowest is the first.
            let (lane, [.., place, address, block]) = lanes().min_by_key(|(_, lane)| (lane[4], lane[5] >> 5))?;
            let thread = (place & 31) * WARP_THREADS + lane;
            Some(FaultRecord { instruction: *instruction, kind: *kind, count, first: [*block, thread, *address] })
        })
    }

    /// The words of the records besides those of faults.
    #[must_use]
    pub fn record_words(&self) -> u32 {
        self.thread_record(self.thread_counts())
    }

    /// The executions of each instruction of the program, from the words of the records.
    #[must_use]
    pub fn instruction_counts(&self, key: &ComputeKernelKey, records: &[u32]) -> Vec<InstructionCount> {
        let wide = |word: u32| u64::from(records[word as usize]) | u64::from(records[word as usize + 1]) << 32;
        let mut counts = vec![InstructionCount::default(); key.program.instructions().len()];
        for (number, (_, block)) in self.blocks.iter().enumerate() {
            let Block::Instructions(range) = block else { continue };
            let record = self.block_record(number);
            for instruction in executed(key, range.clone()) {
                let threads = match key.program.instructions()[instruction].instruction.predicate {
                    Predicate::Always => wide(record + 2),
                    Predicate::Never => 0,
                    Predicate::If { .. } => {
                        self.thread_count(instruction).map_or(0, |count| wide(self.thread_record(count)))
                    }
                };
                counts[instruction] = InstructionCount { warps: wide(record), threads };
            }
        }
        counts
    }
}

/// Numbers the basic blocks in the order of their text.
fn number_regions(regions: &[Region], next: &mut u32, places: &mut [u32]) {
    for region in regions {
        match region {
            Region::Block(block) => {
                places[*block] = *next;
                *next += 1;
            }
            Region::Loop(regions) => number_regions(regions, next, places),
        }
    }
}
