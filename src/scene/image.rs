//! Produces texels of textures as floats from PNG files, expressions and height fields.

use std::io::Cursor;

use super::expression::{Expression, ExpressionError, Scope, Value};
use crate::pipeline::Dimensions;

/// The most texels of a texture's largest level, over all faces and slices.
pub(super) const MAX_TEXELS: u64 = 1 << 22;

/// Red, green, blue, alpha.
pub(crate) type Texel = [f32; 4];

/// The texels of a texture, level by level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Texels {
    pub(crate) dimensions: Dimensions,
    /// Width, height, depth of the largest level.
    pub(crate) size: [u32; 3],
    /// The levels of each face, with rows from the first on.
    pub(crate) faces: Vec<Vec<Vec<Texel>>>,
}

impl Texels {
    /// Creates texels with one level per face.
    pub(crate) fn new(dimensions: Dimensions, size: [u32; 3], faces: Vec<Vec<Texel>>) -> Self {
        Self { dimensions, size, faces: faces.into_iter().map(|texels| vec![texels]).collect() }
    }

    /// Appends all smaller levels; each texel is the mean of the texels that it covers.
    pub(crate) fn build_levels(&mut self) {
        for face in &mut self.faces {
            let mut size = self.size;
            while size != [1; 3]
                && let Some(level) = face.last()
            {
                let smaller = halved(level, size);
                size = size.map(|texels| (texels / 2).max(1));
                face.push(smaller);
            }
        }
    }

    /// The number of levels.
    pub(crate) fn levels(&self) -> u32 {
        self.faces.first().map_or(0, |face| u32::try_from(face.len()).unwrap_or(u32::MAX))
    }
}

/// The next level. Odd sizes lose their last row or column, as the chip's sizes do.
fn halved(level: &[Texel], size: [u32; 3]) -> Vec<Texel> {
    let smaller = size.map(|texels| (texels / 2).max(1));
    let at = |x: u32, y: u32, z: u32| level[((z * size[1] + y) * size[0] + x) as usize];
    let mut texels = Vec::new();
    for z in 0..smaller[2] {
        for y in 0..smaller[1] {
            for x in 0..smaller[0] {
                let mut sum = [0.0f32; 4];
                for corner in 0..8u32 {
                    let texel = |axis: usize, at: u32| (at * 2 + (corner >> axis & 1)).min(size[axis] - 1);
                    let texel = at(texel(0, x), texel(1, y), texel(2, z));
                    sum = [0, 1, 2, 3].map(|channel: usize| sum[channel] + texel[channel]);
                }
                texels.push(sum.map(|value| value / 8.0));
            }
        }
    }
    texels
}

/// Decodes a PNG file into (width, height, texels).
pub(crate) fn decode_png(bytes: &[u8]) -> Result<(u32, u32, Vec<Texel>), String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let (width, height) = reader.info().size();
    if width > 4096 || height > 4096 || u64::from(width) * u64::from(height) > MAX_TEXELS {
        return Err(format!("a picture of {width}×{height} is too large for a texture"));
    }
    let bytes = reader.output_buffer_size().ok_or("absurd size")?;
    let mut pixels = vec![0; bytes];
    let frame = reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
    pixels.truncate(frame.buffer_size());
    let unit = |byte: u8| f32::from(byte) / 255.0;
    let texels: Vec<Texel> = match frame.color_type {
        png::ColorType::Rgba => pixels.as_chunks::<4>().0.iter().map(|pixel| pixel.map(unit)).collect(),
        png::ColorType::GrayscaleAlpha => pixels
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&[gray, alpha]| [unit(gray), unit(gray), unit(gray), unit(alpha)])
            .collect(),
        kind => return Err(format!("pixels of type {kind:?} are not read")),
    };
    Ok((width, height, texels))
}

/// Texels of an expression at their centers; numbers become gray, missing alpha 1.
pub(super) fn from_expression(
    expression: &Expression,
    scope: &mut Scope<'_>,
    dimensions: Dimensions,
    size: [u32; 3],
) -> Result<Texels, ExpressionError> {
    let mut faces = Vec::new();
    for face in 0..if dimensions == Dimensions::Cube { 6 } else { 1 } {
        let mut texels = Vec::new();
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let part = |at: u32, axis: usize| (f64::from(at) + 0.5) / f64::from(size[axis]);
                    let [u, v, w] = [part(x, 0), part(y, 1), part(z, 2)];
                    scope.set("u", u);
                    scope.set("v", v);
                    scope.set("w", w);
                    if dimensions == Dimensions::Cube {
                        scope.set("direction", Value::vector(&face_direction(face, u * 2.0 - 1.0, v * 2.0 - 1.0)));
                    }
                    texels.push(texel(&expression.evaluate(scope)?));
                }
            }
        }
        faces.push(texels);
    }
    Ok(Texels::new(dimensions, size, faces))
}

