//! Textures of launches in streams: entries in memory, texels in rows and in blocks, and copies that write blocks.

use std::path::Path;

use curie::capture::Capture;
use curie::command::builder::{StreamBuilder, handles};
use curie::command::methods::tesla::{compute, memory_copy};
use curie::engine::open_reference;
use curie::isa::tesla::module::TeslaModule;
use curie::kernels::{KernelOptions, Kernels};
use curie::launch::read_module;
use curie::pipeline::Engine;

use super::stream::{COMPUTE, DATA, HANDLE, capture, engines, notes, play, stream, words};
use crate::common;

const COPY: u8 = 5;

/// Where results, entries and texels are in the buffer; it begins with the coordinates of 32 threads.
const RESULTS: u32 = 0x400;
const TEXTURE_ENTRIES: u32 = 0x800;
const SAMPLER_ENTRIES: u32 = 0xc00;
const TEXELS: u32 = 0x1000;

/// The units of the kernels, and the entries that these have. Mesa's driver has tables of 2048 samplers.
const TEXTURE: (u32, u32) = (2, 3);
const SAMPLER: (u32, u32) = (1, 1029);

/// Bits of texture entries: the border is a color, rows have a pitch, coordinates are 0..1.
const COLOR: u32 = 1 << 30;
const PITCH: u32 = 1 << 18;
const NORMALIZED: u32 = 1 << 31;

/// The first word of a texture entry: four fractions of 8 bits; red and blue are swapped.
const BGRA: u32 = 5 << 27 | 2 << 24 | 3 << 21 | 4 << 18 | 2 << 15 | 2 << 12 | 2 << 9 | 2 << 6 | 8;
/// A float, 0, 0, 1.
const FLOAT: u32 = 7 << 27 | 2 << 18 | 7 << 15 | 7 << 12 | 7 << 9 | 7 << 6 | 0xf;
/// An integer in all components.
const INTEGER: u32 = 2 << 27 | 2 << 24 | 2 << 21 | 2 << 18 | 4 << 15 | 4 << 12 | 4 << 9 | 4 << 6 | 0xf;

/// Sampler entries: clamped to the edge; the same filter for both cases, levels not read.
const CLAMPED: u32 = 2 << 6 | 2 << 3 | 2;
const NEAREST: u32 = 1 << 6 | 1 << 4 | 1;
const LINEAR: u32 = 1 << 6 | 2 << 4 | 2;

/// A launch whose threads read a texture.
#[derive(Clone)]
struct Case {
    instruction: &'static str,
    texture: [u32; 8],
    sampler: [u32; 8],
    texels: Vec<u8>,
    coordinates: Vec<[u32; 4]>,
}

