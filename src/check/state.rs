//! Writes the state of a draw as text: registers, programs, constants.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::CheckError;
use crate::capture::{Capture, Record};
use crate::chip::{Anomaly, Chip, Reason};
use crate::command::list::describe_method;
use crate::command::methods::class_table;
use crate::command::packet::MethodWrite;
use crate::listing::fragment_program_text;
use crate::machine::chip_of;
use crate::pipeline::{Draw, Elements, GpuCommand, NullEngine, SimtStage, VertexAttribute, VertexStage};
use crate::plural::counted;

/// Methods that send data or start work, whose last value is no state: names, or the beginnings of names before a star.
const DATA: [&str; 19] = [
    "VP_UPLOAD_*",
    "VTX_ATTR_*",
    "VERTEX_DATA",
    "VERTEX_BEGIN_END",
    "VB_VERTEX_BATCH",
    "VB_INDEX_BATCH",
    "VB_ELEMENT_U8",
    "VB_ELEMENT_U16",
    "VB_ELEMENT_U32",
    "VB_ELEMENT_U8_SETUP",
    "VB_ELEMENT_U16_SETUP",
    "VSH_FLOATUNIFORM_*",
    "VSH_CODETRANSFER_*",
    "VSH_OPDESCS_*",
    "START_DRAW_*",
    "CLEAR_BUFFERS",
    "VTX_CACHE_INVALIDATE*",
    "FENCE_VALUE",
    "QUERY_GET",
];

/// The method of all classes that does nothing.
const NOTHING: &str = "NOP";

/// Whether a method of this name sends data or starts work.
fn is_data(name: &str) -> bool {
    let is_named = |data: &str| match data.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == data,
    };
    name == NOTHING || DATA.iter().any(|data| is_named(data))
}

/// The registers that are not as after reset, by class and method, each with the line that describes it.
type Registers = BTreeMap<(u32, u16), String>;

/// The state of the draw of this number, from 0: registers that are not as after reset with their fields, the disassembled
/// programs, the constants of the vertex program that are not zero, and the vertices and indices that the stream itself holds.
/// Addresses are those of the stream, and what lies there is no part of the state. Nothing is drawn, so that what a draw writes
/// for a later one to read is missing; programs come from the host and from copies.
///
/// # Errors
/// When the stream cannot be played or has no such draw.
pub fn state_at(capture: &Capture, draw: u64) -> Result<String, CheckError> {
    let header = &capture.header;
    let mut chip = chip_of(header).map_err(|error| CheckError::run(&error))?;
    let engine = NullEngine::new(header.vram_bytes, header.gart_bytes);
    let mut engine = engine.map_err(|error| CheckError::run(&error))?;
    let mut registers = Registers::new();
    for record in &capture.records {
        let Record::Submit(submission) = record else {
            chip.apply(record, &mut engine).map_err(|error| CheckError::run(&error))?;
            continue;
        };
        let mut run = chip.start(submission).map_err(|error| CheckError::run(&error))?;
        while let Some(write) = chip.next_method(&mut run, &mut engine).map_err(|error| CheckError::run(&error))? {
            let class = chip.bound_class(write.subchannel);
            let refused = class.map(|class| Anomaly { class, method: write.method, reason: Reason::IllegalValue });
            let refusals = |chip: &Chip| refused.as_ref().map_or(0, |refused| chip.anomalies().count_of(refused));
            let before = refusals(&chip);
            chip.execute_method(write, &mut engine).map_err(|error| CheckError::run(&error))?;
            if let Some(class) = class.filter(|_| refusals(&chip) == before) {
                note(&mut registers, class, write);
            }
            let drawn = engine.take_drawn();
            if chip.counts().draws <= draw {
                continue;
            }
            let drawn = drawn.iter().find_map(|command| match command {
                GpuCommand::Draw(draw) => Some(draw.as_ref()),
                _ => None,
            });
            let program = fragment_program_text(engine.memory().slice(chip.fragment_program()));
            return Ok(text(&registers, drawn, &program));
        }
    }
    let draws = counted(chip.counts().draws, "draw");
    Err(CheckError::Run(format!("the stream has {draws}, and none with the number {draw}")))
}

