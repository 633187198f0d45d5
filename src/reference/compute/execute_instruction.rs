//! Executes one instruction of a warp.

use super::access_memory::{load, store};
use super::barriers::Barriers;
use super::block::BlockContext;
use super::interpolate::interpolate;
use super::operands::{advance_addresses, modify_float, registers, value, write, write_condition};
use super::operate::{Results, Wanted, operate};
use super::predicates::holding;
use super::sample_texture::execute_texture;
use super::update_memory::update;
use super::warp::{Lanes, Warp, ZEROS, lanes_of};
use crate::arith::tesla::{Flags, Rounding, float};
use crate::pipeline::launch::{
    CLUSTER_MULTIPROCESSORS, CLUSTERS, FaultKind, ISSUE_CLOCKS, LaunchError, LaunchThreads, TraceStep, VERTEX_STRIDE,
    WARP_THREADS, Written,
};
use crate::shader::simt::{
    BarrierThreads, CodeError, Destination, Instruction, Operand, Operation, ProgramInstruction, ProgramKind, QuadLane,
    QuadStep, QuadSteps, Register, SpecialRegister, TextureFetch, VoteMode,
};

/// Executes the next instruction of the warp of this number. What cannot go on ends the warp.
///
/// # Errors
/// When the instruction ends the launch.
pub(super) fn execute_instruction(
    warps: &mut [Warp],
    number: usize,
    barriers: &mut Barriers,
    context: &mut BlockContext<'_>,
    observer: Option<&mut (dyn FnMut(TraceStep) + '_)>,
) -> Result<(), LaunchError> {
    let (launch, warp) = (context.launch, &mut warps[number]);
    let program = &*launch.stage.program;
    let (at, active) = (warp.pc, warp.active);
    let (index, found) = match fetch(context, at) {
        Ok(found) => found,
        Err(fault) => {
            context.fault(at, fault, warp, active, None);
            warp.end();
            return Ok(());
        }
    };
    let instruction = &found.instruction;
    let threads = holding(warp, instruction.predicate);
    context.records.count(index, threads);
    context.instructions += 1;
    warp.pc = found.next;
    match instruction.operation {
        Operation::Trap if threads != 0 => {
            let thread = warp.thread(threads.trailing_zeros());
            return Err(LaunchError::Trap { instruction: at, place: launch.place(context.block, thread) });
        }
        Operation::Barrier { arrives, waits, threads: count } => {
            if !warp.is_converged() {
                context.fault(at, FaultKind::DivergentBarrier, warp, active, None);
            }
            let numbers = [0, 1].map(|source| instruction.immediate(source));
            let count = if count == BarrierThreads::All { None } else { Some(numbers[1]) };
            let barrier = u8::try_from(numbers[0]).unwrap_or(u8::MAX);
            barriers.reach((barrier, at), count, (arrives, waits), (number, warps));
        }
        _ => {
            let done = if instruction.operation.changes_flow() {
                control(context, warp, instruction, threads)
            } else {
                compute(context, warp, instruction, threads);
                Ok(())
            };
            if let Err(fault) = done {
                context.fault(at, fault, warp, active, None);
                warp.end();
                return Ok(());
            }
        }
    }
    let warp = &mut warps[number];
    if let Some(observer) = observer {
        let executing = if matches!(instruction.operation, Operation::Vote(_)) { active } else { threads };
        let written = written(warp, instruction);
        let accesses = context.accesses.as_mut().map(std::mem::take).unwrap_or_default();
        let (block, stack_entries) = (context.block, warp.stack_entries());
        let number = warp.number;
        observer(TraceStep {
            block,
            warp: number,
            instruction: index,
            active,
            executing,
            stack_entries,
            accesses,
            written,
        });
    }
    if instruction.exits {
        warp.exit(warp.active, program);
    }
    if instruction.joins && warp.active != 0 {
        warp.join(program);
    }
    Ok(())
}

/// The instruction at an address that the processor of the launch can execute.
fn fetch<'run>(context: &BlockContext<'run>, at: u32) -> Result<(usize, &'run ProgramInstruction), FaultKind> {
    let program = &*context.launch.stage.program;
    let index = program.at(at).map_err(|error| match error {
        CodeError::Outside => FaultKind::OutsideCode,
        CodeError::Invalid => FaultKind::InvalidInstruction,
    })?;
    let found = &program.instructions()[index];
    let has_it = context.launch.stage.generation.executes(found.generation);
    if has_it { Ok((index, found)) } else { Err(FaultKind::InvalidInstruction) }
}

