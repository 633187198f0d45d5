//! Formats an [`Nv20Microprogram`] as text in the form of the Xbox homebrew tools (`abaire/nv2a_vsh_asm`), one
//! instruction a line.
//!
//! ```text
//! program      := line* "END"
//! line         := (mac [" + " ilu] | ilu | "NOP + " ilu | "NOP") ";"
//! mac          := MNEMONIC " " destinations (", " source)+ | "ARL A0, " source
//! ilu          := MNEMONIC " " destinations ", " source
//! destinations := "{" written ", " temporary "}" | written | temporary | "_"
//! written      := (output | "c[" 0..191 "]") ["." mask]
//! temporary    := "R" 0..11 ["." mask]
//! output       := "oPos" | "oD0" | "oD1" | "oFog" | "oPts" | "oB0" | "oB1" | "oT0" | "oT1" | "oT2" | "oT3"
//! source       := ["-"] ("R" 0..12 | "v" 0..15 | "c[" 0..191 "]" | "c[A0+" 0..255 "]") ["." swizzle]
//! mask         := letters of xyzw in this order, at least one; none for all four
//! swizzle      := one letter for all components, or four letters; none for xyzw
//! ```
//!
//! The first operation of a line is the MAC's if it has one of this name. Both units have MOV, so the ILU's MOV alone
//! follows `NOP`. `_` stands for no destination. The sources of ARL, RCP, RCC, RSQ, EXP and LOG have one letter; if
//! the MAC reads C too, the swizzle of C is that of the MAC's operand. The ILU of a pair has no temporary but R1.

use std::fmt::{self, Display, Formatter};

use super::{IluOpcode, MacOpcode, Nv20Instruction, Nv20Microprogram, Nv20OutputRegister, VertexSourceKind};
use crate::isa::Operand;
use crate::isa::nv40_vertex::disassemble::{Mask, Selection};
use crate::shader::condition::{Swizzle, WriteMask};
use crate::shader::vertex::Unit;

impl Display for Nv20Microprogram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for instruction in &self.instructions {
            writeln!(f, "    {instruction};")?;
        }
        writeln!(f, "END")
    }
}

impl Nv20Microprogram {
    /// Each instruction as disassembled, without the semicolon.
    #[must_use]
    pub fn statements(&self) -> Vec<String> {
        self.instructions.iter().map(ToString::to_string).collect()
    }
}

impl Display for Nv20Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let instruction = self.canonical();
        let has_ilu = instruction.ilu != IluOpcode::Nop;
        if instruction.mac != MacOpcode::Nop || !has_ilu || instruction.ilu == IluOpcode::Mov {
            instruction.write_mac(f)?;
            f.write_str(if has_ilu { " + " } else { "" })?;
        }
        if has_ilu { instruction.write_ilu(f) } else { Ok(()) }
    }
}

impl Nv20Instruction {
    fn write_mac(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.mac.mnemonic())?;
        match self.mac {
            MacOpcode::Nop => {}
            MacOpcode::Arl => f.write_str(" A0")?,
            _ => self.write_destinations(f, Unit::Vector, self.mac_destination(), self.mac_mask)?,
        }
        self.mac
            .row()
            .operands
            .iter()
            .try_for_each(|operand| self.write_source(f, *operand, self.mac == MacOpcode::Arl))
    }

    fn write_ilu(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.ilu.mnemonic())?;
        self.write_destinations(f, Unit::Scalar, self.ilu_destination(), self.ilu_mask)?;
        self.write_source(f, Operand::S2, self.ilu.reads_scalar())
    }

    fn write_destinations(
        &self,
        f: &mut Formatter<'_>,
        unit: Unit,
        temporary: Option<u8>,
        mask: WriteMask,
    ) -> fmt::Result {
        let temporary = temporary.map(|index| format!("R{index}{}", Mask(mask)));
        let written = self.output.filter(|output| output.unit == unit).map(|output| {
            let register = match output.register {
                Nv20OutputRegister::Constant(index) => format!("c[{index}]"),
                Nv20OutputRegister::Output(index) => match Nv20OutputRegister::output_name(index) {
                    Some(name) => name.to_owned(),
                    None => format!("o[{index}]"),
                },
            };
            format!("{register}{}", Mask(output.mask))
        });
        match (written, temporary) {
            (Some(written), Some(temporary)) => write!(f, " {{{written}, {temporary}}}"),
            (Some(register), None) | (None, Some(register)) => write!(f, " {register}"),
            (None, None) => f.write_str(" _"),
        }
    }

    fn write_source(&self, f: &mut Formatter<'_>, operand: Operand, is_scalar: bool) -> fmt::Result {
        let source = self.sources[operand.index()];
        let register = match source.kind {
            VertexSourceKind::Temporary(index) => format!("R{index}"),
            VertexSourceKind::Input => format!("v{}", self.input_index),
            VertexSourceKind::Constant if self.is_constant_indexed => format!("c[A0+{}]", self.constant_index),
            VertexSourceKind::Constant => format!("c[{}]", self.constant_index),
        };
        let sign = if source.negate { "-" } else { "" };
        let swizzle = if is_scalar { Swizzle([source.swizzle.0[0]; 4]) } else { source.swizzle };
        write!(f, ", {sign}{register}{}", Selection(swizzle))
    }
}

