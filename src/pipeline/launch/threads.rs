//! What the threads of a launch are: those of a grid of blocks, vertices, primitives, or fragments, with their inputs.

use crate::arith::tesla::float;
use crate::shader::simt::{InterpolationMode, ProgramKind};

/// The threads of a quad.
pub const QUAD_THREADS: u32 = 4;

/// Steps in which a pixel is divided for the places of samples.
const SUBPIXELS: i32 = 16;

/// What the threads of a launch are. All but those of grids run in warps of their own: each is a block of the grid.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LaunchThreads {
    /// The threads of a grid of blocks.
    #[default]
    Grid,
    /// Vertices.
    Vertices(Vertices),
    /// Primitives.
    Primitives(Primitives),
    /// Fragments in quads.
    Fragments(Fragments),
}

/// The vertices that run a vertex program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vertices {
    /// How many there are.
    pub count: u32,
    /// The words of `a[]` of a vertex.
    pub attribute_words: u32,
    /// The words of all vertices, vertex by vertex.
    pub attributes: Vec<u32>,
    /// The words of `o[]` of a vertex.
    pub output_words: u32,
}

/// The primitives that run a geometry program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Primitives {
    /// How many there are.
    pub count: u32,
    /// The words of `a[]` of a primitive.
    pub input_words: u32,
    /// The words of all primitives, primitive by primitive.
    pub inputs: Vec<u32>,
    /// The vertices of a primitive, at most [`PRIMITIVE_VERTICES`].
    pub vertices: u32,
    /// The words of a vertex in `p[]`.
    pub vertex_words: u32,
    /// The words of all vertices, vertex by vertex and primitive by primitive.
    pub vertex_values: Vec<u32>,
    /// The words of `o[]` of an emitted vertex.
    pub output_words: u32,
    /// The maximum number of vertices that a thread emits; later ones are lost.
    pub max_vertices: u32,
}

/// The maximum number of vertices of a primitive.
pub const PRIMITIVE_VERTICES: u32 = 6;

/// Bytes in `p[]` from a word of a vertex to the next word, divided by the bytes of a word. The instruction multiplies its
/// own offset by it; a program multiplies what it adds to an address.
///
/// Sources: envytools, for the special register that holds it; Mesa's nv50 driver, for its use.
// Unverified: the value. A row of `p[]` then has a word of each vertex of 32.
pub const VERTEX_STRIDE: u32 = 0x20;

impl Primitives {
    /// The address in `p[]` of the first word of a vertex.
    #[must_use]
    pub const fn vertex_address(vertex: u8) -> u32 {
        4 * vertex as u32
    }

    /// A word of `p[]` of a primitive by its address; zero where there is none.
    // Unverified: what the chip reads there.
    #[must_use]
    pub fn vertex_word(&self, primitive: u32, address: u32) -> u32 {
        let (vertex, word) = (address / 4 % VERTEX_STRIDE, address / (4 * VERTEX_STRIDE));
        if vertex >= self.vertices || word >= self.vertex_words {
            return 0;
        }
        let place =
            (u64::from(primitive) * u64::from(self.vertices) + u64::from(vertex)) * u64::from(self.vertex_words);
        let place = usize::try_from(place + u64::from(word)).unwrap_or(usize::MAX);
        self.vertex_values.get(place).copied().unwrap_or(0)
    }
}

/// The fragments that run a fragment program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragments {
    /// The quads; four threads run each.
    pub quads: Vec<FragmentQuad>,
    /// The words of `v[]` of a fragment.
    pub interpolant_words: u32,
    /// What they hold.
    pub interpolants: Interpolants,
    /// How many registers from 0 hold the results when a thread has ended.
    pub results: u32,
}

/// Four fragments: upper left, upper right, lower left, lower right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FragmentQuad {
    /// The fragments that are drawn, the upper left one in bit 0. The others are helpers: they run, so that each fragment
    /// has neighbors, but have no results.
    pub covered: u8,
    /// The pixel of the upper left fragment, relative to the pixel at which its primitive's planes begin.
    pub pixel: [i16; 2],
    /// The number of its primitive.
    pub primitive: u32,
    /// The centroid of each fragment's samples in sixteenths of a pixel from the pixel's corner; `[8, 8]` is the center.
    pub centroids: [[u8; 2]; 4],
    /// The sample that the fragments are, of programs that run for each.
    pub sample: u8,
}

/// The interpolants of fragments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interpolants {
    /// Equations: those of each word of `v[]`, primitive by primitive.
    Planes(Vec<Plane>),
    /// Values: those of each word of `v[]`, fragment by fragment. How they are interpolated changes nothing.
    Values(Vec<u32>),
}

/// How an interpolant depends on the place, as bits of floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plane {
    /// The value at the corner of the pixel where the planes begin.
    pub origin: u32,
    /// The change from one pixel to the next one in x.
    pub dx: u32,
    /// The same in y.
    pub dy: u32,
    /// The value at the provoking vertex.
    pub flat: u32,
}

impl Plane {
    /// The value at a place.
    ///
    /// Source: IEEE Micro 28(2), which has the special function units evaluate plane equations at pixel centers.
    // Unverified: the order and rounding of the sums; two multiply-adds of the processor, y first.
    #[must_use]
    pub fn at(&self, [x, y]: [u32; 2]) -> u32 {
        float::multiply_add(self.dx, x, float::multiply_add(self.dy, y, self.origin))
    }
}

impl FragmentQuad {
    /// A quad of its own primitive whose fragments are all covered, at the origin.
    #[must_use]
    pub const fn new(primitive: u32) -> Self {
        Self { covered: 0xf, pixel: [0, 0], primitive, centroids: [[8, 8]; 4], sample: 0 }
    }

