//! Sets up assembled primitives: window coordinates on the subpixel grid, exact edge functions, facing.
//!
//! Each primitive makes exactly one primitive setup, so setups are in submission order. A setup covers the pixels
//! inside up to four half planes. Three linear functions of the pixel weight the corners (three for a triangle, two for
//! a line, one for a point). A clipped primitive keeps the half planes of its own edges: pixels beyond the clipping
//! planes lie outside the clip rectangle or the depth range, so edges that clipping makes cover nothing.

use super::clip_primitives::clip_polygon;
use super::set_up_lines::{set_up_line, set_up_point};
use super::transform_vertices::{Dropped, SetUpCorner, WindowVertex, transform};
use crate::arith::{SIGN, fragment as fp, special};
use crate::pipeline::ShadedVertex;
use crate::pipeline::front_end::assemble_primitives::{
    HAS_FACE, KIND_LINE, KIND_MASK, KIND_POINT, KIND_TRIANGLE, Primitive, RESTARTS_STIPPLE, polygon_kind,
};
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::primitive_setup::{
    LinearFunction, PrimitiveSetup, RECORD_CLIPPED, RECORD_CULLED, RECORD_FRONT, RECORD_NOT_FINITE,
    RECORD_RESTARTS_STIPPLE, RECORD_VALID, SUBPIXEL_BITS, rounded,
};
use crate::reference::raster::polygon_coverage::{FADE, soften_edges};

impl PrimitiveSetup {
    /// Sets the columns and rows that the setup may cover; an empty range draws nothing.
    pub(crate) fn fit_bounds(&mut self, parameters: &RasterParameters<'_>, low: [i32; 2], high: [i32; 2]) {
        let clip = parameters.clip;
        let [left, top, right, bottom] = [clip.x, clip.y, clip.right(), clip.bottom()].map(u32::cast_signed);
        let reach = parameters.raster.samples.reach().cast_signed();
        let first = |position: i32| (position + 7 - reach) >> SUBPIXEL_BITS;
        let last = |position: i32| (position - 8 + reach) >> SUBPIXEL_BITS;
        let (x0, y0) = (first(low[0]).max(left), first(low[1]).max(top));
        let (x1, y1) = (last(high[0]).min(right - 1), last(high[1]).min(bottom - 1));
        if x0 > x1 || y0 > y1 {
            self.set(RECORD_VALID, false);
            return;
        }
        self.set_bounds([[x0, y0], [x1, y1]].map(|pixel| pixel.map(i32::cast_unsigned)));
    }
}

/// Sets up every primitive; setup i belongs to primitive i.
#[must_use]
pub fn set_up_primitives(
    parameters: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    primitives: &[Primitive],
) -> Vec<PrimitiveSetup> {
    set_up_batch(parameters, vertices, primitives, &mut 0)
}

/// Sets up some primitives of a draw; `counter` is the line stipple counter, which continues from batch to batch.
pub(crate) fn set_up_batch(
    parameters: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    primitives: &[Primitive],
    counter: &mut u32,
) -> Vec<PrimitiveSetup> {
    let mut records = Vec::with_capacity(primitives.len());
    for primitive in primitives {
        let mut record = set_up_primitive(parameters, vertices, primitive);
        if record.has(RECORD_RESTARTS_STIPPLE) {
            *counter = 0;
        }
        if record.kind() == KIND_LINE && parameters.raster.line_stipple.is_some() {
            record.span[2] = *counter;
            *counter = counter.wrapping_add(record.span[1]);
        }
        records.push(record);
    }
    records
}

fn set_up_primitive(
    parameters: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    primitive: &Primitive,
) -> PrimitiveSetup {
    let kind = primitive.flags & KIND_MASK;
    let restarts = if primitive.flags & RESTARTS_STIPPLE != 0 { RECORD_RESTARTS_STIPPLE } else { 0 };
    let [v0, v1, v2] = primitive.vertices;
    let header = [kind | RECORD_FRONT | restarts, 0, 0, primitive.provoking];
    let mut record = PrimitiveSetup { header, vertices: [v0, v1, v2, 0], ..PrimitiveSetup::default() };
    match fill_record(parameters, vertices, primitive, &mut record) {
        Ok(()) if record.is_valid() => record,
        // OpenGL 2.1, sections 3.4.2 and 4.1.2: the stipple counts the pixels of lines before the scissor removes them.
        Ok(()) if kind == KIND_LINE => PrimitiveSetup { header, span: record.span, ..PrimitiveSetup::default() },
        Ok(()) => PrimitiveSetup { header, ..PrimitiveSetup::default() },
        Err(dropped) => {
            let reason = match dropped {
                Dropped::NotFinite => RECORD_NOT_FINITE,
                Dropped::Culled => RECORD_CULLED,
                Dropped::Invisible => 0,
            };
            PrimitiveSetup { header: [header[0] | reason, 0, 0, header[3]], ..PrimitiveSetup::default() }
        }
    }
}

