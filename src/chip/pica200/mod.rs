//! The PICA200's vertex processor: a class that keeps its registers and decodes them to the vertex stage of a draw.
//!
//! In drawing mode, draws of the machine's own 3D class run its shader in place of that class's program. Vertex arrays,
//! the viewport and all later stages remain those of the 3D class, so that any stream can drive this vertex processor.

mod float_uniforms;
mod output_map;

use std::sync::Arc;

use super::ChipError;
use super::anomalies::Reason;
use super::bits::{field, field8, field16};
use super::class::{Class, Context};
use crate::arith::vertex::VertexRuleSet;
use crate::command::methods::pica200_vertex as methods;
use crate::isa::VertexMicrocode;
use crate::isa::pica_vertex::{CONSTANTS, DESCRIPTORS, FIRST_INTEGER, INTEGERS, PicaShader, STORE_WORDS};
use crate::pipeline::{Draw, Elements, Vec4VertexStage, VertexAttribute, VertexStage};
use float_uniforms::FloatUniforms;
use output_map::{OUTPUTS, OutputRegisters, is_legal_semantics};

/// The mode in which draws run the shader, of field `mode` of `START_DRAW_FUNC0`.
const DRAW: u32 = 0;

/// Field `geometry` of `VSH_INPUTBUFFER_CONFIG` for vertex shaders. Drivers that leave it out write zero.
const VERTEX_SHADER: [u32; 2] = [0, 0xa0];

/// Instructions that one vertex executes at most.
// Unverified: no public source says whether the chip has a limit.
const INSTRUCTION_LIMIT: u32 = 0xffff;

/// State of the vertex processor.
#[derive(Debug)]
pub(crate) struct PicaVertexProcessor {
    shader: Arc<PicaShader>,
    /// The word of the program store that the next upload goes to.
    code_position: usize,
    /// The operand descriptor that the next upload goes to.
    descriptor_position: usize,
    entry: u16,
    /// The registers c, then the registers i.
    constants: Arc<Vec<[u32; 4]>>,
    floats: FloatUniforms,
    booleans: u16,
    /// The highest attribute that is loaded into input registers.
    last_attribute: u8,
    /// The input register of each attribute, four bits each, for attributes 0 to 7 and 8 to 15.
    permutation: [u32; 2],
    outputs: OutputRegisters,
    is_selected: bool,
}

impl Class for PicaVertexProcessor {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let Some((row, element)) = methods::CLASS.find(context.method) else {
            return context.anomaly(Reason::UnknownMethod);
        };
        if !is_legal(row.address, value) {
            return context.anomaly(Reason::IllegalValue);
        }
        // Unverified: 3dbrew says that changes in drawing mode are not applied correctly; here they are applied.
        match row.address {
            methods::SH_OUTMAP_TOTAL => self.outputs.count = field8(value, 2, 0),
            methods::SH_OUTMAP => self.outputs.semantics[usize::from(element)] = value,
            methods::START_DRAW_FUNC0 => self.is_selected = value == DRAW,
            methods::VSH_BOOLUNIFORM => self.booleans = field16(value, 15, 0),
            methods::VSH_INTUNIFORM => {
                let integer = usize::from(FIRST_INTEGER + element);
                Arc::make_mut(&mut self.constants)[integer] = value.to_le_bytes().map(u32::from);
            }
            methods::VSH_INPUTBUFFER_CONFIG => self.last_attribute = field8(value, 3, 0),
            methods::VSH_ENTRYPOINT => self.entry = field16(value, 15, 0),
            methods::VSH_ATTRIBUTES_PERMUTATION_LOW => self.permutation[0] = value,
            methods::VSH_ATTRIBUTES_PERMUTATION_HIGH => self.permutation[1] = value,
            methods::VSH_OUTMAP_MASK => self.outputs.exported = field16(value, 15, 0),
            methods::VSH_FLOATUNIFORM_INDEX => self.floats.seek(value),
            methods::VSH_FLOATUNIFORM_DATA => return self.upload_float(context),
            methods::VSH_CODETRANSFER_INDEX => self.code_position = field16(value, 11, 0).into(),
            methods::VSH_CODETRANSFER_DATA => {
                let position = &mut self.code_position;
                return upload(&mut Arc::make_mut(&mut self.shader).code, position, context);
            }
            methods::VSH_OPDESCS_INDEX => self.descriptor_position = field16(value, 11, 0).into(),
            methods::VSH_OPDESCS_DATA => {
                let position = &mut self.descriptor_position;
                return upload(&mut Arc::make_mut(&mut self.shader).descriptors, position, context);
            }
            // NOP, and the end of a transfer: words are in effect at once.
            _ => {}
        }
        Ok(())
    }
}

