//! Turns the statements of a kernel into basic blocks of the machine's instructions over virtual registers.
//!
//! Values of 64 bits are two words. Values of 8 and 16 bits are in words whose upper bits have no meaning: operations
//! that depend on them extend the value first. Predicates are condition registers whose sign flag tells the truth, or
//! words whose bit 1 does. Operations of several instructions compute intermediate values whatever the guard, and write
//! the result under it.

mod builder;
mod compare;
mod convert;
mod divide;
mod float;
mod integer;
mod memory;
mod operands;
mod routine_places;
mod routines;
mod texture;
mod wide;
mod wide_convert;

use std::collections::BTreeMap;

use super::ast::{Function, Instruction, Module, Operand, Statement};
use super::ir::{Destination, Guard, Lifetime, Operand as IrOperand, Program, Slice, Source, Terminator};
use super::layout::Layout;
use super::opcodes::Opcode;
use crate::cursor::{Parsed, shortened};
use crate::diagnostic::Diagnostic;
use crate::isa::tesla::TeslaGeneration;
use crate::shader::simt::{BarrierThreads, Operation};
use builder::{Builder, Word};
use routine_places::{Placed, Routine};

/// Most instructions of a kernel.
const MAX_INSTRUCTIONS: usize = 1 << 17;

/// Where a register of the text is kept.
#[derive(Debug, Clone, Copy)]
enum Home {
    /// In a virtual register of one or two words.
    Register(u32),
    /// In a virtual condition register.
    Condition(u32),
}

/// A kernel while it is lowered.
#[derive(Debug)]
struct Lowering<'a> {
    module: &'a Module,
    layout: &'a Layout,
    generation: TeslaGeneration,
    builder: Builder,
    /// The registers of the function that is lowered.
    homes: Vec<Home>,
    /// Where the registers of the module are kept that functions so far named.
    module_homes: BTreeMap<usize, Home>,
    /// How often the function writes each of these registers.
    writes: Vec<u32>,
    /// The types of these registers.
    types: &'a [super::types::Type],
    /// The blocks of the function's labels.
    labels: Vec<usize>,
    /// The functions whose calls the current one is in.
    callers: Vec<usize>,
    /// Where the function continues when it returns.
    end: usize,
    /// The condition register of carries.
    carry: u32,
    /// The register with the thread's coordinates.
    thread: u32,
    /// The routines that the kernel calls.
    routines: BTreeMap<Routine, Placed>,
}

/// Lowers a kernel.
///
/// # Errors
/// A statement that has no instructions on the target.
pub(super) fn lower(module: &Module, function: &Function, layout: &Layout) -> Parsed<Program> {
    let mut builder = Builder::new();
    let end = builder.block();
    let carry = builder.program.condition(Lifetime::Kernel);
    let thread = builder.program.register(1, Lifetime::Kernel);
    builder.program.registers[thread as usize].fixed = Some(0);
    let mut lowering = Lowering {
        module,
        layout,
        generation: module.generation,
        builder,
        homes: Vec::new(),
        module_homes: BTreeMap::new(),
        writes: Vec::new(),
        types: &[],
        labels: Vec::new(),
        callers: Vec::new(),
        end,
        carry,
        thread,
        routines: BTreeMap::new(),
    };
    lowering.function(function, &[])?;
    lowering.builder.end_block(Terminator::Jump(end), end);
    Ok(lowering.builder.program)
}

impl<'a> Lowering<'a> {
    /// Lowers the body of a function with its arguments; it returns to `self.end`.
    fn function(&mut self, function: &'a Function, passed: &[Passed]) -> Parsed<()> {
        self.types = &function.registers;
        self.homes = function
            .registers
            .iter()
            .map(|of| match of.is_predicate() {
                true => Home::Condition(self.builder.program.condition(Lifetime::Kernel)),
                false => Home::Register(self.builder.program.register(of.words(), Lifetime::Kernel)),
            })
            .collect();
        for (shared, register) in &function.shared {
            // Functions that name a register of the module have the same one.
            self.homes[*register] = *self.module_homes.entry(*shared).or_insert(self.homes[*register]);
        }
        self.writes = writes_of(function);
        self.labels = (0..function.labels).map(|_| self.builder.block()).collect();
        for (register, passed) in function.arguments.iter().zip(passed) {
            match passed {
                Passed::Value(words) => self.builder.finish(&self.slices(*register), words),
                Passed::Predicate(word) => self.write_condition(self.condition(*register), *word),
            }
        }
        for statement in &function.body {
            match statement {
                Statement::Label(label) => {
                    let block = self.labels[*label];
                    self.builder.end_block(Terminator::Jump(block), block);
                }
                Statement::Instruction(instruction) => {
                    self.builder.span = instruction.span.clone();
                    self.builder.first_temporary = self.builder.program.registers.len();
                    self.builder.guard = instruction
                        .guard
                        .map(|guard| Guard { condition: self.condition(guard.register), is_negated: guard.is_negated });
                    self.instruction(instruction)?;
                    let program = &self.builder.program;
                    if program.registers.len() + program.blocks.len() > MAX_INSTRUCTIONS {
                        return Err(Diagnostic::new(instruction.span.clone(), "the kernel has too many instructions")
                            .note(format!(
                                "limit: {MAX_INSTRUCTIONS} values and branches, those of called functions included"
                            )));
                    }
                }
            }
        }
        Ok(())
    }

