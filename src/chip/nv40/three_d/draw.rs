//! Turns all registers into one [`Draw`].

use super::ThreeD;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::class::Context;
use crate::chip::nv20::{self, VertexEngine};
use crate::chip::pica200::PicaVertexProcessor;
use crate::pipeline::{Draw, Elements, FragmentStage, GpuCommand, PrimitiveType, RasterState, VertexStage};

impl ThreeD {
    /// Passes a finished primitive to the engine.
    pub(super) fn draw(
        &mut self,
        primitive: PrimitiveType,
        elements: Elements,
        edge_flag_changes: Vec<u32>,
        context: &mut Context<'_>,
    ) -> Result<(), ChipError> {
        if !self.is_rendering {
            return Ok(());
        }
        let (targets, color_format) = match self.targets().and_then(|targets| Ok((targets, self.color_format()?))) {
            Ok(found) => found,
            Err(why) => return context.anomaly(Reason::DroppedDraw(why)),
        };
        let raster = RasterState { edge_flag_changes, ..self.raster_state(targets.rect) };
        if raster.clip.is_empty() {
            return Ok(());
        }
        let mut textures = [const { None }; 16];
        for (unit, texture) in textures.iter_mut().enumerate() {
            match self.texture_state(unit) {
                Ok(state) => *texture = state,
                Err(why) => context.anomaly(Reason::Unsupported(why))?,
            }
        }
        let mut vertex_textures = [const { None }; 4];
        for (unit, texture) in vertex_textures.iter_mut().enumerate() {
            match self.vertex_texture(unit) {
                Ok(state) => *texture = state,
                Err(why) => context.anomaly(Reason::Unsupported(why))?,
            }
        }
        let (vertex, outputs) = match context.peer::<VertexEngine>().filter(|engine| engine.is_selected()) {
            Some(engine) => (engine.stage(vertex_textures), nv20::OUTPUTS),
            None => (self.vertex_stage(vertex_textures), self.vertex_outputs()),
        };
        let mut draw = Draw {
            primitive,
            input: self.vertex_input(&elements),
            elements,
            vertex: VertexStage::Vec4(vertex),
            geometry: None,
            stream_out: None,
            outputs,
            viewport: self.viewport_state(),
            selection: None,
            raster,
            interpolation: self.interpolation_state(),
            fragment: FragmentStage::Vec4(self.fragment_stage()),
            textures,
            rop: self.rop_state(color_format),
            targets,
        };
        if let Some(processor) = context.peer::<PicaVertexProcessor>().filter(|processor| processor.is_selected()) {
            processor.take_over(&mut draw);
        }
        self.execute_drawing(&GpuCommand::Draw(Box::new(draw)), context)
    }
}
