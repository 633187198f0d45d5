//! Random images of every kind produce the same bytes on both engines.

use curie::format::ImageFormat;
use curie::kernels::{KernelOptions, Kernels};
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::{
    ColorConversion, Engine, GpuCommand, ImageOperation, ImageSource, Pattern, PatternShape, PixelOperation,
    ScaledImage, SurfaceLayout,
};
use curie::reference::Reference;

use crate::common;
use crate::common::memory::random_blocks;
use crate::common::random::Random;

const EXTENT: u32 = 64 << 10;

fn random_window(random: &mut Random, alignment: u32) -> MemoryWindow {
    let space = random.pick(&MemorySpace::ALL);
    // Occasionally the window ends early or extends beyond memory.
    let start = random.below(EXTENT / alignment) * alignment;
    let bytes = if random.below(4) == 0 { random.below(8192) } else { 0x10_0000 };
    MemoryWindow { space, start, bytes }
}

fn random_operation(random: &mut Random, kind: u32) -> PixelOperation {
    let pattern = Pattern {
        shape: random.pick(&[PatternShape::Square, PatternShape::Row, PatternShape::Column, PatternShape::Colors]),
        bitmap: [random.word(), random.word()],
        bitmap_colors: [
            random.word() | 0xff00_0000,
            random.word() & if random.flag() { 0x00ff_ffff } else { u32::MAX },
        ],
        colors: std::array::from_fn(|_| random.word() | 0xff00_0000),
    };
    let (any, beta) = (random.word(), random.word() as u8);
    PixelOperation {
        operation: ImageOperation::ALL[kind as usize],
        conversion: random.pick(&[
            ColorConversion::Dither,
            ColorConversion::Truncate,
            ColorConversion::SubtractTruncate,
        ]),
        rop: random.word() as u8,
        beta: random.pick(&[0, 255, 128, beta]),
        beta4: random.word(),
        pattern: (random.below(3) != 0).then(|| Box::new(pattern)),
        color_key: (random.below(3) == 0).then(|| random.pick(&[0xff00_0000, u32::MAX, any])),
        skips_transparent: random.below(6) == 0,
    }
}

/// A layout, and how much its start is aligned.
fn random_layout(random: &mut Random, width: u32, bytes: u32) -> (SurfaceLayout, u32) {
    match random.below(5) {
        0 | 1 => {
            let log2 = |random: &mut Random| random.below(7) as u8;
            (SurfaceLayout::swizzled(log2(random), log2(random)), bytes)
        }
        2 => random_blocks(random, width * bytes, width),
        _ => {
            let pitch_bytes = (width * bytes + random.below(40)).next_multiple_of(bytes);
            (SurfaceLayout::Linear { pitch_bytes }, bytes)
        }
    }
}

fn random_image(random: &mut Random, kind: u32) -> ScaledImage {
    let format = |random: &mut Random, is_fit: &dyn Fn(ImageFormat) -> bool| {
        let formats: Vec<_> =
            ImageFormat::TABLE.iter().map(|row| row.format).filter(|format| is_fit(*format)).collect();
        random.pick(&formats)
    };
    let destination_format = format(random, &|format| !format.is_yuv());
    // Few values, so that color keys match and bits move occasionally.
    let source_format = if random.below(3) == 0 { destination_format } else { format(random, &|_| true) };
    let bytes = destination_format.bytes();
    let signed = |random: &mut Random| random.below(40).cast_signed() - 10;
    let step = |random: &mut Random| match random.below(3) {
        0 => 1 << 20,
        1 => random.below(3 << 20).cast_signed() - (1 << 20),
        _ => random.word().cast_signed(),
    };
    let (destination_layout, alignment) = random_layout(random, 100, bytes);
    let is_inline = random.below(4) == 0;
    let source = if is_inline {
        ImageSource::Words((0..random.below(600)).map(|_| random.word()).collect())
    } else {
        ImageSource::Memory(random_window(random, 1))
    };
    ScaledImage {
        source,
        source_pitch: random.below(300),
        source_format,
        source_size: [1 + random.below(64), 1 + random.below(64)],
        origin_is_corner: random.flag(),
        is_bilinear: random.flag(),
        source_point: [random.below(1024), random.below(1024)],
        step: [step(random), step(random)],
        destination: random_window(random, alignment),
        destination_layout,
        destination_format,
        out_point: [signed(random), signed(random)],
        out_size: [random.below(60), random.below(60)],
        clip_point: [signed(random), signed(random)],
        clip_size: [random.below(100), random.below(100)],
        operation: if kind == 3 && random.flag() { PixelOperation::COPY } else { random_operation(random, kind) },
    }
}

fn memory_of(engine: &mut dyn Engine) -> Vec<u8> {
    let mut bytes = vec![0; 2 * EXTENT as usize];
    for (space, part) in MemorySpace::ALL.into_iter().zip(bytes.chunks_mut(EXTENT as usize)) {
        engine.read_memory(MemoryWindow { space, start: 0, bytes: EXTENT }, part).unwrap();
    }
    bytes
}

#[test]
fn random_images_agree() {
    let Some(gpu) = common::gpu() else { return };
    let limit = u64::from(EXTENT);
    let mut reference = Reference::new(limit, limit).unwrap();
    let mut kernels = Kernels::new(gpu, KernelOptions::default(), limit, limit).unwrap();
    let mut executed = [0; 6];
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let content: Vec<u8> = (0..EXTENT).map(|_| random.word() as u8).collect();
        let kind = (seed % 6) as u32;
        let image = random_image(&mut random, kind);
        let engines: [&mut dyn Engine; 2] = [&mut reference, &mut kernels];
        let after = engines.map(|engine| {
            for space in MemorySpace::ALL {
                engine.grow_memory(space, limit).unwrap();
                engine.write_memory(MemoryWindow { space, start: 0, bytes: EXTENT }, &content).unwrap();
            }
            let is_done = engine.execute(&GpuCommand::ScaleImage(image.clone())).is_ok();
            (is_done, memory_of(engine))
        });
        let [(is_done, left), (is_done_too, right)] = after;
        let difference = left.iter().zip(&right).position(|(left, right)| left != right);
        assert_eq!((is_done, difference), (is_done_too, None), "seed {seed}: {image:?}");
        executed[kind as usize] += u32::from(is_done && left.chunks(EXTENT as usize).any(|part| *part != content[..]));
    }
    assert!(executed.iter().all(|count| *count >= 8), "{executed:?}");
}
