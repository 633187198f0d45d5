//! The GeForce 8 to 300: what shows their methods and values.

mod entries;
mod evidence_others;
mod evidence_three_d;
mod instructions;
mod programs;
mod scene;
mod witness_list;

use std::sync::OnceLock;

use curie::capture::Capture;
use curie::command::builder::{StreamBuilder, handles};
use curie::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use curie::command::methods::tesla::{compute, fifo, memory_copy, two_d};
use curie::command::methods::{ClassTable, Field, LISTED_CLASSES, MethodRow, puller};

use super::family::{Family, Place, Setting, Texts, ValueWrites};
use super::rows::Row;
use scene::{CLASSES, CONSTANT_BUFFER, CONSTANTS, ENTRY_BUFFER, OTHER_TEXTURE};

/// The family.
#[derive(Debug)]
pub(crate) struct Tesla;

const TEXTS: Texts = Texts {
    coverage: "coverage-geforce-8.md",
    coverage_opening: "\
# Coverage of the GeForce 8

What becomes of everything that the tables name for the [GeForce 8 to 300](geforce-8.md), in the words of the page of the
[GeForce 6800](coverage.md). The streams that show it are those of a GT215, which has all methods. A value of texture and sampler entries
is *executed* when a draw with it has no anomaly and differs from a draw with another value; an instruction, when the reference runs
programs with its forms, all but those that it counts as not emulated (double precision, locks, branches to constants).

What no public source tells of these chips is listed in [known unknowns](known-unknowns/tesla.md).

",
    witnesses: "witnesses-geforce-8.md",
    witnesses_opening: "\
# Witnesses of the GeForce 8

For each row of the [coverage page](coverage-geforce-8.md) of the GeForce 8, something outside of the project that tells what the chip
does, as [witnesses.md](witnesses.md) has it for the GeForce 6800. A test makes it from `tests/host/coverage/tesla/witness_list.rs`.
Piglit's tests are those that pass with Mesa's nv50 driver.
",
    unshown: "tests/host/coverage/tesla/unshown.txt",
    fails: "suites/piglit/nv50-fails.txt",
};

impl Family for Tesla {
    fn texts(&self) -> &'static Texts {
        &TEXTS
    }

    fn observed(&self) -> &'static OnceLock<Vec<Row>> {
        static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
        &ROWS
    }

    fn classes(&self) -> &'static [&'static ClassTable] {
        &LISTED_CLASSES
    }

    fn shared(&self) -> (&'static [&'static [MethodRow]], u32) {
        (&[puller::TABLE, fifo::TABLE], memory_copy::CLASS.class)
    }

    fn conditions(&self, class: u32) -> Vec<(Place, Setting)> {
        let places = if class == 0x5097 { &[Place::Outside, Place::Inside][..] } else { &[Place::Outside] };
        places.iter().flat_map(|place| scene::SETTINGS.map(|setting| (*place, setting))).collect()
    }

    fn value_settings(&self) -> &'static [Setting] {
        &scene::SETTINGS
    }

    fn capture(&self, setting: Setting, place: Place, tested: &dyn Fn(&mut StreamBuilder)) -> Capture {
        scene::capture(setting, place, tested)
    }

    fn write(&self, stream: &mut StreamBuilder, class: u32, method: u16, value: u32, follow: &[(u16, u32)]) {
        let table = LISTED_CLASSES.iter().find(|table| table.class == class).expect("a class of the tables");
        let subchannel = CLASSES.iter().find(|(_, own)| table.has(*own)).expect("every class has a subchannel").0;
        stream.method(subchannel, method, value);
        for &(method, value) in follow {
            stream.method(subchannel, method, value);
        }
        // Completes a notifier.
        stream.method(subchannel, 0x100, 0);
    }

    fn handles(&self) -> Vec<u32> {
        vec![handles::VRAM, handles::GART, 0, handles::NOTIFIER, handles::object(0x502d), handles::object(0x5039)]
    }

    fn base(&self, row: &MethodRow) -> Option<u32> {
        match row.name {
            // Shapes and places of primitives, sprites and samples that values of a few bits do not reach.
            "LINE_STIPPLE" => Some(row.reset),
            "QUERY_GET" => Some(0x0100_f002),
            _ => None,
        }
    }

    fn follow(&self, class: u32, row: &MethodRow, value: u32) -> Vec<(u16, u32)> {
        match (class, row.name) {
            (_, "OBJECT") => vec![(memory_copy::OFFSET_IN, 0x77)],
            (0x5097, name) => three_d_follow(name, value),
            (0x502d, "COND_ADDRESS_HIGH" | "COND_ADDRESS_LOW") => vec![(two_d::COND_MODE, 2)],
            (0x50c0, "TEX_LIMITS") => vec![(compute::BIND_TIC, OTHER_TEXTURE)],
            (0x50c0, "CB_ADDR") => vec![(compute::CB_DATA, 0x7777)],
            (0x50c0, "CB_DEF_SET") => vec![(compute::CB_ADDR, CONSTANT_BUFFER), (compute::CB_DATA, 0x7777)],
            (0x50c0, "CB_DEF_ADDRESS_HIGH" | "CB_DEF_ADDRESS_LOW") => vec![
                (compute::CB_DEF_SET, CONSTANT_BUFFER << 16 | 0x100),
                (compute::CB_ADDR, CONSTANT_BUFFER),
                (compute::CB_DATA, 0x7777),
            ],
            _ => Vec::new(),
        }
    }

    fn is_repeated(&self, row: &MethodRow) -> bool {
        // Images of the 2D class have the formats of targets.
        row.name == "DRAW_COLOR_FORMAT"
    }

    fn value_writes(&self, class: u32, row: &MethodRow, field: &Field, value: u32, written: u32) -> ValueWrites {
        let base = match (class, row.address) {
            // An attribute of one byte that has the kind, or of floats that have the size.
            (0x5097, late::VERTEX_ARRAY_ATTRIB) if field.name == "kind" => 0x0f << 19,
            (0x5097, late::VERTEX_ARRAY_ATTRIB) => 0x24 << 25,
            (0x5097, late::SET_PROGRAM_CB) => ENTRY_BUFFER << 12 | 1,
            // A counter of the unit.
            (0x5097, late::QUERY_GET) => {
                let number = match value {
                    2 => 2,
                    4 => 7,
                    5 => 5,
                    6 => 3,
                    10 => 9,
                    15 => 1,
                    _ => 0,
                };
                number << 24 | 2
            }
            _ => row.reset,
        };
        let word = base & !(field.extract(u32::MAX) << field.low) | written << field.low;
        let prepare = prepared(row, value);
        ValueWrites { prepare, word, follow: self.follow(class, row, word) }
    }

    fn opcodes(&self) -> Vec<Row> {
        instructions::rows()
    }

    fn others(&self) -> Vec<Row> {
        entries::rows(self)
    }

    fn evidence(&self) -> &'static [&'static [[&'static str; 4]]] {
        &[evidence_three_d::GROUPS, evidence_others::GROUPS]
    }

    fn witnesses(&self) -> &'static [&'static [[&'static str; 3]]] {
        &[witness_list::GROUPS]
    }

    fn conventions(&self) -> &'static [[&'static str; 3]] {
        witness_list::CONVENTIONS
    }
}

