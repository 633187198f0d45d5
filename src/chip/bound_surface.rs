//! A surface that drawing would write, whatever the machine.

use crate::format::SurfaceFormat;
use crate::memory::MemoryWindow;
use crate::pipeline::{SampleMode, SurfaceLayout, Targets};

/// A surface that drawing would write, or the depth surface that draws wrote last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundSurface {
    /// `color0` to `color7`, or `zeta`.
    pub name: &'static str,
    /// Columns of texels that drawing can reach, from the first of the surface.
    pub width: u32,
    /// Rows of texels that drawing can reach, from the first of the surface.
    pub height: u32,
    /// The samples whose texels make up a pixel.
    pub samples: SampleMode,
    /// Its format.
    pub format: SurfaceFormat,
    /// Its memory.
    pub window: MemoryWindow,
    /// Its layout.
    pub layout: SurfaceLayout,
}

impl BoundSurface {
    /// The depth and stencil surface of targets.
    pub(super) fn zeta(targets: &Targets) -> Option<Self> {
        let (zeta, rect) = (targets.zeta?, targets.texels());
        Some(Self {
            name: "zeta",
            width: rect.x + rect.width,
            height: rect.y + rect.height,
            samples: targets.samples,
            format: SurfaceFormat::Zeta(zeta.format),
            window: zeta.window,
            layout: zeta.layout,
        })
    }

    /// Whether both have the same memory in the same order, whatever part of it drawing can reach.
    pub(super) fn is_same_memory(&self, other: &Self) -> bool {
        let place = |surface: &Self| (surface.window, surface.layout, surface.format, surface.samples);
        place(self) == place(other)
    }
}
