//! Loads, stores and atomic updates.

use super::Lowering;
use super::builder::{ADD, Value, Word};
use super::operands::widen;
use crate::cursor::Parsed;
use crate::diagnostic::Diagnostic;
use crate::isa::tesla::TeslaGeneration;
use crate::isa::tesla::module::{KERNEL_GLOBAL_SPACE, USER_CONSTANT_SPACE};
use crate::ptx::ast::{Base, Instruction, Operand};
use crate::ptx::ir::{Address, Destination, Lifetime, MOVE, Memory, Operand as IrOperand, Size, Slice, Source};
use crate::ptx::opcodes::Opcode;
use crate::ptx::types::{StateSpace, Type};
use crate::shader::simt::{Access, AtomicOperation, ElementType, Operation, Space, Width};

const LOAD: Operation = Operation::Load { lanes: 15 };
const STORE: Operation = Operation::Store { unlocks: false };
/// The first offset that the field of loads and stores does not hold: it has 16 bits of bytes, 15 of halves, 14 of words.
const FIELD_LIMIT: u32 = 0x1_0000;
/// The indices that an operand in shared memory has, each times the size of the access.
const OPERAND_INDICES: u32 = 32;

/// A base register, if there is one, and a constant.
#[derive(Debug, Clone, Copy)]
struct Place {
    base: Option<Slice>,
    offset: u32,
}

impl Place {
    const fn plus(self, bytes: u32) -> Self {
        Self { offset: self.offset.wrapping_add(bytes), ..self }
    }
}

/// How an element is accessed.
const fn access(of: Type) -> Access {
    match (of.bits, of.is_signed()) {
        (8, false) => Access::U8,
        (8, true) => Access::S8,
        (16, false) => Access::U16,
        (16, true) => Access::S16,
        _ => Access::B32,
    }
}

