//! A warp: the registers of its threads, which of them are active, and the stack of those that are not.

use crate::pipeline::launch::{FaultKind, Launch, LaunchThreads, QUAD_THREADS, STACK_ENTRIES, WARP_THREADS};
use crate::shader::simt::SimtProgram;

/// One value for each lane of a warp.
pub(super) type Lanes = [u32; WARP_THREADS as usize];

/// Zero in all lanes.
pub(super) const ZEROS: Lanes = [0; WARP_THREADS as usize];

/// The lanes of a mask in ascending order.
pub(super) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < WARP_THREADS).then_some(lane as usize)
    })
}

/// Why threads are on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    /// They go another way than the active ones.
    Branch,
    /// They called; those that return continue at the address.
    Call,
    /// They are in a loop; those that break continue at the address.
    Loop,
    /// They were active before their quads became active.
    Quads,
    /// They diverged and join at the instruction at the address.
    Join,
}

/// An entry of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StackEntry {
    kind: EntryKind,
    address: u32,
    threads: u32,
}

/// What keeps a warp from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WarpState {
    /// Nothing.
    Ready,
    /// It waits at a barrier.
    Waiting {
        /// The barrier's number.
        barrier: u8,
        /// The address of the instruction that waits.
        at: u32,
    },
    /// All its threads have ended.
    Ended,
}

/// A warp of a block.
#[derive(Debug)]
pub(super) struct Warp {
    /// Its number in the block.
    pub(super) number: u32,
    /// The address of the next instruction; during one, that of the one after it.
    pub(super) pc: u32,
    /// Whether it can run.
    pub(super) state: WarpState,
    /// The threads that execute instructions.
    pub(super) active: u32,
    /// The number of the last barrier of the block that it has passed.
    pub(super) epoch: u32,
    /// The address registers that can be written: 1 to 4.
    pub(super) addresses: [[u16; WARP_THREADS as usize]; 4],
    /// The condition registers.
    pub(super) conditions: [[u8; WARP_THREADS as usize]; 4],
    registers: Vec<Lanes>,
    /// The threads that broke out of a loop, returned from a call or ended. The others are active or on the stack.
    broke: u32,
    returned: u32,
    ended: u32,
    /// The threads that exist.
    threads: u32,
    /// Those whose fragments are discarded.
    discarded: u32,
    /// The basic blocks that each thread or one of its quad has begun.
    blocks: Lanes,
    stack: Vec<StackEntry>,
    /// The most entries of the stack.
    stack_limit: usize,
}

impl Warp {
    /// A warp at the start of a program. Registers but the first begin as zero.
    // Unverified: what registers hold when a warp begins.
    pub(super) fn new(launch: &Launch, block: u64, number: u32) -> Self {
        let first = number * WARP_THREADS;
        let count = (launch.threads_of(block) - first).min(WARP_THREADS);
        let threads = u32::MAX >> (WARP_THREADS - count);
        let mut registers = vec![[0; WARP_THREADS as usize]; launch.stage.registers as usize];
        if let Some(register) = registers.first_mut() {
            for (thread, value) in (first..first + count).zip(register) {
                *value = launch.first_register(thread);
            }
        }
        Self {
            number,
            pc: launch.stage.program.entry(),
            state: WarpState::Ready,
            active: threads,
            epoch: 0,
            addresses: [[0; WARP_THREADS as usize]; 4],
            conditions: [[0; WARP_THREADS as usize]; 4],
            registers,
            broke: 0,
            returned: 0,
            ended: 0,
            threads,
            discarded: 0,
            blocks: ZEROS,
            stack: Vec::new(),
            stack_limit: launch.stack_entries.min(STACK_ENTRIES) as usize,
        }
    }

    /// The threads that exist.
    pub(super) const fn threads(&self) -> u32 {
        self.threads
    }

    /// The number of a lane's thread in the block.
    pub(super) const fn thread(&self, lane: u32) -> u32 {
        self.number * WARP_THREADS + lane
    }

