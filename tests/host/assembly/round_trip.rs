//! Round trips of words through text: whatever the words are, their text assembles to them.

use std::collections::BTreeSet;
use std::path::Path;

use curie::asm::vertex::listing::listing;
use curie::asm::{Assembly, assemble};
use curie::capture::Capture;
use curie::isa::nv40_vertex::{VertexField, VertexWord};
use curie::isa::{NvMicrocode, NvVertexIsa, VertexMicrocode};
use curie::machine::chip_of;
use curie::pipeline::GpuCommand;
use curie::shader::fragment::FragmentProgram;

use super::vertex;
use crate::common::microcode::{Generator, vertex_slots};
use crate::common::recorder::Recorder;

fn comes_back(slots: &[[u32; 4]], start: u16) -> String {
    let text = listing(slots, start);
    let assembly = vertex(&text);
    assert_eq!(assembly.start, start, "{text}");
    assert_eq!(assembly.instructions, slots, "{text}");
    text
}

#[test]
fn random_words_that_decode_come_back() {
    let mut random = Generator(0x5eed_0010);
    let (mut statements, mut raw) = (0, 0);
    for _ in 0..2000 {
        let slots = vertex_slots(&mut random);
        let start = u16::try_from(random.below(u32::try_from(slots.len()).unwrap())).unwrap();
        let text = comes_back(&slots, start);
        statements += slots.len();
        raw += text.matches("WORDS").count();
    }
    // The operands shared by the operations of both units never differ in a way that the text cannot express.
    assert_eq!(raw, 0, "{raw} of {statements} statements are raw words");
}

#[test]
fn every_value_of_every_field_comes_back() {
    let mut random = Generator(0x5eed_0011);
    for field in VertexField::ALL {
        for _ in 0..40 {
            let base = vertex_slots(&mut random)[0];
            let word = VertexWord::new(base).with(field, random.next());
            comes_back(&[word.words(), base], 0);
        }
    }
}

#[test]
fn the_programs_of_the_captures_come_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures");
    let mut programs: BTreeSet<(Vec<[u32; 4]>, u16)> = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().contains(".nvcap") {
            continue;
        }
        let capture = Capture::open(&path).unwrap();
        let mut chip = chip_of(&capture.header).unwrap();
        let mut engine = Recorder::new(capture.header.vram_bytes, capture.header.gart_bytes);
        for record in &capture.records {
            chip.apply(record, &mut engine).unwrap();
        }
        for command in &engine.work {
            if let GpuCommand::Draw(draw) = command
                && let VertexMicrocode::Nv(NvMicrocode { isa: NvVertexIsa::Nv40, slots, start }) =
                    &draw.vertex.vec4().unwrap().microcode
            {
                programs.insert((slots.to_vec(), *start));
            }
        }
    }
    assert!(programs.len() > 3, "only {} programs were found", programs.len());
    for (slots, start) in &programs {
        comes_back(slots, *start);
    }
}

#[test]
fn a_planted_difference_is_found() {
    let slots = [[0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff81]];
    let text = listing(&slots, 0).replace("v[0]", "v[1]");
    assert_ne!(vertex(&text).instructions, slots);
}

#[test]
fn assembled_programs_are_listed_without_raw_fields() {
    let text = "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEMP t; ADDRESS A; PARAM p[] = { program.env[0..7] };
        ARL A.x, vertex.position.x; MADC1 t (TR), p[A.x+1], vertex.normal, -|t.x|; BRA end (GT1.x);
        LIT result.color, t; PUSHA A; TXL t, t, texture[1], 2D; CAL end; RSQ t.x, t.x;\nend: MOV result.position, t;\nEND";
    let assembly = vertex(text);
    let listed = listing(&assembly.instructions, assembly.start);
    assert!(!listed.contains("WITH") && !listed.contains("WORDS"), "{listed}");
}

#[test]
fn bars_around_a_clamp_and_inside_it_are_one_word() {
    let words = |source: &str| {
        let text = format!("!!NV40fp1.0\nCONTROL 0x02000040;\n    MOVR R0, {source};\nEND\n");
        match assemble("test", &text) {
            Ok(Assembly::Fragment(fragment)) => fragment.words,
            Ok(Assembly::Vertex(_)) => panic!("a vertex program"),
            Err(errors) => panic!("{errors}\n{text}"),
        }
    };
    for clamp in ["half", "fx12", "fx9", "sat"] {
        let (around, inside) = (format!("-|{clamp}(R1.yxwz)|"), format!("-{clamp}(|R1.yxwz|)"));
        assert_eq!(words(&around), words(&inside), "{clamp}");
        assert_ne!(words(&around), words(&format!("-{clamp}(R1.yxwz)")), "{clamp}");
        let listed = FragmentProgram::decode(&words(&inside)).unwrap().to_string();
        assert!(listed.contains(&around), "{listed}");
    }
}
