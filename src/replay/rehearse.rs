//! Plays a stream ahead on a device that computes nothing, so that its kernels are compiled on all cores before they are
//! needed.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Player, ReplayOptions};
use crate::capture::Capture;
use crate::gpu::Gpu;
use crate::kernels::{KernelOptions, Kernels};
use crate::pipeline::Engine as _;

/// Calls `play`, which plays a capture with these options on `gpu`, and rehearses the capture on another thread meanwhile if
/// the driver has its kernels to compile.
pub fn with_rehearsal<T>(
    gpu: Option<&Gpu>,
    (capture, options, kernels): (&Capture, &ReplayOptions, KernelOptions),
    play: impl FnOnce() -> T,
) -> T {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if let Some(idle) = gpu.filter(|gpu| gpu.compiles_slowly()).and_then(Gpu::rehearsal) {
            scope.spawn(|| rehearse(idle, capture, options, kernels, &is_over));
        }
        let played = play();
        is_over.store(true, Ordering::Relaxed);
        played
    })
}

/// Plays a capture on a device of [`Gpu::rehearsal`] to its end, to the first error, or until `is_over`. Whatever fails here
/// fails in earnest as well.
pub fn rehearse(idle: Gpu, capture: &Capture, options: &ReplayOptions, kernels: KernelOptions, is_over: &AtomicBool) {
    let sizes = (capture.header.vram_bytes, capture.header.gart_bytes);
    let (Ok(mut engine), Ok(mut player)) =
        (Kernels::new(idle, kernels, sizes.0, sizes.1), Player::new(capture, options))
    else {
        return;
    };
    while !is_over.load(Ordering::Relaxed) && matches!(player.step(&mut engine), Ok(Some(_))) {}
    // The last draws may still wait to be merged with others.
    let _ = engine.finish();
}
