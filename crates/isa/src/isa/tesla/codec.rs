//! Reads or writes the operands of an instruction: one description of each place serves both directions.
//!
//! A [`Codec`] reads fields of a given word, or writes given values into a word. Each method takes what is to be written
//! and returns what the word holds. Where a value has no encoding, the returned one differs.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a value that does not fit its field comes back as another one, which the encoder checks"
)]

use super::table::{DestinationPlace, SourcePlace};
use super::word::{TeslaField as Field, TeslaForm, field};
use crate::shader::simt::{Access, Address, Destination, MemoryOperand, Operand, ProgramKind, Register, Space, Width};

/// Accesses by their two bits.
const SIZES: [Access; 4] = [Access::U8, Access::U16, Access::S16, Access::B32];

/// A word that is read, or written field by field.
#[derive(Debug)]
pub(super) struct Codec {
    /// The word.
    pub(super) word: u64,
    /// Bits that have a meaning.
    pub(super) covered: u64,
    /// The form of the instruction.
    pub(super) form: TeslaForm,
    /// The kind of program.
    pub(super) kind: ProgramKind,
    /// Whether fields are written.
    pub(super) writes: bool,
}

impl Codec {
    /// The value of a field. When writing, bits that have a value already keep it.
    pub(super) fn field(&mut self, field: Field, value: u32) -> u32 {
        if self.writes {
            let free = field.mask() & !self.covered;
            self.word = self.word & !free | field.place(value) & free;
        }
        self.covered |= field.mask();
        field.get(self.word)
    }

    /// The value of a one-bit field.
    pub(super) fn flag(&mut self, field: Field, value: bool) -> bool {
        self.field(field, value.into()) != 0
    }

    const fn is_short(&self) -> bool {
        !matches!(self.form, TeslaForm::Long | TeslaForm::Control)
    }

    fn register(&mut self, field: Field, width: Width, value: Option<Register>) -> Register {
        let number = match value {
            Some(Register::Half { number, is_high }) => u32::from(number) << 1 | u32::from(is_high),
            Some(Register::Word(number) | Register::Double(number) | Register::Quad(number)) => number.into(),
            None => 0,
        };
        Register::of(width, self.field(field, number) as u8)
    }

    /// A register of one of two widths.
    fn half_or_word(&mut self, is_word: Field, field: Field, value: Option<Register>) -> Register {
        let is_word = self.flag(is_word, !matches!(value, Some(Register::Half { .. })));
        self.register(field, if is_word { Width::Word } else { Width::Half }, value)
    }

    fn address_register(&mut self, value: u8) -> u8 {
        let field = if self.is_short() { Field::SHORT_ADDRESS } else { Field::ADDRESS };
        self.field(field, value.into()) as u8
    }

    /// An address of a scaled offset and an address register, which the offset may increment afterwards. The increment
    /// is signed in fields of a few bits.
    fn address(&mut self, offset: Field, scale: u32, may_increment: bool, value: Address) -> Address {
        let (base, constant, increments) = match value {
            Address::Offset { base, offset } => (base, offset, false),
            Address::PostIncrement { base, step } => (base, step as u32, true),
            Address::Register(_) => (0, 0, false),
        };
        let increments = may_increment && self.flag(Field::POST_INCREMENT, increments);
        let base = self.address_register(base);
        let constant = self.field(offset, (constant as i32).div_euclid(scale as i32) as u32);
        if !increments {
            return Address::Offset { base, offset: constant * scale };
        }
        let unused = 32 - u32::from(offset.width());
        let is_signed = offset.width() < 14;
        let step = if is_signed { (constant << unused) as i32 >> unused } else { constant as i32 };
        Address::PostIncrement { base, step: step * scale as i32 }
    }

    /// An offset without an address register.
    fn plain_address(&mut self, offset: Field, scale: u32, value: Address) -> Address {
        let constant = if let Address::Offset { offset, .. } = value { offset } else { 0 };
        Address::Offset { base: 0, offset: self.field(offset, constant / scale) * scale }
    }

    /// Shared memory as the first source.
    fn shared_source(&mut self, value: MemoryOperand) -> MemoryOperand {
        let (size, short_offset) = if self.is_short() { (13, 4) } else { (14, 5) };
        let access = self.access(field(size, 2), value.access);
        let address = self.address(field(9, short_offset), access.bytes(), true, value.address);
        MemoryOperand { space: Space::Shared, access, address }
    }

    fn access(&mut self, field: Field, value: Access) -> Access {
        let code = SIZES.iter().position(|size| *size == value).unwrap_or(0);
        SIZES[self.field(field, code as u32) as usize]
    }

