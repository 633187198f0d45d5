//! Reports that queries of the 3D and the compute class write.
//!
//! Source: envytools `rnndb/graph/g80_3d.xml`, `QUERY_GET`: a short report is the sequence number alone; a long one holds
//! two words and the time.

use super::address::Address;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::class::Context;
use crate::pipeline::{CounterReport, GpuCommand, ReportedCounter};

/// The bytes of a report that is not short.
const REPORT_BYTES: u32 = 16;

/// Where a report is written, and its number.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Report {
    pub(super) address: Address,
    pub(super) sequence: u32,
}

impl Report {
    /// Writes a report of a counter: as 64 bits, or as the word behind the number.
    pub(super) fn write_counter(
        self,
        counter: ReportedCounter,
        is_count: bool,
        context: &mut Context<'_>,
    ) -> Result<(), ChipError> {
        self.write_report(context, |time| match is_count {
            true => CounterReport::before_time(counter, time),
            false => CounterReport::numbered(self.sequence, counter, time),
        })
    }

    /// Writes a report of where a buffer of stream output ends. `vertices` are the offset of the first vertex and the bytes of one.
    pub(super) fn write_offset(self, vertices: [u32; 2], context: &mut Context<'_>) -> Result<(), ChipError> {
        self.write_report(context, |time| CounterReport::offset(self.sequence, vertices, time))
    }

    fn write_report(
        self,
        context: &mut Context<'_>,
        report: impl FnOnce(u64) -> CounterReport,
    ) -> Result<(), ChipError> {
        let address = self.address.value() & !3;
        let found = context.objects.virtual_buffer(address).filter(|(_, window)| window.bytes >= REPORT_BYTES);
        let Some((_, window)) = found else {
            return context.anomaly(Reason::OutsideBuffers);
        };
        context.note_written(address);
        let report = report(context.clock.read());
        context.execute(&GpuCommand::WriteReport { window, report })
    }

    /// Writes a report: its first word alone if it is short. Such a word tells that earlier commands are done.
    pub(super) fn write(self, context: &mut Context<'_>, words: [u32; 2], is_short: bool) -> Result<(), ChipError> {
        let address = self.address.value() & !3;
        context.counts.reports += 1;
        if is_short {
            let found = context.objects.virtual_buffer(address).filter(|(_, window)| window.bytes >= 4);
            let Some((_, window)) = found else {
                return context.anomaly(Reason::OutsideBuffers);
            };
            context.note_written(address);
            return context.execute(&GpuCommand::WriteFence { window, value: words[0] });
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(context.clock.read().to_le_bytes());
        context.write_virtual(address, &bytes)
    }
}
