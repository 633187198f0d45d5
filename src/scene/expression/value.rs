//! Numbers, vectors and matrices of expressions, and the matrices of cameras.

use super::trigonometry::{cos, sin};

/// Rows of a 4×4 matrix; vectors are columns, multiplied from the right.
pub type Matrix = [[f64; 4]; 4];

/// The value of an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number (one component) or a vector.
    Vector {
        /// The components, followed by zeros.
        components: [f64; 4],
        /// The number of components, 1 to 4.
        size: usize,
    },
    /// A matrix.
    Matrix(Matrix),
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::vector(&[number])
    }
}

impl Value {
    /// A vector of at most four components.
    #[must_use]
    pub fn vector(components: &[f64]) -> Self {
        let mut all = [0.0; 4];
        for (component, value) in all.iter_mut().zip(components) {
            *component = *value;
        }
        Self::Vector { components: all, size: components.len().clamp(1, 4) }
    }

    /// A description of the value.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Vector { size: 1, .. } => "a number",
            Self::Vector { size: 2, .. } => "a vector of two",
            Self::Vector { size: 3, .. } => "a vector of three",
            Self::Vector { .. } => "a vector of four",
            Self::Matrix(_) => "a matrix",
        }
    }

    /// The rows that it fills when it is assigned to a program parameter: one for a vector, four for a matrix.
    ///
    /// A number fills all four components; the fourth component of shorter vectors is 1, the third 0.
    #[must_use]
    pub fn rows(&self) -> Vec<[f64; 4]> {
        match self {
            Self::Vector { components: [x, ..], size: 1 } => vec![[*x; 4]],
            Self::Vector { components: [x, y, ..], size: 2 } => vec![[*x, *y, 0.0, 1.0]],
            Self::Vector { components: [x, y, z, _], size: 3 } => vec![[*x, *y, *z, 1.0]],
            Self::Vector { components, .. } => vec![*components],
            Self::Matrix(rows) => rows.to_vec(),
        }
    }
}

/// Applies a function to matching components; a number is paired with every component of a vector.
pub(super) fn componentwise(left: &Value, right: &Value, apply: impl Fn(f64, f64) -> f64) -> Result<Value, String> {
    match (left, right) {
        (Value::Vector { components: a, size: m }, Value::Vector { components: b, size: n }) => {
            if m != n && *m != 1 && *n != 1 {
                return Err(format!("{} and {} do not go together", left.kind(), right.kind()));
            }
            let size = *m.max(n);
            let component = |v: &[f64; 4], n: usize, i: usize| if n == 1 { v[0] } else { v[i] };
            let components =
                std::array::from_fn(|i| if i < size { apply(component(a, *m, i), component(b, *n, i)) } else { 0.0 });
            Ok(Value::Vector { components, size })
        }
        (Value::Matrix(a), Value::Matrix(b)) => Ok(Value::Matrix(std::array::from_fn(|row| {
            std::array::from_fn(|column| apply(a[row][column], b[row][column]))
        }))),
        _ => Err(format!("{} and {} do not go together", left.kind(), right.kind())),
    }
}

/// The identity.
pub const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

pub(in crate::scene) fn transposed(m: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| m[column][row]))
}

pub(super) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            a[row][0] * b[0][column] + a[row][1] * b[1][column] + a[row][2] * b[2][column] + a[row][3] * b[3][column]
        })
    })
}

pub(super) fn transformed(m: &Matrix, v: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|row| m[row][0] * v[0] + m[row][1] * v[1] + m[row][2] * v[2] + m[row][3] * v[3])
}