impl Case {
    fn kernel(&self) -> TeslaModule {
        let text = format!(
            "!!Tesla1.0\n.kernel read\n.param u32 coordinates\n.param u32 texels\n\
             \x20   cvt u32 $r8 u16 $r0l\n    shl b32 $r8 $r8 4\n    add b32 $r9 b32 s[coordinates] $r8\n\
             \x20   ld b128 $r0q g14[$r9]\n    {}\n    add b32 $r9 b32 s[texels] $r8\n\
             \x20   exit st b128 g14[$r9] $r0q\n",
            self.instruction
        );
        read_module("read.tesla", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What the buffer holds.
    fn memory(&self) -> Vec<u32> {
        let mut memory = vec![0; 0x4000 / 4];
        let mut put = |offset: u32, words: &[u32]| {
            let first = (offset / 4) as usize;
            memory[first..first + words.len()].copy_from_slice(words);
        };
        put(0, self.coordinates.as_flattened());
        put(TEXTURE_ENTRIES + 32 * TEXTURE.1, &self.texture);
        put(SAMPLER_ENTRIES, &self.sampler);
        let texels: Vec<u32> = self.texels.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        put(TEXELS, &texels);
        memory
    }

    /// The stream up to the launch, with more methods before it.
    fn capture(&self, more: &[(u16, u32)]) -> Capture {
        let mut stream = stream(&self.kernel(), &[DATA, DATA + RESULTS]);
        let methods = [
            (compute::TIC_ADDRESS_HIGH, 0),
            (compute::TIC_ADDRESS_LOW, DATA + TEXTURE_ENTRIES),
            (compute::TIC_LIMIT, 7),
            (compute::TSC_ADDRESS_HIGH, 0),
            (compute::TSC_ADDRESS_LOW, DATA + SAMPLER_ENTRIES - 32 * SAMPLER.1),
            (compute::TSC_LIMIT, 2047),
            (compute::TEX_LIMITS, 0x54),
            (compute::BIND_TIC, TEXTURE.1 << 9 | TEXTURE.0 << 1 | 1),
            (compute::BIND_TSC, SAMPLER.1 << 12 | SAMPLER.0 << 4 | 1),
        ];
        for (method, value) in methods.iter().chain(more) {
            stream.method(COMPUTE, *method, *value);
        }
        stream.method(COMPUTE, compute::LAUNCH, 0);
        capture(&self.memory(), stream)
    }

    /// Checks what threads read, on each engine.
    fn check(&self, expected: &[[u32; 4]]) {
        self.check_on(0x50, expected);
    }

    /// The same on a chip of this number.
    fn check_on(&self, chipset: u32, expected: &[[u32; 4]]) {
        assert_eq!(expected.len(), self.coordinates.len());
        let mut capture = self.capture(&[]);
        capture.header.chipset = chipset;
        for (choice, mut engine) in engines(&capture) {
            let chip = play(&capture, engine.as_mut());
            assert_eq!(notes(&chip), Vec::<String>::new(), "{choice:?}");
            let results = words(&chip, engine.as_mut(), HANDLE, RESULTS, 4 * expected.len());
            assert_eq!(results.as_chunks().0, expected, "{choice:?}");
        }
    }

    /// Checks what is counted, which no engine changes.
    fn notes(&self, more: &[(u16, u32)], expected: &[&str]) {
        let capture = self.capture(more);
        let found = notes(&play(&capture, reference(&capture).as_mut()));
        let are_found = expected.iter().all(|note| found.iter().any(|line| line.contains(note)));
        assert!(found.len() == expected.len() && are_found, "{found:#?}");
    }
}

fn reference(capture: &Capture) -> Box<dyn Engine> {
    open_reference((capture.header.vram_bytes, capture.header.gart_bytes)).unwrap()
}

/// Coordinates of texels, and of places in a texture.
fn texel(x: u32, y: u32) -> [u32; 4] {
    [x, y, 0, 0]
}

fn place(x: f32, y: f32) -> [u32; 4] {
    [x.to_bits(), y.to_bits(), 0, 0]
}

/// A byte as a fraction.
fn fraction(byte: u8) -> u32 {
    (f32::from(byte) / 255.0).to_bits()
}

fn color(x: u32, y: u32) -> [u8; 4] {
    [10 * x, 20 * y, x + y, 255 - x].map(|value| u8::try_from(value).unwrap())
}

/// What programs read of a color whose red and blue are swapped.
fn swapped([blue, green, red, alpha]: [u8; 4]) -> [u32; 4] {
    [red, green, blue, alpha].map(fraction)
}

/// 24 × 10 texels whose colors tell their place, in blocks of two gobs: 64 bytes × 8 rows.
fn image_in_blocks() -> Case {
    let mut texels = vec![0; 2 * 2 * 512];
    for (x, y) in (0..24).flat_map(|x| (0..10).map(move |y| (x, y))) {
        let (column, block) = (4 * x % 64, y / 8 * 2 + 4 * x / 64);
        let offset = (512 * block + 256 * (y % 8 / 4) + 64 * (y % 4) + column) as usize;
        texels[offset..offset + 4].copy_from_slice(&color(x, y));
    }
    Case {
        instruction: "texfetch all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1 0 0 0",
        texture: [BGRA, DATA + TEXELS, COLOR | NORMALIZED | 1 << 22 | 1 << 14, 0, 24, 1 << 16 | 10, 0, 0],
        sampler: [0; 8],
        texels,
        coordinates: (0..32).map(|n| texel(n * 7 % 24, n * 3 % 10)).collect(),
    }
}

/// 4 × 4 floats in rows of 64 bytes, whose coordinates are texels.
fn floats_in_rows() -> Case {
    let mut texels = vec![0; 4 * 64];
    for (x, y) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))) {
        texels[64 * y + 4 * x..][..4].copy_from_slice(&height(x, y).to_le_bytes());
    }
    Case {
        instruction: "texauto all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1 0 0 0",
        texture: [FLOAT, DATA + TEXELS, COLOR | PITCH | 7 << 14, 64, 4, 1 << 16 | 4, 0, 0],
        sampler: [CLAMPED, LINEAR, 0, 0, 0, 0, 0, 0],
        texels,
        coordinates: Vec::new(),
    }
}

fn height(x: usize, y: usize) -> f32 {
    (x * x + 10 * y) as f32
}

