//! Properties that fuzzing checks for any input: one function per target, called by the fuzzer's crate and by seeded
//! tests. A target returns whether the input was valid.
#![allow(unreachable_pub, reason = "the crate in fuzz/ takes this file as its library")]

use std::path::Path;

use curie::arith::vertex::VertexRuleSet;
use curie::asm::inputs::{ElementInputs, parse_inputs};
use curie::asm::pica::{self, PicaListingError, PicaOptions};
use curie::asm::program_file::{FileOptions, read_program_file};
use curie::asm::ptx::compile_ptx;
use curie::asm::shbin::Shbin;
use curie::asm::tesla::TeslaInputs;
use curie::asm::{Assembly, ConstantSource, assemble, assemble_for, cubin, fragment, tesla, vertex};
use curie::capture::{Capture, Header, Record};
use curie::chip::{MethodCounts, Reason};
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::{CLASSES, LISTED_CLASSES};
use curie::command::packet::{MethodWrite, Pusher, WordSource};
use curie::counters::{Counters, CountingOptions};
use curie::counting::CountingEngine as _;
use curie::isa::NvVertexIsa;
use curie::isa::nv20_vertex::Nv20Microprogram;
use curie::isa::nv20_vertex::decode::decode_instruction;
use curie::isa::nv40_vertex::{VertexMicroprogram, VertexWord};
use curie::isa::pica_vertex::{PicaEncodeProblem, PicaShader};
use curie::isa::tesla::{TeslaGeneration, decode_program};
use curie::listing::list_capture;
use curie::machine::{self, AnyMachine, PARAMETERS, TESLA_PARAMETERS, chip_of};
use curie::memory::MemorySpace;
use curie::pipeline::program_run::quad_inputs;
use curie::pipeline::{NullEngine, VertexContext};
use curie::reference::Reference;
use curie::reference::fragment::run_fragment_program::{NoTextures, run_fragment_program};
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program::{run_state_program, run_vertex_program};
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::scene::{SceneFile, SceneOptions};
use curie::shader::fragment::{FragmentInput, FragmentProgram};
use curie::shader::simt::ProgramKind;

use crate::common::memory::contents;

/// Keeps guest memory small, so that the fuzzer's memory limit applies to the front end.
const SPACE_BYTES: u64 = 1 << 24;

/// A chip that draws, and one that runs compute launches only.
const LISTED_CHIPSETS: [u32; 2] = [0x40, 0x50];

/// Any text as a program: assembled, decoded, listed and assembled again.
pub fn assembly(text: &str) -> bool {
    match assemble("fuzz", text) {
        Ok(Assembly::Vertex(program)) => {
            let listed = vertex::listing::listing(&program.instructions, program.start);
            let Ok(Assembly::Vertex(again)) = assemble("again", &listed) else { panic!("{listed}") };
            assert_eq!((again.instructions, again.start), (program.instructions, program.start));
            true
        }
        Ok(Assembly::Fragment(program)) => {
            let listed = fragment::listing::listing(&program.words, Some(program.control));
            let Ok(Assembly::Fragment(again)) = assemble("again", &listed) else { panic!("{listed}") };
            assert_eq!((again.words, again.control), (program.words, program.control));
            true
        }
        Err(errors) => {
            let _ = errors.to_string();
            false
        }
    }
}

/// Any text as a program for NV20: assembled, decoded, listed and assembled again.
pub fn nv20_assembly(text: &str) -> bool {
    match assemble_for("fuzz", text, NvVertexIsa::Nv20) {
        Ok(Assembly::Vertex(program)) => {
            let listed = vertex::listing::listing_of(&program.microcode());
            let Ok(Assembly::Vertex(again)) = assemble_for("again", &listed, NvVertexIsa::Nv20) else {
                panic!("{listed}")
            };
            assert_eq!((again.instructions, again.start), (program.instructions, program.start));
            true
        }
        Ok(Assembly::Fragment(_)) => panic!("NV20 has no fragment programs"),
        Err(errors) => {
            let _ = errors.to_string();
            false
        }
    }
}

