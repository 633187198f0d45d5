//! What an object's methods may use while they run: the channel's objects, the engine, the clock, the anomaly counts.

use super::ChipError;
use super::anomalies::{Anomalies, Anomaly, Reason};
use super::objects::Objects;
use crate::memory::MemoryWindow;
use crate::pipeline::{Engine, EngineError, GpuCommand};

/// Everything outside the object whose method runs.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) objects: &'a Objects,
    pub(crate) engine: &'a mut dyn Engine,
    pub(crate) anomalies: &'a mut Anomalies,
    pub(crate) is_strict: bool,
    /// The virtual clock.
    pub(crate) time_ns: u64,
    /// Draws that the engine has taken.
    pub(crate) draws: &'a mut u64,
    /// The method that runs.
    pub(crate) class: u32,
    pub(crate) method: u16,
    pub(crate) value: u32,
}

impl Context<'_> {
    /// Counts an anomaly of the running method; an error when strict.
    pub(crate) fn anomaly(&mut self, reason: Reason) -> Result<(), ChipError> {
        let anomaly = Anomaly { class: self.class, method: self.method, reason };
        self.anomalies.count(anomaly.clone(), self.value);
        if self.is_strict {
            return Err(ChipError::Anomaly { anomaly, value: self.value });
        }
        Ok(())
    }

    /// Hands work to the engine. What the engine refuses is counted; a failing device ends the stream.
    pub(crate) fn execute(&mut self, command: &GpuCommand) -> Result<(), ChipError> {
        match self.engine.execute(command) {
            Ok(()) => {
                *self.draws += u64::from(matches!(command, GpuCommand::Draw(_)));
                Ok(())
            }
            Err(error @ (EngineError::Memory(_) | EngineError::Device { .. })) => Err(error.into()),
            Err(error) => self.anomaly(Reason::Engine(error.to_string())),
        }
    }

    /// The memory of the DMA object whose handle is the method's value; empty, and counted, when there is none.
    pub(crate) fn dma(&mut self) -> Result<MemoryWindow, ChipError> {
        match self.objects.dma(self.value) {
            Some(window) => Ok(window),
            None => {
                self.anomaly(Reason::UnknownHandle)?;
                Ok(MemoryWindow::EMPTY)
            }
        }
    }
}
