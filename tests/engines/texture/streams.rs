//! Textures programmed like the open driver's, from methods to pixels, on both engines.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use crate::common;
use crate::common::small_target::{SIDE, THREE_D, open_target};
use curie::asm::{Assembly, assemble};
use curie::capture::{Capture, Record};
use curie::command::builder::{CaptureBuilder, StreamBuilder};
use curie::command::methods::three_d::{draw, program, targets, texture, vertex};
use curie::isa::nv40_fragment::{FragmentField, FragmentOpcode, FragmentWord};
use curie::kernels::{KernelOptions, Kernels};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::reference::Reference;

/// Two programs and the textures follow the target in one buffer.
const PROGRAM: u32 = 0x1000;
const TEXTURES: u32 = 0x4000;
const BYTES: u32 = 0x2_0000;

/// A capture under construction.
struct Scene {
    capture: CaptureBuilder,
    stream: StreamBuilder,
    memory: Vec<u8>,
    base: u32,
}

/// A register source in place, or the input.
fn source(register: Option<u32>) -> u32 {
    0b11_10_01_00 << 9 | register.map_or(1, |register| register << 2)
}

fn instruction(opcode: FragmentOpcode, destination: u32, sources: &[u32]) -> FragmentWord {
    let mut words = [0, source(Some(0)), source(Some(0)), source(Some(0))];
    words[1..=sources.len()].copy_from_slice(sources);
    FragmentWord(words)
        .with(FragmentField::OPCODE, u32::from(opcode.code()))
        .with(FragmentField::DESTINATION, destination)
        .with(FragmentField::WRITE_MASK, 15)
        .with(FragmentField::INPUT, 4)
        .with(FragmentField::CONDITION, 7)
        .with(FragmentField::CONDITION_SWIZZLE, 0b11_10_01_00)
}

/// R(destination) = a fetch at the texture coordinate.
fn fetch(opcode: FragmentOpcode, destination: u32, unit: u32) -> FragmentWord {
    instruction(opcode, destination, &[source(None)]).with(FragmentField::TEXTURE_UNIT, unit)
}

impl Scene {
    fn new() -> Self {
        let mut capture = CaptureBuilder::new();
        let buffer = capture.buffer(MemorySpace::Vram, u64::from(BYTES));
        let base = u32::try_from(buffer.offset).unwrap();
        let mut stream = StreamBuilder::new();
        open_target(&mut stream, base);
        stream.method(THREE_D, vertex::VTXFMT, 0x42);
        stream.method(THREE_D, vertex::VTXFMT + 32, 0x42);
        Self { capture, stream, memory: vec![0; BYTES as usize], base }
    }

