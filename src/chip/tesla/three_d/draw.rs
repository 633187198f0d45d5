//! Turns all registers into one [`Draw`].

use super::Processor;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::bit;
use crate::chip::class::Context;
use crate::command::methods::tesla::three_d::from_1400 as methods;
use crate::pipeline::{Draw, Elements, FragmentStage, GpuCommand, PrimitiveType, RasterState, VertexStage};

/// The texture units of a draw.
const MAX_UNITS: usize = 16;

impl Processor {
    /// Passes a finished primitive to the engine.
    pub(super) fn draw(
        &mut self,
        primitive: PrimitiveType,
        elements: Elements,
        edge_flag_changes: Vec<u32>,
        context: &mut Context<'_>,
    ) -> Result<(), ChipError> {
        if !self.is_rendering || !self.registers.is_set(methods::RASTERIZE_ENABLE) {
            return Ok(());
        }
        let targets = match self.targets(self.layer(), context.objects) {
            Ok(targets) => targets,
            Err(why) => return context.anomaly(Reason::DroppedDraw(why)),
        };
        let raster = RasterState { edge_flag_changes, ..self.raster_state(targets.rect, targets.samples) };
        if raster.clip.is_empty() {
            return Ok(());
        }
        let vertex = self.vertex_stage(context)?;
        let geometry = self.geometry_stage(primitive, &vertex, context)?;
        let mut fragment = self.fragment_stage(context)?;
        let states = self.units[2].states(&fragment.stage.program, fragment.stage.generation, context)?;
        if states.len() > MAX_UNITS {
            context.anomaly(Reason::Unsupported("more than 16 pairs of textures and samplers"))?;
        }
        let mut textures = [const { None }; MAX_UNITS];
        for (unit, (numbers, state)) in textures.iter_mut().zip(states) {
            fragment.units.push(numbers);
            *unit = Some(state);
        }
        if bit(self.registers.get(methods::LAYER), 16) {
            context.anomaly(Reason::Unsupported("a layer that the program selects"))?;
        }
        let draw = Draw {
            primitive,
            input: self.vertex_input(&elements, context.objects),
            elements,
            vertex: VertexStage::Simt(vertex),
            geometry,
            stream_out: None,
            outputs: self.vertex_outputs(),
            viewport: self.viewport_state(),
            raster,
            interpolation: self.interpolation_state(),
            fragment: FragmentStage::Simt(fragment),
            textures,
            rop: self.rop_state(),
            targets,
        };
        context.execute(&GpuCommand::Draw(Box::new(draw)))
    }
}
