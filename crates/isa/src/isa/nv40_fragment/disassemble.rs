//! Formats a [`FragmentProgram`] as text in the syntax of `NV_fragment_program` and `NV_fragment_program2`.
//!
//! Features of the hardware that the languages lack are written as follows: `_x2` … `_d8` for a result's scale,
//! `_bx2` for texel expansion, a suffix `9` for nine-bit precision, `half(…)`, `fx12(…)`, `fx9(…)`, `sat(…)`
//! around a source whose precision is clamped, `/w` after an input that is divided by w. The microcode does not
//! contain a texture's target.

use std::fmt::{self, Display, Formatter};

use super::FragmentOpcode;
use super::modifiers::{PRECISIONS, SCALES, SOURCE_PRECISIONS, spelling};
use crate::isa::nv40_vertex::disassemble::{Mask, Rule, Selection, Test};
use crate::shader::condition::{ConditionTest, Relation, WriteMask};
use crate::shader::fragment::{
    Block, FragmentInput, FragmentNode, FragmentOperation, FragmentOperationKind, FragmentProgram, FragmentRegister,
    FragmentSource, FragmentSourceKind, Precision, SourcePrecision,
};
use crate::shader::fragment_function::{BitUse, functions};

impl Display for FragmentProgram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_block(f, &self.body, &self.constants, 1)?;
        for (index, block) in self.subroutines.iter().enumerate() {
            if index == 0 {
                writeln!(f, "    RET;")?;
            }
            writeln!(f, "subroutine_{index}:")?;
            write_block(f, block, &self.constants, 1)?;
            writeln!(f, "    RET;")?;
        }
        writeln!(f, "END")
    }
}

fn write_block(f: &mut Formatter<'_>, block: &Block, constants: &[[u32; 4]], depth: usize) -> fmt::Result {
    let indent = depth * 4;
    for node in block {
        write!(f, "{:indent$}", "")?;
        match node {
            FragmentNode::Operation(operation) => {
                writeln!(f, "{}", OperationText { operation, constants })?;
            }
            FragmentNode::If { then, otherwise, .. } => {
                writeln!(f, "{}", FlowText(node))?;
                write_block(f, then, constants, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{:indent$}ELSE;", "")?;
                    write_block(f, otherwise, constants, depth + 1)?;
                }
                writeln!(f, "{:indent$}ENDIF;", "")?;
            }
            FragmentNode::Loop { has_index, body, .. } => {
                writeln!(f, "{}", FlowText(node))?;
                write_block(f, body, constants, depth + 1)?;
                writeln!(f, "{:indent$}{};", "", if *has_index { "ENDLOOP" } else { "ENDREP" })?;
            }
            FragmentNode::Call { .. } | FragmentNode::Break { .. } | FragmentNode::Return { .. } => {
                writeln!(f, "{}", FlowText(node))?;
            }
        }
    }
    Ok(())
}

/// A flow instruction as a statement, without the blocks that it opens; empty for an operation.
#[derive(Debug, Clone, Copy)]
pub struct FlowText<'program>(pub &'program FragmentNode);

impl Display for FlowText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            FragmentNode::Operation(_) => Ok(()),
            FragmentNode::If { condition, .. } => write!(f, "IF {};", Rule(*condition)),
            FragmentNode::Loop { count, initial, increment, has_index, condition, .. } => {
                let test = Test(tested(*condition));
                if *has_index {
                    write!(f, "LOOP {{{count}, {initial}, {increment}}}{test};")
                } else {
                    write!(f, "REP {{{count}}}{test};")
                }
            }
            FragmentNode::Call { condition, subroutine } => {
                write!(f, "CAL subroutine_{subroutine}{};", Test(tested(*condition)))
            }
            FragmentNode::Break { condition } => write!(f, "BRK{};", Test(tested(*condition))),
            FragmentNode::Return { condition } => write!(f, "RET{};", Test(tested(*condition))),
        }
    }
}

/// A test that can fail, and so is written.
fn tested(condition: ConditionTest) -> Option<ConditionTest> {
    (condition.relation != Relation::Always).then_some(condition)
}

