//! Streams that draw into multisampled targets, and their results in memory.

use curie::capture::Capture;
use curie::command::builder::{CaptureBuilder, StreamBuilder};
use curie::command::methods::three_d::{draw, program, raster, rop, targets, vertex};
use curie::isa::nv40_fragment::{FragmentField, FragmentOpcode, FragmentWord};
use curie::isa::nv40_vertex::{VertexField, VertexWord};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::reference::Reference;

pub(crate) use curie::command::builder::THREE_D;
/// Size of the targets in pixels.
pub(crate) const WIDTH: u32 = 32;
pub(crate) const HEIGHT: u32 = 24;
/// Bytes from one target to the next: colors 0..3, zeta, the resolved picture.
pub(crate) const TARGET_BYTES: u32 = 1 << 16;
const FIRST_TARGET: u32 = 1 << 20;
const PROGRAM: u32 = FIRST_TARGET + 6 * TARGET_BYTES;

/// One vertex: position, then color.
pub(crate) type Vertex = ([f32; 4], [f32; 4]);

/// The start of target `index` in VRAM.
pub(crate) const fn target(index: u32) -> u32 {
    FIRST_TARGET + index * TARGET_BYTES
}

/// The layout of the targets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surfaces {
    /// `RT_FORMAT` 15:12.
    pub(crate) mode: u32,
    /// `RT_FORMAT` 4:0.
    pub(crate) color: u32,
    /// `RT_FORMAT` 7:5.
    pub(crate) zeta: u32,
    /// `RT_ENABLE`.
    pub(crate) enabled: u32,
}

impl Surfaces {
    /// A8R8G8B8 and Z24S8.
    pub(crate) const fn plain(mode: u32) -> Self {
        Self { mode, color: 8, zeta: 2, enabled: 1 }
    }

    /// Texels per pixel along x and y, as the format page says.
    pub(crate) const fn scale(self) -> [u32; 2] {
        match self.mode {
            0 => [1, 1],
            3 => [2, 1],
            _ => [2, 2],
        }
    }

    pub(crate) const fn color_bytes(self) -> u32 {
        match self.color {
            1..=3 | 10 => 2,
            9 => 1,
            11 => 8,
            12 => 16,
            _ => 4,
        }
    }

    pub(crate) const fn color_pitch(self) -> u32 {
        (WIDTH * self.scale()[0] * self.color_bytes()).next_multiple_of(64)
    }

    pub(crate) const fn zeta_pitch(self) -> u32 {
        (WIDTH * self.scale()[0] * if self.zeta == 2 { 4 } else { 2 }).next_multiple_of(64)
    }
}

fn vertex_move(output: u32, input: u32, ends: bool) -> VertexWord {
    let source = 2 | 0b00_01_10_11 << 8;
    VertexWord::new([0x401f_9c6c, 0x0000_000d, 0x8106_c083, 0x6041_fffc])
        .with(VertexField::OP_VEC, 1)
        .with(VertexField::SRC0, source)
        .with(VertexField::INPUT_ADDR, input)
        .with(VertexField::WM_VEC, 15)
        .with(VertexField::OUT_ADDR, output)
        .with(VertexField::OUT_FROM_VEC, 1)
        .with(VertexField::END, u32::from(ends))
}

/// An instruction on full registers; sources are bits 17:0 of the words.
pub(crate) fn fragment(opcode: FragmentOpcode, destination: u32, sources: [u32; 3]) -> FragmentWord {
    let code = u32::from(opcode.code());
    FragmentWord([0, sources[0], sources[1], sources[2]])
        .with(FragmentField::OPCODE, code)
        .with(FragmentField::DESTINATION, destination)
        .with(FragmentField::WRITE_MASK, 15)
        .with(FragmentField::CONDITION, 7)
        .with(FragmentField::CONDITION_SWIZZLE, 0b11_10_01_00)
}

/// The instruction's input as a source.
pub(crate) const INPUT: u32 = 1 | 0b11_10_01_00 << 9;

/// A program that moves an input (1 color, 4 texture coordinate 0) to R0, R2 and R3.
pub(crate) fn show(input: u32) -> Vec<FragmentWord> {
    [0, 2, 3]
        .map(|register| fragment(FragmentOpcode::Mov, register, [INPUT, 0, 0]).with(FragmentField::INPUT, input))
        .to_vec()
}

/// A stream under construction, with targets bound and everything optional off.
pub(crate) struct Scene {
    pub(crate) stream: StreamBuilder,
    pub(crate) surfaces: Surfaces,
    program: Vec<FragmentWord>,
}