    /// A fragment program at slot `number`, with full outputs.
    fn program(&mut self, number: u32, instructions: &[FragmentWord]) {
        let mut words: Vec<_> = instructions.to_vec();
        let last = words.last_mut().unwrap();
        *last = last.with(FragmentField::END, 1);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.0).flat_map(u32::to_le_bytes).collect();
        self.load(number, &bytes);
    }

    /// The same from microcode.
    fn load(&mut self, number: u32, microcode: &[u8]) {
        let offset = PROGRAM + number * 0x800;
        self.put(offset, microcode);
        self.stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, (self.base + offset) | 1);
        self.stream.method(THREE_D, program::FP_CONTROL, 4 << 24 | 0x40);
    }

    fn put(&mut self, offset: u32, bytes: &[u8]) {
        let offset = offset as usize;
        self.memory[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// The eight registers of a unit: offset within the buffer, format, wrap, enable, swizzle, filter, size, border.
    fn texture(&mut self, unit: u16, size1: u32, mut registers: [u32; 8]) {
        registers[0] += self.base;
        self.stream.method(THREE_D, texture::TEX_SIZE1 + unit * 4, size1);
        self.stream.methods(THREE_D, texture::TEX_OFFSET + unit * 32, &registers);
    }

    /// A rectangle of pixels with these coordinates at its corners, in corner order.
    fn rectangle(&mut self, sides: [u32; 4], coordinates: [[f32; 4]; 4]) {
        self.rectangles(&[(sides, coordinates)]);
    }

    /// Several rectangles in one draw.
    fn rectangles(&mut self, rectangles: &[([u32; 4], [[f32; 4]; 4])]) {
        let clip = |pixel: u32| pixel as f32 / 16.0 - 1.0;
        let mut words = Vec::new();
        for &([left, top, right, bottom], coordinates) in rectangles {
            let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
            for ((x, y), coordinate) in corners.into_iter().zip(coordinates) {
                words.extend([clip(x), clip(y), 0.0, 1.0].map(f32::to_bits));
                words.extend(coordinate.map(f32::to_bits));
            }
        }
        self.stream.method(THREE_D, draw::VERTEX_BEGIN_END, 8);
        self.stream.repeated(THREE_D, draw::VERTEX_DATA, &words);
        self.stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    }

    fn finish(mut self) -> Capture {
        // The buffer was created first, so its number is known.
        let buffer = self.capture.clone().finish().records.iter().find_map(|record| match record {
            Record::CreateBuffer(buffer) if buffer.bytes == u64::from(BYTES) => Some(*buffer),
            _ => None,
        });
        self.capture.write(&buffer.unwrap(), &self.memory);
        self.capture.submit(self.stream);
        self.capture.finish()
    }

    /// Pixels of the target, as ARGB words by row, equal on both engines.
    fn pixels(self) -> Vec<u32> {
        let base = self.base;
        let capture = self.finish();
        let header = capture.header;
        let read = |engine: &mut dyn Engine| {
            let mut chip = chip_of(&header).unwrap();
            for record in &capture.records {
                chip.apply(record, engine).unwrap();
            }
            engine.finish().unwrap();
            assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
            let window = MemoryWindow { space: MemorySpace::Vram, start: base, bytes: SIDE * SIDE * 4 };
            let mut bytes = vec![0; window.bytes as usize];
            engine.read_memory(window, &mut bytes).unwrap();
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect::<Vec<_>>()
        };
        let expected = read(&mut Reference::new(header.vram_bytes, header.gart_bytes).unwrap());
        if let Some(gpu) = common::gpu() {
            let options = KernelOptions::default();
            let mut kernels = Kernels::new(gpu, options, header.vram_bytes, header.gart_bytes).unwrap();
            let actual = read(&mut kernels);
            let wrong = expected.iter().zip(&actual).position(|(expected, actual)| expected != actual);
            assert_eq!(wrong, None, "pixel of the kernels");
        }
        expected
    }
}

fn pixel(pixels: &[u32], x: u32, y: u32) -> u32 {
    pixels[(y * SIDE + x) as usize]
}

/// Corners of the whole image with a third and fourth component.
fn corners(z: f32, w: f32) -> [[f32; 4]; 4] {
    [[0.0, 0.0, z, w], [w, 0.0, z, w], [w, w, z, w], [0.0, w, z, w]]
}

#[test]
fn shadow_map_as_the_open_driver_programs_it() {
    let mut scene = Scene::new();
    scene.program(0, &[fetch(FragmentOpcode::Txp, 0, 0)]);
    // A linear 16×16 DEPTH24_D8 image of pitch 64, as a depth target stores it: the left half near, the right half far.
    let near = 0x40_0000u32;
    let depths: Vec<u8> = (0..256u32)
        .flat_map(|texel| ((if texel % 16 < 8 { near } else { 0xc0_0000 }) << 8 | 0x11).to_le_bytes())
        .collect();
    scene.put(TEXTURES, &depths);
    // Format DEPTH24_D8 linear, LEQUAL, clamped to edges; luminance with alpha one; bilinear.
    let registers = |compare: u32| {
        [TEXTURES, 0x0001_b029, compare << 28 | 0x0003_0303, 0x8000_0000, 0xa9e4, 0x0202_2000, 16 << 16 | 16, 0]
    };
    scene.texture(0, 1 << 20 | 64, registers(6));
    // Projected: the reference is z/w = 0.5, between both depths.
    scene.rectangle([0, 0, 32, 16], corners(1.0, 2.0));
    // GREATER on the lower half: the opposite.
    scene.texture(0, 1 << 20 | 64, registers(1));
    scene.rectangle([0, 16, 32, 32], corners(1.0, 2.0));
    let pixels = scene.pixels();
    assert_eq!([pixel(&pixels, 3, 3), pixel(&pixels, 28, 3)], [0xff00_0000, 0xffff_ffff]);
    assert_eq!([pixel(&pixels, 3, 28), pixel(&pixels, 28, 28)], [0xffff_ffff, 0xff00_0000]);
    // At x = 15.5 of 32 the coordinate is 7.75 of 16: a quarter of the far texel.
    assert_eq!([pixel(&pixels, 15, 3), pixel(&pixels, 16, 3)], [0xff40_4040, 0xffbf_bfbf]);
    assert_eq!(pixel(&pixels, 15, 28), 0xffbf_bfbf);
}

#[test]
fn cube_map_with_levels_as_the_open_driver_programs_it() {
    let mut scene = Scene::new();
    scene.program(0, &[fetch(FragmentOpcode::Txl, 0, 2)]);
    // Faces of 4×4, 2×2 and 1 texels: 84 bytes, so 128 from face to face. Face f, level l: 0xff, 0x10·f, 0x20·l, 0x7f.
    for face in 0..6u32 {
        let word = |level: u32| 0xff00_007f | (face * 0x10) << 16 | (level * 0x20) << 8;
        let words: Vec<u32> = [(0, 16), (1, 4), (2, 1)].iter().flat_map(|&(l, n)| vec![word(l); n]).collect();
        scene.put(TEXTURES + face * 128, &words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    }
    // A8R8G8B8 swizzled, cubic, three levels; linear mipmap linear; the largest level of detail is 2.
    let enable = 0x8000_0000 | 0x200 << 7;
    scene.texture(2, 1 << 20, [TEXTURES, 0x0003_852d, 0x0003_0303, enable, 0xaae4, 0x0206_2000, 4 << 16 | 4, 0]);
    let faces =
        [[9.0, 1.0, 1.0], [-9.0, 1.0, 1.0], [1.0, 9.0, 1.0], [1.0, -9.0, 1.0], [1.0, 1.0, 9.0], [1.0, 1.0, -9.0]];
    for (face, [x, y, z]) in (0u32..).zip(faces) {
        for lod in 0..4u32 {
            let (left, top) = (4 * face, 4 * lod);
            scene.rectangle([left, top, left + 4, top + 4], [[x, y, z, lod as f32]; 4]);
        }
    }
    // Halfway between two levels.
    scene.rectangle([0, 20, 4, 24], [[9.0, 1.0, 1.0, 1.5]; 4]);
    let pixels = scene.pixels();
    for face in 0..6 {
        for lod in 0..4 {
            let expected = 0xff00_007f | (face * 0x10) << 16 | (lod.min(2) * 0x20) << 8;
            assert_eq!(pixel(&pixels, 4 * face + 1, 4 * lod + 2), expected, "face {face} level {lod}");
        }
    }
    assert_eq!(pixel(&pixels, 1, 21), 0xff00_307f);
}

#[test]
fn all_sixteen_units_are_sampled() {
    let mut scene = Scene::new();
    let mut instructions = Vec::new();
    for unit in 0..16 {
        let [a, b] = [source(Some(0)), source(Some(1))];
        instructions.push(fetch(FragmentOpcode::Tex, 1, unit));
        instructions.push(instruction(FragmentOpcode::Add, 0, &[a, b]));
        // One byte per unit, 16 bytes apart.
        scene.put(TEXTURES + unit * 256, &[u8::try_from(unit).unwrap() + 1]);
        let registers =
            [TEXTURES + unit * 256, 0x0001_8129, 0x0003_0303, 0x8000_0000, 0xaae4, 0x0101_2000, 0x1_0001, 0];
        scene.texture(u16::try_from(unit).unwrap(), 1 << 20, registers);
    }
    scene.program(0, &instructions);
    scene.rectangle([0, 0, 32, 16], corners(0.0, 1.0));
    scene.program(1, &[fetch(FragmentOpcode::Tex, 0, 15)]);
    scene.rectangle([0, 16, 32, 32], corners(0.0, 1.0));
    let pixels = scene.pixels();
    // 1 + 2 + … + 16 = 136.
    assert_eq!([pixel(&pixels, 5, 5), pixel(&pixels, 5, 20)], [0xff88_8888, 0xff10_1010]);
}

#[test]
fn alpha_kill_and_colour_keys_discard_fragments() {
    let mut scene = Scene::new();
    // 2×1 texels: clear green, opaque red.
    scene.put(TEXTURES, &[0x0000_ff00u32, 0xffff_0000].map(u32::to_le_bytes).concat());
    let texture = |scene: &mut Scene, enable: u32| {
        let wrap = 0x0003_0303;
        scene.texture(0, 1 << 20, [TEXTURES, 0x0001_8529, wrap, enable, 0xaae4, 0x0101_2000, 2 << 16 | 1, 0]);
    };
    // A fetch without a destination also discards.
    let silent = fetch(FragmentOpcode::Tex, 0, 0).with(FragmentField::NO_DESTINATION, 1);
    let one = instruction(FragmentOpcode::Str, 0, &[]);
    scene.program(0, &[silent, one]);
    texture(&mut scene, 0x8000_0004);
    scene.rectangle([0, 0, 32, 8], corners(0.0, 1.0));
    scene.program(1, &[fetch(FragmentOpcode::Tex, 0, 0)]);
    texture(&mut scene, 0x8000_0000);
    scene.rectangle([0, 8, 32, 16], corners(0.0, 1.0));
    // The key is red: mode 3 discards, mode 2 clears.
    scene.stream.method(THREE_D, texture::COLOR_KEY, 0xffff_0000);
    texture(&mut scene, 0x8000_0003);
    scene.rectangle([0, 16, 32, 24], corners(0.0, 1.0));
    texture(&mut scene, 0x8000_0002);
    scene.rectangle([0, 24, 32, 32], corners(0.0, 1.0));
    let pixels = scene.pixels();
    let row = |y: u32| [pixel(&pixels, 4, y), pixel(&pixels, 27, y)];
    assert_eq!(row(3), [0, 0xffff_ffff]);
    assert_eq!(row(11), [0x0000_ff00, 0xffff_0000]);
    assert_eq!(row(19), [0x0000_ff00, 0]);
    assert_eq!(row(27), [0x0000_ff00, 0]);
}

#[test]
fn only_fragments_that_fetch_are_discarded() {
    let mut scene = Scene::new();
    // One clear texel: every fetch discards.
    scene.texture(0, 1 << 20, [TEXTURES, 0x0001_8529, 0x0003_0303, 0x8000_0004, 0xaae4, 0x0101_2000, 0x1_0001, 0]);
    let less = |word: FragmentWord| word.with(FragmentField::CONDITION, 1).with(FragmentField::CONDITION_SWIZZLE, 0);
    let compare = instruction(FragmentOpcode::Mov, 1, &[source(None)]).with(FragmentField::CONDITION_UPDATE, 1);
    let code = u32::from(FragmentOpcode::If.code());
    let mut branch = less(instruction(FragmentOpcode::If, 0, &[]))
        .with(FragmentField::OPCODE, code & 63)
        .with(FragmentField::NO_DESTINATION, 1);
    // Both branches end before the last instruction, at word 12.
    (branch.0[2], branch.0[3]) = (1 << 31 | 12, 12);
    scene.program(0, &[compare, branch, fetch(FragmentOpcode::Tex, 2, 0), instruction(FragmentOpcode::Str, 0, &[])]);
    // x goes from −1 to 1.
    scene.rectangle([0, 0, 32, 32], [-1.0, 1.0, 1.0, -1.0].map(|x| [x, 0.0, 0.0, 1.0]));
    let pixels = scene.pixels();
    for x in 0..SIDE {
        assert_eq!(pixel(&pixels, x, 9), if x < 16 { 0 } else { 0xffff_ffff }, "{x}");
    }
}

/// The index of a texel in the swizzled order of a square.
fn swizzled(x: u32, y: u32) -> u32 {
    (0..4).map(|bit| (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1)).sum()
}

#[test]
fn levels_are_drawn_from_the_levels_before_them() {
    let mut scene = Scene::new();
    scene.program(0, &[fetch(FragmentOpcode::Tex, 0, 0)]);
    // 16×16 texels with five levels of 1024, 256, 64, 16 and 4 bytes; groups of four texels of level 0 are equal.
    let words: Vec<u8> = (0..256u32).flat_map(|texel| (texel & !3).to_le_bytes()).collect();
    scene.put(TEXTURES, &words);
    let limited = |scene: &mut Scene, level: u32| {
        let enable = 0x8000_0000 | level << 27 | level << 15;
        // A8R8G8B8 swizzled, clamped to edges, linear mipmap nearest.
        let registers = [TEXTURES, 0x0005_8529, 0x0003_0303, enable, 0xaae4, 0x0204_2000, 16 << 16 | 16, 0];
        scene.texture(0, 1 << 20, registers);
    };
    let target = |scene: &mut Scene, level: u32, offset: u32| {
        let (side, log2_side) = (16u32 >> level, 4 - level);
        let format = 0x248 | log2_side << 16 | log2_side << 24;
        let offset = scene.base + TEXTURES + offset;
        scene.stream.methods(THREE_D, targets::RT_HORIZ, &[side << 16, side << 16, format, 64, offset]);
        side
    };
    for (level, offset) in [(1, 1024), (2, 1280)] {
        let side = target(&mut scene, level, offset);
        limited(&mut scene, level - 1);
        scene.rectangle([0, 0, side, side], corners(0.0, 1.0));
    }
    let base = scene.base;
    scene.stream.methods(THREE_D, targets::RT_HORIZ, &[SIDE << 16, SIDE << 16, 0x148, SIDE * 4, base]);
    limited(&mut scene, 1);
    scene.rectangle([0, 0, 8, 8], corners(0.0, 1.0));
    limited(&mut scene, 2);
    scene.rectangle([8, 0, 12, 4], corners(0.0, 1.0));
    let pixels = scene.pixels();
    for (y, x) in (0..8).flat_map(|y| (0..8).map(move |x| (y, x))) {
        assert_eq!(pixel(&pixels, x, y), 4 * swizzled(x, y), "level 1 at {x}, {y}");
        if x < 4 && y < 4 {
            assert_eq!(pixel(&pixels, 8 + x, y), 16 * swizzled(x, y) + 6, "level 2 at {x}, {y}");
        }
    }
}

#[test]
fn a_draw_samples_its_target_as_it_was_before() {
    let mut scene = Scene::new();
    scene.program(0, &[fetch(FragmentOpcode::Tex, 0, 0)]);
    let before = |x: u32, y: u32| 0xff00_0000 | y << 8 | x;
    let words: Vec<u8> = (0..SIDE * SIDE).flat_map(|pixel| before(pixel % SIDE, pixel / SIDE).to_le_bytes()).collect();
    scene.put(0, &words);
    // The target as A8R8G8B8 in rows, clamped to edges, nearest.
    let size = SIDE << 16 | SIDE;
    scene.texture(0, (1 << 20) | (SIDE * 4), [0, 0x0001_a529, 0x0003_0303, 0x8000_0000, 0xaae4, 0x0101_2000, size, 0]);
    let moved = |pixels: f32, bottom: f32| {
        let (left, right) = (-pixels / 32.0, 1.0 - pixels / 32.0);
        [[left, 0.0], [right, 0.0], [right, bottom], [left, bottom]].map(|[x, y]| [x, y, 0.0, 1.0])
    };
    // Each pixel samples its left neighbor; over that, in the upper half, its second left neighbor.
    scene.rectangles(&[([0, 0, SIDE, SIDE], moved(1.0, 1.0)), ([0, 0, SIDE, SIDE / 2], moved(2.0, 0.5))]);
    let pixels = scene.pixels();
    for (y, x) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (y, x))) {
        let left = if y < SIDE / 2 { 2 } else { 1 };
        assert_eq!(pixel(&pixels, x, y), before(x.saturating_sub(left), y), "{x}, {y}");
    }
}

