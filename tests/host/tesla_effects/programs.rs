//! Programs, their constants, maps and textures.

use std::collections::BTreeMap;

use curie::format::TextureFormat;
use curie::launch::read_module;
use curie::pipeline::{
    Draw, EmittedPrimitive, GpuCommand, OutputWord, PrimitiveWord, SimtVertexStage, VertexStage, Wrap,
};
use curie::shader::simt::{ProgramKind, SimtProgram};

use super::super::tesla_draws::{
    BUFFER, CODE, CONSTANTS, ChipClasses, FRAGMENT, G92, GT215, Methods, ONE, STATE, TRIANGLE, VERTEX, draw, fragment,
    run_on, words,
};
use super::notes;

fn vertex(draw: &Draw) -> &SimtVertexStage {
    let VertexStage::Simt(stage) = &draw.vertex else { panic!("a SIMT program") };
    stage
}

/// The program of the test's code, in a buffer of its own, from a place on.
fn program(start: u32, kind: ProgramKind) -> SimtProgram {
    let mut code = [VERTEX, FRAGMENT].concat();
    code.resize(BUFFER as usize / 4, 0);
    SimtProgram::decode_from(&code, start, kind)
}

#[test]
fn programs_begin_at_addresses_and_places() {
    let plain = draw(&[]);
    assert_eq!(*vertex(&plain).stage.program, program(0, ProgramKind::Vertex));
    assert_eq!(*fragment(&plain).stage.program, program(0x20, ProgramKind::Fragment));
    let changed = draw(&[(0x140c, &[0x10]), (0x1414, &[0x28]), (0x16b0, &[9]), (0x198c, &[10])]);
    assert_eq!(*vertex(&changed).stage.program, program(0x10, ProgramKind::Vertex));
    assert_eq!(*fragment(&changed).stage.program, program(0x28, ProgramKind::Fragment));
    assert_eq!([vertex(&changed).stage.registers, fragment(&changed).stage.registers], [9, 10]);
    // The sum of the address and the place.
    let moved = draw(&[(0xf80, &[CODE + 0x10]), (0xfa8, &[CODE + 0x10]), (0x1414, &[0x10])]);
    assert_eq!(vertex(&moved).stage.program.instructions().len(), 2);
    assert_eq!(fragment(&moved).interpolants, fragment(&plain).interpolants);
}

#[test]
fn zero_wins_where_it_is_asked_for() {
    let stage = |flags: u32| fragment(&draw(&[(0x1690, &[flags])])).stage.program.clone();
    let plain = program(0x20, ProgramKind::Fragment);
    assert_eq!(*stage(0), plain);
    assert_eq!(*stage(1 << 16), plain.with_zero_wins(true));
}

/// A vertex program stands for a geometry program; nothing runs.
#[test]
fn a_geometry_program_has_maps_and_limits() {
    let set_up: Methods<'_> = &[
        (0xf70, &[0, CODE]),
        (0x1410, &[0x10]),
        (0x1798, &[1]),
        (0x17a0, &[7]),
        (0x17b0, &[2]),
        (0x1420, &[5]),
        (0x17ac, &[6]),
        (0x17fc, &[0x8180_0302, 0x0405]),
        (0x164c, &[0x100]),
    ];
    let geometry = draw(set_up).geometry.unwrap();
    assert_eq!(*geometry.stage.program, program(0x10, ProgramKind::Geometry));
    assert_eq!((geometry.stage.registers, geometry.max_vertices), (7, 5));
    assert_eq!(geometry.emitted, EmittedPrimitive::LineStrip);
    let word = OutputWord::Word;
    let [zero, one] = [0, ONE].map(OutputWord::Value);
    assert_eq!(geometry.outputs, [word(2), word(3), zero, one, word(5), word(4)]);
    assert_eq!(geometry.inputs.last(), Some(&PrimitiveWord::Number));
    assert_eq!(draw(&[]).geometry, None);
}

