//! Defines the viewports and layers among which programs select, primitive by primitive.

use super::{MAX_COLOR_TARGETS, OutputComponent, Rect, ShadedVertex, SurfaceLayout, ViewportState};
use crate::memory::MemoryWindow;

/// The viewports and layers among which the last program before rasterization selects. The outputs are integers, and those of
/// the provoking vertex count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimitiveSelection {
    /// The output with the number of the viewport; without one, it is 0.
    pub viewport: Option<OutputComponent>,
    /// The viewports from number 1 on. Number 0 is that of the draw.
    pub others: Vec<SelectedViewport>,
    /// The output with the number of the layer; without one, it is 0.
    pub layer: Option<OutputComponent>,
    /// How many layers the surfaces have.
    pub layers: u32,
    /// From a layer of each color target to the next one. The windows of targets reach over all layers.
    pub color_steps: [LayerStep; MAX_COLOR_TARGETS],
    /// From a layer of the depth and stencil surface to the next one.
    pub zeta_step: LayerStep,
}

/// A viewport that a program selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedViewport {
    /// Transformation and depth range.
    pub state: ViewportState,
    /// Pixels that drawing may touch.
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
            viewport: existing(read(self.viewport), 1 + self.others.len()),
            layer: existing(read(self.layer), self.layers as usize),
        }
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
