//! Compiled programs of Cg, built here from the documented layout.

use std::collections::BTreeSet;

use super::CgBinary;
use crate::isa::{NvVertexIsa, VertexIsa};
use crate::program_file::{FileOptions, MicrocodeFileError, ProgramFile, read_program_file};
use crate::{Assembly, ProgramStage, TextureTarget};

const VERTEX: &str = "!!NV40vp1.0\n\
    DP4 o[0].x, v[0], c[256];\n\
    DP4 o[0].y, v[0], c[257];\n\
    MAD o[1], v[3], c[467], R0;\nEND\n";

/// The words of uniforms: `tint` from word 4, `gain` and `bias` from word 12 on.
const FRAGMENT: &str = "!!NV40fp1.0\nCONTROL 0x0300004e;\n\
    MULR R0, f[TEX0], {0, 0, 0, 0};\n\
    MADR R0, R0, {0.5, 0, 0, 1}.x, {0.5, 0, 0, 1}.y;\n\
    TEX R1, f[TEX1], TEX3;\nEND\n";

const FLOAT: u32 = 1045;
const FLOAT4: u32 = 1048;
const FLOAT4X4: u32 = 1064;
const SAMPLER_CUBE: u32 = 1069;
const IN: u32 = 4097;
const OUT: u32 = 4098;
const NONE: u32 = u32::MAX;

struct Entry {
    name: &'static str,
    kind: u32,
    resource: u32,
    register: u32,
    default: Option<[f32; 4]>,
    /// Bytes in the microcode.
    places: &'static [u32],
    direction: u32,
}

const fn entry(name: &'static str, kind: u32, resource: u32, register: u32) -> Entry {
    Entry { name, kind, resource, register, default: None, places: &[], direction: IN }
}

fn vertex_entries() -> Vec<Entry> {
    vec![
        entry("a2v.position", FLOAT4, 2113, NONE),
        entry("a2v.color", FLOAT4, 2116, NONE),
        Entry { direction: OUT, ..entry("main.position", FLOAT4, 2243, NONE) },
        entry("mvp", FLOAT4X4, 2178, 256),
        entry("mvp[0]", FLOAT4, 2178, 256),
        entry("mvp[1]", FLOAT4, 2178, 257),
        entry("unused", FLOAT4, 2178, NONE),
        Entry { default: Some([128.0, 0.5, 0.0, 1.0]), ..entry("internal-constant-0", FLOAT4, 2178, 467) },
    ]
}

fn fragment_entries() -> Vec<Entry> {
    vec![
        entry("uv", FLOAT4, 3220, NONE),
        entry("environment", SAMPLER_CUBE, 2051, NONE),
        Entry { direction: OUT, ..entry("main", FLOAT4, 2757, NONE) },
        Entry { places: &[16], ..entry("tint", FLOAT4, 3256, NONE) },
        Entry { places: &[48], default: Some([0.5, 0.0, 0.0, 0.0]), ..entry("gain", FLOAT, 3256, NONE) },
        Entry { places: &[52], ..entry("bias", FLOAT, 3256, NONE) },
    ]
}

/// Writes numbers in a byte order.
struct Writer {
    bytes: Vec<u8>,
    is_little: bool,
}

impl Writer {
    fn word(&mut self, word: u32) {
        self.bytes.extend(if self.is_little { word.to_le_bytes() } else { word.to_be_bytes() });
    }

    fn half(&mut self, half: u16) {
        self.bytes.extend(if self.is_little { half.to_le_bytes() } else { half.to_be_bytes() });
    }

    fn put(&mut self, offset: usize, word: u32) {
        let bytes = if self.is_little { word.to_le_bytes() } else { word.to_be_bytes() };
        self.bytes[offset..offset + 4].copy_from_slice(&bytes);
    }

    fn here(&self) -> u32 {
        u32::try_from(self.bytes.len()).unwrap()
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
    }

