//! Primitive assembly: turns the element list of a draw into points, lines and triangles.

use crate::pipeline::{Draw, PolygonMode, PrimitiveType, RasterState};

/// The element that restarts primitives.
pub const RESTART: u32 = u32::MAX;

/// [`Primitive::flags`] 1:0 of points.
pub const KIND_POINT: u32 = 0;
/// [`Primitive::flags`] 1:0 of lines.
pub const KIND_LINE: u32 = 1;
/// [`Primitive::flags`] 1:0 of triangles.
pub const KIND_TRIANGLE: u32 = 2;
/// [`Primitive::flags`] 1:0.
pub const KIND_MASK: u32 = 3;
/// Flag: a point or line of the polygon that contains `face`.
pub const HAS_FACE: u32 = 4;
/// Flag: the line stipple restarts.
pub const RESTARTS_STIPPLE: u32 = 8;

/// First of three flags of triangles: edge i, from vertex i to the next, is an edge of the original polygon.
pub const OUTLINE_SHIFT: u32 = 4;
/// First bit of [`Primitive::flags`] that the reference leaves 0.
pub const DRAW_SHIFT: u32 = 16;

/// One point, line or triangle.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Primitive {
    /// Vertex numbers in winding order; unused ones repeat the first.
    pub vertices: [u32; 3],
    /// The vertex whose colors flat shading uses.
    pub provoking: u32,
    /// Of triangles, and with [`HAS_FACE`], the triangle that determines facing and depth slope. For geometry programs, the
    /// vertices adjacent to each edge of the triangle, or to each end of the line.
    pub face: [u32; 3],
    /// Kind and flags; from [`DRAW_SHIFT`] up, the number of its draw among those that an engine merges.
    pub flags: u32,
}

impl Primitive {
    /// The numbers of its vertices as a geometry program numbers them; adjacent vertices are between those of a triangle, and
    /// before and after those of a line.
    pub fn program_vertices(&self, count: u32) -> impl Iterator<Item = u32> {
        let ([a, b, c], [d, e, f]) = (self.vertices, self.face);
        let vertices = match count {
            4 => [d, a, b, e, d, d],
            6 => [a, d, b, e, c, f],
            _ => [a, b, c, a, a, a],
        };
        vertices.into_iter().take(count as usize)
    }
}

/// The corner of a primitive that stream output writes first: the provoking one if the first vertex of primitives provokes.
/// So the primitives that are written show the same flat values (`ARB_provoking_vertex`).
#[must_use]
pub fn first_streamed_corner(primitive: &Primitive, corners: u32, first_provokes: bool) -> usize {
    let mut vertices = primitive.vertices.iter().take(corners as usize);
    let provoking = vertices.position(|vertex| first_provokes && *vertex == primitive.provoking);
    provoking.unwrap_or(0)
}

/// The kind of primitive that polygons are drawn as.
#[must_use]
pub const fn polygon_kind(mode: PolygonMode) -> u32 {
    match mode {
        PolygonMode::Point => KIND_POINT,
        PolygonMode::Line => KIND_LINE,
        PolygonMode::Fill => KIND_TRIANGLE,
    }
}

/// Splits elements into primitives in submission order; incomplete primitives are dropped.
///
/// `elements` are numbers of shaded vertices; [`RESTART`] ends the current primitive.
#[must_use]
pub fn assemble_primitives(primitive: PrimitiveType, elements: &[u32], raster: &RasterState) -> Vec<Primitive> {
    assemble_for(primitive, elements, raster, false)
}

/// The primitives that the elements of a draw are: those that its geometry program runs on, or else the rasterizer.
#[must_use]
pub fn assemble_draw(draw: &Draw, elements: &[u32]) -> Vec<Primitive> {
    assemble_for(draw.primitive, elements, &draw.raster, draw.geometry.is_some())
}

/// The number in the draw of each of its primitives for the rasterizer. All triangles of a polygon, and what they are drawn as,
/// have that of the polygon; a restart does not begin anew (`ARB_geometry_shader4`).
#[must_use]
pub fn primitive_numbers(primitive: PrimitiveType, elements: &[u32], raster: &RasterState) -> Vec<u32> {
    let mut assembly = Assembly::new(raster, false);
    assembly.numbers = Some(Vec::new());
    assembly.run_all(primitive, elements);
    assembly.numbers.unwrap_or_default()
}

