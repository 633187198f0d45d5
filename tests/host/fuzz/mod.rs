//! Runs the fuzz targets on seeded inputs that are nearly valid: mutated files, and random microcode and packets.
//!
//! Each target receives 200 inputs; with `CURIE_FUZZ_SECONDS` it receives new ones for this many seconds. A failure
//! prints its seed. The fuzzer itself, which searches for unexplored paths, needs a nightly compiler: `just fuzz`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arguments;
mod executed;
#[cfg(target_os = "linux")]
mod live_messages;
mod machines;
mod planted;
mod reports;
mod stages;
mod targets;
#[cfg(all(target_os = "linux", feature = "window"))]
mod wayland_inputs;
#[cfg(all(target_os = "linux", feature = "window"))]
mod wayland_requests;

use std::path::{Path, PathBuf};

use curie::asm::shbin::{
    Executable, OutputSemantic, RegisterFile, Shbin, ShbinConstant, ShbinDescriptor, ShbinLabel, ShbinOutput,
    ShbinUniform, ShbinValue,
};
use curie::capture::{Capture, Record};
use curie::command::methods::{CLASSES, LISTED_CLASSES};
use curie::isa::pica_vertex::{PicaField, PicaFormat, PicaOpcode, PicaWord};
use curie::isa::tesla::TeslaRow;
use curie::memory::PAGE_BYTES;
use curie::shader::condition::WriteMask;
use curie::shader::simt::ProgramKind;
use serde_json::Value;

use crate::common::damaged_streams;
use crate::common::fuzz_seeds::{INPUTS, seeds};
use crate::common::microcode::{Generator, fragment_block, nv20_slots, vertex_slots};
use crate::common::random::Random;
use crate::host::assembly::mutations::NV20_TEXTS;

/// Calls a target with the seeds of its inputs.
fn each_seed(target: impl Fn(u64) -> bool) {
    seeds(INPUTS, target);
}

/// The files of a folder with one of these extensions, smaller than a limit.
fn files(folder: &str, extensions: &[&str], limit: usize) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| extensions.iter().any(|extension| found == *extension)));
    paths.sort();
    let mut contents: Vec<_> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    contents.retain(|bytes| bytes.len() < limit);
    assert!(contents.len() > 1, "{folder} has no corpus");
    contents
}

fn pick<'a, T>(random: &mut Random, from: &'a [T]) -> &'a T {
    &from[random.below(u32::try_from(from.len()).unwrap()) as usize]
}

/// The start of a random part of something of this length.
fn position(random: &mut Random, length: usize) -> usize {
    random.below(u32::try_from(length).unwrap()) as usize
}

/// The pieces of texts, up to and with the letters that end a word.
fn pieces<'text>(text: &&'text str) -> std::str::SplitInclusive<'text, [char; 4]> {
    text.split_inclusive([' ', ',', '\n', '.'])
}

/// Calls a target with texts in which up to three words are replaced, added or taken out.
fn each_damaged_text(texts: &[&str], target: impl Fn(&str) -> bool) {
    damaged_texts(INPUTS, texts, target);
}

/// The same with another number of texts.
fn damaged_texts(inputs: u64, texts: &[&str], target: impl Fn(&str) -> bool) {
    let words: Vec<&str> = texts.iter().flat_map(pieces).collect();
    seeds(inputs, |seed| {
        let mut random = Random::new(seed);
        let mut pieces: Vec<&str> = pieces(pick(&mut random, texts)).collect();
        for _ in 0..random.below(4) {
            let at = position(&mut random, pieces.len());
            match random.below(3) {
                0 => pieces[at] = *pick(&mut random, &words),
                1 => pieces.insert(at, *pick(&mut random, &words)),
                _ if pieces.len() > 1 => drop(pieces.remove(at)),
                _ => {}
            }
        }
        target(&pieces.concat())
    });
}

#[test]
fn assembly() {
    let texts = files("tests/programs", &["vp", "fp"], 4096);
    let texts: Vec<String> = texts.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect();
    // A program begins at its header; the lines above describe its test.
    let texts: Vec<&str> = texts.iter().filter_map(|text| text.find("!!").map(|start| &text[start..])).collect();
    each_damaged_text(&texts, targets::assembly);
}

#[test]
fn nv20_assembly() {
    each_damaged_text(NV20_TEXTS, targets::nv20_assembly);
}