/// Writes a word to a table. Words beyond its end are dropped (azahar, `pica_core.cpp`).
fn upload(words: &mut [u32], position: &mut usize, context: &mut Context<'_>) -> Result<(), ChipError> {
    let Some(word) = words.get_mut(*position) else { return context.anomaly(Reason::IllegalValue) };
    *word = context.value;
    *position += 1;
    Ok(())
}

/// Whether a value may be written: bits without a meaning are zero, and numbers are those of something that exists.
fn is_legal(base: u16, value: u32) -> bool {
    match base {
        methods::SH_OUTMAP_TOTAL => value <= 7,
        methods::SH_OUTMAP => is_legal_semantics(value),
        methods::START_DRAW_FUNC0 => value <= 1,
        methods::VSH_INPUTBUFFER_CONFIG => value & 0x00ff_fff0 == 0 && VERTEX_SHADER.contains(&field(value, 31, 24)),
        methods::VSH_ENTRYPOINT => usize::from(field16(value, 15, 0)) < STORE_WORDS,
        methods::VSH_OUTMAP_MASK => value <= 0xffff,
        methods::VSH_FLOATUNIFORM_INDEX => field(value, 30, 8) == 0,
        methods::VSH_CODETRANSFER_INDEX | methods::VSH_OPDESCS_INDEX => value <= 0xfff,
        _ => true,
    }
}

impl PicaVertexProcessor {
    pub(crate) fn new() -> Self {
        Self {
            shader: Arc::new(PicaShader { code: vec![0; STORE_WORDS], descriptors: vec![0; DESCRIPTORS] }),
            code_position: 0,
            descriptor_position: 0,
            entry: 0,
            constants: Arc::new(vec![[0; 4]; usize::from(CONSTANTS) + usize::from(INTEGERS)]),
            floats: FloatUniforms::default(),
            booleans: 0,
            last_attribute: 0,
            permutation: [0; 2],
            outputs: OutputRegisters::default(),
            is_selected: false,
        }
    }

    /// Whether the shader replaces the program of the 3D class.
    pub(super) const fn is_selected(&self) -> bool {
        self.is_selected
    }

    /// Writes a word to the float registers. Registers that do not exist ignore their words.
    fn upload_float(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let Some((register, vector)) = self.floats.push(context.value) else { return Ok(()) };
        if register >= CONSTANTS {
            return context.anomaly(Reason::IllegalValue);
        }
        Arc::make_mut(&mut self.constants)[usize::from(register)] = vector;
        Ok(())
    }

    /// Makes the shader the vertex program of a draw.
    pub(super) fn take_over(&self, draw: &mut Draw) {
        draw.vertex = VertexStage::Vec4(self.stage());
        draw.outputs = OUTPUTS;
        let constant = VertexAttribute::Constant([0; 4]);
        draw.input.attributes = self.input_registers(&draw.input.attributes, constant);
        if let Elements::Immediate(vertices) = &mut draw.elements {
            for vertex in vertices {
                *vertex = self.input_registers(vertex, [0; 4]);
            }
        }
    }

    fn stage(&self) -> Vec4VertexStage {
        Vec4VertexStage {
            microcode: VertexMicrocode::Pica200 { shader: Arc::clone(&self.shader), entry: self.entry },
            constants: Arc::clone(&self.constants),
            rules: VertexRuleSet::Pica200,
            instruction_limit: INSTRUCTION_LIMIT,
            booleans: self.booleans.into(),
            indexed_constants: (0, u16::from(CONSTANTS) - 1),
            output_map: Some(self.outputs.map()),
            textures: [const { None }; 4],
        }
    }

    /// The contents of the input registers. A register of several attributes has the last.
    ///
    /// Unverified: registers of no attribute hold zeros.
    fn input_registers<T: Copy>(&self, attributes: &[T; 16], empty: T) -> [T; 16] {
        let [low, high] = self.permutation.map(u64::from);
        let registers = low | high << 32;
        let mut inputs = [empty; 16];
        for (number, attribute) in attributes.iter().enumerate().take(usize::from(self.last_attribute) + 1) {
            inputs[(registers >> (4 * number) & 15) as usize] = *attribute;
        }
        inputs
    }
}
