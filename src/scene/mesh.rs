//! Generates vertices and triangles from shapes.

use super::expression::{Value, trigonometry};
use super::mesh_file::{self, MeshFileError};
use super::schema::Shape;

/// The most vertices of a mesh.
pub(super) const MAX_VERTICES: usize = 1 << 18;

/// The most indices of a mesh.
pub(super) const MAX_INDICES: usize = 1 << 21;

/// The primitive number of triangles.
const TRIANGLES: u32 = 5;

/// A vertex of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Vertex {
    pub(super) position: [f64; 3],
    pub(super) normal: [f64; 3],
    pub(super) tangent: [f64; 3],
    pub(super) coordinate: [f64; 2],
}

/// Vertices and their connections.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Geometry {
    pub(super) vertices: Vec<Vertex>,
    /// Indices; empty if vertices are drawn in order.
    pub(super) indices: Vec<u32>,
    /// The number of the primitive.
    pub(super) primitive: u32,
}

/// Why a shape has no vertices.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ShapeError {
    /// Too many vertices or indices.
    #[error("a mesh has at most {MAX_VERTICES} vertices and {MAX_INDICES} indices")]
    TooLarge,
    /// Too few segments.
    #[error("a {shape} needs at least {least} segments")]
    TooCoarse {
        /// The shape.
        shape: &'static str,
        /// The least number.
        least: &'static str,
    },
    /// The mesh is not made of triangles.
    #[error("only triangles can be joined")]
    NoTriangles,
    /// A file is not a mesh.
    #[error(transparent)]
    File(#[from] MeshFileError),
}

impl Geometry {
    /// The vertices of a shape that needs neither a file nor other meshes.
    pub(super) fn of_shape(shape: &Shape) -> Result<Option<Self>, ShapeError> {
        Ok(Some(match *shape {
            Shape::Screen => grid((1, 1), |u, v| Vertex {
                position: [u * 2.0 - 1.0, v * 2.0 - 1.0, 0.0],
                normal: [0.0, 0.0, 1.0],
                tangent: [1.0, 0.0, 0.0],
                coordinate: [u, 1.0 - v],
            })?,
            Shape::Plane { size, segments } => grid(segments, |u, v| Vertex {
                position: [(u - 0.5) * size.0, 0.0, (0.5 - v) * size.1],
                normal: [0.0, 1.0, 0.0],
                tangent: [1.0, 0.0, 0.0],
                coordinate: [u, v],
            })?,
            Shape::Cube { size } => cube(size),
            Shape::Sphere { radius, segments } => {
                let segments = at_least(segments, 3, 2, "sphere", "3 by 2")?;
                grid(segments, |u, v| sphere(radius, u, v))?
            }
            Shape::Torus { radius, tube, segments } => {
                let segments = at_least(segments, 3, 3, "torus", "3 by 3")?;
                grid(segments, |u, v| torus(radius, tube, u, v))?
            }
            Shape::Knot { turns, radius, tube, segments } => {
                let segments = at_least(segments, 3, 3, "knot", "3 by 3")?;
                grid(segments, |u, v| knot((turns.0.min(64), turns.1.min(64)), radius, tube, u, v))?
            }
            Shape::Lathe { ref profile, segments } => lathe(profile, segments)?,
            Shape::Vertices { count, primitive } => {
                if count as usize > MAX_VERTICES {
                    return Err(ShapeError::TooLarge);
                }
                let vertex = Vertex { position: [0.0; 3], normal: [0.0; 3], tangent: [0.0; 3], coordinate: [0.0; 2] };
                Self { vertices: vec![vertex; count as usize], indices: Vec::new(), primitive: primitive.0 }
            }
            Shape::Join(_) | Shape::File(_) => return Ok(None),
        }))
    }

