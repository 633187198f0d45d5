//! The values that pass between the stages of a draw, the same on every engine.
//!
//! All numbers are float bit patterns unless stated otherwise.

use super::{MAX_COLOR_TARGETS, MAX_SAMPLES, OutputWord};

/// A vertex after its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadedVertex {
    /// Its outputs in slots of four words, as many as the program has; slot 0 is the clip-space position. Programs over
    /// registers of four components have sixteen, and those that they do not write hold (0, 0, 0, 1).
    pub outputs: Vec<[u32; 4]>,
}

impl ShadedVertex {
    /// A vertex of a SIMT program with these words of `o[]`, of which it passes on `outputs` in slots of four.
    #[must_use]
    pub fn of_words(words: &[u32], outputs: &[OutputWord]) -> Self {
        let slot = |slot: &[OutputWord]| std::array::from_fn(|word| slot.get(word).map_or(0, |word| word.of(words)));
        Self { outputs: outputs.chunks(4).map(slot).collect() }
    }

    /// An output slot; zeros where the program has none.
    #[must_use]
    pub fn slot(&self, slot: u8) -> [u32; 4] {
        self.outputs.get(usize::from(slot)).copied().unwrap_or_default()
    }
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
    /// The interpolated inputs pixel by pixel, as many as the program has ([`FragmentStage::input_slots`]): window position
    /// (x, y, depth, 1/w) after the coordinate conventions; primary and secondary color, clamped to 0..1; fog coordinate
    /// and factor; texture coordinates.
    ///
    /// [`FragmentStage::input_slots`]: super::FragmentStage::input_slots
    pub slots: Vec<[[u32; 4]; 4]>,
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
    /// Color per target and pixel.
    pub colors: [[[u32; 4]; 4]; MAX_COLOR_TARGETS],
    /// Depth per pixel, for programs that compute it.
    pub depth: [u32; 4],
    /// The coverage of the inputs, without the discarded fragments.
    pub coverage: u8,
}
