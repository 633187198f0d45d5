//! The intermediate form of an NV20 program: operations that name a unit, and the instructions that hold one or two.

use crate::isa::nv20_vertex::{IluOpcode, MacOpcode, Nv20OutputRegister};
use crate::operand;
use crate::shader::condition::WriteMask;

/// What an operation computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opcode {
    /// An operation of the multiply–accumulate unit.
    Mac(MacOpcode),
    /// An operation of the inverse logic unit.
    Ilu(IluOpcode),
    /// MOV, which both units have.
    Move,
}

/// Where an operand comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Register {
    /// A temporary, by number.
    Temporary(u32),
    /// A vertex attribute.
    Attribute(u8),
    /// A constant.
    Constant {
        /// Its slot, or what is added to A0.x.
        index: u8,
        /// Whether A0.x is added.
        is_indexed: bool,
    },
}

/// An operand; the chip takes no magnitudes.
pub type Source = operand::Source<Register>;

/// Where a result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A temporary, by number.
    Temporary(u32),
    /// The address register.
    Address,
    /// An output register or a constant.
    Output(Nv20OutputRegister),
}

/// One operation of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// What it computes.
    pub opcode: Opcode,
    /// Where its result goes.
    pub target: Target,
    /// Components that it writes.
    pub mask: WriteMask,
    /// Operands in the order of the opcode's row.
    pub sources: Vec<Source>,
}

impl Operation {
    /// The operation of the MAC, if that can do it.
    pub const fn as_mac(&self) -> Option<MacOpcode> {
        match self.opcode {
            Opcode::Mac(opcode) => Some(opcode),
            Opcode::Move => Some(MacOpcode::Mov),
            Opcode::Ilu(_) => None,
        }
    }

    /// The operation of the ILU, if that can do it.
    pub const fn as_ilu(&self) -> Option<IluOpcode> {
        match self.opcode {
            Opcode::Ilu(opcode) => Some(opcode),
            Opcode::Move => Some(IluOpcode::Mov),
            Opcode::Mac(_) => None,
        }
    }

    /// The positions of each operand's swizzle that the result depends on.
    fn positions(&self) -> [WriteMask; 3] {
        let all = match self.opcode {
            Opcode::Mac(MacOpcode::Dp3) => WriteMask(7),
            Opcode::Mac(MacOpcode::Dph) => return [WriteMask(7), WriteMask::ALL, WriteMask::ALL],
            Opcode::Mac(MacOpcode::Dp4 | MacOpcode::Dst) | Opcode::Ilu(IluOpcode::Lit) => WriteMask::ALL,
            Opcode::Mac(MacOpcode::Arl) => WriteMask(1),
            Opcode::Ilu(opcode) if opcode.reads_scalar() => WriteMask(1),
            Opcode::Mac(_) | Opcode::Ilu(_) | Opcode::Move => self.mask,
        };
        [all; 3]
    }

    /// Gives every temporary another number.
    pub fn rename_temporaries(&mut self, new: impl Fn(u32) -> u32) {
        if let Target::Temporary(number) = &mut self.target {
            *number = new(*number);
        }
        for source in &mut self.sources {
            if let Register::Temporary(number) = &mut source.register {
                *number = new(*number);
            }
        }
    }

    /// The registers that it reads, with the components that matter.
    pub fn reads(&self) -> impl Iterator<Item = (Register, WriteMask)> {
        let operands = self.sources.iter().zip(self.positions());
        operands.map(|(source, positions)| (source.register, source.components(positions)))
    }

    /// The temporaries that it reads, with the components that matter.
    pub fn temporaries_read(&self) -> impl Iterator<Item = (u32, WriteMask)> {
        self.reads().filter_map(|(register, components)| match register {
            Register::Temporary(number) => Some((number, components)),
            _ => None,
        })
    }

    /// The temporary that it writes.
    pub const fn temporary_written(&self) -> Option<u32> {
        match self.target {
            Target::Temporary(number) => Some(number),
            _ => None,
        }
    }

    /// Whether it reads or writes a temporary.
    pub fn touches(&self, temporary: u32) -> bool {
        self.temporary_written() == Some(temporary) || self.temporaries_read().any(|(number, _)| number == temporary)
    }
}

/// An instruction: the operation of each unit, as a place in the list of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// What the MAC does.
    pub mac: Option<usize>,
    /// What the ILU does.
    pub ilu: Option<usize>,
}

impl Slot {
    /// The instruction with a single operation.
    pub fn single(operations: &[Operation], place: usize) -> Self {
        match operations[place].as_mac() {
            Some(_) => Self { mac: Some(place), ilu: None },
            None => Self { mac: None, ilu: Some(place) },
        }
    }

    /// Whether both units have an operation.
    pub const fn is_paired(self) -> bool {
        self.mac.is_some() && self.ilu.is_some()
    }

    /// The operations.
    pub fn places(self) -> impl Iterator<Item = usize> {
        self.mac.into_iter().chain(self.ilu)
    }
}