    /// A constant as the second or third source.
    fn constant_source(
        &mut self,
        offset: Field,
        width: Width,
        has_address: bool,
        value: MemoryOperand,
    ) -> MemoryOperand {
        let access = if width == Width::Half { Access::U16 } else { Access::B32 };
        let space = if self.form == TeslaForm::Short { Field::SHORT_CONSTANT_SPACE } else { Field::CONSTANT_SPACE };
        let space = self.constant_space(space, value);
        let address = if has_address {
            self.address(offset, access.bytes(), true, value.address)
        } else {
            self.plain_address(offset, access.bytes(), value.address)
        };
        MemoryOperand { space, access, address }
    }

    fn constant_space(&mut self, field: Field, value: MemoryOperand) -> Space {
        let number = if let Space::Constant(number) = value.space { number } else { 0 };
        Space::Constant(self.field(field, number.into()) as u8)
    }

    /// The first source: a register, shared memory, an attribute or a vertex of the primitive.
    fn first(&mut self, width: Width, value: Operand) -> Option<Operand> {
        let memory = memory_of(value);
        let is_primitive = memory.space == Space::Primitive;
        let is_memory = matches!(value, Operand::Memory(_));
        let words = if self.is_short() { field(9, 6) } else { field(9, 7) };
        let (is_memory, has_primitive) = match self.form {
            TeslaForm::Immediate => {
                (self.flag(Field::SHORT_SOURCE1_IS_MEMORY, is_memory), self.kind == ProgramKind::Geometry)
            }
            TeslaForm::Short | TeslaForm::ShortControl => {
                let is_memory = self.flag(Field::SHORT_SOURCE1_IS_MEMORY, is_memory);
                (is_memory, is_memory && self.flag(Field::SOURCE2_IS_CONSTANT, is_primitive))
            }
            TeslaForm::Long | TeslaForm::Control => {
                // Both flags for constants say that it is in the primitive.
                let flags = [Field::SOURCE2_IS_CONSTANT, Field::SOURCE3_IS_CONSTANT];
                let has_primitive = if self.writes {
                    is_primitive && flags.into_iter().all(|flag| self.flag(flag, true))
                } else {
                    flags.into_iter().all(|flag| flag.get(self.word) != 0)
                };
                (!has_primitive && self.flag(Field::SOURCE1_IS_MEMORY, is_memory), has_primitive)
            }
        };
        if !is_memory && (!has_primitive || self.form == TeslaForm::Immediate) {
            let field = if self.is_short() { Field::SHORT_SOURCE1 } else { Field::SOURCE1 };
            return Some(Operand::Register(self.register(field, width, register_of(value))));
        }
        let scaled = |space, address| Operand::Memory(MemoryOperand { space, access: Access::B32, address });
        match (has_primitive, self.kind) {
            (true, ProgramKind::Geometry) => {
                let base = if let Address::Offset { base, .. } = memory.address { base } else { 0 };
                let base = self.address_register(base);
                let Address::Offset { offset, .. } = self.plain_address(words, 4, memory.address) else { return None };
                Some(scaled(Space::Primitive, Address::Offset { base, offset }))
            }
            (true, _) => None,
            (false, ProgramKind::Compute) => Some(Operand::Memory(self.shared_source(memory))),
            (false, ProgramKind::Vertex | ProgramKind::Geometry) if self.form != TeslaForm::Immediate => {
                Some(scaled(Space::Attribute, self.plain_address(words, 4, memory.address)))
            }
            (false, _) => None,
        }
    }

    /// The second or third source: a register or a constant.
    fn second_or_third(&mut self, is_third: bool, width: Width, value: Operand) -> Operand {
        let is_constant = matches!(value, Operand::Memory(_));
        let (register, offset, flag, other) = match (self.form, is_third) {
            (TeslaForm::Short, _) => {
                (Field::SHORT_SOURCE2, field(16, 5), Field::SOURCE2_IS_CONSTANT, Field::SHORT_SOURCE1_IS_MEMORY)
            }
            (_, false) => (Field::SOURCE2, field(16, 7), Field::SOURCE2_IS_CONSTANT, Field::SOURCE3_IS_CONSTANT),
            (_, true) => (Field::SOURCE3, field(46, 7), Field::SOURCE3_IS_CONSTANT, Field::SOURCE2_IS_CONSTANT),
        };
        let has_flag = self.flag(flag, is_constant);
        // Both flags say that the first source is in the primitive; bit 53 then tells whether this one is a register.
        let is_long = self.form != TeslaForm::Short;
        let first_is_primitive = has_flag && other.get(self.word) != 0;
        let is_register = first_is_primitive && (!is_long || self.flag(Field::SOURCE1_IS_MEMORY, !is_constant));
        if !has_flag || is_register {
            return Operand::Register(self.register(register, width, register_of(value)));
        }
        // Only the first memory operand has an address register.
        let first_is_shared =
            is_long && self.kind == ProgramKind::Compute && Field::SOURCE1_IS_MEMORY.get(self.word) != 0;
        let has_address = !first_is_primitive && !first_is_shared;
        Operand::Memory(self.constant_source(offset, width, has_address, memory_of(value)))
    }

