//! Random programs with structured flow: branches, loops with their own counts for each thread, calls, barriers; all
//! operations on registers and memory. Those of vertices and fragments also read inputs, write outputs and discard.

use std::collections::BTreeMap;
use std::sync::Arc;

use curie::isa::tesla::{TeslaForm, TeslaGeneration, TeslaInstruction, TeslaRow, decode};
use curie::launch::PreparedLaunch;
use curie::pipeline::SimtStage;
use curie::pipeline::launch::{
    FragmentQuad, Fragments, GlobalSpace, Interpolants, Launch, LaunchLimits, LaunchMemory, LaunchTextures,
    LaunchThreads, Plane, STACK_ENTRIES, Vertices,
};
use curie::shader::simt::{
    Access, Address, AtomicOperation, BarrierThreads, Condition, Destination, ElementType, Instruction, IntegerSum,
    InterpolationMode, LogicOperation, MemoryOperand, NumberFormat, Operand, Operation, Predicate, Product,
    ProgramKind, Register, Relations, SimtProgram, Source, Space, Width,
};

use crate::common::random::Random;

/// The bytes of each instruction.
const STEP: u32 = 8;

/// Registers that random operations use; those above hold addresses and the counts of loops.
const FREE_REGISTERS: u8 = 8;
const INPUT: u8 = 8;
const COMMON: u8 = 9;
const OUT: u8 = 10;
const SCRATCH: u8 = 11;
const FIRST_COUNT: u8 = 12;
/// The number of the thread in the warp.
const THREAD: u8 = 15;
const REGISTERS: u32 = 16;

/// The global space that is only the input.
const PART: u8 = 3;

/// The words of the output of each thread.
const OUTPUT_WORDS: u32 = 16;

/// The words of the input of a vertex or fragment; the first one is its number.
const INPUT_WORDS: u32 = 16;

fn word(number: u8) -> Operand {
    Operand::Register(Register::Word(number))
}

fn plain(operation: Operation, destination: Destination, sources: &[Operand]) -> Instruction {
    Instruction {
        address: 0,
        operation,
        destination,
        sources: sources.iter().map(|operand| Source::of(*operand)).collect(),
        condition_write: None,
        predicate: Predicate::Always,
        exits: false,
        joins: false,
    }
}

fn to(number: u8) -> Destination {
    Destination::Register(Register::Word(number))
}

fn shared(access: Access, offset: u32) -> Operand {
    Operand::Memory(MemoryOperand { space: Space::Shared, access, address: Address::Offset { base: 0, offset } })
}

fn global(access: Access, register: u8) -> MemoryOperand {
    MemoryOperand { space: Space::Global(14), access, address: Address::Register(register) }
}

const MOVE: Operation = Operation::Move { width: Width::Word, lanes: 15, uses_sfu: false };
const ADD: Operation = Operation::AddInteger { sum: IntegerSum::Add, width: Width::Word, saturates: false };
const SUBTRACT: Operation = Operation::AddInteger { sum: IntegerSum::Subtract, width: Width::Word, saturates: false };
const MULTIPLY: Operation = Operation::MultiplyInteger(Product::Bits24 { is_signed: false, is_high: false });
const AND: Operation = Operation::Logic { operation: LogicOperation::And, width: Width::Word };

/// A program under construction. Targets of flow are labels until the end.
struct Builder {
    kind: ProgramKind,
    random: Random,
    instructions: Vec<Instruction>,
    /// The number of the instruction at each label.
    labels: Vec<u32>,
    /// Bodies of functions that are called, with their labels.
    functions: Vec<usize>,
    depth: u8,
    /// The condition register of the last comparison.
    compared: u8,
}

impl Builder {
    fn new(kind: ProgramKind, random: Random) -> Self {
        let (instructions, labels, functions) = (Vec::new(), Vec::new(), Vec::new());
        Self { kind, random, instructions, labels, functions, depth: 0, compared: 0 }
    }

    fn push(&mut self, instruction: Instruction) {
        self.instructions.push(instruction);
    }

    fn label(&mut self) -> usize {
        self.labels.push(0);
        self.labels.len() - 1
    }

    fn place(&mut self, label: usize) {
        self.labels[label] = u32::try_from(self.instructions.len()).unwrap();
    }

