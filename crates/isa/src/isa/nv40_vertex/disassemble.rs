//! Formats a [`VertexMicroprogram`] as text in the syntax of `NV_vertex_program3`.
//!
//! One statement is one slot; the operations of both units are joined by ` + `, the vector unit's first. Features
//! of the hardware that the language lacks are written as follows: `{R0, o[1]}` for a result with two
//! destinations, `CC` for one with none, `._` for an empty mask.

use std::fmt::{self, Display, Formatter};

use super::{
    Effect, FlowKind, ScalarOpcode, VectorOpcode, VertexInstruction, VertexMicroprogram, VertexSource, VertexSourceKind,
};
use crate::isa::Operand;
use crate::shader::condition::{ConditionTest, Swizzle, WriteMask};
use crate::shader::vertex::Unit;

impl Display for VertexMicroprogram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let targets: Vec<u16> = self
            .instructions
            .iter()
            .filter(|instruction| instruction.has_target())
            .map(|instruction| instruction.branch.target)
            .collect();
        for instruction in &self.instructions {
            if instruction.slot == self.start && self.start != 0 {
                writeln!(f, "main:")?;
            }
            if targets.contains(&instruction.slot) {
                writeln!(f, "label_{}:", instruction.slot)?;
            }
            writeln!(f, "    {instruction}")?;
            if instruction.is_last {
                writeln!(f, "END")?;
            }
        }
        Ok(())
    }
}

impl VertexMicroprogram {
    /// Each instruction as disassembled, without label and semicolon.
    #[must_use]
    pub fn statements(&self) -> Vec<String> {
        self.instructions.iter().map(|instruction| Operations(instruction).to_string()).collect()
    }
}

impl Display for VertexInstruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{};", Operations(self))
    }
}

/// The operations of an instruction without the semicolon.
#[derive(Debug)]
pub struct Operations<'program>(pub &'program VertexInstruction);

impl Display for Operations<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(instruction) = self;
        let has_scalar = instruction.scalar != ScalarOpcode::Nop;
        // A lone scalar operation is identified by its name, except for the move, which both units have.
        if instruction.vector != VectorOpcode::Nop {
            instruction.write_vector(f)?;
            f.write_str(if has_scalar { " + " } else { "" })?;
        } else if instruction.scalar == ScalarOpcode::Mov {
            f.write_str("NOP + ")?;
        } else if !has_scalar {
            f.write_str("NOP")?;
        }
        if has_scalar { instruction.write_scalar(f) } else { Ok(()) }
    }
}

impl VertexInstruction {
    fn write_vector(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_result(f, self.vector.mnemonic(), Unit::Vector)?;
        if self.vector.effect() == Effect::AddAddress {
            write!(f, ", A{}", self.address.register)?;
        } else {
            for operand in self.vector.row().operands {
                f.write_str(", ")?;
                self.write_source(f, *operand, false)?;
            }
        }
        if self.vector.effect() == Effect::FetchTexture {
            write!(f, ", texture[{}]", self.texture_unit)?;
        }
        Ok(())
    }

    fn write_scalar(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let target = self.branch.target;
        let mnemonic = self.scalar.mnemonic();
        let Some(flow) = self.flow() else {
            if self.scalar.effect() == Effect::None {
                return Ok(());
            }
            self.write_result(f, mnemonic, Unit::Scalar)?;
            f.write_str(", ")?;
            return self.write_source(f, Operand::S2, self.scalar.reads_scalar());
        };
        match flow {
            FlowKind::Branch => write!(f, "BRA label_{target}{}", Test(self.condition)),
            FlowKind::Call => write!(f, "CAL label_{target}{}", Test(self.condition)),
            FlowKind::BranchToAddress => {
                write!(f, "BRA [A{}.{}]{}", self.address.register, letter(self.address.component), Test(self.condition))
            }
            FlowKind::BranchOnBoolean | FlowKind::CallOnBoolean => {
                let not = if self.branch.polarity { "" } else { "!" };
                write!(f, "{mnemonic} label_{target}, {not}b[{}]", self.branch.boolean)
            }
            FlowKind::Return => write!(f, "RET{}", Test(self.condition)),
            FlowKind::PushAddress | FlowKind::PopAddress => {
                let register = self.vector_destination.unwrap_or(self.address.register) & 1;
                write!(f, "{mnemonic} A{register}")
            }
        }
    }