    /// Memory with the offset in bits 24:9.
    fn full(&mut self, space: Space, access: Access, may_increment: bool, value: Address) -> MemoryOperand {
        let (offset, scale) = match (space, access) {
            (Space::Local, _) | (_, Access::U8) => (field(9, 16), 1),
            (_, Access::U16 | Access::S16) => (field(9, 15), 2),
            _ => (field(9, 14), 4),
        };
        MemoryOperand { space, access, address: self.address(offset, scale, may_increment, value) }
    }

    fn global(&mut self, space: Field, access: Access, value: MemoryOperand) -> MemoryOperand {
        let (number, register) = match (value.space, value.address) {
            (Space::Global(number), Address::Register(register)) => (number, register),
            _ => (0, 0),
        };
        let number = self.field(space, number.into()) as u8;
        let register = self.field(Field::SOURCE1, register.into()) as u8;
        MemoryOperand { space: Space::Global(number), access, address: Address::Register(register) }
    }

    /// A source.
    pub(super) fn source(&mut self, place: SourcePlace, width: Width, value: Operand) -> Option<Operand> {
        let memory = memory_of(value);
        let register = register_of(value);
        Some(match place {
            SourcePlace::First => return self.first(width, value),
            SourcePlace::Second => self.second_or_third(false, width, value),
            SourcePlace::Third => self.second_or_third(true, width, value),
            SourcePlace::SecondOrCount => {
                if self.flag(field(52, 1), matches!(value, Operand::Immediate(_))) {
                    Operand::Immediate(self.field(field(16, 7), immediate_of(value)))
                } else {
                    self.second_or_third(false, width, value)
                }
            }
            SourcePlace::Register(field) => Operand::Register(self.register(field, width, register)),
            SourcePlace::Stored => {
                Operand::Register(self.half_or_word(Field::SOURCE1_IS_MEMORY, Field::SOURCE3, register))
            }
            SourcePlace::Number(field) => Operand::Immediate(self.field(field, immediate_of(value))),
            SourcePlace::Address => {
                let number = if let Operand::Address(number) = value { number } else { 0 };
                Operand::Address(self.address_register(number))
            }
            SourcePlace::Condition(field) => {
                let number = if let Operand::Condition(number) = value { number } else { 0 };
                Operand::Condition(self.field(field, number.into()) as u8)
            }
            SourcePlace::Attribute => {
                let address = self.address(field(9, 7), 4, false, memory.address);
                Operand::Memory(MemoryOperand { space: Space::Attribute, access: Access::B32, address })
            }
            SourcePlace::Constant => {
                let access = self.access(field(46, 2), memory.access);
                let space = self.constant_space(Field::CONSTANT_SPACE, memory);
                Operand::Memory(self.full(space, access, true, memory.address))
            }
            SourcePlace::ConstantTarget => {
                let space = self.constant_space(Field::CONSTANT_SPACE, memory);
                Operand::Memory(self.full(space, Access::U8, false, memory.address))
            }
            SourcePlace::Shared => {
                let access = self.access(field(46, 2), memory.access);
                Operand::Memory(self.full(Space::Shared, access, true, memory.address))
            }
            SourcePlace::Local(access) => Operand::Memory(self.full(Space::Local, access, true, memory.address)),
            SourcePlace::Global(access) => Operand::Memory(self.global(Field::GLOBAL_SPACE, access, memory)),
            SourcePlace::Atomic(access) => Operand::Memory(self.global(Field::ATOMIC_SPACE, access, memory)),
            SourcePlace::Interpolant => {
                let address = self.address(Field::INTERPOLANT, 4, false, memory.address);
                Operand::Memory(MemoryOperand { space: Space::Interpolant, access: Access::B32, address })
            }
            SourcePlace::Texture => {
                let (texture, sampler) =
                    if let Operand::Texture { texture, sampler } = value { (texture, sampler) } else { (0, 0) };
                let texture = self.field(Field::TEXTURE, texture.into()) as u8;
                Operand::Texture { texture, sampler: self.field(Field::SAMPLER, sampler.into()) as u8 }
            }
            SourcePlace::Coordinates => {
                let (first, count) =
                    if let Operand::Coordinates { first, count } = value { (first, count) } else { (0, 1) };
                let place = if self.is_short() { Field::SHORT_DESTINATION } else { Field::DESTINATION };
                let first = self.field(place, first.into()) as u8;
                let count = self.field(Field::COORDINATES, u32::from(count).wrapping_sub(1)) as u8 + 1;
                Operand::Coordinates { first, count }
            }
            SourcePlace::TexelOffset => {
                let mut offsets = if let Operand::TexelOffset(offsets) = value { offsets } else { [0; 3] };
                for (offset, place) in offsets.iter_mut().zip(Field::TEXEL_OFFSETS) {
                    *offset = ((self.field(place, *offset as u32) << 28) as i32 >> 28) as i8;
                }
                Operand::TexelOffset(offsets)
            }
            SourcePlace::Target => {
                let target = if let Operand::CodeAddress(target) = value { target } else { 0 };
                Operand::CodeAddress(self.field(Field::TARGET, target >> 2) << 2)
            }
        })
    }