/// The bundled captures of up to this many bytes, of all chips.
fn captures(limit: usize) -> Vec<Vec<u8>> {
    ["scenes/captures", "scenes/captures/geforce-8"]
        .iter()
        .flat_map(|folder| files(folder, &["nvcap"], limit))
        .collect()
}

/// A capture as a live emulator records it: the program's writes are runs of bytes.
fn written_live(capture: &Capture) -> Capture {
    let mut live = capture.clone();
    for record in &mut live.records {
        if let Record::Pages { handle, first_page, bytes } = record {
            let (offset, bytes) = (*first_page * PAGE_BYTES, std::mem::take(bytes));
            *record = Record::Write { handle: *handle, offset, bytes };
        }
    }
    live
}

#[test]
fn capture() {
    // Written uncompressed: the reader would stop early in a damaged compressed file.
    let files = captures(32 << 10);
    let captures: Vec<_> = files.iter().map(|bytes| Capture::read(bytes).unwrap()).collect();
    let live: Vec<_> = captures.iter().map(written_live).collect();
    assert_ne!(live, captures, "no capture has pages");
    let captures: Vec<_> = live.iter().chain(&captures).map(Capture::write).collect();
    each_seed(|seed| {
        let mut random = Random::new(seed);
        let bytes = pick(&mut random, &captures).clone();
        targets::capture(&damaged(&mut random, bytes, 8))
    });
}

