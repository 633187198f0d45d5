//! The geometry of a draw, as input of the stages from set-up on.

use crate::kernels::plan::count_places::{CAPACITY, CountPlace, STRIPES};
use crate::pipeline::front_end::assemble_primitives::{HAS_FACE, KIND_MASK, KIND_TRIANGLE, Primitive};

/// The input of the geometry stages.
#[derive(Debug, Clone, Copy)]
pub struct Assembled<'a> {
    /// 16 output registers of each vertex (binding 4).
    pub vertices: &'a wgpu::Buffer,
    /// How many vertices the buffer holds.
    pub vertex_count: u32,
    /// The primitives over these vertices.
    pub primitives: PrimitiveList<'a>,
    /// The counts of their outcomes.
    pub counted: Option<CountedPrimitives<'a>>,
}

/// Primitives, in order.
#[derive(Debug, Clone, Copy)]
pub enum PrimitiveList<'a> {
    /// Primitives that the host assembled.
    Host {
        /// All of them.
        list: &'a [Primitive],
        /// The number of each in its draw, if the fragment program reads it; else empty.
        numbers: &'a [u32],
        /// The same primitives on the device, if the geometry cache holds them there.
        cached: Option<CachedPrimitives<'a>>,
    },
    /// Primitives that the device assembled.
    Device {
        /// The buffer (binding 5).
        buffer: &'a wgpu::Buffer,
        /// The first one in it.
        first: u32,
        /// How many.
        count: u32,
        /// Whether points, lines and triangles may be among them; a triangle may be the face of a point or line.
        kinds: [bool; 3],
    },
}

impl PrimitiveList<'_> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Host { list, .. } => list.len(),
            Self::Device { count, .. } => *count as usize,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first ones up to a number, and the others.
    fn split_at(self, middle: usize) -> (Self, Self) {
        match self {
            Self::Host { list, numbers, .. } => {
                let (lists, numbers) = (list.split_at(middle), numbers.split_at(middle.min(numbers.len())));
                let part = |list, numbers| Self::Host { list, numbers, cached: None };
                (part(lists.0, numbers.0), part(lists.1, numbers.1))
            }
            Self::Device { buffer, first, count, kinds } => {
                let middle = u32::try_from(middle).map_or(count, |middle| middle.min(count));
                let part = |first, count| Self::Device { buffer, first, count, kinds };
                (part(first, middle), part(first + middle, count - middle))
            }
        }
    }

    /// Two parts of the same length, but for one primitive.
    pub(super) fn halves(self) -> [Self; 2] {
        self.split_at(self.len() / 2).into()
    }

    /// Parts of at most this many primitives, in order.
    pub(in crate::kernels) fn parts(self, most: usize) -> impl Iterator<Item = Self> {
        let mut rest = Some(self).filter(|list| !list.is_empty());
        std::iter::from_fn(move || {
            let list = rest.take()?;
            if list.len() <= most {
                return Some(list);
            }
            let (part, others) = list.split_at(most);
            rest = Some(others);
            Some(part)
        })
    }

    /// The number of each in its draw, if the fragment program reads it; else empty.
    pub(super) const fn numbers(&self) -> &[u32] {
        match self {
            Self::Host { numbers, .. } => numbers,
            Self::Device { .. } => &[],
        }
    }

    /// Whether points, lines and triangles may be among them; a triangle may be the face of a point or line.
    pub(super) fn kinds(&self) -> [bool; 3] {
        match self {
            Self::Host { list, .. } => list.iter().fold([false; 3], |mut kinds, primitive| {
                kinds[(primitive.flags & KIND_MASK).min(2) as usize] = true;
                kinds[KIND_TRIANGLE as usize] |= primitive.flags & HAS_FACE != 0;
                kinds
            }),
            Self::Device { kinds, .. } => *kinds,
        }
    }
}

/// Primitives on the device.
#[derive(Debug, Clone, Copy)]
pub struct CachedPrimitives<'a> {
    /// All of them (binding 5).
    pub primitives: &'a wgpu::Buffer,
    /// The blocks of vertices that their runs reference (binding 18).
    pub spans: &'a wgpu::Buffer,
}

/// The counts of merged draws, as input of the geometry stages.
#[derive(Debug, Clone, Copy)]
pub struct CountedPrimitives<'a> {
    pub(in crate::kernels) counters: &'a wgpu::Buffer,
    /// First count of the first draw, counts per draw, counts per stripe, stripes.
    pub(in crate::kernels) places: [u32; 4],
    /// Number of draws.
    pub(in crate::kernels) draws: usize,
    /// Maximum number of quads in a round.
    pub(in crate::kernels) max_quads: u32,
}

impl<'a> CountedPrimitives<'a> {
    /// The counts of merged draws; `place` is that of the first.
    pub(in crate::kernels) const fn new(place: CountPlace, counters: &'a wgpu::Buffer, draws: usize) -> Self {
        Self { counters, places: [place.first, place.stride, CAPACITY, STRIPES], draws, max_quads: u32::MAX }
    }
}
