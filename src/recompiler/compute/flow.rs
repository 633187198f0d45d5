//! What the last instruction of a basic block does to the flow of the warp.

use super::emit_kernel::WARP_WORDS;
use super::emitter::Emitter;
use super::resources::barrier_number;
use crate::pipeline::launch::{FaultKind, WARP_THREADS};
use crate::shader::simt::{BarrierThreads, Instruction, Operation, Predicate};

impl Emitter<'_> {
    /// Continues after the instruction of this number. `executes` is whether the lane's thread executes it.
    pub(super) fn emit_flow(&mut self, number: usize) {
        let program = std::sync::Arc::clone(&self.key.program);
        let found = &program.instructions()[number];
        let instruction = &found.instruction;
        let next = self.layout.place_of(found.next);
        let target = self.layout.place_of(instruction.target().unwrap_or(found.next));
        let at = instruction.address;
        match instruction.operation {
            Operation::Branch => match instruction.predicate {
                Predicate::Always => self.text.line(format!("warp_next = {target}u;")),
                Predicate::Never => self.text.line(format!("warp_next = {next}u;")),
                Predicate::If { .. } => {
                    let taken = self.emit_ballot("executes");
                    self.text.line("let threads = warp_active;");
                    let function = self.text.import("compute::warp", "warp_branch");
                    self.text.open(format!("if !{function}({taken}, {target}u, {next}u) {{"));
                    self.emit_ending_fault(at, FaultKind::StackOverflow, "threads");
                    self.text.close();
                }
            },
            Operation::Call { .. } => self.emit_push(at, "ENTRY_CALL", next, target),
            Operation::PushReturn { .. } => self.emit_push(at, "ENTRY_CALL", target, next),
            Operation::PushBreak => self.emit_push(at, "ENTRY_LOOP", target, next),
            Operation::PushJoin => {
                let target = instruction.target().unwrap_or(at);
                let after = program.at(target).map_or(target, |number| program.instructions()[number].next);
                let after = self.layout.place_of(after);
                self.emit_push(at, "ENTRY_JOIN", after, next);
            }
            Operation::Return => {
                let threads = self.emit_threads(instruction);
                self.text.line(format!("warp_next = {next}u;"));
                let function = self.text.import("compute::warp", "warp_return");
                self.text.line(format!("{function}({threads});"));
            }
            Operation::Break => {
                let threads = self.emit_threads(instruction);
                self.text.line(format!("warp_next = {next}u;"));
                let function = self.text.import("compute::warp", "warp_break");
                self.text.line(format!("let is_in_loop = {function}({threads});"));
                self.text.open(format!("if !is_in_loop && {threads} != 0u {{"));
                self.emit_warp_fault(at, FaultKind::BreakOutsideLoop, &threads);
                self.text.close();
            }
            Operation::Discard => self.emit_discard(instruction, next),
            Operation::EnterQuads => {
                self.text.line("let threads = warp_active;");
                self.text.line(format!("warp_next = {next}u;"));
                let function = self.text.import("compute::warp", "warp_enter_quads");
                self.text.open(format!("if !{function}() {{"));
                self.emit_ending_fault(at, FaultKind::StackOverflow, "threads");
                self.text.close();
            }
            Operation::LeaveQuads => {
                self.text.line("let threads = warp_active;");
                self.text.line(format!("warp_next = {next}u;"));
                let function = self.text.import("compute::warp", "warp_leave_quads");
                self.text.open(format!("if !{function}() {{"));
                self.emit_ending_fault(at, FaultKind::UnbalancedQuads, "threads");
                self.text.close();
            }
            Operation::Trap => self.emit_trap(instruction, next),
            Operation::Barrier { .. } => {
                let function = self.text.import("compute::warp", "warp_is_converged");
                self.text.open(format!("if !{function}() {{"));
                self.emit_warp_fault(at, FaultKind::DivergentBarrier, "warp_active");
                self.text.close();
                self.text.line(format!("warp_next = {next}u;"));
                self.emit_barrier(instruction);
            }
            _ => self.text.line(format!("warp_next = {next}u;")),
        }
        self.emit_ends(instruction);
        if let Operation::Barrier { .. } = instruction.operation {
            self.emit_barrier_pause();
        }
    }

    /// Ends the threads of fragments that are discarded, and notes it with their results.
    fn emit_discard(&mut self, instruction: &Instruction, next: u32) {
        self.text.import_all(&[("compute::threads", "output_word"), ("compute::access_memory", "compute_memory")]);
        let threads = self.emit_threads(instruction);
        self.text.line(format!("warp_next = {next}u;"));
        let status = format!("output_word({}u)", self.key.results);
        self.text.line(format!("if executes {{ atomicStore(&compute_memory[{status}], 1u); }}"));
        let function = self.text.import("compute::warp", "warp_exit");
        self.text.line(format!("{function}({threads});"));
    }

    /// The mask of the threads that execute an instruction.
    fn emit_threads(&mut self, instruction: &Instruction) -> String {
        match instruction.predicate {
            Predicate::Always => self.text.bind("lanes", "warp_active"),
            Predicate::Never => "0u".to_owned(),
            Predicate::If { .. } => self.emit_ballot("executes"),
        }
    }

    /// Pushes where threads continue later, and continues.
    fn emit_push(&mut self, at: u32, kind: &str, pushed: u32, next: u32) {
        self.text.import_all(&[("compute::warp", kind), ("compute::warp", "warp_push")]);
        self.text.line("let threads = warp_active;");
        self.text.line(format!("warp_next = {next}u;"));
        self.text.open(format!("if !warp_push({kind} | {pushed}u, threads) {{"));
        self.emit_ending_fault(at, FaultKind::StackOverflow, "threads");
        self.text.close();
    }

    /// Ends or joins threads where the instruction does.
    fn emit_ends(&mut self, instruction: &Instruction) {
        if !instruction.exits && !instruction.joins {
            return;
        }
        if matches!(instruction.operation, Operation::Return | Operation::Break | Operation::Discard) {
            self.text.line("if warp_next == WARP_UNWINDS { warp_unwind(); }");
            self.loops += 1;
        }
        if instruction.exits {
            let function = self.text.import("compute::warp", "warp_exit");
            self.text.line(format!("{function}(warp_active);"));
        }
        if instruction.exits && instruction.joins {
            self.text.line("if warp_next == WARP_UNWINDS { warp_unwind(); }");
            self.loops += 1;
        }
        if instruction.joins {
            let function = self.text.import("compute::warp", "warp_join");
            self.text.line(format!("{function}();"));
        }
    }

    /// Ends the launch if a thread executes the trap.
    fn emit_trap(&mut self, instruction: &Instruction, next: u32) {
        let threads = self.emit_threads(instruction);
        self.text.line(format!("warp_next = {next}u;"));
        self.text.open(format!("if {threads} != 0u {{"));
        if self.is_ordered() {
            self.text.import_all(&[("compute::records", "stop_launch"), ("compute::records", "STOP_TRAP")]);
            let thread = format!("block_warp * 32u + countTrailingZeros({threads})");
            self.text.line(format!("stop_launch(STOP_TRAP, {:#x}u, block_number, {thread});", instruction.address));
            self.text.line("block_is_open = false;");
        } else {
            self.text.line("is_abandoned = true;");
        }
        self.text.line("warp_end();");
        self.text.close();
    }

    /// Ends the turn, so that another warp runs if this one waits.
    fn emit_barrier_pause(&mut self) {
        self.text.line("if warp_next == WARP_UNWINDS { warp_unwind(); }");
        self.loops += 1;
        let function = self.text.import("compute::block", "pause_at_barrier");
        self.text.line(format!("{function}();"));
    }

    /// Arrives at a barrier, waits there, or both.
    fn emit_barrier(&mut self, instruction: &Instruction) {
        let Operation::Barrier { arrives, waits, threads } = instruction.operation else { return };
        let barrier = barrier_number(instruction);
        let warps = match threads {
            BarrierThreads::All => 0,
            BarrierThreads::Count => instruction.immediate(1).div_ceil(WARP_THREADS).max(1),
        };
        let function = self.text.import("compute::barriers", "reached_barrier");
        let reached = format!("{function}(block_barriers[{barrier}], {arrives}, {waits}, {warps}u, block_warp)");
        self.text.line(format!("block_barriers[{barrier}] = {reached};"));
        if self.is_ordered() {
            let word = self.layout.fault(instruction.address, FaultKind::Deadlock);
            let place = (WARP_WORDS - 1) * WARP_THREADS;
            self.text.line(format!("compute_slots[warp_words(block_warp) + {place}u] = {word}u;"));
        }
    }
}
