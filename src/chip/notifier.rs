//! Writes notifiers: 16 bytes that a class writes once a method is done (methods 0x104 and 0x180 of every class).

use super::ChipError;
use super::anomalies::Reason;
use super::class::Context;
use crate::memory::MemoryWindow;
use crate::pipeline::GpuCommand;

/// Bytes of a notifier: time, 32 bits of information, 16 more, status.
const NOTIFIER_BYTES: u32 = 16;

/// `NOTIFY`: the next method of the class writes the notifier.
pub(super) const NOTIFY: u16 = 0x104;
/// `DMA_NOTIFY`: the DMA object that contains the notifier.
pub(super) const DMA_NOTIFY: u16 = 0x180;

/// The location of a class's notifier, and whether the next method writes it.
#[derive(Debug, Default)]
pub(super) struct Notifier {
    window: MemoryWindow,
    is_armed: bool,
}

impl Notifier {
    /// Whether the method that begins now writes the notifier once it is done.
    pub(super) const fn begin(&mut self) -> bool {
        std::mem::replace(&mut self.is_armed, false)
    }

    /// Executes [`NOTIFY`] or [`DMA_NOTIFY`].
    pub(super) fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            DMA_NOTIFY => self.window = context.dma()?,
            _ if context.value > 1 => return context.anomaly(Reason::IllegalValue),
            _ => self.is_armed = true,
        }
        Ok(())
    }

    /// Writes the notifier, if one is bound.
    pub(super) fn write(&self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let window = self.window.truncated(NOTIFIER_BYTES);
        if window.bytes < NOTIFIER_BYTES {
            return Ok(());
        }
        let timestamp_ns = context.clock.read();
        context.execute(&GpuCommand::WriteNotifier { window, timestamp_ns })
    }
}
