//! How far a number can be trusted: the mark that each parameter carries.

use std::fmt;

/// Where a number comes from, from the most trusted to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// The documents say it that the models rest on: GPU Gems 2, chapter 30, the article by 3DCenter, Igehy et al.
    Seed,
    /// Tests on the chip have shown it, as envytools records them.
    HardwareTested,
    /// A vendor's note, a specification or a review has printed it.
    Published,
    /// Nobody has: it is derived, recalled, scaled from another chip, or taken from a simulator.
    Estimate,
}

impl Mark {
    /// The words that files use, in the order of the marks.
    pub const NAMES: &[&'static str] = &["seed", "hardware-tested", "published", "estimate"];

    /// Every mark.
    pub const ALL: [Self; 4] = [Self::Seed, Self::HardwareTested, Self::Published, Self::Estimate];

    /// The word that files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::HardwareTested => "hardware-tested",
            Self::Published => "published",
            Self::Estimate => "estimate",
        }
    }

    /// The mark that a word stands for.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.name() == name)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_has_one_word_everywhere() {
        assert_eq!(Mark::ALL.map(Mark::name), Mark::NAMES);
        for mark in Mark::ALL {
            assert_eq!(Mark::from_name(mark.name()), Some(mark));
            assert_eq!(serde_json::to_value(mark).unwrap(), mark.name());
        }
        assert_eq!(Mark::from_name("guess"), None);
    }
}
