//! The 2D class, memory copies, notifiers and semaphores.

use curie::chip::Reason;
use curie::pipeline::GpuCommand;

use super::super::tesla_draws::{CODE, COLOR, CONSTANTS, FRAGMENT, Methods, VERTEX, run_program, words};
use super::{commands, memory, notes, place, plain_run};

/// Bits of method addresses that name the subchannels of the 2D class, of copies and of launches.
const TWO_D: u32 = 1 << 13;
const COPY: u32 = 2 << 13;
const COMPUTE: u32 = 3 << 13;
/// All words go to one method.
const REPEATED: u32 = 1 << 30;

const BIND: Methods<'_> = &[(TWO_D, &[0xbeef_502d]), (COPY, &[0xbeef_5039]), (COMPUTE, &[0xbeef_50c0])];

/// The words of the buffer of colors behind a run, from an offset on.
fn colors(parts: &[Methods<'_>], offset: u32, count: usize) -> Vec<u32> {
    let mut engine = plain_run(&[&[BIND][..], parts].concat()).1;
    let bytes = memory(&mut engine, COLOR + offset, 4 * count as u32);
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// 2 × 2 texels at column 3 of row 1.
const UPLOAD: Methods<'_> = &[
    (TWO_D | 0x804, &[0xd5]),
    (TWO_D | 0x838, &[2, 2, 0, 1, 0, 1, 0, 3, 0, 1]),
    (TWO_D | REPEATED | 0x860, &[1, 2, 3, 4]),
];

#[test]
fn uploads_fill_rows_and_blocks() {
    let rows: Methods<'_> = &[(TWO_D | 0x200, &[0xd5, 1, 0, 1, 0, 64, 16, 16, 0, COLOR + 0x100])];
    let found = colors(&[rows, UPLOAD], 0x100, 48);
    let expected: Vec<u32> = (0..48)
        .map(|at| match at {
            19 => 1,
            20 => 2,
            35 => 3,
            36 => 4,
            _ => 0,
        })
        .collect();
    assert_eq!(found, expected);
    // Slices of 2 × 2 blocks of 64 bytes and 8 rows: the second one begins behind 4 × 512 bytes.
    let blocks: Methods<'_> = &[(TWO_D | 0x200, &[0xd5, 0, 0x10, 2, 1, 0, 32, 16, 0, COLOR])];
    let found = colors(&[blocks, UPLOAD], 4 * 512, 48);
    assert_eq!(found, expected);
    assert!(notes(&[BIND, blocks, &[(TWO_D | 0x210, &[2])], UPLOAD]).contains("illegal value"));
}

#[test]
fn uploads_that_convert_or_scale_are_counted() {
    let rows: Methods<'_> = &[(TWO_D | 0x200, &[0xd5, 1, 0, 1, 0, 64, 16, 16, 0, COLOR])];
    let counted =
        |method: u32, value: u32| notes(&[BIND, rows, UPLOAD, &[(TWO_D | method, &[value]), (TWO_D | 0x85c, &[1])]]);
    assert!(counted(0x804, 0xcf).contains("an upload that converts an image"));
    assert!(counted(0x800, 1).contains("an upload that converts an image"));
    for method in [0x840, 0x844, 0x848, 0x84c] {
        assert!(counted(method, 2).contains("an upload that scales an image"), "{method:#x}");
    }
    assert!(notes(&[BIND, &[(TWO_D | 0x5e0, &[0])]]).contains("drawing in two dimensions"));
    assert!(notes(&[BIND, &[(TWO_D | 0x604, &[0])]]).contains("drawing in two dimensions"));
}

/// The program's code is an image of 4 × 4 texels.
fn texel(x: usize, y: usize) -> u32 {
    [VERTEX, FRAGMENT].concat()[4 * y + x]
}

/// From (1, 1) to (2, 1) of an image of 8 × 4 texels: 2 × 2 texels.
const IMAGES: Methods<'_> = &[
    (TWO_D | 0x230, &[0xd5, 1, 0, 1, 0, 16, 4, 4, 0, CODE]),
    (TWO_D | 0x200, &[0xd5, 1, 0, 1, 0, 32, 8, 4, 0, COLOR + 0x200]),
    (TWO_D | 0x2ac, &[3]),
];
const BLIT: Methods<'_> = &[(TWO_D | 0x8b0, &[2, 1, 2, 2, 0, 1, 0, 1, 0, 1, 0, 1])];

