//! Executes the instructions of a basic block.

use super::basic_blocks::{Block, executed};
use super::emitter::{Emitter, Pending};
use super::operands::modified_float;
use super::operate::Results;
use crate::pipeline::launch::{CLUSTER_MULTIPROCESSORS, CLUSTERS, FaultKind, ISSUE_CLOCKS, VERTEX_STRIDE};
use crate::shader::simt::{
    Destination, Instruction, Operand, Operation, Predicate, ProgramKind, QuadLane, QuadStep, QuadSteps,
    SpecialRegister, TextureFetch, VoteMode,
};

impl Emitter<'_> {
    /// The basic block of this number, which runs if it is the next one.
    pub(super) fn emit_block(&mut self, number: usize) {
        let (address, block) = self.layout.blocks[number].clone();
        self.pending = Pending::default();
        self.text.open(format!("if warp_next == {}u {{", self.layout.place(number)));
        match block {
            Block::Fault(kind) => {
                self.emit_ending_fault(address, kind, "warp_active");
                self.text.line("warp_end();");
            }
            Block::Instructions(range) => {
                let range = executed(self.key, range);
                self.text.line("let is_active = warp_is_active();");
                let last = range.end - 1;
                for (place, instruction) in range.clone().enumerate() {
                    self.text.line(format!("// {}", self.key.program.instructions()[instruction].text));
                    self.emit_instruction(instruction, place, instruction == last);
                }
                self.emit_noted_faults();
                self.max_loop_faults = self.max_loop_faults.max(std::mem::take(&mut self.loop_faults));
                let count = range.len();
                self.text.line(format!("count_instructions({count}u);"));
                let (group, lane) = (number / 32, number % 32);
                self.text.line(format!("executed{group} += select(0u, 1u, lane == {lane}u);"));
                self.text
                    .line(format!("executed_lanes{group} += select(0u, countOneBits(warp_active), lane == {lane}u);"));
                self.emit_flow(last);
                self.emit_last_barriers();
                self.text.line("pause_turn();");
            }
        }
        self.text.close();
    }

    /// An instruction, at a place in its block. What the last one does to the flow of the warp is text of its own.
    pub(super) fn emit_instruction(&mut self, number: usize, place: usize, is_last: bool) {
        let program = std::sync::Arc::clone(&self.key.program);
        let instruction = &program.instructions()[number].instruction;
        let lanes = match instruction.predicate {
            Predicate::Always => "is_active".to_owned(),
            Predicate::Never => "false".to_owned(),
            Predicate::If { register, condition } => {
                // Bit n tells whether the flags n meet the condition.
                let table =
                    (0..16_u8).filter(|flags| condition.holds(*flags)).fold(0_u32, |table, flags| table | 1 << flags);
                let holds = format!("is_active & ((({table:#x}u >> c{}) & 1u) != 0u)", register & 3);
                self.text.bind("executes", &holds)
            }
        };
        if let (Some(count), None) = (self.layout.thread_count(number), &self.thread) {
            self.text.line(format!("threads{count} += select(0u, 1u, {lanes});"));
        }
        if is_last {
            self.text.line(format!("let executes = {lanes};"));
        }
        let ends_otherwise = matches!(instruction.operation, Operation::Barrier { .. } | Operation::Trap);
        if ends_otherwise {
            self.give_up();
        }
        if !instruction.operation.changes_flow() && !ends_otherwise {
            self.emit_compute(instruction, &lanes, place);
        }
    }

    /// An operation on registers and memory.
    fn emit_compute(&mut self, instruction: &Instruction, lanes: &str, place: usize) {
        let at = instruction.address;
        if self.emit_fast(instruction, lanes) {
            self.emit_advances(instruction, lanes);
            return;
        }
        if !matches!(instruction.operation, Operation::Interpolate(_)) {
            self.emit_settled(instruction);
        }
        match instruction.operation {
            Operation::Nothing | Operation::PerformanceEvent | Operation::Breakpoint => {}
            Operation::Load { lanes: mask } => {
                let lanes = self.emit_quad_lanes(lanes, mask);
                if let Some(memory) = instruction.memory_source() {
                    let words = self.emit_memory_load(at, &memory, &lanes);
                    let count = memory.words();
                    self.emit_write(instruction, &words[..count], &lanes);
                }
            }
            Operation::Store { unlocks: false } => {
                if let Destination::Memory(memory) = instruction.destination {
                    let words = self.register_source(instruction, 0);
                    self.emit_memory_store(at, &memory, lanes, &words);
                }
            }
            Operation::Reduce { operation, element } => {
                if let Destination::Memory(memory) = instruction.destination {
                    let values = [self.register_source(instruction, 0), vec!["0u".to_owned(); 4]];
                    self.emit_memory_update(at, &memory, lanes, (operation, element), &values, false);
                }
            }
            Operation::Atomic { operation, element } => {
                if let Some(memory) = instruction.memory_source() {
                    let values = [1, 2].map(|source| self.register_source(instruction, source));
                    let needs_result = instruction.destination != Destination::None;
                    let update = (operation, element);
                    let before = self.emit_memory_update(at, &memory, lanes, update, &values, needs_result);
                    let count = memory.words();
                    self.emit_write(instruction, &before[..count], lanes);
                }
            }
            Operation::ReadCondition | Operation::ReadAddress | Operation::WriteCondition => {
                let word = self.first_value(instruction, lanes);
                let word = self.text.bind("value", &word);
                self.emit_write(instruction, &[word], lanes);
            }
            Operation::ReadSpecial(register) => {
                if matches!(register, SpecialRegister::PhysicalId | SpecialRegister::Clock) {
                    self.give_up();
                }
                let word = self.special_register(register, place);
                self.emit_write(instruction, &[word], lanes);
            }
            Operation::ShiftIntoAddress => {
                let count = instruction.immediate(1) & 15;
                let word = self.first_value(instruction, lanes);
                self.emit_write(instruction, &[format!("({word} << {count}u)")], lanes);
            }
            Operation::AddAddress => {
                let offset = instruction.immediate(1);
                let word = self.first_value(instruction, lanes);
                self.emit_write(instruction, &[format!("({word} + {offset:#x}u)")], lanes);
            }
            Operation::Emit | Operation::RestartStrip if self.is_geometry_thread() => {
                self.emit_emission(instruction.operation, lanes);
            }
            Operation::Vote(mode) => {
                self.give_up();
                self.emit_vote(instruction, mode, lanes);
            }
            Operation::Quad { lane, steps } => self.emit_quad(instruction, (lane, steps), lanes),
            Operation::Interpolate(mode) => self.emit_interpolation(instruction, mode, lanes),
            _ => match TextureFetch::of(instruction) {
                Some(fetch) => self.emit_texture(instruction, &fetch, lanes),
                None => self.emit_arithmetic(instruction, lanes),
            },
        }
        self.emit_advances(instruction, lanes);
    }

    /// The lanes whose place in the quad is in a mask of four bits.
    fn emit_quad_lanes(&mut self, lanes: &str, mask: u8) -> String {
        match mask & 15 {
            15 => lanes.to_owned(),
            mask => {
                // Only threads of fragments know their place.
                if self.key.program.kind() != ProgramKind::Fragment {
                    self.give_up();
                }
                let place = if self.thread.is_some() { "number" } else { "(lane & 3u)" };
                self.text.bind("executes", &format!("{lanes} & ((({mask}u >> {place}) & 1u) != 0u)"))
            }
        }
    }

    /// An operation whose results depend on the operands of one lane only.
    fn emit_arithmetic(&mut self, instruction: &Instruction, lanes: &str) {
        let (at, operation) = (instruction.address, instruction.operation);
        let lanes = match operation {
            Operation::Move { lanes: mask, .. } => self.emit_quad_lanes(lanes, mask),
            _ => lanes.to_owned(),
        };
        let mut sources = ["0u", "0u", "0u"].map(str::to_owned);
        let mut carry = "0u".to_owned();
        for (place, source) in instruction.sources.iter().enumerate() {
            if let Operand::Condition(number) = source.operand {
                carry = format!("c{}", number & 3);
            } else if place < sources.len() {
                let value = self.value(at, source, &lanes);
                let has_float_modifiers = !matches!(operation, Operation::Convert(_) | Operation::Logic { .. });
                sources[place] = if has_float_modifiers { modified_float(value, source) } else { value };
            }
        }
        if operation.multiplies_singles() && self.key.program.zero_wins() {
            let [a, b] = [&sources[0], &sources[1]].map(|source| self.text.bind("factor", source));
            let function = self.text.import("arith::tesla_float", "tesla_zero_factor");
            (sources[0], sources[1]) = (format!("{function}({a}, {b})"), format!("{function}({b}, {a})"));
        }
        let Some(Results { value, flags }) = self.emit_operation(operation, &sources, &instruction.sources, &carry)
        else {
            self.emit_warp_fault(at, FaultKind::Unsupported, "warp_active");
            let zeros = vec!["0u".to_owned(); instruction.destination.words()];
            self.emit_write(instruction, &zeros, &lanes);
            return;
        };
        // The flags are of the operands before the result is written.
        let flags = if instruction.condition_write.is_some() { self.text.bind("flags", &flags) } else { flags };
        self.emit_write(instruction, &[value], &lanes);
        self.emit_flags(instruction, &flags, &lanes);
    }

    fn emit_vote(&mut self, instruction: &Instruction, mode: VoteMode, lanes: &str) {
        let holding = self.emit_ballot(lanes);
        let is_true = match mode {
            VoteMode::Any => format!("{holding} != 0u"),
            VoteMode::All => format!("{holding} == warp_active"),
        };
        if let Destination::Condition(number) = instruction.destination {
            let number = number & 3;
            self.text.line(format!("c{number} = select(c{number}, select(1u, 2u, {is_true}), is_active);"));
        }
    }

    fn emit_quad(&mut self, instruction: &Instruction, (from, steps): (QuadLane, QuadSteps), lanes: &str) {
        let [a, b] = [0, 1].map(|source| self.register_source(instruction, source).swap_remove(0));
        let has_neighbors = self.key.program.kind() == ProgramKind::Fragment;
        let other = match from {
            QuadLane::Number(number) => Some(format!("(lane & ~3u) | {}u", number & 3)),
            QuadLane::NeighborX => has_neighbors.then(|| "lane ^ 1u".to_owned()),
            QuadLane::NeighborY => has_neighbors.then(|| "lane ^ 2u".to_owned()),
        };
        let expression = if let Some(other) = other {
            let a = if self.thread.is_some() {
                // A parameter of the step.
                "word".to_owned()
            } else {
                let function = self.text.import("compute::ballot", "word_of_lane").to_owned();
                self.note_ballot();
                self.text.bind("word", &format!("{function}({a}, {other})"))
            };
            let mask = |wanted: QuadStep| {
                (0..4).filter(|lane| steps[*lane] == wanted).fold(0_u32, |mask, lane| mask | 1 << lane)
            };
            let sign = |wanted| format!("((({}u >> (lane & 3u)) & 1u) << 31u)", mask(wanted));
            self.text.import("arith::tesla_float", "tesla_add");
            let (first, second) = (sign(QuadStep::SubtractReversed), sign(QuadStep::Subtract));
            let sum = format!("tesla_add({a} ^ {first}, {b} ^ {second})");
            format!("select({sum}, {b}, (({}u >> (lane & 3u)) & 1u) != 0u)", mask(QuadStep::Second))
        } else {
            "0u".to_owned()
        };
        let value = self.text.bind("value", &expression);
        self.text.import("arith::tesla_float", "tesla_float_flags");
        self.emit_write(instruction, std::slice::from_ref(&value), lanes);
        self.emit_flags(instruction, &format!("tesla_float_flags({value})"), lanes);
    }

    /// Whether it writes the text of a thread of a geometry program.
    fn is_geometry_thread(&self) -> bool {
        self.thread.is_some() && self.key.program.kind() == ProgramKind::Geometry
    }

    /// A special register, read by the instruction at a place in its block.
    fn special_register(&mut self, register: SpecialRegister, place: usize) -> String {
        if register == SpecialRegister::SampleId {
            return self.sample_id();
        }
        if register == SpecialRegister::VertexStride && self.is_geometry_thread() {
            return format!("{VERTEX_STRIDE}u");
        }
        special_register(register, place)
    }

    /// The sample that a fragment is; other threads have none.
    fn sample_id(&mut self) -> String {
        match (self.key.program.kind(), &self.thread) {
            (ProgramKind::Fragment, Some(_)) => format!("{}u", self.key.sample),
            (ProgramKind::Fragment, None) => {
                format!("{}()", self.text.import("compute::interpolate", "fragment_sample"))
            }
            _ => "0u".to_owned(),
        }
    }
}

/// A special register of all but geometry programs.
fn special_register(register: SpecialRegister, place: usize) -> String {
    match register {
        SpecialRegister::PhysicalId => format!(
            "(lane | (block_warp << 8u) | (((block_number / {CLUSTERS}u) % {CLUSTER_MULTIPROCESSORS}u) << 16u) | ((block_number % {CLUSTERS}u) << 20u))"
        ),
        SpecialRegister::Clock => format!("((block_instructions + {}u) * {ISSUE_CLOCKS}u)", place + 1),
        SpecialRegister::VertexStride
        | SpecialRegister::PerformanceCounter(_)
        | SpecialRegister::SampleId
        | SpecialRegister::Unknown(_) => "0u".to_owned(),
    }
}
