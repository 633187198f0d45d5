//! The target of the output merger: which bits of memory quads change.

use std::collections::HashMap;

use curie::command::methods::three_d::{rop, targets};
use curie::format::{ColorFormat, PixelStorage, ZetaFormat};
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::{ColorTarget, Compare, Draw, QuadSamples, ShadedQuad};
use curie::reference::rop::merge_pixels::{QuadOutcomes, merge_quad};

use super::StageInput;
use crate::common::random::Random;

/// Pixels along a side of the area that quads lie in, slightly beyond the generator's surfaces.
const SIDE: u32 = 40;

/// Any quads under any state of the output merger. Only the bits of covered pixels that masks and tests let through
/// change, every sample has one outcome, and a quad does what its pixels do one by one.
pub fn output_merger(input: &[u8]) -> bool {
    let StageInput { draws, memory, mut random } = StageInput::new(input, &[rop::TABLE, targets::TABLE]);
    let mut copies = Copies { before: memory.clone(), by_quads: memory.clone(), by_pixels: memory };
    let mut is_merged = false;
    for draw in draws {
        if draw.rop.unsupported(&draw.targets).is_some() {
            continue;
        }
        for _ in 0..1 + random.below(8) {
            let quad = quad(&mut random, &draw);
            check_quad(&mut copies, &draw, &quad);
            is_merged = true;
        }
    }
    is_merged
}

/// A number that colors and depths often are, or any bits.
fn number(random: &mut Random) -> u32 {
    match random.below(16) {
        0 => random.word(),
        1 => random.pick(&[0.0, -0.0, 1.0, 0.5, 1e-40, f32::NAN, f32::INFINITY, -f32::INFINITY]).to_bits(),
        2 => (random.below(1 << 8) as f32 / 64.0 - 2.0).to_bits(),
        _ => (random.below(1 << 8) as f32 / 255.0).to_bits(),
    }
}

/// A set of the pixels of a quad.
fn pixels(random: &mut Random) -> u8 {
    u8::try_from(random.below(16)).expect("it has four bits")
}

fn quad(random: &mut Random, draw: &Draw) -> ShadedQuad {
    let [x, y] = [0, 1].map(|_| random.below(SIDE / 2) * 2);
    let coverage = pixels(random);
    let mut depth = || std::array::from_fn(|_| number(random));
    let (center, samples) = (depth(), std::array::from_fn(|_| depth()));
    let count = draw.targets.samples.count() as usize;
    let covered = std::array::from_fn(|sample| if sample < count { pixels(random) & coverage } else { 0 });
    let samples = draw.rop.multisample.is_enabled.then_some(QuadSamples { coverage: covered, depth: samples });
    let is_front_facing = random.flag();
    let colors = std::array::from_fn(|_| std::array::from_fn(|_| std::array::from_fn(|_| number(random))));
    ShadedQuad { x, y, coverage, samples, is_front_facing, depth: center, colors }
}

/// The same memory three times: before a quad, and after it in both ways.
struct Copies {
    before: GuestMemory,
    by_quads: GuestMemory,
    by_pixels: GuestMemory,
}

fn check_quad(copies: &mut Copies, draw: &Draw, quad: &ShadedQuad) {
    let (rop, targets) = (&draw.rop, &draw.targets);
    let outcomes = merge_quad(&mut copies.by_quads, rop, targets, quad);
    let context = || format!("{outcomes:?} {quad:x?} {rop:?} {targets:x?}");
    check_outcomes(draw, quad, &outcomes, &context);
    let writable = writable_bits(draw, quad, outcomes.passed > 0);
    for space in MemorySpace::ALL {
        for (address, [before, after]) in changes(copies.before.bytes(space), copies.by_quads.bytes(space)) {
            let mask = writable.get(&(space, address)).copied().unwrap_or(0);
            assert_eq!((before ^ after) & !mask, 0, "{space:?} {address:#x}: {before:#x} to {after:#x} {}", context());
            copies.before.bytes_mut(space)[address as usize] = after;
        }
    }
    // The pixels of a quad follow one another.
    let mut sum = QuadOutcomes::default();
    for pixel in 0..4 {
        let pixel = ShadedQuad { coverage: quad.coverage & 1 << pixel, ..quad.clone() };
        let found = merge_quad(&mut copies.by_pixels, rop, targets, &pixel);
        sum.alpha += found.alpha;
        sum.depth_bounds += found.depth_bounds;
        sum.stencil += found.stencil;
        sum.depth += found.depth;
        sum.passed += found.passed;
        sum.passing |= found.passing;
    }
    assert_eq!(sum, outcomes, "{}", context());
    for space in MemorySpace::ALL {
        assert!(copies.by_pixels.bytes(space) == copies.by_quads.bytes(space), "{space:?} {}", context());
    }
}

