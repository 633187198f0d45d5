//! Handles reports of counters, and conditional rendering.

use super::Processor;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field};
use crate::chip::class::Context;
use crate::chip::tesla::address::Address;
use crate::chip::tesla::condition::holds;
use crate::command::methods::tesla::three_d::from_1400 as methods;
use crate::pipeline::{GpuCommand, PipelineCounter, ReportedCounter};

/// `QUERY_GET` of a query whose report is not written.
const MODE_SYNC: u32 = 1;

/// The value of `QUERY_GET` whose report has the number in the second word.
const DROPPED_PRIMITIVES: u32 = 3;

/// The value of `QUERY_GET` whose report tells where a buffer of stream output ends.
const STREAM_OFFSET: u32 = 13;

/// The counter with this unit and number.
const fn counter(selected: [u32; 2]) -> Option<ReportedCounter> {
    match selected {
        [15, 1] => Some(ReportedCounter::PassedSamples),
        [5, 5] => Some(ReportedCounter::WrittenPrimitives),
        [5, 6] => Some(ReportedCounter::GeneratedPrimitives),
        [1, 0] => Some(ReportedCounter::Pipeline(PipelineCounter::FetchedVertices)),
        [1, 1] => Some(ReportedCounter::Pipeline(PipelineCounter::FetchedPrimitives)),
        [2, 2] => Some(ReportedCounter::Pipeline(PipelineCounter::VertexThreads)),
        [6, 3] => Some(ReportedCounter::Pipeline(PipelineCounter::GeometryThreads)),
        [6, 4] => Some(ReportedCounter::Pipeline(PipelineCounter::EmittedPrimitives)),
        [4, 7] => Some(ReportedCounter::Pipeline(PipelineCounter::RasterizerInputs)),
        [4, 8] => Some(ReportedCounter::Pipeline(PipelineCounter::RasterizerOutputs)),
        [10, 9] => Some(ReportedCounter::Pipeline(PipelineCounter::Pixels)),
        _ => None,
    }
}

/// The counter of samples in `COUNTER_RESET`.
const RESET_SAMPLES: u32 = 1;

impl Processor {
    /// Executes a method of reports and conditions.
    pub(super) fn report_method(&mut self, method: u16, context: &mut Context<'_>) -> Result<(), ChipError> {
        match method {
            methods::QUERY_GET => self.report(context),
            methods::COUNTER_RESET if context.value == RESET_SAMPLES => {
                context.execute(&GpuCommand::ResetSampleCounter)
            }
            methods::COUNTER_RESET => context.anomaly(Reason::Unsupported("a reset of another counter than samples")),
            _ => self.condition(context),
        }
    }

    /// Executes `QUERY_GET`.
    fn report(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        if field(value, 1, 0) == MODE_SYNC {
            return Ok(());
        }
        let report = self.reports[0];
        let (is_count, select) = (bit(value, 23), field(value, 27, 24));
        if !bit(value, 28)
            && let Some(counter) = counter([field(value, 15, 12), select])
        {
            self.counts_stages |= matches!(counter, ReportedCounter::Pipeline(_));
            return report.write_counter(counter, is_count, context);
        }
        let words = match (is_count, select) {
            (false, STREAM_OFFSET) => return self.stream_offset(field(value, 7, 5) as usize, context),
            (true, _) => {
                context.anomaly(Reason::Unsupported("this counter"))?;
                [0; 2]
            }
            (false, DROPPED_PRIMITIVES) => [0, report.sequence],
            (false, _) => [report.sequence, 0],
        };
        report.write(context, words, bit(value, 28))
    }

    /// Reports where a buffer of stream output ends.
    // Unverified: that the report tells the bytes from the buffer's address, as Mesa's driver writes them to `STRMOUT_OFFSET`.
    fn stream_offset(&self, number: usize, context: &mut Context<'_>) -> Result<(), ChipError> {
        let offset = self.registers.element(methods::STRMOUT_OFFSET, 4, number);
        match self.begins_stream {
            true => self.reports[0].write(context, [self.reports[0].sequence, offset], false),
            false => self.reports[0].write_offset([offset, 4 * self.stream_vertex_words(number)], context),
        }
    }

    /// Executes `COND_MODE`.
    fn condition(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let address = Address {
            high: self.registers.get(methods::COND_ADDRESS_HIGH),
            low: self.registers.get(methods::COND_ADDRESS_LOW),
        };
        match holds(address, context)? {
            Some(holds) => self.is_rendering = holds,
            None => return context.anomaly(Reason::IllegalValue),
        }
        Ok(())
    }
}
