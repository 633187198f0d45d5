//! Provenance: how trustworthy a parameter is, by the source of its number.

use crate::named_enum;

named_enum! {
    /// The source of a number, from the most trusted to the least.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Provenance {
        /// The primary documents of the models: GPU Gems 2, chapter 30, the article by 3DCenter, Igehy et al., Lindholm et al.
        Primary = "primary",
        /// Tests on the chip, as envytools records them.
        HardwareTested = "hardware-tested",
        /// A vendor's note, a specification or a review.
        Published = "published",
        /// An estimate: derived, recalled, scaled from another chip, or taken from a simulator.
        Estimate = "estimate",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_provenance_has_one_word_everywhere() {
        for provenance in Provenance::ALL {
            assert_eq!(provenance.name().parse(), Ok(provenance));
            assert_eq!(serde_json::to_value(provenance).unwrap(), provenance.name());
        }
        assert!("guess".parse::<Provenance>().is_err());
    }
}
