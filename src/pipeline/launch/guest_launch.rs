//! A launch whose memory is guest memory.

use super::{FaultSummary, Launch, LaunchLimits, LaunchMemory, LaunchReport};
use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::EngineError;
use crate::shader::simt::{Destination, Operation, Space};

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

    /// The host's memory, in which these windows are up to date.
    ///
    /// # Errors
    /// When the device fails.
    fn on_host(&mut self, windows: &[MemoryWindow]) -> Result<&GuestMemory, EngineError>;
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

    fn on_host(&mut self, _: &[MemoryWindow]) -> Result<&GuestMemory, EngineError> {
        Ok(self)
    }
}

/// A launch on guest memory.
///
/// Threads read and write copies of windows, which are written back when the launch has ended. Textures are read in guest
/// memory itself: what the launch writes to their texels is seen by later commands only.
///
/// Source: the CUDA Programming Guide, which leaves texels undefined that the same launch writes.
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
    /// Runs the launch on copies of the windows, which are written back afterwards. `run` also gets the memory with the
    /// texels.
    ///
    /// # Errors
    /// When guest memory cannot be read or written, `run` fails, or threads had faults; memory then holds what
    /// was written.
    pub fn run_on(
        &self,
        guest: &mut dyn GuestAccess,
        run: impl FnOnce(&Launch, &GuestMemory, &LaunchLimits, &mut LaunchMemory) -> Result<LaunchReport, EngineError>,
    ) -> Result<(), EngineError> {
        let mut memory = LaunchMemory::default();
        for (address, window) in &self.windows {
            let mut bytes = vec![0; window.bytes as usize];
            guest.read(*window, &mut bytes)?;
            memory.place(*address, bytes);
        }
        let before = memory.clone();
        let texels = guest.on_host(&self.texture_windows())?;
        let done = run(&self.launch, texels, &self.limits, &mut memory);
        for ((_, window), (own, old)) in self.windows.iter().zip(memory.buffers().iter().zip(before.buffers())) {
            if own.bytes != old.bytes {
                guest.write(*window, &own.bytes)?;
            }
        }
        without_faults(&done?)
    }

    /// The windows of the textures that the program reads.
    #[must_use]
    pub fn texture_windows(&self) -> Vec<MemoryWindow> {
        self.launch.bound_textures().iter().map(|bound| bound.state.view.window).collect()
    }

    /// Whether the program may write each window: it has an instruction that writes a global space there.
    #[must_use]
    pub fn written_windows(&self) -> Vec<bool> {
        let instructions = self.launch.stage.program.instructions().iter().map(|found| &found.instruction);
        let written = instructions.filter_map(|instruction| match (instruction.operation, instruction.destination) {
            (Operation::Atomic { .. }, _) => instruction.memory_source(),
            (_, Destination::Memory(memory)) => Some(memory),
            _ => None,
        });
        let spaces: Vec<_> = written
            .filter_map(|memory| if let Space::Global(number) = memory.space { Some(number) } else { None })
            .filter_map(|number| self.launch.globals.get(&number))
            .collect();
        let is_written = |(address, window): &(u32, MemoryWindow)| {
            let end = u64::from(*address) + u64::from(window.bytes);
            let ends_after = |start: u32, last: u32| u64::from(start) + u64::from(last) >= u64::from(*address);
            spaces.iter().any(|space| u64::from(space.start) < end && ends_after(space.start, space.last))
        };
        self.windows.iter().map(is_written).collect()
    }
}

/// The faults of a launch as an error.
///
/// # Errors
/// When threads had faults.
pub fn without_faults(report: &LaunchReport) -> Result<(), EngineError> {
    match FaultSummary::of(&report.faults) {
        Some(faults) => Err(EngineError::LaunchFaults(faults)),
        None => Ok(()),
    }
}