/// Executes an operation of control flow.
// Unverified: limited calls have no limit, as Mesa's driver sets it.
fn control(
    context: &mut BlockContext<'_>,
    warp: &mut Warp,
    instruction: &Instruction,
    threads: u32,
) -> Result<(), FaultKind> {
    let program = &*context.launch.stage.program;
    let target = instruction.target().unwrap_or(instruction.address);
    match instruction.operation {
        Operation::Branch => {
            let diverges = warp.branch(threads, target)?;
            context.records.count_divergence(diverges);
        }
        Operation::Call { .. } => warp.call(target, warp.pc)?,
        Operation::Return => warp.ret(threads, program),
        Operation::PushReturn { .. } => warp.push_return(target)?,
        Operation::PushBreak => warp.push_break(target)?,
        Operation::Break => {
            let is_in_loop = warp.break_loop(threads, program);
            if !is_in_loop && threads != 0 {
                context.fault(instruction.address, FaultKind::BreakOutsideLoop, warp, threads, None);
            }
        }
        Operation::Discard => warp.discard(threads, program),
        Operation::PushJoin => warp.push_join(target)?,
        Operation::EnterQuads => warp.enter_quads()?,
        Operation::LeaveQuads => warp.leave_quads()?,
        _ => {}
    }
    Ok(())
}

/// Executes an operation on registers and memory.
fn compute(context: &mut BlockContext<'_>, warp: &mut Warp, instruction: &Instruction, threads: u32) {
    let at = instruction.address;
    match instruction.operation {
        Operation::Nothing | Operation::PerformanceEvent | Operation::Breakpoint | Operation::Trap => {}
        Operation::Load { lanes } => {
            let threads = threads & quad_lanes(lanes);
            if let Some(memory) = instruction.memory_source() {
                let words = load(context, warp, at, &memory, threads);
                write(context, warp, instruction, &words[..memory.words()], threads);
            }
        }
        Operation::Store { unlocks: false } => {
            if let Destination::Memory(memory) = instruction.destination {
                let words = register_source(warp, instruction, 0);
                store(context, warp, at, &memory, threads, &words);
            }
        }
        Operation::Reduce { operation, element } => {
            if let Destination::Memory(memory) = instruction.destination {
                let values = [register_source(warp, instruction, 0), [ZEROS; 4]];
                update(context, warp, at, &memory, threads, (operation, element), &values);
            }
        }
        Operation::Atomic { operation, element } => {
            if let Some(memory) = instruction.memory_source() {
                let values = [1, 2].map(|source| register_source(warp, instruction, source));
                let before = update(context, warp, at, &memory, threads, (operation, element), &values);
                write(context, warp, instruction, &before[..memory.words()], threads);
            }
        }
        Operation::ReadCondition | Operation::ReadAddress | Operation::WriteCondition => {
            let words = first_value(context, warp, instruction, threads);
            write(context, warp, instruction, &[words], threads);
        }
        Operation::ReadSpecial(register) => {
            let words = special_register(context, warp, register);
            write(context, warp, instruction, &[words], threads);
        }
        Operation::ShiftIntoAddress => {
            let count = instruction.immediate(1) & 15;
            let words = first_value(context, warp, instruction, threads).map(|word| word << count);
            write(context, warp, instruction, &[words], threads);
        }
        Operation::AddAddress => {
            let offset = instruction.immediate(1);
            let words = first_value(context, warp, instruction, threads).map(|word| word.wrapping_add(offset));
            write(context, warp, instruction, &[words], threads);
        }
        Operation::Emit => each_thread(warp, threads, |thread| context.emit(thread)),
        Operation::RestartStrip => each_thread(warp, threads, |thread| context.restart_strip(thread)),
        Operation::Vote(mode) => vote(warp, instruction, mode, threads),
        Operation::Quad { lane, steps } => {
            let [a, b] = [0, 1].map(|source| register_source(warp, instruction, source)[0]);
            let has_neighbors = context.launch.stage.program.kind() == ProgramKind::Fragment;
            let values = combine_quads((lane, steps), has_neighbors, &a, &b, threads);
            write(context, warp, instruction, &[values], threads);
            if let Some(condition) = instruction.condition_write {
                write_condition(warp, condition, threads, |lane| float::float_flags(values[lane]));
            }
        }
        Operation::Interpolate(mode) => interpolate(context, warp, instruction, mode, threads),
        _ => match TextureFetch::of(instruction) {
            Some(fetch) => execute_texture(context, warp, instruction, &fetch, threads),
            None => arithmetic(context, warp, instruction, threads),
        },
    }
    advance_addresses(warp, instruction, threads);
}