/// Damages a few bytes or bits.
fn damaged(random: &mut Random, mut bytes: Vec<u8>, most: u32) -> Vec<u8> {
    for _ in 0..random.below(most) {
        let at = position(random, bytes.len());
        match random.below(8) {
            0 => bytes.truncate(at.max(1)),
            1..4 => bytes[at] = random.word().to_le_bytes()[3],
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
    bytes
}

/// The messages of an OpenGL program: the records of a capture, of which a few are damaged, repeated, moved or left out.
#[cfg(target_os = "linux")]
fn messages(random: &mut Random, capture: &Capture) -> Vec<u8> {
    let mut messages: Vec<Vec<u8>> = capture.records.iter().map(crate::common::live::record_message).collect();
    for _ in 0..random.below(6) {
        let at = position(random, messages.len());
        match random.below(8) {
            0 => drop(messages.remove(at)),
            1 => messages.insert(at, messages[at].clone()),
            2 => {
                let other = position(random, messages.len());
                messages.swap(at, other);
            }
            3 => {
                let words = [random.below(12), random.word()];
                let tag = random.pick(&[*b"PREP", *b"SHAR", *b"NAME", *b"BODL", *b"MARK", *b"NOPE", *b"HELO"]);
                let payload = curie_client::protocol::words(&words[..1 + position(random, 2)]);
                messages.insert(at, curie_client::protocol::message(tag, &payload));
            }
            4 | 5 => {
                // Words of the payload, whose size stays.
                let message = &mut messages[at];
                let places = message.len().saturating_sub(8) / 4;
                if places > 0 {
                    let place = 8 + 4 * position(random, places);
                    let value = if random.flag() { random.word() } else { random.below(1 << 12) };
                    message[place..place + 4].copy_from_slice(&value.to_le_bytes());
                }
            }
            _ => {
                let bytes = std::mem::take(&mut messages[at]);
                messages[at] = damaged(random, bytes, 4);
            }
        }
        if messages.is_empty() {
            break;
        }
    }
    messages.concat()
}

#[cfg(target_os = "linux")]
#[test]
fn live() {
    let files = captures(24 << 10);
    let captures: Vec<_> = files.iter().map(|bytes| Capture::read(bytes).unwrap()).collect();
    // Each input draws twice.
    seeds(INPUTS / 10, |seed| {
        let mut random = Random::new(seed);
        let capture = pick(&mut random, &captures);
        live_messages::live(&messages(&mut random, capture))
    });
}

#[cfg(all(target_os = "linux", feature = "window"))]
#[test]
fn wayland() {
    seeds(INPUTS / 4, |seed| {
        let mut random = Random::new(seed);
        let bytes = wayland_inputs::requests(random.clone());
        random.word();
        let bytes = if random.below(3) == 0 { damaged(&mut random, bytes, 4) } else { bytes };
        wayland_requests::wayland(&bytes)
    });
}

#[test]
fn draws() {
    let captures = captures(16 << 10);
    // Each input shades pictures.
    seeds(INPUTS / 10, |seed| {
        let mut random = Random::new(seed);
        let bytes = pick(&mut random, &captures).clone();
        targets::draws(&damaged(&mut random, bytes, 6))
    });
}

/// Streams of the GeForce 8 whose methods, descriptors, programs and constants are others than a driver's.
#[test]
fn tesla_streams() {
    let captures = damaged_streams::captures(16 << 10);
    seeds(INPUTS / 10, |seed| {
        let mut random = Random::new(seed);
        let capture = pick(&mut random, &captures);
        targets::draws(&damaged_streams::damaged(&mut random, capture).write())
    });
}

/// Calls the target of a stage with random inputs of up to 2 KiB, the empty one among them, and with the inputs kept.
fn each_stage_input(name: &str, inputs: u64, target: impl Fn(&[u8]) -> bool) {
    let kept = files(&format!("tests/host/fuzz/inputs/{name}"), &["bin"], 1 << 12);
    assert!(kept.iter().filter(|input| target(input)).count() > 1, "the kept inputs of {name} draw nothing");
    seeds(inputs, |seed| {
        let mut random = Random::new(seed);
        let words = random.below(512);
        target(&(0..words).flat_map(|_| random.word().to_le_bytes()).collect::<Vec<u8>>())
    });
}

#[test]
fn rasterizer() {
    each_stage_input("rasterizer", INPUTS, stages::rasterizer);
}

#[test]
fn texture_unit() {
    each_stage_input("texture_unit", INPUTS, stages::texture_unit);
}

#[test]
fn output_merger() {
    each_stage_input("output_merger", INPUTS, stages::output_merger);
}

#[test]
fn recompiler() {
    // Each input is a handful of kernels.
    each_stage_input("recompiler", INPUTS / 10, stages::recompiler);
}

/// The texts of a folder's files with an extension.
fn texts(folder: &str, extension: &str) -> Vec<String> {
    let files = files(folder, &[extension], 1 << 20);
    files.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

#[test]
fn machine() {
    let texts = texts("src/machine", "toml");
    each_damaged_text(&texts.iter().map(String::as_str).collect::<Vec<_>>(), targets::machine);
}

/// A machine file in which up to three numbers are others.
fn with_other_numbers(random: &mut Random, text: &str) -> String {
    const NUMBERS: [&str; 16] =
        ["0", "1", "2", "3", "4", "7", "8", "16", "64", "255", "256", "1024", "65536", "4294967295", "0.001", "1e9"];
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.below(4) {
        let at = position(random, lines.len());
        let Some((before, after)) = lines[at].split_once("value = ") else { continue };
        let end = after.find([',', ' ', '}']).unwrap_or(after.len());
        lines[at] = format!("{before}value = {}{}", pick(random, &NUMBERS), &after[end..]);
    }
    lines.join("\n")
}

#[test]
fn models() {
    let texts = texts("src/machine", "toml");
    // Each input plays a stream.
    seeds(INPUTS / 10, |seed| {
        let mut random = Random::new(seed);
        let text = pick(&mut random, &texts).clone();
        machines::models(&with_other_numbers(&mut random, &text))
    });
}

#[test]
fn scene() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/phong");
    // Each input makes a stream twice.
    let text = include_str!("../../../scenes/phong/scene.ron");
    damaged_texts(INPUTS / 10, &[text], |text| targets::scene(text, &folder));
}

#[test]
fn program_inputs() {
    const LINES: [&str; 4] = [
        "f[TEX0]=0.5,-2,0x7fc00000,1e9 state.fog.color=10,20,30,40 program.local[0]=100,200,300,400",
        "v[0]=1,2,3,4 c[5]=0x3f800000,0,0,0",
        "a[0x8]=0.5 c0[0x10]=7",
        "v[0x3fc]=0xffffffff l[4]=1",
    ];
    each_damaged_text(&LINES, targets::program_inputs);
}

/// The statistics of a replay and of a launch.
const STATISTICS: [&str; 2] = [include_str!("../../command_line/report/models.json"), include_str!("launch.json")];

#[test]
fn statistics() {
    each_damaged_text(&STATISTICS, |text| reports::statistics(text.as_bytes()));
}

/// Values that a page, a CSV file or a terminal could misinterpret, and numbers at the ends of their ranges.
fn hostile_value(random: &mut Random) -> Value {
    const TEXTS: [&str; 12] = [
        "<script>alert(1)</script>",
        "</script><b>",
        "\" onload=\"x",
        "' onload='x",
        "]]>-->",
        "a,b\r\nc;\"d\"",
        "\u{1b}[31m\u{7}\u{9b}",
        "&amp &#x; &",
        "https://example.org/",
        "\u{202e}\u{0}\n\t",
        "=1+1",
        "",
    ];
    const NUMBERS: [f64; 8] = [0.0, -0.0, 1.0, -1.0, 1e300, 1e-300, 0.1, 1e18];
    match random.below(6) {
        0 => u64::MAX.into(),
        1 => random.below(8).into(),
        2 => random.pick(&NUMBERS).into(),
        _ => random.pick(&TEXTS).into(),
    }
}

/// Changes one value somewhere inside: a text, a number, a key, or the elements of a list.
fn change(random: &mut Random, value: &mut Value) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let key = members.keys().nth(position(random, members.len())).unwrap().clone();
            match random.below(24) {
                0 => drop(members.remove(&key)),
                1 => {
                    let member = members[&key].clone();
                    members.insert(hostile_value(random).as_str().unwrap_or("more").to_owned(), member);
                }
                _ => change(random, members.get_mut(&key).unwrap()),
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            let at = position(random, elements.len());
            match random.below(12) {
                0 => drop(elements.remove(at)),
                1 => elements.push(elements[at].clone()),
                _ => change(random, &mut elements[at]),
            }
        }
        Value::String(text) if random.below(8) != 0 => {
            let hostile = hostile_value(random);
            *text = hostile.as_str().unwrap_or("another").to_owned();
        }
        Value::Number(number) if random.below(8) != 0 => {
            let hostile = hostile_value(random);
            *number = hostile.as_number().cloned().unwrap_or_else(|| 7.into());
        }
        other => *other = hostile_value(random),
    }
}

