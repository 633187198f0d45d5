//! Fragment operations over whole vectors, composed of scalar ones in the order given here.

use super::scalar::{add, ex2, is_less, max, mul, pow, rcp, rsq, sub};
use crate::arith::{ONE, is_zero};

const TWO: u32 = 0x4000_0000;

/// x·x + y·y.
#[must_use]
pub fn dp2(a: [u32; 4], b: [u32; 4]) -> u32 {
    add(mul(a[0], b[0]), mul(a[1], b[1]))
}

/// x·x + y·y + x of the third vector, in this order.
#[must_use]
pub fn dp2a(a: [u32; 4], b: [u32; 4], c: [u32; 4]) -> u32 {
    add(dp2(a, b), c[0])
}

/// (x·x + y·y) + z·z.
#[must_use]
pub fn dp3(a: [u32; 4], b: [u32; 4]) -> u32 {
    add(dp2(a, b), mul(a[2], b[2]))
}

/// ((x·x + y·y) + z·z) + w·w.
#[must_use]
pub fn dp4(a: [u32; 4], b: [u32; 4]) -> u32 {
    add(dp3(a, b), mul(a[3], b[3]))
}

/// The distance vector (1, y·y, z, w); z and w are unchanged.
#[must_use]
pub fn dst(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    [ONE, mul(a[1], b[1]), a[2], b[3]]
}

/// (1, max(x, 0), x > 0 ? max(y, 0)^w : 0, 1). Unverified: w is not clamped.
#[must_use]
pub fn lit(a: [u32; 4]) -> [u32; 4] {
    let power = if is_less(0, a[0]) { pow(max(a[1], 0), a[3]) } else { 0 };
    [ONE, max(a[0], 0), power, ONE]
}

/// (1, y, y > 0 ? 2^w : 0, 1); y is unchanged.
#[must_use]
pub fn lit_ex2(a: [u32; 4]) -> [u32; 4] {
    let power = if is_less(0, a[1]) { ex2(a[3]) } else { 0 };
    [ONE, a[1], power, ONE]
}

/// a·b + (1 − a)·c.
#[must_use]
pub fn lrp(a: u32, b: u32, c: u32) -> u32 {
    add(mul(a, b), mul(sub(ONE, a), c))
}

/// (x, y, z)·(1/√(x·x + y·y + z·z)); w is the z result. Unverified: a zero vector gives NaN.
#[must_use]
pub fn nrm(a: [u32; 4]) -> [u32; 4] {
    let inverse = rsq(dp3(a, a));
    [0, 1, 2, 2].map(|i| mul(a[i], inverse))
}

/// a / √|b|; 0 if the numerator is 0, as on a `PlayStation` 3 (RPCS3, `FragmentProgramDecompiler.cpp`).
#[must_use]
pub fn div_sqrt(a: u32, b: u32) -> u32 {
    if is_zero(a) { 0 } else { mul(a, rsq(b)) }
}

/// The reflection 2·(a·d)/(a·a)·a − d of `d` about `a`. Unverified: w is computed like the others.
#[must_use]
pub fn rfl(a: [u32; 4], d: [u32; 4]) -> [u32; 4] {
    let factor = mul(mul(TWO, dp3(a, d)), rcp(dp3(a, a)));
    std::array::from_fn(|i| sub(mul(factor, a[i]), d[i]))
}

/// a.xyxy + b.xxxx·c.xzxz + b.yyyy·c.ywyw, summed in this order.
#[must_use]
pub fn x2d(a: [u32; 4], b: [u32; 4], c: [u32; 4]) -> [u32; 4] {
    let row = |i: usize| add(add(a[i], mul(b[0], c[2 * i])), mul(b[1], c[2 * i + 1]));
    [row(0), row(1), row(0), row(1)]
}

/// a·(b.z·c.x + c.y): a color times the luminance of a bump environment (Direct3D 8, `texbeml`).
// Unverified: that this is what BEMLUM computes.
#[must_use]
pub fn bem_lum(a: [u32; 4], b: [u32; 4], c: [u32; 4]) -> [u32; 4] {
    let luminance = add(mul(b[2], c[0]), c[1]);
    a.map(|value| mul(value, luminance))
}
