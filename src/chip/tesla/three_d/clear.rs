//! Turns `CLEAR_BUFFERS` into [`Clear`].

use super::Processor;
use super::targets::rect;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field, field8};
use crate::chip::class::Context;
use crate::command::methods::tesla::three_d::{below_1400 as methods, from_1400 as late};
use crate::pipeline::{Clear, GpuCommand};

impl Processor {
    /// Fills a color target and the depth surface, inside the first viewport's rectangle if `CLEAR_FLAGS` limits it so. Write
    /// masks of drawing do not apply; that of the stencil does if `CLEAR_FLAGS` says so.
    // Unverified: that the scissor that limits it otherwise is that of the targets.
    pub(super) fn clear(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        if !self.is_rendering {
            return Ok(());
        }
        let (registers, buffers) = (&self.registers, context.value);
        let (color_mask, layer) = (field8(buffers, 5, 2), field(buffers, 20, 10));
        let [mut clears_depth, mut clears_stencil] = [bit(buffers, 0), bit(buffers, 1)];
        // What else is bound does not limit a clear of one surface alone.
        let color = (color_mask != 0).then(|| field(buffers, 9, 6) as usize);
        let clears_zeta = clears_depth || clears_stencil;
        let targets = match self.cleared_targets(color, clears_zeta, layer, context.objects) {
            Ok(targets) => targets,
            Err(why) => return context.anomaly(Reason::DroppedDraw(why)),
        };
        if targets.zeta.is_none() {
            (clears_depth, clears_stencil) = (false, false);
        }
        let flags = registers.get(late::CLEAR_FLAGS);
        let viewport = rect(registers.get(methods::VIEWPORT_HORIZ), registers.get(methods::VIEWPORT_VERT));
        let rect = if bit(flags, 4) { targets.rect.intersection(viewport) } else { targets.rect };
        if rect.is_empty() || targets.color[0].is_none() && !clears_depth && !clears_stencil {
            return Ok(());
        }
        let values = [0, 1, 2, 3].map(|channel| registers.element(methods::CLEAR_COLOR, 4, channel));
        let [depth, stencil] = [methods::CLEAR_DEPTH, methods::CLEAR_STENCIL].map(|method| registers.get(method));
        context.execute(&GpuCommand::Clear(Box::new(Clear {
            color: targets.color[0].map_or([0; 4], |target| target.format.encode(values)),
            zeta: targets
                .zeta
                .map_or([0; 2], |zeta| zeta.format.pack(zeta.depth_storage().encode(depth), field8(stencil, 7, 0))),
            rect: rect.texels(targets.samples),
            targets,
            color_mask,
            clears_depth,
            clears_stencil,
            stencil_mask: if bit(flags, 0) { field8(registers.get(methods::STENCIL_FRONT_MASK), 7, 0) } else { 0xff },
        })))
    }
}
