//! Classes of graphics objects: their interface to the channel, and what a running method may use: the channel's
//! objects, the other classes, the engine, the clock and the counts.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt::Debug;

use super::anomalies::{Anomalies, Anomaly, Reason};
use super::objects::Objects;
use super::{BoundSurface, ChipError, Clock, MethodCounts};
use crate::memory::MemoryWindow;
use crate::pipeline::{Engine, EngineError, GpuCommand};

/// A class of graphics objects. A channel keeps one state for all objects of a class, as the chip does.
pub(crate) trait Class: Any + Debug + Send {
    /// Executes the method in the context. Methods of notifiers never get here.
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError>;

    /// Executes the method that ran last once more for each of these words, of at least one, of an object of a class. Returns
    /// false, and does nothing, if they have to run one by one: as soon as they do more than to add elements to a primitive.
    fn repeat(&mut self, class: u32, method: u16, words: &[u32]) -> bool {
        let _ = (class, method, words);
        false
    }

    /// The surfaces that drawing would write now: enabled color targets, then depth; of depth the one that was used last, if
    /// the bound one never was.
    fn bound_surfaces(&self, objects: &Objects) -> Vec<BoundSurface> {
        let _ = objects;
        Vec::new()
    }

    /// The buffers that the display reads and the client draws to, if the class counts flips.
    fn flip_buffers(&self) -> Option<(u32, u32)> {
        None
    }

    /// The start of the active fragment program, if the class runs any.
    fn fragment_program(&self) -> Option<MemoryWindow> {
        None
    }
}

/// The classes other than the one whose method runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Peers<'a> {
    pub(super) before: &'a [Box<dyn Class>],
    pub(super) after: &'a [Box<dyn Class>],
}

impl<'a> Peers<'a> {
    /// The state of a class; `None` if the machine has no such class.
    pub(super) fn get<T: Class>(self) -> Option<&'a T> {
        self.before.iter().chain(self.after).find_map(|class| (class.as_ref() as &dyn Any).downcast_ref())
    }
}

/// Everything outside the class whose method runs.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) objects: &'a Objects,
    pub(super) peers: Peers<'a>,
    pub(crate) engine: &'a mut dyn Engine,
    pub(crate) anomalies: &'a mut Anomalies,
    pub(crate) is_strict: bool,
    pub(crate) clock: &'a mut Clock,
    /// What the channel has executed.
    pub(crate) counts: &'a mut MethodCounts,
    /// The buffers that were written by virtual addresses.
    pub(super) written: &'a mut BTreeSet<u32>,
    /// Whether to write the class's notifier after the method.
    pub(crate) notifies: bool,
    /// The class of the object that receives the method, as the client created it; 0 without an object.
    pub(crate) class: u32,
    /// The running method.
    pub(crate) method: u16,
    /// The value written to it.
    pub(crate) value: u32,
}

impl<'a> Context<'a> {
    /// The state of another class; `None` if the machine has no such class.
    pub(crate) fn peer<T: Class>(&self) -> Option<&'a T> {
        self.peers.get()
    }

    /// Counts an anomaly of the running method; returns an error in strict mode.
    pub(crate) fn anomaly(&mut self, reason: Reason) -> Result<(), ChipError> {
        let anomaly = Anomaly { class: self.class, method: self.method, reason };
        self.anomalies.count(anomaly.clone(), self.value);
        if self.is_strict {
            return Err(ChipError::Anomaly { anomaly, value: self.value });
        }
        Ok(())
    }

    /// Passes a command to the engine. Refused commands are counted; a failing device ends the stream.
    pub(crate) fn execute(&mut self, command: &GpuCommand) -> Result<(), ChipError> {
        match self.engine.execute(command) {
            Ok(()) => {
                self.counts.draws += u64::from(matches!(command, GpuCommand::Draw(_)));
                self.counts.clears += u64::from(matches!(command, GpuCommand::Clear(_)));
                self.counts.launches += u64::from(matches!(command, GpuCommand::Launch(_)));
                let is_report = matches!(command, GpuCommand::WriteReport { .. } | GpuCommand::WriteNotifier { .. });
                self.counts.reports += u64::from(is_report);
                Ok(())
            }
            Err(error @ (EngineError::Memory(_) | EngineError::Device { .. })) => Err(error.into()),
            Err(error) => self.anomaly(Reason::Engine(error.to_string())),
        }
    }

    /// Writes bytes at a virtual address. If they are in no buffer, they are dropped, and an anomaly is counted.
    pub(crate) fn write_virtual(&mut self, address: u64, bytes: &[u8]) -> Result<(), ChipError> {
        let found = self.objects.virtual_buffer(address);
        let Some((handle, window)) = found.filter(|(_, window)| window.bytes as usize >= bytes.len()) else {
            return self.anomaly(Reason::OutsideBuffers);
        };
        self.written.insert(handle);
        Ok(self.engine.write_memory(window, bytes)?)
    }

    /// Notes that the buffer at a virtual address is written.
    pub(crate) fn note_written(&mut self, address: u64) {
        self.written.extend(self.objects.virtual_buffer(address).map(|(handle, _)| handle));
    }

    /// The memory of the DMA object whose handle is the method's value. If there is none, returns an empty window
    /// and counts an anomaly.
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
