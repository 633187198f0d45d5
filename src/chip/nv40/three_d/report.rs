//! Handles fences, reports of the sample counter and of z-cull, and conditional rendering.

use super::ThreeD;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::field;
use crate::chip::class::Context;
use crate::command::methods::three_d::sync as methods;
use crate::pipeline::{CounterReport, GpuCommand};

/// Bytes of a report.
const REPORT_BYTES: u32 = 16;
/// The offset of a report's value.
const REPORT_VALUE: u32 = 8;
/// The counter of samples that pass depth and stencil; 2 to 5 are the counters of z-cull.
const COUNTER_SAMPLES: u32 = 1;
/// The offset bits of `FENCE_OFFSET`. Unverified: the field above them has no effect.
const FENCE_OFFSET_MASK: u32 = 0xff0;

impl ThreeD {
    pub(super) fn report_method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        match context.method {
            methods::QUERY_RESET if value == COUNTER_SAMPLES => context.execute(&GpuCommand::ResetSampleCounter),
            // There are no z-cull counters to reset.
            methods::QUERY_RESET => Ok(()),
            methods::QUERY_GET => self.report(context),
            methods::RENDER_ENABLE => self.render_enable(context),
            _ => {
                let offset = self.registers.get(methods::FENCE_OFFSET) & FENCE_OFFSET_MASK;
                let window = self.window(methods::DMA_FENCE, offset).truncated(4);
                context.execute(&GpuCommand::WriteFence { window, value })
            }
        }
    }

    fn report(&self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let window = self.window(methods::DMA_QUERY, field(context.value, 23, 0)).truncated(REPORT_BYTES);
        let timestamp_ns = context.clock.read();
        if field(context.value, 31, 24) != COUNTER_SAMPLES {
            // Unverified: z-cull discards nothing here, so its statistics report nothing discarded.
            return context.execute(&GpuCommand::WriteNotifier { window, timestamp_ns });
        }
        context.execute(&GpuCommand::WriteReport { window, report: CounterReport::after_time(timestamp_ns) })
    }

    fn render_enable(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        self.is_rendering = match field(context.value, 31, 24) {
            // NV30's drivers write 0.
            0 | 1 => true,
            // Unverified: the report is read here, once, and clears are skipped like draws.
            2 => {
                let offset = field(context.value, 23, 0).saturating_add(REPORT_VALUE);
                let mut report = [0; 4];
                context.engine.read_memory(self.window(methods::DMA_QUERY, offset), &mut report)?;
                report != [0; 4]
            }
            _ => return context.anomaly(Reason::IllegalValue),
        };
        Ok(())
    }
}