fn fill_record(
    parameters: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    primitive: &Primitive,
    record: &mut PrimitiveSetup,
) -> Result<(), Dropped> {
    let kind = primitive.flags & KIND_MASK;
    // Nonexistent vertices have w = 0 and are outside the first plane.
    let position = |vertex: u32| vertices.get(vertex as usize).map_or([0; 4], |vertex| vertex.slot(0));
    let in_window = |vertices: [u32; 3]| vertices.map(|vertex| transform(parameters, position(vertex)));
    let corners = in_window(primitive.vertices);
    let faces = if primitive.face == primitive.vertices { corners } else { in_window(primitive.face) };
    if corners.iter().chain(&faces).any(|corner| matches!(corner, Err(Dropped::NotFinite))) {
        return Err(Dropped::NotFinite);
    }
    if is_beyond_plane(parameters, vertices, primitive) {
        return Err(Dropped::Invisible);
    }
    let [a, b, _] = corners;
    let [face0, face1, face2] = faces;
    if kind == KIND_TRIANGLE || primitive.flags & HAS_FACE != 0 {
        let triangle = Triangle::new(parameters, [&face0?, &face1?, &face2?])?;
        triangle.face(parameters, kind, record)?;
        if kind == KIND_TRIANGLE {
            triangle.fill(parameters, record);
            if parameters.has_smooth_polygons {
                soften_edges(record, primitive.flags);
            }
            return Ok(());
        }
    }
    if kind == KIND_POINT {
        let outputs = vertices.get(primitive.vertices[0] as usize).map_or(&[][..], |vertex| &vertex.outputs);
        set_up_point(parameters, record, outputs, &a?)
    } else {
        set_up_line(parameters, record, [&a?, &b?])
    }
}

/// Whether a plane that culls has all vertices of a primitive on its negative side; those of a triangle, however it is drawn.
// Unverified: that a distance that is not a number is negative, as in Direct3D.
fn is_beyond_plane(parameters: &RasterParameters<'_>, vertices: &[ShadedVertex], primitive: &Primitive) -> bool {
    let corners = if primitive.flags & HAS_FACE != 0 { primitive.face } else { primitive.vertices };
    parameters.cull_distances.iter().flatten().any(|distance| {
        let of_vertex = |vertex: u32| vertices.get(vertex as usize).map_or(0, |vertex| distance.of(&vertex.outputs));
        corners.iter().all(|vertex| !fp::is_less_equal(0, of_vertex(*vertex)))
    })
}

/// A triangle after clipping: three of its corners that span an area, and its edges.
struct Triangle {
    corners: [SetUpCorner; 3],
    shares: [[u32; 2]; 3],
    is_clipped: bool,
    area: i64,
    /// The endpoints of its own edges; `None` for edges that clipping removed.
    edges: [Option<[[i32; 2]; 2]>; 3],
    low: [i32; 2],
    high: [i32; 2],
}

/// Twice the signed area of a triangle, in subpixels.
fn doubled_area(a: [i32; 2], b: [i32; 2], c: [i32; 2]) -> i64 {
    let side = |to: [i32; 2]| [i64::from(to[0]) - i64::from(a[0]), i64::from(to[1]) - i64::from(a[1])];
    let (first, second) = (side(b), side(c));
    first[0] * second[1] - second[0] * first[1]
}

impl Triangle {
    fn new(parameters: &RasterParameters<'_>, vertices: [&WindowVertex; 3]) -> Result<Self, Dropped> {
        let [a, b, c] = vertices.map(|vertex| vertex.outside);
        if a & b & c != 0 {
            return Err(Dropped::Invisible);
        }
        let polygon = clip_polygon(parameters, vertices.map(|vertex| vertex.homogeneous), a | b | c);
        let corners: Vec<_> = polygon.iter().map(|corner| SetUpCorner::of_corner(corner, &vertices)).collect();
        // Among the triangles around corner 0, the first with the largest area weights the corners best.
        let mut best = (0, 0);
        for index in 1..corners.len().saturating_sub(1) {
            let area = doubled_area(corners[0].point, corners[index].point, corners[index + 1].point);
            if area.abs() > i64::abs(best.1) {
                best = (index, area);
            }
        }
        let (index, area) = best;
        if area == 0 {
            return Err(Dropped::Invisible);
        }
        let mut edges = [None; 3];
        for (index, corner) in polygon.iter().enumerate() {
            if let Some(edge) = corner.edge {
                edges[edge] = Some([corners[index].point, corners[(index + 1) % corners.len()].point]);
            }
        }
        let extreme = |pick: fn(i32, i32) -> i32| {
            corners.iter().map(|corner| corner.point).reduce(|a, b| [pick(a[0], b[0]), pick(a[1], b[1])])
        };
        Ok(Self {
            corners: [corners[0], corners[index], corners[index + 1]],
            shares: [polygon[0].shares, polygon[index].shares, polygon[index + 1].shares],
            is_clipped: (a | b | c) != 0,
            area,
            edges,
            low: extreme(i32::min).unwrap_or_default(),
            high: extreme(i32::max).unwrap_or_default(),
        })
    }

