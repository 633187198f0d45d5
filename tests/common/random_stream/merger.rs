//! Random targets and output-merger state: baked state, once per pipeline, and values that change with each draw.

use curie::command::builder::StreamBuilder;

use super::settled::Settled;
use super::{COLOR_BYTES, MEMORY_START, TEXTURES, THREE_D, ZETA};
use crate::common::random::Random;

/// Largest width and height of a target in stored pixels; 32 × 32 pixels of 16 bytes fill a surface's memory.
const SIZE: u32 = 32;

/// Comparison values that often let many pixels pass.
const OFTEN_PASSING: [u32; 14] =
    [0x200, 0x201, 0x202, 0x203, 0x204, 0x205, 0x206, 0x207, 0x207, 0x207, 0x205, 0x203, 0x206, 0x207];
const STENCIL_OPS: [u32; 8] = [0, 0x150a, 0x1e00, 0x1e01, 0x1e02, 0x1e03, 0x8507, 0x8508];
const FACTORS: [u32; 15] =
    [0, 1, 0x300, 0x301, 0x302, 0x303, 0x304, 0x305, 0x306, 0x307, 0x308, 0x8001, 0x8002, 0x8003, 0x8004];
const EQUATIONS: [u32; 8] = [0x8006, 0x8007, 0x8008, 0x800a, 0x800b, 0xf005, 0xf006, 0xf007];
const FORMATS: [u32; 14] = [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// The field of `RT_FORMAT` that selects samples.
const SAMPLES: u32 = 0xf000;

/// State that is compiled into kernels.
pub(crate) struct Target {
    methods: Vec<(u16, u32)>,
    format: u32,
    zeta_bytes: u32,
    is_swizzled: bool,
    side: u32,
}

const fn format_bytes(format: u32) -> u32 {
    match format {
        9 => 1,
        1..=3 | 10 => 2,
        11 => 8,
        12 => 16,
        _ => 4,
    }
}

fn flag(random: &mut Random, one_in: u32) -> u32 {
    u32::from(random.below(one_in) == 0)
}

/// The state of one pipeline.
pub(crate) fn target(random: &mut Random) -> Target {
    let format = random.pick(&FORMATS);
    let is_swizzled = random.below(4) == 0;
    let zeta = match format {
        1..=3 if is_swizzled => 1,
        9 | 10 => 1 + random.below(2),
        _ if is_swizzled || matches!(format, 11..=13) => 2,
        _ => 1 + random.below(2),
    };
    let mut methods = vec![
        (0x220, random.pick(&[1, 1, 1, 0, 2, 0x13, 0x17, 0x1f])),
        (0x300, flag(random, 2)),
        (0x304, flag(random, 3)),
        (0x308, random.pick(&OFTEN_PASSING)),
        (0x310, flag(random, 2)),
        (0x314, random.pick(&FACTORS) | random.pick(&FACTORS) << 16),
        (0x318, random.pick(&FACTORS) | random.pick(&FACTORS) << 16),
        (0x320, random.pick(&EQUATIONS) | random.pick(&EQUATIONS) << 16),
        (0x324, if random.flag() { 0x0101_0101 } else { random.word() & 0x0101_0101 }),
        (0x36c, random.word() & 0xe),
        (0x370, if random.flag() { 0xfff0 } else { random.word() & 0xfff0 }),
        (0x374, flag(random, 5)),
        (0x378, 0x1500 + random.below(16)),
        (0x380, flag(random, 6)),
        (0x3b0, 0x10_0000 | flag(random, 4) << 12),
        (0xa6c, random.pick(&OFTEN_PASSING)),
        (0xa70, random.word() & 1),
        (0xa74, random.word() & 1),
        (0x1fec, flag(random, 6)),
    ];
    for side in [0x328, 0x348] {
        methods.extend([
            (side, flag(random, 2)),
            (side + 8, random.pick(&OFTEN_PASSING)),
            (side + 0x14, random.pick(&STENCIL_OPS)),
            (side + 0x18, random.pick(&STENCIL_OPS)),
            (side + 0x1c, random.pick(&STENCIL_OPS)),
        ]);
    }
    let layout = if is_swizzled { 0x0505_0200 } else { 0x100 };
    // Two or four samples fit if sides are half as long.
    let samples = if is_swizzled || random.below(4) > 0 { 0 } else { 3 + random.below(3) };
    methods.push((0x208, format | zeta << 5 | layout | samples << 12));
    methods.push((0x1d7c, 0xffff_0000 | u32::from(random.below(4) > 0) | random.word() & 0x110));
    let side = if samples == 0 { SIZE } else { SIZE / 2 };
    Target { methods, format, zeta_bytes: 2 * zeta, is_swizzled, side }
}

impl Target {
    /// Writes the state that lasts for the whole case.
    pub(crate) fn write(&self, stream: &mut StreamBuilder, settled: Option<&Settled>, random: &mut Random) {
        for &(method, value) in &self.methods {
            let is_for_tiles = Settled::is_for_tiles(settled);
            let value = match method {
                0x208 if is_for_tiles => value & !SAMPLES,
                0x1fec if is_for_tiles => 0,
                _ => value,
            };
            stream.method(THREE_D, method, value);
        }
        let pitch = self.pitch();
        let color = |target: u32| MEMORY_START + target * COLOR_BYTES;
        stream.methods(THREE_D, 0x20c, &[pitch, color(0), MEMORY_START + ZETA, color(1), pitch]);
        stream.method(THREE_D, 0x22c, 128);
        stream.methods(THREE_D, 0x280, &[pitch, pitch, color(2), color(3)]);
        let size =
            |random: &mut Random| if self.is_swizzled { SIZE } else { self.side / 2 + random.below(self.side / 2 + 1) };
        let [width, height] = [(); 2].map(|()| Settled::edge(settled, size(random)));
        stream.methods(THREE_D, 0x200, &[width << 16, height << 16]);
    }

    fn pitch(&self) -> u32 {
        (SIZE * format_bytes(self.format)).max(64)
    }

    /// The stored pixel that a byte of a surface belongs to, by its place in memory.
    pub(crate) fn pixel(&self, at: u32) -> Option<[u32; 2]> {
        let (offset, bytes) = match at {
            0..ZETA => (at % COLOR_BYTES, format_bytes(self.format)),
            ZETA..TEXTURES => (at - ZETA, self.zeta_bytes),
            _ => return None,
        };
        if !self.is_swizzled {
            return Some([offset % self.pitch() / bytes, offset / self.pitch()]);
        }
        let number = offset / bytes;
        Some([0, 1].map(|axis| (0..5).map(|bit| (number >> (2 * bit + axis) & 1) << bit).sum()))
    }

    /// Writes values that no kernel bakes.
    pub(crate) fn write_values(&self, stream: &mut StreamBuilder, random: &mut Random) {
        let reference = if matches!(self.format, 11..=13) { random.below(0x4000) } else { random.below(256) };
        stream.method(THREE_D, 0x30c, reference);
        stream.method(THREE_D, 0x31c, random.word()).method(THREE_D, 0x37c, random.word());
        for side in [0x32c, 0x34c] {
            let mask = if random.flag() { 0xff } else { random.below(256) };
            stream.method(THREE_D, side, mask);
            stream.methods(THREE_D, side + 8, &[random.below(256), random.below(256)]);
        }
        stream.floats(THREE_D, 0x384, &[random.below(512) as f32 / 1024.0, 1.0 - random.below(512) as f32 / 1024.0]);
    }
}

/// Clears some of the surfaces.
pub(crate) fn clear(stream: &mut StreamBuilder, random: &mut Random) {
    stream.methods(THREE_D, 0x8c0, &[(1 + random.below(40)) << 16 | random.below(16), 0x1000_0000]);
    stream.methods(THREE_D, 0x1d8c, &[random.word(), random.word(), random.word() & 0xf3]);
}
