//! Records single commands: the device, and the stages that commands go through.

use super::context::Context;
use super::draw_pipeline::DrawPipeline;
use super::plan::reached_memory::ReachedMemory;
use super::plan::transfer;
use super::run_launch::run_guest_launch;
use super::run_on_host::{HostReason, run_on_host};
use super::stages::launch::LaunchStage;
use super::stages::transfer::{TransferStage, zero_memory};
use crate::memory::MemoryWindow;
use crate::pipeline::front_end::check_draw::check_draw;
use crate::pipeline::{CounterReport, EngineError, GpuCommand, ReportedCounter, host_transfer};

/// The device and the stages that record into it.
#[derive(Debug)]
pub(super) struct Executor {
    pub(super) context: Context,
    pub(super) draws: DrawPipeline,
    pub(super) transfers: TransferStage,
    pub(super) launches: LaunchStage,
}

impl Executor {
    /// Records a command; a draw merges with no other.
    pub(super) fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        let Self { context, draws, transfers, launches } = self;
        let reached = || ReachedMemory::of_command(command);
        if !context.memory.can_hold(&|| reached().windows()) {
            let stages = (&mut draws.counting, &mut draws.stream_out);
            return run_on_host(context, stages, command, &reached(), HostReason::Memory);
        }
        let counters = draws.counting.counters();
        match command {
            GpuCommand::Draw(draw) => {
                check_draw(draw)?;
                match draws.prepare(context, draw)? {
                    Ok(merged) => draws.record(context, &merged),
                    Err(_) => Ok(()),
                }
            }
            GpuCommand::Clear(clear) => transfers.clear(context, counters, clear),
            GpuCommand::CopyMemory(copy) => transfers.copy_memory(context, counters, copy),
            GpuCommand::ScaleImage(image) => transfers.scale_image(context, counters, image),
            GpuCommand::ZeroMemory(window) => zero_memory(context, *window),
            GpuCommand::Launch(launch) => run_guest_launch(context, launches, launch),
            GpuCommand::ResetSampleCounter => {
                draws.counting.reset_samples(context);
                Ok(())
            }
            GpuCommand::WriteReport { window, report } => {
                let streamed = draws.stream_out.counts(context)?;
                let counters = match report.counter {
                    ReportedCounter::PassedSamples => counters,
                    ReportedCounter::GeneratedPrimitives
                    | ReportedCounter::WrittenPrimitives
                    | ReportedCounter::StreamedVertices => &streamed,
                    ReportedCounter::Pipeline(counter) => {
                        let value = draws.counting.statistics.get_or_insert_default().value(counter);
                        let (counters, words) = (draws.counting.counters(), report.with_value(value));
                        return write_known_words(context, transfers, counters, *window, &words);
                    }
                };
                transfers.write_words(context, counters, window.truncated(16), |locate| {
                    transfer::write_report(*window, *report, locate)
                })
            }
            GpuCommand::WriteNotifier { window, timestamp_ns } => {
                let words = CounterReport::after_time(*timestamp_ns).words;
                write_known_words(context, transfers, counters, *window, &words)
            }
            GpuCommand::WriteFence { window, value } => {
                write_known_words(context, transfers, counters, *window, &[*value])
            }
        }
    }
}

/// Writes a fence, report or notifier whose words the host knows: on the device if the bytes there are newer.
fn write_known_words(
    context: &mut Context,
    transfers: &mut TransferStage,
    counters: &wgpu::Buffer,
    window: MemoryWindow,
    words: &[u32],
) -> Result<(), EngineError> {
    let bytes = size_of_val(words).try_into().unwrap_or(u32::MAX);
    let (written, memory) = (window.truncated(bytes), &mut context.memory);
    if !memory.is_device_newer(written) {
        host_transfer::write_words(memory.host_mut(), window, words);
        memory.mark_host_write(written);
        return Ok(());
    }
    transfers.write_words(context, counters, written, |locate| transfer::write_known_words(window, words, locate))
}
