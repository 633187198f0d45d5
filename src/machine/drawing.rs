//! A machine as the models of draws see it.

use super::any::AnyMachine;
use super::parameters::Machine;
use super::tesla_parameters::TeslaMachine;

/// A machine with the numbers that models of draws need.
#[derive(Debug, Clone, Copy)]
pub enum DrawingMachine<'machine> {
    /// With processors for each stage.
    Staged(&'machine Machine),
    /// With one processor for the programs of all stages.
    Unified(&'machine TeslaMachine),
}

impl DrawingMachine<'_> {
    /// The clock of the chip, of a unified processor that of the rest of the chip, in Hz.
    #[must_use]
    pub const fn core_hertz(self) -> f64 {
        let megahertz = match self {
            Self::Staged(machine) => machine.clocks.core_mhz,
            Self::Unified(machine) => machine.clocks.core_mhz,
        };
        megahertz * 1e6
    }

    /// Bytes per second between the chip and its memory.
    #[must_use]
    pub fn memory_bytes_per_second(self) -> f64 {
        match self {
            Self::Staged(machine) => machine.memory_bytes_per_second(),
            Self::Unified(machine) => machine.memory_bytes_per_second(),
        }
    }
}

impl<'machine> From<&'machine Machine> for DrawingMachine<'machine> {
    fn from(machine: &'machine Machine) -> Self {
        Self::Staged(machine)
    }
}

impl<'machine> From<&'machine TeslaMachine> for DrawingMachine<'machine> {
    fn from(machine: &'machine TeslaMachine) -> Self {
        Self::Unified(machine)
    }
}

impl<'machine> From<&'machine AnyMachine> for DrawingMachine<'machine> {
    fn from(machine: &'machine AnyMachine) -> Self {
        match machine {
            AnyMachine::Staged(machine) => Self::Staged(machine),
            AnyMachine::Unified(machine) => Self::Unified(machine),
        }
    }
}
