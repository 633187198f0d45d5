//! The channel: executes the methods of the puller.

use super::ChipError;
use super::anomalies::Reason;
use super::class::Context;
use super::objects::GraphicsObject;
use super::tesla::Semaphores;
use crate::command::methods::puller;
use crate::memory::MemoryWindow;
use crate::pipeline::GpuCommand;

/// State of the puller.
#[derive(Debug)]
pub(super) struct Channel {
    /// The objects on the subchannels.
    pub(super) bound: [Option<GraphicsObject>; 8],
    reference_count: u32,
    semaphores: Option<MemoryWindow>,
    /// `None` after an illegal offset.
    semaphore_offset: Option<u32>,
    virtual_semaphores: Semaphores,
}

impl Default for Channel {
    fn default() -> Self {
        Self {
            bound: [None; 8],
            reference_count: 0,
            semaphores: None,
            semaphore_offset: Some(0),
            virtual_semaphores: Semaphores::default(),
        }
    }
}

impl Channel {
    pub(super) const fn reference_count(&self) -> u32 {
        self.reference_count
    }

    /// Executes a method below 0x100.
    pub(super) fn method(&mut self, subchannel: u8, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        if context.objects.virtual_memory.is_some() && self.virtual_semaphores.method(context)? {
            return Ok(());
        }
        match context.method {
            puller::OBJECT => match context.objects.graphics(value) {
                Some(object) => self.bound[usize::from(subchannel & 7)] = Some(object),
                None => context.anomaly(Reason::UnknownHandle)?,
            },
            puller::REF_CNT => self.reference_count = value,
            puller::DMA_SEMAPHORE => self.semaphores = Some(context.dma()?),
            puller::SEMAPHORE_OFFSET => {
                self.semaphore_offset = (value & !0xffc == 0).then_some(value);
                if self.semaphore_offset.is_none() {
                    context.anomaly(Reason::IllegalValue)?;
                }
            }
            puller::SEMAPHORE_ACQUIRE => {
                let window = self.semaphore(context)?;
                let mut stored = [0; 4];
                context.engine.read_memory(window, &mut stored)?;
                if u32::from_le_bytes(stored) != value {
                    // There is one channel, so no other can release it.
                    context.anomaly(Reason::Deadlock)?;
                }
            }
            puller::SEMAPHORE_RELEASE => {
                let window = self.semaphore(context)?;
                context.execute(&GpuCommand::WriteFence { window, value })?;
            }
            puller::YIELD => {}
            _ => context.anomaly(Reason::UnknownMethod)?,
        }
        Ok(())
    }

    fn semaphore(&self, context: &mut Context<'_>) -> Result<MemoryWindow, ChipError> {
        let Some(window) = self.semaphores else {
            context.anomaly(Reason::UnknownHandle)?;
            return Ok(MemoryWindow::EMPTY);
        };
        // A PlayStation 3 writes four bytes, and none after an offset that is no multiple of four, not at the offset
        // before it either (RPCS3, pull request 8246). Unverified: an acquire then finds zero.
        Ok(self.semaphore_offset.map_or(MemoryWindow::EMPTY, |offset| window.from_offset(offset).truncated(4)))
    }
}