/// One operation as a statement, with the program's constants.
#[derive(Debug, Clone, Copy)]
pub struct OperationText<'program> {
    /// The operation.
    pub operation: &'program FragmentOperation,
    /// [`FragmentProgram::constants`].
    pub constants: &'program [[u32; 4]],
}

impl Display for OperationText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operation = self.operation;
        f.write_str(FragmentOpcode::of(operation.kind).mnemonic())?;
        match operation.kind {
            FragmentOperationKind::Nothing | FragmentOperationKind::Fence(_) => return f.write_str(";"),
            FragmentOperationKind::Kill => return write!(f, " {};", Rule(operation.condition)),
            FragmentOperationKind::Compute(_)
            | FragmentOperationKind::Move
            | FragmentOperationKind::Derivative(_)
            | FragmentOperationKind::Sample(_) => {}
        }
        self.write_suffixes(f)?;
        match operation.destination {
            Some(register) => write!(f, " {register}{}", Mask(operation.mask))?,
            None if operation.mask == WriteMask(0) => f.write_str(" RC")?,
            None => write!(f, " RC{}", Mask(operation.mask))?,
        }
        write!(f, "{}", Test(tested(operation.condition)))?;
        for source in operation.read_sources() {
            f.write_str(", ")?;
            self.write_source(f, source)?;
        }
        if operation.kind.samples() {
            write!(f, ", TEX{}", operation.texture_unit)?;
        }
        f.write_str(";")
    }
}

impl OperationText<'_> {
    fn write_suffixes(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operation = self.operation;
        if operation.precision != Precision::Fp32 || has_precision_suffix(operation.kind) {
            f.write_str(spelling(&PRECISIONS, &operation.precision))?;
        }
        match operation.condition_update {
            Some(0) => f.write_str("C")?,
            Some(_) => f.write_str("C1")?,
            None => {}
        }
        if operation.expand_texel {
            f.write_str("_bx2")?;
        }
        f.write_str(spelling(&SCALES, &operation.scale))?;
        f.write_str(if operation.saturate { "_SAT" } else { "" })
    }

    fn write_source(&self, f: &mut Formatter<'_>, source: &FragmentSource) -> fmt::Result {
        let FragmentSource { kind, swizzle, precision, absolute, negate } = *source;
        f.write_str(if negate { "-" } else { "" })?;
        let bar = if absolute { "|" } else { "" };
        let is_clamped = precision != SourcePrecision::Full;
        write!(f, "{bar}{}{}", spelling(&SOURCE_PRECISIONS, &precision), if is_clamped { "(" } else { "" })?;
        match kind {
            FragmentSourceKind::Register(register) => write!(f, "{register}")?,
            FragmentSourceKind::Input => self.write_input(f)?,
            FragmentSourceKind::Constant(index) => {
                let value = self.constants.get(usize::from(index)).copied().unwrap_or_default();
                let [x, y, z, w] = value.map(Number);
                write!(f, "{{{x}, {y}, {z}, {w}}}")?;
            }
        }
        write!(f, "{}{}{bar}", Selection(swizzle), if is_clamped { ")" } else { "" })
    }

    fn write_input(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.operation.is_input_indexed {
            write!(f, "f[TEX[A0.x{:+}]]", self.operation.input_displacement)?;
        } else {
            write!(f, "{}", self.operation.input)?;
        }
        f.write_str(if self.operation.divides_by_w { "/w" } else { "" })
    }
}

/// Whether the languages allow a precision after the mnemonic.
fn has_precision_suffix(kind: FragmentOperationKind) -> bool {
    match kind {
        FragmentOperationKind::Sample(_) => false,
        FragmentOperationKind::Compute(function) => {
            *function != functions::BEM_LUM && !matches!(function.facts.bits, BitUse::Packs | BitUse::Unpacks)
        }
        FragmentOperationKind::Move
        | FragmentOperationKind::Derivative(_)
        | FragmentOperationKind::Kill
        | FragmentOperationKind::Fence(_)
        | FragmentOperationKind::Nothing => true,
    }
}

impl Display for FragmentRegister {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_half { 'H' } else { 'R' }, self.index)
    }
}