/// Notes the value of a register.
fn note(registers: &mut Registers, class: u32, write: MethodWrite) {
    let row = class_table(class).and_then(|table| table.find(write.method)).map(|(row, _)| row);
    if row.is_some_and(|row| is_data(row.name)) {
        return;
    }
    if row.is_some_and(|row| row.reset == write.value) {
        registers.remove(&(class, write.method));
        return;
    }
    // The subchannel that names a class is the client's choice.
    let line = describe_method(Some(class), MethodWrite { subchannel: 0, ..write });
    let line = line.trim_start_matches("0 ").to_owned();
    registers.insert((class, write.method), line);
}

fn text(registers: &Registers, draw: Option<&Draw>, fragment_program: &str) -> String {
    let mut text = "registers\n".to_owned();
    registers.values().for_each(|line| text.extend(["  ", line, "\n"]));
    let Some(draw) = draw else { return text + "the draw is not emulated\n" };
    let _ = writeln!(text, "draw\n  {} of {}", draw.primitive.name(), elements(&draw.elements));
    inputs(draw).for_each(|line| text.extend(["  ", &line, "\n"]));
    let constants = match &draw.vertex {
        VertexStage::Vec4(vertex) => {
            let program = vertex.microcode.disassemble().unwrap_or_else(|error| format!("! {error}"));
            let _ = writeln!(text, "vertex program at slot {}", vertex.microcode.start());
            program.lines().for_each(|line| text.extend(["  ", line, "\n"]));
            vertex.constants.as_slice()
        }
        VertexStage::Simt(vertex) => {
            add_program(&mut text, "vertex", &vertex.stage);
            &[]
        }
    };
    if let Some(geometry) = &draw.geometry {
        add_program(&mut text, "geometry", &geometry.stage);
    }
    text.push_str("fragment program\n");
    fragment_program.lines().for_each(|line| text.extend(["  ", line, "\n"]));
    text.push_str("vertex constants\n");
    for (index, constant) in constants.iter().enumerate().filter(|(_, constant)| **constant != [0; 4]) {
        let _ = writeln!(text, "  c[{index}] = {}", vector(constant));
    }
    text
}

/// Adds the instructions of a SIMT program.
fn add_program(text: &mut String, kind: &str, stage: &SimtStage) {
    let _ = writeln!(text, "{kind} program");
    stage.program.instructions().iter().for_each(|found| {
        let _ = writeln!(text, "  {}", found.text);
    });
}

/// A line for each attribute that is not the default one, and for what the stream itself holds of vertices and indices.
fn inputs(draw: &Draw) -> impl Iterator<Item = String> {
    let attributes = draw.input.attributes.iter().enumerate();
    let attributes = attributes.filter(|(_, attribute)| **attribute != VertexAttribute::Constant(DEFAULT));
    let attributes = attributes.map(|(index, attribute)| match attribute {
        VertexAttribute::Constant(value) => format!("v[{index}] = {}", vector(value)),
        array @ VertexAttribute::Array { .. } => format!("v[{index}] = {array:?}"),
    });
    let (indices, vertices): (&[u32], &[_]) = match &draw.elements {
        Elements::Inline(indices) => (indices, &[]),
        Elements::Immediate(vertices) => (&[], vertices),
        Elements::Ranges(_) | Elements::Buffer { .. } => (&[], &[]),
    };
    let indices = indices.chunks(16).map(|indices| format!("indices {indices:?}"));
    let vertices = vertices.iter().enumerate().flat_map(|(number, vertex)| {
        let given = vertex.iter().enumerate().filter(|(_, value)| **value != DEFAULT);
        given.map(move |(index, value)| format!("vertex {number} v[{index}] = {}", vector(value)))
    });
    attributes.chain(indices).chain(vertices)
}

/// The value of an attribute that nobody gave.
const DEFAULT: [u32; 4] = [0, 0, 0, 1.0_f32.to_bits()];

/// Four floats and their bits.
fn vector(bits: &[u32; 4]) -> String {
    let [x, y, z, w] = bits.map(f32::from_bits);
    let [a, b, c, d] = bits;
    format!("{x:?} {y:?} {z:?} {w:?}  {a:08x} {b:08x} {c:08x} {d:08x}")
}

