//! Encodes the depths of a tile as gradients and residuals: the compressed depth of the memory controller.
//!
//! A block of 256 bits holds, from bit 0: the depth of sample (3, 0) with 24 bits; the gradients to the right, to
//! the left and down with 17 bits each; and the residuals row by row. Bit 127, which residuals skip, says whether
//! all depths equal the first one. Facts of envytools (hardware-tested).
//!
//! The encoder is complete: a tile has at most one encoding apart from that bit. Samples (3, 0), (1, 0), (7, 0)
//! and (3, 2) have no residuals, and their predictions are the base, or the base plus one gradient, because seven
//! eighths are rounded down. They determine base and gradients modulo 2²⁴; a gradient either fits 17 bits or has
//! no encoding. The predictions then determine one residual for each other sample.

use super::{TILE_COLUMNS, TILE_SAMPLES};
use crate::format::SampleMode;

/// Positions of the base and the gradients, and their bits.
const BASE: (u32, u32) = (0, 24);
const RIGHT: (u32, u32) = (24, 17);
const LEFT: (u32, u32) = (41, 17);
const DOWN: (u32, u32) = (58, 17);

/// Position of the residuals, and the bit that they skip.
const RESIDUALS: u32 = 75;
const CONSTANT: u32 = 127;

/// Bits of a depth.
const DEPTH_BITS: u32 = 24;
const DEPTH_MASK: u32 = (1 << DEPTH_BITS) - 1;

/// Samples that determine the base and the gradients to the left, to the right and down.
const ORIGIN: usize = 3;
const LEFT_SAMPLE: usize = 1;
const RIGHT_SAMPLE: usize = 7;
const DOWN_SAMPLE: usize = 16 + 3;

/// Bits of a sample's residual.
const fn residual_bits(sample: usize) -> u32 {
    match (sample, sample % 8) {
        (ORIGIN | LEFT_SAMPLE | RIGHT_SAMPLE | DOWN_SAMPLE, _) => 0,
        (_, 0 | 5 | 6) => 7,
        _ => 6,
    }
}

/// The low bits of a word as a signed number.
const fn signed(value: u32, bits: u32) -> i32 {
    (value << (32 - bits)).cast_signed() >> (32 - bits)
}

/// Base and gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plane {
    base: u32,
    right: i32,
    left: i32,
    down: i32,
}

impl Plane {
    /// The depth of a sample without its residual.
    const fn predict(&self, sample: u32, samples: SampleMode) -> u32 {
        let (x, y) = ((sample % TILE_COLUMNS).cast_signed() - 3, (sample / TILE_COLUMNS).cast_signed());
        // Samples of a pixel are offset: odd ones higher, and further left in odd rows.
        let [columns, rows] = samples.log2_size();
        let across = 2 * x - if rows > 0 { y & 1 } else { 0 };
        let along = 2 * y - if columns > 0 { x & 1 } else { 0 };
        let step = if across > 0 { across * self.right } else { -2 * across * self.left };
        let eighths = 7 + step + 2 * along * self.down;
        self.base.wrapping_add((eighths >> 3).cast_unsigned()) & DEPTH_MASK
    }
}

/// A bit stream that reads or writes a block from its first bit on.
#[derive(Debug)]
struct Bits<'a> {
    words: &'a mut [u32; 8],
    at: u32,
}

impl Bits<'_> {
    fn next(&mut self) -> (usize, u32) {
        self.at += u32::from(self.at == CONSTANT);
        let place = ((self.at / 32) as usize, self.at % 32);
        self.at += 1;
        place
    }

    fn write(&mut self, value: u32, bits: u32) {
        for bit in 0..bits {
            let (word, place) = self.next();
            self.words[word] |= (value >> bit & 1) << place;
        }
    }

    fn read(&mut self, bits: u32) -> u32 {
        (0..bits).fold(0, |value, bit| {
            let (word, place) = self.next();
            value | (self.words[word] >> place & 1) << bit
        })
    }
}

/// The block that encodes these depths of 24 bits, row by row; `None` if there is none.
#[must_use]
pub fn encode(depths: &[u32; TILE_SAMPLES], samples: SampleMode) -> Option<[u32; 8]> {
    let base = depths[ORIGIN] & DEPTH_MASK;
    let gradient = |sample: usize, bits: u32| {
        let difference = signed(depths[sample].wrapping_sub(base), DEPTH_BITS);
        (signed(difference.cast_unsigned(), bits) == difference).then_some(difference)
    };
    let plane = Plane {
        base,
        right: gradient(RIGHT_SAMPLE, RIGHT.1)?,
        left: gradient(LEFT_SAMPLE, LEFT.1)?,
        down: gradient(DOWN_SAMPLE, DOWN.1)?,
    };
    let mut words = [0; 8];
    let fields = [(BASE, base), (RIGHT, plane.right.cast_unsigned())];
    let fields = fields.into_iter().chain([(LEFT, plane.left.cast_unsigned()), (DOWN, plane.down.cast_unsigned())]);
    for ((at, bits), value) in fields {
        Bits { words: &mut words, at }.write(value, bits);
    }
    let mut block = Bits { words: &mut words, at: RESIDUALS };
    for (number, (sample, depth)) in (0..).zip(depths.iter().enumerate()) {
        let residual = signed(depth.wrapping_sub(plane.predict(number, samples)), DEPTH_BITS);
        let bits = residual_bits(sample);
        if bits == 0 {
            // The predictions equal these depths.
            continue;
        }
        if signed(residual.cast_unsigned(), bits) != residual {
            return None;
        }
        block.write(residual.cast_unsigned(), bits);
    }
    Some(words)
}

/// The depths of 24 bits that a block encodes, row by row, by the rule of the chip.
#[must_use]
pub fn decode(words: &[u32; 8], samples: SampleMode) -> [u32; TILE_SAMPLES] {
    let mut words = *words;
    let mut field = |(at, bits): (u32, u32)| Bits { words: &mut words, at }.read(bits);
    let base = field(BASE);
    let plane = Plane {
        base,
        right: signed(field(RIGHT), RIGHT.1),
        left: signed(field(LEFT), LEFT.1),
        down: signed(field(DOWN), DOWN.1),
    };
    if words[(CONSTANT / 32) as usize] >> (CONSTANT % 32) == 1 {
        return [base; TILE_SAMPLES];
    }
    let mut depths = [0; TILE_SAMPLES];
    let mut block = Bits { words: &mut words, at: RESIDUALS };
    for (number, (sample, depth)) in (0..).zip(depths.iter_mut().enumerate()) {
        let bits = residual_bits(sample);
        let residual = if bits == 0 { 0 } else { signed(block.read(bits), bits) };
        *depth = plane.predict(number, samples).wrapping_add(residual.cast_unsigned()) & DEPTH_MASK;
    }
    depths
}
