//! The vertex engine of the GeForce 3: a class that keeps its stores and decodes them to the vertex stage of a draw.
//!
//! The class has the part of class 0x0097 that uploads and selects vertex programs. While a program is selected, draws
//! of the machine's own 3D class run it in place of that class's program. Attributes, the viewport and all later
//! stages remain those of the 3D class: no board had both, but both chips put the same pipeline behind the program.

use std::sync::Arc;

use super::ChipError;
use super::anomalies::Reason;
use super::bits::{bit, field};
use super::class::{Class, Context};
use super::upload_store::UploadStore;
use crate::arith::vertex::VertexRuleSet;
use crate::command::methods::nv20_three_d as methods;
use crate::isa::nv20_vertex::{INSTRUCTION_SLOTS, LAST_CONSTANT};
use crate::isa::{NvMicrocode, NvVertexIsa, VertexMicrocode};
use crate::pipeline::{MAX_CLIP_DISTANCES, OutputComponent, Vec4VertexStage, VertexOutputs, VertexTexture};

/// The mode in which the program runs, of field `mode` of `ENGINE`.
const PROGRAM: u32 = 2;

/// The results in the output registers of the chip, which has no clip distances and four texture coordinates
/// (envytools, `docs/hw/graph/xf/isa.rst`).
pub(super) const OUTPUTS: VertexOutputs = VertexOutputs {
    colors: [Some(3), Some(4), Some(7), Some(8)],
    fog: Some(OutputComponent { slot: 5, component: 0 }),
    point_size: Some(OutputComponent { slot: 6, component: 0 }),
    clip_distances: [None; MAX_CLIP_DISTANCES],
    texture_coordinates: [Some(9), Some(10), Some(11), Some(12), None, None, None, None, None, None],
};

/// State of the vertex engine.
#[derive(Debug)]
pub(crate) struct VertexEngine {
    instructions: UploadStore,
    constants: UploadStore,
    start: u16,
    is_selected: bool,
}

impl Class for VertexEngine {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let Some((row, element)) = methods::CLASS.find(context.method) else {
            return context.anomaly(Reason::UnknownMethod);
        };
        match row.address {
            methods::VP_UPLOAD_FROM_ID => self.instructions.seek(value),
            methods::VP_UPLOAD_CONST_ID => self.constants.seek(value),
            methods::VP_UPLOAD_INST => return self.instructions.upload(element, context),
            methods::VP_UPLOAD_CONST => return self.constants.upload(element, context),
            methods::VP_START_FROM_ID => match u16::try_from(value) {
                Ok(start) if usize::from(start) < INSTRUCTION_SLOTS => self.start = start,
                _ => return context.anomaly(Reason::IllegalValue),
            },
            methods::ENGINE => {
                self.is_selected = field(value, 1, 0) == PROGRAM;
                if bit(value, 2) {
                    return context.anomaly(Reason::Unsupported("a vertex program that writes constants"));
                }
            }
            // NOP.
            _ => {}
        }
        Ok(())
    }
}

impl VertexEngine {
    pub(crate) fn new() -> Self {
        Self {
            instructions: UploadStore::new(INSTRUCTION_SLOTS),
            constants: UploadStore::new(usize::from(LAST_CONSTANT) + 1),
            start: 0,
            is_selected: false,
        }
    }

    /// Whether a program replaces that of the 3D class.
    pub(super) const fn is_selected(&self) -> bool {
        self.is_selected
    }

    /// The vertex stage of a draw.
    pub(super) fn stage(&self, textures: [Option<VertexTexture>; 4]) -> Vec4VertexStage {
        Vec4VertexStage {
            microcode: VertexMicrocode::Nv(NvMicrocode {
                isa: NvVertexIsa::Nv20,
                slots: Arc::clone(self.instructions.vectors()),
                start: self.start,
            }),
            constants: Arc::clone(self.constants.vectors()),
            rules: VertexRuleSet::Nv40Legacy,
            // A straight line through the store.
            instruction_limit: u32::try_from(INSTRUCTION_SLOTS).unwrap_or(u32::MAX),
            booleans: 0,
            indexed_constants: (0, u16::from(LAST_CONSTANT)),
            output_map: None,
            textures,
        }
    }
}
