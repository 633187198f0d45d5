//! Counts the draws per picture over the last second.
//!
//! A session may have drawn a part of the next picture when it answers for one, so single differences mean little.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The period that is counted.
const PERIOD: Duration = Duration::from_secs(1);

/// Pictures that are counted even if they are older: some programs send them in bursts.
const MIN_PICTURES: usize = 8;

/// Draws so far, at each picture of the last second.
#[derive(Debug, Default)]
pub(super) struct DrawRate {
    pictures: VecDeque<(Instant, u64)>,
}

impl DrawRate {
    /// Records a picture, after this many draws of its program.
    pub(super) fn picture(&mut self, now: Instant, draws: u64) {
        self.pictures.push_back((now, draws));
        while self.pictures.len() > MIN_PICTURES && self.pictures.front().is_some_and(|(then, _)| now - *then > PERIOD)
        {
            self.pictures.pop_front();
        }
    }

    /// Draws per picture; `None` before there are two.
    pub(super) fn per_picture(&self) -> Option<u64> {
        let ((_, first), (_, last)) = (self.pictures.front()?, self.pictures.back()?);
        let pictures = self.pictures.len() as u64 - 1;
        (pictures > 0).then(|| (last - first).div_ceil(pictures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_spread_over_the_pictures_of_a_second() {
        let mut rate = DrawRate::default();
        let start = Instant::now();
        rate.picture(start, 100);
        assert_eq!(rate.per_picture(), None);
        // Every other answer comes before the draws of its picture.
        for (number, draws) in [(1, 120), (2, 120), (3, 140), (4, 140)] {
            rate.picture(start + number * PERIOD / 10, draws);
        }
        assert_eq!(rate.per_picture(), Some(10));
        for number in 0..10 {
            rate.picture(start + 3 * PERIOD + number * PERIOD / 10, 1000 + 7 * u64::from(number));
        }
        assert_eq!(rate.per_picture(), Some(7));
        // Older pictures than those of the last second: 63 draws less 21 over seven.
        rate.picture(start + 5 * PERIOD, 1063);
        assert_eq!(rate.per_picture(), Some(6));
    }
}
