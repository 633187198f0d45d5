//! Reads and writes the operands of an instruction for all lanes of a warp.

use super::access_memory::{address_register, load, store};
use super::block::BlockContext;
use super::warp::{Lanes, Warp, ZEROS, lanes_of};
use crate::arith::tesla::Flags;
use crate::arith::tesla::float::{absolute, negate};
use crate::pipeline::launch::WARP_THREADS;
use crate::shader::simt::{
    Access, Address, Destination, Instruction, MemoryOperand, Operand, Register, Source, Space, Width,
};

/// The registers of a group, lowest first; a half as a word.
pub(super) fn registers(warp: &Warp, register: Register) -> [Lanes; 4] {
    let mut values = [ZEROS; 4];
    match register {
        Register::Half { number, is_high } => {
            let shift = if is_high { 16 } else { 0 };
            values[0] = warp.register(number).map(|word| word >> shift & 0xffff);
        }
        Register::Word(number) => values[0] = warp.register(number),
        Register::Double(number) => values = [warp.register(number), warp.register(number + 1), ZEROS, ZEROS],
        Register::Quad(number) => values = [0, 1, 2, 3].map(|part| warp.register(number + part)),
    }
    values
}

/// The value of a source without its modifiers; of groups of registers the first one.
pub(super) fn value(context: &mut BlockContext<'_>, warp: &Warp, at: u32, source: &Source, threads: u32) -> Lanes {
    match source.operand {
        Operand::Register(Register::Word(number)) => warp.register(number),
        Operand::Register(register) => registers(warp, register)[0],
        Operand::Immediate(value) | Operand::CodeAddress(value) => [value; WARP_THREADS as usize],
        Operand::Memory(memory) => load(context, warp, at, &memory, threads)[0],
        Operand::Address(number) => address_register(warp, number),
        Operand::Condition(number) => warp.conditions[usize::from(number) & 3].map(u32::from),
        // Those of textures are read by the texture unit.
        Operand::Coordinates { .. } | Operand::Texture { .. } | Operand::TexelOffset(_) => ZEROS,
    }
}

/// Applies the modifiers of a single-precision source.
pub(super) fn modify_float(mut value: Lanes, source: &Source) -> Lanes {
    if source.absolute {
        value = value.map(absolute);
    }
    if source.negate {
        value = value.map(negate);
    }
    value
}

/// Adds the steps of the memory operands to their address registers.
pub(super) fn advance_addresses(warp: &mut Warp, instruction: &Instruction, threads: u32) {
    let sources = instruction.sources.iter().filter_map(|source| match source.operand {
        Operand::Memory(memory) => Some(memory),
        _ => None,
    });
    let destination = match instruction.destination {
        Destination::Memory(memory) => Some(memory),
        _ => None,
    };
    for memory in sources.chain(destination) {
        if let Address::PostIncrement { base, step } = memory.address {
            let advanced = address_register(warp, base).map(|address| address.wrapping_add_signed(step));
            write_address(warp, base, &advanced, threads);
        }
    }
}

/// Writes the low halves of values to an address register.
#[expect(clippy::cast_possible_truncation, reason = "address registers have 16 bits")]
pub(super) fn write_address(warp: &mut Warp, number: u8, values: &Lanes, threads: u32) {
    let register = usize::from(number).checked_sub(1).and_then(|index| warp.addresses.get_mut(index));
    if let Some(register) = register {
        for lane in lanes_of(threads) {
            register[lane] = values[lane] as u16;
        }
    }
}

/// Writes flags to a condition register.
#[expect(clippy::cast_possible_truncation, reason = "there are four flags")]
pub(super) fn write_condition(warp: &mut Warp, number: u8, threads: u32, flags: impl Fn(usize) -> Flags) {
    for lane in lanes_of(threads) {
        warp.conditions[usize::from(number) & 3][lane] = flags(lane).bits() as u8;
    }
}

/// Writes the words of a result to the destination; the memory of stores is not written here.
pub(super) fn write(
    context: &mut BlockContext<'_>,
    warp: &mut Warp,
    instruction: &Instruction,
    words: &[Lanes],
    threads: u32,
) {
    match instruction.destination {
        Destination::Register(Register::Half { number, is_high }) => {
            let (shift, kept) = if is_high { (16, 0xffff) } else { (0, 0xffff_0000) };
            let merged: Lanes =
                std::array::from_fn(|lane| warp.register(number)[lane] & kept | (words[0][lane] & 0xffff) << shift);
            write_register(warp, number, &merged, threads);
        }
        Destination::Register(Register::Word(number)) => write_register(warp, number, &words[0], threads),
        Destination::Register(Register::Double(number) | Register::Quad(number))
        | Destination::Texture { first: number, .. } => {
            for (part, word) in (number..).zip(words) {
                write_register(warp, part, word, threads);
            }
        }
        Destination::Address(number) => write_address(warp, number, &words[0], threads),
        Destination::Condition(number) => {
            write_condition(warp, number, threads, |lane| Flags::from_bits(words[0][lane]));
        }
        Destination::Output { offset, width } => {
            // Outputs have whole words, and both halves of one get a half.
            // Source: envytools `docs/hw/graph/tesla/cuda/isa.rst`.
            let word = match width {
                Width::Half => words[0].map(|half| half & 0xffff | half << 16),
                _ => words[0],
            };
            let address = Address::Offset { base: 0, offset: u32::from(offset & !3) };
            let operand = MemoryOperand { space: Space::Output, access: Access::B32, address };
            store(context, warp, instruction.address, &operand, threads, &[word, ZEROS, ZEROS, ZEROS]);
        }
        Destination::None | Destination::Memory(_) => {}
    }
}

fn write_register(warp: &mut Warp, number: u8, values: &Lanes, threads: u32) {
    let Some(register) = warp.register_mut(number) else { return };
    if threads == u32::MAX {
        *register = *values;
        return;
    }
    for lane in lanes_of(threads) {
        register[lane] = values[lane];
    }
}
