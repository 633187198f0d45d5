//! Computes the median and spread of samples, and the geometric mean of ratios.

use serde::{Deserialize, Serialize};

/// The median and range of samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The middle sample, or the mean of the two middle ones.
    pub median: f64,
    /// The smallest sample.
    pub min: f64,
    /// The largest sample.
    pub max: f64,
}

impl Spread {
    /// The spread of samples; `None` if there are none, or one is NaN.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() || samples.iter().any(|sample| sample.is_nan()) {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) };
        Some(Self { median, min: sorted[0], max: sorted[sorted.len() - 1] })
    }
}

/// The geometric mean of positive numbers; `None` if there are none, or one is not positive.
#[must_use]
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
        return None;
    }
    Some((values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_sample_in_the_middle() {
        let spread = |median, min, max| Some(Spread { median, min, max });
        assert_eq!(Spread::of(&[3.0, 100.0, 1.0]), spread(3.0, 1.0, 100.0));
        assert_eq!(Spread::of(&[4.0, 1.0, 2.0, 9.0]), spread(3.0, 1.0, 9.0));
        assert_eq!(Spread::of(&[5.0]), spread(5.0, 5.0, 5.0));
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn the_geometric_mean_of_a_ratio_and_its_inverse_is_one() {
        assert!((geometric_mean(&[4.0, 0.25]).unwrap() - 1.0).abs() < 1e-12);
        assert!((geometric_mean(&[2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
        assert_eq!(geometric_mean(&[1.0, f64::INFINITY]), None);
    }
}
