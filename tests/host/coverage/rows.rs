//! All rows of the page, from the tables of the code, with the observed states.

use std::sync::OnceLock;

use curie::command::builder::handles;
use curie::command::methods::three_d::{draw, program, sync, targets, texture, vertex};
use curie::command::methods::{
    CLASSES, FieldKind, MethodRow, image_upload, nv20_three_d, pica200_vertex, puller, scaled_image, texture_upload,
};
use curie::format::TextureFormat;
use curie::isa::nv40_fragment::FragmentOpcode;
use curie::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};

use super::opcodes;
use super::probe::{State, method_state, value_state};
use super::scene::PROGRAM;

/// One line of the page.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) section: String,
    pub(crate) name: String,
    /// Its numeric code.
    pub(crate) code: String,
    pub(crate) state: State,
    /// What removes its effect (`mutants.rs`), if it is a method or a value.
    pub(crate) mutant: Option<String>,
}

/// Every row, observed once.
pub(crate) fn rows() -> Vec<Row> {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(observe).clone()
}

fn observe() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |section: String, name: &str, code: String, state: State, mutant: Option<String>| {
        rows.push(Row { section, name: name.to_owned(), code, state, mutant });
    };
    for method in puller::TABLE {
        let state = method_state(0x39, method);
        row("Every class".to_owned(), method.name, method_code(method), state, Some(format!("0 {}", method.address)));
    }
    for table in CLASSES {
        let own = table.blocks.iter().filter(|block| block[0].name != puller::TABLE[0].name);
        for method in own.flat_map(|block| block.iter()) {
            let state = method_state(table.class, method);
            let mutant = format!("{} {}", table.class, method.address);
            let section = format!("Class {:#06x} {}", table.class, table.name);
            row(section, method.name, method_code(method), state, Some(mutant));
        }
    }
    for opcode in VectorOpcode::ALL {
        let code = format!("{:#04x}", opcode.code());
        row("Vertex opcodes, vector".to_owned(), opcode.mnemonic(), code, opcodes::vector(*opcode), None);
    }
    for opcode in ScalarOpcode::ALL {
        let code = format!("{:#04x}", opcode.code());
        row("Vertex opcodes, scalar".to_owned(), opcode.mnemonic(), code, opcodes::scalar(*opcode), None);
    }
    for opcode in FragmentOpcode::ALL {
        let code = format!("{:#04x}", opcode.code());
        row("Fragment opcodes".to_owned(), opcode.mnemonic(), code, opcodes::fragment(*opcode), None);
    }
    for (section, class, method, field) in value_fields() {
        let FieldKind::Enum(names) = field.kind else { continue };
        let place = |value: u32| method.reset & !(field.extract(u32::MAX) << field.low) | value << field.low;
        for &(value, name) in names {
            let (base, prepare) = prepared(class, method, value);
            let at = |value| {
                base.map_or_else(
                    || place(value),
                    |base| base & !(field.extract(u32::MAX) << field.low) | value << field.low,
                )
            };
            let others: Vec<u32> =
                names.iter().map(|(value, _)| *value).filter(|other| *other != value).map(at).collect();
            let state = value_state(class, method, at(value), &others, &prepare);
            // Another number may have the same name.
            let other = names.iter().find(|(_, other)| *other != name).map(|(other, _)| *other);
            let mutant = other.map(|other| format!("{class} {} {} {value} {other}", method.address, field.low));
            row(section.clone(), name, format!("{value:#x}"), state, mutant);
        }
    }
    rows
}

fn method_code(method: &MethodRow) -> String {
    match method.count {
        1 => format!("{:#06x}", method.address),
        count => format!("{:#06x} × {count}", method.address),
    }
}

