//! Generates operands for arithmetic tests: all pairs of special values, then random ones of several kinds.

use curie::arith::pica::F24;

/// Number of four-lane cases in a full run: a million pairs and more.
pub(crate) const CASES: usize = 266_000;

/// Values at which behavior changes.
const SPECIAL: &[u32] = &[
    0x0000_0000,
    0x0000_0001,
    0x0040_0000,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x1f80_0000,
    0x2000_0000,
    0x2f80_0000,
    0x3300_0000,
    0x3300_0001,
    0x3380_0000,
    0x387f_c000,
    0x387f_e000,
    0x3880_0000,
    0x3a00_0000,
    0x3a80_0000,
    0x3b00_0000,
    0x3b80_0000,
    0x3c00_8081,
    0x3e80_0000,
    0x3eff_ffff,
    0x3f00_0000,
    0x3f00_0001,
    0x3f00_8081,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x3fff_e000,
    0x3fff_f000,
    0x4000_0000,
    0x4020_0000,
    0x4040_0000,
    0x4049_0fdb,
    0x40c9_0fdb,
    0x42fe_0000,
    0x4300_0000,
    0x43ff_8000,
    0x4400_0000,
    0x477f_e000,
    0x477f_efff,
    0x477f_f000,
    0x4780_0000,
    0x4aff_ffff,
    0x4b00_0000,
    0x4b7f_ffff,
    0x4b80_0000,
    0x4eff_ffff,
    0x4f00_0000,
    0x5f80_0000,
    0x7e80_0000,
    0x7f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0x7fff_ffff,
];

/// Values of 24-bit floats, without sign, at which the PICA200's arithmetic changes.
#[rustfmt::skip]
const SPECIAL_F24: &[u32] = &[
    0x00_0000, 0x00_0001, 0x00_8000, 0x00_ffff, 0x01_0000, 0x01_0001, 0x01_ffff, 0x02_0000, 0x1f_ffff, 0x20_0000,
    0x2e_ffff, 0x2f_0000, 0x3e_0000, 0x3e_fffe, 0x3e_ffff, 0x3f_0000, 0x3f_0001, 0x3f_8000, 0x3f_ffff, 0x40_0000,
    0x40_8000, 0x44_efff, 0x44_f000, 0x44_f001, 0x44_ffff, 0x45_0000, 0x45_fffe, 0x45_ffff, 0x46_0000, 0x46_0200,
    0x4e_ffff, 0x4f_0000, 0x5d_ffff, 0x5e_0000, 0x5e_ffff, 0x5f_0000, 0x7d_0000, 0x7d_ffff, 0x7e_0000, 0x7e_ffff,
    0x7f_0000, 0x7f_0001, 0x7f_8000, 0x7f_ffff,
];