    /// The vertices of a mesh file.
    pub(super) fn of_file(bytes: &[u8]) -> Result<Self, ShapeError> {
        let file = mesh_file::read(bytes)?;
        if file.positions.len() > MAX_VERTICES || file.indices.len() > MAX_INDICES {
            return Err(ShapeError::TooLarge);
        }
        let vertices = file.positions.iter().zip(&file.normals).map(|(&position, &normal)| {
            // Files have no texture coordinates: these follow from the direction, as on a sphere.
            let tangent = normalized([normal[2], 0.0, -normal[0]]);
            let coordinate = [position[0] * 0.5 + 0.5, position[1] * 0.5 + 0.5];
            Vertex { position, normal, tangent, coordinate }
        });
        Ok(Self { vertices: vertices.collect(), indices: file.indices, primitive: TRIANGLES })
    }

    /// Appends another mesh of triangles.
    pub(super) fn append(&mut self, other: &Self) -> Result<(), ShapeError> {
        if other.primitive != TRIANGLES || other.indices.is_empty() {
            return Err(ShapeError::NoTriangles);
        }
        let first = u32::try_from(self.vertices.len()).map_err(|_| ShapeError::TooLarge)?;
        self.vertices.extend_from_slice(&other.vertices);
        self.indices.extend(other.indices.iter().map(|index| index + first));
        if self.vertices.len() > MAX_VERTICES || self.indices.len() > MAX_INDICES {
            return Err(ShapeError::TooLarge);
        }
        Ok(())
    }

    /// A mesh of triangles without vertices.
    pub(super) const fn empty() -> Self {
        Self { vertices: Vec::new(), indices: Vec::new(), primitive: TRIANGLES }
    }

    /// Transforms positions by a matrix, and directions accordingly.
    pub(super) fn transform(&mut self, matrix: &super::expression::Matrix, normals: &super::expression::Matrix) {
        let apply = |m: &super::expression::Matrix, v: [f64; 3], w: f64| {
            [0, 1, 2].map(|row: usize| m[row][0] * v[0] + m[row][1] * v[1] + m[row][2] * v[2] + m[row][3] * w)
        };
        for vertex in &mut self.vertices {
            vertex.position = apply(matrix, vertex.position, 1.0);
            vertex.normal = normalized(apply(normals, vertex.normal, 0.0));
            vertex.tangent = normalized(apply(matrix, vertex.tangent, 0.0));
        }
    }
}

