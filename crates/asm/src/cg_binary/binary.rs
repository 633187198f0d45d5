//! Reads binaries of the profiles `sce_vp_rsx` and `sce_fp_rsx`.

use super::contents::{Contents, Parameter, Place, Words};
use super::limits::MAX_PARAMETERS;
use super::reader::{CgBinaryError, Places, Reader};
use super::resources::{CONSTANT, OUT, components, place};
use crate::assembly::control_word;
use crate::language::ProgramStage;
use crate::shader::vertex::CONSTANT_SLOTS;

/// Profiles and their processors; 7005 and 7006 are the numbers of early compilers.
const PROFILES: [(u32, ProgramStage); 4] = [
    (7003, ProgramStage::Vertex),
    (7004, ProgramStage::Fragment),
    (7005, ProgramStage::Vertex),
    (7006, ProgramStage::Fragment),
];
/// The numbers of profiles of any processor.
const ANY_PROFILE: std::ops::Range<u32> = 6144..7168;
/// `CG_BINARY_FORMAT_REVISION`.
const REVISION: u32 = 6;

/// The size of the header.
const HEADER_BYTES: u64 = 0x20;
/// The size of a parameter.
const PARAMETER_BYTES: u32 = 48;

fn stage_of(profile: u32) -> Option<ProgramStage> {
    PROFILES.iter().find(|(known, _)| *known == profile).map(|(_, stage)| *stage)
}

/// Whether a binary is little-endian; `None` if the file is none.
pub(super) fn byte_order(bytes: &[u8]) -> Option<bool> {
    [false, true].into_iter().find(|&is_little| {
        let reader = Reader { bytes, is_little };
        let Ok(profile) = reader.word(0, "profile") else { return false };
        let has_revision = reader.word(4, "revision").is_ok_and(|revision| revision == REVISION);
        stage_of(profile).is_some() || has_revision && ANY_PROFILE.contains(&profile)
    })
}

/// Reads a binary.
pub(super) fn read(bytes: &[u8]) -> Result<Contents, CgBinaryError> {
    let whole = Reader { bytes, is_little: byte_order(bytes).unwrap_or_default() };
    let profile = whole.word(0, "profile")?;
    let Some(stage) = stage_of(profile) else {
        let expected = "0x1b5b (sce_vp_rsx) or 0x1b5c (sce_fp_rsx)";
        return Err(CgBinaryError::Value { offset: 0, what: "profile", value: profile, expected });
    };
    let revision = whole.word(0x04, "revision")?;
    Reader::checked(0x04, "revision", revision, revision == REVISION, "6")?;
    let size = whole.word(0x08, "total size")?;
    Reader::checked(0x08, "total size", size, u64::from(size) >= HEADER_BYTES, "at least 0x20")?;
    let range = whole.table(0x08, "program", 0, size.into())?;
    let reader = Reader { bytes: bytes.get(range).unwrap_or_default(), ..whole };
    let words = match stage {
        ProgramStage::Vertex => vertex_words(&reader)?,
        ProgramStage::Fragment => fragment_words(&reader)?,
    };
    Ok(Contents { parameters: parameters(&reader, stage, &words)?, words })
}

/// The range of the microcode.
fn microcode(reader: &Reader<'_>, unit: u32) -> Result<std::ops::Range<usize>, CgBinaryError> {
    let (size, start) = (reader.word(0x18, "microcode size")?, reader.word(0x1c, "microcode offset")?);
    Reader::checked(0x18, "microcode size", size, size.is_multiple_of(unit), "whole instructions")?;
    reader.table(0x1c, "microcode", start.into(), size.into())
}

/// The offset of the configuration.
fn configuration(reader: &Reader<'_>, bytes: u64) -> Result<usize, CgBinaryError> {
    let start = reader.word(0x14, "configuration offset")?;
    Ok(reader.table(0x14, "configuration", start.into(), bytes)?.start)
}

fn vertex_words(reader: &Reader<'_>) -> Result<Words, CgBinaryError> {
    let at = configuration(reader, 24)?;
    let mut range = microcode(reader, 16)?;
    let count = reader.word(at, "number of instructions")?;
    let end = usize::try_from(count).ok().and_then(|count| range.start.checked_add(count.checked_mul(16)?));
    let end = end.filter(|&end| end <= range.end);
    let expected = "no more than the microcode has";
    Reader::checked(at, "number of instructions", count, end.is_some(), expected)?;
    range.end = end.unwrap_or(range.end);
    let (slots, start) = reader.slots(range, at + 4, reader.word(at + 4, "first instruction slot")?)?;
    let attributes = reader.word(at + 12, "attribute mask")?;
    let is_valid = u16::try_from(attributes).is_ok();
    Reader::checked(at + 12, "attribute mask", attributes, is_valid, "a mask of 16 bits")?;
    Ok(Words::Vertex { slots, start, attributes: u16::try_from(attributes).unwrap_or(u16::MAX) })
}