/// The fields whose values have their own rows: (section, class, method, field), each list of names once.
fn value_fields() -> Vec<(String, u32, &'static MethodRow, curie::command::methods::Field)> {
    let mut seen: Vec<&[(u32, &str)]> = Vec::new();
    let mut fields = Vec::new();
    for table in CLASSES {
        for method in table.rows() {
            for field in method.fields {
                let FieldKind::Enum(names) = field.kind else { continue };
                // A vertex texture has two of the texture formats, a reset two of the counters; other fields list them all.
                let is_repeated =
                    seen.contains(&names) || method.name.starts_with("VERTEX_TEX") || method.name == "QUERY_RESET";
                if is_repeated {
                    continue;
                }
                seen.push(names);
                fields.push((
                    format!("Values of {} {} {}", table.name, method.name, field.name),
                    table.class,
                    method,
                    *field,
                ));
            }
        }
    }
    fields
}

/// The method word with a field's value inserted, and the writes that make it legal.
fn prepared(class: u32, method: &MethodRow, value: u32) -> (Option<u32>, Vec<(u16, u32)>) {
    match (class, method.address) {
        (0x4097, draw::VERTEX_BEGIN_END) => (None, Vec::new()),
        // A program of one instruction, which is the last.
        (0x97, nv20_three_d::ENGINE) => (None, (0..4).map(|word| (0xb00 + 4 * word, u32::from(word == 3))).collect()),
        (0xf1ca, pica200_vertex::START_DRAW_FUNC0) => (None, pica_shader()),
        (0xf1ca, pica200_vertex::SH_OUTMAP) => {
            // All components but the first are unused; one register is exported.
            let exports = [(pica200_vertex::SH_OUTMAP_TOTAL, 1), (pica200_vertex::VSH_OUTMAP_MASK, 1)];
            (Some(0x1f1f_1f1f), [pica_shader(), exports.to_vec()].concat())
        }
        (0x4097, targets::RT_FORMAT) => {
            // Wide pixels, and a swizzled size.
            (
                Some(0x0303_0148),
                [
                    targets::COLOR0_PITCH,
                    targets::COLOR1_PITCH,
                    targets::COLOR2_PITCH,
                    targets::COLOR3_PITCH,
                    targets::ZETA_PITCH,
                ]
                .map(|pitch| (pitch, 128))
                .to_vec(),
            )
        }
        (0x4097, vertex::VTXFMT) => {
            // A format that packs all components into one word has size 1.
            let size = if value == 6 { 1 } else { 4 };
            (Some(0x1000 | size << 4), Vec::new())
        }
        (0x4097, texture::TEX_FORMAT) => {
            let format = TextureFormat::from_code(value);
            let is_block = format.is_some_and(|format| format.name().starts_with("DXT"));
            // A single unit: linear, or in blocks, which are swizzled.
            let linear = if is_block { 0 } else { 1 << 13 };
            (Some(1 | 1 << 3 | 2 << 4 | linear | 1 << 15 | 1 << 16), Vec::new())
        }
        (0x4097, program::FP_ACTIVE_PROGRAM) => {
            // One of the two slots binds VRAM, which holds the program; the other binds nothing.
            let (with, without) = match value {
                1 => (sync::DMA_TEXTURE0, sync::DMA_TEXTURE1),
                _ => (sync::DMA_TEXTURE1, sync::DMA_TEXTURE0),
            };
            (Some(PROGRAM), vec![(with, handles::VRAM), (without, 0)])
        }
        (0x4097, texture::TEX_ENABLE) => (Some(0x8006_0000), Vec::new()),
        (0x4097, texture::TEX_FILTER) => (Some(0x0407_2000), Vec::new()),
        (0x3089, scaled_image::FORMAT) => (Some(32 | 1 << 16), Vec::new()),
        (0x308a, image_upload::COLOR_FORMAT) if value <= 3 => {
            (None, vec![(image_upload::SIZE_OUT, 4 | 1 << 16), (image_upload::SIZE_IN, 4 | 1 << 16)])
        }
        (0x307b, texture_upload::COLOR_FORMAT) if value <= 3 => (None, vec![(texture_upload::SIZE, 4 | 1 << 16)]),
        _ => (None, Vec::new()),
    }
}

/// The writes of a shader that only ends.
fn pica_shader() -> Vec<(u16, u32)> {
    vec![(pica200_vertex::VSH_CODETRANSFER_DATA, 0x8800_0000)]
}
