//! Instructions of the NV20 vertex processor by their fields: the result of decoding, and the input of encoding.

use super::{IluOpcode, MacOpcode};
use crate::isa::Operand;
use crate::isa::vertex_word::VertexSourceKind;
use crate::shader::condition::{Swizzle, WriteMask};
use crate::shader::vertex::Unit;

/// A decoded program: the instructions from the start slot to the last one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Nv20Microprogram {
    /// The slot at which execution starts.
    pub start: u16,
    /// The instructions in slot order; only the last one has [`is_last`](Nv20Instruction::is_last).
    pub instructions: Vec<Nv20Instruction>,
}

/// One 128-bit instruction.
///
/// Fields without an effect have the values of [`Nv20Instruction::NOP`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nv20Instruction {
    /// Its slot in the instruction store.
    pub slot: u16,
    /// The operation of the multiply–accumulate unit.
    pub mac: MacOpcode,
    /// The operation of the inverse logic unit.
    pub ilu: IluOpcode,
    /// Sources A, B, C.
    pub sources: [Nv20Source; 3],
    /// The attribute that input sources read.
    pub input_index: u8,
    /// The constant that constant sources read.
    pub constant_index: u8,
    /// Whether A0.x is added to the constant index.
    pub is_constant_indexed: bool,
    /// The temporary that is written; the ILU of a pair writes R1 instead.
    pub temporary: u8,
    /// Components of the temporary that the MAC writes.
    pub mac_mask: WriteMask,
    /// Components of the temporary that the ILU writes.
    pub ilu_mask: WriteMask,
    /// The output register or constant that one of the operations writes.
    pub output: Option<Nv20OutputWrite>,
    /// Whether this is the last instruction.
    pub is_last: bool,
}

/// A source operand: swizzle, then negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nv20Source {
    /// The register file and index; R12 reads the position output.
    pub kind: VertexSourceKind,
    /// The component that each component reads.
    pub swizzle: Swizzle,
    /// Changes the sign.
    pub negate: bool,
}

/// A write of an output register or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nv20OutputWrite {
    /// The register.
    pub register: Nv20OutputRegister,
    /// The unit whose result is written: vector for the MAC, scalar for the ILU.
    pub unit: Unit,
    /// Components that are written.
    pub mask: WriteMask,
}

/// What the output write of an instruction names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nv20OutputRegister {
    /// An output register.
    Output(u8),
    /// A constant.
    Constant(u8),
}

impl Nv20OutputRegister {
    /// The number and name of each output register.
    pub const OUTPUT_NAMES: [(u8, &'static str); 11] = [
        (0, "oPos"),
        (3, "oD0"),
        (4, "oD1"),
        (5, "oFog"),
        (6, "oPts"),
        (7, "oB0"),
        (8, "oB1"),
        (9, "oT0"),
        (10, "oT1"),
        (11, "oT2"),
        (12, "oT3"),
    ];

    /// The name of an output register; `None` if no register has this number.
    #[must_use]
    pub fn output_name(index: u8) -> Option<&'static str> {
        Self::OUTPUT_NAMES.iter().find(|(number, _)| *number == index).map(|(_, name)| *name)
    }
}

impl Nv20Source {
    /// The value of a source that is not read: the attribute in place.
    pub const UNREAD: Self = Self { kind: VertexSourceKind::Input, swizzle: Swizzle::IDENTITY, negate: false };
}

impl Nv20Instruction {
    /// The instruction that does nothing, with the values that `nv2a_vsh_asm` writes to unused fields.
    pub const NOP: Self = Self {
        slot: 0,
        mac: MacOpcode::Nop,
        ilu: IluOpcode::Nop,
        sources: [Nv20Source::UNREAD; 3],
        input_index: 0,
        constant_index: 0,
        is_constant_indexed: false,
        temporary: 7,
        mac_mask: WriteMask(0),
        ilu_mask: WriteMask(0),
        output: None,
        is_last: false,
    };

    /// Whether both units have an operation.
    #[must_use]
    pub const fn is_paired(&self) -> bool {
        !matches!(self.mac, MacOpcode::Nop) && !matches!(self.ilu, IluOpcode::Nop)
    }

    /// The temporary that the MAC writes.
    #[must_use]
    pub const fn mac_destination(&self) -> Option<u8> {
        if self.mac_mask.0 == 0 { None } else { Some(self.temporary) }
    }

    /// The temporary that the ILU writes: R1 in a pair.
    #[must_use]
    pub const fn ilu_destination(&self) -> Option<u8> {
        if self.ilu_mask.0 == 0 {
            None
        } else if self.is_paired() {
            Some(1)
        } else {
            Some(self.temporary)
        }
    }

    /// Whether an operation of this instruction reads a source.
    #[must_use]
    pub fn reads(&self, operand: Operand) -> bool {
        self.mac.row().operands.contains(&operand) || self.ilu.row().operands.contains(&operand)
    }

    /// Whether an operation of this instruction reads a source of this kind.
    #[must_use]
    pub fn reads_kind(&self, kind: VertexSourceKind) -> bool {
        Operand::ALL.into_iter().zip(self.sources).any(|(operand, source)| self.reads(operand) && source.kind == kind)
    }

    /// Gives every field without an effect its value of [`NOP`](Self::NOP), so that equal instructions have equal
    /// words.
    #[must_use]
    pub fn canonical(mut self) -> Self {
        let nop = Self::NOP;
        for operand in Operand::ALL {
            if !self.reads(operand) {
                self.sources[operand.index()] = Nv20Source::UNREAD;
            }
        }
        let mac_reads_c = self.mac.row().operands.contains(&Operand::S2);
        let are_scalar = [self.mac == MacOpcode::Arl, false, self.ilu.reads_scalar() && !mac_reads_c];
        for (source, is_scalar) in self.sources.iter_mut().zip(are_scalar) {
            if is_scalar {
                source.swizzle = Swizzle([source.swizzle.0[0]; 4]);
            }
        }
        if !self.reads_kind(VertexSourceKind::Input) {
            self.input_index = nop.input_index;
        }
        if !self.reads_kind(VertexSourceKind::Constant) {
            (self.constant_index, self.is_constant_indexed) = (nop.constant_index, nop.is_constant_indexed);
        }
        if matches!(self.mac, MacOpcode::Nop | MacOpcode::Arl) {
            self.mac_mask = WriteMask(0);
        }
        if self.ilu == IluOpcode::Nop {
            self.ilu_mask = WriteMask(0);
        }
        self.output = self.output.filter(|output| output.mask.0 != 0 && self.has_result(output.unit));
        self.temporary = match (self.mac_destination(), self.ilu_destination()) {
            (Some(register), _) | (None, Some(register)) => register,
            (None, None) => nop.temporary,
        };
        self
    }

    /// Whether a unit has an operation.
    #[must_use]
    pub const fn has_result(&self, unit: Unit) -> bool {
        match unit {
            Unit::Vector => !matches!(self.mac, MacOpcode::Nop),
            Unit::Scalar => !matches!(self.ilu, IluOpcode::Nop),
        }
    }
}
