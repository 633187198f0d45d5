//! The order of effects: mixes host writes, draws, clears, copies, reports, fences and new memory so that any
//! reordering would show, on both engines.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking and counts in small numbers")]

use crate::common;
use crate::common::random::Random;
use crate::common::small_target::{SIDE, THREE_D, open_target};
use curie::capture::{Buffer, Capture, Record};
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::memory_copy;
use curie::command::methods::three_d::{draw, program, raster, sync, targets, texture, vertex};
use curie::gpu::Gpu;
use curie::isa::nv40_fragment::{FragmentField, FragmentOpcode, FragmentWord};
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::reference::Reference;

const COPY: u8 = 2;
/// Targets and textures are consecutive images in one buffer.
const IMAGE_BYTES: u32 = SIDE * SIDE * 4;
const IMAGES: u32 = 4;
/// Corners of rectangles: position and texture coordinate, four floats each; the microcode follows.
const ARRAYS: u32 = (IMAGES + 1) * IMAGE_BYTES;
const MICROCODE: u32 = ARRAYS + 0x1000;
const BYTES: u32 = MICROCODE + 0x1000;

/// The location of the microcode's constant.
const FACTOR: u32 = MICROCODE + 32;

/// TEX R0, f[TEX0], unit 0; MUL R0, R0, the constant that follows.
fn microcode() -> Vec<u32> {
    let in_place = 0b11_10_01_00 << 9;
    let instruction = |opcode: FragmentOpcode, sources: [u32; 3]| {
        FragmentWord([0, sources[0], sources[1], sources[2]])
            .with(FragmentField::OPCODE, u32::from(opcode.code()))
            .with(FragmentField::WRITE_MASK, 15)
            .with(FragmentField::INPUT, 4)
            .with(FragmentField::CONDITION, 7)
            .with(FragmentField::CONDITION_SWIZZLE, 0b11_10_01_00)
    };
    let fetch = instruction(FragmentOpcode::Tex, [in_place | 1, in_place, in_place]);
    let multiply = instruction(FragmentOpcode::Mul, [in_place, in_place | 2, in_place]);
    [fetch, multiply.with(FragmentField::END, 1)].iter().flat_map(|word| word.0).collect()
}

/// A capture under construction: one capture record per step, and the bytes that the client wrote.
struct Scene {
    capture: CaptureBuilder,
    buffer: Buffer,
    memory: Vec<u8>,
    /// Start of the first image.
    first_image: u32,
    /// Bytes from one image to the next.
    spacing: u32,
}

impl Scene {
    fn new(first_image: u32) -> Self {
        Self::with_spacing(first_image, IMAGE_BYTES)
    }