    /// The header and the parameters with what they point to.
    fn head(&mut self, profile: u32, entries: &[Entry]) {
        let count = u32::try_from(entries.len()).unwrap();
        [profile, 6, 0, count, 0x20, 0, 0, 0].into_iter().for_each(|word| self.word(word));
        for entry in entries {
            let fields = [entry.kind, entry.resource, 4102, entry.register, 0, 0, 0, 0, entry.direction, 0, 1, 0];
            fields.into_iter().for_each(|word| self.word(word));
        }
        for (at, entry) in (0x20..).step_by(48).zip(entries) {
            self.put(at + 0x10, self.here());
            self.bytes.extend(entry.name.bytes().chain([0]));
            self.align();
            if let Some(value) = entry.default {
                self.put(at + 0x14, self.here());
                value.into_iter().for_each(|component| self.word(component.to_bits()));
            }
            if !entry.places.is_empty() {
                self.put(at + 0x18, self.here());
                self.word(u32::try_from(entry.places.len()).unwrap());
                entry.places.iter().for_each(|&place| self.word(place));
            }
        }
        self.align();
        self.put(0x14, self.here());
    }

    /// The microcode, and the size of all.
    fn tail(mut self, words: &[u32]) -> Vec<u8> {
        self.align();
        self.put(0x18, u32::try_from(words.len() * 4).unwrap());
        self.put(0x1c, self.here());
        words.iter().for_each(|&word| self.word(word));
        self.put(0x08, self.here());
        self.bytes
    }
}

fn file_of(text: &str) -> ProgramFile {
    read_program_file("text", text.as_bytes(), FileOptions::default()).unwrap()
}

fn vertex_slots(text: &str) -> Vec<u32> {
    let Some(Assembly::Vertex(vertex)) = file_of(text).assembly else { panic!("a vertex program") };
    vertex.instructions.concat()
}

fn fragment_words(text: &str) -> Vec<u32> {
    let Some(Assembly::Fragment(fragment)) = file_of(text).assembly else { panic!("a fragment program") };
    fragment.words
}

fn vertex_binary(is_little: bool) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::new(), is_little };
    writer.head(7003, &vertex_entries());
    [3, 0, 1, 0b1001, 1, 0].into_iter().for_each(|word| writer.word(word));
    writer.tail(&vertex_slots(VERTEX))
}

fn fragment_binary(is_little: bool) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::new(), is_little };
    writer.head(7004, &fragment_entries());
    [3, 3 << 14, 0].into_iter().for_each(|word| writer.word(word));
    [3, 0xffff, 0].into_iter().for_each(|half| writer.half(half));
    // Three registers, the color from R0, depth, no KIL.
    writer.bytes.extend([3, 0, 1, 0]);
    let halves = if is_little { 0 } else { 16 };
    let words: Vec<u32> = fragment_words(FRAGMENT).iter().map(|word| word.rotate_left(halves)).collect();
    writer.tail(&words)
}

/// A CGB file with these bytes after the microcode.
fn compact(profile: u8, contents: u8, configuration: &[u8], words: &[u32], tables: &[u8]) -> Vec<u8> {
    let mut writer = Writer { bytes: b"CGB\0\0\0\0\0".to_vec(), is_little: false };
    writer.half(u16::try_from(words.len() * 4).unwrap());
    writer.bytes.extend([profile, contents]);
    writer.bytes.extend(configuration);
    writer.bytes.resize(0x20, 0);
    words.iter().for_each(|&word| writer.word(word));
    writer.bytes.extend(tables);
    writer.bytes
}

/// A block of names: offsets of a name with its structure and resource, places, and strings.
fn names(entries: &[(u32, u16, u16)], places: &[u16], strings: &[u8]) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::new(), is_little: false };
    let size = 6 + entries.len() * 8 + places.len() * 2 + strings.len();
    [size, entries.len(), places.len()].into_iter().for_each(|half| writer.half(u16::try_from(half).unwrap()));
    for &(name, structure, resource) in entries {
        writer.word(name);
        [structure, resource].into_iter().for_each(|half| writer.half(half));
    }
    places.iter().for_each(|&place| writer.half(place));
    writer.bytes.extend(strings);
    writer.bytes
}

fn compact_vertex() -> Vec<u8> {
    let mut tables = Writer { bytes: Vec::new(), is_little: false };
    [0x20, 1, 467, 0, 0, 0, 0, 0].into_iter().for_each(|half| tables.half(half));
    [128.0f32, 0.5, 0.0, 1.0].into_iter().for_each(|value| tables.word(value.to_bits()));
    let entries = [(1, 0xffff, 0xffff), (5, 0, 0), (14, 0, 3), (20, 0xffff, 256)];
    tables.bytes.extend(names(&entries, &[], b"\0a2v\0position\0color\0mvp\0"));
    compact(0, 3, &[0, 0b1001, 1, 0], &vertex_slots(VERTEX), &tables.bytes)
}

