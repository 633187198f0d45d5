//! Constant buffers: 128 of them in memory, which programs see as their 16 constant spaces.

use super::address::Address;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field};
use crate::chip::class::Context;

/// The size of a buffer whose size is given as zero.
const LARGEST: u32 = 0x1_0000;

/// The bytes of an element of `CB_ADDR`.
const WORD: u32 = 4;

/// A constant buffer.
#[derive(Debug, Clone, Copy, Default)]
struct ConstantBuffer {
    address: u64,
    bytes: u32,
}

/// The constant buffers, which of them compute programs see, and where the next word goes.
#[derive(Debug)]
pub(super) struct ConstantBuffers {
    /// The address of the next buffer that is defined.
    pub(super) address: Address,
    buffers: [ConstantBuffer; 128],
    /// The buffer in each constant space of fragment and compute programs.
    bound: [Option<u8>; 16],
    /// The buffer and the word that the next value goes to.
    position: (u8, u32),
}

impl Default for ConstantBuffers {
    fn default() -> Self {
        Self {
            address: Address::default(),
            buffers: [ConstantBuffer::default(); 128],
            bound: [None; 16],
            position: (0, 0),
        }
    }
}

impl ConstantBuffers {
    /// Executes `CB_DEF_SET`.
    pub(super) const fn define(&mut self, value: u32) {
        let (number, bytes) = (field(value, 22, 16), field(value, 15, 0));
        let bytes = if bytes == 0 { LARGEST } else { bytes };
        self.buffers[number as usize] = ConstantBuffer { address: self.address.value(), bytes };
    }

    /// Executes `SET_PROGRAM_CB` of fragment and compute programs.
    #[expect(clippy::cast_possible_truncation, reason = "seven bits")]
    pub(super) fn bind(&mut self, value: u32) {
        self.bound[field(value, 11, 8) as usize] = bit(value, 0).then_some(field(value, 18, 12) as u8);
    }

    /// Executes `CB_ADDR`.
    #[expect(clippy::cast_possible_truncation, reason = "seven bits")]
    pub(super) const fn seek(&mut self, value: u32) {
        self.position = (field(value, 6, 0) as u8, field(value, 21, 8));
    }

    /// Executes `CB_DATA`: each value goes behind the one before.
    pub(super) fn write(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let (buffer, word) = &mut self.position;
        let ConstantBuffer { address, bytes } = self.buffers[usize::from(*buffer)];
        let offset = *word * WORD;
        *word = (*word + 1) & 0x3fff;
        if offset + WORD > bytes {
            return context.anomaly(Reason::IllegalValue);
        }
        context.write_virtual(address + u64::from(offset), &context.value.to_le_bytes())
    }

    /// The constant spaces of compute programs with their address and size.
    pub(super) fn spaces(&self) -> impl Iterator<Item = (u8, u64, u32)> + '_ {
        (0..).zip(&self.bound).filter_map(|(space, bound)| {
            let ConstantBuffer { address, bytes } = self.buffers[usize::from((*bound)?)];
            Some((space, address, bytes))
        })
    }
}
