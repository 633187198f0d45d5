//! Turns a texture coordinate into the texels that it samples: wrap modes, weights and cube faces.

use crate::arith::fragment;
use crate::pipeline::Wrap;

const HALF: u32 = 0x3f00_0000;
const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;

/// The components of directions that s and t of each cube face follow, and whether against them.
///
/// Source: OpenGL 3.3, section 3.8.10.
pub(crate) const FACE_AXES: [[(usize, bool); 2]; 6] = [
    [(2, true), (1, true)],
    [(2, false), (1, true)],
    [(0, false), (2, false)],
    [(0, false), (2, true)],
    [(0, false), (1, true)],
    [(0, true), (1, true)],
];

/// How a coordinate chooses texels of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapFilter {
    /// The nearest one.
    Nearest,
    /// Two, with a weight that is cut off after 8 bits, from a position of 11 fraction bits.
    Linear,
    /// Two, with a weight that is rounded to 8 bits.
    LinearRounded,
}

/// The two texels of one axis and the weight of the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisTaps {
    /// Texel numbers inside the level; `None` is the border.
    pub texels: [Option<u32>; 2],
    /// The same for images with stored border texels: −1 or the size for the border.
    pub with_border: [i32; 2],
    /// Weight of the second texel in 1/256; 0 if only the first counts.
    pub weight: u32,
}

/// Finds the texels of one axis of `size` texels.
///
/// The coordinate (bits of a float) is wrapped, multiplied by the size and, for linear filtering, brought to 8 fraction
/// bits before half a texel is subtracted; nearest filtering takes the floor. NaN acts as 0.
///
/// Unverified: how many more bits a position has before it is cut off, and that the mirror-once modes repeat texel 0 rather than mix the border at 0.
#[must_use]
pub fn axis_taps(coordinate: u32, size: u32, wrap: Wrap, filter: TapFilter, is_unnormalized: bool) -> AxisTaps {
    let wrap = effective_wrap(wrap, is_unnormalized);
    let size = signed_size(size);
    let scaled = texel_coordinate(coordinate, size, wrap, is_unnormalized);
    let is_filtered = filter != TapFilter::Nearest;
    let (first, second, weight) = if is_filtered {
        let fixed = match filter {
            TapFilter::LinearRounded => fragment::float_to_fixed(scaled, 8),
            TapFilter::Linear | TapFilter::Nearest => fragment::float_to_fixed(scaled, 11) >> 3,
        };
        let fixed = fixed.clamp(-512, (size + 2) << 8);
        let fixed = if wrap == Wrap::Clamp || wrap == Wrap::MirrorClamp { fixed.clamp(0, size << 8) } else { fixed };
        let corner = fixed - 128;
        (corner >> 8, (corner >> 8) + 1, corner & 255)
    } else {
        let nearest = fragment::float_to_int_floor(scaled).clamp(-1, size);
        (nearest, nearest, 0)
    };
    let taps = [first, second].map(|texel| wrapped_texel(texel, size, wrap, is_filtered));
    AxisTaps { texels: taps.map(|texel| inside(texel, size)), with_border: taps, weight: weight.unsigned_abs() }
}

/// Three adjacent texels of one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisNeighbors {
    /// Texel numbers inside the level; `None` is the border.
    pub texels: [Option<u32>; 3],
    /// The same for images with stored border texels: −1 or the size for the border.
    pub with_border: [i32; 3],
}

/// Finds the nearest texel of one axis and the ones before and after it, each wrapped as in linear filtering.
#[must_use]
pub fn axis_neighbors(coordinate: u32, size: u32, wrap: Wrap, is_unnormalized: bool) -> AxisNeighbors {
    let wrap = effective_wrap(wrap, is_unnormalized);
    let size = signed_size(size);
    let nearest = fragment::float_to_int_floor(texel_coordinate(coordinate, size, wrap, is_unnormalized));
    let nearest = match wrap {
        Wrap::Clamp | Wrap::MirrorClamp => nearest.clamp(0, size - 1),
        _ => nearest.clamp(-2, size + 1),
    };
    let taps = [-1, 0, 1].map(|step| wrapped_texel(nearest + step, size, wrap, true));
    AxisNeighbors { texels: taps.map(|texel| inside(texel, size)), with_border: taps }
}

/// Coordinates in texels clamp, because repeating is not defined for them.
const fn effective_wrap(wrap: Wrap, is_unnormalized: bool) -> Wrap {
    match wrap {
        Wrap::Repeat | Wrap::MirroredRepeat if is_unnormalized => Wrap::ClampToEdge,
        wrap => wrap,
    }
}

fn signed_size(size: u32) -> i32 {
    i32::try_from(size).expect("textures have less than 2³¹ texels per axis")
}

/// A texel number, or `None` beyond the image.
fn inside(texel: i32, size: i32) -> Option<u32> {
    u32::try_from(texel).ok().filter(|_| texel < size)
}

