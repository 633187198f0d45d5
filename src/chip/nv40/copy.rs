//! Turns registers of the memory-to-memory copy, class 0x0039, into [`MemoryCopy`].

use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::field;
use crate::chip::class::{Class, Context};
use crate::command::methods::memory_copy as methods;
use crate::memory::MemoryWindow;
use crate::pipeline::{GpuCommand, MemoryCopy};

/// The largest legal pitch.
const MAX_PITCH: u32 = 0x7fff;
/// The first illegal line length.
const LINE_LENGTH_END: u32 = 0x0040_0000;
/// The first illegal line count.
const LINE_COUNT_END: u32 = 0x800;

/// State of the copy class.
#[derive(Debug)]
pub(super) struct Copy {
    input: MemoryWindow,
    output: MemoryWindow,
    offsets: [u32; 2],
    pitches: [u32; 2],
    line_length: u32,
    line_count: u32,
    format: u32,
}

impl Default for Copy {
    fn default() -> Self {
        Self {
            input: MemoryWindow::EMPTY,
            output: MemoryWindow::EMPTY,
            offsets: [0; 2],
            pitches: [0; 2],
            line_length: 0,
            line_count: 0,
            format: 0x101,
        }
    }
}

impl Class for Copy {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let is_legal = match context.method {
            methods::PITCH_IN | methods::PITCH_OUT => value <= MAX_PITCH,
            methods::LINE_LENGTH_IN => value < LINE_LENGTH_END,
            methods::LINE_COUNT => value < LINE_COUNT_END,
            methods::FORMAT => {
                let is_step = |step| matches!(step, 1 | 2 | 4);
                value & !0x707 == 0 && is_step(field(value, 2, 0)) && is_step(field(value, 10, 8))
            }
            _ => true,
        };
        if !is_legal {
            return context.anomaly(Reason::IllegalValue);
        }
        match context.method {
            methods::NOP => {}
            methods::DMA_BUFFER_IN => self.input = context.dma()?,
            methods::DMA_BUFFER_OUT => self.output = context.dma()?,
            methods::OFFSET_IN => self.offsets[0] = value,
            methods::OFFSET_OUT => self.offsets[1] = value,
            methods::PITCH_IN => self.pitches[0] = value,
            methods::PITCH_OUT => self.pitches[1] = value,
            methods::LINE_LENGTH_IN => self.line_length = value,
            methods::LINE_COUNT => self.line_count = value,
            methods::FORMAT => self.format = value,
            methods::BUF_NOTIFY => {
                context.notifies = true;
                return self.start(context);
            }
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

impl Copy {
    fn start(&self, context: &mut Context<'_>) -> Result<(), ChipError> {
        if self.line_length == 0 || self.line_count == 0 {
            return Ok(());
        }
        let destination = self.output.from_offset(self.offsets[1]);
        let destination_increment = field(self.format, 10, 8);
        // Elements beyond the destination are dropped; after this many, none lies in the first line.
        let line_length = self.line_length.min(destination.bytes.div_ceil(destination_increment.max(1)));
        if line_length == 0 {
            return Ok(());
        }
        context.execute(&GpuCommand::CopyMemory(MemoryCopy {
            source: self.input.from_offset(self.offsets[0]),
            destination,
            source_pitch: self.pitches[0],
            destination_pitch: self.pitches[1],
            line_length,
            line_count: self.line_count,
            source_increment: field(self.format, 2, 0),
            destination_increment,
        }))
    }
}