/// What programs read of a float.
fn alone(value: f32) -> [u32; 4] {
    [value.to_bits(), 0, 0, 1.0_f32.to_bits()]
}

#[test]
fn texels_in_blocks() {
    let case = image_in_blocks();
    let expected: Vec<_> = case.coordinates.iter().map(|[x, y, ..]| swapped(color(*x, *y))).collect();
    case.check(&expected);
    // Three slices of two rows in blocks of two slices, each with one gob a slice.
    let mut texels = vec![0; 2 * 512];
    for z in 0..3_u32 {
        for (x, y) in (0..8).flat_map(|x| (0..2).map(move |y| (x, y))) {
            let offset = (512 * (z / 2) + 256 * (z % 2) + 64 * y + 4 * x) as usize;
            texels[offset..offset + 4].copy_from_slice(&color(x, y + 2 * z));
        }
    }
    let volume = Case {
        instruction: "texfetch all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1:$r2 0 0 0",
        texture: [BGRA, DATA + TEXELS, COLOR | NORMALIZED | 1 << 25 | 2 << 14, 0, 8, 3 << 16 | 2, 0, 0],
        texels,
        coordinates: (0..32).map(|n| [n % 8, n / 8 % 2, n % 3, 0]).collect(),
        ..case
    };
    let expected: Vec<_> = volume.coordinates.iter().map(|[x, y, z, _]| swapped(color(*x, y + 2 * z))).collect();
    volume.check(&expected);
}

#[test]
fn a_view_begins_at_a_level() {
    let case = image_in_blocks();
    let [red, address, kind, ..] = case.texture;
    // The image is the second level of one of 48 × 20 texels, which has 3 × 3 blocks.
    let view = Case {
        texture: [red, address, kind, 0, 1 << 31 | 48, 1 << 28 | 1 << 16 | 20, 0, 0x11],
        texels: [vec![0; 9 * 512], case.texels.clone()].concat(),
        ..case
    };
    let expected: Vec<_> = view.coordinates.iter().map(|[x, y, ..]| swapped(color(*x, *y))).collect();
    view.check_on(0x84, &expected);
    // Entries of G80 have no views.
    view.check_on(0x50, &[[0; 4]; 32]);
}

#[test]
fn levels_are_read_and_mixed() {
    // The second level has 12 × 5 texels of one color, in a block of two gobs.
    let below = [40, 80, 121, 160];
    let mut case = image_in_blocks();
    case.texture[5] |= 1 << 28;
    case.texels.extend(below.repeat(128));
    case.instruction = "texfetch all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1:$r2 0 0 0";
    case.coordinates = vec![[3, 4, 0, 0], [3, 4, 1, 0], [11, 4, 1, 0], [11, 5, 1, 0], [3, 4, 2, 0]];
    case.check(&[swapped(color(3, 4)), swapped(below), swapped(below), [0; 4], [0; 4]]);
    // The nearest level of 0.25, of 0.75 and of 9; the mean of both levels of 0.5.
    let lod = |lod: f32| [(3.5_f32 / 24.0).to_bits(), (4.5_f32 / 10.0).to_bits(), lod.to_bits(), 0];
    case.instruction = "texlod all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1:$r2 0 0 0";
    case.sampler = [CLAMPED, 2 << 6 | 1 << 4 | 1, 0xf00 << 12, 0, 0, 0, 0, 0];
    case.coordinates = [0.25, 0.75, 9.0].map(lod).to_vec();
    case.check(&[swapped(color(3, 4)), swapped(below), swapped(below)]);
    case.sampler[1] = 3 << 6 | 1 << 4 | 1;
    case.coordinates = vec![lod(0.5)];
    // Of (30, 80, 7, 252) and the color of the second level; no channel's sum is odd.
    case.check(&[swapped([35, 80, 64, 206])]);
}

#[test]
fn filtered_floats_in_rows() {
    let mut case = floats_in_rows();
    let mut expected = Vec::new();
    for (x, y) in (0..3).flat_map(|x| (0..3).map(move |y| (x, y))) {
        // Between four texels: their mean.
        case.coordinates.push(place(x as f32 + 1.0, y as f32 + 1.0));
        let texels = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].map(|(x, y)| height(x, y));
        expected.push(alone(texels.iter().sum::<f32>() / 4.0));
    }
    case.coordinates.extend([place(0.0, 0.0), place(9.0, 9.0), place(1.75, 0.5)]);
    expected.extend([height(0, 0), height(3, 3), height(1, 0) * 0.75 + height(2, 0) * 0.25].map(alone));
    case.check(&expected);
}

