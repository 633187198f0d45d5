//! Deals cases to several machines.

use std::fmt;
use std::str::FromStr;

/// The most shares.
const MAX_SHARES: usize = 10_000;

/// One of several equal shares of a list: of its elements from the `index`th on, every `count`th, as deqp-runner takes
/// them with `--fraction-start index --fraction count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Its number, from 1.
    index: usize,
    /// How many there are.
    count: usize,
}

impl Share {
    /// The whole list.
    pub const ALL: Self = Self { index: 1, count: 1 };

    /// The elements of this share, in order.
    pub fn of<T>(self, list: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        list.into_iter().skip(self.index - 1).step_by(self.count)
    }

    /// How many there are.
    #[must_use]
    pub const fn count(self) -> usize {
        self.count
    }
}

impl Default for Share {
    fn default() -> Self {
        Self::ALL
    }
}

impl fmt::Display for Share {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if 1 <= index && index <= count && count <= MAX_SHARES => Ok(Self { index, count }),
            _ => Err(format!("I/N, the Ith of N shares, as in 1/4; there are at most {MAX_SHARES}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_each_element_once() {
        for count in 1..8 {
            for length in 0..20 {
                let share = |index| format!("{index}/{count}").parse::<Share>().unwrap();
                let mut dealt: Vec<usize> = (1..=count).flat_map(|index| share(index).of(0..length)).collect();
                dealt.sort_unstable();
                assert_eq!(dealt, (0..length).collect::<Vec<_>>());
            }
        }
        assert_eq!("2/3".parse::<Share>().unwrap().of(0..8).collect::<Vec<_>>(), [1, 4, 7]);
    }

    #[test]
    fn a_share_is_one_of_a_number() {
        for text in ["0/4", "5/4", "1", "1/0", "a/b", "-1/2", "1/10001", ""] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }
}
