//! Notifiers: 16 bytes that an object writes once a method is done (methods 0x104 and 0x180 of every class).

use std::collections::BTreeMap;

use super::anomalies::Reason;
use super::context::Context;
use super::{CLASS_COPY, CLASS_NULL, ChipError};
use crate::command::methods::{class_table, memory_copy};
use crate::memory::MemoryWindow;
use crate::work::Work;

/// Bytes of a notifier: time, 32 bits of information, 16 more, status.
const NOTIFIER_BYTES: u32 = 16;

/// What each class has bound and asked for.
#[derive(Debug, Default)]
pub(super) struct Notifiers {
    classes: BTreeMap<u32, Notifier>,
    /// Whether any class waits for its next method.
    is_any_armed: bool,
}

#[derive(Debug, Default)]
struct Notifier {
    window: MemoryWindow,
    is_armed: bool,
}

impl Notifiers {
    /// Takes the methods that concern notifiers; false when the method is another one.
    pub(super) fn method(&mut self, class: u32, context: &mut Context<'_>) -> Result<bool, ChipError> {
        if class == CLASS_NULL || class_table(class).is_none() {
            return Ok(false);
        }
        match context.method {
            memory_copy::NOTIFY if context.value > 1 => context.anomaly(Reason::IllegalValue)?,
            memory_copy::NOTIFY => {
                self.classes.entry(class).or_default().is_armed = true;
                self.is_any_armed = true;
            }
            memory_copy::DMA_NOTIFY => self.classes.entry(class).or_default().window = context.dma()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes the notifier of a class whose method is done, where it was asked for.
    pub(super) fn finish(&mut self, class: u32, context: &mut Context<'_>) -> Result<(), ChipError> {
        let notifies_itself = class == CLASS_COPY && context.method == memory_copy::BUF_NOTIFY;
        if !self.is_any_armed && !notifies_itself {
            return Ok(());
        }
        let Some(notifier) = self.classes.get_mut(&class) else { return Ok(()) };
        if !notifier.is_armed && !notifies_itself {
            return Ok(());
        }
        notifier.is_armed = false;
        let window = notifier.window.truncated(NOTIFIER_BYTES);
        self.is_any_armed = self.classes.values().any(|notifier| notifier.is_armed);
        if window.bytes < NOTIFIER_BYTES {
            return Ok(());
        }
        context.execute(&Work::WriteNotifier { window, timestamp_ns: context.time_ns })
    }
}