/// Calls a function with the numbers in the block of these threads of a warp.
#[expect(clippy::cast_possible_truncation, reason = "there are 32 lanes")]
fn each_thread(warp: &Warp, threads: u32, visit: impl FnMut(u32)) {
    lanes_of(threads).map(|lane| warp.thread(lane as u32)).for_each(visit);
}

/// The lanes of a warp whose place in the quad is in a mask of four bits.
fn quad_lanes(lanes: u8) -> u32 {
    u32::from(lanes & 15) * 0x1111_1111
}

/// The registers of a source.
fn register_source(warp: &Warp, instruction: &Instruction, source: usize) -> [Lanes; 4] {
    match instruction.sources.get(source).map(|source| source.operand) {
        Some(Operand::Register(register)) => registers(warp, register),
        _ => [ZEROS; 4],
    }
}

fn first_value(context: &mut BlockContext<'_>, warp: &Warp, instruction: &Instruction, threads: u32) -> Lanes {
    let Some(source) = instruction.sources.first() else { return ZEROS };
    value(context, warp, instruction.address, source, threads)
}

/// Whether the modifiers of sources change the sign bits of floats.
const fn has_float_sources(operation: Operation) -> bool {
    !matches!(operation, Operation::Convert(_) | Operation::Logic { .. })
}

/// Executes an operation whose results depend on the operands of one lane only.
fn arithmetic(context: &mut BlockContext<'_>, warp: &mut Warp, instruction: &Instruction, threads: u32) {
    let (at, operation) = (instruction.address, instruction.operation);
    let threads = if let Operation::Move { lanes, .. } = operation { threads & quad_lanes(lanes) } else { threads };
    let mut sources = [ZEROS; 3];
    let mut carry = [0; WARP_THREADS as usize];
    for (place, source) in instruction.sources.iter().enumerate() {
        if let Operand::Condition(number) = source.operand {
            carry = warp.conditions[usize::from(number) & 3];
        } else if let Some(operand) = sources.get_mut(place) {
            let value = value(context, warp, at, source, threads);
            *operand = if has_float_sources(operation) { modify_float(value, source) } else { value };
        }
    }
    if operation.multiplies_singles() && context.launch.stage.program.zero_wins() {
        for lane in lanes_of(threads) {
            [sources[0][lane], sources[1][lane]] = float::zero_factors(sources[0][lane], sources[1][lane]);
        }
    }
    let wanted = Wanted { threads, flags: instruction.condition_write.is_some() };
    let Some(Results { values, flags }) = operate(operation, wanted, &sources, &instruction.sources, &carry) else {
        context.fault(at, FaultKind::Unsupported, warp, warp.active, None);
        write(context, warp, instruction, &[ZEROS; 4][..instruction.destination.words()], threads);
        return;
    };
    write(context, warp, instruction, &[values], threads);
    if let Some(condition) = instruction.condition_write {
        write_condition(warp, condition, threads, |lane| flags[lane]);
    }
}

/// Tells in a condition register how the predicates of the active threads turned out: the flags of −1 if true, else of 0.
// Unverified: the flags; the same as those of comparisons.
fn vote(warp: &mut Warp, instruction: &Instruction, mode: VoteMode, holding: u32) {
    let is_true = match mode {
        VoteMode::Any => holding != 0,
        VoteMode::All => holding == warp.active,
    };
    let flags = Flags::new(!is_true, is_true, false, false);
    if let Destination::Condition(number) = instruction.destination {
        write_condition(warp, number, warp.active, |_| flags);
    }
}