#[test]
fn report() {
    let files = STATISTICS.map(|file| serde_json::from_str::<Value>(file).unwrap());
    each_seed(|seed| {
        let mut random = Random::new(seed);
        let mut file = pick(&mut random, &files).clone();
        for _ in 0..random.below(5) {
            change(&mut random, &mut file);
        }
        reports::report(file.to_string().as_bytes())
    });
}

#[test]
fn launch_arguments() {
    const TEXTS: [&str; 8] = [
        "i32:-5 u32:0x10 f32:1.5 f32:0x7fc00000",
        "f32:[1, 2.5,-3] i32:[-1,0] u32:[]",
        "zeros:0x10 zeros:4096 zeros:65536",
        "image=unorm8x4,64x32,wrap=repeat,filter=linear,normalized:zeros",
        "0=f32,4:[1,2,3,4]",
        "volume=unorm8x2,2x2x2,wrap=border:[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]",
        "f32:2 x32:5 u8 i32:16 u32:3",
        "2048 65536 100000 1x1x1",
    ];
    let words: Vec<&str> = TEXTS.iter().flat_map(|text| text.split(' ')).collect();
    each_seed(|seed| {
        let mut random = Random::new(seed);
        let mut text = (*pick(&mut random, &words)).to_owned();
        for _ in 0..random.below(3) {
            let other = pick(&mut random, &words);
            let cut = |random: &mut Random, text: &str| text.floor_char_boundary(position(random, text.len() + 1));
            let (at, from) = (cut(&mut random, &text), cut(&mut random, other));
            match random.below(3) {
                0 => text.replace_range(at.., &other[from..]),
                1 => text.insert_str(at, &other[from..]),
                _ => text.truncate(at),
            }
        }
        arguments::launch_arguments(&text)
    });
}

#[test]
fn packets() {
    let tables: Vec<_> = CLASSES.into_iter().chain(LISTED_CLASSES).collect();
    each_seed(|seed| {
        let mut random = Random::new(seed);
        let mut words = Vec::new();
        for _ in 0..random.below(64) {
            let (subchannel, table) = (random.below(8), pick(&mut random, &tables));
            let rows: Vec<_> = table.rows().collect();
            let method = u32::from(pick(&mut random, &rows).address);
            let count = random.below(8);
            let kind = if random.below(8) == 0 { 0x4000_0000 } else { 0 };
            words.push(kind | count << 18 | subchannel << 13 | method);
            for _ in 0..count {
                let value = random.word();
                words.push(if random.flag() { value & 0xff } else { value });
            }
        }
        for _ in 0..random.below(3) {
            if !words.is_empty() {
                let at = position(&mut random, words.len());
                words[at] = random.word();
            }
        }
        targets::packets(&words)
    });
}

