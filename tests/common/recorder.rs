//! An engine that records commands instead of drawing: memory commands take effect, pixels stay unchanged.

use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::{Engine, EngineError, GpuCommand};

/// Guest memory, and all commands from the chip.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) memory: GuestMemory,
    pub(crate) work: Vec<GpuCommand>,
    /// The number of commands to keep; further ones are only counted.
    pub(crate) limit: usize,
    pub(crate) executed: usize,
    /// The value that reports carry.
    pub(crate) samples: u32,
}

impl Recorder {
    pub(crate) fn new(vram_bytes: u64, gart_bytes: u64) -> Self {
        let memory = GuestMemory::new(vram_bytes, gart_bytes).unwrap();
        Self { memory, work: Vec::new(), limit: usize::MAX, executed: 0, samples: 0 }
    }
}

impl Engine for Recorder {
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
            GpuCommand::ZeroMemory(window) => self.memory.slice_mut(*window).fill(0),
            GpuCommand::WriteFence { window, value } => {
                self.memory.write(*window, 0, &value.to_le_bytes());
            }
            GpuCommand::WriteReport { window, report } => {
                let words = report.with_value(self.samples);
                self.memory.write(*window, 0, &words.map(u32::to_le_bytes).concat());
            }
            GpuCommand::WriteNotifier { window, timestamp_ns } => {
                let mut notifier = [0; 16];
                notifier[..8].copy_from_slice(&timestamp_ns.to_le_bytes());
                self.memory.write(*window, 0, &notifier);
            }
            GpuCommand::Draw(_)
            | GpuCommand::Clear(_)
            | GpuCommand::CopyMemory(_)
            | GpuCommand::ScaleImage(_)
            | GpuCommand::Launch(_)
            | GpuCommand::ResetSampleCounter => {}
        }
        self.executed += 1;
        if self.work.len() < self.limit {
            self.work.push(command.clone());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}