impl Scene {
    pub(crate) fn new(surfaces: Surfaces) -> Self {
        let mut stream = StreamBuilder::new();
        stream.bind_three_d();
        let format = surfaces.color | surfaces.zeta << 5 | 1 << 8 | surfaces.mode << 12;
        stream.methods(
            THREE_D,
            targets::RT_HORIZ,
            &[WIDTH << 16, HEIGHT << 16, format, surfaces.color_pitch(), target(0), target(4)],
        );
        stream.method(THREE_D, targets::ZETA_PITCH, surfaces.zeta_pitch());
        stream.methods(THREE_D, targets::COLOR1_OFFSET, &[target(1), surfaces.color_pitch()]);
        stream.method(THREE_D, targets::COLOR2_PITCH, surfaces.color_pitch());
        stream.method(THREE_D, targets::COLOR2_OFFSET, target(2));
        stream.method(THREE_D, targets::RT_ENABLE, surfaces.enabled);
        stream.floats(THREE_D, raster::VIEWPORT_TRANSLATE_X, &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
        stream.method(THREE_D, program::VP_UPLOAD_FROM_ID, 0);
        // Position, color, texture coordinate 0, clip distances 0 to 2 with the fog coordinate.
        for (output, input) in [(0, 0), (1, 3), (7, 8), (5, 9)] {
            stream.methods(THREE_D, program::VP_UPLOAD_INST, &vertex_move(output, input, output == 5).words());
        }
        stream.method(THREE_D, program::VP_START_FROM_ID, 0);
        // All results except the point size.
        stream.method(THREE_D, program::VP_RESULT_EN, 0x3f_ffdf);
        stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, PROGRAM | 1);
        stream.method(THREE_D, program::FP_CONTROL, 0x0400_0040);
        stream.method(THREE_D, rop::MRT_COLOR_MASK, 0xfff0);
        stream.method(THREE_D, rop::DITHER_ENABLE, 0);
        Self { stream, surfaces, program: show(1) }
    }

    pub(crate) fn program(&mut self, program: Vec<FragmentWord>) -> &mut Self {
        self.program = program;
        self
    }

    pub(crate) fn set(&mut self, method: u16, value: u32) -> &mut Self {
        self.stream.method(THREE_D, method, value);
        self
    }

    /// `MULTISAMPLE_CONTROL`: the flags in the low half, the mask in the high one.
    pub(crate) fn control(&mut self, flags: u32, mask: u32) -> &mut Self {
        self.set(raster::MULTISAMPLE_CONTROL, flags | mask << 16)
    }

    pub(crate) fn clear(&mut self, color: u32, zeta: u32) -> &mut Self {
        self.stream.methods(THREE_D, targets::CLEAR_DEPTH_VALUE, &[zeta, color, 0xf3]);
        self
    }

    /// Draws a primitive with the same value as color, texture coordinate and clip distances.
    pub(crate) fn draw(&mut self, primitive: u32, vertices: &[Vertex]) -> &mut Self {
        self.set(draw::VERTEX_BEGIN_END, primitive);
        for (position, color) in vertices {
            for attribute in [3, 8, 9] {
                self.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * attribute, color);
            }
            self.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X, position);
        }
        self.set(draw::VERTEX_BEGIN_END, 0)
    }

    /// The whole stream as a capture.
    pub(crate) fn capture(&self) -> Capture {
        let mut builder = CaptureBuilder::new();
        let targets = builder.buffer(MemorySpace::Vram, (6 * TARGET_BYTES).into());
        assert_eq!(targets.offset, u64::from(FIRST_TARGET));
        let code = builder.buffer(MemorySpace::Vram, 4096);
        let mut words = self.program.clone();
        let last = words.last_mut().unwrap();
        *last = last.with(FragmentField::END, 1);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.0).flat_map(u32::to_le_bytes).collect();
        builder.write(&code, &bytes);
        builder.submit(self.stream.clone());
        builder.finish()
    }

    /// The memory after a run on the reference.
    pub(crate) fn run(&self) -> Memory {
        let capture = self.capture();
        let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
        let memory = run(&capture, &mut engine);
        Memory { surfaces: self.surfaces, ..memory }
    }
}

/// All of guest memory.
pub(crate) struct Memory {
    surfaces: Surfaces,
    pub(crate) vram: Vec<u8>,
    pub(crate) gart: Vec<u8>,
}

/// Replays a capture; it must leave no anomalies.
pub(crate) fn run(capture: &Capture, engine: &mut dyn Engine) -> Memory {
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, engine).unwrap();
    }
    engine.finish().unwrap();
    let anomalies = chip.anomalies().lines();
    assert!(anomalies.is_empty(), "{anomalies:?}");
    let [vram, gart] = [MemorySpace::Vram, MemorySpace::Gart].map(|space| {
        let mut bytes = vec![0; engine.memory_extent(space) as usize];
        engine.read_memory(MemoryWindow { space, start: 0, bytes: u32::MAX }, &mut bytes).unwrap();
        bytes
    });
    Memory { surfaces: Surfaces::plain(0), vram, gart }
}

impl Memory {
    pub(crate) fn word(&self, address: u32) -> u32 {
        u32::from_le_bytes(self.vram[address as usize..][..4].try_into().unwrap())
    }

    /// A texel of a 32-bit color target.
    pub(crate) fn color(&self, index: u32, x: u32, y: u32) -> u32 {
        self.word(target(index) + y * self.surfaces.color_pitch() + 4 * x)
    }

    /// A texel of the 32-bit zeta target.
    pub(crate) fn zeta(&self, x: u32, y: u32) -> u32 {
        self.word(target(4) + y * self.surfaces.zeta_pitch() + 4 * x)
    }

    /// The sample counter of the report at offset 0 of the report object.
    pub(crate) fn samples(&self) -> u32 {
        // The notifier buffer is the first of GART, at 1 MiB; reports follow 0x40 later.
        u32::from_le_bytes(self.gart[(1 << 20) + 0x48..][..4].try_into().unwrap())
    }
}

/// A rectangle as a quadrilateral of one color at one depth.
pub(crate) fn rectangle(low: [f32; 2], high: [f32; 2], z: f32, color: [f32; 4]) -> Vec<Vertex> {
    [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]]
        .map(|[x, y]| ([x, y, z, 1.0], color))
        .to_vec()
}

pub(crate) const WHITE: [f32; 4] = [1.0; 4];
pub(crate) const QUADS: u32 = 8;