#[test]
fn results_are_in_registers_of_their_own() {
    // Two colors, then the depth.
    let results = fragment(&draw(&[(0x19a8, &[0x101]), (0x1298, &[9])])).results;
    assert_eq!((results.colors[..3].to_vec(), results.depth), (vec![Some(0), Some(4), None], Some(8)));
    // All targets have the same color.
    let results = fragment(&draw(&[(0x1298, &[4])])).results;
    assert_eq!((results.colors, results.depth), ([Some(0); 8], None));
}

/// Draws of a fragment program.
fn draws_of(text: &str, parts: &[Methods<'_>]) -> Vec<Draw> {
    draws_on(G92, text, parts)
}

fn draws_on(chip: ChipClasses, text: &str, parts: &[Methods<'_>]) -> Vec<Draw> {
    let text = format!("!!Tesla1.0\n.kernel program\n.kind fragment\n{text}    exit nop\n");
    let module = read_module("program.tesla", text.as_bytes()).unwrap();
    let code = [&VERTEX[..], &module.kernels[0].code].concat();
    let (chip, engine) = run_on(chip, 0, &code, words(parts));
    assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
    let draws = engine.work.into_iter().filter_map(|command| match command {
        GpuCommand::Draw(draw) => Some(*draw),
        _ => None,
    });
    draws.collect()
}

/// Buffer 5 has 32 bytes, and fragment programs see it as their space 2.
#[test]
fn constants_come_from_the_bound_buffer() {
    let define: Methods<'_> =
        &[(0x1280, &[0, CONSTANTS + 0x100, 5 << 16 | 0x20]), (0xf00, &[1 << 8 | 5]), (0xf04, &[ONE, 7])];
    let bind: Methods<'_> = &[(0x1694, &[5 << 12 | 2 << 8 | 3 << 4 | 1])];
    let constants = |parts: &[Methods<'_>]| {
        let draw = draws_of("    mul rn f32 $r0 $r0 c2[0x8]\n", &[&[STATE][..], parts, &[TRIANGLE]].concat()).remove(0);
        BTreeMap::clone(&fragment(&draw).stage.constants)
    };
    let bytes = [0, ONE, 7].map(u32::to_le_bytes).concat();
    assert_eq!(constants(&[define, bind]), BTreeMap::from([(2, bytes)]));
    assert_eq!(constants(&[define, bind, &[(0x1694, &[2 << 8 | 3 << 4])]]), BTreeMap::new());
    // Vertex programs have spaces of their own.
    assert_eq!(constants(&[define, &[(0x1694, &[5 << 12 | 2 << 8 | 1])]]), BTreeMap::new());
    assert!(notes(&[&[(0x1694, &[1 << 4 | 1])]]).contains("illegal value"));
    assert!(notes(&[define, &[(0xf00, &[8 << 8 | 5]), (0xf04, &[0])]]).contains("illegal value"));
}

/// The word of the buffer whose address is in two registers.
#[test]
fn the_cache_of_programs_is_flushed() {
    let change: Methods<'_> = &[
        (0x1280, &[0, CODE + 0x20, 9 << 16 | 0x40]),
        (0xf00, &[9]),
        // `exit nop`.
        (0xf04, &[0xf000_0001, 0xe000_0781]),
    ];
    let flush: Methods<'_> = &[(0x1440, &[0])];
    let drawn =
        draws_of("    mov b32 $r0 $r1\n    mov b32 $r2 $r3\n", &[STATE, TRIANGLE, change, TRIANGLE, flush, TRIANGLE]);
    let lengths: Vec<_> = drawn.iter().map(|draw| fragment(draw).stage.program.instructions().len()).collect();
    assert_eq!(lengths[0], lengths[1]);
    assert!(lengths[2] < lengths[1], "{lengths:?}");
}

/// Eight bits four times, of 24 × 10 texels in blocks of two gobs.
const TEXTURE: [u32; 8] = [
    5 << 27 | 4 << 24 | 3 << 21 | 2 << 18 | 2 << 15 | 2 << 12 | 2 << 9 | 2 << 6 | 8,
    CONSTANTS + 0x1000,
    1 << 31 | 1 << 30 | 1 << 22 | 1 << 14,
    0,
    24,
    1 << 16 | 10,
    0,
    0,
];

/// A sampler that repeats in mirrors.
const SAMPLER: [u32; 8] = [1 << 6 | 1 << 3 | 1, 1 << 6 | 2 << 4 | 2, 0xf00 << 12, 0, 0, 0, 0, 0];

/// Texture entry 3 and sampler entry 2.
fn entries(texture: &'static [u32; 8]) -> [(u32, &'static [u32]); 5] {
    [
        (0x1280, &[0, CONSTANTS, 5 << 16 | 0x400]),
        (0xf00, &[(3 * 8) << 8 | 5]),
        (0xf04, texture),
        (0xf00, &[(0x80 + 2 * 8) << 8 | 5]),
        (0xf04, &SAMPLER),
    ]
}

