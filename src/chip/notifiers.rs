//! Notifiers: 16 bytes that an object writes once a method is done (methods 0x104 and 0x180 of every class).

use std::collections::BTreeMap;

use super::anomalies::Reason;
use super::context::Context;
use super::{CLASS_COPY, CLASS_NULL, ChipError};
use crate::command::methods::{class_table, memory_copy};
use crate::memory::MemoryWindow;
use crate::pipeline::GpuCommand;

/// Bytes of a notifier: time, 32 bits of information, 16 more, status.
const NOTIFIER_BYTES: u32 = 16;

/// What each class has bound and asked for.
#[derive(Debug, Default)]
pub(super) struct Notifiers {
    windows: BTreeMap<u32, MemoryWindow>,
    /// Classes whose next method that is done writes the notifier.
    armed: Vec<u32>,
}

impl Notifiers {
    /// Whether the method that begins now writes the notifier of its class once it is done.
    pub(super) fn begin(&mut self, class: u32, method: u16) -> bool {
        let armed = self.armed.iter().position(|armed| *armed == class);
        if let Some(index) = armed {
            self.armed.swap_remove(index);
        }
        armed.is_some() || class == CLASS_COPY && method == memory_copy::BUF_NOTIFY
    }

    /// Takes the methods that concern notifiers; false when the method is another one.
    pub(super) fn method(&mut self, class: u32, context: &mut Context<'_>) -> Result<bool, ChipError> {
        if class == CLASS_NULL || class_table(class).is_none() {
            return Ok(false);
        }
        match context.method {
            memory_copy::NOTIFY if context.value > 1 => context.anomaly(Reason::IllegalValue)?,
            memory_copy::NOTIFY => self.armed.push(class),
            memory_copy::DMA_NOTIFY => {
                let window = context.dma()?;
                self.windows.insert(class, window);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes the notifier of a class whose method is done.
    pub(super) fn write(&self, class: u32, context: &mut Context<'_>) -> Result<(), ChipError> {
        let window = self.windows.get(&class).copied().unwrap_or_default().truncated(NOTIFIER_BYTES);
        if window.bytes < NOTIFIER_BYTES {
            return Ok(());
        }
        context.execute(&GpuCommand::WriteNotifier { window, timestamp_ns: context.time_ns })
    }
}
