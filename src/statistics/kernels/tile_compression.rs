//! Classifies tiles on a device: one invocation per tile, over surfaces in device memory.

use bytemuck::{Pod, Zeroable};

use super::{ModelError, read_back};
use crate::gpu::{Bound, Gpu};
use crate::kernels::linear_workgroups;
use crate::statistics::tile_compression::{SampleSurface, TileClass, TileFormat, TileMap};

const CLASSIFY_DEPTH_TILES: &str = include_str!("../../../wgsl/models/classify_depth_tiles.wgsl");
const CLASSIFY_COLOR_TILES: &str = include_str!("../../../wgsl/models/classify_color_tiles.wgsl");

/// Invocations per workgroup, as in the kernels.
const GROUP: u32 = 64;

/// Parameters of both kernels.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct TileClassification {
    surface: SampleSurface,
    tile_count: u32,
    columns: u32,
    row: u32,
    log2_columns: u32,
    log2_rows: u32,
}

/// Classifies all tiles of a surface in a buffer, such as the mirror of guest memory.
///
/// # Errors
/// When the buffer does not hold the surface, and when the device fails.
pub fn classify_buffer(
    gpu: &Gpu,
    memory: &wgpu::Buffer,
    surface: &SampleSurface,
    format: TileFormat,
) -> Result<TileMap, ModelError> {
    surface.check(memory.size() / 4)?;
    let (label, source, [log2_columns, log2_rows]) = match format {
        TileFormat::Depth(samples) => ("classify_depth_tiles", CLASSIFY_DEPTH_TILES, samples.log2_size()),
        TileFormat::FlatColor => ("classify_color_tiles", CLASSIFY_COLOR_TILES, [1, 1]),
        TileFormat::PairedColor => ("classify_color_tiles", CLASSIFY_COLOR_TILES, [1, 0]),
    };
    let [columns, rows] = surface.tiles();
    let tile_count = columns * rows;
    let classes = gpu.buffer("classes of tiles", 4 * u64::from(tile_count))?;
    let kernel = gpu.kernel(label, source)?;
    let workgroups = linear_workgroups(tile_count, GROUP);
    let row = workgroups[0] * GROUP;
    let run = TileClassification { surface: *surface, tile_count, columns, row, log2_columns, log2_rows };
    let mut recording = gpu.record();
    let run = recording.store(bytemuck::bytes_of(&run))?;
    let bindings: [(u32, Bound<'_>); 3] = [(14, (&run).into()), (31, memory.into()), (32, (&classes).into())];
    recording.dispatch(&kernel, &bindings, workgroups);
    gpu.submit(recording)?;
    let codes = read_back::<u32>(gpu, &classes, tile_count as usize)?;
    Ok(TileMap { format, columns, tiles: codes.into_iter().map(TileClass::from_code).collect() })
}

/// Classifies all tiles of a surface in host memory.
///
/// # Errors
/// As [`classify_buffer`].
pub fn classify(gpu: &Gpu, memory: &[u32], surface: &SampleSurface, format: TileFormat) -> Result<TileMap, ModelError> {
    surface.check(memory.len() as u64)?;
    classify_buffer(gpu, &gpu.buffer_with("samples", bytemuck::cast_slice(memory))?, surface, format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::SampleMode;
    use crate::statistics::kernels::test_gpu;
    use crate::statistics::test_random::Random;
    use crate::statistics::tile_compression::{classify as classify_on_host, decode};

    /// Tiles of random blocks: some with a sample moved, some of one value, some of random words.
    fn random_surface(random: &mut Random, samples: SampleMode) -> (Vec<u32>, SampleSurface) {
        let surface = SampleSurface { first_word: 5, width: 163, height: 58, pitch_words: 170 };
        let mut memory: Vec<u32> = (0..170 * 60).map(|_| random.word()).collect();
        for tile in 0..20 * 14 {
            let mut words: [u32; 8] = std::array::from_fn(|_| random.word());
            words[3] &= random.word() | 0x7fff_ffff;
            let mut values = decode(&words, samples).map(|depth| depth << 8);
            match random.below(4) {
                0 => values[random.below(32) as usize] ^= 1 << (8 + random.below(10)),
                // Equal in pairs or in squares.
                1 => values = std::array::from_fn(|sample| values[sample & !1]),
                2 => values = std::array::from_fn(|sample| values[sample & !9]),
                _ => (),
            }
            let first = 5 + tile / 20 * 4 * 170 + tile % 20 * 8;
            for (sample, value) in values.into_iter().enumerate() {
                memory[first + sample / 8 * 170 + sample % 8] = value;
            }
        }
        (memory, surface)
    }

    #[test]
    fn the_kernels_give_the_classes_of_the_host() {
        let Some(gpu) = test_gpu() else { return };
        let mut random = Random::new(12);
        for samples in SampleMode::ALL {
            let (mut memory, surface) = random_surface(&mut random, samples);
            for format in [TileFormat::Depth(samples), TileFormat::FlatColor, TileFormat::PairedColor] {
                let expected = classify_on_host(&memory, &surface, format).unwrap();
                assert_eq!(classify(&gpu, &memory, &surface, format).unwrap(), expected, "{format:?}");
                for class in [TileClass::Plain, TileClass::Compressed, TileClass::Constant, TileClass::Partial] {
                    assert!(expected.count(class) > 5, "{format:?} {class:?}");
                }
            }
            // A planted difference.
            let format = TileFormat::Depth(samples);
            let expected = classify_on_host(&memory, &surface, format).unwrap();
            let tile = expected.tiles.iter().position(|class| *class == TileClass::Constant).unwrap();
            memory[5 + tile / 21 * 4 * 170 + tile % 21 * 8] ^= 0x100;
            assert_ne!(classify(&gpu, &memory, &surface, format).unwrap(), expected);
        }
        let nothing = classify(&gpu, &[], &SampleSurface::default(), TileFormat::FlatColor).unwrap();
        assert_eq!(nothing.tiles, []);
    }

    #[test]
    fn surfaces_beyond_the_buffer_are_refused() {
        let Some(gpu) = test_gpu() else { return };
        let surface = SampleSurface { first_word: 1, width: 8, height: 4, pitch_words: 8 };
        assert!(classify(&gpu, &[0; 32], &surface, TileFormat::FlatColor).is_err());
    }
}
