//! Plays a stream ahead on a device that computes nothing, so that its kernels are compiled on all cores before they are
//! needed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Player, ReplayError, ReplayOptions};
use crate::capture::Capture;
use crate::gpu::Gpu;
use crate::kernels::{KernelOptions, Kernels};
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::{Engine, EngineError, GpuCommand, NullEngine};

/// How long a rehearsal waits before it asks again whether it is needed.
const PAUSE: Duration = Duration::from_millis(10);

/// Calls `play`, which plays a capture with these options on `gpu`, and rehearses the capture on another thread meanwhile, as
/// soon as the driver takes long for a kernel.
pub fn with_rehearsal<T>(
    gpu: Option<&Gpu>,
    stream: (&Capture, &ReplayOptions, KernelOptions),
    play: impl FnOnce() -> T,
) -> T {
    let Some(gpu) = gpu.filter(|gpu| gpu.compiled().is_some()) else { return play() };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let rehearsal = scope.spawn(|| {
            // Other streams may have left the first kernels on disk.
            while !gpu.compiles_slowly() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::park_timeout(PAUSE);
            }
            if let Some(idle) = gpu.rehearsal() {
                // Whatever fails here fails in earnest as well.
                let _ = rehearse(idle, stream, &is_over);
            }
        });
        let playing = Playing(&is_over);
        let played = play();
        drop(playing);
        rehearsal.thread().unpark();
        played
    })
}

/// A stream that plays; its rehearsal is over once it ends, also by a panic.
struct Playing<'a>(&'a AtomicBool);

impl Drop for Playing<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Plays a capture on a device of [`Gpu::rehearsal`] to its end, or until `is_over`.
///
/// # Errors
/// When a record cannot be applied.
pub fn rehearse(
    idle: Gpu,
    (capture, options, kernels): (&Capture, &ReplayOptions, KernelOptions),
    is_over: &AtomicBool,
) -> Result<(), ReplayError> {
    let mut player = Player::new(capture, options)?;
    let sizes = (capture.header.vram_bytes, capture.header.gart_bytes);
    rehearse_steps(idle, kernels, sizes, is_over, |engine| Ok(player.step(engine)?.is_some()))
}

/// Plays a stream step by step on a device of [`Gpu::rehearsal`], with memory of these sizes. `step` plays a part and returns
/// whether more follows. The rehearsal ends after the last part, or once `is_over` is set.
///
/// # Errors
/// Those of `step`, or when the device cannot hold the memory.
pub fn rehearse_steps(
    idle: Gpu,
    kernels: KernelOptions,
    (vram, gart): (u64, u64),
    is_over: &AtomicBool,
    mut step: impl FnMut(&mut IdleKernels) -> Result<bool, ReplayError>,
) -> Result<(), ReplayError> {
    let mut engine = IdleKernels::new(Kernels::new(idle, kernels, vram, gart)?, vram, gart)?;
    while !is_over.load(Ordering::Relaxed) && step(&mut engine)? {}
    // The last draws may still wait to be merged with others.
    Ok(engine.finish()?)
}

/// Kernels on a device that computes nothing, beside memory in which the copies and reports of the stream take effect, so
/// that microcode is where the stream puts it. Compute launches are left out, as their end depends on what they compute.
#[derive(Debug)]
pub struct IdleKernels {
    kernels: Kernels,
    host: NullEngine,
}

impl IdleKernels {
    /// Creates memory of these sizes, in bytes, for kernels with the same.
    ///
    /// # Errors
    /// When they are impossible.
    pub fn new(kernels: Kernels, vram_bytes: u64, gart_bytes: u64) -> Result<Self, EngineError> {
        Ok(Self { kernels, host: NullEngine::new(vram_bytes, gart_bytes)?.forgetting() })
    }
}

impl Engine for IdleKernels {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        self.host.grow_memory(space, end)?;
        self.kernels.grow_memory(space, end)
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.kernels.memory_extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.host.write_memory(window, bytes)?;
        self.kernels.write_memory(window, bytes)
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.host.read_memory(window, bytes)
    }

    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        self.host.execute(command)?;
        if matches!(command, GpuCommand::Launch(_)) {
            return Ok(());
        }
        self.kernels.execute(command)?;
        let written = match command {
            GpuCommand::CopyMemory(copy) => {
                copy.destination.truncated(copy.destination_pitch.saturating_mul(copy.line_count))
            }
            GpuCommand::WriteReport { window, .. } => window.truncated(16),
            _ => return Ok(()),
        };
        self.kernels.write_memory(written, self.host.memory().slice(written))
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        self.kernels.finish()
    }
}