    /// Where a fragment is sampled, as bits of floats.
    #[must_use]
    pub fn place(&self, fragment: usize, is_centroid: bool) -> [u32; 2] {
        let sample = if is_centroid { self.centroids[fragment & 3] } else { [8, 8] };
        let corner = [fragment & 1, fragment >> 1 & 1];
        std::array::from_fn(|axis| {
            let pixel = i32::from(self.pixel[axis]) + if corner[axis] == 0 { 0 } else { 1 };
            let steps = pixel * SUBPIXELS + i32::from(sample[axis]);
            // At most 21 bits, so that the quotient is exact.
            (steps as f32 / SUBPIXELS as f32).to_bits()
        })
    }
}

impl Fragments {
    /// The value of a word of `v[]` at a fragment, both by number.
    #[must_use]
    pub fn interpolant(&self, fragment: u32, word: u32, mode: InterpolationMode) -> u32 {
        match &self.interpolants {
            Interpolants::Values(values) => {
                values.get((fragment * self.interpolant_words + word) as usize).copied().unwrap_or_default()
            }
            Interpolants::Planes(planes) => {
                let Some(quad) = self.quads.get((fragment / QUAD_THREADS) as usize) else { return 0 };
                let place = u64::from(quad.primitive) * u64::from(self.interpolant_words) + u64::from(word);
                let plane = usize::try_from(place).ok().and_then(|place| planes.get(place));
                let plane = plane.copied().unwrap_or_default();
                let corner = (fragment % QUAD_THREADS) as usize;
                match mode {
                    InterpolationMode::Center => plane.at(quad.place(corner, false)),
                    InterpolationMode::Centroid => plane.at(quad.place(corner, true)),
                    InterpolationMode::Flat => plane.flat,
                }
            }
        }
    }

    /// The sample that a fragment is.
    #[must_use]
    pub fn sample(&self, fragment: u32) -> u32 {
        self.quads.get((fragment / QUAD_THREADS) as usize).map_or(0, |quad| quad.sample.into())
    }

    /// Whether a fragment is drawn.
    #[must_use]
    pub fn is_covered(&self, fragment: u32) -> bool {
        let quad = self.quads.get((fragment / QUAD_THREADS) as usize);
        quad.is_some_and(|quad| quad.covered >> (fragment % QUAD_THREADS) & 1 != 0)
    }
}

impl LaunchThreads {
    /// How many vertices, primitives or fragments there are, helpers included; `None` for grids.
    #[must_use]
    pub fn count(&self) -> Option<u32> {
        match self {
            Self::Grid => None,
            Self::Vertices(vertices) => Some(vertices.count),
            Self::Primitives(primitives) => Some(primitives.count),
            Self::Fragments(fragments) => {
                Some(u32::try_from(fragments.quads.len()).unwrap_or(u32::MAX).saturating_mul(QUAD_THREADS))
            }
        }
    }

    /// The sample that the first fragment is.
    #[must_use]
    pub fn first_sample(&self) -> u8 {
        match self {
            Self::Fragments(fragments) => fragments.quads.first().map_or(0, |quad| quad.sample),
            _ => 0,
        }
    }

    /// The kind of the programs that they run.
    #[must_use]
    pub const fn kind(&self) -> ProgramKind {
        match self {
            Self::Grid => ProgramKind::Compute,
            Self::Vertices(_) => ProgramKind::Vertex,
            Self::Primitives(_) => ProgramKind::Geometry,
            Self::Fragments(_) => ProgramKind::Fragment,
        }
    }

    /// The words of the inputs of a thread: `a[]` or `v[]`.
    #[must_use]
    pub const fn input_words(&self) -> u32 {
        match self {
            Self::Grid => 0,
            Self::Vertices(vertices) => vertices.attribute_words,
            Self::Primitives(primitives) => primitives.input_words,
            Self::Fragments(fragments) => fragments.interpolant_words,
        }
    }

    /// The words of `o[]` of a thread.
    #[must_use]
    pub const fn output_words(&self) -> u32 {
        match self {
            Self::Vertices(vertices) => vertices.output_words,
            Self::Primitives(primitives) => primitives.output_words,
            Self::Grid | Self::Fragments(_) => 0,
        }
    }

    /// The registers of a thread that are its results.
    #[must_use]
    pub const fn results(&self) -> u32 {
        match self {
            Self::Fragments(fragments) => fragments.results,
            Self::Grid | Self::Vertices(_) | Self::Primitives(_) => 0,
        }
    }

    /// How many words of inputs there must be, and how many there are. Primitives that planes miss have none.
    #[must_use]
    pub(super) fn inputs(&self) -> (u64, usize) {
        let words = u64::from(self.input_words());
        let count = self.count().map_or(0, u64::from);
        match self {
            Self::Grid => (0, 0),
            Self::Vertices(vertices) => (count * words, vertices.attributes.len()),
            Self::Primitives(primitives) => {
                let vertex_words = u64::from(primitives.vertices) * u64::from(primitives.vertex_words);
                let found = primitives.inputs.len() + primitives.vertex_values.len();
                (count * (words + vertex_words), found)
            }
            Self::Fragments(fragments) => match &fragments.interpolants {
                Interpolants::Values(values) => (count * words, values.len()),
                Interpolants::Planes(planes) => {
                    let primitives = fragments.quads.iter().map(|quad| u64::from(quad.primitive) + 1).max();
                    (primitives.unwrap_or(0).saturating_mul(words), planes.len())
                }
            },
        }
    }
}
