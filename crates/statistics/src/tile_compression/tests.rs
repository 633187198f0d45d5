//! Tests the decoder against an independent calculation, the encoder against the decoder, and surfaces by hand.

use super::*;
use crate::format::SampleMode;
use crate::test_random::Random;

const MODES: [SampleMode; 3] = [SampleMode::One, SampleMode::TwoDiagonal, SampleMode::FourRotated];

#[test]
fn the_decoder_gives_depths_calculated_apart() {
    let words =
        [0x9e37_79b9, 0x7f4a_7c15, 0xf39c_c060, 0x5ced_c834, 0x1082_276b, 0xf3a2_7251, 0xf86c_6a11, 0xd0c1_8e95];
    // From the layout and the prediction rule, by a program that shares nothing with this one.
    let expected: [[u32; 32]; 3] = [
        [
            0x36f1ae, 0x371ef7, 0x374c3f, 0x3779b9, 0x377f14, 0x37845b, 0x3789b1, 0x378f57, 0x36fd82, 0x372b24,
            0x375856, 0x3785b4, 0x378b4d, 0x3790ba, 0x37960f, 0x379b6b, 0x370986, 0x3736fa, 0x37648a, 0x3791d8,
            0x379734, 0x379ca0, 0x37a220, 0x37a78a, 0x3715a8, 0x37432c, 0x377085, 0x379dfd, 0x37a349, 0x37a8cf,
            0x37ae36, 0x37b37a,
        ],
        [
            0x36eba7, 0x371ef7, 0x374638, 0x3779b9, 0x37790c, 0x37845b, 0x3783a9, 0x378f57, 0x36f77a, 0x372b24,
            0x37524e, 0x3785b4, 0x378546, 0x3790ba, 0x379008, 0x379b6b, 0x37037f, 0x3736fa, 0x375e83, 0x3791d8,
            0x37912c, 0x379ca0, 0x379c18, 0x37a78a, 0x370fa0, 0x37432c, 0x376a7d, 0x379dfd, 0x379d42, 0x37a8cf,
            0x37a82f, 0x37b37a,
        ],
        [
            0x36eba7, 0x371ef7, 0x374638, 0x3779b9, 0x37790c, 0x37845b, 0x3783a9, 0x378f57, 0x36e0ca, 0x371473,
            0x373b9e, 0x376f03, 0x378292, 0x378e06, 0x378d54, 0x3798b7, 0x37037f, 0x3736fa, 0x375e83, 0x3791d8,
            0x37912c, 0x379ca0, 0x379c18, 0x37a78a, 0x36f8f0, 0x372c7b, 0x3753cd, 0x37874c, 0x379a8e, 0x37a61b,
            0x37a57b, 0x37b0c6,
        ],
    ];
    for (mode, expected) in MODES.into_iter().zip(expected) {
        assert_eq!(decode(&words, mode), expected, "{mode:?}");
        assert_eq!(encode(&expected, mode), Some(words), "{mode:?}");
    }
    assert_eq!(decode(&[0x00ab_cdef, 0, 0, 1 << 31, 1, 2, 3, 4], SampleMode::One), [0xab_cdef; 32]);
}

#[test]
fn every_block_comes_back_from_its_depths() {
    let mut random = Random::new(10);
    for case in 0..600 {
        let mut words: [u32; 8] = std::array::from_fn(|_| random.word());
        words[3] &= !(1 << 31);
        let mode = MODES[case % 3];
        let depths = decode(&words, mode);
        assert_eq!(encode(&depths, mode), Some(words));
        // A depth that exceeds the range of its residual, or moves one of the gradients, never gives the same
        // block.
        let sample = random.below(32) as usize;
        let mut other = depths;
        other[sample] ^= 1 << random.below(24);
        if let Some(words) = encode(&other, mode) {
            assert_eq!(decode(&words, mode), other);
        }
    }
}

