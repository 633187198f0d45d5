//! Builds a stream: objects, a target of single floats, programs and arrays; then takes its picture on both engines.

use curie::capture::{Buffer, Capture, Record};
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::three_d::{draw, program, raster, targets, vertex};
use curie::isa::nv40_vertex::{ScalarOpcode, VectorOpcode, VertexField as Field, VertexWord};
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::reference::Reference;

use crate::common;

pub(crate) use curie::command::builder::THREE_D;
/// The subchannel of the 3D object.
/// The subchannel of the vertex engine of NV20.
pub(crate) const NV20: u8 = 6;
/// The subchannel of the PICA200's vertex processor.
pub(crate) const PICA200: u8 = 5;
/// Width and height of the target.
pub(crate) const SIZE: u32 = 64;
/// Bytes of the buffer that holds arrays and textures.
const DATA_BYTES: u64 = 1 << 16;

/// Copies f[TEX0] to R0.
pub(crate) const COPY_TEX0: [u32; 4] = [0x0100_9e01, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800];

/// Source operand of a vertex instruction: type 1 temporary, 2 input, 3 constant.
pub(crate) const fn source(kind: u32, temporary: u32) -> u32 {
    kind | temporary << 2 | 0b00_01_10_11 << 8
}

/// A source with all components read from one.
pub(crate) const fn splat(kind: u32, temporary: u32, component: u32) -> u32 {
    kind | temporary << 2 | (component * 0b01_01_01_01) << 8
}

/// An instruction that does nothing.
pub(crate) const NOP: VertexWord = VertexWord::new([0x001f_9c6c, 0x0000_000d, 0x8106_c083, 0x6041_fffc]);

/// A vector operation of attribute `input` into an output register.
pub(crate) fn to_output(opcode: VectorOpcode, input: u32, output: u32) -> VertexWord {
    NOP.with(Field::OP_VEC, u32::from(opcode.code()))
        .with(Field::INPUT_ADDR, input)
        .with(Field::SRC0, source(2, 0))
        .with(Field::WM_VEC, 15)
        .with(Field::OUT_ADDR, output)
        .with(Field::OUT_FROM_VEC, 1)
}

/// A scalar operation.
pub(crate) fn scalar(opcode: ScalarOpcode, operand: u32) -> VertexWord {
    NOP.with(Field::OP_SCA, u32::from(opcode.code())).with(Field::SRC2, operand).with(Field::WM_SCA, 15)
}

/// A stream and the resources that it draws with.
pub(crate) struct Stage {
    builder: CaptureBuilder,
    pub(crate) stream: StreamBuilder,
    target: Buffer,
    /// Arrays and textures, in VRAM.
    pub(crate) data: Buffer,
    bytes: Vec<u8>,
}

/// The result of a stream.
pub(crate) struct Picture {
    pixels: Vec<[u32; 4]>,
    pub(crate) vertices_run: u64,
    /// The number of primitive setup passes; `None` without an adapter.
    pub(crate) geometry_passes: Option<u64>,
    /// The data buffer.
    data: Vec<u8>,
    /// The memory that receives the chip's reports.
    reports: Vec<u8>,
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

impl Picture {
    pub(crate) fn bits(&self, x: u32, y: u32) -> [u32; 4] {
        self.pixels[(y * SIZE + x) as usize]
    }

    pub(crate) fn at(&self, x: u32, y: u32) -> [f32; 4] {
        self.bits(x, y).map(f32::from_bits)
    }

    /// Words of the data buffer.
    pub(crate) fn data(&self, bytes: std::ops::Range<usize>) -> Vec<u32> {
        words(&self.data[bytes])
    }

    /// The values of the first reports, 32 bytes apart.
    pub(crate) fn reports(&self, count: usize) -> Vec<u32> {
        self.reports.chunks(32).take(count).map(|report| words(report)[2]).collect()
    }

