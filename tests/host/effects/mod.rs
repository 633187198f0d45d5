//! The effect of methods and their values, from the stream to memory, on the reference. Each expected value follows
//! from a formula or a table in the test.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking and counts in small numbers"
)]

mod merging;
mod notifiers;
mod raster_state;
mod shapes;
mod stencil;
mod surfaces;
mod texels;
mod texture_state;

use curie::capture::Capture;
use curie::command::builder::{CaptureBuilder, StreamBuilder};
use curie::command::methods::three_d::{draw, program, raster, rop, targets, texture, vertex};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::reference::Reference;

use crate::common::small_target::{SIDE, THREE_D, open_target};

/// Where the color target starts in a scene's memory; 16 bytes fit in each pixel.
const COLOR: u32 = 0;
/// The depth and stencil surface, of 4 bytes per pixel.
const ZETA: u32 = 0x4000;
/// The fragment program.
const PROGRAM: u32 = 0x5000;
/// Textures.
const TEXTURES: u32 = 0x6000;
/// Size of a scene's memory.
const BYTES: u32 = 0x1_0000;

/// `MOV R0, f[TEX0]`.
const COPY_COORDINATE: [u32; 4] = [0x0100_9e01, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800];

/// A stream that draws, and the memory that it finds.
struct Scene {
    capture: CaptureBuilder,
    buffer: curie::capture::Buffer,
    stream: StreamBuilder,
    memory: Vec<u8>,
}

/// What a stream leaves.
struct Outcome {
    memory: Vec<u8>,
    reports: Vec<u8>,
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

impl Scene {
    /// A linear target of [`SIDE`]² pixels, A8R8G8B8 and Z24S8, whose pixels get texture coordinate 0 as color.
    fn new() -> Self {
        let mut capture = CaptureBuilder::new();
        let buffer = capture.buffer(MemorySpace::Vram, u64::from(BYTES));
        let mut scene = Self { capture, buffer, stream: StreamBuilder::new(), memory: vec![0; BYTES as usize] };
        let base = scene.address(0);
        open_target(&mut scene.stream, base + COLOR);
        scene.set(targets::ZETA_OFFSET, &[base + ZETA]);
        scene.set(targets::ZETA_PITCH, &[SIDE * 4]);
        scene.set(rop::DITHER_ENABLE, &[0]);
        scene.set(vertex::VTXFMT, &[0x42]);
        scene.set(vertex::VTXFMT + 32, &[0x42]);
        scene.program(&COPY_COORDINATE);
        scene
    }

    /// The address of an offset in the scene's memory.
    fn address(&self, offset: u32) -> u32 {
        u32::try_from(self.buffer.offset).unwrap() + offset
    }

    /// Consecutive methods.
    fn set(&mut self, method: u16, values: &[u32]) {
        self.stream.methods(THREE_D, method, values);
    }

    /// What memory has before the stream.
    fn put(&mut self, offset: u32, bytes: &[u8]) {
        self.memory[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn put_words(&mut self, offset: u32, words: &[u32]) {
        self.put(offset, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    }

    /// Replaces the fragment program.
    fn program(&mut self, microcode: &[u32]) {
        self.put_words(PROGRAM, microcode);
        let address = self.address(PROGRAM);
        self.set(program::FP_ACTIVE_PROGRAM, &[address | 1]);
        self.set(program::FP_CONTROL, &[0x0400_0040]);
    }

    /// Fetches from unit 0 at texture coordinate 0.
    fn fetches(&mut self) {
        // TEX R0, f[TEX0], TEX0.
        self.program(&[0x1700_9e01, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800]);
    }

    /// The eight registers of unit 0: offset in the scene's memory, format, wrap, enable, swizzle, filter, size, border.
    fn texture(&mut self, pitch_and_depth: u32, mut registers: [u32; 8]) {
        registers[0] = self.address(registers[0]);
        self.set(texture::TEX_SIZE1, &[pitch_and_depth]);
        self.set(texture::TEX_OFFSET, &registers);
    }

    /// A primitive of vertices with position in pixels, depth, and texture coordinate.
    fn draw(&mut self, primitive: u32, vertices: &[([f32; 2], f32, [f32; 4])]) {
        let clip = |pixel: f32| pixel / (SIDE as f32 / 2.0) - 1.0;
        let words: Vec<u32> = vertices
            .iter()
            .flat_map(|([x, y], depth, coordinate)| {
                let position = [clip(*x), clip(*y), 2.0 * depth - 1.0, 1.0];
                [position.map(f32::to_bits), coordinate.map(f32::to_bits)].concat()
            })
            .collect();
        self.set(draw::VERTEX_BEGIN_END, &[primitive]);
        self.stream.repeated(THREE_D, draw::VERTEX_DATA, &words);
        self.set(draw::VERTEX_BEGIN_END, &[0]);
    }

    /// A rectangle of one color at a depth.
    fn rectangle(&mut self, [left, top, right, bottom]: [u32; 4], depth: f32, color: [f32; 4]) {
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        self.draw(8, &corners.map(|corner| (corner.map(|place| place as f32), depth, color)));
    }

    /// One pixel, numbered by row.
    fn pixel(&mut self, number: u32, depth: f32, color: [f32; 4]) {
        let [x, y] = [number % SIDE, number / SIDE];
        self.rectangle([x, y, x + 1, y + 1], depth, color);
    }

    /// Runs the stream. Every method has a meaning.
    fn run(mut self) -> Outcome {
        self.capture.write(&self.buffer, &self.memory);
        self.capture.submit(self.stream);
        let start = u32::try_from(self.buffer.offset).unwrap();
        run(&self.capture.finish(), start)
    }
}

/// Runs a capture, and reads a scene's memory from its address.
fn run(capture: &Capture, start: u32) -> Outcome {
    let header = &capture.header;
    let mut engine = Reference::new(header.vram_bytes, header.gart_bytes).unwrap();
    let mut chip = chip_of(header).unwrap();
    for record in &capture.records {
        chip.apply(record, &mut engine).unwrap();
    }
    engine.finish().unwrap();
    assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
    let mut read = |space, start, bytes| {
        let mut memory = vec![0; bytes as usize];
        engine.read_memory(MemoryWindow { space, start, bytes }, &mut memory).unwrap();
        memory
    };
    // The builder's fence, notifier and reports are in its first buffer.
    Outcome { memory: read(MemorySpace::Vram, start, BYTES), reports: read(MemorySpace::Gart, 1 << 20, 4096) }
}

impl Outcome {
    /// Words from an offset of the scene's memory.
    fn words(&self, offset: u32, count: u32) -> Vec<u32> {
        words(&self.memory[offset as usize..][..4 * count as usize])
    }

    /// A pixel of the target of 32 bits, numbered by row.
    fn color(&self, number: u32) -> u32 {
        self.words(COLOR + 4 * number, 1)[0]
    }

    /// A pixel of depth and stencil.
    fn zeta(&self, number: u32) -> u32 {
        self.words(ZETA + 4 * number, 1)[0]
    }

    /// Pixels of the target that are not zero, as column and row.
    fn drawn(&self) -> Vec<[u32; 2]> {
        (0..SIDE * SIDE)
            .filter(|number| self.color(*number) != 0)
            .map(|number| [number % SIDE, number / SIDE])
            .collect()
    }
}

/// The viewport of the target, for streams that move it.
fn viewport(scene: &mut Scene, translate: [f32; 4], scale: [f32; 4]) {
    scene.stream.floats(THREE_D, raster::VIEWPORT_TRANSLATE_X, &[translate, scale].concat());
}
