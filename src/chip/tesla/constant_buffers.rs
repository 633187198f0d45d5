//! Constant buffers: 128 of them in memory, which each kind of program sees as its 16 constant spaces.

use std::collections::BTreeMap;

use super::address::Address;
use super::program_cache::constant_bytes;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field, field8};
use crate::chip::class::Context;
use crate::shader::simt::{ProgramKind, SimtProgram};

/// The size of a buffer whose size is given as zero.
const LARGEST: u32 = 0x1_0000;

/// The kinds of programs that `SET_PROGRAM_CB` numbers.
const PROGRAMS: usize = 16;

/// The number of vertex programs.
pub(super) const VERTEX: usize = 0;

/// The number of geometry programs.
pub(super) const GEOMETRY: usize = 2;

/// The number of fragment programs, whose constant spaces compute programs share.
pub(super) const FRAGMENT: usize = 3;

/// The bytes of an element of `CB_ADDR`.
const WORD: u32 = 4;

/// A constant buffer.
#[derive(Debug, Clone, Copy, Default)]
struct ConstantBuffer {
    address: u64,
    bytes: u32,
}

/// The constant buffers, which of them programs see, and where the next word goes.
#[derive(Debug)]
pub(super) struct ConstantBuffers {
    /// The address of the next buffer that is defined.
    pub(super) address: Address,
    buffers: [ConstantBuffer; 128],
    /// The buffer in each constant space, by the number of programs in `SET_PROGRAM_CB`.
    bound: [[Option<u8>; 16]; PROGRAMS],
    /// The buffer and the word that the next value goes to.
    position: (u8, u32),
}

impl Default for ConstantBuffers {
    fn default() -> Self {
        Self {
            address: Address::default(),
            buffers: [ConstantBuffer::default(); 128],
            bound: [[None; 16]; PROGRAMS],
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

    /// Executes `SET_PROGRAM_CB` of the programs with this number in its bits 7:4.
    pub(super) fn bind(&mut self, program: usize, value: u32) {
        self.bound[program][field(value, 11, 8) as usize] = bit(value, 0).then_some(field8(value, 18, 12));
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

    /// Reads the constant spaces of a program of a kind, as far as it can read them.
    pub(super) fn read(
        &self,
        program: &SimtProgram,
        context: &mut Context<'_>,
    ) -> Result<BTreeMap<u8, Vec<u8>>, ChipError> {
        let bound = &self.bound[match program.kind() {
            ProgramKind::Vertex => VERTEX,
            ProgramKind::Geometry => GEOMETRY,
            ProgramKind::Fragment | ProgramKind::Compute => FRAGMENT,
        }];
        let mut constants = BTreeMap::new();
        for (space, read) in constant_bytes(program) {
            let Some(buffer) = bound[usize::from(space & 15)] else { continue };
            let ConstantBuffer { address, bytes } = self.buffers[usize::from(buffer)];
            let mut held = vec![0; bytes.min(read) as usize];
            context.engine.read_memory(context.objects.virtual_window(address), &mut held)?;
            constants.insert(space, held);
        }
        Ok(constants)
    }
}
