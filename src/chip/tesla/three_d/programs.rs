//! Turns registers of programs into the stages of a draw: code, constants, and how outputs become inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Processor;
use crate::arith::ONE;
use crate::chip::ChipError;
use crate::chip::bits::{bit, field, field8};
use crate::chip::class::Context;
use crate::chip::tesla::address::Address;
use crate::chip::tesla::compute::generation_of;
use crate::chip::tesla::program_cache::{local_bytes, reads_word};
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use crate::pipeline::{
    EmittedPrimitive, Interpolant, InterpolantMode, InterpolantSource, MAX_COLOR_TARGETS, OutputComponent, OutputWord,
    PrimitiveType, PrimitiveWord, ResultRegisters, SampleMode, ShadedSamples, SimtFragmentStage, SimtGeometryStage,
    SimtStage, SimtVertexStage, SpriteValue, VertexOutputs, VertexWord, WindowOrigin,
};
use crate::shader::simt::{ProgramKind, Space};

/// The largest number of words that a vertex has for later stages.
const MAX_WORDS: usize = 64;

/// The word of `v[]` that tells whether the face is the front.
const FACE_WORD: u8 = 0xff;

/// Value of `SHADE_MODEL` for flat shading.
const FLAT: u32 = 0x1d00;

/// The output of a map's slot.
pub(super) const fn slot(number: u32) -> OutputComponent {
    OutputComponent { slot: ((number / 4) & 0xff) as u8, component: (number & 3) as u8 }
}

impl Processor {
    /// A program with its constants, where its code begins at an address and the program at an offset from there.
    fn stage(
        &mut self,
        kind: ProgramKind,
        place: (Address, u32),
        registers: u32,
        context: &mut Context<'_>,
    ) -> Result<SimtStage, ChipError> {
        let zero_wins = bit(self.registers.get(late::ISA_FLAGS), 16);
        let program = self.programs.program(kind, place, zero_wins, context)?;
        // Unverified: that programs of draws reach local memory beyond `LOCAL_SIZE_LOG`. Mesa's driver leaves it at 64 bytes for
        // larger arrays, whose tests pass on a chip by its list of failures.
        let local_bytes = local_bytes(&program);
        Ok(SimtStage {
            constants: Arc::new(self.constants.read(&program, context)?),
            program,
            generation: generation_of(context.objects.chipset()),
            registers,
            local_bytes,
        })
    }

    /// The address in two registers.
    fn address(&self, high: u16, low: u16) -> Address {
        Address { high: self.registers.get(high), low: self.registers.get(low) }
    }

    /// The words that a result map lets pass. `zero` is the number that stands for 0; the next one stands for 1.
    fn result_map(&self, map: u16, size: u16, zero: u8) -> Vec<OutputWord> {
        let count = (self.registers.get(size) as usize).min(MAX_WORDS);
        let entry = |number: usize| {
            let word = self.registers.element(map, 4, number / 4);
            match word.to_le_bytes()[number % 4] {
                code if code == zero => OutputWord::Value(0),
                code if code == zero + 1 => OutputWord::Value(ONE),
                code => OutputWord::Word(code),
            }
        };
        (0..count).map(entry).collect()
    }

    /// The vertex program.
    pub(super) fn vertex_stage(&mut self, context: &mut Context<'_>) -> Result<SimtVertexStage, ChipError> {
        let place =
            (self.address(early::VP_ADDRESS_HIGH, early::VP_ADDRESS_LOW), self.registers.get(late::VP_START_ID));
        let registers = self.registers.get(late::VP_REG_ALLOC_TEMP);
        let stage = self.stage(ProgramKind::Vertex, place, registers, context)?;
        Ok(SimtVertexStage {
            textures: self.units[0].states(&stage.program, stage.generation, context)?,
            stage,
            attributes: self.attribute_words(self.instance),
            outputs: self.result_map(late::VP_RESULT_MAP, late::VP_RESULT_MAP_SIZE, 0x40),
        })
    }