    /// The condition register of a predicate.
    fn condition(&self, register: usize) -> u32 {
        match self.homes[register] {
            Home::Condition(condition) => condition,
            // The types of operands were checked.
            Home::Register(_) => 0,
        }
    }

    /// The words of a register.
    fn slices(&self, register: usize) -> Vec<Slice> {
        match self.homes[register] {
            Home::Register(home) => (0..self.types[register].words()).map(|part| Slice::word(home, part)).collect(),
            Home::Condition(_) => Vec::new(),
        }
    }

    fn instruction(&mut self, instruction: &'a Instruction) -> Parsed<()> {
        match instruction.opcode {
            Opcode::Branch | Opcode::Exit | Opcode::Call => return self.flow(instruction),
            Opcode::Barrier => self.barrier(instruction),
            // Accesses of a thread are executed in order. Unverified: what compilers of the time wrote for it.
            Opcode::Fence => {}
            Opcode::Trap => {
                self.under_branch(|lowering| lowering.builder.push(Operation::Trap, Destination::None, &[]));
            }
            Opcode::Breakpoint => self.builder.push_guarded(Operation::Breakpoint, Destination::None, &[]),
            Opcode::PerformanceEvent => {
                let Some(Operand::Constant(number)) = instruction.operands.first() else { return Ok(()) };
                let number = Source::of(IrOperand::Immediate(u32::try_from(*number).unwrap_or(0)));
                self.builder.push_guarded(Operation::PerformanceEvent, Destination::None, &[number]);
            }
            Opcode::Load | Opcode::Store | Opcode::Atomic | Opcode::Reduce => self.memory(instruction)?,
            Opcode::Texture => self.texture(instruction),
            Opcode::Set | Opcode::SetPredicate | Opcode::SelectByPredicate | Opcode::SelectBySign => {
                self.comparison(instruction);
            }
            Opcode::Convert => self.convert(instruction)?,
            _ => self.arithmetic(instruction)?,
        }
        Ok(())
    }

    fn arithmetic(&mut self, instruction: &Instruction) -> Parsed<()> {
        let of = instruction.types[0];
        if of.is_predicate() {
            self.predicate_logic(instruction);
        } else if of.is_float() && instruction.opcode != Opcode::Move {
            self.float(instruction);
        } else if of.bits == 64 && !of.is_float() {
            self.wide(instruction)?;
        } else {
            self.integer(instruction);
        }
        Ok(())
    }

    /// Lowers what cannot have a guard, behind a branch if there is one.
    fn under_branch(&mut self, body: impl FnOnce(&mut Self)) {
        let Some(guard) = self.builder.guard else { return body(self) };
        let (inside, behind) = (self.builder.block(), self.builder.block());
        let branch = Terminator::Branch { guard, taken: inside, otherwise: behind, is_uniform: false };
        self.builder.end_block(branch, inside);
        body(self);
        self.builder.end_block(Terminator::Jump(behind), behind);
    }

    fn barrier(&mut self, instruction: &Instruction) {
        let number = match instruction.operands.first() {
            Some(Operand::Constant(number)) => u32::try_from(*number).unwrap_or(0),
            _ => 0,
        };
        // The count that compilers of the time write for all threads.
        const ALL_THREADS: u32 = 0xfff;
        let operation = Operation::Barrier { arrives: true, waits: true, threads: BarrierThreads::Count };
        let sources = [number, ALL_THREADS].map(|value| Source::of(IrOperand::Immediate(value)));
        self.under_branch(|lowering| lowering.builder.push(operation, Destination::None, &sources));
    }