/// Any bytes as a capture file: read, written back, and listed, which applies it to a chip over simple memory.
pub fn capture(bytes: &[u8]) -> bool {
    let Ok(mut capture) = Capture::read(bytes) else { return false };
    let again = Capture::read(&capture.write()).expect("what was read can be read again");
    assert_eq!((again.header, &again.records), (capture.header, &capture.records));
    let Header { vram_bytes, gart_bytes, .. } = capture.header;
    (capture.header.vram_bytes, capture.header.gart_bytes) = (vram_bytes.min(SPACE_BYTES), gart_bytes.min(SPACE_BYTES));
    for chipset in LISTED_CHIPSETS {
        capture.header.chipset = chipset;
        list_capture(&capture, &mut std::io::sink()).expect("nothing but writing fails");
    }
    true
}

/// What a capture has left on the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Played {
    /// Both memories.
    pub(crate) memory: Vec<u8>,
    /// The records that the chip or the engine refused, and why.
    pub(crate) refused: Vec<(usize, String)>,
    /// What was not known.
    pub(crate) anomalies: Vec<String>,
    /// The counters of draws, in order; empty if draws were not counted.
    pub(crate) counters: Vec<Counters>,
    /// What was executed.
    pub(crate) counts: MethodCounts,
}

/// When the counters of draws are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Never,
    AtTheEnd,
    AfterEachRecord,
}

/// Plays a capture. Whatever the chip or the engine refuses, the next record is applied.
fn play(capture: &Capture, taken: Taken) -> Option<Played> {
    let header = Header { vram_bytes: SPACE_BYTES, gart_bytes: SPACE_BYTES, ..capture.header };
    let mut chip = chip_of(&header).ok()?;
    let mut engine = Reference::new(SPACE_BYTES, SPACE_BYTES).expect("the sizes are legal");
    if taken != Taken::Never {
        engine.start_counting(CountingOptions::default()).expect("the reference counts");
    }
    let (mut refused, mut counters) = (Vec::new(), Vec::new());
    for (number, record) in capture.records.iter().enumerate() {
        if let Err(error) = chip.apply(record, &mut engine) {
            refused.push((number, error.to_string()));
        }
        if taken == Taken::AfterEachRecord {
            counters.extend(engine.take_counters().expect("the reference counts"));
        }
    }
    if taken == Taken::AtTheEnd {
        counters = engine.take_counters().expect("the reference counts");
    }
    let memory = contents(&mut engine);
    Some(Played { memory, refused, anomalies: chip.anomalies().lines(), counters, counts: chip.counts() })
}

/// Asserts that plays of a capture left the same: one without counting, and two that took the counters at other times.
pub(crate) fn assert_same_plays(plain: &Played, whole: &Played, piecewise: &Played) {
    assert!(whole.memory == piecewise.memory && whole.refused == piecewise.refused, "a second play leaves other bytes");
    assert_eq!(whole.counters, piecewise.counters, "counters that are taken piece by piece");
    assert!(plain.memory == whole.memory, "counting changes pixels");
    let state = |played: &Played| (played.refused.clone(), played.anomalies.clone(), played.counts);
    assert_eq!(state(plain), state(whole), "counting changes the chip");
}

/// Any bytes as a capture file that the reference plays: vertices, rasterizer, textures and output merger. Plays leave the
/// same bytes whether or not draws are counted, and the counters of a whole stream are those of its records.
pub fn draws(bytes: &[u8]) -> bool {
    let Ok(capture) = Capture::read(bytes) else { return false };
    let plays = [Taken::Never, Taken::AtTheEnd, Taken::AfterEachRecord].map(|taken| play(&capture, taken));
    let [Some(plain), Some(whole), Some(piecewise)] = plays else { return false };
    assert_same_plays(&plain, &whole, &piecewise);
    plain.counts.draws > 0
}

