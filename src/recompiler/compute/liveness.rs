//! Finds the registers that are read after barriers: a warp that waits keeps only these.
//!
//! A thread has a path of its own through the basic blocks, also where its warp diverges: threads that wait on the stack
//! keep their registers until they go on. So this is the liveness of a single thread.

use super::basic_blocks::{Block, executed};
use super::kernel_key::ComputeKernelKey;
use super::resources::{Resources, Variable};
use crate::shader::simt::{Address, Destination, Instruction, MemoryOperand, Operand, Operation, Predicate, Register};

/// What a basic block does to variables.
struct Effects {
    /// Those that it may read before it writes them.
    reads: Vec<bool>,
    /// Those that it writes in any case.
    writes: Vec<bool>,
}

/// Whether each variable may be read after a barrier before it is written.
pub(super) fn read_after_barriers(
    key: &ComputeKernelKey,
    blocks: &[(u32, Block)],
    resources: &Resources,
    successors: &[Vec<usize>],
) -> Vec<bool> {
    let count = resources.register_words() as usize;
    let instructions = || key.program.instructions().iter().map(|found| &found.instruction);
    // Where threads go after these is not followed, and quads give lanes to other threads.
    let is_unknown = resources.has_scopes()
        || instructions().any(|instruction| {
            matches!(instruction.operation, Operation::EnterQuads | Operation::LeaveQuads | Operation::Quad { .. })
        });
    if is_unknown {
        return vec![true; count];
    }
    let effects: Vec<Effects> = blocks.iter().map(|(_, block)| effects(key, resources, block)).collect();
    let mut live: Vec<Vec<bool>> = effects.iter().map(|effects| effects.reads.clone()).collect();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for block in (0..live.len()).rev() {
            for successor in &successors[block] {
                let after = live[*successor].clone();
                let own = live[block].iter_mut().zip(after).zip(&effects[block].writes);
                for ((own, after), writes) in own {
                    if after && !writes && !*own {
                        *own = true;
                        has_changed = true;
                    }
                }
            }
        }
    }
    let mut read = vec![false; count];
    for (block, successors) in successors.iter().enumerate() {
        let Block::Instructions(range) = &blocks[block].1 else { continue };
        let last = executed(key, range.clone()).end - 1;
        if !matches!(key.program.instructions()[last].instruction.operation, Operation::Barrier { .. }) {
            continue;
        }
        for successor in successors {
            read.iter_mut().zip(&live[*successor]).for_each(|(read, live)| *read |= live);
        }
    }
    read
}

/// The effects of a basic block.
fn effects(key: &ComputeKernelKey, resources: &Resources, block: &Block) -> Effects {
    let count = resources.register_words() as usize;
    let mut effects = Effects { reads: vec![false; count], writes: vec![false; count] };
    let Block::Instructions(range) = block else { return effects };
    for number in executed(key, range.clone()) {
        let instruction = &key.program.instructions()[number].instruction;
        for variable in read_variables(instruction).into_iter().filter_map(|variable| resources.variable(variable)) {
            effects.reads[variable] |= !effects.writes[variable];
        }
        for variable in written_variables(instruction).into_iter().filter_map(|variable| resources.variable(variable)) {
            effects.writes[variable] = true;
        }
    }
    effects
}

/// The variables that an instruction may read; those that it changes in part are among them.
pub(super) fn read_variables(instruction: &Instruction) -> Vec<Variable> {
    let mut read = Vec::new();
    for source in &instruction.sources {
        match source.operand {
            Operand::Register(register) => read.extend(registers(register)),
            Operand::Memory(memory) => read.extend(address_variable(&memory)),
            Operand::Address(number) => read.push(Variable::Address(number)),
            Operand::Condition(number) => read.push(Variable::Condition(number)),
            Operand::Coordinates { first, count } => read.extend((first..first + count).map(Variable::Register)),
            Operand::Immediate(_) | Operand::CodeAddress(_) | Operand::Texture { .. } | Operand::TexelOffset(_) => {}
        }
    }
    if let Destination::Memory(memory) = instruction.destination {
        read.extend(address_variable(&memory));
    }
    if let Predicate::If { register, .. } = instruction.predicate {
        read.push(Variable::Condition(register));
    }
    if let Destination::Register(Register::Half { number, .. }) = instruction.destination {
        read.push(Variable::Register(number));
    }
    read
}

/// The variables that an instruction writes for every thread that executes its basic block.
fn written_variables(instruction: &Instruction) -> Vec<Variable> {
    let is_partial = match instruction.operation {
        Operation::Move { lanes, .. } | Operation::Load { lanes } => lanes & 15 != 15,
        _ => false,
    };
    if is_partial || instruction.predicate != Predicate::Always {
        return Vec::new();
    }
    match instruction.destination {
        Destination::Register(Register::Word(number)) => vec![Variable::Register(number)],
        Destination::Address(number) => vec![Variable::Address(number)],
        // The others may write fewer words than they name.
        _ => instruction.condition_write.map(Variable::Condition).into_iter().collect(),
    }
}

/// The registers of a group.
fn registers(register: Register) -> impl Iterator<Item = Variable> {
    let (first, count) = match register {
        Register::Half { number, .. } | Register::Word(number) => (number, 1),
        Register::Double(number) => (number, 2),
        Register::Quad(number) => (number, 4),
    };
    (first..first + count).map(Variable::Register)
}

/// The register with the address of a memory operand.
fn address_variable(memory: &MemoryOperand) -> Option<Variable> {
    match memory.address {
        Address::Register(number) => Some(Variable::Register(number)),
        Address::Offset { base: 0, .. } => None,
        Address::Offset { base, .. } | Address::PostIncrement { base, .. } => Some(Variable::Address(base)),
    }
}