    fn flow(&mut self, instruction: &'a Instruction) -> Parsed<()> {
        let target = match (instruction.opcode, instruction.operands.first()) {
            (Opcode::Call, Some(Operand::Call { function, results, arguments })) => {
                return self.call(*function, results, arguments);
            }
            (Opcode::Branch, Some(Operand::Label(label))) => self.labels[*label],
            _ => self.end,
        };
        let next = self.builder.block();
        let is_uniform = instruction.modifiers.has(super::opcodes::Modifier::Uniform);
        let terminator = match self.builder.guard {
            None => Terminator::Jump(target),
            Some(guard) => Terminator::Branch { guard, taken: target, otherwise: next, is_uniform },
        };
        self.builder.end_block(terminator, next);
        Ok(())
    }

    /// Puts the body of a function in the place of its call.
    fn call(&mut self, function: usize, results: &[usize], arguments: &[Operand]) -> Parsed<()> {
        let module: &'a Module = self.module;
        let callee = &module.functions[function];
        let error = |what: &str| {
            let name = shortened(&callee.name);
            Err(Diagnostic::new(self.builder.span.clone(), format!("the function `{name}` {what}")))
        };
        if !callee.has_body {
            return error("has no body");
        }
        if self.callers.contains(&function) {
            return error("calls itself");
        }
        self.callers.push(function);
        let (body, behind) = (self.builder.block(), self.builder.block());
        let enter = match self.builder.guard.take() {
            None => Terminator::Jump(body),
            Some(guard) => Terminator::Branch { guard, taken: body, otherwise: behind, is_uniform: false },
        };
        self.builder.end_block(enter, body);
        let passed: Vec<Passed> = callee
            .arguments
            .iter()
            .zip(arguments)
            .map(|(register, argument)| match argument {
                Operand::Predicate(used) => Passed::Predicate(self.predicate_word(*used)),
                value => Passed::Value(self.value(value, callee.registers[*register])),
            })
            .collect();
        let (types, end) = (self.types, std::mem::replace(&mut self.end, self.builder.block()));
        let (homes, writes) = (std::mem::take(&mut self.homes), std::mem::take(&mut self.writes));
        let labels = std::mem::take(&mut self.labels);
        let span = self.builder.span.clone();
        self.function(callee, &passed)?;
        self.callers.pop();
        self.builder.span = span;
        self.builder.guard = None;
        let end = std::mem::replace(&mut self.end, end);
        self.builder.end_block(Terminator::Jump(end), end);
        let returned: Vec<(Home, Vec<Slice>)> =
            callee.results.iter().map(|register| (self.homes[*register], self.slices(*register))).collect();
        (self.homes, self.writes, self.labels, self.types) = (homes, writes, labels, types);
        self.builder.first_temporary = self.builder.program.registers.len();
        for (register, (home, from)) in results.iter().zip(returned) {
            match home {
                Home::Register(_) => {
                    let words: Vec<_> = from.into_iter().map(Word::Register).collect();
                    self.builder.finish(&self.slices(*register), &words);
                }
                Home::Condition(from) => {
                    let word = self.condition_word(from);
                    self.write_condition(self.condition(*register), word);
                }
            }
        }
        self.builder.end_block(Terminator::Jump(behind), behind);
        Ok(())
    }
}

/// How often a function writes each of its registers. Those that it shares with other functions count as written often.
fn writes_of(function: &Function) -> Vec<u32> {
    let mut writes = vec![0; function.registers.len()];
    let mut add = |operand: &Operand| {
        if let Operand::Register(register) = operand {
            writes[*register] += 1;
        }
    };
    for statement in &function.body {
        let Statement::Instruction(instruction) = statement else { continue };
        match instruction.operands.first() {
            Some(Operand::Vector(elements)) => elements.iter().for_each(&mut add),
            Some(Operand::Call { results, .. }) => results.iter().for_each(|result| add(&Operand::Register(*result))),
            Some(operand) => add(operand),
            None => {}
        }
    }
    for register in function.arguments.iter().chain(function.shared.iter().map(|(_, register)| register)) {
        writes[*register] += 2;
    }
    writes
}

/// An argument.
#[derive(Debug)]
enum Passed {
    Value(builder::Value),
    Predicate(Word),
}