/// Any text as a machine file.
pub fn machine(text: &str) -> bool {
    let machine = machine::read("fuzz", text);
    match &machine {
        Ok(AnyMachine::Staged(machine)) => assert_eq!(machine.parameters().len(), PARAMETERS.len()),
        Ok(AnyMachine::Unified(machine)) => assert_eq!(machine.parameters().len(), TESLA_PARAMETERS.len()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    machine.is_ok()
}

/// Asserts that a capture survives its file, and that a chip knows all that it says.
pub(crate) fn assert_valid_stream(capture: &Capture) {
    let again = Capture::read(&capture.write()).expect("what a scene gives can be read");
    assert_eq!((again.header, &again.records), (capture.header, &capture.records));
    let mut chip = chip_of(&capture.header).expect("scenes are for chips that draw");
    let mut engine = NullEngine::new(capture.header.vram_bytes, capture.header.gart_bytes).expect("legal sizes");
    for record in &capture.records {
        chip.apply(record, &mut engine).expect("the chip takes each record of a scene");
        engine.take_drawn();
    }
    // A scene may bind what the chip then does not draw, but it names nothing that the chip has not.
    let is_foreign = |reason: &Reason| {
        let known = [Reason::EmptySubchannel, Reason::UnknownClass, Reason::UnknownMethod, Reason::UnknownHandle];
        known.contains(reason) || *reason == Reason::IllegalValue
    };
    let foreign = chip.anomalies().iter().find(|(anomaly, _)| is_foreign(&anomaly.reason));
    assert_eq!(foreign.map(|(anomaly, _)| anomaly.to_string()), None);
}

/// Any text as a scene, whose files lie in a folder: its first frame is a capture that a chip knows, and the same again.
pub fn scene(text: &str, folder: &Path) -> bool {
    let read = || SceneFile::read("fuzz", text.to_owned(), folder, &SceneOptions::default());
    let scene = match read() {
        Ok(scene) => scene,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    assert!(scene.frames() > 0);
    let capture = match scene.capture(0..1) {
        Ok(capture) => capture,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    assert_valid_stream(&capture);
    let again = read().and_then(|scene| scene.capture(0..1)).expect("it was read before");
    assert!(again.records == capture.records, "a scene gives another stream when it is read again");
    true
}

/// A vector as the bits of its components.
fn vector(value: &[u32]) -> String {
    value.iter().map(|bits| format!("{bits:#010x}")).collect::<Vec<_>>().join(",")
}

/// Writes inputs as text. Parameters that a program declares have their names.
pub(crate) fn written_inputs(inputs: &ElementInputs, declared: &[(String, [u32; 4])]) -> String {
    let mut groups = Vec::new();
    let mut group = |name: String, value: &[u32; 4]| groups.push(format!("{name}={}", vector(value)));
    for (number, value) in inputs.attributes.iter().enumerate() {
        group(format!("v[{number}]"), value);
    }
    for input in FragmentInput::all() {
        group(input.to_string(), &inputs.interpolants[usize::from(input.attribute())]);
    }
    for (number, value) in &inputs.constants {
        group(format!("c[{number}]"), value);
    }
    for (source, value) in &inputs.parameters {
        match source {
            ConstantSource::Named(number, _) => group(declared[*number as usize].0.clone(), value),
            source => group(source.to_string(), value),
        }
    }
    groups.join(" ")
}

/// The inputs as [`written_inputs`] are read, which names all of them.
pub(crate) fn all_given(inputs: ElementInputs) -> ElementInputs {
    let given_interpolants = FragmentInput::all().fold(0, |given, input| given | 1 << input.attribute());
    ElementInputs { given_attributes: u16::MAX, given_interpolants, ..inputs }
}

/// Writes the inputs of a Tesla program as text.
pub(crate) fn written_tesla_inputs(inputs: &TeslaInputs, kind: ProgramKind) -> String {
    let letter = if kind == ProgramKind::Fragment { "v" } else { "a" };
    let words = inputs.inputs.iter().map(|(offset, word)| format!("{letter}[{offset:#x}]={}", vector(&[*word])));
    let constants = inputs.constants.iter();
    let constants = constants.map(|((space, offset), word)| format!("c{space}[{offset:#x}]={}", vector(&[*word])));
    let helper = inputs.is_helper.then(|| "helper".to_owned());
    words.chain(constants).chain(helper).collect::<Vec<_>>().join(" ")
}

/// Programs whose languages name inputs in other ways.
const INPUT_PROGRAMS: [&str; 3] = [
    "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND",
    "!!VP2.0\nMOV o[HPOS], v[OPOS];\nEND",
    "!!FP1.0\nDECLARE tint = {1, 2, 3, 4};\nMOVR o[COLR], tint;\nEND",
];

/// Any text as the inputs of a program, of NV40 in each language and of each kind of Tesla program: written as text, they are
/// read as the same.
pub fn program_inputs(text: &str) -> bool {
    let programs = INPUT_PROGRAMS.map(|program| Some(assemble("program", program).expect("a program")));
    let mut is_read = false;
    for program in programs.iter().chain([&None]) {
        let declared = match program {
            Some(Assembly::Fragment(fragment)) => &fragment.parameters[..],
            _ => &[],
        };
        match parse_inputs(text, program.as_ref()) {
            Ok(inputs) => {
                let written = written_inputs(&inputs, declared);
                assert_eq!(parse_inputs(&written, program.as_ref()), Ok(all_given(inputs)), "{written}");
                is_read = true;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    for kind in [ProgramKind::Vertex, ProgramKind::Geometry, ProgramKind::Fragment, ProgramKind::Compute] {
        match tesla::parse_inputs(text, kind) {
            Ok(inputs) => {
                let written = written_tesla_inputs(&inputs, kind);
                assert_eq!(tesla::parse_inputs(&written, kind), Ok(inputs), "{written}");
                is_read = true;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    is_read
}

/// Words that lie from address 0 on.
struct Words<'words>(&'words [u32]);

impl WordSource for Words<'_> {
    fn word(&mut self, address: u32) -> Option<u32> {
        self.0.get(address as usize / 4).copied()
    }
}

/// The method writes of words up to the first error, and whether there was one.
pub(crate) fn method_writes(words: &[u32]) -> (Vec<MethodWrite>, bool) {
    let end = u32::try_from(4 * words.len()).expect("a few words");
    let mut pusher = Pusher::called(0, end, 1 << 14);
    let mut writes = Vec::new();
    loop {
        match pusher.next(&mut Words(words)) {
            Ok(Some(write)) => writes.push(write),
            Ok(None) => return (writes, false),
            Err(_) => return (writes, true),
        }
    }
}

/// Encodes method writes, packet by packet.
pub(crate) fn encoded_writes(writes: &[MethodWrite]) -> StreamBuilder {
    let mut stream = StreamBuilder::new();
    for packet in writes.chunk_by(|_, next| !next.begins_packet) {
        let (first, values) = (packet[0], packet.iter().map(|write| write.value).collect::<Vec<_>>());
        match packet.get(1).is_some_and(|second| second.method == first.method) {
            true => stream.repeated(first.subchannel, first.method, &values),
            false => stream.methods(first.subchannel, first.method, &values),
        };
    }
    stream
}

/// Any words as a submission on a channel with all objects bound: listed, and applied to a chip over simple memory. Their
/// method writes, encoded again, are the same writes.
pub fn packets(words: &[u32]) -> bool {
    let (writes, _) = method_writes(words);
    assert_eq!(method_writes(encoded_writes(&writes).words()), (writes, false), "{words:x?}");
    for (chipset, classes) in LISTED_CHIPSETS.into_iter().zip([&CLASSES[..], &LISTED_CLASSES[..]]) {
        let mut builder = CaptureBuilder::new();
        builder.buffer(MemorySpace::Vram, 1 << 16);
        let mut stream = StreamBuilder::new();
        for (subchannel, table) in (1u8..).zip(classes) {
            let (handle, class) = (handles::object(table.class), table.class);
            builder.record(Record::Object { handle, class });
            stream.bind(subchannel, class, handle);
        }
        let mut submission = StreamBuilder::new().finish(0, builder.push_buffer());
        submission.pushes[0].words = [stream.words(), words].concat();
        builder.record(Record::Submit(submission));
        let mut capture = builder.finish();
        capture.header = Header { chipset, vram_bytes: SPACE_BYTES, gart_bytes: SPACE_BYTES };
        list_capture(&capture, &mut std::io::sink()).expect("nothing but writing fails");
        let mut chip = chip_of(&capture.header).expect("both chips run streams");
        let mut engine = NullEngine::new(SPACE_BYTES, SPACE_BYTES).expect("the sizes are legal");
        for record in &capture.records {
            if chip.apply(record, &mut engine).is_err() {
                break;
            }
            engine.take_drawn();
        }
    }
    true
}

/// Any words as a vertex program: decoded, written as text, split into blocks and run on the reference.
pub fn vertex_microcode(words: &[[u32; 4]]) -> bool {
    let Ok(program) = VertexMicroprogram::decode(words, 0) else { return false };
    let _ = program.to_string();
    let program = program.lower();
    let constants: Vec<[u32; 4]> = words.iter().copied().cycle().take(544).collect();
    for rules in [VertexRuleSet::Nv40Legacy, VertexRuleSet::Nv40Modern] {
        let context = VertexContext {
            constants: &constants,
            rules,
            booleans: words[0][3],
            instruction_limit: 0xffff,
            indexed_constants: (0, 543),
        };
        let inputs = std::array::from_fn(|index| constants[index]);
        let _ = run_vertex_program(&program, &context, &inputs, &NoVertexTextures, &Unobserved);
    }
    true
}

/// Any words as a vertex program of NV20: decoded, encoded again, written as text, and run on the reference.
pub fn nv20_vertex_microcode(words: &[[u32; 4]]) -> bool {
    let Ok(microprogram) = Nv20Microprogram::decode(words, 0) else { return false };
    for instruction in &microprogram.instructions {
        let again = decode_instruction(instruction.slot, VertexWord::new(instruction.encode()));
        assert_eq!(again.as_ref(), Ok(instruction));
    }
    let text = microprogram.to_string();
    assert_eq!(text.lines().count(), microprogram.instructions.len() + 1, "{text}");
    let constants: Vec<[u32; 4]> = words.iter().copied().cycle().take(192).collect();
    let context = VertexContext {
        constants: &constants,
        rules: VertexRuleSet::Nv40Legacy,
        booleans: 0,
        instruction_limit: 0xffff,
        indexed_constants: (0, 191),
    };
    let inputs = std::array::from_fn(|index| constants[index]);
    let store = run_state_program(&microprogram.lower(), &context, &inputs);
    if let Ok(program) = microprogram.lower_for_draws() {
        assert_eq!(store[..192], constants, "nothing writes a constant");
        let _ = run_vertex_program(&program, &context, &inputs, &NoVertexTextures, &Unobserved);
    }
    true
}

/// Any words as a fragment program: decoded, written as text that gives the same words, and run on the reference.
pub fn fragment_microcode(words: &[u32]) -> bool {
    let Ok(program) = FragmentProgram::decode(words) else { return false };
    let _ = program.to_string();
    let words = &words[..program.words as usize];
    match assemble("listing", &fragment::listing::listing(words, None)) {
        Ok(Assembly::Fragment(assembly)) => assert_eq!(assembly.words, words),
        Ok(Assembly::Vertex(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}"),
    }
    let mut element = ElementInputs::default();
    for (interpolant, value) in element.interpolants.iter_mut().zip(words.as_chunks::<4>().0) {
        *interpolant = *value;
    }
    for has_full_outputs in [false, true] {
        let _ = run_fragment_program(&program, has_full_outputs, &quad_inputs(&element), &mut NoTextures, &Unobserved);
    }
    true
}

/// Any words as a program of the Tesla processor: each instruction is printed, and encodes to the same word.
pub fn tesla_microcode(words: &[u32], kind: ProgramKind) -> bool {
    let mut has_instruction = false;
    for instruction in decode_program(words, kind).flatten() {
        assert!(!instruction.to_string().is_empty());
        let word = instruction.encode(kind).unwrap_or_else(|error| panic!("{error}: {instruction}"));
        let at = instruction.instruction.address as usize / 4;
        let second = if instruction.form.bytes() == 8 { words[at + 1] } else { 0 };
        assert_eq!(word, u64::from(second) << 32 | u64::from(words[at]), "{instruction}");
        has_instruction = true;
    }
    has_instruction
}

/// Any text in the language of the Tesla processor: assembled, listed and assembled again.
pub fn tesla_assembly(text: &str) -> bool {
    match tesla::assemble("fuzz", text) {
        Ok(module) => {
            let listed = tesla::listing(&module);
            let again = tesla::assemble("listing", &listed).unwrap_or_else(|errors| panic!("{errors}\n{listed}"));
            assert_eq!(again, module, "{listed}");
            true
        }
        Err(errors) => {
            let _ = errors.to_string();
            false
        }
    }
}

/// Any text as cubin text: read, written and read again, and listed as assembly that gives the same module.
pub fn cubin(text: &str) -> bool {
    let module = match cubin::read_cubin("fuzz", text) {
        Ok(module) => module,
        Err(errors) => {
            let _ = errors.to_string();
            return false;
        }
    };
    let written = cubin::write_cubin(&module);
    assert_eq!(cubin::read_cubin("written", &written).as_ref(), Ok(&module), "{written}");
    let listed = tesla::listing(&module);
    let again = tesla::assemble("listing", &listed).unwrap_or_else(|errors| panic!("{errors}\n{listed}"));
    assert_eq!(again, module, "{listed}");
    true
}

/// Any bytes as an ELF cubin: read, and listed as assembly that gives the same module.
pub fn elf_cubin(bytes: &[u8]) -> bool {
    let mut module = match cubin::read_elf_cubin("fuzz", bytes) {
        Ok(module) => module,
        Err(errors) => {
            let _ = errors.to_string();
            return false;
        }
    };
    let listed = tesla::listing(&module);
    for kernel in &mut module.kernels {
        // A listing does not tell a kernel without parameters from one whose parameters are unknown.
        kernel.parameters = kernel.parameters.take().filter(|parameters| !parameters.is_empty());
    }
    let again = tesla::assemble("listing", &listed).unwrap_or_else(|errors| panic!("{errors}\n{listed}"));
    assert_eq!(again, module, "{listed}");
    true
}

/// Any bytes as a program that Cg compiled: read, and listed as a text with the same words.
pub fn cg_program(bytes: &[u8]) -> bool {
    let file = match read_program_file("fuzz", bytes, FileOptions::default()) {
        Ok(file) => file,
        Err(error) => {
            let _ = error.to_string();
            return false;
        }
    };
    let listed = file.listing().unwrap_or_else(|error| panic!("{error}"));
    let again = read_program_file("listing", listed.as_bytes(), FileOptions::default());
    let again = again.unwrap_or_else(|error| panic!("{error}\n{listed}"));
    assert_eq!(again.microcode, file.microcode, "{listed}");
    true
}

/// Any words as a PICA200 program and its operand descriptors: decoded, written as text, encoded and decoded again.
pub fn pica_microcode(code: &[u32], descriptors: &[u32]) -> bool {
    let shader = PicaShader { code: code.to_vec(), descriptors: descriptors.to_vec() };
    let Ok(program) = shader.decode() else { return false };
    for instruction in &program {
        assert!(!instruction.to_string().is_empty());
    }
    match PicaShader::encode(&program) {
        Ok(again) => assert_eq!(again.decode().as_ref(), Ok(&program)),
        // Sharing is greedy, so that another choice of descriptors may need more of them.
        Err(error) => {
            let is_full = matches!(error.problem, PicaEncodeProblem::Descriptors | PicaEncodeProblem::MadDescriptors);
            assert!(is_full, "{error}");
        }
    }
    true
}

/// Any bytes as a shader binary: read, decoded, written and read again.
pub fn shader_binary(bytes: &[u8]) -> bool {
    let Ok(binary) = Shbin::read(bytes) else { return false };
    let written = binary.write().expect("what was read can be written");
    assert_eq!(Shbin::read(&written).as_ref(), Ok(&binary));
    let _ = binary.shader().decode();
    true
}

/// Any text as PTX: compiled to instructions that the target has, or errors that can be printed.
pub fn ptx(text: &str) -> bool {
    let module = match compile_ptx("fuzz", text) {
        Ok(module) => module,
        Err(errors) => {
            let _ = errors.to_string();
            return false;
        }
    };
    for kernel in &module.kernels {
        for instruction in decode_program(&kernel.code, ProgramKind::Compute) {
            let instruction = instruction.unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(
                instruction.unknown == 0 && instruction.generation <= TeslaGeneration::Sm11,
                "{instruction}\n{text}"
            );
        }
    }
    true
}

/// Any text in the language of PICA200 shaders: assembled, written as a file, listed and assembled again.
pub fn pica_assembly(text: &str) -> bool {
    let options = PicaOptions { pads_scopes: text.len().is_multiple_of(2) };
    let binary = match pica::assemble("fuzz", text, options) {
        Ok(binary) => binary,
        Err(errors) => {
            let _ = errors.to_string();
            return false;
        }
    };
    let written = binary.write().expect("what was assembled can be written");
    assert_eq!(Shbin::read(&written).as_ref(), Ok(&binary));
    match pica::listing(&binary, 0) {
        Ok(listed) => match pica::assemble("listing", &listed, options) {
            Ok(again) => assert_eq!(again, binary, "{listed}"),
            Err(errors) => panic!("{errors}\n{listed}"),
        },
        // An empty procedure has no words to list; a name can be one that listings use.
        Err(PicaListingError::Procedure { .. }) => assert!(!options.pads_scopes),
        Err(PicaListingError::Uniform { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    true
}
