//! Determines the programs of a draw.

use std::sync::Arc;

use super::{ThreeD, enums};
use crate::arith::vertex::VertexRuleSet;
use crate::chip::bits::{bit, field, field16};
use crate::command::methods::three_d::{program as methods, targets};
use crate::isa::{NvMicrocode, NvVertexIsa, VertexMicrocode};
use crate::pipeline::{
    Fog, InterpolationState, PixelCenter, Vec4FragmentStage, Vec4VertexStage, VertexTexture, WindowOrigin,
    WindowPosition,
};

/// Field of `FP_CONTROL` that is nonzero if the program writes depth.
const DEPTH_OUTPUT: u32 = 0xe;

impl ThreeD {
    pub(super) fn vertex_stage(&self, textures: [Option<VertexTexture>; 4]) -> Vec4VertexStage {
        let registers = &self.registers;
        let limits = registers.get(methods::INDEXED_CONSTANT_READ_LIMITS);
        Vec4VertexStage {
            microcode: VertexMicrocode::Nv(NvMicrocode {
                isa: NvVertexIsa::Nv40,
                slots: Arc::clone(self.program.instructions.vectors()),
                start: field16(registers.get(methods::VP_START_FROM_ID), 15, 0),
            }),
            constants: Arc::clone(self.program.constants.vectors()),
            rules: match bit(registers.get(methods::ENGINE), 4) {
                true => VertexRuleSet::Nv40Modern,
                false => VertexRuleSet::Nv40Legacy,
            },
            instruction_limit: registers.get(methods::TRANSFORM_TIMEOUT) & 0xffff,
            booleans: registers.get(methods::TRANSFORM_BRANCH_BITS),
            // Unverified: the field that should be the lowest constant has no effect. An open driver sets it to
            // 212 for all programs, and lets them index constants from 6 on.
            indexed_constants: (0, field16(limits, 25, 16)),
            output_map: None,
            textures,
        }
    }

    pub(in crate::chip) fn fragment_stage(&self) -> Vec4FragmentStage {
        let registers = &self.registers;
        let program = registers.get(methods::FP_ACTIVE_PROGRAM);
        let control = registers.get(methods::FP_CONTROL);
        Vec4FragmentStage {
            program: self.texture_window(program & 3, program & !3),
            exports_depth: control & DEPTH_OUTPUT == DEPTH_OUTPUT,
            has_full_outputs: bit(control, 6),
            uses_kill: bit(control, 7),
        }
    }

    pub(super) fn interpolation_state(&self) -> InterpolationState {
        let registers = &self.registers;
        InterpolationState {
            window_position: window_position(registers.get(targets::COORD_CONVENTIONS)),
            fog: {
                let (curve, takes_magnitude) = enums::fog_mode(registers.get(methods::FOG_MODE));
                let parameters = [0, 1].map(|index| registers.element(methods::FOG_PARAMS, 4, index));
                Fog { curve, takes_magnitude, parameters }
            },
        }
    }
}

/// Decodes `COORD_CONVENTIONS`: 11:0 height, bit 12 origin, bit 16 pixel center.
const fn window_position(conventions: u32) -> WindowPosition {
    WindowPosition {
        origin: if bit(conventions, 12) { WindowOrigin::LowerLeft } else { WindowOrigin::UpperLeft },
        height: field(conventions, 11, 0),
        pixel_center: if bit(conventions, 16) { PixelCenter::Integer } else { PixelCenter::Half },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_sets_a_lowest_constant_indexes_those_below() {
        let mut three_d = ThreeD::new();
        three_d.registers.set(methods::INDEXED_CONSTANT_READ_LIMITS, 0x01d3_00d4);
        let stage = three_d.vertex_stage([const { None }; 4]);
        assert_eq!(stage.indexed_constants, (0, 467));
    }
}
