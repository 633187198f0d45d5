//! Keeps the vertex engine's instruction and constant stores, and determines the programs of a draw.

use std::sync::Arc;

use super::{ThreeD, enums};
use crate::arith::vertex::VertexRuleSet;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field, field16};
use crate::chip::context::Context;
use crate::command::methods::three_d::{program as methods, targets};
use crate::isa::VertexMicrocode;
use crate::pipeline::{Fog, FragmentStage, PixelCenter, VertexStage, VertexTexture, WindowOrigin, WindowPosition};
use crate::shader::vertex::{CONSTANT_SLOTS, INSTRUCTION_SLOTS};

/// Field of `FP_CONTROL` that is nonzero if the program writes depth.
const DEPTH_OUTPUT: u32 = 0xe;

/// The uploaded stores. Draws share them until the next upload.
#[derive(Debug)]
pub(super) struct ProgramStore {
    instructions: Arc<Vec<[u32; 4]>>,
    constants: Arc<Vec<[u32; 4]>>,
    /// The slot of the next instruction word.
    instruction_slot: usize,
    /// The slot of the next constant component.
    constant_slot: usize,
}

impl ProgramStore {
    pub(super) fn new() -> Self {
        Self {
            instructions: Arc::new(vec![[0; 4]; INSTRUCTION_SLOTS]),
            constants: Arc::new(vec![[0; 4]; CONSTANT_SLOTS]),
            instruction_slot: 0,
            constant_slot: 0,
        }
    }

    /// Executes an upload method. The component is the element's index in a group of four; after the fourth the
    /// slot advances, wherever in the window it was written (the rule that hardware tests found).
    pub(super) fn method(&mut self, base: u16, element: u16, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let (store, slot) = match base {
            methods::VP_UPLOAD_FROM_ID => {
                self.instruction_slot = value as usize;
                return Ok(());
            }
            methods::VP_UPLOAD_CONST_ID => {
                self.constant_slot = value as usize;
                return Ok(());
            }
            methods::VP_UPLOAD_INST => (&mut self.instructions, &mut self.instruction_slot),
            _ => (&mut self.constants, &mut self.constant_slot),
        };
        let component = usize::from(element % 4);
        if *slot >= store.len() {
            return context.anomaly(Reason::IllegalValue);
        }
        if store[*slot][component] != value {
            Arc::make_mut(store)[*slot][component] = value;
        }
        if component == 3 {
            *slot += 1;
        }
        Ok(())
    }
}

impl ThreeD {
    pub(super) fn vertex_stage(&self, textures: [Option<VertexTexture>; 4]) -> VertexStage {
        let registers = &self.registers;
        let limits = registers.get(methods::INDEXED_CONSTANT_READ_LIMITS);
        VertexStage {
            microcode: VertexMicrocode::Nv40 {
                slots: Arc::clone(&self.program.instructions),
                start: field16(registers.get(methods::VP_START_FROM_ID), 15, 0),
            },
            constants: Arc::clone(&self.program.constants),
            rules: match bit(registers.get(methods::ENGINE), 4) {
                true => VertexRuleSet::Nv40Modern,
                false => VertexRuleSet::Nv40Legacy,
            },
            instruction_limit: registers.get(methods::TRANSFORM_TIMEOUT) & 0xffff,
            booleans: registers.get(methods::TRANSFORM_BRANCH_BITS),
            // Unverified: the field that should be the lowest constant has no effect. An open driver sets it to
            // 212 for all programs, and lets them index constants from 6 on.
            indexed_constants: (0, field16(limits, 25, 16)),
            outputs: self.vertex_outputs(),
            textures,
        }
    }

    pub(in crate::chip) fn fragment_stage(&self) -> FragmentStage {
        let registers = &self.registers;
        let program = registers.get(methods::FP_ACTIVE_PROGRAM);
        let control = registers.get(methods::FP_CONTROL);
        FragmentStage {
            program: self.texture_window(program & 3, program & !3),
            exports_depth: control & DEPTH_OUTPUT == DEPTH_OUTPUT,
            has_full_outputs: bit(control, 6),
            uses_kill: bit(control, 7),
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