    fn flow(&mut self, operation: Operation, label: usize, predicate: Predicate) {
        let target = Operand::CodeAddress(u32::try_from(label).unwrap());
        self.push(Instruction { predicate, ..plain(operation, Destination::None, &[target]) });
    }

    fn nothing(&mut self) -> Instruction {
        plain(Operation::Nothing, Destination::None, &[])
    }

    fn register(&mut self) -> u8 {
        u8::try_from(self.random.below(FREE_REGISTERS.into())).unwrap()
    }

    fn predicate(&mut self) -> Predicate {
        let bit = |random: &mut Random| random.flag();
        let random = &mut self.random;
        let relations =
            Relations { less: bit(random), equal: bit(random), greater: bit(random), unordered: bit(random) };
        let is_comparison = relations != Relations { less: false, equal: false, greater: false, unordered: false }
            && !(relations.less && relations.equal && relations.greater && relations.unordered);
        let condition = match random.below(8) {
            0 => Condition::Carry,
            1 => Condition::Above,
            2 => Condition::Sign,
            3 => Condition::NotOverflow,
            _ if is_comparison => Condition::Compare(relations),
            _ => Condition::NotSign,
        };
        let register = if random.below(4) == 0 { u8::try_from(random.below(4)).unwrap() } else { self.compared };
        Predicate::If { register, condition }
    }

    /// The flags of a comparison of random registers, or of the thread with a constant.
    fn compare(&mut self) {
        let (mut a, mut b) = (self.register(), self.register());
        if self.random.below(3) != 0 {
            (a, b) = (THREAD, SCRATCH);
            let value = self.random.below(32);
            self.push(plain(MOVE, to(SCRATCH), &[Operand::Immediate(value)]));
        }
        let condition = u8::try_from(self.random.below(4)).unwrap();
        let mut instruction = plain(SUBTRACT, Destination::None, &[word(a), word(b)]);
        instruction.condition_write = Some(condition);
        self.push(instruction);
        self.compared = condition;
    }

    /// The address of a word of memory in the scratch register.
    fn address(&mut self, buffer: u8, words: u32) {
        let index = self.register();
        self.push(plain(MOVE, to(SCRATCH), &[Operand::Immediate((words - 1) * 4)]));
        self.push(plain(AND, to(SCRATCH), &[word(SCRATCH), word(index)]));
        self.push(plain(ADD, to(SCRATCH), &[word(SCRATCH), word(buffer)]));
    }

    /// Moves a shared or local address into an address register.
    fn address_register(&mut self, bytes: u32, alignment: u32) -> u8 {
        let index = self.register();
        self.push(plain(MOVE, to(SCRATCH), &[Operand::Immediate(bytes - alignment)]));
        self.push(plain(AND, to(SCRATCH), &[word(SCRATCH), word(index)]));
        let register = 1 + u8::try_from(self.random.below(4)).unwrap();
        let sources = [word(SCRATCH), Operand::Immediate(0)];
        self.push(plain(Operation::ShiftIntoAddress, Destination::Address(register), &sources));
        register
    }

    /// A word of shared memory; a value of any size in local memory where there is none.
    fn own_memory(&mut self, access: Access) -> MemoryOperand {
        let (space, access) = match self.kind {
            ProgramKind::Compute => (Space::Shared, Access::B32),
            _ => (Space::Local, access),
        };
        let base = self.address_register(256, access.bytes());
        MemoryOperand { space, access, address: Address::Offset { base, offset: 64 } }
    }

    /// A load from the global space that is the input, rarely beyond its end.
    fn part_access(&mut self) {
        let (value, index) = (self.register(), self.register());
        let mask = if self.random.below(8) == 0 { 0x7fc } else { 0x3fc };
        self.push(plain(MOVE, to(SCRATCH), &[Operand::Immediate(mask)]));
        self.push(plain(AND, to(SCRATCH), &[word(SCRATCH), word(index)]));
        let memory =
            MemoryOperand { space: Space::Global(PART), access: Access::B32, address: Address::Register(SCRATCH) };
        self.push(plain(Operation::Load { lanes: 15 }, to(value), &[Operand::Memory(memory)]));
    }

