//! The opcodes of the fragment languages: operands, suffixes, and which language has them.
//!
//! Source: the opcode tables of `NV_fragment_program`, `ARB_fragment_program`, `NV_fragment_program_option` and
//! `NV_fragment_program2`.

use super::code::Clamp;
use crate::arith::Precision;
use crate::cursor::shortened;
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::nv40_fragment::FragmentOpcode as Op;

/// What an opcode of a language computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// One of the chip's own.
    Chip(Op),
    /// ABS.
    Absolute,
    /// SUB.
    Subtract,
    /// DPH.
    HomogeneousDot,
    /// CMP.
    Compare,
    /// SCS.
    SineCosine,
    /// XPD.
    CrossProduct,
    /// SWZ.
    ExtendedSwizzle,
    /// POW, as 2 to the power of a product: a base of zero with a power of zero gives NaN.
    Power,
    /// KIL of a vector, or of a condition, depending on the operand.
    KillNegative,
    /// KIL of a condition.
    KillTested,
}

/// Languages as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialects(u8);

impl Dialects {
    /// `!!FP1.0`.
    pub(super) const FP: Self = Self(1);
    /// `!!ARBfp1.0`.
    pub(super) const ARB: Self = Self(2);
    /// `OPTION NV_fragment_program`.
    pub(super) const NV: Self = Self(4);
    /// `OPTION NV_fragment_program2`.
    pub(super) const NV2: Self = Self(8);

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Which suffixes an opcode may have besides saturation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Suffixes {
    /// R, H or X, and C.
    Fixed,
    /// R or H, and C.
    Float,
    /// C.
    Condition,
    /// None, and no saturation.
    None,
}

/// One opcode of the languages.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpcodeRow {
    pub(super) mnemonic: &'static str,
    pub(super) operation: Operation,
    /// One letter per operand: `v` vector, `s` scalar.
    pub(super) operands: &'static str,
    suffixes: Suffixes,
    dialects: Dialects,
}

impl OpcodeRow {
    /// Whether the languages have it.
    pub(super) const fn is_in(&self, dialects: Dialects) -> bool {
        dialects.has(self.dialects)
    }

    /// Whether a word is its mnemonic, alone or saturated.
    pub(super) fn is_spelled(&self, word: &str) -> bool {
        word.strip_prefix(self.mnemonic).is_some_and(|rest| matches!(rest, "" | "_SAT"))
    }
}

const fn row(
    mnemonic: &'static str,
    operation: Operation,
    operands: &'static str,
    suffixes: Suffixes,
    dialects: Dialects,
) -> OpcodeRow {
    OpcodeRow { mnemonic, operation, operands, suffixes, dialects }
}

const fn chip(op: Op, operands: &'static str, suffixes: Suffixes, dialects: Dialects) -> OpcodeRow {
    row(op.mnemonic(), Operation::Chip(op), operands, suffixes, dialects)
}

/// In every language.
const ALL: Dialects = Dialects::FP.with(Dialects::ARB);
/// In the languages of NV30.
const NV30: Dialects = Dialects::FP.with(Dialects::NV);