/// Primitives for the rasterizer, or for a geometry program: it sees adjacent vertices, and polygons however they are drawn.
fn assemble_for(primitive: PrimitiveType, elements: &[u32], raster: &RasterState, has_program: bool) -> Vec<Primitive> {
    let least_elements = match primitive {
        PrimitiveType::Triangles | PrimitiveType::TrianglesAdjacency => 3,
        PrimitiveType::Lines | PrimitiveType::Quads | PrimitiveType::LinesAdjacency => 2,
        _ => 1,
    };
    let mut assembly = Assembly::new(raster, has_program);
    assembly.primitives.reserve(elements.len() / least_elements);
    assembly.run_all(primitive, elements);
    assembly.primitives
}

/// Edges of a triangle of a polygon; bit i is the one from vertex i to the next.
#[derive(Clone, Copy)]
struct Edges {
    /// Edges of the original polygon.
    outline: u8,
    /// Edges whose first vertex has the edge flag.
    drawn: u8,
}

impl Edges {
    const ALL: Self = Self { outline: 0b111, drawn: 0b111 };
}

struct Assembly<'raster> {
    primitives: Vec<Primitive>,
    /// The number in the draw of each primitive, if it is asked for.
    numbers: Option<Vec<u32>>,
    /// How many primitives of the draw there were.
    count: u32,
    first_provokes: bool,
    first_of_quads_provokes: bool,
    modes: [PolygonMode; 2],
    outlines: bool,
    /// Adjacent vertices are the faces of primitives.
    keeps_adjacent: bool,
    edge_flag_changes: &'raster [u32],
    /// The first element of the current run.
    first_element: usize,
}

impl<'raster> Assembly<'raster> {
    fn new(raster: &'raster RasterState, has_program: bool) -> Self {
        let modes = if has_program { [PolygonMode::Fill; 2] } else { raster.polygon_mode };
        Self {
            primitives: Vec::new(),
            numbers: None,
            count: 0,
            first_provokes: raster.first_vertex_provokes,
            first_of_quads_provokes: raster.first_vertex_of_quads_provokes,
            modes,
            keeps_adjacent: has_program,
            outlines: modes.iter().any(|mode| *mode != PolygonMode::Fill),
            edge_flag_changes: &raster.edge_flag_changes,
            first_element: 0,
        }
    }

    fn run_all(&mut self, primitive: PrimitiveType, elements: &[u32]) {
        for run in elements.split(|element| *element == RESTART) {
            self.run(primitive, run);
            self.first_element += run.len() + 1;
        }
    }

    /// Ends a primitive of the draw: the pieces since the last one have its number.
    fn end_primitive(&mut self) {
        if let Some(numbers) = &mut self.numbers {
            numbers.resize(self.primitives.len(), self.count);
            self.count += 1;
        }
    }