    /// One access of memory.
    fn access(&mut self) {
        let value = self.register();
        let access = self.random.pick(&[Access::B32, Access::B32, Access::U8, Access::U16, Access::S8, Access::S16]);
        // Only kernels access global memory.
        let choice = if self.kind == ProgramKind::Compute { self.random.below(9) } else { 3 + self.random.below(3) };
        match choice {
            8 => self.part_access(),
            0 => {
                self.address(INPUT, 256);
                self.push(plain(Operation::Load { lanes: 15 }, to(value), &[Operand::Memory(global(access, SCRATCH))]));
            }
            1 => {
                self.address(OUT, OUTPUT_WORDS);
                let memory = Destination::Memory(global(access, SCRATCH));
                self.push(plain(Operation::Store { unlocks: false }, memory, &[word(value)]));
            }
            2 => {
                self.address(OUT, OUTPUT_WORDS);
                self.push(plain(Operation::Load { lanes: 15 }, to(value), &[Operand::Memory(global(access, SCRATCH))]));
            }
            3 if self.kind != ProgramKind::Compute && self.random.flag() => {
                let base = self.address_register(INPUT_WORDS * 4, 4);
                let address = Address::Offset { base, offset: 0 };
                let (space, operation) = match self.kind {
                    ProgramKind::Vertex => (Space::Attribute, Operation::Load { lanes: 15 }),
                    _ => (Space::Interpolant, Operation::Interpolate(InterpolationMode::Center)),
                };
                let memory = MemoryOperand { space, access: Access::B32, address };
                self.push(plain(operation, to(value), &[Operand::Memory(memory)]));
            }
            3 => {
                let memory = self.own_memory(access);
                self.push(plain(Operation::Load { lanes: 15 }, to(value), &[Operand::Memory(memory)]));
            }
            4 if self.kind == ProgramKind::Vertex => {
                let base = self.address_register(OUTPUT_WORDS * 4, 4);
                let address = Address::Offset { base, offset: 0 };
                let memory = MemoryOperand { space: Space::Output, access: Access::B32, address };
                self.push(plain(Operation::Store { unlocks: false }, Destination::Memory(memory), &[word(value)]));
            }
            4 | 5 => {
                let memory = self.own_memory(access);
                self.push(plain(Operation::Store { unlocks: false }, Destination::Memory(memory), &[word(value)]));
            }
            6 => {
                self.address(COMMON, 16);
                let (operation, element) = self.random.pick(&[
                    (AtomicOperation::Add, ElementType::U32),
                    (AtomicOperation::Max, ElementType::S32),
                    (AtomicOperation::Xor, ElementType::B32),
                ]);
                let memory = Destination::Memory(global(Access::B32, SCRATCH));
                self.push(plain(Operation::Reduce { operation, element }, memory, &[word(value)]));
            }
            _ => {
                let own = self.random.below(4) != 0;
                if own {
                    self.address(OUT, OUTPUT_WORDS);
                } else {
                    self.address(COMMON, 16);
                }
                let (operation, element) = self.random.pick(&[
                    (AtomicOperation::Add, ElementType::U32),
                    (AtomicOperation::Increment, ElementType::U32),
                    (AtomicOperation::CompareAndSwap, ElementType::B32),
                    (AtomicOperation::Exchange, ElementType::B32),
                    (AtomicOperation::Min, ElementType::S32),
                ]);
                let second = self.register();
                let result = self.register();
                let mut sources = vec![Operand::Memory(global(Access::B32, SCRATCH)), word(value)];
                if operation == AtomicOperation::CompareAndSwap {
                    sources.push(word(second));
                }
                self.push(plain(Operation::Atomic { operation, element }, to(result), &sources));
            }
        }
    }

    /// One operation from the words of the processor: any bits, in registers and places that exist.
    fn operation(&mut self) {
        for _ in 0..1000 {
            let rows: Vec<_> = TeslaRow::all().filter(|row| row.form == TeslaForm::Long).collect();
            let row = self.random.pick(&rows);
            let bits = u64::from(self.random.word()) << 32 | u64::from(self.random.word());
            // A predicate that always holds, for most.
            let bits = if self.random.below(4) != 0 { bits & !(0x1f << 39) | 0xf << 39 } else { bits };
            let Ok(decoded) = decode(0, bits & !row.mask | row.bits, self.kind) else { continue };
            let instruction = decoded.instruction;
            if let Some(instruction) = self.tamed(instruction)
                && encoded(&instruction, self.kind).is_some()
            {
                self.push(instruction);
                return;
            }
        }
    }