    fn with_spacing(first_image: u32, spacing: u32) -> Self {
        let bytes = BYTES.max(IMAGES * spacing);
        let mut capture = CaptureBuilder::new();
        let buffer = capture.buffer(MemorySpace::Vram, u64::from(bytes));
        let mut scene = Self { capture, buffer, memory: vec![0; bytes as usize], first_image, spacing };
        let mut stream = StreamBuilder::new();
        open_target(&mut stream, scene.address(0));
        stream.bind(COPY, 0x0039, handles::object(0x0039));
        stream.methods(COPY, memory_copy::DMA_BUFFER_IN, &[handles::VRAM, handles::VRAM]);
        stream.method(THREE_D, vertex::VTXFMT, 0x2042);
        stream.method(THREE_D, vertex::VTXFMT + 32, 0x2042);
        stream.method(THREE_D, vertex::VTXBUF, scene.address(ARRAYS));
        stream.method(THREE_D, vertex::VTXBUF + 32, scene.address(ARRAYS + 16));
        stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, scene.address(MICROCODE) | 1);
        stream.method(THREE_D, program::FP_CONTROL, 2 << 24 | 0x40);
        stream.method(THREE_D, sync::QUERY_ENABLE, 1);
        scene.capture.submit(stream);
        scene.corners([0, 0, SIDE, SIDE]);
        scene.put(MICROCODE, &microcode());
        scene.factor([1.0; 4]);
        scene
    }

    fn address(&self, offset: u32) -> u32 {
        u32::try_from(self.buffer.offset).unwrap() + offset
    }

    /// Start of an image.
    fn image(&self, number: u32) -> u32 {
        self.first_image + number * self.spacing
    }

    /// The client writes.
    fn put(&mut self, offset: u32, words: &[u32]) {
        for (index, word) in words.iter().enumerate() {
            self.memory[offset as usize + 4 * index..][..4].copy_from_slice(&word.to_le_bytes());
        }
        let (first, end) = (offset / 4096, offset as usize + 4 * words.len());
        let pages = first as usize * 4096..end.next_multiple_of(4096);
        let bytes = self.memory[pages].to_vec();
        self.capture.record(Record::Pages { handle: self.buffer.handle, first_page: first, bytes });
    }

    /// The client writes the corners of the next rectangle.
    fn corners(&mut self, [left, top, right, bottom]: [u32; 4]) {
        let clip = |pixel: u32| pixel as f32 / 16.0 - 1.0;
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        let part = |pixel: u32| pixel as f32 / SIDE as f32;
        let vertex = |(x, y)| [clip(x), clip(y), 0.0, 1.0, part(x), part(y), 0.0, 1.0];
        let words: Vec<u32> = corners.into_iter().flat_map(vertex).map(f32::to_bits).collect();
        self.put(ARRAYS, &words);
    }

    /// The client writes the factor of the texel, which lies inside the microcode.
    fn factor(&mut self, factor: [f32; 4]) {
        self.put(FACTOR, &factor.map(f32::to_bits));
    }

    /// The chip draws the rectangle of one image into another.
    fn draw(&mut self, from: u32, to: u32) {
        let mut stream = StreamBuilder::new();
        stream.method(THREE_D, targets::COLOR0_OFFSET, self.address(self.image(to)));
        stream.method(THREE_D, texture::TEX_SIZE1, (1 << 20) | (SIDE * 4));
        // A8R8G8B8, linear layout, clamped to edges, nearest texel.
        let registers = [
            self.address(self.image(from)),
            0x0001_a529,
            0x0003_0303,
            0x8000_0000,
            0xaae4,
            0x0101_2000,
            SIDE << 16 | SIDE,
            0,
        ];
        stream.methods(THREE_D, texture::TEX_OFFSET, &registers);
        stream.method(THREE_D, draw::VERTEX_BEGIN_END, 8);
        stream.method(THREE_D, draw::VB_VERTEX_BATCH, 3 << 24);
        stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
        self.capture.submit(stream);
    }

    fn clear(&mut self, image: u32, color: u32, [left, top, right, bottom]: [u32; 4]) {
        let mut stream = StreamBuilder::new();
        stream.method(THREE_D, targets::COLOR0_OFFSET, self.address(self.image(image)));
        stream.methods(THREE_D, raster::SCISSOR_HORIZ, &[(right - left) << 16 | left, (bottom - top) << 16 | top]);
        stream.method(THREE_D, targets::CLEAR_COLOR_VALUE, color);
        stream.method(THREE_D, targets::CLEAR_BUFFERS, 0xf0);
        stream.methods(THREE_D, raster::SCISSOR_HORIZ, &[SIDE << 16, SIDE << 16]);
        self.capture.submit(stream);
    }

    /// The copy class moves lines from anywhere in the buffer to an image.
    fn copy(&mut self, from: u32, to: u32, bytes: u32) {
        self.copy_lines(from, to, 256, bytes / 256);
    }

    /// The same for lines of 256 bytes that are this many bytes apart.
    fn copy_lines(&mut self, from: u32, to: u32, pitch: u32, lines: u32) {
        let mut stream = StreamBuilder::new();
        let registers = [self.address(from), self.address(to), pitch, pitch, 256, lines, 0x101, 0];
        stream.methods(COPY, memory_copy::OFFSET_IN, &registers);
        self.capture.submit(stream);
    }

    fn method(&mut self, method: u16, values: &[u32]) {
        let mut stream = StreamBuilder::new();
        stream.methods(THREE_D, method, values);
        self.capture.submit(stream);
    }

    fn random_step(&mut self, random: &mut Random) {
        let from = random.below(IMAGES);
        let to = (from + 1 + random.below(IMAGES - 1)) % IMAGES;
        let rect = |random: &mut Random| {
            let [left, top] = [random.below(SIDE - 1), random.below(SIDE - 1)];
            [left, top, left + 1 + random.below(SIDE - left), top + 1 + random.below(SIDE - top)]
        };
        match random.below(16) {
            0..6 => self.draw(from, to),
            6 => self.draw(from, from),
            7 | 8 => {
                let rect = rect(random);
                self.corners(rect);
            }
            9 => self.factor(std::array::from_fn(|_| random.below(5) as f32 / 4.0)),
            10 => {
                let offset = self.image(from) + random.below(IMAGE_BYTES / 2) / 4 * 4;
                let words: Vec<u32> = (0..1 + random.below(300)).map(|_| random.word()).collect();
                self.put(offset, &words);
            }
            11 => {
                let rect = if random.flag() { [0, 0, SIDE, SIDE] } else { rect(random) };
                self.clear(to, random.word(), rect);
            }
            12 => self.copy(self.image(from) + 16 * random.below(8), self.image(to), 256 * (1 + random.below(8))),
            13 => self.method(sync::FENCE_OFFSET, &[0, random.word()]),
            14 => match random.flag() {
                true => self.method(sync::QUERY_RESET, &[1]),
                false => self.method(sync::QUERY_GET, &[0x0100_0000 | (random.below(4) * 0x20)]),
            },
            _ => {
                let space = random.pick(&MemorySpace::ALL);
                self.capture.buffer(space, 4096 << random.below(4));
            }
        }
    }
}

