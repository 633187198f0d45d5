//! Defines the types of primitives that vertices make.

/// Primitive types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PrimitiveType {
    /// Separate points.
    Points = 1,
    /// Separate lines.
    Lines = 2,
    /// A closed line.
    LineLoop = 3,
    /// A connected line.
    LineStrip = 4,
    /// Separate triangles.
    Triangles = 5,
    /// Each further vertex makes a triangle with the previous two.
    TriangleStrip = 6,
    /// Each further vertex makes a triangle with the previous one and the first.
    TriangleFan = 7,
    /// Separate quadrilaterals.
    Quads = 8,
    /// Each further pair of vertices makes a quadrilateral with the previous pair.
    QuadStrip = 9,
    /// One convex polygon.
    Polygon = 10,
    /// Separate lines between the second and third of four vertices; the others are adjacent to them.
    LinesAdjacency = 11,
    /// A connected line whose first and last vertices are only adjacent to it.
    LineStripAdjacency = 12,
    /// Separate triangles of the first, third and fifth of six vertices; each other one is adjacent to the edge between its
    /// neighbors.
    TrianglesAdjacency = 13,
    /// A triangle strip of every other vertex; those between are adjacent to its outer edges.
    TriangleStripAdjacency = 14,
}

impl PrimitiveType {
    /// Its name in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Lines => "lines",
            Self::LineLoop => "line loop",
            Self::LineStrip => "line strip",
            Self::Triangles => "triangles",
            Self::TriangleStrip => "triangle strip",
            Self::TriangleFan => "triangle fan",
            Self::Quads => "quads",
            Self::QuadStrip => "quad strip",
            Self::Polygon => "polygon",
            Self::LinesAdjacency => "lines with adjacency",
            Self::LineStripAdjacency => "line strip with adjacency",
            Self::TrianglesAdjacency => "triangles with adjacency",
            Self::TriangleStripAdjacency => "triangle strip with adjacency",
        }
    }

    /// The number of corners of what is rasterized: 1 for points, 2 for lines, 3 for all polygons.
    #[must_use]
    pub const fn corners(self) -> u32 {
        match self {
            Self::Points => 1,
            Self::Lines | Self::LineLoop | Self::LineStrip | Self::LinesAdjacency | Self::LineStripAdjacency => 2,
            _ => 3,
        }
    }

    /// The number of vertices that a geometry program reads of each primitive; polygons of more are split into triangles.
    #[must_use]
    pub const fn vertices(self) -> u32 {
        match self {
            Self::LinesAdjacency | Self::LineStripAdjacency => 4,
            Self::TrianglesAdjacency | Self::TriangleStripAdjacency => 6,
            _ => self.corners(),
        }
    }
}
