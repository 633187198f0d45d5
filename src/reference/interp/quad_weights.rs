//! Computes the weights of a primitive's vertices at a pixel, and interpolates attributes with them.
//!
//! The weights are the integer functions of the primitive setup, exact and rounded once to floats e0, e1, e2. With the
//! corners' q = 1/w, p0 = e0 × q0 and so on, and s = (p0 + p1) + p2. Vertex 1 has the share p1 × (1/s), vertex 2 has p2
//! × (1/s), and an attribute is (a0 + share1 × (a1 − a0)) + share2 × (a2 − a0): equal values stay equal, bit for bit.

use crate::arith::{fragment as fp, special};
use crate::pipeline::primitive_setup::{PrimitiveSetup, RECORD_CLIPPED};

const HALF: u32 = 0x3f00_0000;

/// Shares of the vertices at one pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// Share of vertex 1, perspective-correct.
    share1: u32,
    /// Share of vertex 2, perspective-correct.
    share2: u32,
    /// 1/w.
    pub(super) reciprocal_w: u32,
    /// Depth before offset and clamp.
    pub(super) depth: u32,
}

impl Weights {
    /// Evaluates the weights of a primitive setup at a pixel.
    #[must_use]
    pub fn at(record: &PrimitiveSetup, x: u32, y: u32) -> Self {
        let weights = record.weights.map(|weight| weight.float_at(i64::from(x), i64::from(y)));
        let [q0, q1, q2, per_area] = record.perspective;
        let p = [fp::mul(weights[0], q0), fp::mul(weights[1], q1), fp::mul(weights[2], q2)];
        let sum = fp::add(fp::add(p[0], p[1]), p[2]);
        let shares = if record.has(RECORD_CLIPPED) {
            record.shares.map(|s| fp::add(fp::add(fp::mul(p[0], s[0]), fp::mul(p[1], s[1])), fp::mul(p[2], s[2])))
        } else {
            [p[1], p[2]]
        };
        let per_sum = special::rcp(sum);
        let [z0, d1, d2, _] = record.depth;
        let linear = [fp::mul(weights[1], per_area), fp::mul(weights[2], per_area)];
        Self {
            share1: fp::mul(shares[0], per_sum),
            share2: fp::mul(shares[1], per_sum),
            reciprocal_w: fp::mul(sum, per_area),
            depth: fp::add(fp::add(z0, fp::mul(linear[0], d1)), fp::mul(linear[1], d2)),
        }
    }

    /// Interpolates an attribute from its values at the three vertices.
    #[must_use]
    pub fn interpolate(self, a0: u32, a1: u32, a2: u32) -> u32 {
        self.interpolate_differences(a0, fp::sub(a1, a0), fp::sub(a2, a0))
    }

    /// Interpolates an attribute from its value at vertex 0 and the differences of vertices 1 and 2.
    fn interpolate_differences(self, a0: u32, d1: u32, d2: u32) -> u32 {
        fp::add(fp::add(a0, fp::mul(self.share1, d1)), fp::mul(self.share2, d2))
    }

    /// Interpolates a coordinate on a cylinder of circumference 1, the shorter way from vertex 0 to each other vertex.
    // Unverified: that differences are relative to vertex 0, and that more than one turn is removed.
    pub(super) fn interpolate_around(self, a0: u32, a1: u32, a2: u32) -> u32 {
        let shortest = |difference: u32| fp::sub(difference, fp::flr(fp::add(difference, HALF)));
        self.interpolate_differences(a0, shortest(fp::sub(a1, a0)), shortest(fp::sub(a2, a0)))
    }
}