#[test]
fn the_level_of_detail_chooses_the_filter() {
    let level = |x: f32, lod: f32| [x.to_bits(), 0.5_f32.to_bits(), lod.to_bits(), 0];
    let case = Case {
        instruction: "texlod all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1:$r2 0 0 0",
        // Linear minification, nearest magnification, levels of detail up to 15.
        sampler: [CLAMPED, 1 << 6 | 2 << 4 | 1, 0xf00 << 12, 0, 0, 0, 0, 0],
        coordinates: vec![level(2.75, 1.0), level(2.75, -1.0), level(2.25, 1.0), level(2.25, -1.0)],
        ..floats_in_rows()
    };
    let [second, third, fourth] = [1, 2, 3].map(|x| height(x, 0));
    case.check(&[third * 0.75 + fourth * 0.25, third, third * 0.75 + second * 0.25, third].map(alone));
}

#[test]
fn wraps_and_borders() {
    let mut case = Case {
        instruction: "texauto all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1 0 0 0",
        // Repeats in x, mirrors in y.
        sampler: [2 << 6 | 1 << 3, NEAREST, 0, 0, 0, 0, 0, 0],
        coordinates: vec![place(25.0 / 24.0 + 0.01, 0.05), place(-0.5 / 24.0, 1.05)],
        ..image_in_blocks()
    };
    case.check(&[swapped(color(1, 0)), swapped(color(23, 9))]);
    // A border in x: 51/255, 1, 51/255, 0.
    case.sampler = [2 << 6 | 2 << 3 | 3, NEAREST, 0, 0, fraction(51), fraction(255), fraction(51), 0];
    let border = [51, 255, 51, 0].map(fraction);
    case.check(&[border, border]);
    case.coordinates.push(place(0.5 / 24.0, 1.05));
    case.check(&[border, border, swapped(color(0, 9))]);
}

#[test]
fn a_buffer_of_integers() {
    let case = Case {
        instruction: "texfetch all $r0:$r1:$r2:$r3 $t2 $s1 $r0 0 0 0",
        texture: [INTEGER, DATA + TEXELS + 8, COLOR | PITCH | 6 << 14, 0, 20, 0, 0, 0],
        sampler: [0; 8],
        texels: (0..24_u32).flat_map(|n| (1000 * n).to_le_bytes()).collect(),
        coordinates: (0..24).map(|n| texel(n, 0)).collect(),
    };
    // The buffer begins at the third word. Outside are zeros.
    let expected: Vec<_> = (0..24).map(|n| [if n < 20 { 1000 * (n + 2) } else { 0 }; 4]).collect();
    case.check(&expected);
}

/// Each thread writes its texel before it reads it.
#[test]
fn texels_are_those_from_before_the_launch() {
    const COUNT: u32 = 32;
    let case = Case {
        instruction: "mov b32 $r7 0x20001000\n    shl b32 $r6 $r0 2\n    add b32 $r7 $r7 $r6\n    st b32 g14[$r7] $r8\n\
                      \x20   texfetch all $r0:$r1:$r2:$r3 $t2 $s1 $r0 0 0 0",
        texture: [INTEGER, DATA + TEXELS, COLOR | PITCH | 6 << 14, 0, COUNT, 0, 0, 0],
        sampler: [0; 8],
        texels: (0..COUNT).flat_map(|n| (1000 * n).to_le_bytes()).collect(),
        coordinates: (0..COUNT).map(|n| texel(n, 0)).collect(),
    };
    let check = |more: &[(u16, u32)], step: u32| {
        let capture = case.capture(more);
        let mut engines: Vec<_> =
            engines(&capture).into_iter().map(|(choice, engine)| (format!("{choice:?}"), engine)).collect();
        // A device that cannot hold the launch's memory.
        engines.extend(common::gpu().map(|gpu| {
            let (gpu, header) = (gpu.binding_at_most(0x4000), &capture.header);
            let kernels = Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap();
            ("small device".to_owned(), Box::new(kernels) as Box<dyn Engine>)
        }));
        for (name, mut engine) in engines {
            let chip = play(&capture, engine.as_mut());
            assert_eq!(notes(&chip), Vec::<String>::new(), "{name}");
            let count = COUNT as usize;
            let read = words(&chip, engine.as_mut(), HANDLE, RESULTS, 4 * count);
            let expected: Vec<_> = (0..COUNT).map(|n| [step * n; 4]).collect();
            assert_eq!(read.as_chunks().0, expected, "{name}");
            let written = words(&chip, engine.as_mut(), HANDLE, TEXELS, count);
            assert_eq!(written, (0..COUNT).map(|n| 16 * n).collect::<Vec<_>>(), "{name}");
        }
    };
    check(&[], 1000);
    // A second launch sees what the first one wrote.
    check(&[(compute::LAUNCH, 0)], 16);
}

