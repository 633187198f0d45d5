//! The values that pass between the stages of a draw, the same on every engine.
//!
//! All numbers are float bit patterns unless stated otherwise.

use super::{MAX_COLOR_TARGETS, MAX_SAMPLES};

/// A vertex after its program: the sixteen output registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadedVertex {
    /// Output registers; 0 is the clip-space position. Registers that the program does not write hold (0, 0, 0, 1).
    pub outputs: [[u32; 4]; 16],
}

/// The triangles that one invocation of a geometry shader emits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmittedTriangles {
    /// The vertices of the first [`KEPT_TRIANGLES`] triangles, in order of emission and of winding.
    ///
    /// [`KEPT_TRIANGLES`]: crate::shader::vertex::KEPT_TRIANGLES
    pub triangles: Vec<[ShadedVertex; 3]>,
    /// The number of triangles, including those that are not kept.
    pub count: u32,
}

/// The inputs of a quad's fragments: interpolants of four pixels in the order (x, y), (x+1, y), (x, y+1), (x+1, y+1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuadInputs {
    /// Column of the left pixels; even.
    pub x: u32,
    /// Row of the upper pixels; even.
    pub y: u32,
    /// Bit i: pixel i is covered; with multisampling, at least one sample of it.
    pub coverage: u8,
    /// Coverage and depth of the samples, with multisampling.
    pub samples: Option<QuadSamples>,
    /// The factor of alpha, 0..1 per pixel, in draws that can contain smooth lines.
    pub alpha_coverage: Option<[u32; 4]>,
    /// Whether the primitive faces the viewer.
    pub is_front_facing: bool,
    /// Window depth 0..1 of each pixel, after offset and clamp.
    pub depth: [u32; 4],
    /// Window position (x, y, depth, 1/w) per pixel, after the coordinate conventions.
    pub window_position: [[u32; 4]; 4],
    /// Primary color per pixel, clamped to 0..1.
    pub color0: [[u32; 4]; 4],
    /// Secondary color per pixel, clamped to 0..1.
    pub color1: [[u32; 4]; 4],
    /// Fog coordinate and factor per pixel.
    pub fog: [[u32; 4]; 4],
    /// Texture coordinates 0..9 per pixel.
    pub texture_coordinates: [[[u32; 4]; 4]; 10],
}

/// The samples of a quad's pixels, sample by sample; samples that the surfaces lack are not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuadSamples {
    /// Bit i: the sample of pixel i is covered.
    pub coverage: [u8; MAX_SAMPLES],
    /// Window depth of each pixel at the sample.
    pub depth: [[u32; 4]; MAX_SAMPLES],
}

/// A quad after its fragment program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadedQuad {
    /// Column of the left pixels; even.
    pub x: u32,
    /// Row of the upper pixels; even.
    pub y: u32,
    /// Bit i: pixel i is covered and was not discarded.
    pub coverage: u8,
    /// Coverage and depth of the samples, with multisampling; those of discarded pixels do not count.
    pub samples: Option<QuadSamples>,
    /// Whether the primitive faces the viewer.
    pub is_front_facing: bool,
    /// Window depth of each pixel.
    pub depth: [u32; 4],
    /// Color per target and pixel: red, green, blue, alpha.
    pub colors: [[[u32; 4]; 4]; MAX_COLOR_TARGETS],
}

/// The results of a quad, as float bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentResult {
    /// Color per target and pixel: H0, H4, H6, H8, or R0, R2, R3, R4 with full outputs.
    pub colors: [[[u32; 4]; 4]; MAX_COLOR_TARGETS],
    /// R1.z per pixel.
    pub depth: [u32; 4],
    /// The coverage of the inputs, without the fragments that KIL discarded.
    pub coverage: u8,
}
