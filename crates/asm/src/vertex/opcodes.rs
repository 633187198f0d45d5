//! The opcodes of the vertex languages: their languages, operands and operations of the chip.

use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An operation of the vector unit on vectors.
    Vector(VectorOpcode),
    /// SFL and STR, which ignore their two operands, or have none.
    Constant(VectorOpcode),
    /// An operation of the scalar unit on one component.
    Scalar(ScalarOpcode),
    /// LIT, an operation of the scalar unit on a vector.
    Lighting,
    /// ABS.
    Absolute,
    /// SUB.
    Subtract,
    /// POW.
    Power,
    /// SWZ.
    Swizzle,
    /// XPD.
    CrossProduct,
    /// ARL, ARR.
    Address(VectorOpcode),
    /// ARA.
    AddressAdd,
    /// BRA, CAL.
    Branch(ScalarOpcode),
    /// RET.
    Return,
    /// TEX, TXP, TXB, TXL.
    Texture(Lookup),
    /// PUSHA, POPA.
    Stack(ScalarOpcode),
}

/// A texture operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Level 0.
    Plain,
    /// Coordinates divided by w, level 0.
    Projective,
    /// Level w.
    Level,
}

impl Kind {
    /// Whether `C` and `_SAT` may follow the name.
    pub(super) const fn has_result(self) -> bool {
        !matches!(self, Self::Branch(_) | Self::Return | Self::Stack(_))
    }

    /// How many sources follow the destination.
    pub(super) const fn operands(self) -> usize {
        match self {
            Self::Vector(opcode) => opcode.row().operands.len(),
            Self::Subtract | Self::Power | Self::CrossProduct => 2,
            Self::Scalar(_) | Self::Lighting | Self::Absolute | Self::Swizzle | Self::Address(_) | Self::Texture(_) => {
                1
            }
            Self::Constant(_) | Self::AddressAdd | Self::Branch(_) | Self::Return | Self::Stack(_) => 0,
        }
    }
}

/// Sets of operations that languages and options have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sets(u8);

impl Sets {
    /// `NV_vertex_program`.
    pub(super) const VP1_0: Self = Self(1);
    /// `NV_vertex_program1_1`.
    pub(super) const VP1_1: Self = Self(2);
    /// `NV_vertex_program2`.
    pub(super) const VP2_0: Self = Self(4);
    /// `ARB_vertex_program`.
    pub(super) const ARB: Self = Self(8);
    /// The option `NV_vertex_program2`.
    pub(super) const OPTION2: Self = Self(16);
    /// The option `NV_vertex_program3`.
    pub(super) const OPTION3: Self = Self(32);