/// All memory after the capture; also reads windows chosen by `seed` after each record, to verify that reads happen in
/// order.
fn play(capture: &Capture, engine: &mut dyn Engine, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    let mut seen = Vec::new();
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, engine).unwrap();
        let start = random.below(engine.memory_extent(MemorySpace::Vram).max(1));
        if random.below(12) == 0 {
            let mut bytes = vec![0; 64];
            engine.read_memory(MemoryWindow { space: MemorySpace::Vram, start, bytes: 64 }, &mut bytes).unwrap();
            seen.push(bytes);
        }
    }
    engine.finish().unwrap();
    assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
    for space in MemorySpace::ALL {
        let bytes = engine.memory_extent(space);
        let mut memory = vec![0; bytes as usize];
        engine.read_memory(MemoryWindow { space, start: 0, bytes }, &mut memory).unwrap();
        seen.push(memory);
    }
    seen
}

/// The first difference between two readings: the reading, and its byte.
fn difference(left: &[Vec<u8>], right: &[Vec<u8>]) -> Option<(usize, usize)> {
    left.iter().zip(right).enumerate().find_map(|(number, (left, right))| {
        let byte = left.iter().zip(right).position(|(left, right)| left != right);
        byte.or((left.len() != right.len()).then(|| left.len().min(right.len()))).map(|byte| (number, byte))
    })
}

#[test]
fn the_comparer_sees_a_planted_difference() {
    let seen = [vec![1, 2], vec![3, 4, 5]];
    assert_eq!(difference(&seen, &seen), None);
    assert_eq!(difference(&seen, &[vec![1, 2], vec![3, 4, 6]]), Some((1, 2)));
    assert_eq!(difference(&seen, &[vec![1, 2], vec![3, 4]]), Some((1, 2)));
}

