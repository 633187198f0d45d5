//! Remembers the depth surfaces that draws and clears used.

use crate::chip::BoundSurface;
use crate::pipeline::GpuCommand;

/// The most depth surfaces whose use is remembered.
const MAX_USED_ZETAS: usize = 64;

/// The depth surfaces that draws and clears used, the last one at the end.
///
/// Drivers leave the address of a depth surface in its registers while they draw without depth, and give the registers of
/// all surfaces another size and layout meanwhile. What they name then is no picture of anything.
#[derive(Debug, Default)]
pub(super) struct UsedZetas(Vec<BoundSurface>);

impl UsedZetas {
    /// Notes the depth surface that a draw or clear used.
    pub(super) fn note(&mut self, command: &GpuCommand) {
        let targets = match command {
            GpuCommand::Draw(draw) if draw.rop.used_zeta(&draw.targets).is_some() => &draw.targets,
            GpuCommand::Clear(clear) if clear.clears_depth || clear.clears_stencil => &clear.targets,
            _ => return,
        };
        let Some(zeta) = BoundSurface::zeta(targets) else { return };
        self.0.retain(|used| !used.is_same_memory(&zeta));
        if self.0.len() == MAX_USED_ZETAS {
            self.0.remove(0);
        }
        self.0.push(zeta);
    }

    /// The bound surface if it was used, else the one used last. Before any use it is the bound one.
    pub(super) fn current(&self, bound: Option<BoundSurface>) -> Option<BoundSurface> {
        let is_used = bound.as_ref().is_some_and(|bound| self.0.iter().any(|used| used.is_same_memory(bound)));
        if is_used { bound } else { self.0.last().cloned().or(bound) }
    }
}