/// The places of the bytes that differ, with both.
fn changes(before: &[u8], after: &[u8]) -> Vec<(u32, [u8; 2])> {
    const PAGE: usize = 4096;
    let mut changes = Vec::new();
    // Pages are equal at once, unlike bytes one by one.
    for ((before, after), start) in before.chunks(PAGE).zip(after.chunks(PAGE)).zip((0u32..).step_by(PAGE)) {
        if before != after {
            let pairs = before.iter().zip(after).zip(start..);
            changes.extend(pairs.filter(|((a, b), _)| a != b).map(|((a, b), address)| (address, [*a, *b])));
        }
    }
    changes
}

/// Every covered fragment fails the alpha test, or each of its covered samples has one outcome.
fn check_outcomes(draw: &Draw, quad: &ShadedQuad, outcomes: &QuadOutcomes, context: &dyn Fn() -> String) {
    let QuadOutcomes { alpha, depth_bounds, stencil, depth, passed, passing } = *outcomes;
    let fragments = quad.coverage.count_ones();
    let samples = depth_bounds + stencil + depth + passed;
    let most = (fragments - alpha) * draw.targets.samples.count();
    assert!(samples <= most, "{}", context());
    if draw.rop.multisampling(&draw.targets).is_none() {
        assert_eq!(samples, most, "{}", context());
    }
    assert_eq!(passing & !quad.coverage, 0, "{}", context());
    assert_eq!(passing == 0, passed == 0, "{}", context());
    let never = |compare: Option<Compare>| compare == Some(Compare::Never);
    if never(draw.rop.alpha_test.map(|test| test.compare)) {
        assert_eq!(alpha, fragments, "{}", context());
    }
    if never(draw.rop.depth_test.map(|test| test.compare)) && draw.targets.zeta.is_some() {
        assert_eq!(passed, 0, "{}", context());
    }
}

/// The bits that a quad may change, by byte.
type WritableBits = HashMap<(MemorySpace, u32), u8>;

/// The bits of covered pixels that no mask protects; those of colors only if a sample passed.
fn writable_bits(draw: &Draw, quad: &ShadedQuad, has_passed: bool) -> WritableBits {
    let mut bits = WritableBits::new();
    let mut add = |window: MemoryWindow, offset: u32, mask: u32, bytes: u32| {
        for (byte, mask) in (0..bytes).zip(mask.to_le_bytes()) {
            let address = window.start.wrapping_add(offset).wrapping_add(byte);
            *bits.entry((window.space, address)).or_default() |= mask;
        }
    };
    let (rop, targets) = (&draw.rop, &draw.targets);
    let samples = targets.samples;
    for pixel in (0..4).filter(|pixel| quad.coverage >> pixel & 1 != 0) {
        let [x, y] = [quad.x + pixel % 2, quad.y + pixel / 2];
        for [x, y] in (0..samples.count()).map(|sample| samples.texel(x, y, sample)) {
            if let Some(zeta) = targets.zeta {
                let bytes = zeta.format.bytes();
                add(zeta.window, zeta.layout.pixel_offset(x, y, bytes), zeta_mask(draw, quad, zeta.format), bytes);
            }
            for (target, mask) in targets.color.iter().zip(rop.color_mask).filter(|_| has_passed) {
                let Some(target) = target else { continue };
                color_words(target, [x, y], mask, &mut |offset, mask, bytes| {
                    add(target.window, offset, mask, bytes);
                });
            }
        }
    }
    bits
}

/// The bits of depth and stencil that tests may write.
fn zeta_mask(draw: &Draw, quad: &ShadedQuad, format: ZetaFormat) -> u32 {
    let writes_depth = draw.rop.depth_test.is_some_and(|test| test.writes);
    let faces = draw.rop.stencil.as_ref();
    let stencil = faces.map_or(0, |faces| u32::from(faces[usize::from(!quad.is_front_facing)].write_mask));
    match format {
        ZetaFormat::Z16 if writes_depth => 0xffff,
        ZetaFormat::Z16 => 0,
        ZetaFormat::Z24S8 if writes_depth => 0xffff_ff00 | stencil,
        ZetaFormat::Z24S8 => stencil,
        _ => unreachable!("{format:?} is none of this chip"),
    }
}

/// Calls `add` with offset, bits and bytes of each word of a pixel in a color target with this mask of channels.
fn color_words(target: &ColorTarget, [x, y]: [u32; 2], mask: u8, add: &mut dyn FnMut(u32, u32, u32)) {
    let ColorTarget { layout, format, .. } = *target;
    let bytes = format.bytes();
    let is_written = |channel: u32| mask >> channel & 1 != 0;
    let all = |channel: u32, bits: u32| if is_written(channel) { bits } else { 0 };
    match format.storage() {
        PixelStorage::Fields { .. } => {
            add(layout.word_offset(x, y, bytes, 0), format.write_masks(mask, false)[0], bytes);
        }
        PixelStorage::Channels(_) if format == ColorFormat::A16B16G16R16F => {
            for word in 0..2 {
                let bits = all(2 * word, 0xffff) | all(2 * word + 1, 0xffff_0000);
                add(layout.word_offset(x, y, bytes, word), bits, 4);
            }
        }
        PixelStorage::Channels(_) => {
            for word in 0..bytes / 4 {
                add(layout.word_offset(x, y, bytes, word), all(word, u32::MAX), 4);
            }
        }
    }
}
