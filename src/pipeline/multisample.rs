//! Multisampling: which samples of a pixel a draw covers.

use crate::format::SampleMode;

/// How a draw covers the samples of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MultisampleCoverage {
    /// Samples are covered individually; otherwise all of them follow the pixel's center, and the fields below do nothing.
    pub is_enabled: bool,
    /// The alpha of color 0 determines the number of covered samples.
    pub alpha_to_coverage: bool,
    /// The alpha of every color becomes 1.
    pub alpha_to_one: bool,
    /// Bit i: sample i may be written.
    // Unverified: which of the sixteen bits belong to which sample.
    pub sample_mask: u16,
}

impl MultisampleCoverage {
    /// All samples follow the pixel's center.
    pub const DISABLED: Self =
        Self { is_enabled: false, alpha_to_coverage: false, alpha_to_one: false, sample_mask: u16::MAX };
}

/// How the output merger treats the samples of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Multisampling {
    /// The samples of the surfaces.
    pub mode: SampleMode,
    /// Samples are covered individually; otherwise all of them follow the pixel's center.
    pub is_enabled: bool,
    /// Bit i: sample i may be written.
    pub sample_mask: u8,
    /// The alpha of color 0 determines the number of covered samples.
    pub alpha_to_coverage: bool,
    /// The alpha of every color becomes 1.
    pub alpha_to_one: bool,
}
