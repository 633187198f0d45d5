//! Follows the programs of a Tesla stream: the bytes that the 2D class uploads, and the addresses where programs begin.
//!
//! Mesa's driver uploads code as an image of one row of bytes (`SIFC_DATA`) and then names its start in the 3D class.

use std::collections::BTreeMap;

use crate::asm::tesla::code_listing;
use crate::command::methods::tesla::three_d::{self, below_1400 as address, from_1400 as start};
use crate::command::methods::tesla::two_d as image;
use crate::command::packet::MethodWrite;
use crate::shader::simt::ProgramKind;

/// `DST_FORMAT` and `SIFC_FORMAT` of one byte per texel: R8 (envytools `rnndb/g80_defs.xml`).
const BYTES: u32 = 0xf3;

/// The uploads of bytes and the program addresses of a stream.
#[derive(Debug, Default)]
pub(super) struct TeslaPrograms {
    /// The methods of the 2D class that describe an upload.
    copy: BTreeMap<u16, u32>,
    /// The address of the upload that data continues, and the bytes that it still expects.
    open: Option<(u64, u32)>,
    /// Uploads by their first address; none overlaps another.
    uploads: BTreeMap<u64, Vec<u8>>,
    /// The start of the code of each kind of program.
    code: [u64; 3],
}

/// The kinds of programs with the methods of their code's address and of their start in it.
const KINDS: [(ProgramKind, &str, u16, u16, u16); 3] = [
    (ProgramKind::Vertex, "vertex", address::VP_ADDRESS_HIGH, address::VP_ADDRESS_LOW, start::VP_START_ID),
    (ProgramKind::Geometry, "geometry", address::GP_ADDRESS_HIGH, address::GP_ADDRESS_LOW, start::GP_START_ID),
    (ProgramKind::Fragment, "fragment", address::FP_ADDRESS_HIGH, address::FP_ADDRESS_LOW, start::FP_START_ID),
];

impl TeslaPrograms {
    /// Follows a method; returns a title and the lines of a program where the method names its start.
    pub(super) fn method(&mut self, class: u32, write: MethodWrite) -> Option<(String, Vec<String>)> {
        if image::CLASS.has(class) {
            self.image_method(write);
            return None;
        }
        if !three_d::CLASS.has(class) {
            return None;
        }
        let value = u64::from(write.value);
        for (code, (kind, name, high, low, begins)) in self.code.iter_mut().zip(KINDS) {
            if write.method == high {
                *code = value << 32 | *code & 0xffff_ffff;
            } else if write.method == low {
                *code = *code & !0xffff_ffff | value;
            } else if write.method == begins {
                let place = code.wrapping_add(value);
                return Some((format!("{name} program at {place:#x}:"), self.lines(place, kind)));
            }
        }
        None
    }

    fn image_method(&mut self, write: MethodWrite) {
        if write.method != image::SIFC_DATA {
            self.copy.insert(write.method, write.value);
            self.open = (write.method == image::SIFC_DST_Y_INT).then(|| self.destination()).flatten();
            return;
        }
        let Some((place, missing)) = &mut self.open else { return };
        let Some(upload) = self.uploads.get_mut(place) else { return };
        let bytes = write.value.to_le_bytes();
        let taken = (*missing).min(4);
        upload.extend(&bytes[..taken as usize]);
        *missing -= taken;
    }

    /// Begins an upload if it is a row of bytes in linear memory; returns its address and size.
    fn destination(&mut self) -> Option<(u64, u32)> {
        let value = |method| self.copy.get(&method).copied().unwrap_or(0);
        let is_bytes = value(image::DST_FORMAT) == BYTES && value(image::SIFC_FORMAT) == BYTES;
        let is_row = value(image::SIFC_HEIGHT) == 1 && value(image::SIFC_DST_Y_INT) == 0;
        if !is_bytes || !is_row || value(image::DST_LINEAR) == 0 || value(image::SIFC_BITMAP_ENABLE) != 0 {
            return None;
        }
        let base = u64::from(value(image::DST_ADDRESS_HIGH)) << 32 | u64::from(value(image::DST_ADDRESS_LOW));
        let first = base.wrapping_add(value(image::SIFC_DST_X_INT).into());
        let bytes = value(image::SIFC_WIDTH);
        let end = first.saturating_add(bytes.into());
        // An upload replaces those that it overlaps: a driver uploads whole programs.
        self.uploads.retain(|&other, old| other >= end || other + old.len() as u64 <= first);
        self.uploads.insert(first, Vec::new());
        Some((first, bytes))
    }