    /// The geometry program, if there is one.
    pub(super) fn geometry_stage(
        &mut self,
        primitive: PrimitiveType,
        vertex: &SimtVertexStage,
        context: &mut Context<'_>,
    ) -> Result<Option<SimtGeometryStage>, ChipError> {
        if !self.registers.is_set(late::GP_ENABLE) {
            return Ok(None);
        }
        let place =
            (self.address(early::GP_ADDRESS_HIGH, early::GP_ADDRESS_LOW), self.registers.get(late::GP_START_ID));
        let registers = self.registers.get(late::GP_REG_ALLOC_TEMP);
        let mut inputs: Vec<_> = (0..6).map(PrimitiveWord::Vertex).collect();
        if bit(self.registers.get(late::VP_GP_BUILTIN_ATTR_EN), 8) {
            inputs.push(PrimitiveWord::Number);
        }
        let words = (0..u32::try_from(vertex.outputs.len()).unwrap_or(0)).map(|word| VertexWord::Output(slot(word)));
        debug_assert!(primitive.vertices() <= 6, "`a[]` has a word for each vertex");
        let stage = self.stage(ProgramKind::Geometry, place, registers, context)?;
        Ok(Some(SimtGeometryStage {
            textures: self.units[1].states(&stage.program, stage.generation, context)?,
            stage,
            inputs,
            vertex_words: words.collect(),
            emitted: match self.registers.get(late::GP_OUTPUT_PRIMITIVE_TYPE) {
                1 => EmittedPrimitive::Points,
                2 => EmittedPrimitive::LineStrip,
                _ => EmittedPrimitive::TriangleStrip,
            },
            max_vertices: self.registers.get(late::GP_VERTEX_OUTPUT_COUNT),
            outputs: self.result_map(late::GP_RESULT_MAP, late::GP_RESULT_MAP_SIZE, 0x80),
        }))
    }

    /// Which words of vertices later stages read besides the position and interpolants.
    pub(super) fn vertex_outputs(&self) -> VertexOutputs {
        let size = self.registers.get(late::SEMANTIC_PTSZ);
        let clip = self.registers.get(late::SEMANTIC_CLIP);
        let (first, count) = (field(clip, 7, 0), field(clip, 11, 8));
        VertexOutputs {
            point_size: bit(size, 0).then(|| slot(field(size, 11, 4))),
            clip_distances: std::array::from_fn(|plane| {
                let plane = u32::try_from(plane).ok()?;
                (plane < count).then(|| slot(first + plane))
            }),
            ..VertexOutputs::default()
        }
    }

    /// The fragment program of draws whose pixels have these samples.
    pub(super) fn fragment_stage(
        &mut self,
        samples: SampleMode,
        context: &mut Context<'_>,
    ) -> Result<SimtFragmentStage, ChipError> {
        let place = (self.code, self.start);
        let stage = self.stage(ProgramKind::Fragment, place, self.thread_registers, context)?;
        let mut interpolants = self.interpolants();
        interpolants.retain(|word, _| reads_word(&stage.program, Space::Interpolant, (*word).into()));
        let (mut results, mut one_by_one) = (self.results(), self.shaded_samples());
        if samples == SampleMode::One {
            // OpenGL 4.0, section 3.9.2: without several samples the mask changes nothing.
            (results.sample_mask, one_by_one) = (None, ShadedSamples::Together);
        }
        Ok(SimtFragmentStage { stage, interpolants, units: Vec::new(), results, samples: one_by_one })
    }

    /// The words of `v[]`: the components of the position, then consecutive slots of the map.
    fn interpolants(&self) -> BTreeMap<u8, Interpolant> {
        let registers = &self.registers;
        let control = registers.get(late::FP_INTERPOLANT_CTRL);
        let (count, first) = (field(control, 7, 0), field(control, 15, 8));
        let (smooth, mask) = (field(control, 23, 16), field(control, 27, 24));
        let position = (0..4)
            .filter(|axis| mask >> axis & 1 != 0)
            .map(|axis| Interpolant::new(InterpolantSource::WindowPosition(axis), InterpolantMode::Linear));
        let values = (first..first + count).map(|number| Interpolant {
            is_clamped: self.clamps(number),
            sprite: self.sprite_value(number),
            ..Interpolant::new(self.interpolant_source(number), self.interpolant_mode(number, number - first < smooth))
        });
        let facing = Interpolant::new(InterpolantSource::Facing, InterpolantMode::Flat);
        let words = (0..FACE_WORD).zip(position.chain(values));
        words.chain(std::iter::once((FACE_WORD, facing))).collect()
    }