/// The inverse by Gauss-Jordan elimination with pivoting; `None` if there is none.
pub(in crate::scene) fn inverted(m: &Matrix) -> Option<Matrix> {
    let (mut left, mut right) = (*m, IDENTITY);
    for column in 0..4 {
        let pivot = (column..4).max_by(|&a, &b| left[a][column].abs().total_cmp(&left[b][column].abs()))?;
        if left[pivot][column].abs() < 1e-300 {
            return None;
        }
        left.swap(column, pivot);
        right.swap(column, pivot);
        let factor = 1.0 / left[column][column];
        for index in 0..4 {
            left[column][index] *= factor;
            right[column][index] *= factor;
        }
        for row in (0..4).filter(|row| *row != column) {
            let factor = left[row][column];
            for index in 0..4 {
                left[row][index] -= factor * left[column][index];
                right[row][index] -= factor * right[column][index];
            }
        }
    }
    Some(right)
}

pub(super) fn dot(a: [f64; 4], b: [f64; 4]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

pub(super) fn cross(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0.0]
}

/// The vector of length 1 in the same direction; zeros stay zeros.
pub(super) fn normalized(v: [f64; 4]) -> [f64; 4] {
    let length = dot(v, v).sqrt();
    if length > 0.0 { v.map(|component| component / length) } else { v }
}

pub(super) fn translation(x: f64, y: f64, z: f64) -> Matrix {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]]
}

pub(super) fn scaling(x: f64, y: f64, z: f64) -> Matrix {
    [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0], [0.0, 0.0, 0.0, 1.0]]
}

/// A rotation about an axis, counterclockwise if the axis points at the viewer.
pub(super) fn rotation(axis: [f64; 4], degrees: f64) -> Matrix {
    let [x, y, z, _] = normalized([axis[0], axis[1], axis[2], 0.0]);
    let angle = degrees.to_radians();
    let (s, c) = (sin(angle), cos(angle));
    let d = 1.0 - c;
    [
        [c + x * x * d, x * y * d - z * s, x * z * d + y * s, 0.0],
        [y * x * d + z * s, c + y * y * d, y * z * d - x * s, 0.0],
        [z * x * d - y * s, z * y * d + x * s, c + z * z * d, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
}

/// The view of a camera at `eye` that looks at `target`, with `up` pointing up in the picture.
pub(super) fn look_at(eye: [f64; 4], target: [f64; 4], up: [f64; 4]) -> Matrix {
    let difference = [0, 1, 2].map(|i: usize| target[i] - eye[i]);
    let forward = normalized([difference[0], difference[1], difference[2], 0.0]);
    let side = normalized(cross(forward, [up[0], up[1], up[2], 0.0]));
    let above = cross(side, forward);
    let row = |axis: [f64; 4], sign: f64| {
        let distance = axis[0] * eye[0] + axis[1] * eye[1] + axis[2] * eye[2];
        [sign * axis[0], sign * axis[1], sign * axis[2], -sign * distance]
    };
    [row(side, 1.0), row(above, 1.0), row(forward, -1.0), [0.0, 0.0, 0.0, 1.0]]
}

/// A perspective projection to clip space with depth −w to w; the field of view is vertical, in degrees.
pub(super) fn perspective(field_of_view: f64, aspect: f64, near: f64, far: f64) -> Matrix {
    let half = field_of_view.to_radians() / 2.0;
    let scale = cos(half) / sin(half);
    let depth = near - far;
    [
        [scale / aspect, 0.0, 0.0, 0.0],
        [0.0, scale, 0.0, 0.0],
        [0.0, 0.0, (far + near) / depth, 2.0 * far * near / depth],
        [0.0, 0.0, -1.0, 0.0],
    ]
}

/// A parallel projection of the box from left to right, bottom to top, near to far.
pub(super) fn orthographic([left, right, bottom, top, near, far]: [f64; 6]) -> Matrix {
    let row = |low: f64, high: f64| (2.0 / (high - low), -(high + low) / (high - low));
    let ((x, dx), (y, dy), (z, dz)) = (row(left, right), row(bottom, top), row(near, far));
    [[x, 0.0, 0.0, dx], [0.0, y, 0.0, dy], [0.0, 0.0, -z, dz], [0.0, 0.0, 0.0, 1.0]]
}
