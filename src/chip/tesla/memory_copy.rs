//! The memory-to-memory copy, class 0x5039, between linear buffers.
//!
//! Source: envytools `rnndb/graph/nv_m2mf.xml`.

use super::Address;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::field;
use crate::chip::class::Class;
use crate::chip::context::Context;
use crate::command::methods::tesla::memory_copy as methods;
use crate::pipeline::{GpuCommand, MemoryCopy};

/// State of the class; of two values the first one is the source's.
#[derive(Debug, Default)]
pub(super) struct Copy {
    addresses: [Address; 2],
    are_linear: [bool; 2],
    pitches: [u32; 2],
    line_length: u32,
    line_count: u32,
    format: u32,
}

impl Class for Copy {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        match context.method {
            methods::OFFSET_IN_HIGH => self.addresses[0].high = value,
            methods::OFFSET_IN => self.addresses[0].low = value,
            methods::OFFSET_OUT_HIGH => self.addresses[1].high = value,
            methods::OFFSET_OUT => self.addresses[1].low = value,
            methods::LAYOUT_IN => self.are_linear[0] = value & 1 != 0,
            methods::LAYOUT_OUT => self.are_linear[1] = value & 1 != 0,
            methods::PITCH_IN => self.pitches[0] = value,
            methods::PITCH_OUT => self.pitches[1] = value,
            methods::LINE_LENGTH_IN => self.line_length = value,
            methods::LINE_COUNT => self.line_count = value,
            methods::FORMAT => self.format = value,
            methods::BUF_NOTIFY => return self.start(context),
            method if methods::CLASS.find(method).is_none() => return context.anomaly(Reason::UnknownMethod),
            // State of block linear surfaces.
            _ => {}
        }
        Ok(())
    }
}

impl Copy {
    fn start(&self, context: &mut Context<'_>) -> Result<(), ChipError> {
        if self.are_linear != [true; 2] {
            return context.anomaly(Reason::Unsupported("a copy of block linear memory"));
        }
        let [source, destination] = self.addresses.map(|address| context.objects.virtual_window(address.value()));
        context.execute(&GpuCommand::CopyMemory(MemoryCopy {
            source,
            destination,
            source_pitch: self.pitches[0],
            destination_pitch: self.pitches[1],
            line_length: self.line_length,
            line_count: self.line_count,
            source_increment: field(self.format, 2, 0),
            destination_increment: field(self.format, 10, 8),
        }))
    }
}
