//! Defines which output slots of a vertex program feed which result.

use super::MAX_CLIP_DISTANCES;

/// One component of an output slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutputComponent {
    /// The slot; programs over registers of four components have 16.
    pub slot: u8,
    /// The component, 0..3.
    pub component: u8,
}

impl OutputComponent {
    /// The number that the kernels use: slot × 4 + component.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.slot as u32 * 4 + self.component as u32
    }

    /// Its value in the outputs of a vertex; 0 if there is no such slot.
    #[must_use]
    pub fn of(self, outputs: &[[u32; 4]]) -> u32 {
        outputs.get(usize::from(self.slot)).map_or(0, |slot| slot[usize::from(self.component & 3)])
    }
}

/// The results of a vertex program besides the position; `None` for those that it does not output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct VertexOutputs {
    /// Slots of the primary, secondary, primary back and secondary back color.
    pub colors: [Option<u8>; 4],
    /// The fog coordinate.
    pub fog: Option<OutputComponent>,
    /// The point size.
    pub point_size: Option<OutputComponent>,
    /// The distances to the user clip planes; chips before the Tesla generation have six.
    pub clip_distances: [Option<OutputComponent>; MAX_CLIP_DISTANCES],
    /// Slots of texture coordinates 0..9.
    pub texture_coordinates: [Option<u8>; 10],
}

impl VertexOutputs {
    /// Every result, in the slots where drivers expect it.
    pub const ALL: Self = {
        const fn component(slot: u8, component: u8) -> Option<OutputComponent> {
            Some(OutputComponent { slot, component })
        }
        Self {
            colors: [Some(1), Some(2), Some(3), Some(4)],
            fog: component(5, 0),
            point_size: component(6, 0),
            clip_distances: [
                component(5, 1),
                component(5, 2),
                component(5, 3),
                component(6, 1),
                component(6, 2),
                component(6, 3),
                None,
                None,
            ],
            texture_coordinates: [
                Some(7),
                Some(8),
                Some(9),
                Some(10),
                Some(11),
                Some(12),
                Some(13),
                Some(14),
                Some(15),
                Some(6),
            ],
        }
    };
}
