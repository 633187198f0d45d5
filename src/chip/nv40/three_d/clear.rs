//! Turns `CLEAR_BUFFERS` into [`Clear`].

use super::ThreeD;
use super::raster::inclusive_rect;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field8};
use crate::chip::class::Context;
use crate::command::methods::three_d::{rop, targets as methods};
use crate::pipeline::{Clear, GpuCommand};

impl ThreeD {
    /// Fills the bound surfaces inside the scissor and the clear rectangle.
    // Unverified: write masks of drawing do not apply, except that of the stencil.
    pub(super) fn clear(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        if !self.is_rendering {
            return Ok(());
        }
        let targets = match self.targets() {
            Ok(targets) => targets,
            Err(why) => return context.anomaly(Reason::DroppedDraw(why)),
        };
        let registers = &self.registers;
        let clear_rect =
            inclusive_rect(registers.get(methods::CLEAR_RECT_HORIZ), registers.get(methods::CLEAR_RECT_VERT));
        let rect = targets.rect.intersection(self.scissor()).intersection(clear_rect);
        let buffers = context.value;
        let color_mask = field8(buffers, 7, 4);
        let [clears_depth, clears_stencil] = [bit(buffers, 0), bit(buffers, 1)];
        if rect.is_empty() || (color_mask == 0 && !clears_depth && !clears_stencil) {
            return Ok(());
        }
        let clear = GpuCommand::Clear(Box::new(Clear {
            rect: rect.texels(targets.samples),
            targets,
            // Unverified: the register is repeated for pixels of 64 and 128 bits.
            color: [registers.get(methods::CLEAR_COLOR_VALUE); 4],
            zeta: [registers.get(methods::CLEAR_DEPTH_VALUE), 0],
            color_mask,
            clears_depth,
            clears_stencil,
            stencil_mask: (registers.get(rop::STENCIL_MASK) & 0xff) as u8,
        }));
        self.execute_drawing(&clear, context)
    }
}