/// What reveals a method of the 3D class.
fn three_d_follow(name: &str, value: u32) -> Vec<(u16, u32)> {
    match name {
        "TEX_LIMITS" => [0, 8, 16].map(|program| (late::BIND_TIC + program, OTHER_TEXTURE)).to_vec(),
        "CB_ADDR" => vec![(early::CB_DATA, 0x7777)],
        "CB_DEF_SET" => vec![(early::CB_ADDR, CONSTANT_BUFFER), (early::CB_DATA, 0x7777)],
        "CB_DEF_ADDRESS_HIGH" | "CB_DEF_ADDRESS_LOW" => vec![
            (early::CB_DEF_SET, CONSTANT_BUFFER << 16 | 0x100),
            (early::CB_ADDR, CONSTANT_BUFFER),
            (early::CB_DATA, 0x7777),
            (early::CB_DEF_ADDRESS_LOW, CONSTANTS),
        ],
        "COND_ADDRESS_HIGH" | "COND_ADDRESS_LOW" => vec![(late::COND_MODE, 2)],
        "VB_ELEMENT_U16_SETUP" => vec![(late::VB_ELEMENT_U16, 3 << 16 | 2); 2],
        "VB_ELEMENT_U8_SETUP" => vec![(early::VB_ELEMENT_U8, 0x0403_0201); 2],
        "VERTEX_BUFFER_FIRST" => vec![(early::VERTEX_BUFFER_COUNT, 3)],
        "VERTEX_BEGIN_GL" if value != u32::MAX => {
            vec![(early::VERTEX_BUFFER_COUNT, 6), (late::VERTEX_END_GL, 0)]
        }
        "VERTEX_BEGIN_D3D" if value != u32::MAX => {
            vec![(early::VERTEX_BUFFER_COUNT, 6), (late::VERTEX_END_D3D, 0)]
        }
        _ => Vec::new(),
    }
}

/// The writes that make a value legal.
fn prepared(row: &MethodRow, value: u32) -> Vec<(u16, u32)> {
    match row.name {
        // Eight samples do not fit beside each other in targets of four.
        "MULTISAMPLE_MODE" if value == 3 => vec![(early::RT_HORIZ, 32), (early::ZETA_HORIZ, 32)],
        // A color of sixteen bytes has no samples.
        "RT_FORMAT" | "ZETA_FORMAT" => vec![(late::MULTISAMPLE_MODE, 0)],
        // The semaphore has 0.
        "SEMAPHORE_TRIGGER" if value != fifo::RELEASE => vec![(fifo::SEMAPHORE_SEQUENCE, 0)],
        _ => Vec::new(),
    }
}