    /// Disassembles what was uploaded from an address on.
    fn lines(&self, place: u64, kind: ProgramKind) -> Vec<String> {
        let found = self.uploads.range(..=place).next_back();
        let code = found.and_then(|(first, bytes)| bytes.get(usize::try_from(place - first).ok()?..));
        let Some(code) = code.filter(|code| code.len() >= 4) else {
            return vec!["! the stream does not upload it".to_owned()];
        };
        let words: Vec<u32> = code.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect();
        code_listing(&words, kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE_D: u32 = 0x5097;
    const TWO_D: u32 = 0x502d;

    fn send(programs: &mut TeslaPrograms, class: u32, methods: &[(u16, u32)]) -> Option<(String, Vec<String>)> {
        let mut write = |&(method, value)| {
            programs.method(class, MethodWrite { subchannel: 0, method, value, begins_packet: true })
        };
        methods.iter().map(&mut write).last().flatten()
    }

    /// Uploads a row of bytes at an address.
    fn upload(programs: &mut TeslaPrograms, place: u32, bytes: u32, words: &[u32]) {
        let begin = [
            (image::DST_FORMAT, BYTES),
            (image::DST_LINEAR, 1),
            (image::DST_ADDRESS_HIGH, 0),
            (image::DST_ADDRESS_LOW, place & !0xff),
            (image::SIFC_BITMAP_ENABLE, 0),
            (image::SIFC_FORMAT, BYTES),
            (image::SIFC_WIDTH, bytes),
            (image::SIFC_HEIGHT, 1),
            (image::SIFC_DST_X_INT, place & 0xff),
            (image::SIFC_DST_Y_INT, 0),
        ];
        send(programs, TWO_D, &begin);
        for &word in words {
            send(programs, TWO_D, &[(image::SIFC_DATA, word)]);
        }
    }

    fn start(programs: &mut TeslaPrograms, offset: u32) -> (String, Vec<String>) {
        let methods = [(address::FP_ADDRESS_HIGH, 0), (address::FP_ADDRESS_LOW, 0x1000), (start::FP_START_ID, offset)];
        send(programs, THREE_D, &methods).unwrap()
    }

    /// `mov b32 $r0 $r1` in the short form twice, then a long no-operation that exits.
    const CODE: [u32; 4] = [0x1000_8200, 0x1000_8200, 0xf000_0001, 0xe000_0781];

    #[test]
    fn a_program_is_what_was_uploaded_where_it_starts() {
        let mut programs = TeslaPrograms::default();
        // The last word is behind the end of the upload.
        upload(&mut programs, 0x1fc0, 16, &[CODE.as_slice(), &[0xdead_beef]].concat());
        let (title, lines) = start(&mut programs, 0xfc0);
        assert_eq!(title, "fragment program at 0x1fc0:");
        assert_eq!(lines, ["    mov b32 $r0 $r1", "    mov b32 $r0 $r1", "    exit nop"]);
        // A program may start inside an upload.
        assert_eq!(start(&mut programs, 0xfc8).1, ["    exit nop"]);
        // An upload over it replaces it.
        upload(&mut programs, 0x1fc0, 8, &CODE[2..]);
        assert_eq!(start(&mut programs, 0xfc0).1, ["    exit nop"]);
        assert_eq!(start(&mut programs, 0xfc8).1, ["! the stream does not upload it"]);
    }

    #[test]
    fn what_no_instruction_has_is_listed() {
        let mut programs = TeslaPrograms::default();
        // Bit 16 of the second word has no meaning in a no-operation; then a word alone that is half of one.
        upload(&mut programs, 0x1000, 12, &[0xf000_0001, 0xe000_0781 | 1 << 16, 0xf000_0001]);
        let (_, lines) = start(&mut programs, 0);
        let missing = "    .words 0xf0000001 // 0x8: the second word of the instruction is missing";
        assert_eq!(lines, ["    exit nop bits 0x1000000000000", missing]);
    }

    #[test]
    fn images_of_other_formats_are_no_code() {
        let mut programs = TeslaPrograms::default();
        send(&mut programs, TWO_D, &[(image::SIFC_DATA, 1)]);
        upload(&mut programs, 0x1000, 16, &CODE);
        send(&mut programs, TWO_D, &[(image::DST_FORMAT, 0xcf), (image::SIFC_DST_Y_INT, 0), (image::SIFC_DATA, 7)]);
        assert_eq!(start(&mut programs, 0).1.len(), 3);
    }
}
