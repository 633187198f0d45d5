//! Puts a layer around an engine, which sees the commands and the host's writes on their way to it.

use super::{Engine, EngineError, GpuCommand};
use crate::memory::{MemorySpace, MemoryWindow};

/// An engine around another one. What the layer does not define, the inner engine does.
pub trait EngineLayer: std::fmt::Debug {
    /// The inner engine.
    fn inner(&self) -> &dyn Engine;

    /// The inner engine, to execute something.
    fn inner_mut(&mut self) -> &mut dyn Engine;

    /// Passes a command on, or does something else instead; see [`Engine::execute`].
    ///
    /// # Errors
    /// When the command cannot be executed.
    fn pass_command(&mut self, command: &GpuCommand) -> Result<(), EngineError>;

    /// Passes bytes on that the host writes; see [`Engine::write_memory`].
    ///
    /// # Errors
    /// When the device fails.
    fn pass_write(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.inner_mut().write_memory(window, bytes)
    }
}

impl<L: EngineLayer> Engine for L {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        self.inner_mut().grow_memory(space, end)
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.inner().memory_extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.pass_write(window, bytes)
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.inner_mut().read_memory(window, bytes)
    }

    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        self.pass_command(command)
    }

    fn end_frame(&mut self, unfinished: usize) -> Result<(), EngineError> {
        self.inner_mut().end_frame(unfinished)
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        self.inner_mut().finish()
    }
}