#[test]
fn vertex_microcode() {
    each_seed(|seed| {
        let mut generator = generator(seed);
        let mut slots = vertex_slots(&mut generator);
        if generator.below(2) == 0 {
            let at = generator.below(u32::try_from(slots.len()).unwrap()) as usize;
            slots[at][generator.below(4) as usize] ^= 1 << generator.below(32);
        }
        targets::vertex_microcode(&slots)
    });
}

#[test]
fn nv20_vertex_microcode() {
    each_seed(|seed| {
        let mut generator = generator(seed);
        let mut slots = nv20_slots(&mut generator, true);
        if generator.below(2) == 0 {
            let at = generator.below(u32::try_from(slots.len()).unwrap()) as usize;
            slots[at][generator.below(4) as usize] ^= 1 << generator.below(32);
        }
        targets::nv20_vertex_microcode(&slots)
    });
}

#[test]
fn fragment_microcode() {
    each_seed(|seed| {
        let mut generator = generator(seed);
        let mut words = Vec::new();
        fragment_block(&mut generator, &mut words, 6, 2, 2);
        let at = generator.below(u32::try_from(words.len()).unwrap()) as usize;
        if generator.below(2) == 0 {
            words[at] ^= 1 << generator.below(32);
        }
        // The last instruction has the end bit of the program.
        words.extend([0x0100_0001, generator.next() & !3, generator.next() & !(1 << 31 | 3), generator.next() & !3]);
        targets::fragment_microcode(&words)
    });
}

#[test]
fn pica_assembly() {
    each_damaged_text(&[include_str!("light.v.pica"), include_str!("quads.g.pica")], targets::pica_assembly);
}

#[test]
fn ptx() {
    let texts = files("scenes/compute", &["ptx"], 1 << 16);
    let texts: Vec<&str> = texts.iter().map(|bytes| std::str::from_utf8(bytes).unwrap()).collect();
    each_damaged_text(&texts, targets::ptx);
}

#[test]
fn ptx_programs() {
    let texts = files("scenes/compute", &["ptx"], 1 << 16);
    let texts: Vec<&str> = texts.iter().map(|bytes| std::str::from_utf8(bytes).unwrap()).collect();
    // Each input runs a kernel five times.
    damaged_texts(INPUTS / 10, &texts, executed::ptx_programs);
}

#[test]
fn tesla_programs() {
    // Each input runs a program five times.
    seeds(INPUTS / 10, |seed| executed::tesla_programs(&random_bytes(seed, 1 << 10)));
}

/// Random bytes, fewer than this.
fn random_bytes(seed: u64, most: u32) -> Vec<u8> {
    let mut random = Random::new(seed);
    let words = random.below(most / 4);
    (0..words).flat_map(|_| random.word().to_le_bytes()).collect()
}

#[test]
fn pica_programs() {
    each_seed(|seed| {
        let mut random = Random::new(seed);
        let mut code: Vec<u32> = (0..64).map(|_| pica_word(&mut random)).collect();
        // The end; targets lie below it.
        code.push(PicaWord(0).with(PicaField::OPCODE, PicaOpcode::End.code().into()).0);
        let descriptors: Vec<u32> = (0..8).map(|_| random.word()).collect();
        executed::pica_programs(&code, &descriptors)
    });
}

/// A word of the shader processor with targets below 64 and descriptors below 8.
fn pica_word(random: &mut Random) -> u32 {
    let opcode = random.pick(PicaOpcode::ALL);
    let word = PicaWord(random.word()).with(PicaField::OPCODE, opcode.code().into());
    let word = match opcode.row().format {
        PicaFormat::Compare => {
            word.with(PicaField::COMPARE_X, random.below(6)).with(PicaField::COMPARE_Y, random.below(6))
        }
        PicaFormat::Condition | PicaFormat::Boolean | PicaFormat::Integer => {
            word.with(PicaField::TARGET, random.below(64)).with(PicaField::COUNT, random.below(2))
        }
        _ => word,
    };
    let descriptor = opcode.row().format.operands().map(|fields| fields.descriptor);
    descriptor.map_or(word, |descriptor| word.with(descriptor, random.below(8))).0
}

