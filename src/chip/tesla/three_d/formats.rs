//! The formats of depth surfaces.

use crate::format::ZetaFormat;

/// The format of a depth surface.
pub(super) const fn zeta_format(code: u32) -> Option<ZetaFormat> {
    match code {
        0x13 => Some(ZetaFormat::Z16),
        0x14..=0x16 => Some(ZetaFormat::Z24S8),
        _ => None,
    }
}