fn compact_fragment() -> Vec<u8> {
    let entries = [(0, 0xffff, 3), (12, 0xffff, 1024), (17, 0xffff, 1027)];
    let tables = names(&entries, &[0xffff, 1, 16, 0xffff, 1, 48], b"environment\0tint\0gain\0");
    let words: Vec<u32> = fragment_words(FRAGMENT).iter().map(|word| word.rotate_left(16)).collect();
    let control = [0, 0, 0xc0, 0, 0, 3, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0x04, 0x4e, 3];
    compact(1, 2, &control, &words, &tables)
}

fn read(bytes: &[u8]) -> Result<ProgramFile, MicrocodeFileError> {
    read_program_file("program", bytes, FileOptions::default())
}

fn all_binaries() -> [Vec<u8>; 6] {
    let [vertex, fragment] = [vertex_binary, fragment_binary];
    [vertex(false), vertex(true), fragment(false), fragment(true), compact_vertex(), compact_fragment()]
}

fn bits(value: [f32; 4]) -> [u32; 4] {
    value.map(f32::to_bits)
}

#[test]
fn a_compiled_program_is_that_of_its_text() {
    let texts = [VERTEX, VERTEX, FRAGMENT, FRAGMENT, VERTEX, FRAGMENT];
    for (number, (bytes, text)) in all_binaries().iter().zip(texts).enumerate() {
        let file = read(bytes).unwrap_or_else(|error| panic!("file {number}: {error}"));
        let expected = file_of(text);
        assert_eq!(file.program, expected.program, "file {number}");
        assert_eq!(file.listing(), expected.listing(), "file {number}");
    }
}

#[test]
fn the_fuzz_targets_begin_with_these_files() {
    let kept: [&[u8]; 4] = [
        include_bytes!("../../../../tests/host/fuzz/vertex.vpo"),
        include_bytes!("../../../../tests/host/fuzz/fragment.fpo"),
        include_bytes!("../../../../tests/host/fuzz/vertex.cgb"),
        include_bytes!("../../../../tests/host/fuzz/fragment.cgb"),
    ];
    assert_eq!([vertex_binary(false), fragment_binary(false), compact_vertex(), compact_fragment()], kept);
}

#[test]
fn vertex_inputs_and_constants_have_names() {
    for bytes in [vertex_binary(false), vertex_binary(true)] {
        let file = read(&bytes).unwrap();
        let inputs = file.parse_inputs("a2v.color=1,2,3,4 mvp[0]=5,6,7,8 v[0]=9,9,9,9").unwrap();
        assert_eq!(inputs.attributes[3], bits([1.0, 2.0, 3.0, 4.0]));
        assert_eq!(inputs.attributes[0], bits([9.0; 4]));
        assert_eq!(inputs.constants[&256], bits([5.0, 6.0, 7.0, 8.0]));
        assert_eq!(inputs.constants[&467], bits([128.0, 0.5, 0.0, 1.0]));
        assert_eq!(file.missing_constants(&inputs, &BTreeSet::new()), ["mvp[1]"]);
        // A default can be replaced, by its name and by its slot.
        for name in ["internal-constant-0", "c[467]"] {
            let inputs = file.parse_inputs(&format!("{name}=2,2,2,2")).unwrap();
            assert_eq!(inputs.constants[&467], bits([2.0; 4]));
            assert_eq!(file.missing_constants(&inputs, &BTreeSet::new()), ["mvp[0]", "mvp[1]"]);
        }
        // Neither results nor matrices nor what is not read are inputs.
        for name in ["main.position", "mvp", "unused"] {
            assert!(file.parse_inputs(&format!("{name}=0,0,0,0")).is_err(), "{name}");
        }
        let Assembly::Vertex(vertex) = CgBinary::read(&bytes).unwrap().assembly else { panic!("a vertex program") };
        assert_eq!(vertex.attributes, 0b1001);
    }
}