impl Display for FragmentInput {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::WindowPosition => f.write_str("f[WPOS]"),
            Self::Color0 => f.write_str("f[COL0]"),
            Self::Color1 => f.write_str("f[COL1]"),
            Self::Fog => f.write_str("f[FOGC]"),
            Self::TexCoord(index) => write!(f, "f[TEX{index}]"),
            Self::Facing => f.write_str("f[FACE]"),
        }
    }
}

/// The shortest decimal number that reads back as the same bits; hexadecimal bits if there is none.
#[derive(Debug)]
pub struct Number(pub u32);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let value = f32::from_bits(self.0);
        if !value.is_finite() {
            return write!(f, "0x{:08x}", self.0);
        }
        if value == 0.0 || (1e-4..1e7).contains(&value.abs()) { write!(f, "{value}") } else { write!(f, "{value:e}") }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;
    use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op, FragmentWord};
    use crate::isa::test_words::{CONSTANT, INPUT, ended, flow, fragment, full, half, words};
    use crate::shader::fragment::FragmentProgram;

    fn text(program: Vec<FragmentWord>) -> String {
        FragmentProgram::decode(&ended(program)).unwrap().to_string()
    }

    #[test]
    fn the_blit_program_is_a_fetch_and_a_move() {
        let words =
            [0x1700_9e00, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800, 0x0140_1e81, 0x1c9d_c800, 0x0001_c800, 0x0001_c800];
        let program = FragmentProgram::decode(&words).unwrap();
        assert_eq!(program.to_string(), "    TEX R0, f[TEX0], TEX0;\n    MOVH H0, R0;\nEND\n");
    }

    #[test]
    fn suffixes_masks_and_modifiers_are_spelled_in_order() {
        let word = fragment(Op::Mad, 3, &[full(1).negated(), half(2).splat(3), INPUT])
            .with(Field::PRECISION, 2)
            .with(Field::CONDITION_UPDATE, 1)
            .with(Field::SCALE, 1)
            .with(Field::SATURATE, 1)
            .with(Field::WRITE_MASK, 0b0111)
            .with(Field::CONDITION, 4)
            .with(Field::CONDITION_SWIZZLE, 0)
            .with(Field::ABS0, 1)
            .with(Field::PRECISION1, 2)
            .with(Field::INPUT, 1);
        assert_eq!(text(vec![word]), "    MADXC_x2_SAT R3.xyz (GT.x), -|R1|, fx12(H2.w), f[COL0];\nEND\n");
    }

    #[test]
    fn constants_are_written_as_numbers() {
        let mut words = ended(vec![fragment(Op::Mul, 0, &[full(0), CONSTANT])]);
        words.extend([1.0f32, 0.5, -2.0, 1e-20].map(f32::to_bits));
        let program = FragmentProgram::decode(&words).unwrap();
        assert_eq!(program.to_string(), "    MULR R0, R0, {1, 0.5, -2, 1e-20};\nEND\n");
        assert_eq!(Number(0x7fff_ffff).to_string(), "0x7fffffff");
        assert_eq!(Number(0x8000_0000).to_string(), "-0");
    }

    #[test]
    fn flow_is_indented() {
        let program = vec![
            flow(Op::If, 16, 20).with(Field::CONDITION, 1).with(Field::CONDITION_SWIZZLE, 0b01_01_01_01),
            flow(Op::Loop, 2 << 2 | 1 << 10 | 0xff << 19, 16),
            fragment(Op::Kil, 0, &[]).with(Field::CONDITION, 4),
            flow(Op::Brk, 0, 0).with(Field::CONDITION, 2),
            fragment(Op::Nop, 0, &[]),
            flow(Op::Cal, 28, 0),
            flow(Op::Ret, 0, 0),
            fragment(Op::Txp, 1, &[INPUT]).with(Field::INPUT, 6).with(Field::TEXTURE_UNIT, 3),
            flow(Op::Ret, 0, 0),
        ];
        assert_eq!(
            FragmentProgram::decode(&words(&program)).unwrap().to_string(),
            "    IF LT.y;
        LOOP {2, 1, -1};
            KIL GT;
            BRK (EQ);
        ENDLOOP;
    ELSE;
        NOP;
    ENDIF;
    CAL subroutine_0;
    RET;
subroutine_0:
    TXP R1, f[TEX2], TEX3;
    RET;
END
"
        );
    }
}