    /// What a slot is on points, if they are sprites that replace it.
    fn sprite_value(&self, number: u32) -> Option<SpriteValue> {
        let registers = &self.registers;
        if !registers.is_set(late::POINT_SPRITE_ENABLE) {
            return None;
        }
        let word = registers.element(early::POINT_COORD_REPLACE_MAP, 4, number as usize / 8);
        let is_upper = bit(registers.get(late::POINT_SPRITE_CTRL), 4);
        match word >> (4 * (number % 8)) & 0xf {
            1 => Some(SpriteValue::S),
            2 => Some(SpriteValue::T(if is_upper { WindowOrigin::UpperLeft } else { WindowOrigin::LowerLeft })),
            3 => Some(SpriteValue::Zero),
            4 => Some(SpriteValue::One),
            _ => None,
        }
    }

    /// The first slot of the front colors, that of the back colors, and how many words of colors there are.
    fn colors(&self) -> [u32; 3] {
        let colors = self.registers.get(late::SEMANTIC_COLOR);
        [field(colors, 7, 0), field(colors, 15, 8), field(colors, 23, 16)]
    }

    /// Whether a slot is a color and colors are clamped at the vertices.
    fn clamps(&self, number: u32) -> bool {
        let [front, _, count] = self.colors();
        bit(self.registers.get(late::SEMANTIC_COLOR), 24) && (front..front + count).contains(&number)
    }

    /// What a slot is. A vertex program leaves the number of the primitive to the chip; a geometry program writes it.
    // Unverified: that the chip does not replace what a geometry program writes.
    fn interpolant_source(&self, number: u32) -> InterpolantSource {
        let registers = &self.registers;
        let numbered = field(registers.get(late::SEMANTIC_PRIM_ID), 7, 0);
        if number == numbered && !registers.is_set(late::GP_ENABLE) {
            return InterpolantSource::PrimitiveNumber;
        }
        let [front, back, count] = self.colors();
        let is_color = (front..front + count).contains(&number);
        let has_back = is_color && front != back;
        InterpolantSource::Output { front: slot(number), back: has_back.then(|| slot(back + number - front)) }
    }

    fn interpolant_mode(&self, number: u32, is_smooth: bool) -> InterpolantMode {
        let [front, _, count] = self.colors();
        let is_color = (front..front + count).contains(&number);
        let linear = self.registers.element(late::NOPERSPECTIVE_BITMAP, 4, number as usize / 32);
        let lacks_perspective = bit(linear, number % 32);
        match () {
            () if !is_smooth || self.interpolant_source(number) == InterpolantSource::PrimitiveNumber => {
                InterpolantMode::Flat
            }
            () if is_color && self.registers.get(early::SHADE_MODEL) == FLAT => match lacks_perspective {
                true => InterpolantMode::Flat,
                false => InterpolantMode::FlatPerspective,
            },
            () if lacks_perspective => InterpolantMode::Linear,
            () => InterpolantMode::Perspective,
        }
    }

    /// The samples that the fragment program runs for.
    // Unverified: that it runs for each sample if it is to run for several of a pixel, and where it has a mask of samples.
    fn shaded_samples(&self) -> ShadedSamples {
        let (control, least) = (self.registers.get(late::FP_MULTISAMPLE), self.registers.get(late::SAMPLE_SHADING));
        match bit(control, 0) || bit(control, 1) || bit(least, 4) && field(least, 3, 0) > 1 {
            true => ShadedSamples::Each,
            false => ShadedSamples::Together,
        }
    }

    /// Where the fragment program leaves colors and depth: four registers for each color, then the mask of samples and the
    /// depth, if it computes them.
    fn results(&self) -> ResultRegisters {
        let registers = &self.registers;
        let (control, count) = (registers.get(late::FP_CONTROL), registers.get(early::FP_RESULT_COUNT));
        let [exports_depth, exports_mask] = [bit(control, 8), bit(registers.get(late::FP_MULTISAMPLE), 0)];
        let others = u32::from(exports_depth) + u32::from(exports_mask);
        let colors = count.saturating_sub(others) / 4;
        let has_several = bit(control, 0);
        let color = |number: usize| {
            let number = if has_several { number } else { 0 };
            (number < colors as usize).then(|| field8(u32::try_from(4 * number).unwrap_or(0), 7, 0))
        };
        ResultRegisters {
            colors: std::array::from_fn::<_, MAX_COLOR_TARGETS, _>(color),
            depth: exports_depth.then(|| field8(count.saturating_sub(1), 7, 0)),
            sample_mask: exports_mask.then(|| field8(count.saturating_sub(others), 7, 0)),
        }
    }
}
