//! The text form of fragment microcode, `!!NV40fp1.0`, into words: everything that the microcode can say.

use super::super::cursor::Cursor;
use super::super::diagnostic::Diagnostic;
use super::assembly::FragmentAssembly;

pub(super) fn assemble_native(_cursor: &mut Cursor<'_>) -> Result<FragmentAssembly, Vec<Diagnostic>> {
    Err(Vec::new())
}