/// A tile with a function of column and row.
fn tile(value: impl Fn(u32, u32) -> u32) -> [u32; 32] {
    let mut places = (0..4).flat_map(|y| (0..8).map(move |x| (x, y)));
    [(); 32].map(|()| {
        let (x, y) = places.next().unwrap();
        value(x, y)
    })
}

/// Depths of a plane, in whole steps.
fn plane(origin: u32, right: u32, down: u32) -> [u32; 32] {
    tile(|x, y| origin.wrapping_add(x.wrapping_mul(right)).wrapping_add(y.wrapping_mul(down)) & 0xff_ffff)
}

fn class(depths: &[u32; 32], mode: SampleMode) -> TileClass {
    // Stencil, which does not matter.
    let mut stencil = 0;
    let samples = depths.map(|depth| {
        stencil += 7;
        depth << 8 | stencil
    });
    classify_tile(&samples, TileFormat::Depth(mode))
}

#[test]
fn planes_fit_and_edges_do_not() {
    assert_eq!(class(&plane(0x80_0000, 1234, 999), SampleMode::One), TileClass::Compressed);
    assert_eq!(class(&plane(0x80_0000, 1234, 999u32.wrapping_neg()), SampleMode::One), TileClass::Compressed);
    // Around the end of 24 bits.
    assert_eq!(class(&plane(0xff_fff0, 5, 3), SampleMode::One), TileClass::Compressed);
    assert_eq!(class(&[77; 32], SampleMode::One), TileClass::Constant);
    // To the left of x = 3 a gradient spans two samples, to the right four: 65535 is the maximum of either.
    assert_eq!(class(&plane(0x80_0000, 16_383, 0), SampleMode::One), TileClass::Compressed);
    assert_eq!(class(&plane(0x80_0000, 16_384, 0), SampleMode::One), TileClass::Plain);
    assert_eq!(class(&plane(0x80_0000, 0, 32_767), SampleMode::One), TileClass::Compressed);
    assert_eq!(class(&plane(0x80_0000, 0, 32_768), SampleMode::One), TileClass::Plain);
    // An edge between two planes that runs down in the middle of an octet, and one that runs across.
    let (near, far) = (plane(0x10_0000, 10, 10), plane(0x20_0000, 700, 5));
    let upright: [u32; 32] = std::array::from_fn(|sample| if sample % 8 < 6 { near[sample] } else { far[sample] });
    let level: [u32; 32] = std::array::from_fn(|sample| if sample < 8 { near[sample] } else { far[sample] });
    assert_eq!(class(&upright, SampleMode::One), TileClass::Plain);
    assert_eq!(class(&level, SampleMode::One), TileClass::Plain);
    // An edge along x = 3 is what the two gradients are for.
    let bent = tile(|x, y| 0x10_0000 + y * 10 + if x < 3 { (3 - x) * 100 } else { (x - 3) * 1000 });
    assert_eq!(class(&bent, SampleMode::One), TileClass::Compressed);
}

#[test]
fn residuals_have_six_bits_or_seven() {
    // (sample, largest excess above, largest below)
    for (sample, above, below) in [(0, 63, 64), (2, 31, 32), (5, 63, 64), (12, 31, 32), (31, 31, 32)] {
        for (change, fits) in [(above, true), (above + 1, false), (-below, true), (-below - 1, false)] {
            let mut depths = plane(0x40_0000, 100, 200);
            depths[sample] = depths[sample].wrapping_add_signed(change);
            assert_eq!(class(&depths, SampleMode::One) == TileClass::Compressed, fits, "{sample} {change}");
        }
    }
}