#[test]
fn what_a_unit_cannot_have_is_counted() {
    let unbound = "texture not bound";
    let case = image_in_blocks();
    case.notes(&[(compute::BIND_TIC, TEXTURE.0 << 1)], &[unbound]);
    case.notes(&[(compute::BIND_TSC, SAMPLER.0 << 4)], &[unbound]);
    case.notes(&[(compute::TIC_LIMIT, 2)], &["LAUNCH: illegal value", unbound]);
    case.notes(&[(compute::TSC_LIMIT, SAMPLER.1 - 1)], &["LAUNCH: illegal value", unbound]);
    case.notes(&[(compute::TIC_ADDRESS_LOW, DATA + 0x8000)], &["LAUNCH: the address is in no buffer", unbound]);
    case.notes(
        &[(compute::TEX_LIMITS, 0x14), (compute::BIND_TIC, TEXTURE.0 << 1), (compute::BIND_TSC, 0)],
        &["BIND_TIC: illegal value"],
    );
    let changed = |word: usize, value: u32| {
        let mut case = case.clone();
        case.texture[word] = value;
        case
    };
    changed(1, DATA + 0x7f00).notes(&[], &["LAUNCH: the address is in no buffer", unbound]);
    changed(4, 0).notes(&[], &["LAUNCH: illegal value", unbound]);
    let border = case.texture[2] & !COLOR;
    changed(2, border).notes(&[], &["a texture with border texels is not implemented", unbound]);
    let mut deep = changed(5, 2 << 28 | case.texture[5]);
    deep.notes(&[], &[]);
    deep.instruction = "texlod all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1:$r2 0 0 0";
    // Without a filter between levels.
    deep.sampler = [CLAMPED, NEAREST & 0x3f, 0xf00 << 12, 0, 0, 0, 0, 0];
    deep.notes(&[], &["LAUNCH: illegal value", unbound]);
}

/// Copies 5 lines of 40 bytes between linear memory and blocks of 64 bytes × 8 rows × 2 slices. The blocks hold 3 slices of
/// 20 rows of 200 bytes, and the lines start at byte 50 of row 6 of the second slice.
fn copy(linear: [u32; 2], is_upload: bool) -> StreamBuilder {
    let [address, pitch] = linear;
    let mut stream = StreamBuilder::new();
    stream.bind(COPY, 0x5039, handles::object(0x5039));
    // The methods of the destination follow those of the source.
    let blocks = if is_upload { memory_copy::LAYOUT_OUT } else { memory_copy::LAYOUT_IN };
    let rows = if is_upload { memory_copy::LAYOUT_IN } else { memory_copy::LAYOUT_OUT };
    stream.methods(COPY, blocks, &[0, 0x110, 200, 20, 3, 1, 6 << 16 | 50]).method(COPY, rows, 1);
    let offsets = if is_upload { [address, DATA + TEXELS] } else { [DATA + TEXELS, address] };
    let pitches = if is_upload { [pitch, 1] } else { [1, pitch] };
    stream.methods(COPY, memory_copy::OFFSET_IN_HIGH, &[0, 0]);
    stream.methods(COPY, memory_copy::OFFSET_IN, &offsets).methods(COPY, memory_copy::PITCH_IN, &pitches);
    stream.methods(COPY, memory_copy::LINE_LENGTH_IN, &[40, 5, 0x101]);
    stream
}

