//! Finds machines by name, by file and by capture.

use std::io::ErrorKind;
use std::path::Path;

use super::any::{AnyMachine, Sheet};
use super::bundled::{bundled, machine_names};
use super::error::MachineError;
use super::family::{Family, MachineKind};
use super::parameters::Machine;
use super::read::read;
use super::tesla_parameters::TeslaMachine;
use crate::capture::Header;
use crate::files;

/// The most bytes of a machine file.
const MAX_BYTES: u64 = 1 << 20;

/// Finds a machine with processors for each stage: a bundled one by its name, or one in a file.
///
/// # Errors
/// When there is neither, it has a unified processor, or the file has faults.
pub fn open(name: &str) -> Result<Machine, MachineError> {
    open_of(name, Some(MachineKind::Staged))?.staged()
}

/// Finds a machine with a unified processor: a bundled one by its name, or one in a file.
///
/// # Errors
/// When there is neither, it has processors for each stage, or the file has faults.
pub fn open_tesla(name: &str) -> Result<TeslaMachine, MachineError> {
    open_of(name, Some(MachineKind::Unified))?.unified()
}

/// Finds a machine of any family: a bundled one by its name, or one in a file.
///
/// # Errors
/// When there is neither, or the file has faults.
pub fn open_any(name: &str) -> Result<AnyMachine, MachineError> {
    open_of(name, None)
}

/// Finds the machine that runs a capture: by name or file like [`open_any`], or the default of the capture's family.
///
/// # Errors
/// When there is none, its file has faults, or its family does not run the capture.
pub fn open_for(name: Option<&str>, header: &Header) -> Result<AnyMachine, MachineError> {
    let Some(name) = name else { return open_any(Family::of_chipset(header.chipset)?.default_machine) };
    let machine = open_any(name)?;
    let Sheet { name, title, family, .. } = machine.sheet();
    if family.answers_to(header.chipset) {
        return Ok(machine);
    }
    let (name, title) = (name.to_owned(), title.to_owned());
    Err(MachineError::OtherFamily { name, title, family, chipset: header.chipset })
}

/// Finds a machine of any family; an error lists the bundled ones of a kind.
fn open_of(name: &str, kind: Option<MachineKind>) -> Result<AnyMachine, MachineError> {
    if let Some(machine) = bundled().iter().find(|machine| machine.name == name) {
        return read(machine.name, machine.text);
    }
    let path = Path::new(name);
    let file = path.display().to_string();
    match files::read_text(path, MAX_BYTES) {
        Ok(text) => read(&file, &text),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => {
            Err(MachineError::TooLong { file, limit_bytes: MAX_BYTES })
        }
        Err(source) => Err(MachineError::Unreadable { name: file, bundled: machine_names(kind), source }),
    }
}