    fn run(&mut self, primitive: PrimitiveType, run: &[u32]) {
        match primitive {
            PrimitiveType::Points => run.iter().for_each(|vertex| self.point(*vertex)),
            PrimitiveType::Lines => run.chunks_exact(2).for_each(|pair| self.line(pair[0], pair[1], true)),
            PrimitiveType::LineStrip => self.strip(run),
            PrimitiveType::LineLoop => {
                self.strip(run);
                if let [first, .., last] = run {
                    self.line(*last, *first, false);
                }
            }
            PrimitiveType::Triangles => {
                for (t, first) in run.chunks_exact(3).zip((0..).step_by(3)) {
                    let edges = Edges { outline: 0b111, drawn: self.flags([first, first + 1, first + 2]) };
                    self.triangle([t[0], t[1], t[2]], t[0], t[2], edges);
                }
            }
            PrimitiveType::TriangleStrip => {
                for (index, t) in run.windows(3).enumerate() {
                    let winding = if index % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] };
                    self.triangle(winding, t[0], t[2], Edges::ALL);
                }
            }
            PrimitiveType::TriangleFan => {
                for pair in run.get(1..).unwrap_or_default().windows(2) {
                    self.triangle([run[0], pair[0], pair[1]], pair[0], pair[1], Edges::ALL);
                }
            }
            PrimitiveType::Quads => {
                for (q, first) in run.chunks_exact(4).zip((0..).step_by(4)) {
                    let drawn = self.flags([first, first + 1, first + 2, first + 3]);
                    self.quad([q[0], q[1], q[2], q[3]], [q[0], q[3]], drawn);
                }
            }
            PrimitiveType::QuadStrip => {
                for pairs in run.windows(4).step_by(2) {
                    self.quad([pairs[0], pairs[1], pairs[3], pairs[2]], [pairs[0], pairs[3]], u8::MAX);
                }
            }
            PrimitiveType::Polygon => self.polygon(run),
            PrimitiveType::LinesAdjacency => {
                run.chunks_exact(4).for_each(|line| self.line_adjacency(line, true));
            }
            PrimitiveType::LineStripAdjacency => {
                run.windows(4).enumerate().for_each(|(index, line)| self.line_adjacency(line, index == 0));
            }
            PrimitiveType::TrianglesAdjacency => run.chunks_exact(6).for_each(|t| {
                self.triangle_adjacency([t[0], t[2], t[4]], [t[1], t[3], t[5]]);
            }),
            PrimitiveType::TriangleStripAdjacency => self.strip_adjacency(run),
        }
    }

    fn strip(&mut self, run: &[u32]) {
        for (index, pair) in run.windows(2).enumerate() {
            self.line(pair[0], pair[1], index == 0);
        }
    }

    fn point(&mut self, vertex: u32) {
        self.primitives.push(Primitive {
            vertices: [vertex; 3],
            provoking: vertex,
            face: [vertex; 3],
            flags: KIND_POINT | RESTARTS_STIPPLE,
        });
        self.end_primitive();
    }

    fn line(&mut self, from: u32, to: u32, restarts: bool) {
        self.primitives.push(Primitive {
            vertices: [from, to, from],
            provoking: if self.first_provokes { from } else { to },
            face: [from; 3],
            flags: KIND_LINE | if restarts { RESTARTS_STIPPLE } else { 0 },
        });
        self.end_primitive();
    }

    fn line_adjacency(&mut self, vertices: &[u32], restarts: bool) {
        self.line(vertices[1], vertices[2], restarts);
        if let (Some(line), true) = (self.primitives.last_mut(), self.keeps_adjacent) {
            line.face = [vertices[0], vertices[3], vertices[0]];
        }
    }

    fn triangle_adjacency(&mut self, vertices: [u32; 3], adjacent: [u32; 3]) {
        self.triangle(vertices, vertices[0], vertices[2], Edges::ALL);
        if let (Some(triangle), true) = (self.primitives.last_mut(), self.keeps_adjacent) {
            triangle.face = adjacent;
        }
    }

    /// OpenGL 3.2, section 2.6.1: every other vertex belongs to the strip. The edge between two of its triangles has the
    /// third vertex of the other one beside it, and an outer edge the vertex between its ends.
    fn strip_adjacency(&mut self, run: &[u32]) {
        let count = (run.len() / 2).saturating_sub(2);
        for index in 0..count {
            let at = |place: usize| run[2 * index + place];
            let before = if index == 0 { at(1) } else { run[2 * index - 2] };
            let after = if index + 1 == count { at(5) } else { at(6) };
            match index % 2 {
                0 => self.triangle_adjacency([at(0), at(2), at(4)], [before, after, at(3)]),
                _ => self.triangle_adjacency([at(2), at(0), at(4)], [before, at(3), after]),
            }
        }
    }

    fn triangle(&mut self, vertices: [u32; 3], first: u32, last: u32, edges: Edges) {
        let provoking = if self.first_provokes { first } else { last };
        self.piece(vertices, provoking, edges, true);
        self.end_primitive();
    }

    /// Bit i: element i of these, relative to the start of the current run, has the edge flag.
    fn flags<const COUNT: usize>(&self, elements: [usize; COUNT]) -> u8 {
        elements.into_iter().enumerate().fold(0, |flags, (bit, element)| {
            let element = self.first_element + element;
            let changes = self.edge_flag_changes.partition_point(|change| *change as usize <= element);
            flags | u8::from(changes % 2 == 0) << bit
        })
    }

    /// Splits a quadrilateral along the diagonal from its first to its third vertex; bit i of `drawn`: the edge from
    /// vertex i to the next may be drawn. `ends` are the first and the last vertex of the draw's order.
    // Unverified: which diagonal the chips use; this one matches other renderers of the same programs.
    fn quad(&mut self, q: [u32; 4], ends: [u32; 2], drawn: u8) {
        let provoking = ends[usize::from(!self.first_of_quads_provokes)];
        let edges = Edges { outline: 0b011, drawn };
        self.piece([q[0], q[1], q[2]], provoking, edges, true);
        let edges = Edges { outline: 0b110, drawn: drawn >> 1 };
        self.piece([q[0], q[2], q[3]], provoking, edges, false);
        self.end_primitive();
    }

    /// OpenGL 2.1, section 2.14.7: the first vertex of a polygon provokes under either convention.
    fn polygon(&mut self, run: &[u32]) {
        let count = run.len();
        for index in 1..count.saturating_sub(1) {
            let mut outline = 0b010;
            outline |= u8::from(index == 1);
            outline |= u8::from(index + 2 == count) << 2;
            let edges = Edges { outline, drawn: self.flags([0, index, index + 1]) };
            self.piece([run[0], run[index], run[index + 1]], run[0], edges, index == 1);
        }
        if count > 2 {
            self.end_primitive();
        }
    }

    /// Emits one triangle of a polygon in every form that the polygon modes of either face may need; setup, which
    /// determines the face, drops the others.
    fn piece(&mut self, vertices: [u32; 3], provoking: u32, edges: Edges, starts: bool) {
        let flags = KIND_TRIANGLE | RESTARTS_STIPPLE | u32::from(edges.outline) << OUTLINE_SHIFT;
        let triangle = Primitive { vertices, provoking, face: vertices, flags };
        if !self.outlines {
            self.primitives.push(triangle);
            return;
        }
        if self.modes.contains(&PolygonMode::Fill) {
            self.primitives.push(triangle);
        }
        let outline = |edge: usize| (vertices[edge], vertices[(edge + 1) % 3]);
        let drawn = edges.outline & edges.drawn;
        let edges: Vec<_> = (0..3).filter(|edge| drawn >> edge & 1 != 0).map(outline).collect();
        if self.modes.contains(&PolygonMode::Line) {
            for (index, &(from, to)) in edges.iter().enumerate() {
                let restarts = if starts && index == 0 { RESTARTS_STIPPLE } else { 0 };
                let flags = KIND_LINE | HAS_FACE | restarts;
                self.primitives.push(Primitive { vertices: [from, to, from], provoking, face: vertices, flags });
            }
        }
        if self.modes.contains(&PolygonMode::Point) {
            for &(vertex, _) in &edges {
                let flags = KIND_POINT | HAS_FACE | RESTARTS_STIPPLE;
                self.primitives.push(Primitive { vertices: [vertex; 3], provoking, face: vertices, flags });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::front_end::raster_parameters::tests::plain_raster;

    fn assemble(primitive: PrimitiveType, count: u32) -> Vec<([u32; 3], u32)> {
        let elements: Vec<u32> = (0..count).collect();
        let primitives = assemble_primitives(primitive, &elements, &plain_raster());
        primitives.iter().map(|primitive| (primitive.vertices, primitive.provoking)).collect()
    }

    #[test]
    fn incomplete_primitives_are_dropped() {
        use PrimitiveType as P;
        let complete = [
            (P::Points, 5, 5),
            (P::Lines, 5, 2),
            (P::LineStrip, 1, 0),
            (P::LineStrip, 5, 4),
            (P::LineLoop, 1, 0),
            (P::LineLoop, 4, 4),
            (P::Triangles, 8, 2),
            (P::TriangleStrip, 2, 0),
            (P::TriangleStrip, 6, 4),
            (P::TriangleFan, 0, 0),
            (P::TriangleFan, 5, 3),
            (P::Quads, 11, 4),
            (P::QuadStrip, 3, 0),
            (P::QuadStrip, 7, 4),
            (P::Polygon, 2, 0),
            (P::Polygon, 6, 4),
        ];
        for (primitive, vertices, expected) in complete {
            assert_eq!(assemble(primitive, vertices).len(), expected, "{primitive:?} of {vertices}");
        }
    }

    #[test]
    fn strips_keep_their_winding_and_provoke_with_the_last_vertex() {
        let strip = assemble(PrimitiveType::TriangleStrip, 5);
        assert_eq!(strip, [([0, 1, 2], 2), ([2, 1, 3], 3), ([2, 3, 4], 4)]);
        assert_eq!(assemble(PrimitiveType::TriangleFan, 4), [([0, 1, 2], 2), ([0, 2, 3], 3)]);
        assert_eq!(assemble(PrimitiveType::Quads, 4), [([0, 1, 2], 3), ([0, 2, 3], 3)]);
        assert_eq!(assemble(PrimitiveType::QuadStrip, 4), [([0, 1, 3], 3), ([0, 3, 2], 3)]);
        assert_eq!(assemble(PrimitiveType::Polygon, 4), [([0, 1, 2], 0), ([0, 2, 3], 0)]);
        assert_eq!(assemble(PrimitiveType::LineLoop, 3), [([0, 1, 0], 1), ([1, 2, 1], 2), ([2, 0, 2], 0)]);
    }

    #[test]
    fn the_first_vertex_provokes_when_asked() {
        let raster = RasterState { first_vertex_provokes: true, ..plain_raster() };
        let provoking = |primitive| -> Vec<u32> {
            assemble_primitives(primitive, &[0, 1, 2, 3], &raster).iter().map(|p| p.provoking).collect()
        };
        assert_eq!(provoking(PrimitiveType::TriangleStrip), [0, 1]);
        assert_eq!(provoking(PrimitiveType::TriangleFan), [1, 2]);
        assert_eq!(provoking(PrimitiveType::LineStrip), [0, 1, 2]);
        // Quadrilaterals follow the convention or not.
        assert_eq!(provoking(PrimitiveType::Quads), [3, 3]);
        assert_eq!(provoking(PrimitiveType::QuadStrip), [3, 3]);
        assert_eq!(provoking(PrimitiveType::Polygon), [0, 0]);
        let raster = RasterState { first_vertex_of_quads_provokes: true, ..plain_raster() };
        let provoking = |primitive| -> Vec<u32> {
            assemble_primitives(primitive, &[0, 1, 2, 3, 4, 5], &raster).iter().map(|p| p.provoking).collect()
        };
        assert_eq!(provoking(PrimitiveType::Quads), [0, 0]);
        assert_eq!(provoking(PrimitiveType::QuadStrip), [0, 0, 2, 2]);
        assert_eq!(provoking(PrimitiveType::Lines), [1, 3, 5]);
    }

    /// By the tables of OpenGL 3.2, section 2.6.1, with vertices counted from 0.
    #[test]
    fn primitives_with_adjacency_have_their_neighbors_beside_them() {
        use PrimitiveType as P;
        let program = |primitive: P, count: u32| -> Vec<Vec<u32>> {
            let elements: Vec<u32> = (0..count).collect();
            let primitives = assemble_for(primitive, &elements, &plain_raster(), true);
            primitives.iter().map(|assembled| assembled.program_vertices(primitive.vertices()).collect()).collect()
        };
        assert_eq!(program(P::LinesAdjacency, 9), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(program(P::LineStripAdjacency, 5), [[0, 1, 2, 3], [1, 2, 3, 4]]);
        assert_eq!(program(P::TrianglesAdjacency, 13), [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]);
        let strip = [[0, 1, 2, 6, 4, 3], [4, 0, 2, 5, 6, 8], [4, 2, 6, 9, 8, 7]];
        assert_eq!(program(P::TriangleStripAdjacency, 10), strip);
        assert_eq!(program(P::TriangleStripAdjacency, 7), [[0, 1, 2, 5, 4, 3]]);
        assert!(program(P::TriangleStripAdjacency, 5).is_empty() && program(P::LineStripAdjacency, 3).is_empty());
        assert_eq!(program(P::TriangleStrip, 4), [[0, 1, 2], [2, 1, 3]]);
    }

    #[test]
    fn pieces_of_a_primitive_have_its_number() {
        use PrimitiveType as P;
        let numbers = |primitive, mode| {
            let raster = RasterState { polygon_mode: [mode; 2], edge_flag_changes: vec![0, 4], ..plain_raster() };
            primitive_numbers(primitive, &[0, 1, 2, 3, 4, 5, RESTART, 6, 7, 8, RESTART, 9, 10, 11, 12], &raster)
        };
        let filled = [
            (P::Points, (0..13).collect()),
            (P::LineLoop, (0..13).collect()),
            (P::TriangleStrip, (0..7).collect()),
            (P::Quads, vec![0, 0, 1, 1]),
            (P::QuadStrip, vec![0, 0, 1, 1, 2, 2]),
            (P::Polygon, vec![0, 0, 0, 0, 1, 2, 2]),
        ];
        for (primitive, expected) in filled {
            assert_eq!(numbers(primitive, PolygonMode::Fill), expected, "{primitive:?}");
        }
        // The edges of the first quadrilateral have no flag; it has a number all the same.
        assert_eq!(numbers(P::Quads, PolygonMode::Line), [1; 4]);
    }

    #[test]
    fn restart_begins_a_new_strip() {
        let elements = [0, 1, 2, RESTART, 3, 4, RESTART, RESTART, 5, 6, 7];
        let primitives = assemble_primitives(PrimitiveType::TriangleStrip, &elements, &plain_raster());
        let vertices: Vec<_> = primitives.iter().map(|p| p.vertices).collect();
        assert_eq!(vertices, [[0, 1, 2], [5, 6, 7]]);
    }

    #[test]
    fn edges_without_their_flag_are_not_drawn() {
        // Elements 1 and 2, and those from 6 on, have no edge flag.
        let edges = |primitive, mode| -> Vec<(u32, u32)> {
            let raster = RasterState { polygon_mode: [mode; 2], edge_flag_changes: vec![1, 3, 6], ..plain_raster() };
            let lines = assemble_primitives(primitive, &[0, 1, 2, 3, 4, 5, 6, 7], &raster);
            lines.iter().map(|line| (line.vertices[0], line.vertices[1])).collect()
        };
        use PrimitiveType as P;
        assert_eq!(edges(P::Triangles, PolygonMode::Line), [(0, 1), (3, 4), (4, 5), (5, 3)]);
        assert_eq!(edges(P::Quads, PolygonMode::Line), [(0, 1), (3, 0), (4, 5), (5, 6)]);
        assert_eq!(edges(P::Polygon, PolygonMode::Line), [(0, 1), (3, 4), (4, 5), (5, 6)]);
        assert_eq!(edges(P::Triangles, PolygonMode::Point).len(), 4);
        assert_eq!(edges(P::TriangleStrip, PolygonMode::Line).len(), 18, "strips have no edge flags");
        assert_eq!(edges(P::TriangleFan, PolygonMode::Line).len(), 18);
        assert_eq!(edges(P::QuadStrip, PolygonMode::Line).len(), 12);
        assert_eq!(edges(P::Triangles, PolygonMode::Fill).len(), 2, "filled polygons ignore them");
    }

    #[test]
    fn edge_flags_count_elements_across_restarts() {
        let raster = RasterState { polygon_mode: [PolygonMode::Line; 2], edge_flag_changes: vec![5], ..plain_raster() };
        let lines = assemble_primitives(PrimitiveType::Triangles, &[0, 1, 2, RESTART, 4, 5, 6], &raster);
        let edges: Vec<_> = lines.iter().map(|line| (line.vertices[0], line.vertices[1])).collect();
        assert_eq!(edges, [(0, 1), (1, 2), (2, 0), (4, 5)]);
    }

    #[test]
    fn outlines_leave_out_inner_edges() {
        let raster = RasterState { polygon_mode: [PolygonMode::Line; 2], ..plain_raster() };
        let edges = |primitive| -> Vec<(u32, u32)> {
            let lines = assemble_primitives(primitive, &[0, 1, 2, 3, 4], &raster);
            assert!(lines.iter().all(|line| line.flags & (KIND_MASK | HAS_FACE) == KIND_LINE | HAS_FACE));
            lines.iter().map(|line| (line.vertices[0], line.vertices[1])).collect()
        };
        assert_eq!(edges(PrimitiveType::Quads), [(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert_eq!(edges(PrimitiveType::Polygon), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
        let raster = RasterState { polygon_mode: [PolygonMode::Point; 2], ..plain_raster() };
        let mut points: Vec<_> = assemble_primitives(PrimitiveType::Quads, &[0, 1, 2, 3], &raster)
            .iter()
            .map(|point| point.vertices[0])
            .collect();
        points.sort_unstable();
        assert_eq!(points, [0, 1, 2, 3]);
    }
}