#[test]
fn color_fits_where_the_samples_of_pixels_are_equal() {
    let squares = tile(|x, y| (x / 2) | ((y / 2) << 8));
    let pairs = tile(|x, y| (x / 2) | (y << 8));
    let mut edge = squares;
    edge[9] ^= 0x100_0000;
    let classes = |samples: &[u32; 32]| {
        [TileFormat::FlatColor, TileFormat::PairedColor].map(|format| classify_tile(samples, format))
    };
    assert_eq!(classes(&squares), [TileClass::Compressed; 2]);
    assert_eq!(classes(&pairs), [TileClass::Plain, TileClass::Compressed]);
    assert_eq!(classes(&edge), [TileClass::Plain; 2]);
    assert_eq!(classes(&[5; 32]), [TileClass::Constant; 2]);
    assert_eq!(TileFormat::of_color(SampleMode::One), None);
    assert_eq!(TileFormat::of_color(SampleMode::FourSquare), Some(TileFormat::FlatColor));
}

#[test]
fn surfaces_add_up_to_bytes() {
    // Three tiles and a partial one in a row, two rows: a plane except for one sample of the second tile.
    let surface = SampleSurface { first_word: 3, width: 28, height: 8, pitch_words: 40 };
    let mut memory: Vec<u32> = (0..3 + 40 * 8).map(|word| word * 2560).collect();
    memory[3 + 12] ^= 0x8000_0000;
    let format = TileFormat::Depth(SampleMode::One);
    let map = classify(&memory, &surface, format).unwrap();
    assert_eq!(map.columns, 4);
    let [plain, fits, partial] = [TileClass::Plain, TileClass::Compressed, TileClass::Partial];
    assert_eq!(map.tiles, [fits, plain, fits, partial, fits, fits, fits, partial]);
    assert_eq!(map.bytes(false), 5 * 32 + 3 * 96);
    assert_eq!(map.bytes(true), 5 * 64 + 3 * 128);
    // With everything compressed, depth alone takes a quarter.
    let map =
        classify(&[7; 64], &SampleSurface { first_word: 0, width: 8, height: 8, pitch_words: 8 }, format).unwrap();
    assert_eq!(map.bytes(false), 2 * 32);
    assert_eq!(TileFormat::FlatColor.tile_bytes(true, false), 32);
    assert_eq!(TileFormat::FlatColor.tile_bytes(false, false), 128);
}

#[test]
fn surfaces_beyond_memory_are_refused() {
    let surface = SampleSurface { first_word: 1, width: 8, height: 4, pitch_words: 8 };
    assert_eq!(surface.check(32).unwrap_err().field, "first_word");
    surface.check(33).unwrap();
    assert_eq!(SampleSurface { width: 9, ..surface }.check(99).unwrap_err().field, "pitch_words");
    assert_eq!(SampleSurface { height: 65_537, ..surface }.check(1 << 40).unwrap_err().field, "height");
    assert_eq!(SampleSurface { width: 0, first_word: u32::MAX, ..surface }.check(0), Ok(()));
    let nothing = classify(&[], &SampleSurface::default(), TileFormat::FlatColor).unwrap();
    assert_eq!((nothing.tiles.len(), nothing.bytes(true)), (0, 0));
}

#[test]
fn changed_words_give_what_all_words_give() {
    let surface = SampleSurface { first_word: 3, width: 28, height: 10, pitch_words: 40 };
    let mut random = Random::new(12);
    for format in [TileFormat::Depth(SampleMode::One), TileFormat::FlatColor] {
        let mut now: Vec<u32> = vec![0x100; 3 + 40 * 10];
        let mut memory = now.clone();
        let mut map = classify(&memory, &surface, format).unwrap();
        let mut changes = 0;
        for _ in 0..100 {
            if random.below(8) == 0 {
                now.fill(0x100);
            }
            for _ in 0..random.below(3) {
                let word = random.below(403) as usize;
                now[word] = random.word();
            }
            let bytes: Vec<[u8; 4]> = now.iter().map(|word| word.to_le_bytes()).collect();
            let before = map.clone();
            reclassify(&mut map, &surface, &mut memory, &bytes);
            changes += u32::from(map != before);
            assert_eq!(map, classify(&now, &surface, format).unwrap());
        }
        assert!(changes > 10, "{changes} changes of a class");
    }
}