#[test]
fn a_texture_is_read_before_it_is_overwritten() {
    let mut scene = Scene::new(0);
    scene.put(0, &[0xff11_2233; (SIDE * SIDE) as usize]);
    scene.corners([0, 0, 16, 32]);
    scene.draw(0, 1);
    scene.put(0, &[0x8044_5566; (SIDE * SIDE) as usize]);
    scene.corners([16, 0, 32, 32]);
    scene.draw(0, 1);
    // The picture first serves as a texture, then half of it is overdrawn.
    scene.corners([0, 0, 32, 32]);
    scene.draw(1, 2);
    scene.clear(1, 0x0102_0304, [0, 0, 32, 16]);
    let base = scene.address(0) as usize;
    let capture = scene.capture.finish();
    let mut reference = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    let expected = play(&capture, &mut reference, 1);
    let pixel = |image: u32, x: u32, y: u32| {
        let memory = &expected[expected.len() - 2];
        let place = base + (image * IMAGE_BYTES + (y * SIDE + x) * 4) as usize;
        u32::from_le_bytes(memory[place..place + 4].try_into().unwrap())
    };
    for y in [0, 15, 31] {
        assert_eq!([pixel(2, 0, y), pixel(2, 15, y)], [0xff11_2233; 2]);
        assert_eq!([pixel(2, 16, y), pixel(2, 31, y)], [0x8044_5566; 2]);
    }
    assert_eq!([pixel(1, 3, 15), pixel(1, 3, 16)], [0x0102_0304, 0xff11_2233]);
    let Some(gpu) = common::gpu() else { return };
    let mut kernels =
        Kernels::new(gpu, KernelOptions::default(), capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    assert_eq!(difference(&expected, &play(&capture, &mut kernels, 1)), None);
}

#[test]
fn random_orders_leave_the_same_bytes() {
    let Some(gpu) = common::gpu() else { return };
    let mut gpu = Some(gpu);
    for seed in 0..24 {
        let mut random = Random::new(seed);
        // A page may hold the end of one image and the start of another.
        let mut scene = Scene::new(if seed % 3 == 0 { 0 } else { 0x800 });
        scene.put(scene.image(0), &(0..SIDE * SIDE).map(|_| random.word()).collect::<Vec<_>>());
        for _ in 0..60 {
            scene.random_step(&mut random);
        }
        let capture = scene.capture.finish();
        let (vram, gart) = (capture.header.vram_bytes, capture.header.gart_bytes);
        let expected = play(&capture, &mut Reference::new(vram, gart).unwrap(), seed);
        let device = gpu.take().or_else(common::gpu).unwrap();
        let path = if seed % 2 == 0 { KernelPath::Invocations } else { KernelPath::Stages };
        let options = KernelOptions { path, copies_texels: seed % 8 < 6, ..KernelOptions::default() };
        let mut kernels = Kernels::new(device, options, vram, gart).unwrap();
        let actual = play(&capture, &mut kernels, seed);
        assert_eq!(difference(&expected, &actual), None, "seed {seed}: reading and byte");
    }
}

/// Plays a random scene on the reference and on kernels with these options; every byte is the same.
fn compare(gpu: Gpu, mut scene: Scene, steps: u32, seed: u64, options: KernelOptions) {
    let mut random = Random::new(seed);
    for image in 0..IMAGES {
        scene.put(scene.image(image), &(0..SIDE * SIDE).map(|_| random.word()).collect::<Vec<_>>());
    }
    for _ in 0..steps {
        scene.random_step(&mut random);
    }
    let capture = scene.capture.finish();
    let (vram, gart) = (capture.header.vram_bytes, capture.header.gart_bytes);
    let expected = play(&capture, &mut Reference::new(vram, gart).unwrap(), seed);
    let actual = play(&capture, &mut Kernels::new(gpu, options, vram, gart).unwrap(), seed);
    assert_eq!(difference(&expected, &actual), None, "seed {seed}, {options:?}: reading and byte");
}

/// A draw reaches three to five pages. With fewer it runs on the reference, which counts its samples, too.
#[test]
fn pages_come_and_go_where_the_device_holds_few() {
    let Some(gpu) = common::gpu() else { return };
    for seed in 0..48_u32 {
        let scene = Scene::new(if seed % 3 == 0 { 0 } else { 0x800 });
        let path = [KernelPath::Invocations, KernelPath::Workgroups, KernelPath::Stages][(seed % 3) as usize];
        let memory_bytes = 4096 * [2, 4, 5, 6][(seed % 4) as usize];
        let options = KernelOptions { path, memory_bytes, copies_texels: seed % 8 < 6, ..KernelOptions::default() };
        compare(gpu.clone(), scene, 60, 1000 + u64::from(seed), options);
    }
}

/// 160 MiB of video memory on a device that binds 96, with images in all parts of it.
#[test]
fn memory_is_larger_than_a_binding() {
    let Some(gpu) = common::gpu() else { return };
    let mut scene = Scene::with_spacing(0x800, 40 << 20);
    // The copies read what the device wrote. One reaches 25 MiB, the other 118.
    scene.draw(0, 3);
    scene.clear(0, 0x0102_0304, [0, 0, SIDE, SIDE]);
    scene.copy_lines(scene.image(0), scene.image(2) - 8192, 0x7f00, 400);
    scene.copy_lines(scene.image(0), scene.image(2) - 4096, 0x7f00, 1900);
    compare(gpu.binding_at_most(96 << 20), scene, 40, 7, KernelOptions::default());
}
