//! The 2D class: uploads of bytes to linear memory, by which drivers write code and small buffers. Images are not executed.
//!
//! Source: envytools `rnndb/graph/g80_2d.xml`.

use super::address::Address;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::class::{Class, Context};
use crate::command::methods::tesla::two_d as methods;

/// One byte per texel, of `DST_FORMAT` and `SIFC_FORMAT`: R8 (envytools `rnndb/g80_defs.xml`).
const BYTES: u32 = 0xf3;

/// State of the class.
#[derive(Debug, Default)]
pub(super) struct Upload {
    destination: Address,
    destination_format: u32,
    has_rows: bool,
    format: u32,
    is_bitmap: bool,
    width: u32,
    height: u32,
    x: u32,
    /// The address of the next bytes, and how many the image still has.
    open: Option<(u64, u32)>,
}

impl Class for Upload {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        match context.method {
            methods::DST_ADDRESS_HIGH => self.destination.high = value,
            methods::DST_ADDRESS_LOW => self.destination.low = value,
            methods::DST_FORMAT => self.destination_format = value,
            methods::DST_LINEAR => self.has_rows = value & 1 != 0,
            methods::SIFC_FORMAT => self.format = value,
            methods::SIFC_BITMAP_ENABLE => self.is_bitmap = value & 1 != 0,
            methods::SIFC_WIDTH => self.width = value,
            methods::SIFC_HEIGHT => self.height = value,
            methods::SIFC_DST_X_INT => self.x = value,
            methods::SIFC_DST_Y_INT => return self.begin(context),
            methods::SIFC_DATA => return self.data(context),
            methods::BLIT_SRC_Y_INT => return context.anomaly(Reason::Unsupported("a copy of an image")),
            methods::DRAW_POINT16 | methods::DRAW_POINT32_Y => {
                return context.anomaly(Reason::Unsupported("drawing in two dimensions"));
            }
            method if methods::CLASS.find(method).is_none() => return context.anomaly(Reason::UnknownMethod),
            // State of what is not executed.
            _ => {}
        }
        Ok(())
    }
}

impl Upload {
    /// Begins an upload if it is a row of bytes in linear memory.
    fn begin(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        self.open = None;
        let is_bytes = self.destination_format == BYTES && self.format == BYTES && !self.is_bitmap;
        if !is_bytes || !self.has_rows || self.height != 1 || context.value != 0 {
            return context.anomaly(Reason::Unsupported("an upload of an image"));
        }
        self.open = Some((self.destination.value() + u64::from(self.x), self.width));
        Ok(())
    }

    /// Writes the bytes of a word. Words beyond the image's end have none.
    fn data(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let Some((address, missing)) = &mut self.open else { return Ok(()) };
        let count = (*missing).min(4);
        let (at, bytes) = (*address, context.value.to_le_bytes());
        *address += u64::from(count);
        *missing -= count;
        if count == 0 { Ok(()) } else { context.write_virtual(at, &bytes[..count as usize]) }
    }
}
