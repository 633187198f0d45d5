//! Reads CGB files: what runtime libraries need of a compiled program.

use super::contents::{Contents, Parameter, Place, Words};
use super::limits::MAX_PARAMETERS;
use super::reader::{CgBinaryError, Places, Reader};
use crate::assembly::{DEPTH, FULL_OUTPUTS, KILLS};
use crate::shader::vertex::CONSTANT_SLOTS;

/// Where the microcode begins.
const MICROCODE: usize = 0x20;
/// The file has values of constants.
const HAS_CONSTANTS: u8 = 1;
/// The file has names.
const HAS_NAMES: u8 = 2;
/// Resources from here on are entries of the list of places, others registers.
const FIRST_PLACE: u16 = 1024;
/// The index or resource of nothing.
const NOTHING: u16 = 0xffff;

/// Reads a CGB file.
pub(super) fn read(reader: &Reader<'_>) -> Result<Contents, CgBinaryError> {
    let size = reader.half(0x08, "microcode size")?;
    let is_valid = size.is_multiple_of(16);
    Reader::checked(0x08, "microcode size", size.into(), is_valid, "whole instructions")?;
    let [profile, contents] = reader.array(0x0a, "profile")?;
    Reader::checked(0x0a, "profile", profile.into(), profile < 2, "0 (vertex) or 1 (fragment)")?;
    Reader::checked(0x0b, "contents", contents.into(), contents < 8, "a mask of three bits")?;
    let range = reader.table(0x08, "microcode", MICROCODE as u64, size.into())?;
    let mut at = range.end;
    let words = if profile == 0 {
        let (slots, start) = reader.slots(range, 0x18, reader.half(0x18, "first instruction slot")?.into())?;
        Words::Vertex { slots, start, attributes: reader.half(0x0c, "attribute mask")? }
    } else {
        let control = reader.word(0x18, "control word")? & (DEPTH | FULL_OUTPUTS | KILLS);
        let registers = reader.byte(0x1c, "register count")?;
        Reader::checked(0x1c, "register count", registers.into(), registers <= 48, "at most 48")?;
        Words::Fragment { words: reader.fragment_words(range), control: control | u32::from(registers) << 24 }
    };
    let mut parameters = Vec::new();
    if contents & HAS_CONSTANTS != 0 {
        at = constants(reader, at, &mut parameters)?;
    }
    if contents & HAS_NAMES != 0 {
        Names::new(reader, at)?.read(&words, &mut parameters)?;
    }
    Ok(Contents { words, parameters })
}

/// Reads the values of constants: a size, a count, slots, and from the next multiple of 16 on vectors. Returns the end.
fn constants(reader: &Reader<'_>, at: usize, parameters: &mut Vec<Parameter>) -> Result<usize, CgBinaryError> {
    let size = reader.half(at, "size of the constants")?;
    let count = usize::from(reader.half(at + 2, "number of constants")?);
    // Unverified: more than six constants, whose slots reach beyond the first 16 bytes.
    let first = (4 + count * 2).next_multiple_of(16);
    let is_valid = first + count * 16 == usize::from(size);
    Reader::checked(at, "size of the constants", size.into(), is_valid, "slots and values of all constants")?;
    let range = reader.table(at, "constants", at as u64, size.into())?;
    for number in 0..count {
        let offset = at + 4 + number * 2;
        let slot = reader.half(offset, "slot of a constant")?;
        let is_valid = usize::from(slot) < CONSTANT_SLOTS;
        Reader::checked(offset, "slot of a constant", slot.into(), is_valid, "a constant")?;
        let mut default = [0; 4];
        let value = at + first + number * 16;
        default.iter_mut().zip(reader.words(value..value + 16)).for_each(|(component, word)| *component = word);
        let (name, place) = (format!("internal-constant-{number}"), Place::Constant(slot));
        parameters.push(Parameter { name, place, components: 4, default: Some(default) });
    }
    Ok(range.end)
}

/// The block of names: entries, places in microcode, and strings.
struct Names<'reader, 'file> {
    reader: &'reader Reader<'file>,
    entries: usize,
    count: usize,
    places: usize,
    place_count: usize,
    strings: usize,
}

