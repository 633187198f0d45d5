//! Provenance: how trustworthy a parameter is, by the source of its number.

use std::fmt;

/// The source of a number, from the most trusted to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// The primary documents of the models: GPU Gems 2, chapter 30, the article by 3DCenter, Igehy et al., Lindholm et al.
    Primary,
    /// Tests on the chip, as envytools records them.
    HardwareTested,
    /// A vendor's note, a specification or a review.
    Published,
    /// An estimate: derived, recalled, scaled from another chip, or taken from a simulator.
    Estimate,
}

impl Provenance {
    /// The words that files use, in the order of the variants.
    pub const NAMES: &[&'static str] = &["primary", "hardware-tested", "published", "estimate"];

    /// Every provenance.
    pub const ALL: [Self; 4] = [Self::Primary, Self::HardwareTested, Self::Published, Self::Estimate];

    /// The word that files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::HardwareTested => "hardware-tested",
            Self::Published => "published",
            Self::Estimate => "estimate",
        }
    }

    /// The provenance of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provenance| provenance.name() == name)
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_provenance_has_one_word_everywhere() {
        assert_eq!(Provenance::ALL.map(Provenance::name), Provenance::NAMES);
        for provenance in Provenance::ALL {
            assert_eq!(Provenance::from_name(provenance.name()), Some(provenance));
            assert_eq!(serde_json::to_value(provenance).unwrap(), provenance.name());
        }
        assert_eq!(Provenance::from_name("guess"), None);
    }
}
