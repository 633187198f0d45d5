//! The device, the open recording and the mirror of guest memory: everything that commands record dispatches with.

use super::bindings::BLOCKS;
use super::memory_mirror::{MemoryMirror, MirrorWindow, Reached};
use crate::gpu::{DeviceError, Gpu, Recording};
use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::EngineError;
use crate::pipeline::launch::GuestAccess;

/// The device state that every command needs.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) gpu: Gpu,
    /// Commands that are not submitted yet, in stream order.
    pub(super) recording: Recording,
    pub(super) memory: MemoryMirror,
    /// Whether a command ran on the host, for want of memory on the device.
    pub(super) has_run_on_host: bool,
}

impl Context {
    /// Creates a context on a device, with memory that can grow to these sizes in bytes; the device holds at most
    /// `max_bytes` of it at once.
    pub(super) fn new(gpu: Gpu, vram_bytes: u64, gart_bytes: u64, max_bytes: u64) -> Result<Self, EngineError> {
        let gpu = gpu.with_blocks_at(BLOCKS);
        let memory = MemoryMirror::new(&gpu, vram_bytes, gart_bytes, max_bytes)?;
        Ok(Self { recording: gpu.record(), gpu, memory, has_run_on_host: false })
    }

    /// Locates a window of guest memory in the device's mirror.
    pub(super) fn locate(&self, window: MemoryWindow) -> MirrorWindow {
        self.memory.locate(window)
    }

    /// Brings the memory that a command reaches up to date on the device, which can hold it.
    pub(super) fn upload(&mut self, reached: Reached<'_>) -> Result<(), EngineError> {
        self.memory.upload(&self.gpu, &mut self.recording, reached)
    }

    /// Brings the host's copy of a window up to date.
    pub(super) fn download(&mut self, window: MemoryWindow) -> Result<(), EngineError> {
        self.memory.download(&self.gpu, &mut self.recording, window)
    }

    /// Submits the recording.
    pub(super) fn submit(&mut self) -> Result<(), DeviceError> {
        self.gpu.flush(&mut self.recording)
    }

    /// Submits the recording if it is large.
    pub(super) fn submit_if_full(&mut self) -> Result<(), DeviceError> {
        if self.recording.is_full() { self.submit() } else { Ok(()) }
    }
}

impl GuestAccess for Context {
    fn read(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        let window = window.truncated(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.download(window)?;
        self.memory.host().load(window, bytes);
        Ok(())
    }

    fn write(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        let window = window.truncated(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.memory.download_edges(&self.gpu, &mut self.recording, window)?;
        self.memory.host_mut().store(window, bytes);
        self.memory.mark_host_write(window);
        Ok(())
    }

    fn on_host(&mut self, windows: &[MemoryWindow]) -> Result<&GuestMemory, EngineError> {
        windows.iter().try_for_each(|window| self.download(*window))?;
        Ok(self.memory.host())
    }
}