    /// The instruction with operands that exist; `None` for those that are made elsewhere.
    fn tamed(&mut self, mut instruction: Instruction) -> Option<Instruction> {
        let is_elsewhere = instruction.ends_basic_block()
            || matches!(
                instruction.operation,
                Operation::Load { .. }
                    | Operation::Store { .. }
                    | Operation::LoadAndLock
                    | Operation::Reduce { .. }
                    | Operation::Atomic { .. }
            );
        let wide = |format: NumberFormat| {
            matches!(format, NumberFormat::Unsigned(64) | NumberFormat::Signed(64) | NumberFormat::Float(64))
        };
        let is_unsupported = match instruction.operation {
            Operation::Texture(_) | Operation::FusedMultiplyAdd(_) | Operation::Emit | Operation::RestartStrip => true,
            Operation::Convert(convert) => wide(convert.from) || wide(convert.to),
            operation => operation.destination_width() == Width::Double,
        };
        if is_elsewhere || is_unsupported && self.random.below(200) != 0 {
            return None;
        }
        for source in &mut instruction.sources {
            source.operand = self.tamed_operand(source.operand);
        }
        if let Destination::Register(register) = instruction.destination {
            instruction.destination = Destination::Register(self.tamed_register(register));
        }
        match &mut instruction.destination {
            Destination::Memory(_) | Destination::Texture { .. } => return None,
            Destination::Output { .. } if self.kind != ProgramKind::Vertex => return None,
            Destination::Output { offset, .. } => *offset %= u16::try_from(OUTPUT_WORDS * 4).unwrap(),
            _ => {}
        }
        Some(instruction)
    }

    fn tamed_register(&mut self, register: Register) -> Register {
        let number = self.register();
        match register {
            Register::Half { is_high, .. } => Register::Half { number, is_high },
            Register::Word(_) => Register::Word(number),
            Register::Double(_) => Register::Double(number & !1),
            Register::Quad(_) => Register::Quad(number & !3),
        }
    }