#[test]
fn copies_write_and_read_blocks() {
    let source: Vec<u32> = (0..0x100_u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    let bytes: Vec<u8> = source.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut upload = copy([DATA + 4, 100], true);
    upload.method(COPY, memory_copy::BUF_NOTIFY, 0);
    let mut expected = vec![0; 24 * 1024];
    for (line, byte) in (0..5).flat_map(|line| (0..40).map(move |byte| (line, byte))) {
        let (x, y) = (50 + byte, 6 + line);
        // Four blocks in x; the second slice of a block is 512 bytes behind the first.
        let offset = 1024 * (y / 8 * 4 + x / 64) + 512 + 256 * (y % 8 / 4) + 64 * (y % 4) + x % 64;
        expected[offset] = bytes[4 + 100 * line + byte];
    }
    let capture = capture(&source, upload);
    for (choice, mut engine) in engines(&capture) {
        let mut chip = play(&capture, engine.as_mut());
        assert_eq!(notes(&chip), Vec::<String>::new(), "{choice:?}");
        let found = words(&chip, engine.as_mut(), HANDLE, TEXELS, 24 * 256);
        assert!(found.iter().flat_map(|word| word.to_le_bytes()).eq(expected.iter().copied()), "{choice:?}");
        let mut download = copy([DATA + 0x7000, 40], false);
        download.method(COPY, memory_copy::BUF_NOTIFY, 0);
        let back = super::stream::capture(&[], download);
        chip.apply(back.records.last().unwrap(), engine.as_mut()).unwrap();
        let found = words(&chip, engine.as_mut(), HANDLE, 0x7000, 50);
        let lines = (0..5).flat_map(|line| &bytes[4 + 100 * line..][..40]);
        assert!(found.iter().flat_map(|word| word.to_le_bytes()).eq(lines.copied()), "{choice:?}");
    }
}

#[test]
fn what_a_copy_cannot_do_is_counted() {
    let check = |method: u16, value: u32, note: &str| {
        let mut stream = copy([DATA, 40], true);
        stream.method(COPY, method, value).method(COPY, memory_copy::BUF_NOTIFY, 0);
        let capture = capture(&[1; 64], stream);
        let mut engine = reference(&capture);
        let chip = play(&capture, engine.as_mut());
        let found = notes(&chip);
        assert!(found.len() == 1 && found[0].contains(note), "{found:?}");
        assert_eq!(words(&chip, engine.as_mut(), HANDLE, TEXELS, 24 * 256), [0; 24 * 256], "{note}");
    };
    check(memory_copy::FORMAT, 0x104, "a copy of block linear memory with gaps is not implemented");
    check(memory_copy::BLOCKLINEAR_POSITION_OUT, 161, "BUF_NOTIFY: illegal value");
    check(memory_copy::BLOCKLINEAR_POSITION_OUT, 16 << 16, "BUF_NOTIFY: illegal value");
    check(memory_copy::BLOCKLINEAR_POSITION_OUT_Z, 3, "BUF_NOTIFY: illegal value");
    check(memory_copy::BLOCKLINEAR_DIMENSIONS_OUT, 0x600, "BUF_NOTIFY: illegal value");
    check(memory_copy::BLOCKLINEAR_HEIGHT_OUT, 0x1000, "BUF_NOTIFY: the address is in no buffer");
    check(memory_copy::LINE_COUNT, 0x1_0001, "a copy of so much block linear memory is not implemented");
}

#[test]
fn textures_of_mesas_driver() {
    // What `textures.comp` says, for 3 x 5 groups of 8 x 4 threads.
    let (mut texels, mut means, mut voxels) = (vec![0; 480], vec![0; 480], vec![0; 480]);
    for (x, y) in (0..24_u32).flat_map(|x| (0..20).map(move |y| (x, y))) {
        let n = (x + 24 * y) as usize;
        texels[n] = (x * 10) | (y * 12) << 8 | (x + y) << 16 | (255 - x) << 24;
        // Between four heights; places repeat after 16 and 8 texels.
        let height = |x: u32, y: u32| (x % 16 * (x % 16) + 5 * (y % 8)) as f32;
        let heights = [height(x, y), height(x + 1, y), height(x, y + 1), height(x + 1, y + 1)];
        means[n] = (heights.iter().sum::<f32>() / 4.0).to_bits();
        let (i, j, k) = (x % 8, y % 4, x / 8);
        voxels[n] = i | (16 * j) << 8 | (32 * k) << 16 | (i + j + k) << 24;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/compute/textures.nvcap");
    let capture = Capture::open(path).unwrap();
    for (choice, mut engine) in engines(&capture) {
        let chip = play(&capture, engine.as_mut());
        assert_eq!(notes(&chip), Vec::<String>::new(), "{choice:?}");
        // The program copied the buffers to memory that it had mapped.
        let read = |offset: u32, engine: &mut dyn Engine| words(&chip, engine, 17, offset, 480);
        assert_eq!(read(0x1800, engine.as_mut()), texels, "{choice:?}");
        assert_eq!(read(0, engine.as_mut()), means, "{choice:?}");
        assert_eq!(read(0x800, engine.as_mut()), voxels, "{choice:?}");
    }
}
