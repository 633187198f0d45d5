//! Defines the viewports and layers among which programs select, primitive by primitive.

use super::{MAX_COLOR_TARGETS, OutputComponent, Rect, ShadedVertex, SurfaceLayout};
use crate::memory::MemoryWindow;

/// The viewports and layers among which the last program before rasterization selects. The outputs are integers, and those of
/// the provoking vertex count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimitiveSelection {
    /// The output with the number of the viewport; without one, it is 0.
    pub viewport: Option<OutputComponent>,
    /// The viewports, at least one. Number 0 has the viewport of the draw; the surface and the clip of the draw are around those of
    /// all.
    pub viewports: Vec<SelectedViewport>,
    /// The output with the number of the layer; without one, it is 0.
    pub layer: Option<OutputComponent>,
    /// How many layers the surfaces have.
    pub layers: u32,
    /// From a layer of each color target to the next one. The windows of targets reach over all layers.
    pub color_steps: [LayerStep; MAX_COLOR_TARGETS],
    /// From a layer of the depth and stencil surface to the next one.
    pub zeta_step: LayerStep,
}

/// A viewport that a program selects: the state in which viewports of a draw differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedViewport {
    /// Scale of x, y, z, as float bits.
    pub scale: [u32; 3],
    /// Translation of x, y, z, as float bits.
    pub translate: [u32; 3],
    /// The depths of the near and of the far end of the range, as float bits.
    pub depth_range: [u32; 2],
    /// Pixels that primitives are drawn to.
    pub surface: Rect,
    /// Pixels that drawing may touch: those of the surface inside the scissor.
    pub clip: Rect,
}

/// The way from a layer to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LayerStep {
    /// Layers are slices of an image in blocks.
    #[default]
    Slice,
    /// Layers are images this many bytes apart.
    Bytes(u32),
}

/// The number of a viewport and of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Selected {
    /// The viewport.
    pub viewport: u32,
    /// The layer.
    pub layer: u32,
}

impl PrimitiveSelection {
    /// What a vertex selects.
    // Unverified: that numbers of viewports and layers which do not exist are 0, as in Direct3D 10, and that the provoking vertex
    // counts.
    #[must_use]
    pub fn of_vertex(&self, vertex: Option<&ShadedVertex>) -> Selected {
        let read = |output: Option<OutputComponent>| match (output, vertex) {
            (Some(output), Some(vertex)) => output.of(&vertex.outputs),
            _ => 0,
        };
        let existing = |number: u32, count: usize| if (number as usize) < count { number } else { 0 };
        Selected {
            viewport: existing(read(self.viewport), self.viewports.len()),
            layer: existing(read(self.layer), self.layers as usize),
        }
    }

    /// How many layers it selects among.
    #[must_use]
    pub fn selected_layers(&self) -> u32 {
        if self.layer.is_some() { self.layers.max(1) } else { 1 }
    }

    /// The rectangles around the surfaces and around the clips of all viewports.
    #[must_use]
    pub fn reach(&self) -> [Rect; 2] {
        self.viewports.iter().fold([Rect::default(); 2], |[surface, clip], viewport| {
            [surface.around(viewport.surface), clip.around(viewport.clip)]
        })
    }
}

impl LayerStep {
    /// Moves a surface to a layer.
    pub(super) const fn apply(self, window: &mut MemoryWindow, layout: &mut SurfaceLayout, layer: u32) {
        match (self, layout) {
            (Self::Bytes(bytes), _) => *window = window.from_offset(bytes.saturating_mul(layer)),
            (Self::Slice, SurfaceLayout::BlockLinear { slice, .. }) => *slice = slice.wrapping_add(layer),
            (Self::Slice, _) => {}
        }
    }
}