/// Texels of the image by their places; the others are zero.
fn image(texels: &[([usize; 2], u32)]) -> Vec<u32> {
    let mut image = vec![0; 32];
    texels.iter().for_each(|([x, y], value)| image[8 * y + x] = *value);
    image
}

fn copied(more: Methods<'_>, blit: Methods<'_>) -> Vec<u32> {
    colors(&[IMAGES, more, blit], 0x200, 32)
}

#[test]
fn copies_take_the_nearest_texel() {
    let plain = image(&[([2, 1], texel(1, 1)), ([3, 1], texel(2, 1)), ([2, 2], texel(1, 2)), ([3, 2], texel(2, 2))]);
    assert_eq!(copied(&[], BLIT), plain);
    // Every second column, and each row of the source twice, from the middle of one on.
    let scaled: Methods<'_> = &[(TWO_D | 0x8b0, &[2, 1, 2, 3, 0, 2, 1 << 31, 0, 0, 1, 1 << 31, 1])];
    let expected =
        [1, 2, 2].into_iter().zip(1..).flat_map(|(from, y)| [([2, y], texel(1, from)), ([3, y], texel(3, from))]);
    assert_eq!(copied(&[], scaled), image(&expected.collect::<Vec<_>>()));
    // Half columns from the middle of one on.
    let fractions: Methods<'_> = &[(TWO_D | 0x8b0, &[2, 1, 2, 1, 1 << 31, 0, 0, 1, 1 << 31, 1, 0, 1])];
    assert_eq!(copied(&[], fractions), image(&[([2, 1], texel(1, 1)), ([3, 1], texel(2, 1))]));
    let filtered: Methods<'_> = &[(TWO_D | 0x88c, &[0x10])];
    assert!(notes(&[BIND, IMAGES, filtered, scaled]).contains("a copy that filters an image"));
}

#[test]
fn copies_are_clipped_and_conditional() {
    let clip: Methods<'_> = &[(TWO_D | 0x280, &[3, 1, 1, 1, 1])];
    assert_eq!(copied(clip, BLIT), image(&[([3, 1], texel(2, 1))]));
    let drawn = |condition: [u32; 3]| copied(&[(TWO_D | 0x264, &condition)], BLIT) != image(&[]);
    assert_eq!([0, 1, 2, 3, 4].map(|mode| drawn([0, CODE, mode])), [false, true, true, false, true]);
    assert_eq!([0, 1, 2, 3, 4].map(|mode| drawn([0, CONSTANTS, mode])), [false, true, false, true, false]);
}

/// The pattern's bits are by rows of eight, the left one lowest; a set bit is the second color.
#[test]
fn copies_combine_with_a_pattern() {
    let rop = |operation: u32| -> Vec<u32> {
        let set_up: Methods<'_> = &[
            (TWO_D | 0x2a0, &[operation]),
            (TWO_D | 0x2ac, &[4]),
            (TWO_D | 0x2f0, &[0x1111_1111, 0x2222_2222, 0x0004_0800, 0]),
        ];
        copied(set_up, BLIT)
    };
    let sources = [([2, 1], texel(1, 1)), ([3, 1], texel(2, 1)), ([2, 2], texel(1, 2)), ([3, 2], texel(2, 2))];
    let patterns = [0x1111_1111, 0x2222_2222, 0x2222_2222, 0x1111_1111];
    let combined = |combine: fn(u32, u32) -> u32| {
        let texels = sources.iter().zip(patterns).map(|((at, source), pattern)| (*at, combine(*source, pattern)));
        image(&texels.collect::<Vec<_>>())
    };
    assert_eq!(rop(0xcc), combined(|source, _| source));
    assert_eq!(rop(0xf0), combined(|_, pattern| pattern));
    assert_eq!(rop(0x5a), combined(|_, pattern| pattern));
    assert_eq!(rop(0xc3), combined(|source, pattern| !(source ^ pattern)));
    assert!(notes(&[BIND, IMAGES, &[(TWO_D | 0x2ac, &[2])], BLIT]).contains("this operation of a copy"));
}

