//! Small programs for tests: instructions as values, encoded to words and decoded again by the launch.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::run_launch;
use crate::isa::tesla::{TeslaForm, TeslaGeneration, TeslaInstruction};
use crate::pipeline::SimtStage;
use crate::pipeline::launch::{
    GlobalSpace, Launch, LaunchError, LaunchLimits, LaunchMemory, LaunchOptions, LaunchReport, LaunchThreads,
    STACK_ENTRIES, TraceStep,
};
use crate::shader::simt::{
    Access, Address, Condition, Destination, Instruction, IntegerSum, IntegerType, MemoryOperand, Operand, Operation,
    Predicate, ProgramKind, Register, Relations, SimtProgram, Source, Space, Width,
};

/// The bytes of each instruction of these programs.
pub(super) const STEP: u32 = 8;

pub(super) fn word(number: u8) -> Operand {
    Operand::Register(Register::Word(number))
}

pub(super) fn half(number: u8, is_high: bool) -> Operand {
    Operand::Register(Register::Half { number, is_high })
}

pub(super) fn to(number: u8) -> Destination {
    Destination::Register(Register::Word(number))
}

/// Memory at an address register plus an offset.
pub(super) fn memory(space: Space, access: Access, base: u8, offset: u32) -> MemoryOperand {
    MemoryOperand { space, access, address: Address::Offset { base, offset } }
}

/// A word of shared memory.
pub(super) fn shared(offset: u32) -> Operand {
    Operand::Memory(memory(Space::Shared, Access::B32, 0, offset))
}

/// Global memory at a register.
pub(super) fn global(access: Access, register: u8) -> MemoryOperand {
    MemoryOperand { space: Space::Global(14), access, address: Address::Register(register) }
}

/// An instruction that all active threads execute.
pub(super) fn op(operation: Operation, destination: Destination, sources: &[Operand]) -> Instruction {
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

pub(super) fn mov(register: u8, source: Operand) -> Instruction {
    op(Operation::Move { width: Width::Word, lanes: 15, uses_sfu: false }, to(register), &[source])
}

pub(super) fn add(register: u8, a: Operand, b: Operand) -> Instruction {
    let operation = Operation::AddInteger { sum: IntegerSum::Add, width: Width::Word, saturates: false };
    op(operation, to(register), &[a, b])
}

pub(super) fn load(register: u8, memory: MemoryOperand) -> Instruction {
    op(Operation::Load { lanes: 15 }, to(register), &[Operand::Memory(memory)])
}

pub(super) fn store(memory: MemoryOperand, source: Operand) -> Instruction {
    op(Operation::Store { unlocks: false }, Destination::Memory(memory), &[source])
}

/// Shifts a word left by a constant.
pub(super) fn shift_left(register: u8, source: u8, count: u32) -> Instruction {
    op(Operation::ShiftLeft(Width::Word), to(register), &[word(source), Operand::Immediate(count)])
}

/// The flags of a − b in a condition register.
pub(super) fn compare(condition: u8, a: Operand, b: Operand) -> Instruction {
    let operation = Operation::AddInteger { sum: IntegerSum::Subtract, width: Width::Word, saturates: false };
    Instruction { condition_write: Some(condition), ..op(operation, Destination::None, &[a, b]) }
}

/// An instruction of control flow to an instruction of the program by its number.
pub(super) fn flow(operation: Operation, target: u32) -> Instruction {
    op(operation, Destination::None, &[Operand::CodeAddress(target * STEP)])
}

pub(super) fn nothing() -> Instruction {
    op(Operation::Nothing, Destination::None, &[])
}

pub(super) fn exit() -> Instruction {
    Instruction { exits: true, ..nothing() }
}

pub(super) const NEVER: Relations = Relations { less: false, equal: false, greater: false, unordered: false };
pub(super) const LESS: Relations = Relations { less: true, ..NEVER };
pub(super) const EQUAL: Relations = Relations { equal: true, ..NEVER };
pub(super) const UNEQUAL: Relations = Relations { less: true, greater: true, ..NEVER };
pub(super) const GREATER_OR_EQUAL: Relations = Relations { equal: true, greater: true, ..NEVER };

pub(super) const SIGNED: IntegerType = IntegerType { width: Width::Word, is_signed: true };

/// Changes of an instruction.
pub(super) trait Modified {
    /// Executed where a condition register has one of the relations.
    fn when(self, register: u8, relations: Relations) -> Self;
    /// Pops the stack afterwards.
    fn joining(self) -> Self;
    /// Writes a condition register too.
    fn flags(self, register: u8) -> Self;
}

impl Modified for Instruction {
    fn when(self, register: u8, relations: Relations) -> Self {
        Self { predicate: Predicate::If { register, condition: Condition::Compare(relations) }, ..self }
    }

    fn joining(self) -> Self {
        Self { joins: true, ..self }
    }

    fn flags(self, register: u8) -> Self {
        Self { condition_write: Some(register), ..self }
    }
}

/// The words of a program, each instruction in a form of two words.
pub(super) fn encode(program: &[Instruction]) -> Vec<u32> {
    let mut words = Vec::new();
    for (address, instruction) in (0..).step_by(STEP as usize).zip(program) {
        let instruction = Instruction { address, ..instruction.clone() };
        let forms = [TeslaForm::Long, TeslaForm::Control, TeslaForm::Immediate];
        let word = forms.into_iter().find_map(|form| {
            let instruction = instruction.clone();
            let generation = TeslaGeneration::Sm10;
            TeslaInstruction { instruction, form, generation, unknown: 0, ignored: 0 }.encode(ProgramKind::Compute).ok()
        });
        let word = word.unwrap_or_else(|| panic!("no form holds {instruction:?}"));
        words.extend([word & 0xffff_ffff, word >> 32].map(|half| u32::try_from(half).unwrap()));
    }
    words
}

/// The register with the address of the thread's word of the output, after the first instructions of [`with_output`].
pub(super) const OUT: u8 = 15;

/// A program that begins with the address of the thread's word of the output in [`OUT`], and register 0 with the number
/// of the thread, and ends with a store of register 1 there. Numbers of instructions count from its body.
pub(super) fn with_output(body: &[Instruction]) -> Vec<Instruction> {
    let mut program = vec![mov(14, shared(0x10)), shift_left(OUT, 0, 2), add(OUT, word(OUT), word(14))];
    assert_eq!(program.len(), BODY as usize);
    let moved = body.iter().map(|instruction| {
        let mut instruction = instruction.clone();
        for source in &mut instruction.sources {
            if let Operand::CodeAddress(target) = &mut source.operand {
                *target += BODY * STEP;
            }
        }
        instruction
    });
    program.extend(moved);
    program.push(store(global(Access::B32, OUT), word(1)));
    program.push(exit());
    program
}

/// The number of the first instruction of the body of [`with_output`].
pub(super) const BODY: u32 = 3;

/// The outcome of a test's launch.
#[derive(Debug)]
pub(super) struct Run {
    /// The output, one word for each thread of the block.
    pub(super) out: Vec<u32>,
    pub(super) memory: LaunchMemory,
    pub(super) report: LaunchReport,
}

/// A launch of a program on one block, whose parameter is the address of the output.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) launch: Launch,
    pub(super) memory: LaunchMemory,
    pub(super) options: LaunchOptions,
    pub(super) steps: Vec<TraceStep>,
}