fn fragment_words(reader: &Reader<'_>) -> Result<Words, CgBinaryError> {
    let at = configuration(reader, 22)?;
    let words = reader.fragment_words(microcode(reader, 16)?);
    let [registers, from_h0, writes_depth, kills] = reader.array(at + 18, "register count")?;
    Reader::checked(at + 18, "register count", registers.into(), registers <= 48, "at most 48")?;
    let control = control_word(writes_depth != 0, from_h0 == 0, kills != 0, registers.into());
    Ok(Words::Fragment { words, control })
}

fn parameters(reader: &Reader<'_>, stage: ProgramStage, words: &Words) -> Result<Vec<Parameter>, CgBinaryError> {
    let count = reader.word(0x0c, "number of parameters")?;
    Reader::checked(0x0c, "number of parameters", count, count <= MAX_PARAMETERS, "at most 4096")?;
    let start = reader.word(0x10, "parameter offset")?;
    let bytes = u64::from(count) * u64::from(PARAMETER_BYTES);
    // Nothing is read from an empty table, so that its offset does not matter.
    let range = if count == 0 { 0..0 } else { reader.table(0x10, "parameters", start.into(), bytes)? };
    let mut places = Places::new(match words {
        Words::Vertex { .. } => &[],
        Words::Fragment { words, .. } => words,
    });
    let mut parameters = Vec::new();
    for at in range.step_by(PARAMETER_BYTES as usize) {
        parameters.extend(parameter(reader, at, stage, &mut places)?);
    }
    Ok(parameters)
}

/// The parameter at an offset; `None` if it is no input of the program.
fn parameter(
    reader: &Reader<'_>,
    at: usize,
    stage: ProgramStage,
    places: &mut Places,
) -> Result<Option<Parameter>, CgBinaryError> {
    let field = |offset: usize, what| reader.word(at + offset, what);
    let (kind, resource) = (field(0x00, "type of a parameter")?, field(0x04, "resource of a parameter")?);
    let name = match field(0x10, "name of a parameter")? {
        0 => String::new(),
        start => reader.name(at + 0x10, start.into())?,
    };
    let default = default_value(reader, at + 0x14)?;
    let inline = inline_places(reader, at + 0x18, components(kind).unwrap_or(4), places)?;
    if field(0x20, "direction of a parameter")? == OUT || name.is_empty() {
        return Ok(None);
    }
    let place = match stage {
        ProgramStage::Vertex if resource == CONSTANT => {
            let slot = field(0x0c, "register of a parameter")?;
            // A constant that the program does not read has the register -1. The rows of a matrix follow it.
            let is_unused = slot == u32::MAX || components(kind).is_none();
            let is_valid = is_unused || (slot as usize) < CONSTANT_SLOTS;
            Reader::checked(at + 0x0c, "register of a parameter", slot, is_valid, "a constant")?;
            u16::try_from(slot).ok().filter(|_| !is_unused).map(Place::Constant)
        }
        ProgramStage::Fragment if !inline.is_empty() => Some(Place::Inline(inline)),
        _ => place(stage, resource, kind),
    };
    Ok(place.map(|place| Parameter::of_type(name, place, kind, default)))
}

/// The default value that the field at `offset` points to.
fn default_value(reader: &Reader<'_>, offset: usize) -> Result<Option<[u32; 4]>, CgBinaryError> {
    let start = reader.word(offset, "default value of a parameter")?;
    if start == 0 {
        return Ok(None);
    }
    let range = reader.table(offset, "default value", start.into(), 16)?;
    let mut value = [0; 4];
    value.iter_mut().zip(reader.words(range)).for_each(|(component, word)| *component = word);
    Ok(Some(value))
}

/// The places in microcode of the list that the field at `offset` points to.
fn inline_places(
    reader: &Reader<'_>,
    offset: usize,
    components: u8,
    places: &mut Places,
) -> Result<Vec<u32>, CgBinaryError> {
    let start = reader.word(offset, "places of a uniform")?;
    if start == 0 || places.words == 0 {
        return Ok(Vec::new());
    }
    let first = reader.table(offset, "places of a uniform", start.into(), 4)?.start;
    let count = places.count(first, reader.word(first, "number of places of a uniform")?)?;
    let range = reader.table(first, "places of a uniform", u64::from(start) + 4, u64::from(count) * 4)?;
    let offsets = (range.start..).step_by(4);
    offsets.zip(reader.words(range)).map(|(offset, byte)| places.place(offset, byte, components)).collect()
}
