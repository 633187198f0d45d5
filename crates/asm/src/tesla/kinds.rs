//! What texts for the Tesla processor begin with, and the names of kinds of programs.

use crate::shader::simt::ProgramKind;

/// What a text begins with.
pub const HEADER: &str = "!!Tesla1.0";

/// The kinds of programs with their names.
pub const KINDS: [(ProgramKind, &str); 4] = [
    (ProgramKind::Compute, "compute"),
    (ProgramKind::Vertex, "vertex"),
    (ProgramKind::Geometry, "geometry"),
    (ProgramKind::Fragment, "fragment"),
];