impl Vertex {
    /// The names and values of a vertex in attribute formulas.
    pub(super) fn values(&self) -> [(&'static str, Value); 4] {
        [
            ("position", Value::vector(&self.position)),
            ("normal", Value::vector(&self.normal)),
            ("tangent", Value::vector(&self.tangent)),
            ("coordinate", Value::vector(&self.coordinate)),
        ]
    }
}

fn at_least(
    segments: (u32, u32),
    around: u32,
    along: u32,
    shape: &'static str,
    least: &'static str,
) -> Result<(u32, u32), ShapeError> {
    if segments.0 < around || segments.1 < along {
        return Err(ShapeError::TooCoarse { shape, least });
    }
    Ok(segments)
}

/// A grid of cells over 0..1 in u and v, two triangles each; counterclockwise if u points right and v points up.
fn grid(segments: (u32, u32), vertex: impl Fn(f64, f64) -> Vertex) -> Result<Geometry, ShapeError> {
    let (columns, rows) = (segments.0.max(1), segments.1.max(1));
    let vertices = (u64::from(columns) + 1).saturating_mul(u64::from(rows) + 1);
    if vertices > MAX_VERTICES as u64 || u64::from(columns) * u64::from(rows) * 6 > MAX_INDICES as u64 {
        return Err(ShapeError::TooLarge);
    }
    let mut geometry = Geometry::empty();
    for row in 0..=rows {
        for column in 0..=columns {
            geometry.vertices.push(vertex(f64::from(column) / f64::from(columns), f64::from(row) / f64::from(rows)));
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let corner = row * (columns + 1) + column;
            let above = corner + columns + 1;
            geometry.indices.extend([corner, corner + 1, above + 1, corner, above + 1, above]);
        }
    }
    Ok(geometry)
}

fn cube(size: f64) -> Geometry {
    let mut geometry = Geometry::empty();
    for axis in 0..3usize {
        for sign in [1.0, -1.0] {
            let first = 4 * (2 * u32::try_from(axis).unwrap_or(0) + u32::from(sign < 0.0));
            let (mut normal, mut across, mut up) = ([0.0; 3], [0.0; 3], [0.0; 3]);
            normal[axis] = sign;
            across[(axis + 1) % 3] = sign;
            up[(axis + 2) % 3] = 1.0;
            for (u, v) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
                let position = [0, 1, 2]
                    .map(|i: usize| size / 2.0 * (normal[i] + across[i] * (2.0 * u - 1.0) + up[i] * (2.0 * v - 1.0)));
                geometry.vertices.push(Vertex { position, normal, tangent: across, coordinate: [u, v] });
            }
            geometry.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
    }
    geometry
}

fn turn(part: f64) -> (f64, f64) {
    let angle = part * std::f64::consts::TAU;
    (trigonometry::sin(angle), trigonometry::cos(angle))
}

fn sphere(radius: f64, u: f64, v: f64) -> Vertex {
    let (sine, cosine) = turn(u);
    let (height, ring) = turn((v - 0.5) / 2.0);
    let normal = [ring * sine, height, ring * cosine];
    Vertex { position: normal.map(|x| x * radius), normal, tangent: [cosine, 0.0, -sine], coordinate: [u, v] }
}

fn torus(radius: f64, tube: f64, u: f64, v: f64) -> Vertex {
    let (sine, cosine) = turn(u);
    let (height, out) = turn(v);
    let normal = [out * sine, height, out * cosine];
    let ring = radius + tube * out;
    Vertex {
        position: [ring * sine, tube * height, ring * cosine],
        normal,
        tangent: [cosine, 0.0, -sine],
        coordinate: [u, v],
    }
}

fn knot(turns: (u32, u32), radius: f64, tube: f64, u: f64, v: f64) -> Vertex {
    let center = |u: f64| {
        let (sine, cosine) = turn(u * f64::from(turns.0));
        let (height, out) = turn(u * f64::from(turns.1));
        let ring = radius * (1.0 + 0.4 * out);
        [ring * cosine, radius * 0.4 * height, ring * sine]
    };
    let (here, next) = (center(u), center(u + 1e-4));
    let along = normalized([next[0] - here[0], next[1] - here[1], next[2] - here[2]]);
    let outwards = normalized(here);
    let side = normalized(cross(along, outwards));
    let up = cross(side, along);
    let (sine, cosine) = turn(v);
    let normal = [0, 1, 2].map(|i: usize| up[i] * cosine - side[i] * sine);
    let position = [0, 1, 2].map(|i: usize| here[i] + tube * normal[i]);
    Vertex { position, normal, tangent: along, coordinate: [u, v] }
}

fn lathe(profile: &[(f64, f64)], segments: u32) -> Result<Geometry, ShapeError> {
    let rings = u32::try_from(profile.len()).map_err(|_| ShapeError::TooLarge)?;
    let segments = at_least((segments, rings), 3, 2, "lathe", "3, and 2 rings,")?;
    let last = profile.len() - 1;
    grid((segments.0, segments.1 - 1), |u, v| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "v counts the rings of the profile"
        )]
        let ring = ((v * last as f64).round() as usize).min(last);
        let (before, behind) = (profile[ring.saturating_sub(1)], profile[(ring + 1).min(last)]);
        let slope = normalized([behind.1 - before.1, before.0 - behind.0, 0.0]);
        let (sine, cosine) = turn(u);
        let (radius, height) = profile[ring];
        Vertex {
            position: [radius * sine, height, radius * cosine],
            normal: [slope[0] * sine, slope[1], slope[0] * cosine],
            tangent: [cosine, 0.0, -sine],
            coordinate: [u, v],
        }
    })
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn normalized(v: [f64; 3]) -> [f64; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    if length > 0.0 { v.map(|component| component / length) } else { v }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(shape: &Shape) -> Geometry {
        Geometry::of_shape(shape).unwrap().unwrap()
    }

    /// The sum over triangles of the signed volume to the origin.
    fn volume(geometry: &Geometry) -> f64 {
        let corner = |index: u32| geometry.vertices[index as usize].position;
        geometry
            .indices
            .chunks(3)
            .map(|triangle| {
                let [a, b, c] = [corner(triangle[0]), corner(triangle[1]), corner(triangle[2])];
                let n = cross(b, c);
                (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6.0
            })
            .sum()
    }

    #[test]
    fn closed_shapes_have_the_volume_of_their_formula() {
        use std::f64::consts::PI;
        for (shape, expected, tolerance) in [
            (Shape::Cube { size: 2.0 }, 8.0, 1e-12),
            (Shape::Sphere { radius: 1.0, segments: (64, 32) }, 4.0 / 3.0 * PI, 0.01),
            (Shape::Torus { radius: 2.0, tube: 0.5, segments: (64, 32) }, 2.0 * PI * PI * 2.0 * 0.25, 0.02),
            // A tube of length l has the volume πr²l; the trefoil's length is computed from its center line.
            (
                Shape::Lathe { profile: vec![(0.0, 0.0), (1.0, 0.0), (1.0, 3.0), (0.0, 3.0)], segments: 64 },
                3.0 * PI,
                0.01,
            ),
        ] {
            let volume = volume(&geometry(&shape));
            assert!((volume / expected - 1.0).abs() < tolerance, "{shape:?}: {volume} instead of {expected}");
        }
        assert!(volume(&geometry(&Shape::Knot { turns: (2, 3), radius: 1.0, tube: 0.2, segments: (200, 12) })) > 0.0);
    }

    #[test]
    fn normals_have_length_one_and_point_to_the_front_of_their_triangles() {
        for shape in [
            Shape::Screen,
            Shape::Plane { size: (3.0, 2.0), segments: (2, 3) },
            Shape::Cube { size: 1.0 },
            Shape::Sphere { radius: 2.0, segments: (16, 8) },
            Shape::Torus { radius: 2.0, tube: 0.5, segments: (16, 8) },
            Shape::Knot { turns: (2, 3), radius: 1.0, tube: 0.2, segments: (100, 8) },
            Shape::Lathe { profile: vec![(0.5, 0.0), (1.0, 1.0), (0.2, 2.0)], segments: 12 },
        ] {
            let geometry = geometry(&shape);
            for triangle in geometry.indices.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|corner: usize| geometry.vertices[triangle[corner] as usize]);
                let edge = |from: Vertex, to: Vertex| [0, 1, 2].map(|i: usize| to.position[i] - from.position[i]);
                let face = cross(edge(a, b), edge(a, c));
                let sum = [0, 1, 2].map(|i: usize| a.normal[i] + b.normal[i] + c.normal[i]);
                let agreement: f64 = (0..3).map(|i| face[i] * sum[i]).sum();
                assert!(agreement >= 0.0, "{shape:?} {triangle:?}");
            }
            for vertex in &geometry.vertices {
                let length: f64 = vertex.normal.iter().map(|x| x * x).sum();
                assert!((length - 1.0).abs() < 1e-12, "{shape:?}");
            }
        }
    }

    #[test]
    fn sizes_are_bounded() {
        for shape in [
            Shape::Plane { size: (1.0, 1.0), segments: (u32::MAX, u32::MAX) },
            Shape::Sphere { radius: 1.0, segments: (1 << 16, 1 << 16) },
            Shape::Vertices { count: u32::MAX, primitive: super::super::text::Primitive(1) },
        ] {
            assert_eq!(Geometry::of_shape(&shape), Err(ShapeError::TooLarge));
        }
        assert!(Geometry::of_shape(&Shape::Torus { radius: 1.0, tube: 1.0, segments: (2, 3) }).is_err());
        assert!(Geometry::of_shape(&Shape::Lathe { profile: Vec::new(), segments: 9 }).is_err());
    }
}