/// The wrapped coordinate in texels.
fn texel_coordinate(coordinate: u32, size: i32, wrap: Wrap, is_unnormalized: bool) -> u32 {
    let wrapped = match wrap {
        Wrap::Repeat => fragment::frc(coordinate),
        Wrap::MirroredRepeat => {
            let fraction = fragment::frc(fragment::mul(coordinate, HALF));
            let twice = fragment::add(fraction, fraction);
            // 0..2 are positive, so their bits order like their values.
            if twice > ONE { fragment::sub(TWO, twice) } else { twice }
        }
        Wrap::ClampToEdge | Wrap::ClampToBorder | Wrap::Clamp => coordinate,
        Wrap::MirrorClampToEdge | Wrap::MirrorClampToBorder | Wrap::MirrorClamp => coordinate & 0x7fff_ffff,
    };
    if is_unnormalized { wrapped } else { fragment::mul(wrapped, fragment::int_to_float(size)) }
}

/// Wraps a texel number into the image; −1 or the size stand for the border before and behind it.
fn wrapped_texel(texel: i32, size: i32, wrap: Wrap, is_filtered: bool) -> i32 {
    let texel = match wrap {
        Wrap::Repeat if texel < 0 => texel + size,
        Wrap::Repeat if texel >= size => texel - size,
        Wrap::MirrorClampToBorder | Wrap::MirrorClamp => texel.max(0),
        _ => texel,
    };
    let has_border = match wrap {
        Wrap::ClampToBorder | Wrap::MirrorClampToBorder => true,
        Wrap::Clamp | Wrap::MirrorClamp => is_filtered,
        Wrap::Repeat | Wrap::MirroredRepeat | Wrap::ClampToEdge | Wrap::MirrorClampToEdge => false,
    };
    if has_border {
        return texel.clamp(-1, size);
    }
    // Linear taps of a level one texel wide exceed the range by one more than the wrap above corrects.
    texel.clamp(0, size - 1)
}

/// The cube face (0..5: +x, −x, +y, −y, +z, −z) that a direction points at.
///
/// Equal magnitudes prefer x, then y.
#[must_use]
pub const fn cube_face(direction: [u32; 3]) -> u32 {
    // Magnitudes order like their bits.
    let [x, y, z] = [direction[0] & 0x7fff_ffff, direction[1] & 0x7fff_ffff, direction[2] & 0x7fff_ffff];
    let axis = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    2 * axis + (direction[axis as usize] >> 31)
}

