//! The data of streams with many primitives in a tile, and with values of chosen magnitudes.

use super::vertices;
use crate::common::random::Random;

/// The amount and the values of a stream's data.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Data {
    /// Few primitives of any size; each number may be of any magnitude.
    Sparse,
    /// Many primitives, most of them small.
    Crowd {
        /// One number in this many has a value of any magnitude, the others are near 1; 0 if none has.
        strange_one_in: u32,
        /// Memory holds numbers near 1, as floats of 16 or 32 bits, rather than any words.
        has_near_memory: bool,
    },
}

impl Data {
    /// The data of a member of a family.
    pub(crate) fn crowd(random: &mut Random) -> Self {
        Self::Crowd { strange_one_in: random.pick(&[0, 0, 400, 100, 25, 4]), has_near_memory: random.flag() }
    }

    /// Number of vertices in the arrays.
    pub(crate) const fn vertices(self) -> u32 {
        match self {
            Self::Sparse => 24,
            Self::Crowd { .. } => 512,
        }
    }

    /// How many elements a draw has.
    pub(crate) fn elements(self, random: &mut Random) -> u32 {
        match self {
            Self::Sparse => 1 + random.below(14),
            Self::Crowd { .. } => match random.below(8) {
                0 => 200 + random.below(280),
                1..=3 => 48 + random.below(112),
                _ => 12 + random.below(36),
            },
        }
    }

    /// A word of the arrays after the positions.
    pub(crate) fn array_word(self, random: &mut Random) -> u32 {
        let is_number = match self {
            Self::Sparse => random.below(8) > 0,
            Self::Crowd { has_near_memory, .. } => !has_near_memory || random.below(4) == 0,
        };
        if is_number { self.number(random).to_bits() } else { self.word(random) }
    }

    /// A word of memory.
    pub(crate) fn word(self, random: &mut Random) -> u32 {
        let word = random.word();
        match self {
            // As a float or the halves of one: a sign, an exponent near 0, any fraction.
            Self::Crowd { has_near_memory: true, .. } => word & 0x83ff_87ff | 0x3c00_3800,
            _ => word,
        }
    }

    /// A number of a vertex.
    pub(crate) fn number(self, random: &mut Random) -> f32 {
        match self {
            Self::Sparse => vertices::coordinate(random),
            Self::Crowd { strange_one_in, .. } if strange_one_in > 0 && random.below(strange_one_in) == 0 => {
                strange(random)
            }
            Self::Crowd { .. } => random.below(4096) as f32 / 1500.0 - 1.4,
        }
    }

    /// One position for each vertex.
    pub(crate) fn positions(self, random: &mut Random) -> Vec<[f32; 4]> {
        let mut center = [0.0; 3];
        let mut size = 0.0;
        let mut left = 0;
        let mut position = |vertex: u32| {
            let w = match (random.below(8), self) {
                (0, Self::Sparse) => self.number(random),
                (0, Self::Crowd { strange_one_in: 1.., .. }) if random.below(16) == 0 => self.number(random),
                (1, _) => 0.25 + random.below(64) as f32 / 16.0,
                _ => 1.0,
            };
            let Self::Crowd { strange_one_in, .. } = self else {
                return [self.number(random), self.number(random), self.number(random), w];
            };
            // Neighbors in the arrays are neighbors in the view, so that primitives of them are small.
            if left == 0 {
                left = 3 * (1 + random.below(4)) + vertex % 2;
                center = [(); 3].map(|()| random.below(4096) as f32 / 1600.0 - 1.28);
                size = if random.below(12) == 0 { 2.0 } else { 1.0 / (1 << (1 + random.below(6))) as f32 };
            }
            left -= 1;
            let mut position = center.map(|center| center + (random.below(4096) as f32 / 2048.0 - 1.0) * size);
            if strange_one_in > 0 && random.below(strange_one_in) == 0 {
                position[random.below(3) as usize] = strange(random);
            }
            let [x, y, z] = position;
            [x * w, y * w, z * w, w]
        };
        (0..self.vertices()).map(&mut position).collect()
    }

    /// The first element of a list in the stream.
    pub(crate) fn start(self, random: &mut Random) -> u32 {
        match self {
            Self::Sparse => 0,
            Self::Crowd { .. } => random.below(self.vertices()),
        }
    }

    /// One index for each element of a list: of a crowd, mostly the vertex after the one before.
    pub(crate) fn index(self, random: &mut Random, element: u32) -> u32 {
        match self {
            Self::Crowd { .. } if random.below(16) > 0 => element % self.vertices(),
            _ => random.below(self.vertices()),
        }
    }
}

/// A number of any magnitude.
fn strange(random: &mut Random) -> f32 {
    let sign_and_fraction = random.word() & 0x807f_ffff;
    let of_exponent = |exponent: u32| f32::from_bits(sign_and_fraction | exponent << 23);
    match random.below(8) {
        0 => of_exponent(0),
        1 => of_exponent(1 + random.below(64)),
        2 => of_exponent(64 + random.below(48)),
        3 => of_exponent(132 + random.below(24)),
        4 => of_exponent(156 + random.below(99)),
        5 => of_exponent(255),
        6 => random.pick(&[0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e9, -1.0]),
        _ => f32::from_bits(random.word()),
    }
}

/// Changes a constant of a fragment program, but not how many fraction bits its kernel expects of all constants.
pub(crate) fn vary_constant(constant: &mut [u32; 4], random: &mut Random) {
    for constant in constant {
        // Kernels expect at least 31 bits, which these have.
        let value = f32::from_bits(*constant);
        let is_coarse = !value.is_finite() || (f64::from(value) * 2f64.powi(31)).fract() == 0.0;
        *constant = match random.below(6) {
            0 if is_coarse => random.pick(&[0, 0x8000_0000, 0x3f80_0000, 0x7f80_0000, 0xffc0_1234, 0x7149_f2ca]),
            1..=3 if is_coarse => (random.below(0x4000) as f32 / 2048.0 - 4.0).to_bits(),
            4 => *constant ^ 0x8000_0000,
            _ => *constant,
        };
    }
}
