//! Turns the vertex program and the constants of a draw into uploads to the engine that runs them.

use super::constants::VertexConstants;
use super::program::VertexProgram;
use super::target::THREE_D;
use crate::arith::vertex::VertexRuleSet;
use crate::capture::Record;
use crate::command::builder::{CaptureBuilder, handles};
use crate::command::methods::nv20_three_d as nv20;
use crate::command::methods::three_d::program;
use crate::command::writer::StreamWriter;
use crate::isa::NvVertexIsa;

/// The subchannel of the vertex engine of NV20.
const NV20: u8 = 6;

/// The subchannel of an engine and its methods that upload.
#[derive(Debug)]
struct EngineRow {
    isa: NvVertexIsa,
    subchannel: u8,
    seek_instruction: u16,
    instruction: u16,
    seek_constant: u16,
    constant: u16,
}

/// Every engine. The first belongs to the 3D class of all draws.
static ENGINES: [EngineRow; 2] = [
    EngineRow {
        isa: NvVertexIsa::Nv40,
        subchannel: THREE_D,
        seek_instruction: program::VP_UPLOAD_FROM_ID,
        instruction: program::VP_UPLOAD_INST,
        seek_constant: program::VP_UPLOAD_CONST_ID,
        constant: program::VP_UPLOAD_CONST,
    },
    EngineRow {
        isa: NvVertexIsa::Nv20,
        subchannel: NV20,
        seek_instruction: nv20::VP_UPLOAD_FROM_ID,
        instruction: nv20::VP_UPLOAD_INST,
        seek_constant: nv20::VP_UPLOAD_CONST_ID,
        constant: nv20::VP_UPLOAD_CONST,
    },
];

/// The stores of an engine.
#[derive(Debug)]
struct EngineStores {
    row: &'static EngineRow,
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
        programs: impl Iterator<Item = &'a VertexProgram> + Clone,
        capture: &mut CaptureBuilder,
        writer: &mut StreamWriter,
    ) -> Self {
        let is_used = |row: &EngineRow| programs.clone().any(|program| program.isa == row.isa);
        let rows = ENGINES.iter().filter(|row| row.subchannel == THREE_D || is_used(row));
        let empty = |row| EngineStores { row, program: None, constants: VertexConstants::default() };
        let engines: Vec<_> = rows.map(empty).collect();
        if engines.iter().any(|engine| engine.row.isa == NvVertexIsa::Nv20) {
            let class = nv20::CLASS.class;
            capture.record(Record::Object { handle: handles::object(class), class });
            writer.bind(NV20, class, handles::object(class));
        }
        Self { engines }
    }

    /// Selects the engine of a program and uploads what its stores lack.
    pub(super) fn upload(
        &mut self,
        writer: &mut StreamWriter,
        (number, program): (usize, &VertexProgram),
        constants: Vec<(u32, [u32; 4])>,
    ) {
        if self.engines.len() > 1 {
            // Unselected, the engine of NV20 leaves draws to the 3D class.
            let mode = if program.isa == NvVertexIsa::Nv20 { 2u32 } else { 0 };
            writer.set(NV20, nv20::ENGINE::mode(mode));
        }
        let engine = self.engines.iter_mut().find(|engine| engine.row.isa == program.isa);
        let EngineStores { row, program: stored, constants: store } = engine.expect("the engine of every program");
        let is_new = stored.replace(number) != Some(number);
        if is_new {
            upload_instructions(writer, row, program);
        }
        writer.set(THREE_D, program::VP_ATTRIB_EN::attributes(u32::from(program.attributes)));
        if is_new && program.isa == NvVertexIsa::Nv40 {
            writer.upload(THREE_D, program::VP_RESULT_EN, &[program.results]);
        }
        for (slot, value) in constants {
            if store.insert(slot, value) != Some(value) {
                writer.upload(row.subchannel, row.seek_constant, &[slot]);
                writer.upload(row.subchannel, row.constant, &value);
            }
        }
    }
}

/// Uploads a program to the instruction store from slot 0 on.
fn upload_instructions(writer: &mut StreamWriter, row: &EngineRow, program: &VertexProgram) {
    if program.isa == NvVertexIsa::Nv40 {
        let is_modern = program.rules == VertexRuleSet::Nv40Modern;
        writer.set(THREE_D, program::ENGINE::mode(1u32) | program::ENGINE::rules(u32::from(is_modern)));
    }
    for (slot, instruction) in (0u32..).zip(&program.instructions) {
        writer.upload(row.subchannel, row.seek_instruction, &[slot]);
        writer.upload(row.subchannel, row.instruction, instruction);
    }
    let start = u32::from(program.start);
    match program.isa {
        NvVertexIsa::Nv40 => writer.set(THREE_D, program::VP_START_FROM_ID::slot(start)),
        NvVertexIsa::Nv20 => writer.set(NV20, nv20::VP_START_FROM_ID::slot(start)),
    }
}
