//! Turns the result enables and the routing registers into [`VertexOutputs`].

use super::ThreeD;
use crate::chip::bits::{bit, field8};
use crate::command::methods::three_d::program as methods;
use crate::pipeline::{OutputComponent, VertexOutputs};

impl ThreeD {
    /// Maps output registers of the vertex program to results.
    pub(super) fn vertex_outputs(&self) -> VertexOutputs {
        let routing = [
            methods::ATTRIB_COLOR,
            methods::ATTRIB_TEX_COORD,
            methods::ATTRIB_TEX_COORD_EX,
            methods::ATTRIB_UCLIP0,
            methods::ATTRIB_UCLIP1,
        ];
        decode(self.registers.get(methods::VP_RESULT_EN), routing.map(|method| self.registers.get(method)))
    }
}

/// Decodes `VP_RESULT_EN` and the five registers that name output registers.
fn decode(results: u32, [colors, coordinates, more_coordinates, clip_low, clip_high]: [u32; 5]) -> VertexOutputs {
    let register = |result: u32, word: u32| bit(results, result).then(|| field8(word, 3, 0));
    // Fog, point size and clip distances are single components: register × 4 + component.
    let component = |result: u32, word: u32| {
        let output = OutputComponent { slot: field8(word, 5, 2), component: field8(word, 1, 0) };
        bit(results, result).then_some(output)
    };
    let clip_distance = |plane: u32| {
        let word = if plane < 3 { clip_low } else { clip_high };
        component(6 + plane, word >> (8 * (plane % 3)))
    };
    // TEX0..7 are results 14..21, TEX8 and TEX9 results 12 and 13.
    let coordinate = |index: u32| match index {
        0..=7 => register(14 + index, coordinates >> (4 * index)),
        _ => register(4 + index, more_coordinates >> (4 * (index - 8))),
    };
    VertexOutputs {
        colors: [0, 1, 2, 3].map(|color| register(color, colors >> (4 * color))),
        fog: component(4, colors >> 16),
        point_size: component(5, colors >> 22),
        clip_distances: [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), None, None]
            .map(|plane| plane.and_then(clip_distance)),
        texture_coordinates: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(coordinate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The routing that an open driver sets.
    const ROUTING: [u32; 5] = [0x0614_4321, 0xedcb_a987, 0x6f, 0x0017_1615, 0x001b_1a19];

    #[test]
    fn outputs_follow_the_routing_that_drivers_use() {
        assert_eq!(decode(0, ROUTING), VertexOutputs::default());
        assert_eq!(decode(0x3f_ffff, ROUTING), VertexOutputs::ALL);
        let some = decode(1 | 1 << 12 | 1 << 14, ROUTING);
        assert_eq!(some.colors, [Some(1), None, None, None]);
        assert_eq!(some.texture_coordinates[0], Some(7));
        assert_eq!(some.texture_coordinates[8], Some(15));
        assert_eq!(some.texture_coordinates.iter().flatten().count(), 2);
    }
}