impl Lowering<'_> {
    pub(super) fn memory(&mut self, instruction: &Instruction) -> Parsed<()> {
        let Some(space) = instruction.modifiers.space() else { return Ok(()) };
        match instruction.opcode {
            Opcode::Load => {
                let place = self.place(&instruction.operands[1]);
                self.check_alignment(instruction, place, space)?;
                self.load(instruction, space, place);
            }
            Opcode::Store => {
                let place = self.place(&instruction.operands[0]);
                self.check_alignment(instruction, place, space)?;
                self.store(instruction, space, place);
            }
            _ => self.atomic(instruction),
        }
        Ok(())
    }

    fn check_alignment(&self, instruction: &Instruction, place: Place, space: StateSpace) -> Parsed<()> {
        let bytes = instruction.types[0].bytes();
        let is_known = place.base.is_none() && space != StateSpace::Global;
        if is_known && !place.offset.is_multiple_of(bytes) {
            let message = format!("address {} is not a multiple of {bytes}", place.offset);
            return Err(Diagnostic::new(instruction.span.clone(), message).label("not aligned to the type"));
        }
        Ok(())
    }

    #[expect(clippy::cast_possible_truncation, reason = "addresses have 32 bits")]
    fn place(&mut self, operand: &Operand) -> Place {
        let Operand::Memory { base, offset } = operand else { return Place { base: None, offset: 0 } };
        let offset = *offset as u32;
        match base {
            Base::Zero => Place { base: None, offset },
            Base::Register(register) => Place { base: self.slices(*register).first().copied(), offset },
            Base::Variable(variable) => match self.variable_address(*variable, 0) {
                Word::Constant(address) => Place { base: None, offset: address.wrapping_add(offset) },
                Word::Register(slice) => Place { base: Some(slice), offset },
            },
        }
    }

    /// A memory operand. `limit` is the first offset that the instruction's field does not hold.
    fn operand(&mut self, space: Space, access: Access, place: Place, limit: u32) -> Memory {
        let address = if let Space::Global(_) = space {
            let register = match place {
                Place { base: Some(base), offset: 0 } => base,
                Place { base: Some(base), offset } => {
                    let sum = self.builder.binary(ADD, Word::Register(base), Word::Constant(offset));
                    self.builder.register(sum)
                }
                Place { base: None, offset } => self.builder.register(Word::Constant(offset)),
            };
            Address::Register(register)
        } else {
            let Place { base, offset } = place;
            let is_small = offset < limit && offset.is_multiple_of(access.bytes());
            let rest = if is_small {
                offset
            } else if offset.cast_signed() < 0 {
                0
            } else {
                offset % limit / access.bytes() * access.bytes()
            };
            Address::Offset { base: self.builder.address(base, offset.wrapping_sub(rest)), offset: rest }
        };
        Memory { space, access, address }
    }

    /// Loads one element of at most 32 bits into a new word, under the guard.
    fn load_element(&mut self, space: StateSpace, of: Type, place: Place) -> Word {
        let result = self.builder.temporary();
        let size = access(of);
        let (operation, operand) = match space {
            StateSpace::Global => (LOAD, self.operand(Space::Global(KERNEL_GLOBAL_SPACE), size, place, 0)),
            StateSpace::Local => (LOAD, self.operand(Space::Local, size, place, FIELD_LIMIT)),
            StateSpace::Constant | StateSpace::Texture => {
                // These spaces have no accesses to signed bytes.
                let size = if size == Access::S8 { Access::U8 } else { size };
                let space = Space::Constant(USER_CONSTANT_SPACE);
                (LOAD, self.operand(space, size, place, FIELD_LIMIT))
            }
            StateSpace::Parameter | StateSpace::Shared => self.shared_load(of, size, place),
        };
        self.builder.push_guarded(operation, Destination::Register(result), &[Source::of(IrOperand::Memory(operand))]);
        let is_extended = !matches!(space, StateSpace::Constant) && self.generation == TeslaGeneration::Sm10
            || matches!(space, StateSpace::Global | StateSpace::Local);
        if size == Access::S8 && !is_extended {
            return self.sign_extend_byte(Word::Register(result));
        }
        Word::Register(result)
    }

    /// G80 reads shared memory by the operands of other instructions; G84 has loads.
    fn shared_load(&mut self, of: Type, size: Access, place: Place) -> (Operation, Memory) {
        let size = if size == Access::S8 { Access::U8 } else { size };
        if self.generation >= TeslaGeneration::Sm11 {
            return (LOAD, self.operand(Space::Shared, size, place, FIELD_LIMIT));
        }
        let operand = self.operand(Space::Shared, size, place, OPERAND_INDICES * size.bytes());
        let operation = if of.bits < 32 { widen(of.bits, of.is_signed(), Width::Half) } else { MOVE };
        (operation, operand)
    }

    fn load(&mut self, instruction: &Instruction, space: StateSpace, place: Place) {
        let of = instruction.types[0];
        let elements = match &instruction.operands[0] {
            Operand::Vector(elements) => &elements[..],
            single => std::slice::from_ref(single),
        };
        let count = u32::try_from(elements.len()).unwrap_or(1);
        if let Some(group) = Group::of(space, of, count) {
            let register = self.builder.program.register(group.words, Lifetime::Statement);
            let slice = Slice { register, part: 0, size: group.size };
            let operand = self.operand(space_of(space), group.access, place, FIELD_LIMIT);
            self.builder.push_guarded(LOAD, Destination::Register(slice), &[Source::of(IrOperand::Memory(operand))]);
            let per_element = of.bytes() / 4;
            for (index, element) in (0..).zip(elements) {
                let first = index * per_element;
                let value: Value = (0..u32::from(of.words()))
                    .map(|word| Word::Register(Slice::word(register, u8::try_from(first + word).unwrap_or(0))))
                    .collect();
                self.result(element, &value);
            }
            return;
        }
        // All elements are loaded before a register of the address may change.
        let values: Vec<Value> = (0..)
            .zip(elements)
            .map(|(index, element)| {
                let at = place.plus(index * of.bytes());
                if of.words() == 2 {
                    let half = crate::ptx::types::B32;
                    return vec![self.load_element(space, half, at), self.load_element(space, half, at.plus(4))];
                }
                let word = self.load_element(space, of, at);
                self.loaded(of, element, word)
            })
            .collect();
        for (element, value) in elements.iter().zip(values) {
            self.result(element, &value);
        }
    }

    fn store(&mut self, instruction: &Instruction, space: StateSpace, place: Place) {
        let of = instruction.types[0];
        let elements = match &instruction.operands[1] {
            Operand::Vector(elements) => &elements[..],
            single => std::slice::from_ref(single),
        };
        let count = u32::try_from(elements.len()).unwrap_or(1);
        let values: Vec<Value> = elements.iter().map(|element| self.value(element, of)).collect();
        if let Some(group) = Group::of(space, of, count) {
            let register = self.builder.program.register(group.words, Lifetime::Statement);
            for (index, value) in (0..).zip(&values) {
                for (word, value) in (0..).zip(value) {
                    let part = u8::try_from(index * of.bytes() / 4 + word).unwrap_or(0);
                    let source = super::builder::constant_or_register(*value);
                    self.builder.push(MOVE, Destination::Register(Slice::word(register, part)), &[source]);
                }
            }
            let operand = self.operand(space_of(space), group.access, place, FIELD_LIMIT);
            let source = Source::of(IrOperand::Register(Slice { register, part: 0, size: group.size }));
            return self.builder.push_guarded(STORE, Destination::Memory(operand), &[source]);
        }
        for (index, value) in (0..).zip(&values) {
            for (word, value) in (0..).zip(value) {
                let of = if of.bits == 64 { crate::ptx::types::B32 } else { of };
                let at = place.plus(index * instruction.types[0].bytes() + 4 * word);
                let source = self.builder.source(*value);
                let size = stored(access(of), space);
                let operand = self.operand(space_of(space), size, at, FIELD_LIMIT);
                self.builder.push_guarded(STORE, Destination::Memory(operand), &[source]);
            }
        }
    }

    fn atomic(&mut self, instruction: &Instruction) {
        let (of, operands) = (instruction.types[0], &instruction.operands);
        let Some(operation) = instruction.modifiers.update() else { return };
        let is_reduction = instruction.opcode == Opcode::Reduce;
        let address = usize::from(!is_reduction);
        let place = self.place(&operands[address]);
        let values: Vec<Source> = operands[address + 1..]
            .iter()
            .map(|operand| {
                let word = self.word(operand, of);
                self.builder.source(word)
            })
            .collect();
        let memory = self.operand(Space::Global(KERNEL_GLOBAL_SPACE), Access::B32, place, 0);
        let element = element(operation, of);
        if is_reduction {
            let operation = Operation::Reduce { operation, element };
            return self.builder.push_guarded(operation, Destination::Memory(memory), &values);
        }
        let result = self.builder.temporary();
        let mut sources = vec![Source::of(IrOperand::Memory(memory))];
        sources.extend(values);
        self.builder.push_guarded(Operation::Atomic { operation, element }, Destination::Register(result), &sources);
        self.result(&operands[0], &[Word::Register(result)]);
    }
}