impl<'reader, 'file> Names<'reader, 'file> {
    fn new(reader: &'reader Reader<'file>, at: usize) -> Result<Self, CgBinaryError> {
        let size = reader.half(at, "size of the names")?;
        reader.table(at, "names", at as u64, size.into())?;
        let count = reader.half(at + 2, "number of names")?;
        Reader::checked(at + 2, "number of names", count.into(), u32::from(count) <= MAX_PARAMETERS, "at most 4096")?;
        let place_count = usize::from(reader.half(at + 4, "number of places")?);
        let entries = at + 6;
        let places = entries + usize::from(count) * 8;
        let strings = places + place_count * 2;
        let is_valid = strings <= at + usize::from(size);
        Reader::checked(at, "size of the names", size.into(), is_valid, "all entries and places")?;
        Ok(Self { reader, entries, count: count.into(), places, place_count, strings })
    }

    /// The name of an entry, after those of the structures that it is in.
    fn name(&self, entry: usize, names: &[String]) -> Result<String, CgBinaryError> {
        let offset = self.entries + entry * 8;
        let start = self.strings as u64 + u64::from(self.reader.word(offset, "name")?);
        let name = self.reader.name(offset, start)?;
        let parent = self.reader.half(offset + 4, "structure of a name")?;
        if parent == NOTHING {
            return Ok(name);
        }
        // A structure precedes its members.
        let outer = names.get(usize::from(parent));
        Reader::checked(offset + 4, "structure of a name", parent.into(), outer.is_some(), "an earlier entry")?;
        let name = format!("{}.{name}", outer.map_or("", String::as_str));
        let is_valid = name.len() <= super::MAX_NAME_LENGTH;
        Reader::checked(offset + 4, "structure of a name", parent.into(), is_valid, "a name of at most 255 bytes")?;
        Ok(name)
    }

    fn read(&self, words: &Words, parameters: &mut Vec<Parameter>) -> Result<(), CgBinaryError> {
        let mut names: Vec<String> = Vec::new();
        let mut places = Places::new(match words {
            Words::Vertex { .. } => &[],
            Words::Fragment { words, .. } => words,
        });
        for entry in 0..self.count {
            names.push(self.name(entry, &names)?);
            let offset = self.entries + entry * 8 + 6;
            let resource = self.reader.half(offset, "resource of a name")?;
            if resource == NOTHING {
                continue;
            }
            let place = match words {
                // Unverified: uniforms in c[0] to c[15], which have the numbers of attributes.
                Words::Vertex { .. } if resource < 16 => Place::Attribute(resource.to_le_bytes()[0]),
                Words::Vertex { .. } => {
                    let is_valid = usize::from(resource) < CONSTANT_SLOTS;
                    Reader::checked(offset, "resource of a name", resource.into(), is_valid, "a register")?;
                    Place::Constant(resource)
                }
                Words::Fragment { .. } if resource < FIRST_PLACE => continue,
                Words::Fragment { .. } => Place::Inline(self.inline(offset, resource - FIRST_PLACE, &mut places)?),
            };
            let name = names.last().cloned().unwrap_or_default();
            parameters.push(Parameter { name, place, components: 4, default: None });
        }
        Ok(())
    }

    /// The places of a uniform: its register, their number, and their bytes in microcode.
    fn inline(&self, offset: usize, first: u16, places: &mut Places) -> Result<Vec<u32>, CgBinaryError> {
        let first = usize::from(first) + 1;
        let is_valid = first < self.place_count;
        let number = u32::try_from(first).unwrap_or(u32::MAX);
        Reader::checked(offset, "places of a uniform", number, is_valid, "an entry of the list of places")?;
        let at = self.places + first * 2;
        let count = places.count(at, self.reader.half(at, "number of places of a uniform")?.into())?;
        let is_valid = first + 1 + count as usize <= self.place_count;
        Reader::checked(at, "number of places of a uniform", count, is_valid, "no more than the list has")?;
        let offsets = (at + 2..).step_by(2).take(count as usize);
        offsets
            .map(|offset| {
                let byte = self.reader.half(offset, "place of a uniform")?;
                // The file does not tell the type; a uniform ends with its constant.
                let components = 4 - (byte / 4 % 4).to_le_bytes()[0];
                places.place(offset, byte.into(), components)
            })
            .collect()
    }
}