    /// A general register; those above the allocation are zero.
    pub(super) fn register(&self, number: u8) -> Lanes {
        self.registers.get(usize::from(number)).copied().unwrap_or([0; WARP_THREADS as usize])
    }

    /// A general register to be written; `None` above the allocation.
    pub(super) fn register_mut(&mut self, number: u8) -> Option<&mut Lanes> {
        self.registers.get_mut(usize::from(number))
    }

    /// Whether all threads that have not ended are active.
    pub(super) const fn is_converged(&self) -> bool {
        self.active == self.threads & !self.ended
    }

    /// The entries of its stack.
    pub(super) const fn stack_entries(&self) -> usize {
        self.stack.len()
    }

    /// Begins a basic block. Quads of fragments, or other threads, that have begun `max` of them end. Returns whether active
    /// threads are left to execute it.
    pub(super) fn begin_block(&mut self, launch: &Launch, max: u32) -> bool {
        let size = if matches!(launch.threads, LaunchThreads::Fragments(_)) { QUAD_THREADS } else { 1 };
        let mut ending = 0;
        for first in (0..WARP_THREADS).step_by(size as usize) {
            let quad = ((1 << size) - 1) << first;
            if self.active & quad == 0 {
                continue;
            }
            let blocks = &mut self.blocks[first as usize];
            if *blocks >= max {
                ending |= quad;
            }
            *blocks += 1;
        }
        let goes_on = self.active & !ending != 0;
        self.exit(ending, &launch.stage.program);
        goes_on
    }

    /// Ends all threads.
    pub(super) fn end(&mut self) {
        (self.active, self.state) = (0, WarpState::Ended);
        self.stack.clear();
    }

    fn push(&mut self, kind: EntryKind, address: u32, threads: u32) -> Result<(), FaultKind> {
        if self.stack.len() >= self.stack_limit {
            return Err(FaultKind::StackOverflow);
        }
        self.stack.push(StackEntry { kind, address, threads });
        Ok(())
    }

    /// Continues these active threads at an address, and the others afterwards at the next instruction. Returns whether
    /// there are both.
    // Unverified: that the threads which take the branch run first.
    pub(super) fn branch(&mut self, threads: u32, address: u32) -> Result<bool, FaultKind> {
        let others = self.active & !threads;
        if threads == 0 {
            return Ok(false);
        }
        if others != 0 {
            self.push(EntryKind::Branch, self.pc, others)?;
        }
        (self.active, self.pc) = (threads, address);
        Ok(others != 0)
    }

    /// Continues at an address, and after all active threads have returned at `next`.
    pub(super) fn call(&mut self, address: u32, next: u32) -> Result<(), FaultKind> {
        self.push(EntryKind::Call, next, self.active)?;
        self.pc = address;
        Ok(())
    }

    /// Pushes the address to which the active threads return.
    pub(super) fn push_return(&mut self, address: u32) -> Result<(), FaultKind> {
        self.push(EntryKind::Call, address, self.active)
    }

    /// Pushes the address where the active threads continue after they break.
    pub(super) fn push_break(&mut self, address: u32) -> Result<(), FaultKind> {
        self.push(EntryKind::Loop, address, self.active)
    }

    /// Pushes the address of the instruction where the active threads join after they diverge.
    pub(super) fn push_join(&mut self, address: u32) -> Result<(), FaultKind> {
        self.push(EntryKind::Join, address, self.active)
    }

    /// Makes all threads of quads with an active one active. Threads that ended or never began stay so.
    // Unverified: envytools says that those become active too.
    pub(super) fn enter_quads(&mut self) -> Result<(), FaultKind> {
        self.push(EntryKind::Quads, 0, self.active)?;
        let quads = (self.active | self.active >> 1 | self.active >> 2 | self.active >> 3) & 0x1111_1111;
        self.active = (quads * 0xf) & self.threads & !self.ended;
        Ok(())
    }

