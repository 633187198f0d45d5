//! Finds graphics machines by name, by file and by capture.

use std::io::ErrorKind;
use std::path::Path;

use super::bundled::{Bundled, TESLA_MACHINES, bundled, names};
use super::error::MachineError;
use super::family::Family;
use super::parameters::Machine;
use crate::capture::Header;
use crate::files;

/// The most bytes of a machine file.
const MAX_BYTES: u64 = 1 << 20;

/// Finds a machine: a bundled one by its name, or one in a file.
///
/// # Errors
/// When there is neither, or the file has faults.
pub fn open(name: &str) -> Result<Machine, MachineError> {
    match bundled().iter().find(|machine| machine.name == name) {
        Some(machine) => read(machine.name, machine.text),
        None if TESLA_MACHINES.iter().any(|machine| machine.name == name) => {
            let (name, known) = (name.to_owned(), names(bundled()));
            Err(MachineError::OtherKind { name, kind: "kernels", wanted: "graphics", known })
        }
        None => read_file(Path::new(name), &[bundled()]).and_then(|(file, text)| read(&file, &text)),
    }
}

/// Finds the machine that runs a capture: by name or file like [`open`], or the default of the capture's family.
///
/// # Errors
/// When there is none, its file has faults, or its family does not run the capture.
pub fn open_for(name: Option<&str>, header: &Header) -> Result<Machine, MachineError> {
    let Some(name) = name else { return open(Family::of_chipset(header.chipset)?.default_machine) };
    let machine = open(name)?;
    match machine.family.answers_to(header.chipset) {
        true => Ok(machine),
        false => Err(MachineError::OtherFamily { machine: Box::new(machine), chipset: header.chipset }),
    }
}

/// The name and the text of a machine file; an error lists the known machines.
pub(super) fn read_file(path: &Path, known: &[&'static [Bundled]]) -> Result<(String, String), MachineError> {
    let name = path.display().to_string();
    let known = || known.iter().copied().flat_map(names).collect();
    let unreadable = |source| MachineError::Unreadable { name: name.clone(), bundled: known(), source };
    match files::read_text(path, MAX_BYTES) {
        Ok(text) => Ok((name, text)),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => {
            Err(MachineError::TooLong { file: name, limit_bytes: MAX_BYTES })
        }
        Err(error) => Err(unreadable(error)),
    }
}

/// Reads a machine from the text of a file; errors call it `file`.
///
/// # Errors
/// When the text has faults; all of them are collected.
pub fn read(file: &str, text: &str) -> Result<Machine, MachineError> {
    super::read::read(file, text)
}