    /// Both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether they have a set in common.
    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// One operation.
#[derive(Debug)]
pub(super) struct OpcodeRow {
    /// Its name.
    pub(super) name: &'static str,
    /// What it does.
    pub(super) kind: Kind,
    /// The sets that it is in.
    pub(super) sets: Sets,
}

const fn row(name: &'static str, kind: Kind, sets: Sets) -> OpcodeRow {
    OpcodeRow { name, kind, sets }
}

/// In every language.
const ALWAYS: Sets = Sets::VP1_0.and(SINCE_1_1).and(Sets::ARB);
/// In every language but the first.
const SINCE_1_1: Sets = Sets::VP1_1.and(Sets::VP2_0);
/// New in `NV_vertex_program1_1`, and in `ARB_vertex_program`.
const NEW_IN_1_1: Sets = SINCE_1_1.and(Sets::ARB);
/// New in `NV_vertex_program2`, and in `ARB_vertex_program`.
const NEW_IN_2: Sets = Sets::VP2_0.and(Sets::ARB);
/// New in `NV_vertex_program2`, and an option of `ARB_vertex_program`.
const OPTIONAL: Sets = Sets::VP2_0.and(Sets::OPTION2);

/// Every operation, by name.
pub(super) const TABLE: &[OpcodeRow] = &[
    row("ABS", Kind::Absolute, NEW_IN_1_1),
    row("ADD", Kind::Vector(VectorOpcode::Add), ALWAYS),
    row("ARA", Kind::AddressAdd, OPTIONAL),
    row("ARL", Kind::Address(VectorOpcode::Arl), ALWAYS),
    row("ARR", Kind::Address(VectorOpcode::Arr), OPTIONAL),
    row("BRA", Kind::Branch(ScalarOpcode::Bra), OPTIONAL),
    row("CAL", Kind::Branch(ScalarOpcode::Cal), OPTIONAL),
    row("COS", Kind::Scalar(ScalarOpcode::Cos), OPTIONAL),
    row("DP3", Kind::Vector(VectorOpcode::Dp3), ALWAYS),
    row("DP4", Kind::Vector(VectorOpcode::Dp4), ALWAYS),
    row("DPH", Kind::Vector(VectorOpcode::Dph), NEW_IN_1_1),
    row("DST", Kind::Vector(VectorOpcode::Dst), ALWAYS),
    row("EX2", Kind::Scalar(ScalarOpcode::Ex2), NEW_IN_2),
    row("EXP", Kind::Scalar(ScalarOpcode::Exp), ALWAYS),
    row("FLR", Kind::Vector(VectorOpcode::Flr), NEW_IN_2),
    row("FRC", Kind::Vector(VectorOpcode::Frc), NEW_IN_2),
    row("LG2", Kind::Scalar(ScalarOpcode::Lg2), NEW_IN_2),
    row("LIT", Kind::Lighting, ALWAYS),
    row("LOG", Kind::Scalar(ScalarOpcode::Log), ALWAYS),
    row("MAD", Kind::Vector(VectorOpcode::Mad), ALWAYS),
    row("MAX", Kind::Vector(VectorOpcode::Max), ALWAYS),
    row("MIN", Kind::Vector(VectorOpcode::Min), ALWAYS),
    row("MOV", Kind::Vector(VectorOpcode::Mov), ALWAYS),
    row("MUL", Kind::Vector(VectorOpcode::Mul), ALWAYS),
    row("POPA", Kind::Stack(ScalarOpcode::PopA), Sets::OPTION3),
    row("POW", Kind::Power, Sets::ARB),
    row("PUSHA", Kind::Stack(ScalarOpcode::PushA), Sets::OPTION3),
    row("RCC", Kind::Scalar(ScalarOpcode::Rcc), SINCE_1_1.and(Sets::OPTION2)),
    row("RCP", Kind::Scalar(ScalarOpcode::Rcp), ALWAYS),
    row("RET", Kind::Return, OPTIONAL),
    row("RSQ", Kind::Scalar(ScalarOpcode::Rsq), ALWAYS),
    row("SEQ", Kind::Vector(VectorOpcode::Seq), OPTIONAL),
    row("SFL", Kind::Constant(VectorOpcode::Sfl), OPTIONAL),
    row("SGE", Kind::Vector(VectorOpcode::Sge), ALWAYS),
    row("SGT", Kind::Vector(VectorOpcode::Sgt), OPTIONAL),
    row("SIN", Kind::Scalar(ScalarOpcode::Sin), OPTIONAL),
    row("SLE", Kind::Vector(VectorOpcode::Sle), OPTIONAL),
    row("SLT", Kind::Vector(VectorOpcode::Slt), ALWAYS),
    row("SNE", Kind::Vector(VectorOpcode::Sne), OPTIONAL),
    row("SSG", Kind::Vector(VectorOpcode::Ssg), OPTIONAL),
    row("STR", Kind::Constant(VectorOpcode::Str), OPTIONAL),
    row("SUB", Kind::Subtract, NEW_IN_1_1),
    row("SWZ", Kind::Swizzle, Sets::ARB),
    row("TEX", Kind::Texture(Lookup::Plain), Sets::OPTION3),
    // Without derivatives the level is 0 plus the bias in w.
    row("TXB", Kind::Texture(Lookup::Level), Sets::OPTION3),
    row("TXL", Kind::Texture(Lookup::Level), Sets::OPTION3),
    row("TXP", Kind::Texture(Lookup::Projective), Sets::OPTION3),
    row("XPD", Kind::CrossProduct, Sets::ARB),
];

/// An opcode, split from its suffixes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mnemonic {
    /// The operation.
    pub(super) kind: Kind,
    /// The condition register that is written.
    pub(super) update: Option<u8>,
    /// Results are clamped to 0..1.
    pub(super) saturate: bool,
}