/// A repeated 16×16 texture whose texels name their column, row and level, read at the nearest of the nearest level.
fn named_texels(scene: &mut Scene) {
    let mut texels = Vec::new();
    for level in 0..5u32 {
        let side = 16 >> level;
        let mut words = vec![0; (side * side) as usize];
        for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
            words[swizzled(x, y) as usize] = texel([x, y, level]);
        }
        texels.extend(words.into_iter().flat_map(u32::to_le_bytes));
    }
    scene.put(TEXTURES, &texels);
    let registers = [TEXTURES, 0x0005_8529, 0x0001_0101, 0x8000_0000 | 4 << 15, 0xaae4, 0x0103_2000, 16 << 16 | 16, 0];
    scene.texture(0, 1 << 20, registers);
}

const fn texel([x, y, level]: [u32; 3]) -> u32 {
    0xff00_0000 | x << 16 | y << 8 | level
}

/// Draws a texel per pixel, with w of the coordinate, and gives the texels that the pixels show.
fn texels_of_program(text: &str, w: f32) -> Vec<u32> {
    let mut scene = Scene::new();
    named_texels(&mut scene);
    let text = format!("!!NV40fp1.0\n{text}\nEND\n");
    let Assembly::Fragment(program) = assemble("opcode.fp", &text).unwrap_or_else(|error| panic!("{error}")) else {
        panic!("a fragment program")
    };
    let words: Vec<_> = program.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    scene.load(0, &words);
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[s, t]| [s * w, t * w, 0.0, w]);
    scene.rectangle([0, 0, 16, 16], corners);
    let pixels = scene.pixels();
    (0..16).flat_map(|y| (0..16).map(move |x| (x, y))).map(|(x, y)| pixel(&pixels, x, y)).collect()
}