    fn tamed_operand(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Register(register) => Operand::Register(self.tamed_register(register)),
            Operand::Memory(mut memory) if self.random.below(100) != 0 => {
                if let Space::Constant(_) = memory.space {
                    memory.space = Space::Constant(u8::try_from(self.random.below(2)).unwrap());
                }
                let bytes = memory.access.bytes();
                memory.address = match memory.address {
                    Address::Register(_) => Address::Register(INPUT),
                    _ => Address::Offset { base: 0, offset: self.random.below(16) * bytes },
                };
                Operand::Memory(memory)
            }
            other => other,
        }
    }

    /// A sequence of operations and structures.
    fn body(&mut self, items: u32) {
        for _ in 0..items {
            match self.random.below(if self.depth < 2 { 16 } else { 10 }) {
                0..=5 => self.operation(),
                6..=7 => self.access(),
                8..=9 => self.compare(),
                10..=12 => self.branch(),
                13..=14 => self.repeat(),
                _ if self.kind == ProgramKind::Fragment && self.random.flag() => self.discard(),
                _ => self.call(),
            }
        }
    }

    /// A branch with two ways that join.
    fn branch(&mut self) {
        self.depth += 1;
        let (otherwise, end) = (self.label(), self.label());
        self.compare();
        let predicate = self.predicate();
        self.flow(Operation::PushJoin, end, Predicate::Always);
        self.flow(Operation::Branch, otherwise, predicate);
        let items = 1 + self.random.below(2);
        self.body(items);
        // Sometimes threads end here.
        if self.random.below(12) == 0 {
            let predicate = self.predicate();
            let skip = self.label();
            self.flow(Operation::Branch, skip, predicate);
            let exit = Instruction { exits: true, ..self.nothing() };
            self.push(exit);
            self.place(skip);
        }
        self.flow(Operation::Branch, end, Predicate::Always);
        self.place(otherwise);
        let items = self.random.below(2);
        self.body(items);
        self.place(end);
        let join = Instruction { joins: true, ..self.nothing() };
        self.push(join);
        self.depth -= 1;
    }

    /// A loop whose count is a thread's own.
    fn repeat(&mut self) {
        let count = FIRST_COUNT + self.depth;
        self.depth += 1;
        let (start, end) = (self.label(), self.label());
        let from = if self.random.flag() { THREAD } else { self.register() };
        let condition = u8::try_from(self.random.below(4)).unwrap();
        self.push(plain(MOVE, to(count), &[Operand::Immediate(3)]));
        self.push(plain(AND, to(count), &[word(count), word(from)]));
        let has_breaks = self.random.flag();
        if has_breaks {
            self.flow(Operation::PushBreak, end, Predicate::Always);
        } else {
            self.flow(Operation::PushJoin, end, Predicate::Always);
        }
        self.place(start);
        let items = 1 + self.random.below(2);
        self.body(items);
        self.push(plain(MOVE, to(SCRATCH), &[Operand::Immediate(1)]));
        let mut step = plain(SUBTRACT, to(count), &[word(count), word(SCRATCH)]);
        step.condition_write = Some(condition);
        self.push(step);
        let relations = Relations { less: has_breaks, equal: has_breaks, greater: !has_breaks, unordered: false };
        let predicate = Predicate::If { register: condition, condition: Condition::Compare(relations) };
        if has_breaks {
            self.push(Instruction { predicate, ..plain(Operation::Break, Destination::None, &[]) });
            self.flow(Operation::Branch, start, Predicate::Always);
            self.place(end);
        } else {
            self.flow(Operation::Branch, start, predicate);
            self.place(end);
            let join = Instruction { joins: true, ..self.nothing() };
            self.push(join);
        }
        self.depth -= 1;
    }

    /// Discards some fragments.
    fn discard(&mut self) {
        self.compare();
        let predicate = self.predicate();
        self.push(Instruction { predicate, ..plain(Operation::Discard, Destination::None, &[]) });
    }

    /// A call of one of at most two functions.
    fn call(&mut self) {
        let label = if self.functions.len() < 2 {
            let label = self.label();
            self.functions.push(label);
            label
        } else {
            self.functions[self.random.below(2) as usize]
        };
        self.flow(Operation::Call { is_limited: false }, label, Predicate::Always);
    }

    /// All threads of the block wait for each other.
    fn barrier(&mut self) {
        let operation = Operation::Barrier { arrives: true, waits: true, threads: BarrierThreads::All };
        let number = self.random.below(3);
        let mut instruction = plain(operation, Destination::None, &[Operand::Immediate(number)]);
        if encoded(&instruction, self.kind).is_none() {
            instruction.sources.push(Source::of(Operand::Immediate(0)));
        }
        self.push(instruction);
    }

    /// Finds out where the thread's memory is, and its number.
    fn begin(&mut self) {
        if self.kind != ProgramKind::Compute {
            let (operation, space) = match self.kind {
                ProgramKind::Vertex => (Operation::Load { lanes: 15 }, Space::Attribute),
                _ => (Operation::Interpolate(InterpolationMode::Flat), Space::Interpolant),
            };
            let address = Address::Offset { base: 0, offset: 0 };
            let number = Operand::Memory(MemoryOperand { space, access: Access::B32, address });
            self.push(plain(operation, to(THREAD), &[number]));
            return;
        }
        // The thread's output, by the number of its block and of itself.
        self.push(plain(MOVE, to(OUT), &[shared(Access::U16, 2)]));
        self.push(plain(MOVE, to(SCRATCH), &[shared(Access::U16, 12)]));
        self.push(plain(MULTIPLY, to(OUT), &[word(OUT), word(SCRATCH)]));
        self.push(plain(ADD, to(OUT), &[word(OUT), word(0)]));
        self.push(plain(Operation::ShiftLeft(Width::Word), to(OUT), &[word(OUT), Operand::Immediate(6)]));
        for (register, offset) in [(SCRATCH, 16), (INPUT, 20), (COMMON, 24)] {
            self.push(plain(MOVE, to(register), &[shared(Access::B32, offset)]));
        }
        self.push(plain(ADD, to(OUT), &[word(OUT), word(SCRATCH)]));
        self.push(plain(MOVE, to(THREAD), &[word(0)]));
    }

    /// Puts out what the thread's registers hold; those of fragments are results as they are.
    fn finish(&mut self) {
        match self.kind {
            ProgramKind::Fragment => {}
            ProgramKind::Vertex => {
                for register in 0..FREE_REGISTERS {
                    let offset = u16::from(register) * 4;
                    self.push(plain(MOVE, Destination::Output { offset, width: Width::Word }, &[word(register)]));
                }
            }
            _ => {
                self.push(plain(MOVE, to(SCRATCH), &[Operand::Immediate(16)]));
                for register in (0..FREE_REGISTERS).step_by(4) {
                    let memory = Destination::Memory(global(Access::B128, OUT));
                    let quad = Operand::Register(Register::Quad(register));
                    self.push(plain(Operation::Store { unlocks: false }, memory, &[quad]));
                    self.push(plain(ADD, to(OUT), &[word(OUT), word(SCRATCH)]));
                }
            }
        }
    }

    fn program(mut self) -> Vec<u32> {
        self.begin();
        self.push(plain(MOVE, to(SCRATCH), &[Operand::Immediate(31)]));
        self.push(plain(AND, to(THREAD), &[word(THREAD), word(SCRATCH)]));
        for register in 1..FREE_REGISTERS {
            let value = Operand::Immediate(self.random.word());
            self.push(plain(MOVE, to(register), &[value]));
            self.push(plain(ADD, to(register), &[word(register), word(THREAD)]));
        }
        let items = self.random.below(3);
        self.body(items);
        self.branch();
        if self.random.flag() {
            if self.kind == ProgramKind::Compute {
                self.barrier();
            }
            let items = 1 + self.random.below(4);
            self.body(items);
        }
        self.finish();
        let exit = Instruction { exits: true, ..self.nothing() };
        self.push(exit);
        for label in self.functions.clone() {
            self.place(label);
            self.depth = 2;
            let items = 1 + self.random.below(3);
            self.body(items);
            self.push(plain(Operation::Return, Destination::None, &[]));
        }
        self.words()
    }

    fn words(&self) -> Vec<u32> {
        let mut words = Vec::new();
        for (number, instruction) in (0..).zip(&self.instructions) {
            let mut instruction = instruction.clone();
            instruction.address = number * STEP;
            for source in &mut instruction.sources {
                if let Operand::CodeAddress(label) = &mut source.operand {
                    *label = self.labels[*label as usize] * STEP;
                }
            }
            let word = encoded(&instruction, self.kind).unwrap_or_else(|| panic!("no form holds {instruction:?}"));
            words.extend([word & 0xffff_ffff, word >> 32].map(|half| u32::try_from(half).unwrap()));
        }
        words
    }
}

