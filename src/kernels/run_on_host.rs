//! Runs a command on the reference engine, over the host's copy of guest memory: one that reaches more memory than the device
//! holds at once, or a draw with SIMT programs that need warps, for themselves or for their counters.

use super::context::Context;
use super::draw_counting::DrawCounting;
use super::plan::reached_memory::ReachedMemory;
use super::plan::selected_layers::draws_layers;
use super::stages::stream_out::StreamOutStage;
use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::launch::{Launch, LaunchError, LaunchLimits, LaunchMemory, LaunchOptions, LaunchReport};
use crate::pipeline::{Draw, DrawTotals, EngineError, GpuCommand};
use crate::reference::Reference;
use crate::reference::compute::run_launch_over;

/// Why a command runs on the host.
#[derive(Debug, Clone, Copy)]
pub(super) enum HostReason {
    /// It reaches more memory than the device holds at once, or memory that the device cannot copy.
    Memory,
    /// It draws with SIMT programs that need warps.
    Programs,
    /// It draws with state that only the reference engine implements.
    State,
    /// It draws with SIMT programs whose counts depend on warps while draws are counted: kernels run quads and vertices without the
    /// warps that they share.
    Counting,
    /// It draws while the chip counts what stages do for its reports.
    Statistics,
}

impl HostReason {
    /// Why kernels do not run a draw, whatever its programs are.
    pub(super) fn of_state(draw: &Draw) -> Option<Self> {
        // Batches of vertices, whose size is the engine's, come between the writes of pixels.
        let written = draw.written_windows();
        let reads_targets = draw.stage_windows().any(|window| written.iter().any(|written| written.overlaps(window)));
        (!draws_layers(draw) || reads_targets).then_some(Self::State)
    }
}

/// Runs a command that reaches this memory, and adds what it counts.
pub(super) fn run_on_host(
    context: &mut Context,
    (counting, stream_out): (&mut DrawCounting, &mut StreamOutStage),
    command: &GpuCommand,
    reached: &ReachedMemory,
    reason: HostReason,
) -> Result<(), EngineError> {
    warn_once(context, reason);
    let ReachedMemory { read, written } = reached;
    read.iter().chain(written).try_for_each(|window| context.download(*window))?;
    let mut totals = DrawTotals { statistics: counting.statistics, ..DrawTotals::default() };
    if streams(command) {
        totals.streamed = stream_out.read(context)?;
    }
    let done = Reference::run_on(context.memory.host_mut(), command, counting.options(), &mut totals);
    if streams(command) {
        stream_out.set(context, totals.streamed)?;
    }
    written.iter().for_each(|window: &MemoryWindow| context.memory.mark_host_write(*window));
    counting.statistics = totals.statistics;
    counting.add(context, totals.samples, done?)
}

/// Whether a command has stream output.
fn streams(command: &GpuCommand) -> bool {
    matches!(command, GpuCommand::Draw(draw) if draw.stream_out.is_some())
}

/// Says once what makes a stream slow.
pub(super) fn warn_once(context: &mut Context, reason: HostReason) {
    if std::mem::replace(&mut context.has_run_on_host, true) {
        return;
    }
    let kib = context.memory.max_bytes() >> 10;
    match reason {
        HostReason::Memory => tracing::warn!(
            "a command reaches more memory than the adapter holds at once, {kib} KiB, or cannot copy; such commands run on the reference engine"
        ),
        HostReason::Programs => {
            tracing::warn!("draws with SIMT programs that need whole warps run on the reference engine");
        }
        HostReason::State => {
            tracing::warn!(
                "draws that sample their targets in programs of vertices, or select among layers that share memory or are many, run on the reference engine"
            );
        }
        HostReason::Counting => {
            tracing::warn!("draws with SIMT programs whose counts depend on warps run on the reference engine");
        }
        HostReason::Statistics => {
            tracing::warn!("draws after a query of pipeline statistics run on the reference engine");
        }
    }
}

/// Runs a launch whose memory the device cannot hold or copy.
pub(super) fn run_launch_on_host(
    launch: &Launch,
    texels: &GuestMemory,
    limits: &LaunchLimits,
    memory: &mut LaunchMemory,
) -> Result<LaunchReport, LaunchError> {
    run_launch_over(launch, texels, limits, memory, &LaunchOptions::default(), &mut |_| ())
}
