//! Finds the machine that runs a capture.

use curie::capture::Capture;
use curie::machine::{AnyMachine, MachineError, open_for};

use super::failure::Failure;

/// Finds the machine that runs a capture: the named one, or the default of the capture's family.
pub(super) fn open_machine(machine: Option<&str>, name: &str, capture: &Capture) -> Result<AnyMachine, Failure> {
    open_for(machine, &capture.header).map_err(|error| failure(error, name, capture))
}

/// Fails unless the machine of a name runs a capture.
pub(super) fn check_machine(machine: &str, name: &str, capture: &Capture) -> Result<(), Failure> {
    open_for(Some(machine), &capture.header).map(drop).map_err(|error| failure(error, name, capture))
}

/// An error with the name of the capture, and the machines that run it.
fn failure(error: MachineError, name: &str, capture: &Capture) -> Failure {
    match error {
        MachineError::Chipset(_) | MachineError::OtherFamily { .. } => format!("{name}: {error}").into(),
        MachineError::Unreadable { name: wanted, bundled, source } => {
            let runs = |machine: &&str| open_for(Some(machine), &capture.header).is_ok();
            let machines: Vec<_> = bundled.into_iter().filter(runs).collect();
            let machines = machines.join(", ");
            format!("no machine is called '{wanted}', and no such file can be read ({source}); for {name}: {machines}")
                .into()
        }
        error => error.into(),
    }
}