    /// The destination.
    pub(super) fn destination(&mut self, place: DestinationPlace, width: Width, value: Destination) -> Destination {
        let register = if let Destination::Register(register) = value { Some(register) } else { None };
        let memory = if let Destination::Memory(memory) = value { memory } else { NO_MEMORY };
        match place {
            DestinationPlace::None => Destination::None,
            DestinationPlace::Register(field) => Destination::Register(self.register(field, width, register)),
            DestinationPlace::RegisterOrOutput => self.register_or_output(width, value),
            DestinationPlace::Loaded => {
                let is_half = match value {
                    Destination::Register(register) => register.width() == Width::Half,
                    Destination::Output { width, .. } => width == Width::Half,
                    _ => false,
                };
                // A discarded result has the width of a word here.
                let width = if self.flag(field(58, 1), !is_half) { Width::Word } else { Width::Half };
                self.register_or_output(width, value)
            }
            DestinationPlace::Address => {
                let number = if let Destination::Address(number) = value { number } else { 0 };
                Destination::Address(self.field(Field::ADDRESS_DESTINATION, number.into()) as u8)
            }
            DestinationPlace::Condition => {
                let number = if let Destination::Condition(number) = value { number } else { 0 };
                Destination::Condition(self.field(Field::CONDITION_WRITE, number.into()) as u8)
            }
            DestinationPlace::ShortTexture | DestinationPlace::Texture => {
                let (first, mask) =
                    if let Destination::Texture { first, mask } = value { (first, mask) } else { (0, 0) };
                if place == DestinationPlace::ShortTexture {
                    return Destination::Texture {
                        first: self.field(Field::SHORT_DESTINATION, first.into()) as u8,
                        mask: 15,
                    };
                }
                let first = self.field(Field::DESTINATION, first.into()) as u8;
                Destination::Texture { first, mask: self.field(Field::TEXTURE_MASK, mask.into()) as u8 }
            }
            DestinationPlace::Output => {
                Destination::Memory(self.full(Space::Output, Access::B32, false, memory.address))
            }
            DestinationPlace::Shared(access) => {
                Destination::Memory(self.full(Space::Shared, access, true, memory.address))
            }
            DestinationPlace::Local(access) => {
                Destination::Memory(self.full(Space::Local, access, true, memory.address))
            }
            DestinationPlace::Global(access) => Destination::Memory(self.global(Field::GLOBAL_SPACE, access, memory)),
        }
    }

    fn register_or_output(&mut self, width: Width, value: Destination) -> Destination {
        let register = if let Destination::Register(register) = value { Some(register) } else { None };
        let is_wide = matches!(width, Width::Double | Width::Quad);
        if is_wide || !self.flag(Field::IS_OUTPUT, matches!(value, Destination::None | Destination::Output { .. })) {
            return Destination::Register(self.register(Field::DESTINATION, width, register));
        }
        let scale = if width == Width::Half { 2 } else { 4 };
        let index = if let Destination::Output { offset, .. } = value { u32::from(offset) / scale } else { 0x7f };
        match self.field(Field::DESTINATION, index) {
            0x7f => Destination::None,
            index => Destination::Output { offset: (index * scale) as u16, width },
        }
    }
}

/// Stands for memory in an operand that is not.
const NO_MEMORY: MemoryOperand =
    MemoryOperand { space: Space::Local, access: Access::U8, address: Address::Offset { base: 0, offset: 0 } };

const fn memory_of(value: Operand) -> MemoryOperand {
    if let Operand::Memory(memory) = value { memory } else { NO_MEMORY }
}

const fn register_of(value: Operand) -> Option<Register> {
    if let Operand::Register(register) = value { Some(register) } else { None }
}

const fn immediate_of(value: Operand) -> u32 {
    if let Operand::Immediate(value) = value { value } else { 0 }
}
