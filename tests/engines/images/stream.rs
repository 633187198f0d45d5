//! A stream of 2D methods with its memory, run on both engines.

use curie::capture::{Buffer, Capture, Record};
use curie::chip::Reason;
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::{scaled_image, surfaces};
use curie::kernels::{KernelOptions, Kernels};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::reference::Reference;

use crate::common;

/// Classes with an object in every test channel, beside those that the builder creates.
pub(crate) const CLASSES: [u32; 15] = [
    0x308a, 0x307b, 0x009f, 0x004a, 0x0012, 0x0072, 0x0043, 0x0044, 0x0057, 0x0019, 0x3062, 0x009e, 0x0089, 0x008a,
    0x005f,
];

pub(crate) const SURFACE: u8 = 2;
pub(crate) const SWIZZLED: u8 = 3;
pub(crate) const IMAGE: u8 = 4;

/// Two buffers in VRAM, and methods.
pub(crate) struct Scene {
    builder: CaptureBuilder,
    pub(crate) stream: StreamBuilder,
    pub(crate) source: Buffer,
    pub(crate) destination: Buffer,
}

impl Scene {
    /// The first buffer holds `source`, the second `destination`.
    pub(crate) fn new(source: &[u8], destination: &[u8]) -> Self {
        let mut builder = CaptureBuilder::new();
        for class in CLASSES {
            builder.record(Record::Object { handle: handles::object(class), class });
        }
        let mut buffer = |bytes: &[u8]| {
            let buffer = builder.buffer(MemorySpace::Vram, bytes.len().max(1) as u64);
            builder.write(&buffer, bytes);
            buffer
        };
        let (source, destination) = (buffer(source), buffer(destination));
        let mut stream = StreamBuilder::new();
        stream.bind(SURFACE, 0x62, handles::object(0x62));
        stream.methods(SURFACE, surfaces::linear::DMA_IMAGE_SOURCE, &[handles::VRAM, handles::VRAM]);
        Self { builder, stream, source, destination }
    }

    /// The destination as a linear surface.
    pub(crate) fn surface(&mut self, format: u32, pitch: u32) -> &mut Self {
        let (source, destination) = (self.source.offset as u32, self.destination.offset as u32);
        self.stream.methods(SURFACE, surfaces::linear::FORMAT, &[format, pitch << 16 | pitch, source, destination]);
        self
    }

    /// The scaled image object on its subchannel, with the linear surface.
    pub(crate) fn scaled_image(&mut self, format: u32, operation: u32) -> &mut Self {
        self.stream.bind(IMAGE, 0x3089, handles::object(0x3089));
        self.stream.method(IMAGE, scaled_image::DMA_IMAGE, handles::VRAM);
        self.stream.method(IMAGE, scaled_image::SURFACE, handles::object(0x62));
        self.stream.methods(IMAGE, scaled_image::COLOR_FORMAT, &[format, operation]);
        self
    }

    /// Draws the whole source, `size` pixels of `bytes` bytes, pixel by pixel.
    pub(crate) fn whole(&mut self, size: [u32; 2], bytes: u32) -> &mut Self {
        self.scaled(size, bytes, size, [1 << 20; 2], 1, 0)
    }

    /// Draws the source at a scale; `origin` and `filter` are those of `FORMAT`.
    pub(crate) fn scaled(
        &mut self,
        size: [u32; 2],
        bytes: u32,
        out: [u32; 2],
        step: [u32; 2],
        origin: u32,
        filter: u32,
    ) -> &mut Self {
        let out = out[0] | out[1] << 16;
        self.stream.methods(IMAGE, scaled_image::CLIP_POINT, &[0, out, 0, out, step[0], step[1]]);
        let format = (size[0] * bytes) | origin << 16 | filter << 24;
        self.stream.methods(
            IMAGE,
            scaled_image::SIZE,
            &[size[0] | size[1] << 16, format, self.source.offset as u32, 0],
        );
        self
    }

    /// The bytes of the destination, equal on both engines; anomalies are not allowed.
    pub(crate) fn run(self) -> Vec<u8> {
        let (bytes, reasons) = self.run_with_anomalies();
        assert_eq!(reasons, []);
        bytes
    }

    /// The bytes of the destination, equal on both engines, and the counted anomalies.
    pub(crate) fn run_with_anomalies(mut self) -> (Vec<u8>, Vec<(u32, u16, Reason)>) {
        self.builder.submit(self.stream);
        let capture = self.builder.finish();
        let (vram, gart) = (capture.header.vram_bytes, capture.header.gart_bytes);
        let (memory, reasons) = on(&mut Reference::new(vram, gart).unwrap(), &capture, &self.destination);
        if let Some(gpu) = common::gpu() {
            let mut kernels = Kernels::new(gpu, KernelOptions::default(), vram, gart).unwrap();
            let (other, other_reasons) = on(&mut kernels, &capture, &self.destination);
            assert_eq!(memory.iter().zip(&other).position(|(left, right)| left != right), None, "engines differ");
            assert_eq!(reasons, other_reasons);
        }
        (memory, reasons)
    }
}

/// A buffer's bytes after a capture, and the counted anomalies.
fn on(engine: &mut dyn Engine, capture: &Capture, buffer: &Buffer) -> (Vec<u8>, Vec<(u32, u16, Reason)>) {
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, engine).unwrap();
    }
    let mut bytes = vec![0; buffer.bytes as usize];
    let window = MemoryWindow { space: MemorySpace::Vram, start: buffer.offset as u32, bytes: buffer.bytes as u32 };
    engine.read_memory(window, &mut bytes).unwrap();
    let reasons =
        chip.anomalies().iter().map(|(anomaly, _)| (anomaly.class, anomaly.method, anomaly.reason.clone())).collect();
    (bytes, reasons)
}

/// Little-endian pixels of some bytes.
pub(crate) fn pixels(bytes: &[u8], size: usize) -> Vec<u32> {
    bytes
        .chunks_exact(size)
        .map(|pixel| pixel.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
        .collect()
}
