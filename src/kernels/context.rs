//! The device, the open recording and the mirror of guest memory: what commands turn into dispatches over.

use super::bindings::BLOCKS;
use super::memory_mirror::{MemoryMirror, MirrorWindow};
use crate::gpu::{DeviceError, Gpu, Recording};
use crate::memory::MemoryWindow;
use crate::pipeline::EngineError;

/// What every command needs of the device.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) gpu: Gpu,
    /// Commands that are not submitted yet, in the order of the stream.
    pub(super) recording: Recording,
    pub(super) memory: MemoryMirror,
}

impl Context {
    /// Takes a device, with memory that can grow to these sizes in bytes.
    pub(super) fn new(gpu: Gpu, vram_bytes: u64, gart_bytes: u64) -> Result<Self, EngineError> {
        let gpu = gpu.with_blocks_at(BLOCKS);
        let memory = MemoryMirror::new(&gpu, vram_bytes, gart_bytes)?;
        Ok(Self { recording: gpu.record(), gpu, memory })
    }

    /// The place of a window of guest memory on the device.
    pub(super) fn locate(&self, window: MemoryWindow) -> MirrorWindow {
        self.memory.locate(window)
    }

    /// Brings the device up to date for what is recorded next.
    pub(super) fn upload(&mut self) -> Result<(), EngineError> {
        self.memory.upload(&self.gpu, &mut self.recording)
    }

    /// Brings the host's copy of a window up to date.
    pub(super) fn download(&mut self, window: MemoryWindow) -> Result<(), EngineError> {
        self.memory.download(&self.gpu, &mut self.recording, window)
    }

    /// Notes that what is recorded next may change the first bytes of a window.
    pub(super) fn mark_device_write(&mut self, window: MemoryWindow, bytes: u64) {
        self.memory.mark_device_write(window.truncated(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }

    /// Submits what is recorded.
    pub(super) fn submit(&mut self) -> Result<(), DeviceError> {
        self.gpu.flush(&mut self.recording)
    }

    /// Submits what is recorded where it is much.
    pub(super) fn submit_if_full(&mut self) -> Result<(), DeviceError> {
        if self.recording.is_full() { self.submit() } else { Ok(()) }
    }
}