    /// Decides which face is visible and whether it is drawn as this kind of primitive; computes the depth offset.
    fn face(&self, parameters: &RasterParameters<'_>, kind: u32, record: &mut PrimitiveSetup) -> Result<(), Dropped> {
        let raster = parameters.raster;
        // Counter-clockwise as seen: rows count downward, so the area is negative.
        let is_front = (self.area < 0) == raster.front_is_counter_clockwise;
        let [front_mode, back_mode] = raster.polygon_mode;
        let mode = if is_front { front_mode } else { back_mode };
        if raster.cull.is_some_and(|face| face.culls(is_front)) || polygon_kind(mode) != kind {
            return Err(Dropped::Culled);
        }
        if !is_front {
            record.set(RECORD_FRONT, false);
        }
        if raster.offset_enabled[kind as usize] {
            record.depth[3] = self.offset(parameters);
        }
        Ok(())
    }

    /// The depth offset: factor × the larger slope + the constant part, up to its limit (`EXT_polygon_offset_clamp`).
    fn offset(&self, parameters: &RasterParameters<'_>) -> u32 {
        let weights = self.weights();
        let per_area = special::rcp(rounded(self.area.abs()));
        let [d1, d2] = self.depth_differences();
        let slope = |along: fn(&LinearFunction) -> i32| {
            let change =
                |weight: &LinearFunction, difference| fp::mul(fp::int_to_float(16 * along(weight)), difference);
            fp::absolute(fp::mul(fp::add(change(&weights[1], d1), change(&weights[2], d2)), per_area))
        };
        let largest = fp::max(slope(|weight| weight.a), slope(|weight| weight.b));
        let offset = fp::add(fp::mul(parameters.raster.offset_factor, largest), parameters.offset_constant);
        match parameters.raster.offset_limit {
            0 | SIGN => offset,
            limit if limit & SIGN == 0 => fp::min(offset, limit),
            limit => fp::max(offset, limit),
        }
    }

    fn depth_differences(&self) -> [u32; 2] {
        [1, 2].map(|corner: usize| fp::sub(self.corners[corner].depth, self.corners[0].depth))
    }

    /// The function that is 0 along an edge and positive inside.
    fn edge(&self, from: [i32; 2], to: [i32; 2]) -> LinearFunction {
        let sign = self.area.signum();
        let (dx, dy) = (i64::from(to[0]) - i64::from(from[0]), i64::from(to[1]) - i64::from(from[1]));
        LinearFunction::through(-dy * sign, dx * sign, from, 0)
    }

    fn weights(&self) -> [LinearFunction; 3] {
        let [a, b, c] = self.corners.map(|corner| corner.point);
        [self.edge(b, c), self.edge(c, a), self.edge(a, b)]
    }

    fn fill(&self, parameters: &RasterParameters<'_>, record: &mut PrimitiveSetup) {
        record.set(RECORD_VALID, true);
        record.set(RECORD_CLIPPED, self.is_clipped);
        record.weights = self.weights();
        let [q0, q1, q2] = self.corners.map(|corner| corner.reciprocal);
        record.perspective = [q0, q1, q2, special::rcp(rounded(self.area.abs()))];
        let [d1, d2] = self.depth_differences();
        record.depth = [self.corners[0].depth, d1, d2, record.depth[3]];
        for vertex in 0..2 {
            for corner in 0..3 {
                record.shares[vertex][corner] = self.shares[corner][vertex];
            }
        }
        for (edge, ends) in self.edges.iter().enumerate() {
            let Some([from, to]) = *ends else { continue };
            record.edges[edge] = self.edge(from, to).without_ties();
        }
        let margin = if parameters.has_smooth_polygons { FADE } else { 0 };
        record.fit_bounds(parameters, self.low.map(|low| low - margin), self.high.map(|high| high + margin));
    }
}