/// Converts a value to a color.
#[expect(clippy::cast_possible_truncation, reason = "colors are singles")]
pub(super) fn texel(value: &Value) -> Texel {
    match value {
        Value::Vector { components: [gray, ..], size: 1 } => [*gray as f32, *gray as f32, *gray as f32, 1.0],
        value => value.rows()[0].map(|component| component as f32),
    }
}

/// The unit direction of a point on a face of a cube, s to the right and t downward (the table of cube maps in the
/// OpenGL specification, solved for the direction).
pub(super) fn face_direction(face: usize, s: f64, t: f64) -> [f64; 3] {
    let [x, y, z] = match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    };
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

/// The normals of a height field as colors: 0.5 + 0.5·n, the height in alpha. The field repeats at its edges.
#[expect(clippy::cast_possible_truncation, reason = "colors are singles")]
pub(super) fn normal_map(heights: &Texels, strength: f64) -> Texels {
    let [width, height, _] = heights.size;
    let level = &heights.faces[0][0];
    let at = |x: u32, y: u32| f64::from(level[((y % height) * width + x % width) as usize][0]);
    let mut texels = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let slope_x = (at(x + 1, y) - at(x + width - 1, y)) * strength * f64::from(width) / 2.0;
            let slope_y = (at(x, y + 1) - at(x, y + height - 1)) * strength * f64::from(height) / 2.0;
            let length = (slope_x * slope_x + slope_y * slope_y + 1.0).sqrt();
            let normal = [-slope_x / length, -slope_y / length, 1.0 / length];
            let [r, g, b] = normal.map(|component| (component * 0.5 + 0.5) as f32);
            texels.push([r, g, b, at(x, y) as f32]);
        }
    }
    Texels::new(Dimensions::Two, heights.size, vec![texels])
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn levels_are_means() {
        let texel = |value: f32| [value; 4];
        let base = vec![texel(0.0), texel(1.0), texel(2.0), texel(4.0), texel(5.0), texel(6.0)];
        let mut texels = Texels::new(Dimensions::Two, [3, 2, 1], vec![base]);
        texels.build_levels();
        assert_eq!(texels.levels(), 2);
        assert_eq!(texels.faces[0][1], [texel((0.0 + 1.0 + 4.0 + 5.0) / 4.0)]);
    }

    #[test]
    fn faces_of_a_cube_meet_at_their_edges() {
        // The right edge of +z is the left edge of +x; the upper edge of +z is the lower edge of +y.
        for step in [-0.7, 0.0, 0.4] {
            assert_eq!(face_direction(4, 1.0, step), face_direction(0, -1.0, step));
            assert_eq!(face_direction(4, step, -1.0), face_direction(2, step, 1.0));
        }
        for face in 0..6 {
            let axis = face / 2;
            let center = face_direction(face, 0.0, 0.0);
            assert_eq!(center[axis], if face % 2 == 0 { 1.0 } else { -1.0 });
        }
    }

    #[test]
    fn expressions_are_sampled_at_texel_centers() {
        let steps = Cell::new(0);
        let mut scope = Scope::new(Vec::new(), &steps);
        let expression = Expression::parse("(u, v, w)", 0).unwrap();
        let texels = from_expression(&expression, &mut scope, Dimensions::Three, [2, 2, 4]).unwrap();
        assert_eq!(texels.faces[0][0].len(), 16);
        assert_eq!(texels.faces[0][0][6], [0.25, 0.75, 0.375, 1.0]);
        let gray = Expression::parse("0.5", 0).unwrap();
        let texels = from_expression(&gray, &mut scope, Dimensions::Cube, [1, 1, 1]).unwrap();
        assert_eq!(texels.faces, vec![vec![vec![[0.5, 0.5, 0.5, 1.0]]]; 6]);
    }

    #[test]
    fn a_slope_tilts_the_normal() {
        let steps = Cell::new(0);
        let mut scope = Scope::new(Vec::new(), &steps);
        let expression = Expression::parse("sin(2 * pi * u)", 0).unwrap();
        let heights = from_expression(&expression, &mut scope, Dimensions::Two, [64, 4, 1]).unwrap();
        let normals = normal_map(&heights, 1.0);
        let [r, g, b, _] = normals.faces[0][0][0];
        // At u near 0 the height grows by 2π per width: the normal is (-2π, 0, 1) / √(1 + 4π²).
        assert!((f64::from(r) - (0.5 - 0.5 * 0.9876)).abs() < 1e-3 && g == 0.5 && b > 0.5, "{r} {g} {b}");
    }
}
