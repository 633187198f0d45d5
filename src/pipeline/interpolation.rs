//! Defines the inputs of fragments that do not come from one output of a vertex program alone: window position and fog.

/// How the fog coordinate becomes the fog factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FogCurve {
    /// In proportion to the distance.
    Linear,
    /// A power of the distance.
    Exponential,
    /// A power of the squared distance.
    ExponentialSquared,
}

/// Fog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fog {
    /// The curve.
    pub curve: FogCurve,
    /// The distance is the magnitude of the fog coordinate.
    pub takes_magnitude: bool,
    /// The constant and the factor of the distance, as the curve uses them; float bits.
    pub parameters: [u32; 2],
}

/// The corner of the window that rows count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WindowOrigin {
    /// The first row is 0, as in memory.
    UpperLeft,
    /// The last row of the window is 0.
    LowerLeft,
}

/// Where the center of a pixel lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PixelCenter {
    /// Half a pixel from its first column and row.
    Half,
    /// At integers.
    Integer,
}

/// The conventions of the window position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WindowPosition {
    /// Where rows count from.
    pub origin: WindowOrigin,
    /// Rows of the window, at most 4095.
    pub height: u32,
    /// Where pixel centers lie.
    pub pixel_center: PixelCenter,
}

/// The state of interpolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InterpolationState {
    /// The window position that programs read.
    pub window_position: WindowPosition,
    /// The fog factor that programs read.
    pub fog: Fog,
}