#[cfg(test)]
mod tests {
    use crate::isa::nv20_vertex::decode::decode_instruction;
    use crate::isa::nv20_vertex::{Nv20Field, Nv20Instruction, Nv20Microprogram};
    use crate::isa::vertex_word::VertexWord;

    fn text(words: [u32; 4]) -> String {
        decode_instruction(0, VertexWord::new(words)).unwrap().to_string()
    }

    #[test]
    fn lines_are_those_of_an_independent_disassembler() {
        // As the tests of nv2a_vsh_asm expect, except for the masks and swizzles that are in place.
        let expected: &[(&str, [u32; 4])] = &[
            ("MOV oT2, v11", [0, 0x0020_161b, 0x0836_106c, 0x2070_f858]),
            ("MAD oPos.xyz, R12, R1.x, c[59]", [0, 0x0087_601b, 0xc400_286c, 0x3070_e801]),
            ("DP4 oPos.z, v0, c[100]", [0, 0x00ec_801b, 0x0836_186c, 0x2070_2800]),
            ("MAD R0.z, R0.z, c[117].z, -c[117].w", [0, 0x008e_a0aa, 0x0554_1ffc, 0x3200_0ff8]),
            ("MAD R0.z, R0.z, c[117].z, -c[117].w", [0, 0x008e_a0aa, 0x0554_bffd, 0x7200_0000]),
            ("ARL A0, R0.x", [0, 0x01a0_0000, 0x0436_106c, 0x2070_0ff8]),
            ("ADD R0.xy, c[A0+121].zwww, -c[A0+121].xyyy", [0, 0x006f_20bf, 0x9c00_1456, 0x7c00_0002]),
            ("RCP oFog, v0.w", [0, 0x0400_001b, 0x0836_13fc, 0x2070_f82c]),
            ("MUL oPos.xyz, R12.xyzz, c[58].xyzz", [0, 0x0047_401a, 0xc434_186c, 0x2070_e800]),
            ("MUL R2, R1, c[0] + MOV oD1, v4", [0, 0x0240_081b, 0x1436_186c, 0x2f20_f824]),
            ("MOV oD0, v3 + RCP R1.w, R1.w", [0, 0x0420_061b, 0x0836_13fc, 0x5011_f818]),
            ("DP4 oPos.x, R6, c[96] + RSQ R1.x, R2.x", [0, 0x08ec_001b, 0x6436_1800, 0x90a8_8800]),
            ("DP4 {oPos.z, R0.x}, R6, c[98]", [0, 0x00ec_401b, 0x6436_5800, 0x2800_2800]),
            ("DPH c[15].xy, v4, c[10]", [0, 0x00c1_481b, 0x0836_186c, 0x2070_c078]),
        ];
        for (line, words) in expected {
            assert_eq!(text(*words), *line);
        }
    }

    #[test]
    fn operations_without_a_name_or_a_destination_of_their_own_are_told_apart() {
        let mov = VertexWord::new([0, 0x0020_161b, 0x0836_106c, 0x2070_f858]);
        let ilu = mov.with(Nv20Field::MAC, 0).with(Nv20Field::ILU, 1);
        assert_eq!(text(ilu.words()), "NOP + MOV oT2, v11");
        assert_eq!(text(mov.with(Nv20Field::OUT_MASK, 0).words()), "MOV _, v11");
        assert_eq!(Nv20Instruction::NOP.to_string(), "NOP");
        // Both read C: the swizzle of ADD is C's, RCP takes its component x.
        let add = mov.with(Nv20Field::MAC, 3).with(Nv20Field::ILU, 2).with(Nv20Field::ILU_MASK, 8);
        let shared = add.with(Nv20Field::C, 2 | 0b11_10_01_00 << 6 | 1 << 14);
        assert_eq!(text(shared.words()), "ADD oT2, v11, -v11.wzyx + RCP R1.x, -v11.w");
    }

    #[test]
    fn a_program_ends_with_its_last_line() {
        let slots = [[0, 0x0020_161b, 0x0836_106c, 0x2070_f858], [0, 0, 0, 1], [!0; 4]];
        let program = Nv20Microprogram::decode(&slots, 0).unwrap();
        assert_eq!(program.to_string(), "    MOV oT2, v11;\n    NOP;\nEND\n");
        assert_eq!(program.statements(), ["MOV oT2, v11", "NOP"]);
    }
}