    /// Writes mnemonic, suffixes, destinations with mask, and predicate.
    fn write_result(&self, f: &mut Formatter<'_>, mnemonic: &str, unit: Unit) -> fmt::Result {
        f.write_str(mnemonic)?;
        if let Some(update) = self.condition_update.filter(|update| update.takes(unit)) {
            f.write_str(if update.register == 0 { "C" } else { "C1" })?;
        }
        if self.saturate {
            f.write_str("_SAT")?;
        }
        let (mask, temporary) = match unit {
            Unit::Vector => (self.vector_mask, self.vector_destination),
            Unit::Scalar => (self.scalar_mask, self.scalar_destination),
        };
        let writes_address = matches!(self.vector.effect(), Effect::LoadAddress(_) | Effect::AddAddress);
        let temporary = temporary.map(|index| match unit {
            Unit::Vector if writes_address => format!("A{}", index & 1),
            Unit::Vector | Unit::Scalar => format!("R{index}"),
        });
        let output = self.output.filter(|output| output.unit == unit).map(|output| {
            let index = self.indexed(u16::from(output.index), output.is_indexed);
            format!("o[{index}]")
        });
        match (temporary, output) {
            (Some(temporary), Some(output)) => write!(f, " {{{temporary}, {output}}}")?,
            (Some(register), None) | (None, Some(register)) => write!(f, " {register}")?,
            (None, None) => f.write_str(" CC")?,
        }
        write!(f, "{}{}", Mask(mask), Test(self.condition))
    }

    fn write_source(&self, f: &mut Formatter<'_>, operand: Operand, is_scalar: bool) -> fmt::Result {
        let VertexSource { kind, swizzle, absolute, negate } = self.sources[operand.index()];
        let register = match kind {
            VertexSourceKind::Temporary(index) => format!("R{index}"),
            VertexSourceKind::Input => {
                format!("v[{}]", self.indexed(u16::from(self.input_index), self.is_input_indexed))
            }
            VertexSourceKind::Constant => {
                format!("c[{}]", self.indexed(self.constant_index, self.is_constant_indexed))
            }
        };
        let sign = if negate { "-" } else { "" };
        let bar = if absolute { "|" } else { "" };
        let swizzle = if is_scalar { Swizzle([swizzle.0[0]; 4]) } else { swizzle };
        write!(f, "{sign}{bar}{register}{}{bar}", Selection(swizzle))
    }

    fn indexed(&self, index: u16, is_indexed: bool) -> String {
        if !is_indexed {
            return index.to_string();
        }
        format!("A{}.{}+{index}", self.address.register, letter(self.address.component))
    }
}

/// The letter of a component.
pub const fn letter(component: u8) -> char {
    match component & 3 {
        0 => 'x',
        1 => 'y',
        2 => 'z',
        _ => 'w',
    }
}

/// Writes `.xyz`, or `._` for no component.
pub(crate) fn write_mask(f: &mut Formatter<'_>, mask: WriteMask) -> fmt::Result {
    f.write_str(if mask.0 & 15 == 0 { "._" } else { "." })?;
    (0..4).filter(|&component| mask.has(usize::from(component))).try_for_each(|c| write!(f, "{}", letter(c)))
}

/// `.xyz`; empty for all components, `._` for none.
#[derive(Debug, Clone, Copy)]
pub struct Mask(pub WriteMask);

impl Display for Mask {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == WriteMask::ALL { Ok(()) } else { write_mask(f, self.0) }
    }
}

/// `.wzyx`; one letter if all are the same, empty if they are in place.
#[derive(Debug)]
pub struct Selection(pub Swizzle);

impl Display for Selection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let components = self.0.0;
        if self.0 == Swizzle::IDENTITY {
            return Ok(());
        }
        let is_one = components.iter().all(|&component| component == components[0]);
        f.write_str(".")?;
        components.iter().take(if is_one { 1 } else { 4 }).try_for_each(|&component| write!(f, "{}", letter(component)))
    }
}

/// ` (GT.x)`; empty without a test.
#[derive(Debug)]
pub struct Test(pub Option<ConditionTest>);

impl Display for Test {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |test| write!(f, " ({})", Rule(test)))
    }
}