/// A small generator with a fixed seed, so that every run has the same cases.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next word, following xorshift64*.
    pub(crate) fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        u32::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32).expect("32 bits are left")
    }

    fn with_exponent(&mut self, exponent: u32) -> u32 {
        // A third of the fractions are short or nearly full, where roundings change.
        let fraction = match self.word() % 6 {
            0 => self.word() << (self.word() % 23),
            1 => !(self.word() << (self.word() % 23)),
            _ => self.word(),
        };
        self.word() & 0x8000_0000 | (exponent & 0xff) << 23 | fraction & 0x7f_ffff
    }

    /// Three 24-bit floats of the given kind.
    fn f24_triple(&mut self, kind: usize) -> [u32; 3] {
        let with_exponent = |random: &mut Self, exponent: u32| {
            let fraction = random.word() >> (random.word() % 4 * 5);
            random.word() & 0x80_0000 | (exponent & 0x7f) << 16 | fraction & 0xffff
        };
        match kind % 5 {
            0 => [self.word(), self.word(), self.word()].map(|word| word & 0xff_ffff),
            1 => {
                // Sums of values that overlap, or nearly so.
                let exponent = self.word() % 127;
                [0, 37, 37].map(|spread| {
                    let step = if spread == 0 { 18 } else { self.word() % spread };
                    with_exponent(self, (exponent + step).wrapping_sub(18))
                })
            }
            2 => {
                // Sums that nearly cancel.
                let a = self.word() & 0xff_ffff;
                let b = (a ^ 0x80_0000).wrapping_add(self.word() % 5).wrapping_sub(2) & 0xff_ffff;
                [a, b, self.word() & 0xff_ffff]
            }
            3 => {
                // Products at the two ends of the range: 2⁻⁶² and 2⁶⁴.
                let (sum, first) = if self.word() & 1 == 0 { (64, 1) } else { (190, 64) };
                let a = first + self.word() % 62;
                let b = sum - a + self.word() % 3 - 1;
                let c = self.word() % 127;
                [a, b, c].map(|exponent| with_exponent(self, exponent))
            }
            _ => [(); 3].map(|()| {
                let exponent = 59 + self.word() % 9;
                with_exponent(self, exponent)
            }),
        }
    }

    /// Three operands of the given kind.
    fn triple(&mut self, kind: usize) -> [u32; 3] {
        let near = |random: &mut Self, exponent: u32| exponent.wrapping_add(random.word() % 7).wrapping_sub(3);
        match kind % 8 {
            0 | 1 => [self.word(), self.word(), self.word()],
            2 => {
                let exponent = self.word() % 250 + 3;
                let [a, b, c] = [near(self, exponent), near(self, exponent), near(self, exponent)];
                [self.with_exponent(a), self.with_exponent(b), self.with_exponent(c)]
            }
            3 => [(); 3].map(|()| {
                (f32::from(i16::try_from(self.word() % 2048).expect("eleven bits fit") - 1024) / 16.0).to_bits()
            }),
            4 => [(); 3].map(|()| {
                let exponent = 117 + self.word() % 21;
                self.with_exponent(exponent)
            }),
            5 => {
                // Products at the two ends of the range.
                let a = self.word() % 127 + 1;
                let sum = if self.word() & 1 == 0 { 127 } else { 381 };
                let a = if sum == 381 { a + 127 } else { a };
                let b = near(self, sum - a);
                let c = self.word() % 255;
                [self.with_exponent(a), self.with_exponent(b), self.with_exponent(c)]
            }
            6 => [(); 3].map(|()| {
                let exponent = 0x5e + self.word() % 0x30;
                self.with_exponent(exponent)
            }),
            _ => {
                // Sums that nearly cancel.
                let a = self.word();
                let b = (a ^ 0x8000_0000).wrapping_add(self.word() % 5).wrapping_sub(2);
                [a, b, self.word()]
            }
        }
    }
}

/// `count` cases: every pair of special values with every sign first, then random ones.
pub(crate) fn cases(count: usize) -> Vec<[[u32; 4]; 3]> {
    let signed: Vec<u32> = SPECIAL.iter().flat_map(|&value| [value, value | 0x8000_0000]).collect();
    cases_of(&signed, 0x6800, Random::triple, count)
}

/// `count` cases of 24-bit floats, held as singles.
pub(crate) fn f24_cases(count: usize) -> Vec<[[u32; 4]; 3]> {
    let raw = SPECIAL_F24.iter().flat_map(|&raw| [raw, raw | 0x80_0000]);
    let signed: Vec<u32> = raw.map(|raw| F24.decode(raw)).collect();
    cases_of(&signed, 0x0200, |random, index| random.f24_triple(index).map(|raw| F24.decode(raw)), count)
}

/// `count` cases: every pair of these special values first, then random ones.
fn cases_of(
    special: &[u32],
    seed: u64,
    triple: impl Fn(&mut Random, usize) -> [u32; 3],
    count: usize,
) -> Vec<[[u32; 4]; 3]> {
    let mut random = Random::new(seed);
    let mut triples = Vec::new();
    for &a in special {
        for &b in special {
            let c = special[random.word() as usize % special.len()];
            triples.push([a, b, c]);
        }
    }
    for index in triples.len()..count * 4 {
        triples.push(triple(&mut random, index));
    }
    let lanes = |four: &[[u32; 3]], operand: usize| -> [u32; 4] { std::array::from_fn(|lane| four[lane][operand]) };
    triples.chunks_exact(4).take(count).map(|four| [lanes(four, 0), lanes(four, 1), lanes(four, 2)]).collect()
}

/// Cases with values in the normal range, including zeros and sums that cancel.
pub(crate) fn normal_range_cases(count: usize) -> Vec<[[u32; 4]; 3]> {
    let mut random = Random::new(0x6801);
    let mut vector = |spread: u32| -> [u32; 4] {
        std::array::from_fn(|_| {
            let exponent = 127 - spread / 2 + random.word() % spread;
            if random.word().is_multiple_of(8) { random.word() << 31 } else { random.with_exponent(exponent) }
        })
    };
    (0..count)
        .map(|index| {
            let spread = [1, 4, 16, 124][index % 4];
            let [mut a, mut b, c] = [vector(spread), vector(spread), vector(spread)];
            if index % 3 == 0 {
                (a[2], b[2]) = (a[0], b[0] ^ 0x8000_0000);
                (a[3], b[3]) = (a[1], b[1] ^ 0x8000_0001);
            }
            [a, b, c]
        })
        .collect()
}