/// Combines the first source of a lane of each quad with the second source of each lane. Neighbors give zero in all but
/// fragment programs.
///
/// Source: envytools' `hwtest/g80_fp.cc` for compute programs; derivatives of Mesa's nv50 driver for fragment programs.
// Unverified: that neighbors give zero in vertex programs, as in compute programs.
fn combine_quads(
    (from, steps): (QuadLane, QuadSteps),
    has_neighbors: bool,
    a: &Lanes,
    b: &Lanes,
    threads: u32,
) -> Lanes {
    let mut values = ZEROS;
    for lane in lanes_of(threads) {
        let other = match from {
            QuadLane::Number(number) => lane & !3 | usize::from(number & 3),
            QuadLane::NeighborX if has_neighbors => lane ^ 1,
            QuadLane::NeighborY if has_neighbors => lane ^ 2,
            QuadLane::NeighborX | QuadLane::NeighborY => continue,
        };
        let (a, b) = (a[other], b[lane]);
        let add = |a, b| float::add(a, b, Rounding::NearestEven);
        values[lane] = match steps[lane & 3] {
            QuadStep::Add => add(a, b),
            QuadStep::SubtractReversed => add(b, float::negate(a)),
            QuadStep::Subtract => add(a, float::negate(b)),
            QuadStep::Second => b,
        };
    }
    values
}

/// A special register.
// Unverified: each block has a multiprocessor to itself, and the clock counts the issue of the block's instructions.
#[expect(clippy::cast_possible_truncation, reason = "the clock wraps, and the numbers of units are small")]
fn special_register(context: &BlockContext<'_>, warp: &Warp, register: SpecialRegister) -> Lanes {
    match register {
        SpecialRegister::PhysicalId => {
            let clusters = u64::from(CLUSTERS);
            let cluster = (context.block % clusters) as u32;
            let multiprocessor = (context.block / clusters % u64::from(CLUSTER_MULTIPROCESSORS)) as u32;
            std::array::from_fn(|lane| lane as u32 | warp.number << 8 | multiprocessor << 16 | cluster << 20)
        }
        SpecialRegister::Clock => [(context.instructions as u32).wrapping_mul(ISSUE_CLOCKS); WARP_THREADS as usize],
        SpecialRegister::VertexStride if context.launch.stage.program.kind() == ProgramKind::Geometry => {
            [VERTEX_STRIDE; WARP_THREADS as usize]
        }
        SpecialRegister::SampleId => match &context.launch.threads {
            LaunchThreads::Fragments(fragments) => std::array::from_fn(|lane| {
                fragments.sample(context.launch.element(context.block, warp.thread(lane as u32)))
            }),
            _ => ZEROS,
        },
        SpecialRegister::VertexStride | SpecialRegister::PerformanceCounter(_) | SpecialRegister::Unknown(_) => ZEROS,
    }
}

/// The registers that an instruction has written.
fn written(warp: &Warp, instruction: &Instruction) -> Vec<(Written, [u32; WARP_THREADS as usize])> {
    let mut found = Vec::new();
    let condition = match instruction.destination {
        Destination::Register(Register::Half { number, .. }) => {
            found.push((Written::Register(number), warp.register(number)));
            instruction.condition_write
        }
        Destination::Register(Register::Word(first) | Register::Double(first) | Register::Quad(first))
        | Destination::Texture { first, .. } => {
            let registers = (first..).take(instruction.destination.words());
            found.extend(registers.map(|number| (Written::Register(number), warp.register(number))));
            instruction.condition_write
        }
        Destination::Address(number @ 1..=4) => {
            found.push((Written::Address(number), warp.addresses[usize::from(number) - 1].map(u32::from)));
            instruction.condition_write
        }
        Destination::Condition(number) => Some(number),
        _ => instruction.condition_write,
    };
    if let Some(number) = condition {
        found.push((Written::Condition(number), warp.conditions[usize::from(number) & 3].map(u32::from)));
    }
    found
}
