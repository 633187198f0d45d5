//! Random states of texture units.

use curie::command::builder::StreamBuilder;

use super::settled::Settled;
use super::{MEMORY_START, TEXTURE_BYTES, TEXTURES, THREE_D};
use crate::common::random::Random;

/// Every texture format.
const FORMATS: [u32; 27] = [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0b, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x17,
    0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
];

/// A size with at least two levels, which other kernels sample than one.
fn with_levels(size: [u32; 3], is_cubic: bool) -> [u32; 3] {
    let least = if is_cubic { [2, 2, 1] } else { [2, 1, 1] };
    std::array::from_fn(|axis| size[axis].max(least[axis]))
}

/// Writes all sixteen units; `baked` supplies the state that is compiled into kernels, `random` the rest.
pub(crate) fn write(stream: &mut StreamBuilder, settled: Option<&Settled>, baked: &mut Random, random: &mut Random) {
    for unit in 0..16u16 {
        let base = 0x1a00 + 0x20 * unit;
        if baked.below(6) == 0 {
            stream.method(THREE_D, base + 0xc, 0);
            continue;
        }
        let format = baked.pick(&FORMATS);
        let is_block = matches!(format, 6..=8);
        let must_be_linear = matches!(format, 0x0d | 0x0e);
        let is_depth = matches!(format, 0x10..=0x13);
        let is_cubic = !must_be_linear && baked.below(6) == 0;
        let dimensions = match baked.below(6) {
            0 => 1,
            1 if !is_depth && !is_cubic => 3,
            _ => 2,
        };
        let dimensions = if is_cubic || is_block && dimensions == 1 || must_be_linear { 2 } else { dimensions };
        let is_linear = must_be_linear || !is_block && !is_cubic && dimensions != 3 && baked.below(4) == 0;
        let is_rectangle = dimensions == 2 && !is_cubic && baked.below(5) == 0;
        let log2 = [random.below(6), random.below(6), random.below(4)];
        let is_free_size = is_linear;
        let mut size = log2.map(|log2| if is_free_size { 1 + random.below(40) } else { 1 << log2 });
        if is_cubic {
            size[1] = size[0];
        }
        if dimensions < 2 {
            size[1] = 1;
        }
        if dimensions < 3 {
            size[2] = 1;
        }
        let has_levels = baked.flag() && !is_rectangle;
        size = if settled.is_some() && has_levels { with_levels(size, is_cubic) } else { size };
        let most = 32 - size.into_iter().max().unwrap_or(1).leading_zeros();
        let levels = if has_levels { most } else { 1 };
        let has_border = !is_linear && !is_rectangle && baked.below(8) == 0;
        let word = 1 // VRAM
            | u32::from(is_cubic) << 2
            | u32::from(!has_border) << 3
            | dimensions << 4
            | format << 8
            | u32::from(is_linear) << 13
            | u32::from(is_rectangle) << 14
            | 1 << 15
            | levels << 16;
        let offset = random.below(TEXTURE_BYTES / 128) * 128;
        let mut wrap = || if is_rectangle { baked.pick(&[3, 4, 5]) } else { 1 + baked.below(8) };
        let wraps = wrap() | wrap() << 8 | wrap() << 16;
        let expands = u32::from(baked.below(6) == 0) << 12 | if baked.below(8) == 0 { 3 << 24 } else { 0 };
        let gamma = if baked.below(6) == 0 { baked.below(16) << 20 } else { 0 };
        let compare = if is_depth { baked.below(8) << 28 } else { 0 };
        let anisotropy = if baked.below(5) == 0 { 1 + baked.below(7) } else { 0 };
        let discard = if baked.below(8) == 0 { baked.below(8) } else { 0 };
        let [low, high] = [random.below(0x300), random.below(0xd00)];
        let enable = 1 << 31 | low.min(high) << 19 | high << 7 | anisotropy << 4 | discard;
        let swizzle = if baked.flag() {
            0xaae4
        } else {
            baked.below(256) | (0..4).map(|channel| baked.below(3) << (8 + 2 * channel)).sum::<u32>()
        };
        let kernel = 1 + baked.below(3);
        let min_filter = if levels > 1 { 1 + baked.below(7) } else { 1 + baked.below(2) };
        let signed = if baked.below(5) == 0 { baked.below(16) << 28 } else { 0 };
        let filter = random.below(0x2000) | kernel << 13 | min_filter << 16 | baked.pick(&[1, 2, 2, 4]) << 24 | signed;
        let npot = size[1] | size[0] << 16;
        let values = [
            MEMORY_START + TEXTURES + offset,
            word,
            wraps | expands | gamma | compare,
            enable,
            swizzle,
            filter,
            npot,
            random.word(),
        ];
        stream.methods(THREE_D, base, &values);
        let pitch = (size[0] * 16).next_multiple_of(64);
        stream.method(THREE_D, 0x1840 + 4 * unit, pitch | size[2] << 20);
        stream.method(THREE_D, 0x1d00 + 4 * unit, random.word());
    }
}
