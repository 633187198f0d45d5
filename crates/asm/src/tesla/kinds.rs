//! The kinds of programs of the Tesla processor, and their names in texts.

use crate::shader::simt::ProgramKind;

/// The kinds of programs with their names.
pub const KINDS: [(ProgramKind, &str); 4] = [
    (ProgramKind::Compute, "compute"),
    (ProgramKind::Vertex, "vertex"),
    (ProgramKind::Geometry, "geometry"),
    (ProgramKind::Fragment, "fragment"),
];