#[test]
fn uniforms_of_a_fragment_program_reach_its_microcode() {
    let file = read(&fragment_binary(false)).unwrap();
    let Some(Assembly::Fragment(fragment)) = &file.assembly else { panic!("a fragment program") };
    assert_eq!(fragment.control, 0x0300_004e);
    assert!(fragment.writes_depth && fragment.has_full_outputs());
    assert_eq!(fragment.textures[0].target, Some(TextureTarget::Cube));
    let words = fragment_words(FRAGMENT);
    let patched = |line: &str| {
        let inputs = file.parse_inputs(line).unwrap();
        (fragment.patched(&|source| inputs.parameter(*source)), file.missing_constants(&inputs, &BTreeSet::new()))
    };
    // Each uniform writes the components of its type; what is not given is 0,0,0,1.
    let (found, missing) = patched("tint=1,2,3,4 bias=8,9,9,9 uv=1,1,1,1");
    let mut expected = words.clone();
    expected[4..8].copy_from_slice(&bits([1.0, 2.0, 3.0, 4.0]));
    expected[13] = 8.0f32.to_bits();
    assert_eq!((found, missing), (expected, Vec::new()));
    let (found, missing) = patched("gain=7,9,9,9");
    let mut expected = words;
    expected[7] = 1.0f32.to_bits();
    expected[12] = 7.0f32.to_bits();
    assert_eq!((found, missing), (expected, vec!["tint".to_owned(), "bias".to_owned()]));
    assert_eq!(file.parse_inputs("uv=1,2,3,4").unwrap().interpolants[4], bits([1.0, 2.0, 3.0, 4.0]));
}

#[test]
fn compact_files_have_names_and_constants_too() {
    let file = read(&compact_vertex()).unwrap();
    let inputs = file.parse_inputs("a2v.color=1,2,3,4 mvp=5,6,7,8").unwrap();
    assert_eq!(inputs.attributes[3], bits([1.0, 2.0, 3.0, 4.0]));
    assert_eq!(inputs.constants[&256], bits([5.0, 6.0, 7.0, 8.0]));
    assert_eq!(inputs.constants[&467], bits([128.0, 0.5, 0.0, 1.0]));
    assert_eq!(file.missing_constants(&inputs, &BTreeSet::new()), ["c[257]"]);
    let file = read(&compact_fragment()).unwrap();
    let Some(Assembly::Fragment(fragment)) = &file.assembly else { panic!("a fragment program") };
    assert_eq!(fragment.control, 0x0300_004e);
    let inputs = file.parse_inputs("gain=5,6,7,8").unwrap();
    let words = fragment.patched(&|source| inputs.parameter(*source));
    assert_eq!(words[12..16], bits([5.0, 6.0, 7.0, 8.0]));
    assert_eq!(file.missing_constants(&inputs, &BTreeSet::new()), ["tint"]);
}

#[test]
fn a_program_runs_from_its_slot() {
    let mut bytes = vertex_binary(false);
    let at = usize::from(bytes[0x16]) << 8 | usize::from(bytes[0x17]);
    bytes[at + 7] = 5;
    let Assembly::Vertex(vertex) = CgBinary::read(&bytes).unwrap().assembly else { panic!("a vertex program") };
    assert_eq!((vertex.start, vertex.instructions.len()), (5, 8));
    assert_eq!(vertex.instructions[5..].concat(), vertex_slots(VERTEX));
    bytes[at + 6..at + 8].copy_from_slice(&542u16.to_be_bytes());
    let error = read(&bytes).unwrap_err().to_string();
    assert!(error.contains("first instruction slot 0x21e, expected a program that fits"), "{error}");
}

/// The error of a vertex binary with this word at an offset.
fn error_with(bytes: &[u8], offset: usize, word: u32) -> String {
    let mut bytes = bytes.to_vec();
    bytes[offset..offset + 4].copy_from_slice(&word.to_be_bytes());
    read(&bytes).unwrap_err().to_string()
}