/// Every opcode that is not flow.
pub(super) const TABLE: &[OpcodeRow] = &[
    row("ABS", Operation::Absolute, "v", Suffixes::Fixed, Dialects::ARB),
    chip(Op::Add, "vv", Suffixes::Fixed, ALL),
    row("CMP", Operation::Compare, "vvv", Suffixes::Fixed, Dialects::ARB),
    chip(Op::Cos, "s", Suffixes::Float, ALL),
    chip(Op::Ddx, "v", Suffixes::Float, NV30),
    chip(Op::Ddy, "v", Suffixes::Float, NV30),
    chip(Op::Div, "vs", Suffixes::Float, Dialects::NV2),
    chip(Op::Dp2, "vv", Suffixes::Fixed, Dialects::NV2),
    chip(Op::Dp2a, "vvv", Suffixes::Fixed, Dialects::NV2),
    chip(Op::Dp3, "vv", Suffixes::Fixed, ALL),
    chip(Op::Dp4, "vv", Suffixes::Fixed, ALL),
    row("DPH", Operation::HomogeneousDot, "vv", Suffixes::Fixed, Dialects::ARB),
    chip(Op::Dst, "vv", Suffixes::Float, ALL),
    chip(Op::Ex2, "s", Suffixes::Float, ALL),
    chip(Op::Flr, "v", Suffixes::Fixed, ALL),
    chip(Op::Frc, "v", Suffixes::Fixed, ALL),
    row("KIL", Operation::KillNegative, "v", Suffixes::None, ALL),
    chip(Op::Lg2, "s", Suffixes::Float, ALL),
    chip(Op::Lit, "v", Suffixes::Float, ALL),
    chip(Op::Lrp, "vvv", Suffixes::Fixed, ALL),
    chip(Op::Mad, "vvv", Suffixes::Fixed, ALL),
    chip(Op::Max, "vv", Suffixes::Fixed, ALL),
    chip(Op::Min, "vv", Suffixes::Fixed, ALL),
    chip(Op::Mov, "v", Suffixes::Fixed, ALL),
    chip(Op::Mul, "vv", Suffixes::Fixed, ALL),
    chip(Op::Nrm, "v", Suffixes::Float, Dialects::NV2),
    chip(Op::Pk2h, "v", Suffixes::None, NV30),
    chip(Op::Pk2us, "v", Suffixes::None, NV30),
    chip(Op::Pk4b, "v", Suffixes::None, NV30),
    chip(Op::Pk4ub, "v", Suffixes::None, NV30),
    row("POW", Operation::Power, "ss", Suffixes::Float, ALL),
    chip(Op::Rcp, "s", Suffixes::Float, ALL),
    chip(Op::Rfl, "vv", Suffixes::Float, NV30),
    chip(Op::Rsq, "s", Suffixes::Float, ALL),
    row("SCS", Operation::SineCosine, "s", Suffixes::Float, Dialects::ARB),
    chip(Op::Seq, "vv", Suffixes::Fixed, NV30),
    chip(Op::Sfl, "vv", Suffixes::Fixed, NV30),
    chip(Op::Sge, "vv", Suffixes::Fixed, ALL),
    chip(Op::Sgt, "vv", Suffixes::Fixed, NV30),
    chip(Op::Sin, "s", Suffixes::Float, ALL),
    chip(Op::Sle, "vv", Suffixes::Fixed, NV30),
    chip(Op::Slt, "vv", Suffixes::Fixed, ALL),
    chip(Op::Sne, "vv", Suffixes::Fixed, NV30),
    chip(Op::Str, "vv", Suffixes::Fixed, NV30),
    row("SUB", Operation::Subtract, "vv", Suffixes::Fixed, ALL),
    row("SWZ", Operation::ExtendedSwizzle, "", Suffixes::Fixed, Dialects::ARB),
    chip(Op::Tex, "v", Suffixes::Condition, ALL),
    chip(Op::Txb, "v", Suffixes::Condition, Dialects::ARB),
    chip(Op::Txd, "vvv", Suffixes::Condition, NV30),
    chip(Op::Txl, "v", Suffixes::Condition, Dialects::NV2),
    chip(Op::Txp, "v", Suffixes::Condition, ALL),
    chip(Op::Up2h, "s", Suffixes::Condition, NV30),
    chip(Op::Up2us, "s", Suffixes::Condition, NV30),
    chip(Op::Up4b, "s", Suffixes::Condition, NV30),
    chip(Op::Up4ub, "s", Suffixes::Condition, NV30),
    chip(Op::X2d, "vvv", Suffixes::Float, NV30),
    row("XPD", Operation::CrossProduct, "vv", Suffixes::Fixed, Dialects::ARB),
];

/// The opcodes of flow, which only `NV_fragment_program2` has.
pub(super) const FLOW: [&str; 10] = ["IF", "ELSE", "ENDIF", "LOOP", "ENDLOOP", "REP", "ENDREP", "BRK", "CAL", "RET"];

/// An opcode with its suffixes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mnemonic {
    pub(super) row: &'static OpcodeRow,
    pub(super) precision: Option<Precision>,
    pub(super) updates_condition: bool,
    pub(super) clamp: Clamp,
}