impl Test {
    pub(super) fn new(program: &[Instruction], threads: u32) -> Self {
        Self::of_words(&encode(program), threads)
    }

    pub(super) fn of_words(words: &[u32], threads: u32) -> Self {
        let mut memory = LaunchMemory::default();
        let out = memory.allocate("out", vec![0; 4 * threads as usize]).unwrap();
        let launch = Launch {
            threads: LaunchThreads::Grid,
            stage: SimtStage {
                program: Arc::new(SimtProgram::decode(words)),
                generation: TeslaGeneration::Gt215,
                registers: 16,
                local_bytes: 0,
                constants: Arc::default(),
            },
            grid: [1, 1, 1],
            block: [threads, 1, 1],
            grid_id: 0,
            shared_bytes: 0x1000,
            parameters: out.to_le_bytes().to_vec(),
            globals: BTreeMap::from([(14, GlobalSpace::WHOLE)]),
            stack_entries: STACK_ENTRIES,
            textures: Default::default(),
        };
        let options = LaunchOptions { instruction_limit: 1_000_000, finds_races: true, ..LaunchOptions::default() };
        Self { launch, memory, options, steps: Vec::new() }
    }

    pub(super) fn try_run(mut self) -> Result<Run, LaunchError> {
        let (launch, steps) = (&self.launch, &mut self.steps);
        let mut observer = |step| steps.push(step);
        let report = run_launch(launch, &LaunchLimits::G80, &mut self.memory, &self.options, &mut observer)?;
        let words = self.memory.buffers()[0].bytes.chunks(4);
        let out = words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        Ok(Run { out, memory: self.memory, report })
    }

    pub(super) fn run(self) -> Run {
        self.try_run().unwrap()
    }
}

/// Runs a body on 32 threads without faults and returns the words that it leaves in register 1.
pub(super) fn outputs(body: &[Instruction]) -> Vec<u32> {
    let run = Test::new(&with_output(body), 32).run();
    assert_eq!(run.report.faults, []);
    assert_eq!(run.report.races, []);
    run.out
}
