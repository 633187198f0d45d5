//! Turns all registers into one [`Draw`].

use super::Processor;
use super::unsupported::unsupported_draw;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::class::Context;
use crate::command::methods::tesla::three_d::from_1400 as methods;
use crate::pipeline::{
    Draw, Elements, FragmentStage, GpuCommand, MAX_COLOR_TARGETS, MAX_STREAM_BUFFERS, PrimitiveType, RasterState, Rect,
    SampleMode, Targets, VertexStage,
};

/// The targets of a draw that is not rasterized.
const NO_TARGETS: Targets = Targets {
    color: [None; MAX_COLOR_TARGETS],
    zeta: None,
    samples: SampleMode::One,
    rect: Rect { x: 0, y: 0, width: 1, height: 1 },
};

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
        let rasterizes = self.registers.is_set(methods::RASTERIZE_ENABLE);
        let is_streaming = self.registers.is_set(methods::STRMOUT_ENABLE);
        let is_needed = is_streaming || self.counts_stages;
        if !self.is_rendering || !rasterizes && !is_needed {
            return Ok(());
        }
        let targets = match self.targets(self.layer(), context.objects) {
            Ok(targets) => targets,
            Err(_) if !rasterizes => NO_TARGETS,
            Err(why) => return context.anomaly(Reason::DroppedDraw(why)),
        };
        if let Some(what) = unsupported_draw(&self.registers, &elements) {
            context.anomaly(Reason::Unsupported(what))?;
        }
        let selection = self.selection(&targets).filter(|_| rasterizes);
        let clips = selection.as_ref().map_or_else(|| self.clips(targets.rect, 0), |selection| selection.reach());
        let mut raster = RasterState { edge_flag_changes, ..self.raster_state(clips, targets.samples) };
        if raster.clip.is_empty() && !is_needed {
            return Ok(());
        }
        let vertex = self.vertex_stage(context)?;
        let geometry = self.geometry_stage(primitive, &vertex, context)?;
        let written = geometry.as_ref().map_or(primitive, |geometry| geometry.emitted.primitive());
        let stream_out = self.stream_out(written, context.objects);
        if stream_out.is_some() {
            self.begins_stream = false;
            (0..MAX_STREAM_BUFFERS).for_each(|number| context.note_written(self.stream_address(number)));
        } else if !rasterizes {
            // Its vertices count.
            raster.clip = Rect::default();
        }
        let mut fragment = self.fragment_stage(raster.samples, context)?;
        let states = self.units[2].states(&fragment.stage.program, fragment.stage.generation, context)?;
        if states.len() > MAX_UNITS {
            context.anomaly(Reason::Unsupported("more than 16 pairs of textures and samplers"))?;
        }
        let mut textures = [const { None }; MAX_UNITS];
        for (unit, (numbers, state)) in textures.iter_mut().zip(states) {
            fragment.units.push(numbers);
            *unit = Some(state);
        }
        let draw = Draw {
            primitive,
            input: self.vertex_input(&elements, context.objects),
            elements,
            vertex: VertexStage::Simt(vertex),
            geometry,
            stream_out,
            outputs: self.vertex_outputs(),
            viewport: self.viewport_state(0),
            selection,
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
