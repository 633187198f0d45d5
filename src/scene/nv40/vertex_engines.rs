//! Turns the vertex program and the constants of a draw into uploads to the engine that runs them.

use super::constants::VertexConstants;
use super::subchannels::{NV20, PICA200, THREE_D};
use crate::arith::vertex::VertexRuleSet;
use crate::asm::shbin::RegisterFile;
use crate::capture::Record;
use crate::command::builder::{CaptureBuilder, handles};
use crate::command::methods::three_d::program;
use crate::command::methods::{ClassTable, nv20_three_d as nv20, pica200_vertex as pica};
use crate::command::writer::StreamWriter;
use crate::isa::{NvVertexIsa, VertexIsa};
use crate::scene::loaded_program::{NvCode, PicaCode, VertexCode, VertexProgram};

/// The engines that have an object of their own, with its subchannel and class. Draws of NV40 programs need only the 3D
/// class.
static OBJECTS: [(VertexIsa, u8, &ClassTable); 2] =
    [(VertexIsa::Nv(NvVertexIsa::Nv20), NV20, &nv20::CLASS), (VertexIsa::Pica200, PICA200, &pica::CLASS)];

/// The stores of an engine.
#[derive(Debug)]
struct EngineStores {
    isa: VertexIsa,
    /// The number of the program in the instruction store.
    program: Option<usize>,
    constants: VertexConstants,
}

/// The engines that a scene's programs run on, and the contents of their stores.
#[derive(Debug)]
pub(super) struct VertexEngines {
    engines: Vec<EngineStores>,
}

impl VertexEngines {
    /// Creates the objects of these programs' engines and binds them.
    pub(super) fn new<'a>(
        programs: impl Iterator<Item = &'a VertexProgram>,
        capture: &mut CaptureBuilder,
        writer: &mut StreamWriter,
    ) -> Self {
        let mut engines: Vec<EngineStores> = Vec::new();
        for isa in programs.map(|program| program.code.isa()) {
            if engines.iter().all(|engine| engine.isa != isa) {
                engines.push(EngineStores { isa, program: None, constants: VertexConstants::default() });
            }
        }
        for &(isa, subchannel, table) in &OBJECTS {
            if engines.iter().any(|engine| engine.isa == isa) {
                let class = table.class;
                capture.record(Record::Object { handle: handles::object(class), class });
                writer.bind(subchannel, class, handles::object(class));
            }
        }
        Self { engines }
    }

    /// Uploads what the stores of a program's engine lack, and selects the engine.
    pub(super) fn upload(
        &mut self,
        writer: &mut StreamWriter,
        (number, program): (usize, &VertexProgram),
        constants: Vec<(u32, [u32; 4])>,
    ) {
        let isa = program.code.isa();
        let engine = self.engines.iter_mut().find(|engine| engine.isa == isa).expect("every program has its engine");
        let is_new = engine.program.replace(number) != Some(number);
        let changed =
            constants.into_iter().filter(|(slot, value)| engine.constants.insert(*slot, *value) != Some(*value));
        let changed: Vec<_> = changed.collect();
        match &program.code {
            VertexCode::Nv(code) => {
                if is_new {
                    upload_nv(writer, code);
                }
                writer.set(THREE_D, program::VP_ATTRIB_EN::attributes(u32::from(program.attributes)));
                if is_new && code.isa == NvVertexIsa::Nv40 {
                    writer.upload(THREE_D, program::VP_RESULT_EN, &[code.results]);
                }
                upload_nv_constants(writer, code.isa, &changed);
            }
            VertexCode::Pica(code) => {
                writer.set(THREE_D, program::VP_ATTRIB_EN::attributes(u32::from(program.attributes)));
                if is_new || !changed.is_empty() {
                    // 3dbrew: registers of shaders change outside of drawing mode.
                    writer.set(PICA200, pica::START_DRAW_FUNC0::mode(1u32));
                }
                if is_new {
                    upload_pica(writer, code);
                }
                upload_uniforms(writer, &changed, &engine.constants);
            }
        }
        self.select(writer, isa);
    }

    /// Makes draws run the programs of one engine.
    fn select(&self, writer: &mut StreamWriter, isa: VertexIsa) {
        let has = |isa: VertexIsa| self.engines.iter().any(|engine| engine.isa == isa);
        let nv20 = VertexIsa::Nv(NvVertexIsa::Nv20);
        if has(nv20) {
            writer.set(NV20, nv20::ENGINE::mode(if isa == nv20 { 2u32 } else { 0 }));
        }
        if has(VertexIsa::Pica200) {
            writer.set(PICA200, pica::START_DRAW_FUNC0::mode(u32::from(isa != VertexIsa::Pica200)));
        }
    }
}

