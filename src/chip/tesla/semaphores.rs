//! Semaphores of the puller of G84 and later, at virtual addresses.
//!
//! Source: envytools `docs/hw/fifo/puller.rst`.

use super::address::Address;
use super::report::Report;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::class::Context;
use crate::command::methods::tesla::fifo;

/// The semaphore that the next trigger acts on.
#[derive(Debug, Default)]
pub(crate) struct Semaphores {
    address: Address,
    sequence: u32,
}

impl Semaphores {
    /// Executes a method; returns whether it is one of semaphores.
    pub(crate) fn method(&mut self, context: &mut Context<'_>) -> Result<bool, ChipError> {
        let value = context.value;
        match context.method {
            fifo::SEMAPHORE_ADDRESS_HIGH => self.address.high = value,
            fifo::SEMAPHORE_ADDRESS_LOW => self.address.low = value,
            fifo::SEMAPHORE_SEQUENCE => self.sequence = value,
            fifo::SEMAPHORE_TRIGGER if value & 0xf == fifo::RELEASE => {
                let report = Report { address: self.address, sequence: self.sequence };
                report.write(context, [self.sequence, 0], false)?;
            }
            fifo::SEMAPHORE_TRIGGER => {
                let mut stored = [0; 4];
                let window = context.objects.virtual_window(self.address.value());
                context.engine.read_memory(window, &mut stored)?;
                let found = u32::from_le_bytes(stored);
                let is_acquired = match value & 0xf {
                    fifo::ACQUIRE_EQUAL => found == self.sequence,
                    fifo::ACQUIRE_GREATER_OR_EQUAL => found.wrapping_sub(self.sequence).cast_signed() >= 0,
                    _ => return context.anomaly(Reason::IllegalValue).map(|()| true),
                };
                if !is_acquired {
                    // There is one channel, so no other can release it.
                    context.anomaly(Reason::Deadlock)?;
                }
            }
            fifo::NOTIFY_INTR | fifo::WRCACHE_FLUSH => {}
            _ => return Ok(false),
        }
        Ok(true)
    }
}