#[test]
fn texture_opcodes_sample_where_their_operands_say() {
    // From the pixel to the texel's column, row and level.
    type Expected = fn(u32, u32) -> [u32; 3];
    const CASES: &[(&str, f32, Expected)] = &[
        ("TEX R0, f[TEX0], TEX0;", 2.0, |x, y| [x % 8, y % 8, 1]),
        ("TEX R0, f[TEX0], TEX0;", 1.0, |x, y| [x, y, 0]),
        ("TXP R0, f[TEX0], TEX0;", 2.0, |x, y| [x, y, 0]),
        ("TIMESWTEX R0, f[TEX0], TEX0;", 2.0, |x, y| [x % 4, y % 4, 2]),
        // Each step of w is a level.
        ("TXB R0, f[TEX0], TEX0;", 1.0, |x, y| [x / 2, y / 2, 1]),
        ("TXL R0, f[TEX0], TEX0;", 1.0, |x, y| [x / 2, y / 2, 1]),
        ("MOVR R1, f[TEX0];\nMOVR R1.w, {3}.x;\nTXL R0, R1, TEX0;", 1.0, |x, y| [x / 8, y / 8, 3]),
        ("MOVR R1, f[TEX0];\nMOVR R1.w, {-1}.x;\nTXB R0, R1, TEX0;", 2.0, |x, y| [2 * x % 16 + 1, 2 * y % 16 + 1, 0]),
        // The longer of two derivatives: two texels along x, four along y.
        ("MOVR R1, {0.125, 0, 0, 0};\nTXD R0, f[TEX0], R1, {0}, TEX0;", 1.0, |x, y| [x / 2, y / 2, 1]),
        ("MOVR R1, {0, 0.25, 0, 0};\nTXD R0, f[TEX0], {0}, R1, TEX0;", 1.0, |x, y| [x / 4, y / 4, 2]),
        ("MOVR R1, {0.125, 0, 0, 0};\nMOVR R2, {0, 0.25, 0, 0};\nTXD R0, f[TEX0], R1, R2, TEX0;", 1.0, |x, y| {
            [x / 4, y / 4, 2]
        }),
        // One and two columns, twice two; three rows.
        (
            "MOVR R1, {1, 2, 9, 9};\nMOVR R2, {0.0625, 0.125, 0.1875, 0};\nTEXBEM R0, f[TEX0], R1, R2, TEX0;",
            1.0,
            |x, y| [(x + 5) % 16, (y + 3) % 16, 0],
        ),
        (
            "MOVR R1, {1, 2, 9, 9};\nMOVR R2, {0.125, 0.25, 0.375, 0};\nTXPBEM R0, f[TEX0], R1, R2, TEX0;",
            2.0,
            |x, y| [(x + 5) % 16, (y + 3) % 16, 0],
        ),
    ];
    for (text, w, expected) in CASES {
        let found = texels_of_program(text, *w);
        let expected: Vec<_> = (0..16).flat_map(|y| (0..16).map(move |x| texel(expected(x, y)))).collect();
        let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        if let Some(at) = wrong {
            panic!("{text} at {}, {}: {:#x} instead of {:#x}", at % 16, at / 16, found[at], expected[at]);
        }
    }
}