/// Uploads a program to the instruction store from slot 0 on.
fn upload_nv(writer: &mut StreamWriter, code: &NvCode) {
    let (subchannel, seek, instruction) = match code.isa {
        NvVertexIsa::Nv40 => (THREE_D, program::VP_UPLOAD_FROM_ID, program::VP_UPLOAD_INST),
        NvVertexIsa::Nv20 => (NV20, nv20::VP_UPLOAD_FROM_ID, nv20::VP_UPLOAD_INST),
    };
    if code.isa == NvVertexIsa::Nv40 {
        let is_modern = code.rules == VertexRuleSet::Nv40Modern;
        writer.set(THREE_D, program::ENGINE::mode(1u32) | program::ENGINE::rules(u32::from(is_modern)));
    }
    for (slot, words) in (0u32..).zip(&code.instructions) {
        writer.upload(subchannel, seek, &[slot]);
        writer.upload(subchannel, instruction, words);
    }
    let start = u32::from(code.start);
    match code.isa {
        NvVertexIsa::Nv40 => writer.set(THREE_D, program::VP_START_FROM_ID::slot(start)),
        NvVertexIsa::Nv20 => writer.set(NV20, nv20::VP_START_FROM_ID::slot(start)),
    }
}

fn upload_nv_constants(writer: &mut StreamWriter, isa: NvVertexIsa, constants: &[(u32, [u32; 4])]) {
    let (subchannel, seek, constant) = match isa {
        NvVertexIsa::Nv40 => (THREE_D, program::VP_UPLOAD_CONST_ID, program::VP_UPLOAD_CONST),
        NvVertexIsa::Nv20 => (NV20, nv20::VP_UPLOAD_CONST_ID, nv20::VP_UPLOAD_CONST),
    };
    for (slot, value) in constants {
        writer.upload(subchannel, seek, &[*slot]);
        writer.upload(subchannel, constant, value);
    }
}

/// Uploads a shader in the order of libctru: words, descriptors, entry, inputs, outputs.
fn upload_pica(writer: &mut StreamWriter, code: &PicaCode) {
    writer.upload(PICA200, pica::VSH_CODETRANSFER_INDEX, &[0]);
    writer.repeat(PICA200, pica::VSH_CODETRANSFER_DATA, &code.words);
    writer.upload(PICA200, pica::VSH_CODETRANSFER_END, &[1]);
    writer.upload(PICA200, pica::VSH_OPDESCS_INDEX, &[0]);
    writer.repeat(PICA200, pica::VSH_OPDESCS_DATA, &code.descriptors);
    writer.upload(PICA200, pica::VSH_ENTRYPOINT, &[0x7fff_0000 | code.entry]);
    // Attribute n goes to input register n.
    writer.upload(PICA200, pica::VSH_INPUTBUFFER_CONFIG, &[0xa000_000f]);
    writer.upload(PICA200, pica::VSH_ATTRIBUTES_PERMUTATION_LOW, &[0x7654_3210, 0xfedc_ba98]);
    writer.upload(PICA200, pica::VSH_OUTMAP_MASK, &[u32::from(code.exported)]);
    writer.upload(PICA200, pica::SH_OUTMAP_TOTAL, &[code.output_count]);
    writer.upload(PICA200, pica::SH_OUTMAP, &code.semantics);
}

/// Uploads uniforms by their numbers in shader binaries; `all` has the values of those that are unchanged, too.
fn upload_uniforms(writer: &mut StreamWriter, changed: &[(u32, [u32; 4])], all: &VertexConstants) {
    let register = |slot: u32| RegisterFile::from_number(u16::try_from(slot).unwrap_or(u16::MAX));
    let mut has_boolean = false;
    for (slot, value) in changed {
        match register(*slot) {
            Some((RegisterFile::Float, number)) => {
                // Singles, w first.
                let [x, y, z, w] = *value;
                writer.upload(PICA200, pica::VSH_FLOATUNIFORM_INDEX, &[1 << 31 | u32::from(number)]);
                writer.upload(PICA200, pica::VSH_FLOATUNIFORM_DATA, &[w, z, y, x]);
            }
            Some((RegisterFile::Integer, number)) => {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers of a byte")]
                let bytes = value.map(|bits| f32::from_bits(bits) as u8);
                let method = pica::VSH_INTUNIFORM + 4 * u16::from(number);
                writer.upload(PICA200, method, &[u32::from_le_bytes(bytes)]);
            }
            Some((RegisterFile::Boolean, _)) => has_boolean = true,
            Some((RegisterFile::Input, _)) | None => {}
        }
    }
    if has_boolean {
        let is_set = |(slot, value): (&u32, &[u32; 4])| match register(*slot) {
            Some((RegisterFile::Boolean, number)) if f32::from_bits(value[0]) != 0.0 => 1 << number,
            _ => 0,
        };
        let values = all.iter().map(is_set).fold(0u32, |mask, bit| mask | bit);
        writer.upload(PICA200, pica::VSH_BOOLUNIFORM, &[0x7fff_0000 | values]);
    }
}