fn elements(elements: &Elements) -> String {
    let ranges = |ranges: &[(u32, u32)]| {
        let count: u64 = ranges.iter().map(|(_, count)| u64::from(*count)).sum();
        let texts = ranges.iter().take(8).map(|(first, count)| format!("{first}+{count}"));
        format!("{count}: {}{}", texts.collect::<Vec<_>>().join(" "), if ranges.len() > 8 { " …" } else { "" })
    };
    match elements {
        Elements::Ranges(list) => format!("vertices {}", ranges(list)),
        Elements::Inline(indices) => format!("{} in the stream", counted(indices.len(), "index")),
        Elements::Buffer { index_type, ranges: list, .. } => format!("{index_type:?} indices {}", ranges(list)),
        Elements::Immediate(vertices) => format!("{} in the stream", counted(vertices.len(), "vertex")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(name: &str) -> Capture {
        Capture::open(format!("scenes/captures/{name}.nvcap")).unwrap()
    }

    #[test]
    fn a_state_names_registers_and_shows_programs() {
        let state = state_at(&capture("cube"), 0).unwrap();
        for part in ["4097 RT_FORMAT = ", "color=A8R8G8B8", "vertex program at slot", "fragment program", "  c["] {
            assert!(state.contains(part), "{part}: {state}");
        }
        assert!(!state.contains("VP_UPLOAD") && !state.contains("VTX_ATTR"), "{state}");
    }

    #[test]
    fn a_planted_difference_is_in_the_text() {
        let capture = capture("culling");
        let mut other = capture.clone();
        let submissions = other.records.iter_mut().filter_map(|record| match record {
            Record::Submit(submission) => Some(submission),
            _ => None,
        });
        // The size of points is five in the stream.
        let words = submissions.flat_map(|submission| &mut submission.pushes).flat_map(|push| &mut push.words);
        words.filter(|word| **word == 5.0_f32.to_bits()).for_each(|word| *word = 6.0_f32.to_bits());
        let state = |capture| state_at(capture, 0).unwrap();
        assert_eq!(state(&capture), state(&capture));
        let draws = |capture: &Capture| (0..).take_while(|draw| state_at(capture, *draw).is_ok()).count() as u64;
        assert_eq!(draws(&capture), draws(&other));
        let last = draws(&capture) - 1;
        let sizes = [(&capture, "POINT_SIZE = 0x40a00000"), (&other, "POINT_SIZE = 0x40c00000")];
        assert!(sizes.iter().all(|(capture, size)| state_at(capture, last).unwrap().contains(size)));
    }

    /// The states of all draws of `flat`, in whose submissions one word stands for another.
    fn states_with(from: u32, to: u32) -> Vec<String> {
        let mut capture = capture("flat");
        let submissions = capture.records.iter_mut().filter_map(|record| match record {
            Record::Submit(submission) => Some(submission),
            _ => None,
        });
        let words = submissions.flat_map(|submission| &mut submission.pushes).flat_map(|push| &mut push.words);
        words.filter(|word| **word == from).for_each(|word| *word = to);
        (0..).map_while(|draw| state_at(&capture, draw).ok()).collect()
    }

    #[test]
    fn vertices_in_the_stream_are_part_of_the_state() {
        let corner = 256.0_f32.to_bits();
        let states = states_with(corner, corner);
        assert!(states.iter().any(|state| state.contains("vertex 1 v[8] = 256.0 0.0 0.0 1.0 ")), "{states:?}");
        assert_ne!(states, states_with(corner, 257.0_f32.to_bits()));
    }

    #[test]
    fn a_write_that_the_chip_refuses_is_no_state() {
        // Flat shading; smooth shading is the value after reset, and 0x1d05 is neither.
        let [flat, smooth, neither] = [0x1d00, 0x1d01, 0x1d05];
        assert!(states_with(flat, flat).iter().any(|state| state.contains("SHADE_MODEL = 0x00001d00")));
        assert_eq!(states_with(flat, neither), states_with(flat, smooth));
    }

    #[test]
    fn the_base_of_indices_is_state_and_the_batches_are_data() {
        assert!(is_data("VB_INDEX_BATCH") && is_data("VP_UPLOAD_INST") && is_data("NOP"));
        assert!(!is_data("VB_ELEMENT_BASE") && !is_data("NOPERSPECTIVE_BITMAP"));
    }

    #[test]
    fn a_draw_that_does_not_exist_is_an_error() {
        let error = state_at(&capture("flat"), 1000).unwrap_err().to_string();
        assert!(error.contains("none with the number 1000"), "{error}");
    }
}