    /// Pixels that are not zero.
    pub(crate) fn drawn(&self) -> Vec<(u32, u32)> {
        let all = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
        all.filter(|(x, y)| self.bits(*x, *y) != [0; 4]).collect()
    }
}

impl Stage {
    /// Positions in window coordinates from attribute 0, TEX0 from attribute 8, which is the color.
    pub(crate) fn new() -> Self {
        let mut builder = CaptureBuilder::new();
        let target = builder.buffer(MemorySpace::Vram, u64::from(SIZE * SIZE * 16));
        let zeta = builder.buffer(MemorySpace::Vram, u64::from(SIZE * SIZE * 4));
        let microcode = builder.buffer(MemorySpace::Vram, 4096);
        let data = builder.buffer(MemorySpace::Vram, DATA_BYTES);
        let code: Vec<u8> = COPY_TEX0.iter().flat_map(|word| word.to_le_bytes()).collect();
        builder.write(&microcode, &code);
        let mut stream = StreamBuilder::new();
        stream.bind_three_d();
        let address = |buffer: &Buffer| u32::try_from(buffer.offset).unwrap();
        stream.methods(
            THREE_D,
            targets::RT_HORIZ,
            &[SIZE << 16, SIZE << 16, 0x14c, SIZE * 16, address(&target), address(&zeta)],
        );
        stream.method(THREE_D, targets::ZETA_PITCH, SIZE * 4);
        stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, address(&microcode) | 1);
        stream.method(THREE_D, program::FP_CONTROL, 0x0200_0040);
        stream.method(THREE_D, program::ENGINE, 0x113);
        stream.method(THREE_D, program::VP_RESULT_EN, 1 << 14);
        let mut stage = Self { builder, stream, target, data, bytes: vec![0; DATA_BYTES as usize] };
        let moves = [to_output(VectorOpcode::Mov, 0, 0), to_output(VectorOpcode::Mov, 8, 7)];
        stage.vertex_program(&moves);
        stage
    }

    /// Replaces the vertex program; the last instruction gets END.
    pub(crate) fn vertex_program(&mut self, instructions: &[VertexWord]) {
        self.stream.method(THREE_D, program::VP_UPLOAD_FROM_ID, 0);
        for (index, word) in instructions.iter().enumerate() {
            let word = word.with(Field::END, u32::from(index + 1 == instructions.len()));
            self.stream.methods(THREE_D, program::VP_UPLOAD_INST, &word.words());
        }
        self.stream.method(THREE_D, program::VP_START_FROM_ID, 0);
    }

    /// Binds an object of a class, which drivers do not create, to a subchannel.
    pub(crate) fn bind_class(&mut self, subchannel: u8, class: u32) {
        self.builder.record(Record::Object { handle: handles::object(class), class });
        self.stream.bind(subchannel, class, handles::object(class));
    }

