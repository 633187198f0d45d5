//! The GeForce 6800 and the classes of earlier chips: what shows their methods and values.

mod evidence_three_d;
mod evidence_two_d;
mod opcodes;
pub(crate) mod scene;
mod witness_list;

use std::sync::OnceLock;

use curie::capture::Capture;
use curie::command::builder::{StreamBuilder, handles};
use curie::command::methods::three_d::{draw, program, sync, targets, texture, vertex};
use curie::command::methods::{
    CLASSES, ClassTable, Field, MethodRow, image_upload, nv20_three_d, pica200_vertex, puller, scaled_image,
    texture_upload,
};
use curie::format::TextureFormat;

use super::family::{ALL, Family, PLAIN, Place, Setting, Texts, ValueWrites};
use super::rows::Row;
use scene::{OTHER, PROGRAM, THREE_D};

/// The family.
#[derive(Debug)]
pub(crate) struct Nv40;

const TEXTS: Texts = Texts {
    coverage: "coverage.md",
    coverage_opening: "\
# Coverage

What becomes of everything that the tables of the code name. A test makes this page from those tables
(`BLESS=1 cargo test --test host coverage` rewrites it) and observes each state: a method is *executed* when some value of it changes
what the chip asks an engine for, and has *no effect* when none does; a value or opcode is *executed* when the reference
carries out a stream or program with it. The last column names a test that covers the rows, or says why there is nothing to show.

`just mutants` removes the effect of each executed method and value from a copy of the program, and runs its test. A test that still
passes is marked *passes without it*: it runs the row and does not show its effect.

Classes of the chip that no table has, and the public facts that they lack, are listed in
[known unknowns](known-unknowns/images.md).

",
    witnesses: "witnesses.md",
    witnesses_opening: "\
# Witnesses

Two engines that agree can share a mistake. For each row of the [coverage page](coverage.md), and for conventions that no row shows, this
page names something outside of the project that tells what the chip does. A test makes it from
`tests/host/coverage/nv40/witness_list.rs`.
",
    unshown: "tests/host/coverage/nv40/unshown.txt",
    fails: "suites/piglit/nv40-fails.txt",
};

