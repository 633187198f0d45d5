//! Smooth noise from hashed lattice points, the same on every machine.

/// A pseudorandom number between 0 and 1.
pub(super) fn hash(x: f64) -> f64 {
    unit(mixed(x.to_bits()))
}

/// Noise between 0 and 1 at a point of three components, smoothly interpolated between hashed lattice points.
pub(super) fn smooth(point: &[f64; 4]) -> f64 {
    let cell = [point[0].floor(), point[1].floor(), point[2].floor()];
    let part = [0, 1, 2].map(|axis: usize| {
        let t = point[axis] - cell[axis];
        t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
    });
    let mut sum = 0.0;
    for corner in 0..8usize {
        let (mut weight, mut seed) = (1.0, 0x9e37_79b9_7f4a_7c15);
        for axis in 0..3 {
            let is_far = corner >> axis & 1 != 0;
            weight *= if is_far { part[axis] } else { 1.0 - part[axis] };
            let coordinate = cell[axis] + f64::from(u8::from(is_far));
            // Treats positive and negative zero as the same lattice point.
            seed = mixed(seed ^ (coordinate + 0.0).to_bits());
        }
        sum += weight * unit(seed);
    }
    sum
}

/// Four octaves of noise, each half as strong and twice as fine as the previous one.
pub(super) fn fractal(point: &[f64; 4]) -> f64 {
    let (mut sum, mut weight, mut scale) = (0.0, 0.5, 1.0);
    for _ in 0..4 {
        sum += weight * smooth(&point.map(|component| component * scale));
        weight *= 0.5;
        scale *= 2.0;
    }
    sum / 0.9375
}

/// A bijection of words that mixes all bits (the finalizer of the generator `SplitMix64`).
const fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_continuous_and_bounded() {
        let mut last = smooth(&[-3.0, 0.4, 7.7, 0.0]);
        for step in 0..6000 {
            let value = smooth(&[-3.0 + f64::from(step) * 1e-3, 0.4, 7.7, 0.0]);
            assert!((0.0..=1.0).contains(&value) && (value - last).abs() < 0.003, "{step}: {last} {value}");
            last = value;
        }
        let mean: f64 = (0..1000).map(|index| hash(f64::from(index))).sum::<f64>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.03, "{mean}");
        assert!((0.0..=1.0).contains(&fractal(&[f64::NAN, 1e300, -1e300, 0.0]).max(0.0)));
    }
}