    /// Makes the threads active that were before [`Self::enter_quads`].
    pub(super) fn leave_quads(&mut self) -> Result<(), FaultKind> {
        match self.stack.pop() {
            Some(StackEntry { kind: EntryKind::Quads, threads, .. }) => {
                self.active = threads;
                Ok(())
            }
            _ => Err(FaultKind::UnbalancedQuads),
        }
    }

    /// Ends these threads.
    pub(super) fn exit(&mut self, threads: u32, program: &SimtProgram) {
        self.ended |= threads;
        self.leave(threads, program);
    }

    /// Ends these threads and discards their fragments. Their registers stay for the others of their quads.
    // Unverified: that derivatives see the registers of discarded fragments as they were.
    pub(super) fn discard(&mut self, threads: u32, program: &SimtProgram) {
        self.discarded |= threads;
        self.exit(threads, program);
    }

    /// The threads whose fragments are discarded.
    pub(super) const fn discarded(&self) -> u32 {
        self.discarded
    }

    /// Returns these threads from the innermost call; without one they end.
    pub(super) fn ret(&mut self, threads: u32, program: &SimtProgram) {
        if self.stack.iter().any(|entry| entry.kind == EntryKind::Call) {
            self.returned |= threads;
        } else {
            self.ended |= threads;
        }
        self.leave(threads, program);
    }

    /// Takes these threads out of the innermost loop. Returns whether there is one; without it they end.
    pub(super) fn break_loop(&mut self, threads: u32, program: &SimtProgram) -> bool {
        let is_in_loop = self.stack.iter().any(|entry| entry.kind == EntryKind::Loop);
        if is_in_loop {
            self.broke |= threads;
        } else {
            self.ended |= threads;
        }
        self.leave(threads, program);
        is_in_loop
    }

    /// Threads that stay behind when others go on.
    const fn finished(&self) -> u32 {
        self.broke | self.returned | self.ended
    }

    /// Makes threads inactive; if none is active any more, those on the stack continue.
    fn leave(&mut self, threads: u32, program: &SimtProgram) {
        self.active &= !threads;
        if threads != 0 && self.active == 0 {
            self.unwind(program);
        }
    }

    /// Runs diverged threads up to here, or else continues with all that diverged: after an instruction that joins.
    ///
    /// Without diverged threads or a place to join on the top of the stack it has no effect.
    // Unverified: that it has none.
    pub(super) fn join(&mut self, program: &SimtProgram) {
        match self.stack.last() {
            Some(&StackEntry { kind: EntryKind::Branch, address, threads }) => {
                self.stack.pop();
                (self.pc, self.active) = (address, threads);
            }
            Some(&StackEntry { kind: EntryKind::Join, threads, .. }) => {
                self.stack.pop();
                self.active = threads & !self.finished();
                if self.active == 0 {
                    self.unwind(program);
                }
            }
            _ => {}
        }
    }

    /// Continues with the threads of the topmost entry that has any; ends the warp if there is none.
    fn unwind(&mut self, program: &SimtProgram) {
        while let Some(StackEntry { kind, address, threads }) = self.stack.pop() {
            let (active, address) = match kind {
                EntryKind::Branch => (threads & !self.finished(), address),
                EntryKind::Call => {
                    let active = threads & self.returned;
                    self.returned &= !active;
                    (active, address)
                }
                EntryKind::Loop => {
                    let active = threads & self.broke;
                    self.broke &= !active;
                    (active, address)
                }
                EntryKind::Quads => (0, address),
                // The threads that are left have executed the instruction that joins and wait after it.
                // Unverified: that the chip does not execute it again.
                EntryKind::Join => {
                    let next = program.at(address).map(|number| program.instructions()[number].next);
                    (threads & !self.finished(), next.unwrap_or(address))
                }
            };
            if active != 0 {
                (self.active, self.pc) = (active, address);
                return;
            }
        }
        self.end();
    }
}
