//! Runs a compute launch on the adapter, on memory of the host or on guest memory.

use super::context::Context;
use super::run_on_host::{HostReason, run_launch_on_host, warn_once};
use super::stages::launch::{LaunchInputs, LaunchStage, Ran, Texels};
pub use super::stages::launch::{PASSES, RunLaunchError};
use crate::gpu::Gpu;
use crate::memory::MemoryWindow;
use crate::pipeline::EngineError;
use crate::pipeline::launch::{
    ComputeLaunch, Launch, LaunchLimits, LaunchMemory, LaunchOptions, LaunchReport, without_faults,
};

/// Runs a launch on memory, which is uploaded once and read back once. Races are not looked for, and no warp is traced. `passes`
/// are those of a dispatch, at most [`PASSES`].
///
/// # Errors
/// When the launch does not fit on the processor or does not end, or the adapter cannot run it.
pub fn run_launch(
    gpu: &Gpu,
    launch: &Launch,
    limits: &LaunchLimits,
    memory: &mut LaunchMemory,
    instruction_limit: u64,
    passes: u32,
) -> Result<LaunchReport, RunLaunchError> {
    let buffers: Vec<_> = memory.buffers().iter().map(|buffer| (buffer.address, buffer.bytes.len())).collect();
    let held = &*memory;
    let inputs = LaunchInputs {
        launch,
        limits,
        buffers: &buffers,
        load: &|gpu, _, to, places| {
            for (buffer, place) in held.buffers().iter().zip(places) {
                let (words, rest) = buffer.bytes.split_at(buffer.bytes.len() & !3);
                gpu.upload(to, *place, words);
                if !rest.is_empty() {
                    let mut word = [0; 4];
                    word[..rest.len()].copy_from_slice(rest);
                    gpu.upload(to, place + words.len() as u64, &word);
                }
            }
        },
        texels: Texels::Host(memory.texels()),
        instruction_limit,
        passes,
    };
    let Ran { memory: ran, places, outcome } = LaunchStage::default().run(gpu, &mut gpu.record(), &inputs)?;
    let places: Vec<_> = places.into_iter().map(|place| usize::try_from(place).unwrap_or(usize::MAX)).collect();
    let end = memory.buffers().last().zip(places.last()).map_or(0, |(last, place)| place + last.bytes.len());
    let mut bytes = vec![0; end.next_multiple_of(4)];
    gpu.download(&ran, 0, &mut bytes)?;
    for (buffer, place) in memory.buffers_mut().iter_mut().zip(places) {
        let size = buffer.bytes.len();
        buffer.bytes.copy_from_slice(&bytes[place..place + size]);
    }
    outcome.map_err(RunLaunchError::from)
}

/// Runs a launch on guest memory: on a copy of its windows that the device makes of its mirror. What the program may have written
/// is copied back, and stays on the device. Textures are read in the mirror.
///
/// # Errors
/// As for [`run_launch`], and when threads had faults; memory then holds what was written.
pub(super) fn run_guest_launch(
    context: &mut Context,
    stage: &mut LaunchStage,
    launch: &ComputeLaunch,
) -> Result<(), EngineError> {
    let windows: Vec<_> = launch.windows.iter().map(|(_, window)| *window).collect();
    let textures = launch.texture_windows();
    let reached = || [&windows[..], &textures].concat();
    let has_texels = |window: &MemoryWindow| context.locate(*window).bytes == window.bytes;
    if !can_copy(&windows) || !textures.iter().all(has_texels) || !context.memory.can_hold(&reached) {
        return run_on_host_copies(context, launch);
    }
    context.upload(&reached)?;
    let mirror = context.memory.buffer().clone();
    // The mirror's windows end with memory; what a copy has beyond is zero.
    let places: Vec<_> = windows.iter().map(|window| context.locate(*window)).collect();
    let words = |bytes: u32| u64::from(bytes).next_multiple_of(4);
    let buffers: Vec<_> = launch.windows.iter().map(|(address, window)| (*address, window.bytes as usize)).collect();
    let inputs = LaunchInputs {
        launch: &launch.launch,
        limits: &launch.limits,
        buffers: &buffers,
        load: &|_, recording, to, starts| {
            for (place, start) in places.iter().zip(starts) {
                recording.copy((&mirror, place.start.into()), (to, *start), words(place.bytes));
            }
        },
        texels: Texels::Mirror(&context.memory),
        instruction_limit: LaunchOptions::default().instruction_limit,
        passes: PASSES,
    };
    let gpu = context.gpu.clone();
    let ran = match stage.run(&gpu, &mut context.recording, &inputs) {
        Err(RunLaunchError::TooMuchMemory { .. }) => return run_on_host_copies(context, launch),
        ran => ran?,
    };
    let written = launch.written_windows();
    for (((window, place), start), _) in
        windows.iter().zip(&places).zip(&ran.places).zip(written).filter(|(_, is_written)| *is_written)
    {
        context.recording.copy((&ran.memory, *start), (&mirror, place.start.into()), words(place.bytes));
        context.memory.mark_device_write(*window);
    }
    context.submit_if_full()?;
    without_faults(&ran.outcome.map_err(RunLaunchError::from)?)
}

/// Whether the device can copy windows one after the other and back again: they begin at words, and no two share bytes.
fn can_copy(windows: &[MemoryWindow]) -> bool {
    let mut sorted: Vec<_> = windows.iter().map(|window| (window.space as usize, window.start, window.bytes)).collect();
    sorted.sort_unstable();
    let is_apart = sorted.windows(2).all(|pair| {
        let (space, start, bytes) = pair[0];
        space != pair[1].0 || u64::from(start) + u64::from(bytes).next_multiple_of(4) <= u64::from(pair[1].1)
    });
    is_apart && windows.iter().all(|window| window.start.is_multiple_of(4))
}

/// Runs a launch on copies of its windows that the host makes: where the device cannot hold or copy them. If even a launch of its
/// own is too large for the device, or it reads textures, the reference engine runs it.
fn run_on_host_copies(context: &mut Context, launch: &ComputeLaunch) -> Result<(), EngineError> {
    let gpu = context.gpu.clone();
    let mut is_on_host = false;
    let has_textures = !launch.texture_windows().is_empty();
    let done = launch.run_on(context, |launch, texels, limits, memory| {
        let limit = LaunchOptions::default().instruction_limit;
        if !has_textures {
            match run_launch(&gpu, launch, limits, memory, limit, PASSES) {
                Err(RunLaunchError::TooMuchMemory { .. }) => {}
                report => return Ok(report?),
            }
        }
        is_on_host = true;
        Ok(run_launch_on_host(launch, texels, limits, memory)?)
    });
    if is_on_host {
        warn_once(context, HostReason::Memory);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemorySpace;

    #[test]
    fn windows_with_shared_bytes_are_not_copied_on_the_device() {
        let window = |space, start, bytes| MemoryWindow { space, start, bytes };
        let vram = |start, bytes| window(MemorySpace::Vram, start, bytes);
        assert!(can_copy(&[]) && can_copy(&[vram(256, 256), vram(0, 256)]));
        assert!(can_copy(&[vram(0, 256), window(MemorySpace::Gart, 0, 256)]));
        assert!(!can_copy(&[vram(0, 256), vram(252, 4)]));
        // The last word of the first one has bytes of the second one.
        assert!(!can_copy(&[vram(0, 253), vram(254, 4)]) && !can_copy(&[vram(2, 4)]));
    }
}
