//! Random viewports, rasterizer state and clipping; little of it is baked into kernels.

use curie::command::builder::StreamBuilder;

use super::THREE_D;
use super::programs::Vertex;
use super::settled::Settled;
use crate::common::random::Random;

fn flag(random: &mut Random, one_in: u32) -> u32 {
    u32::from(random.below(one_in) == 0)
}

/// Writes the state of one draw; `baked` supplies the state that is compiled into kernels, `random` the rest.
pub(crate) fn write(
    stream: &mut StreamBuilder,
    vertex: &Vertex,
    settled: Option<&Settled>,
    baked: &mut Random,
    random: &mut Random,
) {
    viewport(stream, settled, baked, random);
    stream.method(THREE_D, 0x1ff4, vertex.results[baked.below(2) as usize]);
    let wraps = baked.below(4) == 0;
    let supported = u32::from(!Settled::is_for_tiles(settled));
    let fills = settled.is_some_and(|settled| settled.fills);
    let mode = |random: &mut Random| if !fills && random.below(3) == 0 { 0x1b00 + random.below(3) } else { 0x1b02 };
    let stipples_lines = |random: &mut Random| match settled {
        Some(settled) => settled.stipples_lines.into(),
        None => flag(random, 4),
    };
    for (method, value) in [
        (0x368, 0x1d00 + baked.below(2)),
        (0x1454, random.below(2)),
        (0x3b8, if random.flag() { 8 } else { 1 + random.below(100) }),
        (0x3bc, flag(baked, 3) & supported),
        (0x1db4, stipples_lines(random)),
        (0x1db8, random.word() & 0xffff_0003),
        (0x145c, u32::from(random.below(4) != 0)),
        (0x1828, mode(random)),
        (0x182c, mode(random)),
        (0x1830, random.pick(&[0x404, 0x405, 0x408])),
        (0x1834, 0x900 + random.below(2)),
        (0x183c, flag(random, 4)),
        (0xa60, random.below(2)),
        (0xa64, random.below(2)),
        (0xa68, random.below(2)),
        (0x1838, flag(baked, 5) & supported),
        (0x238, if wraps { baked.word() } else { 0 }),
        (0x23c, if wraps { baked.below(256) } else { 0 }),
        (0xa0c, flag(random, 3)),
        (0x147c, flag(baked, 4)),
        (0x142c, baked.below(2)),
        (0x1d78, baked.pick(&[1, 1, 0x10, 0, 0x11])),
        (0x1478, clip_planes(vertex.clip_planes, random) * supported),
    ] {
        stream.method(THREE_D, method, value);
    }
    stream.floats(THREE_D, 0xa78, &[random.below(64) as f32 / 8.0 - 4.0, random.below(4096) as f32 - 2048.0]);
    let pattern: Vec<u32> = (0..32).map(|_| random.word()).collect();
    stream.methods(THREE_D, 0x1480, &pattern);
    stream.floats(THREE_D, 0x1ee0, &[random.below(256) as f32 / 16.0]);
    let sprite = flag(baked, 2) | baked.below(3) << 1 | baked.below(1024) << 8;
    stream.method(THREE_D, 0x1ee8, sprite);
    for coordinate in 0..10 {
        stream.method(THREE_D, 0xb40 + 4 * coordinate, flag(baked, 6));
    }
}

fn clip_planes(enabled: u32, random: &mut Random) -> u32 {
    (0..6).filter(|plane| enabled >> plane & 1 != 0).map(|plane| (1 + random.below(2)) << (plane * 4)).sum()
}

fn viewport(stream: &mut StreamBuilder, settled: Option<&Settled>, baked: &mut Random, random: &mut Random) {
    let whole = 0x1000_0000;
    let rectangle = |random: &mut Random| {
        let edge = |pixels| Settled::edge(settled, pixels);
        match random.below(3) {
            0 => edge(1 + random.below(32)) << 16 | edge(random.below(12)),
            _ => whole,
        }
    };
    let rectangles = [rectangle(random), rectangle(random)];
    stream.methods(THREE_D, 0x8c0, &rectangles);
    let rectangles = [rectangle(random), rectangle(random)];
    stream.methods(THREE_D, 0xa00, &rectangles);
    let jitter = |random: &mut Random| random.below(64) as f32 / 16.0;
    let (x, y) = (14.0 + jitter(random), 14.0 + jitter(random));
    stream.floats(THREE_D, 0xa20, &[x, y, 0.5, 0.0]);
    let height = if random.flag() { -15.0 } else { 16.0 };
    stream.floats(THREE_D, 0xa30, &[12.0 + jitter(random), height, 0.5 - jitter(random) / 32.0, 0.0]);
    stream.floats(THREE_D, 0x394, &[0.0, if random.below(4) == 0 { 0.75 } else { 1.0 }]);
    let has_clips = baked.below(3) != 0;
    for index in 0..8 {
        let clips = random.below(12) == 0;
        let span = |random: &mut Random| {
            let first = random.below(16);
            (first + random.below(20)) << 16 | first
        };
        let (horizontal, vertical) = if has_clips && (clips || random.below(4) == 0) {
            (span(random), span(random))
        } else {
            (0x0fff_0000, 0x0fff_0000)
        };
        stream.methods(THREE_D, 0x2c0 + 8 * index, &[horizontal, vertical]);
    }
    // With every rectangle at full size, the exclusive mode leaves nothing.
    stream.method(THREE_D, 0x2bc, u32::from(has_clips && baked.below(12) == 0));
}