/// `GT.x`, `NE1`.
#[derive(Debug)]
pub struct Rule(pub ConditionTest);

impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let register = if self.0.register == 0 { "" } else { "1" };
        write!(f, "{}{register}{}", self.0.relation.mnemonic(), Selection(self.0.swizzle))
    }
}

#[cfg(test)]
mod tests {
    use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode, VertexField, VertexMicroprogram, VertexWord};
    use crate::isa::test_words::{BLIT, VERTEX_NOP, vertex_source};

    fn text(words: &[VertexWord]) -> String {
        let slots: Vec<[u32; 4]> = words.iter().map(|word| word.words()).collect();
        VertexMicroprogram::decode(&slots, 0).unwrap().to_string()
    }

    #[test]
    fn the_blit_program_is_two_moves() {
        assert_eq!(text(&BLIT.map(VertexWord::new)), "    MOV o[0], v[0];\n    MOV o[7], v[8];\nEND\n");
    }

    #[test]
    fn constants_masks_and_predicates_are_spelled_as_documented() {
        let word = VERTEX_NOP
            .with(VertexField::END, 1)
            .with(VertexField::OP_VEC, u32::from(VectorOpcode::Dp4.code()))
            .with(VertexField::OUT_ADDR, 0)
            .with(VertexField::OUT_FROM_VEC, 1)
            .with(VertexField::WM_VEC, 0b1000)
            .with(VertexField::SRC0, vertex_source(2, 0, [0, 1, 2, 3]))
            .with(VertexField::SRC1, vertex_source(3, 0, [0, 1, 2, 3]))
            .with(VertexField::CONST_ADDR, 464);
        assert_eq!(text(&[word]), "    DP4 o[0].x, v[0], c[464];\nEND\n");
        let predicated = word
            .with(VertexField::COND_TEST, 1)
            .with(VertexField::COND, 4)
            .with(VertexField::COND_SWZ, 0)
            .with(VertexField::SATURATE, 1)
            .with(VertexField::CONST_INDEXED, 1)
            .with(VertexField::ADDR_SEL, 1)
            .with(VertexField::ADDR_SWZ, 2)
            .with(VertexField::ABS0, 1)
            .with(VertexField::SRC0, vertex_source(1, 5, [3, 2, 1, 0]) | 1 << 16)
            .with(VertexField::DST_VEC, 3);
        assert_eq!(text(&[predicated]), "    DP4_SAT {R3, o[0]}.x (GT.x), -|R5.wzyx|, c[A1.z+464];\nEND\n");
    }

    #[test]
    fn both_units_share_a_line() {
        let word = VERTEX_NOP
            .with(VertexField::END, 1)
            .with(VertexField::OP_VEC, u32::from(VectorOpcode::Arl.code()))
            .with(VertexField::WM_VEC, 0b1000)
            .with(VertexField::DST_VEC, 1)
            .with(VertexField::SRC0, vertex_source(2, 0, [0, 0, 0, 0]))
            .with(VertexField::OP_SCA, u32::from(ScalarOpcode::Rcp.code()))
            .with(VertexField::WM_SCA, 0b0001)
            .with(VertexField::DST_SCA, 2)
            .with(VertexField::COND_UPDATE, 1)
            .with(VertexField::COND_SEL, 1)
            .with(VertexField::SRC2, vertex_source(1, 7, [3, 3, 3, 3]));
        assert_eq!(text(&[word]), "    ARL A1.x, v[0].x + RCPC1 R2.w, R7.w;\nEND\n");
    }

    #[test]
    fn targets_have_labels() {
        let branch = VERTEX_NOP
            .with(VertexField::OP_SCA, u32::from(ScalarOpcode::Brb.code()))
            .with(VertexField::TARGET_LOW, 1)
            .with(VertexField::TARGET_MIDDLE, 0)
            .with(VertexField::TARGET_HIGH, 0)
            .with(VertexField::BRANCH_BOOLEAN, 9)
            .with(VertexField::BRANCH_POLARITY, 0);
        let end = VERTEX_NOP.with(VertexField::END, 1);
        assert_eq!(text(&[branch, end]), "    BRB label_1, !b[9];\nlabel_1:\n    NOP;\nEND\n");
    }
}