#[test]
fn copies_with_keys_are_counted() {
    let counted = |more: Methods<'_>| notes(&[BIND, IMAGES, more, BLIT]);
    assert!(counted(&[(TWO_D | 0x29c, &[1])]).contains("a copy with a color key"));
    for method in [0x2b0, 0x2b4] {
        let set_up: [(u32, &[u32]); 2] = [(TWO_D | 0x2ac, &[4]), (TWO_D | method, &[1])];
        assert!(counted(&set_up).contains("a pattern of another shape or place"), "{method:#x}");
    }
    let clipped: Methods<'_> = &[(TWO_D | 0x290, &[1])];
    assert!(notes(&[BIND, IMAGES, clipped, UPLOAD]).contains("an upload that is clipped"));
}

/// From blocks of 64 bytes × 8 rows in the second slice, where an upload has put texels.
#[test]
fn copies_read_blocks() {
    let blocks: Methods<'_> = &[(TWO_D | 0x200, &[0xd5, 0, 0x10, 2, 1, 0, 32, 16, 0, COLOR + 0x1000])];
    let source: Methods<'_> = &[(TWO_D | 0x230, &[0xd5, 0, 0x10, 2, 1, 0, 32, 16, 0, COLOR + 0x1000])];
    let rest: Methods<'_> = &[IMAGES[1], IMAGES[2], (TWO_D | 0x8b0, &[2, 1, 2, 2, 0, 1, 0, 1, 0, 3, 0, 1])];
    let found = colors(&[blocks, UPLOAD, source, rest], 0x200, 32);
    assert_eq!(found, image(&[([2, 1], 1), ([3, 1], 2), ([2, 2], 3), ([3, 2], 4)]));
}

/// A8B8G8R8 of bytes r, g, b, a becomes R5G6B5 and the other order of bytes.
#[test]
fn copies_convert_formats() {
    let [r, g, b, a] = texel(1, 1).to_le_bytes();
    let into = |format: u32| {
        copied(&[(TWO_D | 0x200, &[format])], &[(TWO_D | 0x8b0, &[0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1])])[0]
    };
    assert_eq!(into(0xcf).to_le_bytes(), [b, g, r, a]);
    let round = |value: u8, most: u32| (u32::from(value) * most * 2 + 255) / 510;
    assert_eq!(into(0xe8), round(r, 31) << 11 | round(g, 63) << 5 | round(b, 31));
    assert!(notes(&[BIND, IMAGES, &[(TWO_D | 0x230, &[0x1c])], BLIT]).contains("this format of an image"));
}

#[test]
fn memory_is_copied_line_by_line() {
    let copy: Methods<'_> = &[
        (COPY | 0x200, &[1]),
        (COPY | 0x21c, &[1]),
        (COPY | 0x238, &[0, 0]),
        (COPY | 0x30c, &[CODE + 4, COLOR + 8, 0x40, 0x20, 12, 3, 0x0201, 0]),
    ];
    let GpuCommand::CopyMemory(copy) = commands(&[BIND, copy]).remove(0) else { panic!("a copy") };
    assert_eq!((copy.source.start, copy.destination.start), (place(CODE) + 4, place(COLOR) + 8));
    assert_eq!((copy.source_pitch, copy.destination_pitch), (0x40, 0x20));
    assert_eq!((copy.line_length, copy.line_count), (12, 3));
    assert_eq!((copy.source_increment, copy.destination_increment), (1, 2));
}