#[test]
fn pica_microcode() {
    each_seed(|seed| {
        let mut random = Random::new(seed);
        let mut code: Vec<u32> = (0..66).map(|_| pica_word(&mut random)).collect();
        let descriptors: Vec<u32> = (0..8 + random.below(120)).map(|_| random.word()).collect();
        if random.flag() {
            let at = position(&mut random, code.len());
            code[at] ^= 1 << random.below(32);
        }
        targets::pica_microcode(&code, &descriptors)
    });
}

#[test]
fn tesla_microcode() {
    let rows: Vec<_> = TeslaRow::all().collect();
    each_seed(|seed| {
        let mut random = Random::new(seed);
        let mut words = Vec::new();
        for _ in 0..1 + random.below(32) {
            let row = pick(&mut random, &rows);
            let half = |at: u32| u32::try_from(row.bits >> at & 0xffff_ffff).unwrap();
            let mask = |at: u32| u32::try_from(row.mask >> at & 0xffff_ffff).unwrap();
            // The second word of a row of one word is another instruction: they come in pairs.
            let mut word = |at: u32| random.word() & !mask(at) | half(at);
            words.push(word(0));
            words.push(if row.form.bytes() == 8 { word(32) } else { word(0) });
        }
        if random.flag() {
            let at = position(&mut random, words.len());
            words[at] ^= 1 << random.below(32);
        }
        let kinds = [ProgramKind::Vertex, ProgramKind::Geometry, ProgramKind::Fragment, ProgramKind::Compute];
        targets::tesla_microcode(&words, *pick(&mut random, &kinds))
    });
}

#[test]
fn tesla_assembly() {
    each_damaged_text(&[include_str!("kernels.tesla"), include_str!("programs.tesla")], targets::tesla_assembly);
}

#[test]
fn cubin() {
    each_damaged_text(&[include_str!("kernels.cubin")], targets::cubin);
}

/// Gives a target damaged copies of files.
fn each_damaged_file(files: &[&[u8]], target: impl Fn(&[u8]) -> bool) {
    each_seed(|seed| {
        let mut random = Random::new(seed);
        let bytes = pick(&mut random, files).to_vec();
        target(&damaged(&mut random, bytes, 6))
    });
}

#[test]
fn elf_cubin() {
    each_damaged_file(&[include_bytes!("elf.cubin")], targets::elf_cubin);
}

#[test]
fn cg_program() {
    let files: [&[u8]; 4] = [
        include_bytes!("vertex.vpo"),
        include_bytes!("fragment.fpo"),
        include_bytes!("vertex.cgb"),
        include_bytes!("fragment.cgb"),
    ];
    each_damaged_file(&files, targets::cg_program);
}

/// A binary with entries in every table.
fn shader_binary_of(random: &mut Random) -> Shbin {
    let code: Vec<u32> = (0..1 + random.below(80)).map(|_| pica_word(random)).collect();
    let executables = (0..random.below(3)).map(|_| Executable {
        entry: random.below(u32::try_from(code.len()).unwrap()),
        constants: vec![
            ShbinConstant { register: 95, value: ShbinValue::Float([random.word() >> 8; 4]) },
            ShbinConstant { register: 3, value: ShbinValue::Integer([1, 2, 3, 4]) },
            ShbinConstant { register: 15, value: ShbinValue::Boolean(random.flag()) },
        ],
        labels: vec![ShbinLabel { id: 1, address: 2, words: 3, name: "main".to_owned() }],
        outputs: vec![ShbinOutput { semantic: OutputSemantic::Color, register: 5, mask: WriteMask(7) }],
        uniforms: vec![ShbinUniform { name: "bones".to_owned(), file: RegisterFile::Float, first: 4, last: 90 }],
        ..Executable::default()
    });
    let descriptors = vec![ShbinDescriptor { word: 0x36f, operands: 1 }; 8];
    Shbin { version: 0, executables: executables.collect(), descriptors, code }
}

#[test]
fn shader_binary() {
    each_seed(|seed| {
        let mut random = Random::new(seed);
        let bytes = shader_binary_of(&mut random).write().unwrap();
        targets::shader_binary(&damaged(&mut random, bytes, 6))
    });
}

/// The microcode generator for a seed; its state must not start at 0.
fn generator(seed: u64) -> Generator {
    Generator(Random::new(seed).word() | 1)
}