/// The words of an instruction in a form of two words.
fn encoded(instruction: &Instruction, kind: ProgramKind) -> Option<u64> {
    [TeslaForm::Long, TeslaForm::Control, TeslaForm::Immediate].into_iter().find_map(|form| {
        let (instruction, generation) = (instruction.clone(), TeslaGeneration::Sm10);
        TeslaInstruction { instruction, form, generation, unknown: 0, ignored: 0 }.encode(kind).ok()
    })
}

/// The program, launch and memory of a seed.
pub(crate) fn case(seed: u64) -> PreparedLaunch {
    grid_case(Random::new(seed), Random::new(seed ^ 0x5eed))
}

/// Those of an input: a kernel, or a program of vertices or fragments.
pub(crate) fn case_of_input(input: &[u8]) -> PreparedLaunch {
    let [kind, ref input @ ..] = *input else { return case(0) };
    let (state, program) = input.split_at(input.len() / 4);
    let [program, state] = [program, state].map(Random::of_input);
    match kind % 4 {
        0 => graphics_case_of(ProgramKind::Vertex, kind & 4 != 0, program, state),
        1 => graphics_case_of(ProgramKind::Fragment, kind & 4 != 0, program, state),
        _ => grid_case(program, state),
    }
}

/// The kernel that one generator makes, with the launch and memory of another.
fn grid_case(program: Random, mut random: Random) -> PreparedLaunch {
    let words = Builder::new(ProgramKind::Compute, program).program();
    let threads = [32, 40, 70, 96][random.below(4) as usize];
    let blocks = 1 + random.below(4);
    let (memory, [out, input, common]) = memory(&mut random, blocks * threads);
    let launch = Launch {
        threads: LaunchThreads::Grid,
        stage: stage(&words, ProgramKind::Compute, 64, &mut random),
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        grid_id: 7,
        shared_bytes: 0x180,
        parameters: [out, input, common].iter().flat_map(|address| address.to_le_bytes()).collect(),
        globals: BTreeMap::from([(14, GlobalSpace::WHOLE), (PART, GlobalSpace { start: input, last: 0x3ff })]),
        stack_entries: STACK_ENTRIES,
        textures: Default::default(),
    };
    PreparedLaunch { launch, limits: LaunchLimits::G200, memory }
}