/// What memory holds: only sums, the smaller and the larger one tell types apart.
const fn element(operation: AtomicOperation, of: Type) -> ElementType {
    match operation {
        AtomicOperation::Add | AtomicOperation::Min | AtomicOperation::Max if of.is_signed() => ElementType::S32,
        AtomicOperation::Add
        | AtomicOperation::Min
        | AtomicOperation::Max
        | AtomicOperation::Increment
        | AtomicOperation::Decrement => ElementType::U32,
        AtomicOperation::Exchange
        | AtomicOperation::CompareAndSwap
        | AtomicOperation::And
        | AtomicOperation::Or
        | AtomicOperation::Xor => ElementType::B32,
    }
}

/// Several words that are accessed at once.
#[derive(Debug, Clone, Copy)]
struct Group {
    words: u8,
    size: Size,
    access: Access,
}

impl Group {
    /// Global and local memory have accesses to 64 and 128 bits.
    fn of(space: StateSpace, of: Type, count: u32) -> Option<Self> {
        let is_possible = matches!(space, StateSpace::Global | StateSpace::Local) && of.bits >= 32;
        // The unused half of a demoted double is not written.
        let is_demoted = of.is_float() && of.bits == 64;
        match of.bytes() * count {
            _ if !is_possible || is_demoted => None,
            8 => Some(Self { words: 2, size: Size::Double, access: Access::B64 }),
            16 => Some(Self { words: 4, size: Size::Quad, access: Access::B128 }),
            _ => None,
        }
    }
}

const fn space_of(space: StateSpace) -> Space {
    match space {
        StateSpace::Global => Space::Global(KERNEL_GLOBAL_SPACE),
        StateSpace::Local => Space::Local,
        StateSpace::Constant | StateSpace::Texture => Space::Constant(USER_CONSTANT_SPACE),
        StateSpace::Parameter | StateSpace::Shared => Space::Shared,
    }
}

/// The access of a store: shared memory has none that are signed.
const fn stored(access: Access, space: StateSpace) -> Access {
    match (access, space) {
        (Access::S8, StateSpace::Shared) => Access::U8,
        (Access::S16, StateSpace::Shared) => Access::U16,
        _ => access,
    }
}