/// Splits `MULC1_SAT` into opcode and suffixes. Only some languages have suffixes.
pub(super) fn mnemonic(word: &str, sets: Sets) -> Option<Mnemonic> {
    let find = |name: &str| TABLE.iter().find(|row| row.name == name && row.sets.meets(sets)).map(|row| row.kind);
    let has_second = sets.meets(Sets::OPTION3);
    let has_update = sets.meets(Sets::VP2_0.and(Sets::OPTION2).and(Sets::OPTION3));
    let (rest, saturate) = match word.strip_suffix("_SAT") {
        Some(rest) if has_second => (rest, true),
        _ => (word, false),
    };
    if let Some(kind) = find(rest) {
        return (kind.has_result() || !saturate).then_some(Mnemonic { kind, update: None, saturate });
    }
    [("C", 0), ("C0", 0), ("C1", 1)].into_iter().find_map(|(suffix, register)| {
        let kind = find(rest.strip_suffix(suffix)?)?;
        let is_known = has_update && kind.has_result() && (has_second || suffix == "C");
        is_known.then_some(Mnemonic { kind, update: Some(register), saturate })
    })
}

/// Which other language has an opcode that this one lacks.
pub(super) fn languages_of(word: &str) -> Option<&'static str> {
    let sets = TABLE.iter().find(|row| row.name == word)?.sets;
    Some(if sets.meets(Sets::OPTION3) {
        "it needs OPTION NV_vertex_program3"
    } else if sets == Sets::ARB {
        "it belongs to !!ARBvp1.0"
    } else if sets.meets(Sets::VP1_1) {
        "it belongs to !!VP1.1 and later languages"
    } else if sets.meets(Sets::ARB) {
        "it belongs to !!VP2.0 and !!ARBvp1.0"
    } else {
        "it belongs to !!VP2.0 and OPTION NV_vertex_program2"
    })
}

#[cfg(test)]
mod tests {
    use super::{Kind, Sets, TABLE, mnemonic};
    use crate::isa::nv40_vertex::VectorOpcode;

    #[test]
    fn the_table_is_sorted_and_every_language_has_its_count() {
        assert!(TABLE.is_sorted_by(|a, b| a.name < b.name));
        let count = |sets: Sets| TABLE.iter().filter(|row| row.sets.meets(sets)).count();
        // NV_vertex_program has 17 operations, 1.1 four more; NV_vertex_program2 39; ARB_vertex_program 27.
        assert_eq!([Sets::VP1_0, Sets::VP1_1, Sets::VP2_0, Sets::ARB].map(count), [17, 21, 39, 27]);
    }

    #[test]
    fn suffixes_are_taken_off_where_the_language_has_them() {
        let all = Sets::ARB.and(Sets::OPTION2).and(Sets::OPTION3);
        let found = mnemonic("ADDC1_SAT", all).unwrap();
        assert_eq!(found.kind, Kind::Vector(VectorOpcode::Add));
        assert_eq!((found.update, found.saturate), (Some(1), true));
        assert_eq!(mnemonic("FRC", all).unwrap().update, None);
        assert_eq!(mnemonic("FRCC0", all).unwrap().update, Some(0));
        assert!(mnemonic("ADDC", Sets::VP1_1).is_none());
        assert!(mnemonic("ADDC1", Sets::VP2_0).is_none());
        assert!(mnemonic("ADD_SAT", Sets::VP2_0).is_none());
        assert!(mnemonic("RETC", all).is_none() && mnemonic("BRA_SAT", all).is_none());
        assert!(mnemonic("SEQ", Sets::ARB).is_none());
    }
}