impl Family for Nv40 {
    fn texts(&self) -> &'static Texts {
        &TEXTS
    }

    fn observed(&self) -> &'static OnceLock<Vec<Row>> {
        static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
        &ROWS
    }

    fn classes(&self) -> &'static [&'static ClassTable] {
        &CLASSES
    }

    fn shared(&self) -> (&'static [&'static [MethodRow]], u32) {
        (&[puller::TABLE], 0x39)
    }

    fn conditions(&self, class: u32) -> Vec<(Place, Setting)> {
        match class {
            0x4097 => [Place::Outside, Place::Inside].into_iter().flat_map(|at| [(at, PLAIN), (at, ALL)]).collect(),
            _ => scene::SETTINGS.map(|setting| (Place::Outside, setting)).to_vec(),
        }
    }

    fn capture(&self, setting: Setting, place: Place, tested: &dyn Fn(&mut StreamBuilder)) -> Capture {
        scene::capture(setting, place, tested)
    }

    fn write(&self, stream: &mut StreamBuilder, class: u32, method: u16, value: u32, follow: &[(u16, u32)]) {
        let subchannel = if class == 0x4097 { THREE_D } else { OTHER };
        // Both cases use the same number of methods, so that virtual time is the same.
        stream.bind(OTHER, class, handles::object(if class == 0x4097 { 0x39 } else { class }));
        stream.method(subchannel, method, value);
        for &(method, value) in follow {
            stream.method(subchannel, method, value);
        }
        // Completes a notifier.
        stream.method(subchannel, 0x100, 0);
    }

    fn handles(&self) -> Vec<u32> {
        vec![handles::VRAM, handles::GART, 0, handles::QUERY, handles::object(0x4097), handles::object(0x62)]
    }

    fn base(&self, row: &MethodRow) -> Option<u32> {
        match row.name {
            "FP_CONTROL" => Some(0x0200_0000),
            "VERTEX_TEX_FORMAT" => Some(0x0001_bc21),
            "FORMAT" => Some(0x0101),
            _ => None,
        }
    }

    fn follow(&self, class: u32, row: &MethodRow, value: u32) -> Vec<(u16, u32)> {
        match (class, row.name) {
            (0x4097, "VERTEX_BEGIN_END") if value == 0 => Vec::new(),
            (0x4097, "VERTEX_BEGIN_END") => vec![(0x1814, 7 << 24), (0x1808, 0)],
            (_, "OBJECT") => vec![(0x30c, 0x77)],
            (0x4097, "VP_UPLOAD_FROM_ID") => (0..4).map(|word| (0xb80 + 4 * word, 0)).collect(),
            (0x4097, "VP_UPLOAD_CONST_ID") => (0..4).map(|word| (0x1f00 + 4 * word, 0x7777)).collect(),
            (0x4097, "FLIP_MAX") => vec![(0x12c, 0); 3],
            (0x97, "VP_UPLOAD_FROM_ID") => (0..4).map(|word| (0xb00 + 4 * word, 7)).chain([(0x1e94, 2)]).collect(),
            (0x97, "VP_UPLOAD_CONST_ID") => {
                (0..4).map(|word| (0xb80 + 4 * word, 0x7777)).chain([(0x1e94, 2)]).collect()
            }
            (0x97, "VP_UPLOAD_INST" | "VP_UPLOAD_CONST" | "VP_START_FROM_ID") => vec![(0x1e94, 2)],
            (0xf1ca, name) if name != "START_DRAW_FUNC0" => pica_draw(name),
            (0x44, "COLOR_FORMAT") => vec![(0x310, 0x8123_4567)],
            (0x44, "BITMAP_FORMAT") => vec![(0x318, 1)],
            (0x57, "COLOR_FORMAT") => vec![(0x304, 0x8123_4567)],
            _ => Vec::new(),
        }
    }

    fn is_repeated(&self, row: &MethodRow) -> bool {
        // A vertex texture has two of the texture formats, a reset two of the counters; other fields list them all.
        row.name.starts_with("VERTEX_TEX") || row.name == "QUERY_RESET"
    }

    fn value_writes(&self, class: u32, row: &MethodRow, field: &Field, value: u32, written: u32) -> ValueWrites {
        let (base, prepare) = prepared(class, row, value);
        let word = base.unwrap_or(row.reset) & !(field.extract(u32::MAX) << field.low) | written << field.low;
        ValueWrites { prepare, word, follow: self.follow(class, row, word) }
    }

    fn opcodes(&self) -> Vec<Row> {
        opcodes::rows()
    }

    fn others(&self) -> Vec<Row> {
        Vec::new()
    }

    fn evidence(&self) -> &'static [&'static [[&'static str; 4]]] {
        &[evidence_three_d::GROUPS, evidence_two_d::GROUPS]
    }

    fn witnesses(&self) -> &'static [&'static [[&'static str; 3]]] {
        &[witness_list::GROUPS]
    }

    fn conventions(&self) -> &'static [[&'static str; 3]] {
        witness_list::CONVENTIONS
    }
}

/// What reveals a register of the PICA200's vertex processor: the words behind an index, and drawing mode.
fn pica_draw(name: &str) -> Vec<(u16, u32)> {
    let reveal: &[(u16, u32)] = match name {
        "VSH_FLOATUNIFORM_INDEX" => &[(0xb04, 0x7777); 4],
        "VSH_FLOATUNIFORM_DATA" => &[(0xb04, 0); 2],
        "VSH_CODETRANSFER_INDEX" => &[(0xb30, 0x7777)],
        "VSH_ATTRIBUTES_PERMUTATION_HIGH" => &[(0xae4, 15)],
        "VSH_OPDESCS_INDEX" => &[(0xb58, 0x7777)],
        // One exported register, whose x is the position's.
        "SH_OUTMAP" => &[(0x13c, 7), (0xaf4, 0x7f)],
        "SH_OUTMAP_TOTAL" => &[(0xaf4, 1), (0x140, 0x1f1f_1f00)],
        "VSH_OUTMAP_MASK" => &[(0x13c, 1), (0x140, 0x1f1f_1f00)],
        _ => &[],
    };
    reveal.iter().copied().chain([(0x914, 0)]).collect()
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
