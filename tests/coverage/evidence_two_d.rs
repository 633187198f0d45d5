//! Evidence, a line each: section, names, test, reason.

/// The lines.
pub(crate) const GROUPS: &[[&str; 4]] = &[];