/// Projects a direction onto a face: the coordinates s and t, 0..1 inside the face.
#[must_use]
pub fn cube_coordinates(direction: [u32; 3], face: u32) -> [u32; 2] {
    let major = direction[(face / 2) as usize] & 0x7fff_ffff;
    let scale = fragment::rcp(major);
    FACE_AXES[face as usize].map(|(component, is_negative)| {
        let side = direction[component] ^ u32::from(is_negative) << 31;
        fragment::add(fragment::mul(fragment::mul(side, scale), HALF), HALF)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(value: f32, wrap: Wrap) -> Option<u32> {
        axis_taps(value.to_bits(), 4, wrap, TapFilter::Nearest, false).texels[0]
    }

    fn linear(value: f32, wrap: Wrap) -> ([Option<u32>; 2], u32) {
        let taps = axis_taps(value.to_bits(), 4, wrap, TapFilter::Linear, false);
        (taps.texels, taps.weight)
    }

    #[test]
    fn nearest_texels_of_every_wrap_mode() {
        // Coordinates in quarters: the texel of 4 for −1.125, −0.625, −0.125, 0.125, 0.625, 1.125, 1.625.
        let coordinates = [-1.125f32, -0.625, -0.125, 0.125, 0.625, 1.125, 1.625];
        let b = None;
        let rows = [
            (Wrap::Repeat, [Some(3), Some(1), Some(3), Some(0), Some(2), Some(0), Some(2)]),
            (Wrap::MirroredRepeat, [Some(3), Some(2), Some(0), Some(0), Some(2), Some(3), Some(1)]),
            (Wrap::ClampToEdge, [Some(0), Some(0), Some(0), Some(0), Some(2), Some(3), Some(3)]),
            (Wrap::ClampToBorder, [b, b, b, Some(0), Some(2), b, b]),
            (Wrap::Clamp, [Some(0), Some(0), Some(0), Some(0), Some(2), Some(3), Some(3)]),
            (Wrap::MirrorClampToEdge, [Some(3), Some(2), Some(0), Some(0), Some(2), Some(3), Some(3)]),
            (Wrap::MirrorClampToBorder, [b, Some(2), Some(0), Some(0), Some(2), b, b]),
            (Wrap::MirrorClamp, [Some(3), Some(2), Some(0), Some(0), Some(2), Some(3), Some(3)]),
        ];
        for (wrap, expected) in rows {
            assert_eq!(coordinates.map(|value| nearest(value, wrap)), expected, "{wrap:?}");
        }
    }

    #[test]
    fn linear_texels_and_weights() {
        // 0.5 lies between texels 1 and 2; 0.03125 is an eighth of a texel from the edge.
        assert_eq!(linear(0.5, Wrap::Repeat), ([Some(1), Some(2)], 128));
        assert_eq!(linear(0.031_25, Wrap::Repeat), ([Some(3), Some(0)], 160));
        assert_eq!(linear(0.031_25, Wrap::ClampToEdge), ([Some(0), Some(0)], 160));
        assert_eq!(linear(1.0, Wrap::Clamp), ([Some(3), None], 128));
        assert_eq!(linear(9.0, Wrap::Clamp), ([Some(3), None], 128));
        assert_eq!(linear(9.0, Wrap::ClampToBorder).0, [None, None]);
        assert_eq!(linear(-0.031_25, Wrap::MirrorClamp), ([Some(0), Some(0)], 160));
        assert_eq!(linear(-1.0, Wrap::MirrorClamp), ([Some(3), None], 128));
        assert_eq!(linear(0.625, Wrap::Repeat), ([Some(2), Some(3)], 0));
        // Sixteenths of 1/256 of a texel: 14 are cut off, 15 round to the next.
        let sixteenths = |count: f32| 0.625 + count / 16.0 / 1024.0;
        assert_eq!([14.0, 15.0].map(|count| linear(sixteenths(count), Wrap::Repeat).1), [0, 1]);
        let rounded =
            |count| axis_taps(f32::to_bits(sixteenths(count)), 4, Wrap::Repeat, TapFilter::LinearRounded, false);
        assert_eq!([7.0, 8.0].map(|count| rounded(count).weight), [0, 1]);
    }

    #[test]
    fn neighbors_of_the_nearest_texel() {
        let neighbors = |value: f32, wrap| axis_neighbors(value.to_bits(), 4, wrap, false);
        let texels = |value, wrap| neighbors(value, wrap).texels.map(|texel| texel.map_or(-1, u32::cast_signed));
        assert_eq!(texels(0.4, Wrap::Repeat), [0, 1, 2]);
        assert_eq!([texels(0.1, Wrap::Repeat), texels(0.9, Wrap::Repeat)], [[3, 0, 1], [2, 3, 0]]);
        assert_eq!([texels(-0.1, Wrap::MirroredRepeat), texels(1.1, Wrap::MirroredRepeat)], [[0, 0, 1], [2, 3, 3]]);
        assert_eq!([texels(0.1, Wrap::ClampToEdge), texels(7.0, Wrap::ClampToEdge)], [[0, 0, 1], [3, 3, 3]]);
        assert_eq!([texels(0.1, Wrap::ClampToBorder), texels(7.0, Wrap::ClampToBorder)], [[-1, 0, 1], [-1; 3]]);
        assert_eq!([texels(7.0, Wrap::Clamp), texels(-7.0, Wrap::Clamp)], [[2, 3, -1], [-1, 0, 1]]);
        assert_eq!(texels(-0.1, Wrap::MirrorClamp), [0, 0, 1]);
        assert_eq!(neighbors(7.0, Wrap::ClampToBorder).with_border, [4; 3]);
        assert_eq!(neighbors(0.1, Wrap::ClampToBorder).with_border, [-1, 0, 1]);
        let taps = axis_taps((-9.0f32).to_bits(), 4, Wrap::ClampToBorder, TapFilter::Linear, false);
        assert_eq!((taps.texels, taps.with_border), ([None; 2], [-1; 2]));
    }

    #[test]
    fn extreme_coordinates_stay_inside() {
        for wrap in [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge, Wrap::MirrorClampToEdge] {
            for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, -1e-30, 1e-42] {
                for size in [1, 2, 4095, 4096] {
                    for filter in [TapFilter::Nearest, TapFilter::Linear, TapFilter::LinearRounded] {
                        let taps = axis_taps(value.to_bits(), size, wrap, filter, false);
                        assert!(taps.texels.iter().all(|texel| texel.is_some_and(|texel| texel < size)));
                    }
                }
            }
        }
    }

    #[test]
    fn faces_of_the_cube() {
        let bits = |direction: [f32; 3]| direction.map(f32::to_bits);
        for (face, direction) in
            [[1.0, 0.5, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, -1.0]]
                .into_iter()
                .enumerate()
        {
            assert_eq!(cube_face(bits(direction)) as usize, face);
        }
        // Rows of the OpenGL table: the major axis and where (s, t) = (1, 0) lies.
        let corners = [
            [1.0, 1.0, -1.0],
            [-1.0, 1.0, 1.0],
            [1.0, 1.0, -1.0],
            [1.0, -1.0, 1.0],
            [1.0, 1.0, 1.0],
            [-1.0, 1.0, -1.0],
        ];
        for (face, corner) in corners.into_iter().enumerate() {
            let face = u32::try_from(face).unwrap();
            assert_eq!(cube_coordinates(bits(corner), face), [ONE, 0], "face {face}");
        }
    }
}
