//! The spellings of what instructions do to sources and results, in the order of their bits.

use crate::arith::{Precision, Scale, SourcePrecision};

/// The precisions of results, by their bits, with the suffixes of mnemonics.
pub const PRECISIONS: [(Precision, &str); 4] =
    [(Precision::Fp32, "R"), (Precision::Fp16, "H"), (Precision::Fx12, "X"), (Precision::Fx9, "9")];

/// The scales with the suffixes of mnemonics.
pub const SCALES: [(Scale, &str); 7] = [
    (Scale::One, ""),
    (Scale::Two, "_x2"),
    (Scale::Four, "_x4"),
    (Scale::Eight, "_x8"),
    (Scale::Half, "_d2"),
    (Scale::Quarter, "_d4"),
    (Scale::Eighth, "_d8"),
];

/// The precisions of sources, by their bits, with the functions that clamp to them. Other bits do nothing.
// Tested on a PlayStation 3: 4 saturates (RPCS3, pull requests 8243 and 19326), 5 does nothing (RPCS3,
// `FragmentProgramDecompiler.cpp`). Unverified: 6 and 7 do nothing.
pub const SOURCE_PRECISIONS: [(SourcePrecision, &str); 5] = [
    (SourcePrecision::Full, ""),
    (SourcePrecision::Half, "half"),
    (SourcePrecision::Fx12, "fx12"),
    (SourcePrecision::Fx9, "fx9"),
    (SourcePrecision::Saturate, "sat"),
];

/// The spelling of a value in its table.
pub(super) fn spelling<T: PartialEq>(table: &[(T, &'static str)], value: &T) -> &'static str {
    table.iter().find(|(known, _)| known == value).map_or("", |(_, spelling)| spelling)
}