/// Reads a word as an opcode with suffixes.
///
/// # Errors
/// When the language has no such opcode, or not with these suffixes.
pub(super) fn mnemonic(word: &str, span: &Span, dialects: Dialects) -> Result<Mnemonic, Diagnostic> {
    let (stem, clamp) = if let Some(stem) = word.strip_suffix("_SAT") {
        (stem, Clamp::Unsigned)
    } else if let Some(stem) = word.strip_suffix("_SSAT") {
        (stem, Clamp::Signed)
    } else {
        (word, Clamp::None)
    };
    let candidates = TABLE.iter().filter_map(|row| Some((row, suffix(stem.strip_prefix(row.mnemonic)?)?)));
    let Some((row, (precision, updates_condition))) = candidates.max_by_key(|(row, _)| row.mnemonic.len()) else {
        let names = TABLE.iter().filter(|row| dialects.has(row.dialects)).map(|row| row.mnemonic);
        return Err(Diagnostic::new(span.clone(), format!("unknown opcode `{}`", shortened(word)))
            .refuse(word)
            .label("not an opcode of this language")
            .suggest(stem, names.chain(FLOW)));
    };
    let refuse = |what: &str| Err(Diagnostic::new(span.clone(), format!("`{}` {what}", shortened(word))).refuse(word));
    if !dialects.has(row.dialects) {
        return refuse(&format!("needs {}", needed(row.dialects)));
    }
    let has_suffixes = dialects.has(NV30);
    if (precision.is_some() || updates_condition) && !has_suffixes {
        return refuse("has a suffix, which needs OPTION NV_fragment_program");
    }
    if clamp == Clamp::Signed && !dialects.has(Dialects::NV2) {
        return refuse("saturates with sign, which needs OPTION NV_fragment_program2 or !!FP2.0");
    }
    let fits = match row.suffixes {
        Suffixes::Fixed => true,
        Suffixes::Float => precision != Some(Precision::Fx12),
        Suffixes::Condition => precision.is_none(),
        Suffixes::None => precision.is_none() && !updates_condition && clamp == Clamp::None,
    };
    if !fits {
        return refuse(match row.suffixes {
            Suffixes::Fixed | Suffixes::Float => "has no fixed-point precision (X)",
            Suffixes::Condition => "has no precision suffix",
            Suffixes::None => "has no suffixes",
        });
    }
    Ok(Mnemonic { row, precision, updates_condition, clamp })
}

/// Reads precision and C after a mnemonic.
fn suffix(text: &str) -> Option<(Option<Precision>, bool)> {
    let (precision, rest) = match text.as_bytes().first() {
        Some(b'R') => (Some(Precision::Fp32), &text[1..]),
        Some(b'H') => (Some(Precision::Fp16), &text[1..]),
        Some(b'X') => (Some(Precision::Fx12), &text[1..]),
        _ => (None, text),
    };
    matches!(rest, "" | "C").then_some((precision, rest == "C"))
}

fn needed(dialects: Dialects) -> &'static str {
    if dialects.has(Dialects::NV) {
        "OPTION NV_fragment_program or !!FP1.0"
    } else if dialects.has(Dialects::NV2) {
        "OPTION NV_fragment_program2 or !!FP2.0"
    } else {
        "!!ARBfp1.0"
    }
}

#[cfg(test)]
mod tests {
    use super::{Clamp, Dialects, Precision, mnemonic};

    const NV2: Dialects = Dialects::ARB.with(Dialects::NV).with(Dialects::NV2);

    #[test]
    fn suffixes_follow_the_mnemonic_in_order() {
        let read = |word: &str| mnemonic(word, &(0..0), NV2).unwrap();
        let parts = |word: &str| {
            let read = read(word);
            (read.row.mnemonic, read.precision, read.updates_condition, read.clamp)
        };
        assert_eq!(parts("MULRC_SAT"), ("MUL", Some(Precision::Fp32), true, Clamp::Unsigned));
        assert_eq!(parts("FRCC"), ("FRC", None, true, Clamp::None));
        assert_eq!(parts("FRC"), ("FRC", None, false, Clamp::None));
        assert_eq!(parts("DP2A"), ("DP2A", None, false, Clamp::None));
        assert_eq!(parts("DP2AX_SSAT"), ("DP2A", Some(Precision::Fx12), false, Clamp::Signed));
        assert_eq!(parts("PK2H"), ("PK2H", None, false, Clamp::None));
        assert_eq!(parts("UP2HC"), ("UP2H", None, true, Clamp::None));
        assert_eq!(parts("TEXC_SAT"), ("TEX", None, true, Clamp::Unsigned));
    }

    #[test]
    fn what_a_language_lacks_is_named() {
        let message = |word: &str, dialects| mnemonic(word, &(0..0), dialects).unwrap_err().message;
        assert_eq!(message("TXL", Dialects::ARB), "`TXL` needs OPTION NV_fragment_program2 or !!FP2.0");
        assert_eq!(message("DDX", Dialects::ARB), "`DDX` needs OPTION NV_fragment_program or !!FP1.0");
        assert_eq!(message("CMP", Dialects::FP), "`CMP` needs !!ARBfp1.0");
        assert_eq!(message("MULR", Dialects::ARB), "`MULR` has a suffix, which needs OPTION NV_fragment_program");
        assert_eq!(message("DIVX", NV2), "`DIVX` has no fixed-point precision (X)");
        assert_eq!(message("TEXH", NV2), "`TEXH` has no precision suffix");
        assert_eq!(message("KIL_SAT", NV2), "`KIL_SAT` has no suffixes");
        let unknown = mnemonic("MULL", &(0..0), NV2).unwrap_err();
        assert_eq!(unknown.notes, ["did you mean `MUL`?"]);
    }
}
