//! The factors of blending.

use curie::pipeline::BlendFactor;

/// All factors, in the order of their codes.
pub(crate) const FACTORS: [BlendFactor; 19] = [
    BlendFactor::Zero,
    BlendFactor::One,
    BlendFactor::SourceColor,
    BlendFactor::OneMinusSourceColor,
    BlendFactor::SourceAlpha,
    BlendFactor::OneMinusSourceAlpha,
    BlendFactor::DestinationAlpha,
    BlendFactor::OneMinusDestinationAlpha,
    BlendFactor::DestinationColor,
    BlendFactor::OneMinusDestinationColor,
    BlendFactor::SourceAlphaSaturate,
    BlendFactor::ConstantColor,
    BlendFactor::OneMinusConstantColor,
    BlendFactor::ConstantAlpha,
    BlendFactor::OneMinusConstantAlpha,
    BlendFactor::SecondColor,
    BlendFactor::OneMinusSecondColor,
    BlendFactor::SecondAlpha,
    BlendFactor::OneMinusSecondAlpha,
];