#[test]
fn errors_name_the_field_and_its_offset() {
    let vertex = vertex_binary(false);
    let error = |offset: usize, word: u32| error_with(&vertex, offset, word);
    let begin = "compiled program of Cg: byte ";
    for (offset, word, expected) in [
        (0x00, 7001, "0x0: profile 0x1b59, expected 0x1b5b (sce_vp_rsx) or 0x1b5c (sce_fp_rsx)"),
        (0x04, 5, "0x4: revision 0x5, expected 6"),
        (0x08, 8, "0x8: total size 0x8, expected at least 0x20"),
        (0x08, 0x10_0000, "0x8: program from byte 0x0 to 0x100000, the file ends at byte "),
        (0x0c, 0xffff_ffff, "0xc: number of parameters 0xffffffff, expected at most 4096"),
        (0x0c, 4096, "0x10: parameters from byte 0x20 to 0x30020, the file ends at byte "),
        (0x10, 0xffff_fff0, "0x10: parameters from byte 0xfffffff0 to 0x100000170, the file ends at byte "),
        (0x14, 0xffff_ffff, "0x14: configuration from byte 0xffffffff to 0x100000017, the file ends at byte "),
        (0x18, 0xffff_fff0, "0x1c: microcode from byte "),
        (0x18, 17, "0x18: microcode size 0x11, expected whole instructions"),
        (0x18, 16, "0x240: number of instructions 0x3, expected no more than the microcode has"),
        (0x1c, 0x8000_0000, "0x1c: microcode from byte 0x80000000 to 0x80000030, the file ends at byte "),
        (0x20 + 0x10, 0x8000_0000, "0x30: the name at byte 0x80000000 is outside of the file"),
        (0x20 + 7 * 48 + 0x14, 0x8000_0000, "0x184: default value from byte 0x80000000 to 0x80000010"),
        (0x20 + 7 * 48 + 0x0c, 544, "0x17c: register of a parameter 0x220, expected a constant"),
    ] {
        let found = error(offset, word);
        let expected = format!("{begin}{expected}");
        assert!(found.starts_with(&expected), "{found}\n{expected}");
    }
    let fragment = fragment_binary(false);
    let places = 0x20 + 3 * 48 + 0x18;
    let list = usize::from(fragment[places + 2]) << 8 | usize::from(fragment[places + 3]);
    for (offset, word, expected) in [
        (places, 0x8000_0000, "places of a uniform from byte 0x80000000 to 0x80000004"),
        (list, 0xffff_ffff, "number of places of a uniform 0xffffffff, expected at most 65536 for all uniforms"),
        (list, 0x1_0000, "places of a uniform from byte "),
        (list + 4, 18, "place of a uniform 0x12, expected components of a constant in the microcode"),
        (list + 4, 20, "place of a uniform 0x14, expected components of a constant in the microcode"),
        (list + 4, 0x1000, "place of a uniform 0x1000, expected components of a constant in the microcode"),
    ] {
        let found = error_with(&fragment, offset, word);
        assert!(found.starts_with(begin) && found.contains(expected), "{found}\n{expected}");
    }
}

#[test]
fn another_processor_is_refused() {
    let read =
        |bytes: &[u8], stage, isa| read_program_file("a", bytes, FileOptions { stage, isa, ..FileOptions::default() });
    let (vertex, fragment) = (vertex_binary(false), fragment_binary(false));
    let nv20 = Some(VertexIsa::Nv(NvVertexIsa::Nv20));
    let error = read(&vertex, Some(ProgramStage::Fragment), None).unwrap_err().to_string();
    assert!(error.contains("a compiled vertex program of Cg for NV40 where a program for the fragment"), "{error}");
    let error = read(&vertex, None, nv20).unwrap_err().to_string();
    assert!(error.contains("where a program for NV20 is asked for"), "{error}");
    assert!(read(&fragment, None, nv20).is_ok());
    assert!(read(&fragment, Some(ProgramStage::Fragment), None).is_ok());
}

#[test]
fn broken_files_end_in_errors() {
    let mut refused = 0;
    let mut check = |bytes: &[u8]| match read(bytes) {
        Ok(file) => {
            let _ = file.listing();
            let inputs = file.parse_inputs("tint=1,2,3,4 mvp[0]=1,2,3,4").unwrap_or_default();
            let _ = file.missing_constants(&inputs, &BTreeSet::new());
        }
        Err(error) => {
            refused += usize::from(!error.to_string().is_empty());
        }
    };
    for bytes in all_binaries() {
        for length in 0..bytes.len() {
            check(&bytes[..length]);
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            for value in (0..8).map(|bit| bytes[at] ^ 1 << bit).chain([0, 0x7f, 0xff]) {
                damaged[at] = value;
                check(&damaged);
            }
        }
    }
    assert!(refused > 5000, "{refused}");
}

#[test]
fn a_cut_file_is_refused() {
    for bytes in all_binaries() {
        // Less than eight bytes do not tell what they are.
        for length in 8..bytes.len() {
            let error = CgBinary::read(&bytes[..length]);
            assert!(error.is_err(), "{length} of {} bytes", bytes.len());
        }
    }
}

#[test]
fn textures_have_their_names_and_units() {
    for is_little in [false, true] {
        let file = read_program_file("cg", &fragment_binary(is_little), FileOptions::default()).unwrap();
        assert_eq!(file.samplers, [("environment".to_owned(), 3)]);
    }
    assert_eq!(file_of(FRAGMENT).samplers, []);
}