/// These entries in texture unit 2 and sampler unit 1.
const UNITS: Methods<'static> = &[
    (0x1574, &[0, CONSTANTS, 3]),
    (0x155c, &[0, CONSTANTS + 0x200, 2]),
    (0x13b4, &[0x21; 3]),
    (0x1454, &[2 << 12 | 1 << 4 | 1]),
    (0x1458, &[3 << 9 | 2 << 1 | 1]),
];

#[test]
fn units_have_entries() {
    let fetch = "    texauto all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1 0x0 0x0 0x0\n";
    let state = |more: Methods<'_>| {
        let draws = draws_of(fetch, &[STATE, &entries(&TEXTURE), UNITS, more, TRIANGLE]);
        let state = draws[0].textures[0].clone().unwrap();
        (state.view.format, state.view.size, state.sampler.wrap)
    };
    let found = (TextureFormat::Unorm8x4, [24, 10, 1], [Wrap::MirroredRepeat; 3]);
    assert_eq!(state(&[]), found);
    // A unit that has nothing reads zero.
    assert_eq!(state(&[(0x1458, &[2 << 1])]).1, [1; 3]);
    assert_eq!(state(&[(0x1454, &[1 << 4])]).1, [1; 3]);
    // Units beyond the limits, and what has no second list.
    assert!(notes(&[&[(0x13bc, &[0x10]), (0x1458, &[2 << 1 | 1])]]).contains("illegal value"));
    assert!(notes(&[&[(0x1468, &[1])]]).contains("a second list of samplers"));
    assert!(notes(&[&[(0x146c, &[1])]]).contains("a second list of textures"));
    assert!(notes(&[&[(0x1234, &[1])]]).contains("sampling by the entry"));
}

/// A cube map whose faces have 24 × 24 texels.
const CUBE: [u32; 8] = {
    let mut entry = TEXTURE;
    (entry[2], entry[5]) = (1 << 31 | 1 << 30 | 1 << 22 | 3 << 14, 1 << 16 | 24);
    entry
};

/// Bit 2 of `TEX_MISC`, on chips from GT200 on; textures of other dimensions have no seams.
#[test]
fn cube_maps_have_no_seams_where_programs_ask_for_it() {
    let is_seamless = |chip: ChipClasses, texture: &'static [u32; 8], value: u32| {
        let coordinates = if texture == &CUBE { "$r0:$r1:$r2" } else { "$r0:$r1 0x0 0x0 0x0" };
        let kind = if texture == &CUBE { "cube " } else { "" };
        let fetch = format!("    texauto {kind}all $r0:$r1:$r2:$r3 $t2 $s1 {coordinates}\n");
        let draws = draws_on(chip, &fetch, &[STATE, &entries(texture), UNITS, &[(0x1664, &[value])], TRIANGLE]);
        draws[0].textures[0].as_ref().unwrap().is_seamless()
    };
    for chip in [GT215, [0xa0, 0x8397, 0x50c0], [0xac, 0x8397, 0x50c0], [0xaf, 0x8697, 0x85c0]] {
        assert_eq!([0, 3, 4, 7].map(|value| is_seamless(chip, &CUBE, value)), [false, false, true, true], "{chip:x?}");
        assert!(!is_seamless(chip, &TEXTURE, 4));
    }
    for chip in [G92, [0x50, 0x5097, 0x50c0], [0x98, 0x8297, 0x50c0]] {
        assert!(!is_seamless(chip, &CUBE, 4), "{chip:x?}");
    }
}