    /// Replaces the fragment program with microcode in the data buffer.
    pub(crate) fn fragment_program(&mut self, offset: usize, words: &[u32], control: u32) {
        self.put_words(offset, words);
        let address = self.address(offset);
        self.stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, address | 1);
        self.stream.method(THREE_D, program::FP_CONTROL, control);
    }

    /// The address of an offset of the data buffer.
    pub(crate) fn address(&self, offset: usize) -> u32 {
        u32::try_from(self.data.offset).unwrap() + offset as u32
    }

    /// The address of the target.
    pub(crate) fn target_address(&self) -> u32 {
        u32::try_from(self.target.offset).unwrap()
    }

    pub(crate) fn put(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    pub(crate) fn put_words(&mut self, offset: usize, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(offset, &bytes);
    }

    pub(crate) fn put_floats(&mut self, offset: usize, values: &[f32]) {
        let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        self.put_words(offset, &words);
    }

    /// Replaces every word `from` behind an offset of the data buffer.
    pub(crate) fn replace_words(&mut self, offset: usize, from: u32, to: u32) {
        for word in self.bytes[offset..].as_chunks_mut::<4>().0 {
            if *word == from.to_le_bytes() {
                *word = to.to_le_bytes();
            }
        }
    }

    /// Submits the stream so far, then changes words of the data buffer.
    pub(crate) fn rewrite(&mut self, offset: usize, words: &[u32]) {
        self.builder.write(&self.data, &self.bytes);
        self.builder.submit(std::mem::replace(&mut self.stream, StreamBuilder::new()));
        self.put_words(offset, words);
    }

    /// Makes an attribute an array in the data buffer.
    pub(crate) fn array(&mut self, attribute: u16, offset: usize, format: u32) {
        let address = self.address(offset);
        self.stream.method(THREE_D, vertex::VTXBUF + 4 * attribute, address);
        self.stream.method(THREE_D, vertex::VTXFMT + 4 * attribute, format);
    }

    /// Array 0 of positions at the centers of pixels (0, 0), (1, 0), …, eight per row.
    pub(crate) fn positions(&mut self, offset: usize, count: u32) {
        let points: Vec<f32> =
            (0..count).flat_map(|index| [(index % 8) as f32 + 0.5, (index / 8) as f32 + 0.5]).collect();
        self.put_floats(offset, &points);
        self.array(0, offset, 0x0822);
    }

    pub(crate) fn begin(&mut self, primitive: u32) {
        self.stream.method(THREE_D, draw::VERTEX_BEGIN_END, primitive);
    }

    pub(crate) fn end(&mut self) {
        self.stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    }

    /// Draws consecutive elements of the arrays.
    pub(crate) fn draw_arrays(&mut self, primitive: u32, first: u32, count: u32) {
        self.begin(primitive);
        for start in (0..count).step_by(256) {
            let batch = (count - start).min(256);
            self.stream.method(THREE_D, draw::VB_VERTEX_BATCH, (first + start) | (batch - 1) << 24);
        }
        self.end();
    }

    pub(crate) fn enable(&mut self, method: u16, value: u32) {
        self.stream.method(THREE_D, method, value);
    }

    /// Transforms positions by OpenGL's viewport over the whole target, instead of reading window coordinates.
    pub(crate) fn viewport(&mut self) {
        self.stream.method(THREE_D, program::ENGINE, 0x11);
        let half = SIZE as f32 / 2.0;
        self.stream.floats(THREE_D, raster::VIEWPORT_TRANSLATE_X, &[half, half, 0.5, 0.0, half, half, 0.5, 0.0]);
    }

    /// Replays the stream on both engines, compares all memory, and reads the target.
    pub(crate) fn run(self) -> Picture {
        self.run_on(KernelPath::Auto)
    }

    /// The stream as a capture.
    pub(crate) fn capture(mut self) -> Capture {
        self.builder.write(&self.data, &self.bytes);
        self.builder.submit(self.stream);
        self.builder.finish()
    }

    /// The same with kernels of one path.
    pub(crate) fn run_on(self, path: KernelPath) -> Picture {
        let (bytes, data, target) = (self.bytes.len(), self.data, self.target);
        let capture = self.capture();
        let (vram, gart) = (capture.header.vram_bytes, capture.header.gart_bytes);
        let replay = |engine: &mut dyn Engine| {
            let mut chip = chip_of(&capture.header).unwrap();
            for record in &capture.records {
                chip.apply(record, engine).unwrap();
            }
            engine.finish().unwrap();
            assert_eq!(chip.anomalies().iter().count(), 0, "{:?}", chip.anomalies().iter().collect::<Vec<_>>());
            MemorySpace::ALL.map(|space| {
                let extent = engine.memory_extent(space);
                let mut memory = vec![0; extent as usize];
                engine.read_memory(MemoryWindow { space, start: 0, bytes: extent }, &mut memory).unwrap();
                memory
            })
        };
        let mut reference = Reference::new(vram, gart).unwrap();
        let memory = replay(&mut reference);
        let mut geometry_passes = None;
        if let Some(gpu) = common::gpu() {
            let options = KernelOptions { path, ..KernelOptions::default() };
            let mut kernels = Kernels::new(gpu, options, vram, gart).unwrap();
            let found = replay(&mut kernels);
            for (expected, found) in memory.iter().zip(&found) {
                let first = expected.iter().zip(found).position(|(expected, found)| expected != found);
                assert_eq!(first, None, "the engines differ at this byte");
                assert_eq!(expected.len(), found.len());
            }
            assert_eq!(kernels.vertices_run(), reference.vertices_run());
            geometry_passes = Some(kernels.geometry_passes());
        }
        let start = usize::try_from(target.offset).unwrap();
        let pixels = memory[0][start..][..(SIZE * SIZE * 16) as usize]
            .chunks_exact(16)
            .map(|pixel| std::array::from_fn(|c| u32::from_le_bytes(pixel[4 * c..4 * c + 4].try_into().unwrap())))
            .collect();
        let data = usize::try_from(data.offset).unwrap();
        let data = memory[0][data..][..bytes].to_vec();
        // The builder's report object follows two others in its first buffer.
        let reports = memory[1][(1 << 20) + 0x40..(1 << 20) + 0x1000].to_vec();
        Picture { pixels, vertices_run: reference.vertices_run(), geometry_passes, data, reports }
    }
}