#[test]
fn derivatives_are_those_of_the_pixels_quad() {
    // The coordinate grows by columns, and its squares do, too: within a quad, the difference of the squares of 2n and 2n + 1.
    let squares = |opcode: &str| {
        let text = format!(
            "MOVR R1, f[TEX0];\nMULR R1, R1, {{16}}.x;\nMULR R1, R1, R1;\n{opcode} R0, R1;\nMULR R0, R0, {{0.00390625}}.x;"
        );
        texels_of_program(&text, 1.0)
    };
    // Pixel centers: (2n + 3/2)² − (2n + 1/2)² = 4n + 2, stored as round(255 · (4n + 2) / 256).
    let stored = |n: u32| (255 * (4 * n + 2) + 128) / 256;
    let (along_x, along_y) = (squares("DDXR"), squares("DDYR"));
    for (y, x) in (0..16u32).flat_map(|y| (0..16).map(move |x| (y, x))) {
        let at = (16 * y + x) as usize;
        assert_eq!([along_x[at] >> 16 & 255, along_x[at] >> 8 & 255], [stored(x / 2), 0], "{x}, {y}");
        assert_eq!([along_y[at] >> 16 & 255, along_y[at] >> 8 & 255], [0, stored(y / 2)], "{x}, {y}");
    }
}

