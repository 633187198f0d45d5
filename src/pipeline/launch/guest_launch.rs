//! A launch whose memory is guest memory.

use super::{FaultSummary, Launch, LaunchLimits, LaunchMemory, LaunchReport};
use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::EngineError;

/// Guest memory as the host reads and writes it, after all earlier commands.
pub trait GuestAccess {
    /// Reads the bytes of a window; zeros beyond the memory's end.
    ///
    /// # Errors
    /// When the device fails.
    fn read(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError>;

    /// Writes the bytes of a window.
    ///
    /// # Errors
    /// When the device fails.
    fn write(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError>;
}

impl GuestAccess for GuestMemory {
    fn read(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.load(window, bytes);
        Ok(())
    }

    fn write(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.store(window, bytes);
        Ok(())
    }
}

/// A launch on guest memory.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputeLaunch {
    /// The launch.
    pub launch: Launch,
    /// The processor's sizes.
    pub limits: LaunchLimits,
    /// The windows into guest memory that are the launch's memory, with their addresses in it: multiples of 256, ascending,
    /// without overlaps.
    pub windows: Vec<(u32, MemoryWindow)>,
}

impl ComputeLaunch {
    /// Runs the launch on copies of the windows, which are written back afterwards.
    ///
    /// # Errors
    /// When guest memory cannot be read or written, `run` fails, or threads had faults; memory then holds what
    /// was written.
    pub fn run_on(
        &self,
        guest: &mut dyn GuestAccess,
        run: impl FnOnce(&Launch, &LaunchLimits, &mut LaunchMemory) -> Result<LaunchReport, EngineError>,
    ) -> Result<(), EngineError> {
        let mut memory = LaunchMemory::default();
        for (address, window) in &self.windows {
            let mut bytes = vec![0; window.bytes as usize];
            guest.read(*window, &mut bytes)?;
            memory.place(*address, bytes);
        }
        let before = memory.clone();
        let done = run(&self.launch, &self.limits, &mut memory);
        for ((_, window), (own, old)) in self.windows.iter().zip(memory.buffers().iter().zip(before.buffers())) {
            if own.bytes != old.bytes {
                guest.write(*window, &own.bytes)?;
            }
        }
        let report = done?;
        match FaultSummary::of(&report.faults) {
            Some(faults) => Err(EngineError::LaunchFaults(faults)),
            None => Ok(()),
        }
    }
}