/// Buffers beyond 4 GiB.
#[test]
fn images_and_copies_have_addresses_of_forty_bits() {
    let code = [VERTEX, FRAGMENT].concat();
    let work = |high: u32| {
        let value = [high];
        let set: Vec<(u32, &[u32])> =
            [TWO_D | 0x220, TWO_D | 0x250, TWO_D | 0x264].iter().map(|method| (*method, &value[..])).collect();
        let condition: Methods<'_> = &[(TWO_D | 0x268, &[CODE, 2])];
        let both = [high, high];
        let offsets: Methods<'_> = &[
            (COPY | 0x200, &[1]),
            (COPY | 0x21c, &[1]),
            (COPY | 0x238, &both),
            (COPY | 0x30c, &[CODE, COLOR, 4, 4, 4, 1, 0x101, 0]),
        ];
        let semaphore = [high, CONSTANTS + 0x40, 7, 2];
        let release: Methods<'_> = &[(0x10, &semaphore)];
        let (chip, mut engine) =
            run_program(high.into(), &code, words(&[BIND, IMAGES, &set, condition, BLIT, offsets, release]));
        assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
        let image = memory(&mut engine, COLOR + 0x200, 128);
        (engine.work.clone(), image, memory(&mut engine, CONSTANTS + 0x40, 4))
    };
    let below = work(0);
    assert_eq!(below.2, [7, 0, 0, 0]);
    assert!(below.1.iter().any(|byte| *byte != 0));
    assert_eq!(work(0x12), below);
}

#[test]
fn semaphores_at_addresses_are_released_and_compared() {
    let release: Methods<'_> = &[(0x10, &[0, CONSTANTS + 0x40, 7, 2])];
    let mut engine = plain_run(&[release]).1;
    assert_eq!(memory(&mut engine, CONSTANTS + 0x40, 8), [7, 0, 0, 0, 0, 0, 0, 0]);
    let waits = |sequence: u32, action: u32| {
        let (chip, _) = super::super::tesla_draws::run(&[release, &[(0x18, &[sequence, action])]]);
        chip.anomalies().iter().any(|(anomaly, _)| anomaly.reason == Reason::Deadlock)
    };
    assert_eq!([6, 7, 8].map(|sequence| waits(sequence, 1)), [true, false, true]);
    assert_eq!([6, 7, 8].map(|sequence| waits(sequence, 4)), [false, false, true]);
}

#[test]
fn the_puller_binds_counts_and_releases() {
    let (chip, engine) = plain_run(&[&[(0x50, &[5]), (0x60, &[0xbeef_0201, 0x40]), (0x68, &[0]), (0x6c, &[3])]]);
    assert_eq!(chip.reference_count(), 5);
    let [GpuCommand::WriteFence { window, value: 3 }] = &engine.work[..] else { panic!("a fence") };
    assert_eq!(window.start & 0xfff, 0x40);
    assert!(notes(&[&[(0x60, &[0xbeef_0201, 0x40]), (0x68, &[4])]]).contains("would wait forever"));
    // Another object on the subchannel has other methods.
    assert!(notes(&[&[(0, &[0xbeef_5039]), (0x1b0c, &[0])]]).contains("unknown method"));
}

#[test]
fn every_class_writes_its_notifier() {
    for subchannel in [0, TWO_D, COPY, COMPUTE] {
        let notify: [(u32, &[u32]); 3] =
            [(subchannel | 0x180, &[0xbeef_0301]), (subchannel | 0x104, &[0]), (subchannel | 0x100, &[0])];
        let written = commands(&[BIND, &notify]);
        assert!(matches!(written[..], [GpuCommand::WriteNotifier { .. }]), "{subchannel:#x} {written:?}");
    }
}