/// A program of a kind with random constants.
fn stage(words: &[u32], kind: ProgramKind, local_bytes: u32, random: &mut Random) -> SimtStage {
    SimtStage {
        program: Arc::new(SimtProgram::decode_kind(words, kind)),
        generation: TeslaGeneration::Gt215,
        registers: REGISTERS,
        local_bytes,
        constants: Arc::new(constants(random)),
    }
}

/// The same for vertices or fragments.
pub(crate) fn graphics_case(seed: u64) -> PreparedLaunch {
    let kind = if seed.is_multiple_of(3) { ProgramKind::Vertex } else { ProgramKind::Fragment };
    graphics_case_of(kind, seed.is_multiple_of(2), Random::new(seed), Random::new(seed ^ 0x5eed))
}

/// A program of vertices or fragments, whose inputs are values or planes.
fn graphics_case_of(kind: ProgramKind, has_values: bool, program: Random, mut random: Random) -> PreparedLaunch {
    let words = Builder::new(kind, program).program();
    let quads = 1 + random.below(20);
    let count = if kind == ProgramKind::Vertex { 1 + random.below(70) } else { 4 * quads };
    // Random bits, and floats as inputs often are.
    let mut value = |thread: u32, word: u32| match word {
        0 => thread,
        _ if random.flag() => random.word(),
        _ => (f32::from(u16::try_from(random.below(2001)).unwrap()) / 8.0 - 125.0).to_bits(),
    };
    let mut values = |count: u32| -> Vec<u32> {
        let words = (0..count).flat_map(|thread| (0..INPUT_WORDS).map(move |word| (thread, word)));
        words.map(|(thread, word)| value(thread, word)).collect()
    };
    let threads = match kind {
        ProgramKind::Vertex => LaunchThreads::Vertices(Vertices {
            count,
            attribute_words: INPUT_WORDS,
            attributes: values(count),
            output_words: OUTPUT_WORDS,
        }),
        _ => {
            let primitives = quads.div_ceil(2);
            let interpolants = if has_values {
                Interpolants::Values(values(count))
            } else {
                let [origin, dx, dy, flat] = [0; 4].map(|_| values(primitives));
                let planes =
                    (0..origin.len()).map(|at| Plane { origin: origin[at], dx: dx[at], dy: dy[at], flat: flat[at] });
                Interpolants::Planes(planes.collect())
            };
            let mut quad = |number: u32| FragmentQuad {
                covered: u8::try_from(1 + random.below(15)).unwrap(),
                pixel: [0; 2].map(|_| i16::try_from(random.below(4096)).unwrap() - 2048),
                primitive: number / 2,
                centroids: [[0; 2]; 4].map(|_| [0; 2].map(|_| u8::try_from(random.below(16)).unwrap())),
                sample: u8::try_from(random.below(8)).unwrap(),
            };
            let quads = (0..quads).map(&mut quad).collect();
            let results = FREE_REGISTERS.into();
            LaunchThreads::Fragments(Fragments { quads, interpolant_words: INPUT_WORDS, interpolants, results })
        }
    };
    let launch = stage(&words, kind, 512, &mut random).launch(threads, LaunchTextures::default());
    PreparedLaunch { launch, limits: LaunchLimits::G200, memory: LaunchMemory::default() }
}

fn bytes(random: &mut Random, count: u32) -> Vec<u8> {
    (0..count).flat_map(|_| random.word().to_le_bytes()).collect()
}

/// The memory of a launch with the addresses of the threads' own words, of inputs and of common words.
fn memory(random: &mut Random, threads: u32) -> (LaunchMemory, [u32; 3]) {
    let mut memory = LaunchMemory::default();
    let out = memory.allocate("out", vec![0; (threads * OUTPUT_WORDS * 4) as usize]).unwrap();
    let input = memory.allocate("input", bytes(random, 256)).unwrap();
    let common = memory.allocate("common", bytes(random, 16)).unwrap();
    (memory, [out, input, common])
}

fn constants(random: &mut Random) -> BTreeMap<u8, Vec<u8>> {
    BTreeMap::from([(0, bytes(random, 64)), (1, bytes(random, 20))])
}