/// A 16×16 texture, lower half white, upper half black, without further levels, repeated, with anisotropy 16.
fn halves(scene: &mut Scene) {
    let texels: Vec<u8> = (0..256u32).flat_map(|texel| if texel < 128 { [0; 4] } else { [255; 4] }).collect();
    scene.put(TEXTURES, &texels);
    // A8R8G8B8 swizzled, one level, linear.
    let registers = [TEXTURES, 0x0001_8529, 0x0001_0101, 0x8000_0070, 0xaae4, 0x0202_2000, 16 << 16 | 16, 0];
    scene.texture(0, 1 << 20, registers);
    scene.program(0, &[fetch(FragmentOpcode::Tex, 0, 0)]);
}

#[test]
fn the_longest_footprints_are_averaged_whole() {
    // 66 rectangles in overlapping pairs take more loop iterations than a software adapter runs in a dispatch. A pixel is a
    // texel wide and 16 long, a period around the middle: 16 samples on texel centers, half of them white.
    let mut scene = Scene::new();
    halves(&mut scene);
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]].map(|[s, t]| [s, t, 0.0, 1.0]);
    let rectangles: Vec<_> = (0..66u32)
        .map(|number| {
            let top = 2 * (number % 11);
            ([8, top, 24, top + 2], corners)
        })
        .collect();
    scene.rectangles(&rectangles);
    let pixels = scene.pixels();
    for (x, y) in (0..22).flat_map(|y| (8..24).map(move |x| (x, y))) {
        assert_eq!(pixel(&pixels, x, y), 0x8080_8080, "{x}, {y}");
    }
}
