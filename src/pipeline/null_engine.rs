//! Provides an engine that executes copies and stores draws and clears for inspection.

use super::host_transfer::write_words;
use super::{Engine, EngineError, GpuCommand, MemoryCopy};
use crate::memory::{GuestMemory, MemoryError, MemorySpace, MemoryWindow};

/// Guest memory that host writes and copies change; draws, clears and launches are stored until they are taken.
#[derive(Debug)]
pub struct NullEngine {
    memory: GuestMemory,
    drawn: Vec<GpuCommand>,
    forgets: bool,
}

impl NullEngine {
    /// Creates memory of these sizes.
    ///
    /// # Errors
    /// When they are impossible.
    pub fn new(vram_bytes: u64, gart_bytes: u64) -> Result<Self, MemoryError> {
        Ok(Self { memory: GuestMemory::new(vram_bytes, gart_bytes)?, drawn: Vec::new(), forgets: false })
    }

    /// The same, without a list of draws, clears and launches.
    #[must_use]
    pub fn forgetting(self) -> Self {
        Self { forgets: true, ..self }
    }

    /// Guest memory, without the effects of draws, clears and images.
    #[must_use]
    pub const fn memory(&self) -> &GuestMemory {
        &self.memory
    }

    /// The draws, clears and launches since the last call.
    pub fn take_drawn(&mut self) -> Vec<GpuCommand> {
        std::mem::take(&mut self.drawn)
    }

    fn copy(&mut self, copy: &MemoryCopy) {
        for line in 0..copy.line_count {
            // Programs are copied unchanged; other copies hold no microcode.
            if copy.source_increment != 1 || copy.destination_increment != 1 {
                return;
            }
            let from = copy.source.from_offset(line.saturating_mul(copy.source_pitch));
            let to = copy.destination.from_offset(line.saturating_mul(copy.destination_pitch));
            let bytes = self.memory.slice(from.truncated(copy.line_length)).to_vec();
            self.memory.store(to, &bytes);
        }
    }
}

impl Engine for NullEngine {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        self.memory.grow(space, end)?;
        Ok(())
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.memory.extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.memory.store(window, bytes);
        Ok(())
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.memory.load(window, bytes);
        Ok(())
    }

    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        match command {
            GpuCommand::Draw(_) | GpuCommand::Clear(_) | GpuCommand::Launch(_) if self.forgets => {}
            GpuCommand::Draw(_) | GpuCommand::Clear(_) | GpuCommand::Launch(_) => self.drawn.push(command.clone()),
            GpuCommand::CopyMemory(copy) => self.copy(copy),
            GpuCommand::ZeroMemory(window) => self.memory.slice_mut(*window).fill(0),
            GpuCommand::WriteFence { window, value } => write_words(&mut self.memory, *window, &[*value]),
            // A count of one keeps draws that depend on it, where draws are kept.
            GpuCommand::WriteReport { window, report } => {
                write_words(&mut self.memory, *window, &report.with_value(u32::from(!self.forgets)));
            }
            GpuCommand::WriteNotifier { window, .. } => {
                self.memory.write(window.truncated(16), 8, &0u64.to_le_bytes());
            }
            GpuCommand::ScaleImage(_) | GpuCommand::ResetSampleCounter => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}
